//! What is valid for the shell is read, what is not is refused; every exception stands here with its reason.

use tenon_shell::{ShellGrammar, read};

use crate::{shells, texts};

/// Texts that bash takes with `-n` and the reader refuses.
const REFUSED_FOR_BASH: &[(&str, &str)] = &[
    ("echo ${x@P}", "expands a value as a prompt"),
    ("x='$(rm x)'; echo ${x@P}", "expands a value as a prompt"),
    ("(( '$(rm x)' ))", "bash runs what stands in the quotes"),
    ("a['$(rm x)']=1", "bash runs what stands in the quotes"),
    (
        "echo \"${x:-'$(rm x)'}\"",
        "bash runs what stands in the quotes",
    ),
    (
        "echo \"${x:-'}$(rm x)'}\"",
        "bash runs what stands in the quotes",
    ),
    (
        "echo \"${x:-\"}$(rm x)\"}\"",
        "bash runs what stands in the quotes",
    ),
    (
        "echo \"${x#'$(rm x)'}\"",
        "bash runs what stands in the quotes",
    ),
    ("echo ${ rm x; }", "a command substitution of bash 5.3"),
    ("echo ${| rm x; }", "a command substitution of bash 5.3"),
    (
        "function $x { a; }",
        "fails when it runs: no name of a function",
    ),
    (
        "function \"f\" { a; }",
        "fails when it runs: no name of a function",
    ),
    ("$x() { a; }", "fails when it runs: no name of a function"),
    ("'f'() { a; }", "fails when it runs: no name of a function"),
    (
        "for 1 in a; do b; done",
        "fails when it runs: no name of a variable",
    ),
    (
        "for x.y in a; do b; done",
        "fails when it runs: no name of a variable",
    ),
    ("[[ ]]", "an empty condition"),
    ("[[ a && ]]", "an empty condition"),
    ("echo ${x y} ", "fails when it runs: bad substitution"),
    (
        "echo ${} ${.} ${-x} ${1x}",
        "fails when it runs: bad substitution",
    ),
    ("echo ${x.y}", "fails when it runs: bad substitution"),
    ("echo ${x!y}", "fails when it runs: bad substitution"),
    ("echo ${x&y}", "fails when it runs: bad substitution"),
    ("echo ${x@Z}", "fails when it runs: bad substitution"),
    ("echo ${x[}", "fails when it runs: bad substitution"),
    ("echo ${x[1}", "fails when it runs: bad substitution"),
    (
        "cat <<EOF\n${x:-'$(rm x)'}\nEOF",
        "bash runs what stands in the quotes",
    ),
    (
        "cat <<$x\na\n$x",
        "the end word looks like an expansion or spans lines",
    ),
    (
        "x=\"$(time { case a in b) c;; esac; } | d '$(rm x)')\"",
        "bash runs what stands in the quotes",
    ),
    ("x=$(a <<E\nE\nb; c\n)", "bash forgets the semicolon"),
    ("x=$(echo $'it\\'s')", "bash rewrites the quote mark"),
    ("x=\"$(coproc a)\"", "bash runs a program called `COPROC`"),
    (": ${!x:=y}", "an assignment to a computed name"),
    ("a=(b)#;rm x", "what is glued to a list belongs to it"),
    ("a=()true rm x", "what is glued to a list belongs to it"),
    ("a+=(b)[ rm x", "what is glued to a list belongs to it"),
    (
        "export a=(b)\"\" rm x",
        "what is glued to a list belongs to it",
    ),
    ("a=(b)<(a) rm x", "what is glued to a list belongs to it"),
    ("a=(b)\\\n#;rm x", "what is glued to a list belongs to it"),
    (
        "x=abc; echo \"${x#<(rm x)}\"",
        "bash runs what stands in the quotes",
    ),
    (
        "echo \"${x/a/b>(rm x)}\"",
        "bash runs what stands in the quotes",
    ),
    (
        "echo \"${x#${y:-<(rm x)}}\"",
        "bash runs what stands in the quotes",
    ),
    (
        "echo \"$(cat <<'E'\nfix\nE)\"; rm x; : \"\nE\n)\"",
        "bash ends the here-document before the end word",
    ),
    (
        "x=$(cat <<-E\n\ta\n\tE b)\nrm x\nE\n)",
        "bash ends the here-document before the end word",
    ),
];
/// Texts that dash takes with `-n` and the reader refuses.
const REFUSED_FOR_DASH: &[(&str, &str)] = &[
    (
        "echo \"${arr[@]}\" \"${#arr[@]}\" \"${arr[0]}\"",
        "fails when it runs: bad substitution",
    ),
    (
        "echo \"${file%.txt}.md\" \"${file##*/}\" \"${file/a/b}\" \"${file^^}\"",
        "fails when it runs: bad substitution",
    ),
    (
        "coproc cat; echo hi >&\"${COPROC[1]}\"",
        "fails when it runs: bad substitution",
    ),
    (
        "echo \"${x//\\//_}\" \"${x//[^a-z]/}\" \"${x:0:3}\" \"${x: -3}\" \"${!x}\" \"${x@Q}\"",
        "fails when it runs: bad substitution",
    ),
    (
        "echo ${x/$(rm a)/$(rm b)} ${x^$(rm c)}",
        "fails when it runs: bad substitution",
    ),
    ("echo ${x[$(rm x)]}", "fails when it runs: bad substitution"),
    (
        "echo ${x:$(rm a):$(rm b)}",
        "fails when it runs: bad substitution",
    ),
    (
        "echo ${#x[$(rm x)]}",
        "fails when it runs: bad substitution",
    ),
    ("echo ${x@P}", "fails when it runs: bad substitution"),
    (
        "x='$(rm x)'; echo ${x@P}",
        "fails when it runs: bad substitution",
    ),
    (
        "echo \"${x:-\"}$(rm x)\"}\"",
        "bash runs what stands in the quotes",
    ),
    ("echo ${ rm x; }", "fails when it runs: bad substitution"),
    ("echo ${| rm x; }", "fails when it runs: bad substitution"),
    (
        "echo ${1} ${12} $12 ${@} ${*:2} ${@:1:2} ${!#}",
        "fails when it runs: bad substitution",
    ),
    ("echo ${x y} ", "fails when it runs: bad substitution"),
    (
        "echo ${} ${.} ${-x} ${1x}",
        "fails when it runs: bad substitution",
    ),
    ("echo ${x.y}", "fails when it runs: bad substitution"),
    ("echo ${x!y}", "fails when it runs: bad substitution"),
    ("echo ${x&y}", "fails when it runs: bad substitution"),
    ("echo ${x@Z}", "fails when it runs: bad substitution"),
    (
        "echo ${!x*} ${!x@} ${!x[@]} ${!x[*]} ${!x}",
        "fails when it runs: bad substitution",
    ),
    (
        "echo ${x[1]} ${x[@]} ${x[*]} ${x[a b]} ${x[\"a\"]} ${x[$i]} ${x[$((i+1))]} ${x[${y[1]}]}",
        "fails when it runs: bad substitution",
    ),
    ("echo ${x[}", "fails when it runs: bad substitution"),
    ("echo ${x[1}", "fails when it runs: bad substitution"),
    (
        "echo ${x,,} ${x^} ${x~}",
        "fails when it runs: bad substitution",
    ),
    (
        "echo \"${x/a/b>(rm x)}\"",
        "fails when it runs: bad substitution",
    ),
    (": ${!x:=y}", "fails when it runs: bad substitution"),
    ("cat <<EOF\nnever ends", "a here-document without end"),
    ("cat <<EOF", "a here-document without end"),
    (
        "cat <<$x\na\n$x",
        "the end word looks like an expansion or spans lines",
    ),
    (
        "cat <<'a\nb'\nx\na\nb",
        "the end word looks like an expansion or spans lines",
    ),
];
/// Texts that bash refuses and the reader takes: the findings are a superset of what could run.
const TAKEN_FOR_BASH: &[(&str, &str)] = &[
    (
        "shopt -s extglob; rm !(a)",
        "extended patterns before they are switched on",
    ),
    ("for ((a;b)); do c; done", "arithmetic `for` with two parts"),
    (
        "echo @(a|b) +(c) ?(d) *(e) !(f)",
        "extended patterns before they are switched on",
    ),
    (
        "echo a!(b|$(rm x))",
        "extended patterns before they are switched on",
    ),
    (
        "echo ?(a;b)",
        "extended patterns before they are switched on",
    ),
    (
        "case a in @(a|b)) c;; esac",
        "extended patterns before they are switched on",
    ),
    (
        "shopt -s extglob\nrm !(a|b)",
        "extended patterns before they are switched on",
    ),
];
/// Texts that dash refuses and the reader takes.
const TAKEN_FOR_DASH: &[(&str, &str)] = &[];

fn compare(dialect: ShellGrammar, refused: &[(&str, &str)], taken: &[(&str, &str)]) {
    if !shells::installed(dialect) {
        return;
    }
    let mut differences = Vec::new();
    for text in texts::all() {
        let ours = read(text, dialect);
        let valid = shells::accepts(dialect, text);
        let known = if valid { refused } else { taken };
        let expected = known
            .iter()
            .any(|(known, _)| *known == text.trim_end_matches('\n'));
        if (ours.is_ok() != valid) != expected {
            let said = ours.err().map(|error| error.to_string());
            differences.push(format!(
                "{dialect} takes it: {valid}; the reader: {said:?}\n{text}"
            ));
        }
    }
    assert!(
        differences.is_empty(),
        "{} differences\n{}",
        differences.len(),
        differences.join("\n\n")
    );
}

#[test]
fn the_reader_takes_what_bash_takes() {
    compare(ShellGrammar::Bash, REFUSED_FOR_BASH, TAKEN_FOR_BASH);
}

#[test]
fn the_reader_takes_what_dash_takes() {
    compare(ShellGrammar::Dash, REFUSED_FOR_DASH, TAKEN_FOR_DASH);
}

/// None of the texts that are written every day is refused in the reading of bash.
#[test]
fn everyday_texts_are_read() {
    let refused: Vec<_> = texts::everyday()
        .into_iter()
        .filter_map(|text| Some((text, read(text, ShellGrammar::Bash).err()?)))
        .collect();
    assert_eq!(refused, []);
}
