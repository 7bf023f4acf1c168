//! Where words, here-documents and operands end, by running it: a text of which something runs `rm` is not allowed.
//!
//! Texts are made of a construct, of what is glued to its end, and of `rm` where a reader may take it for a comment,
//! an argument, a body or a quoted text.

use proptest::prelude::*;

use crate::attempted::{jail, none_is_allowed, one_of, settings};

const CONSTRUCTS: &[&str] = &[
    "a=(b)",
    "a=()",
    "a+=(b c)",
    "a=(#\n)",
    "a=([0]=b)",
    "a[0]=b",
    "a[0]=",
    "a=",
    "a+=b",
    "a=\"b\"",
    "a=$(ls)",
    "a=<(ls)",
    "declare a=(b)",
    "export a=b",
    "((1))",
    "(ls)",
    "{ ls; }",
    "[[ a ]]",
    "[[ a =~ b ]]",
    "if ls; then ls; fi",
    "case a in a) ls;; esac",
    "f() { ls; }",
    "echo $((1))",
    "echo <(ls)",
    "echo `ls`",
    "echo ${x}",
    "echo $'a'",
    "ls >o",
    "ls <<<a",
    "ls {fd}>o",
    "ls 2>&1",
    "ls >&-",
    "time",
    "!",
    "echo [a]",
    "echo a[1]=",
];

const GLUED: &[&str] = &[
    "#;rm x",
    "#\nrm x",
    " #;rm x",
    "# rm x",
    "[ rm x",
    "ls rm x",
    "''; rm x",
    "=b rm x",
    "b=1 rm x",
    "\\\n#;rm x",
    " \\\n#;rm x",
    "\\\nls rm x",
    "(rm x)",
    "$(:)#;rm x",
    "{ rm x",
    "&#;rm x",
    "|#\nrm x",
    "\"#\";rm x",
    "]#;rm x",
    "<<<#;rm x",
    ")#\nrm x",
    "}#;rm x",
];

/// Texts in which `%` stands for a command with a here-document.
const AROUND: &[&str] = &[
    "echo $(%)",
    "echo \"$(%)\"",
    "x=$(%)",
    "cat <(%)",
    "echo ${y:-$(%)}",
    "echo \"${y:-$(%)}\"",
    "a=($(%))",
    "[[ -n $(%) ]]",
    "case $(%) in *) ;; esac",
    "echo $((1+$(%)))",
    "echo $( (%) )",
    "echo `%`",
    "echo $(echo $(%))",
    "cat <<A\n$(%)\nA",
    "echo $(%) $(%)",
    "(%)",
    "%",
];

const DOCUMENTS: &[&str] = &[
    "cat <<B\nb\n",
    "cat <<'B'\nb\n",
    "cat <<-B\nb\n\t",
    "cat <<B;\nb\n",
    "cat 3<<C <<B\nc\nC\n",
];

const LINES: &[&str] = &[
    "B\n",
    "B)\nrm x\nB\n",
    "B )\nrm x\nB\n",
    "B rm x)\nB\n",
    "B\nrm x\nB)\n",
    "B\n)\nrm x\nB\n",
    "B)\";rm x;: \"\nB\n",
    "B\\\n)\nrm x\nB\n",
    "B;rm x\nB\n",
    "\\\nB)\nrm x\nB\n",
    " B)\nrm x\nB\n",
];

const OPERATORS: &[&str] = &[
    ":-", "-", "=", "?", ":?", "+", "#", "%%", "/", "/#", "/a/", "^", ",,", ":",
];

const OPERANDS: &[&str] = &[
    "<(rm x)",
    ">(rm x)",
    "a<(rm x)",
    "\"<(rm x)\"",
    "'<(rm x)'",
    "<\\\n(rm x)",
    "${y:-<(rm x)}",
    "$y<(rm x)",
    "'$(rm x)'",
    "<",
    "(rm x)",
];

const USES: &[&str] = &[
    "echo \"${x%}\"",
    "echo ${x%}",
    "x=abc; echo \"${x%}\"",
    "echo \"${?%}\"",
    "x=abc; cat <<E\n${x%}\nE",
    "x=abc; v=\"${x%}\"",
    "x=abc; [[ \"${x%}\" ]]",
];

fn text() -> impl Strategy<Value = String> {
    let glued = (one_of(CONSTRUCTS), one_of(GLUED));
    let document = (one_of(AROUND), one_of(DOCUMENTS), one_of(LINES));
    let operand = (one_of(USES), one_of(OPERATORS), one_of(OPERANDS));
    prop_oneof![
        glued.prop_map(|(construct, behind)| format!("{construct}{behind}")),
        document.prop_map(|(around, document, line)| {
            around.replace('%', &format!("{document}{line}"))
        }),
        operand.prop_map(|(use_, operator, operand)| {
            use_.replace('%', &format!("{operator}{operand}"))
        }),
    ]
}

#[test]
fn no_text_that_runs_a_command_behind_an_end_is_allowed() {
    let Some(jail) = jail(&["rm", "ls", "cat"]) else {
        return;
    };
    let settings = settings(&["echo:*", "ls:*", "cat:*"]);
    none_is_allowed(&jail, &settings, 600, text(), (60, 10));
}
