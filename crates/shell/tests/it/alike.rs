//! Texts that are said to be read alike are.

use proptest::prelude::*;
use tenon_shell::{FindingKind, MarkKind, ShellGrammar, read_until_error};

use crate::generator::Generator;

/// Whether one of the readings says that it is that of the other shell too.
fn reads_alike(text: &str) -> bool {
    let alike = |dialect| read_until_error(text, dialect).0.reads_alike;
    ShellGrammar::ALL.into_iter().any(alike)
}

/// Compares both readings of a text that needs only one.
fn assert_alike(text: &str) {
    if !reads_alike(text) {
        return;
    }
    let found = |dialect| {
        let (mut script, error) = read_until_error(text, dialect);
        script
            .findings
            .retain(|finding| !is_delayed_code(&finding.kind));
        (script.findings, script.scopes, error)
    };
    let [one, other] = ShellGrammar::ALL.map(found);
    assert_eq!(one, other, "{text:?}");
}

/// What only bash runs, which marks come last.
fn is_delayed_code(kind: &FindingKind) -> bool {
    matches!(kind, FindingKind::Mark(mark) if mark.kind == MarkKind::DelayedCode)
}

/// Pieces of texts with all marks that mean something to one of the shells.
fn piece() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        " ", "\n", ";", "&", "|", "(", ")", "<", ">", "{", "}", "[", "]", "!", "$", "~", "=", "+",
        "\\", "\"", "'", "#", "*", "?", "@", ":", "1", "12", "a", "x", "EOF", "\nEOF\n", "$(",
        "${a}", "$x", "<<EOF", "<<'EOF'", ">&1", "2>&1", "&&", "||", "<<", ">>", "if ", "then ",
        "fi", "do ", "done", "case ", "in ", "esac", "for ", "while ", "time ", "export ", "eval ",
        "x=", "a=~/b ", "{ ", " }", "{}", "\\\n", "\\;", "alias ", "cd ", "echo ", "-f", ";;",
        "read ", "local ", "trap ", "sh -c ", "`", "\t", "/", ".", ",", "%", "^", "f() ",
    ])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn texts_of_any_pieces_that_are_said_to_be_read_alike_are(
        pieces in prop::collection::vec(piece(), 1..24)
    ) {
        assert_alike(&pieces.concat());
    }
}

#[test]
fn generated_texts_that_are_said_to_be_read_alike_are() {
    let mut alike = 0;
    for seed in 1..4000 {
        for bash_texts in [false, true] {
            let text = Generator::for_dialect(seed, bash_texts, ShellGrammar::Bash).text();
            assert_alike(&text);
            alike += usize::from(reads_alike(&text));
        }
    }
    // Else the comparison says nothing.
    assert!(alike > 100, "{alike}");
}

#[test]
fn everyday_texts_need_one_reading() {
    for text in [
        "git diff --stat | sort > \"$(mktemp)\" 2>&1",
        "set -e\nfor f in src/*.rs; do\n  [ -f \"$f\" ] && n=$(wc -l < \"$f\")\n  echo \"${f}: $n\" >> out\ndone",
        "cat > x <<'EOF'\nhello $x\nEOF",
        "find . -name '*.[ch]' -exec grep -l TODO {} \\;",
        "FOO=1 timeout 5 make -j4 || { echo failed >&2; exit 1; }",
        "(cd build && cmake ..) && if ! make; then cat log; fi",
        "awk '{ print $1, $(NF-1) }' log.txt | sed -e 's/{a,b}/[[x]]/' && python3 -c 'print([1])'",
        "f() { ls \"$1\"; }; f `cat list` $((1 + 2)); echo 'größe' [a-z]* a=~/b",
        "case $x in a|b) echo \"{a,b}\";; *) [ -v x ] && read -r y;; esac",
    ] {
        assert!(reads_alike(text), "{text}");
    }
}

#[test]
fn texts_that_only_one_shell_knows_need_both_readings() {
    for text in [
        "echo {a,b}",
        "echo $'a'",
        "echo a &> b",
        "[[ a == b ]]",
        "a=(1 2)",
        "time ls",
        "cat <<<x",
        "ls 12>x",
        "x+=1",
        "cat <(ls)",
        "echo @(a)",
        "! ! ls",
        "ti\\\nme ls",
    ] {
        assert!(!reads_alike(text), "{text}");
    }
}
