//! What commands run in turn, compared whole with `texts/wrappers-found.txt`.
//!
//! After a deliberate change run with `TENON_BLESS=1` and read the difference.

use std::fmt::Write as _;

use tenon_shell::{Inner, Invocation, ShellGrammar, Word, examine, limits};

const TEXTS: &str = include_str!("../texts/wrappers.txt");
const EXPECTED: &str = include_str!("../texts/wrappers-found.txt");

fn word(word: &Word) -> String {
    match word.literal() {
        Some(text) if !text.is_empty() && !text.contains([' ', '\'', '"', ';', '|', '\n']) => {
            text.to_owned()
        }
        Some(text) => format!("{text:?}"),
        None => format!("‹{}›", word.prefix()),
    }
}

fn line(invocation: &Invocation, indent: usize, out: &mut String) {
    let words: Vec<String> = invocation.words.iter().map(word).collect();
    let plain: Vec<String> = invocation.normalized_words().iter().map(word).collect();
    let _ = write!(out, "{}{}", " ".repeat(indent), words.join(" "));
    if plain != words {
        let _ = write!(out, "  = {}", plain.join(" "));
    }
    for assignment in &invocation.assignments {
        let _ = write!(out, "  sets {}", assignment.name);
    }
    for directory in &invocation.directories {
        let _ = write!(out, "  in {}", word(directory));
    }
    if invocation.transparent {
        out.push_str("  transparent");
    }
    out.push('\n');
    for inner in &invocation.inner {
        match inner {
            Inner::Command(command) => line(command, indent + 4, out),
            Inner::Text(text) => {
                let shell = text
                    .dialect
                    .map_or("same".to_owned(), |kind| format!("{kind:?}"));
                let process = if text.same_shell {
                    ", same process"
                } else {
                    ""
                };
                let _ = writeln!(
                    out,
                    "{}text for {shell}{process}: {:?}",
                    " ".repeat(indent + 4),
                    text.text
                );
            }
            Inner::NotUnderstood { what, .. } => {
                let _ = writeln!(out, "{}not understood: {what}", " ".repeat(indent + 4));
            }
        }
    }
}

fn report() -> String {
    let mut report = String::new();
    for text in TEXTS.lines() {
        let _ = writeln!(report, "$ {text}");
        let examination = examine(text, ShellGrammar::Bash);
        for examined in &examination.texts {
            if let Some(error) = &examined.error {
                let _ = writeln!(report, "  error: {error}");
            }
            for (_, invocation) in &examined.invocations {
                line(
                    invocation,
                    2 + 2 * usize::from(examined.origin.is_some()),
                    &mut report,
                );
            }
        }
    }
    report
}

#[test]
fn what_wrappers_run() {
    let report = report();
    if std::env::var_os("TENON_BLESS").is_some() {
        let path = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/tests/texts/wrappers-found.txt"
        );
        std::fs::write(path, &report).expect("the table is written");
        return;
    }
    for (number, (found, expected)) in report.lines().zip(EXPECTED.lines()).enumerate() {
        assert_eq!(
            found,
            expected,
            "line {} of texts/wrappers-found.txt",
            number + 1
        );
    }
    assert_eq!(report.lines().count(), EXPECTED.lines().count());
}

fn finds(text: &str, dialect: ShellGrammar, name: &str) -> bool {
    examine(text, dialect)
        .commands()
        .any(|command| command.base_name() == Some(name))
}

#[test]
fn twenty_wrappers_and_sixteen_embedded_texts_are_opened() {
    let wrappers = ["env ", "nice ", "timeout 5 ", "sudo ", "nohup "]
        .repeat(4)
        .concat();
    assert!(finds(&format!("{wrappers}rm x"), ShellGrammar::Bash, "rm"));

    let evals = "eval ".repeat(16);
    assert!(finds(&format!("{evals}rm x"), ShellGrammar::Dash, "rm"));
}

#[test]
fn too_many_levels_are_an_error_and_not_silence() {
    let wrappers = "env ".repeat(100);
    assert!(!examine(&format!("{wrappers}rm x"), ShellGrammar::Bash).is_understood());

    let evals = "eval ".repeat(limits::MAX_EMBEDDING + 2);
    assert!(!examine(&format!("{evals}rm x"), ShellGrammar::Bash).is_understood());

    let many = "sh -c 'x'; ".repeat(limits::MAX_EMBEDDED_TEXTS);
    assert!(!examine(&many, ShellGrammar::Bash).is_understood());
}

/// The here-document of a shell is its text, with the same rules for what is expanded before.
#[test]
fn shells_fed_by_a_here_document() {
    assert!(finds("bash <<'E'\nrm x\nE\n", ShellGrammar::Bash, "rm"));
    assert!(finds(
        "sudo -u a sh -s <<E\nrm x\nE\n",
        ShellGrammar::Dash,
        "rm"
    ));
    assert!(finds("cat <<E | sh\nls\nE\n", ShellGrammar::Bash, "sh"));
    assert!(!examine("bash <<E\nrm $x\nE\n", ShellGrammar::Bash).is_understood());
    assert!(!examine("cat f | sh", ShellGrammar::Bash).is_understood());
}
