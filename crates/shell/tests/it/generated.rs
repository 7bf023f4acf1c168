//! Generated texts: what is found must be what they were built from.

use std::collections::{BTreeMap, BTreeSet};

use tenon_shell::{Command, FileUse, FindingKind, Script, ShellGrammar, read};

use crate::generator::{Generator, Truth};
use crate::shells::{self, say};

const TEXTS: u64 = 1500;

#[derive(Debug, Default)]
struct Tally {
    judged: usize,
    exact: usize,
    refused: usize,
    invalid: usize,
}

/// Compares everything that the generator knows. Gives the differences.
fn differences(script: &Script, truth: &Truth) -> Vec<String> {
    let mut found = BTreeMap::new();
    let mut differences = Vec::new();
    for command in script.commands() {
        let Some(name) = command.name() else { continue };
        let Some(name) = name.literal() else {
            differences.push(format!("opaque name {name:?}"));
            continue;
        };
        let arguments: Vec<Option<String>> = command
            .words
            .iter()
            .skip(1)
            .map(|word| word.literal().map(str::to_owned))
            .collect();
        if found.insert(name.to_owned(), arguments).is_some() {
            differences.push(format!("`{name}` found twice"));
        }
    }
    if found != truth.commands {
        let lost: Vec<_> = truth
            .commands
            .iter()
            .filter(|(name, _)| !found.contains_key(*name))
            .collect();
        let wrong: Vec<_> = found
            .iter()
            .filter(|(name, words)| truth.commands.get(*name) != Some(words))
            .collect();
        differences.push(format!("lost {lost:?}, wrong {wrong:?}"));
    }
    let files: BTreeSet<_> = script
        .redirections()
        .filter(|redirection| redirection.file_use() != FileUse::None)
        .map(|redirection| {
            let target = redirection.target.literal().unwrap_or("?").to_owned();
            (format!("{:?}", redirection.operator), target)
        })
        .collect();
    if files != truth.files {
        differences.push(format!("files {files:?} instead of {:?}", truth.files));
    }
    let assignments: BTreeSet<_> = script
        .assignments()
        .filter(|assignment| assignment.subscript.is_none())
        .filter_map(|assignment| match assignment.values.as_slice() {
            [value] => Some((assignment.name.clone(), value.literal()?.to_owned())),
            _ => None,
        })
        .collect();
    for assignment in &truth.assignments {
        if !assignments.contains(assignment) {
            differences.push(format!("assignment {assignment:?} lost"));
        }
    }
    let functions: BTreeSet<_> = script
        .findings
        .iter()
        .filter_map(|finding| match &finding.kind {
            FindingKind::Function(function) => Some(function.name.clone()),
            _ => None,
        })
        .collect();
    if functions != truth.functions {
        differences.push(format!(
            "functions {functions:?} instead of {:?}",
            truth.functions
        ));
    }
    differences
}

fn judge(
    seeds: std::ops::Range<u64>,
    bash_texts: bool,
    dialect: ShellGrammar,
    ask_the_shell: bool,
) -> Tally {
    let mut tally = Tally::default();
    for seed in seeds {
        let mut generator = Generator::for_dialect(seed, bash_texts, dialect);
        let text = generator.text();
        match read(&text, dialect) {
            Err(error) => {
                if !ask_the_shell || shells::accepts(dialect, &text) {
                    tally.refused += 1;
                    say(&format!("{dialect} seed {seed} refused: {error}\n{text}\n"));
                } else {
                    tally.invalid += 1;
                }
            }
            Ok(script) => {
                let differences = differences(&script, &generator.truth);
                assert!(
                    differences.is_empty(),
                    "{dialect} seed {seed}: {differences:#?}\n{text}"
                );
                tally.exact += 1;
            }
        }
        tally.judged += 1;
    }
    say(&format!("{dialect}, bash texts {bash_texts}: {tally:?}"));
    tally
}

fn check(bash_texts: bool, dialect: ShellGrammar) {
    let first = std::env::var("TENON_SEED")
        .ok()
        .and_then(|seed| seed.parse().ok())
        .unwrap_or(1);
    let count = std::env::var("TENON_TEXTS")
        .ok()
        .and_then(|count| count.parse().ok())
        .unwrap_or(TEXTS);
    let is_installed = shells::installed(dialect);
    let tally = judge(first..first + count, bash_texts, dialect, is_installed);
    // What is refused must stay the exception. Without the shell it is not known which of it is no text of that shell.
    let percent = if is_installed { 1 } else { 3 };
    assert!(tally.refused * 100 <= tally.judged * percent, "{tally:?}");
}

#[test]
fn generated_posix_texts_read_as_dash_lose_nothing() {
    check(false, ShellGrammar::Dash);
}

#[test]
fn generated_posix_texts_read_as_bash_lose_nothing() {
    check(false, ShellGrammar::Bash);
}

#[test]
fn generated_bash_texts_lose_nothing() {
    check(true, ShellGrammar::Bash);
}

/// The name of a command as [`Command::name`] gives it is what the tests above rest on.
#[test]
fn the_first_word_names_the_command() {
    let script = read("x=1 >f 'l's -l", ShellGrammar::Bash).expect("valid");
    let names: Vec<_> = script
        .commands()
        .filter_map(Command::name)
        .filter_map(|word| word.literal())
        .collect();
    assert_eq!(names, ["ls"]);
}
