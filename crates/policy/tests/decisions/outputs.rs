//! Options that name a file by what they are called, and of which the catalogue does not know that they write one.

use std::collections::BTreeSet;
use std::process::{Command, Stdio};

use tenon_policy::Verdict;

use super::table::{Settings, decide_with, engine};

/// Parts of the names of such options, and of what a help text calls their value.
const NAMES: &[&str] = &[
    "cache", "config", "dest", "dir", "dump", "file", "log", "out", "path", "profile", "report",
    "save", "socket", "temp", "trace",
];

/// The options of a help text whose names, or the names of whose values, say that they are given a file.
fn options_of(help: &str) -> BTreeSet<&str> {
    let words = help.split(|letter: char| letter.is_whitespace() || ",|()".contains(letter));
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let behind = words.iter().skip(1).copied().chain([""]);
    let pairs = words.iter().zip(behind);
    let found = pairs.filter_map(|(word, behind)| {
        let end = word.find(['=', '[', '<']).unwrap_or(word.len());
        let (option, value) = word.split_at(end);
        let is_value = behind.starts_with('<') || behind.chars().all(|c| c.is_ascii_uppercase());
        let value = if value.is_empty() && is_value {
            behind
        } else {
            value
        };
        let named = format!("{option}{value}").to_ascii_lowercase();
        let is_file = NAMES.iter().any(|name| named.contains(name));
        (option.starts_with('-') && !value.is_empty() && is_file).then_some(option)
    });
    found.collect()
}

fn help_of(command: &str) -> String {
    let mut words = command.split_whitespace();
    let mut program = Command::new(words.next().unwrap());
    program.args(words).stdin(Stdio::null());
    let output = program.arg("--help").output();
    output.map_or_else(
        |_| String::new(),
        |output| {
            let texts = [output.stdout, output.stderr].concat();
            String::from_utf8_lossy(&texts).into_owned()
        },
    )
}

#[test]
fn options_that_name_a_file_are_found_in_help_texts() {
    let help = "  -v, --verbose\n  -o FILE  output\n  --cache-dir=<dir>, --level N\n  --log <file>";
    let found: Vec<&str> = options_of(help).into_iter().collect();
    assert_eq!(found, ["--cache-dir", "--log", "-o"]);
}

/// Not a test of its own: prints which of these options of the commands that `PROGRAMS` names, with commas between them
/// (`gcc,cargo build`), may be given a place outside under a rule on the program. Which of them write is in their manual.
#[test]
#[ignore = "a help for mending"]
fn print_outputs_that_are_allowed() {
    for command in std::env::var("PROGRAMS").unwrap().split(',') {
        let program = command.split_whitespace().next().unwrap();
        let settings = format!(r#"{{ "allow": ["Bash({program}:*)", "Read", "Edit"] }}"#);
        let settings: Settings = serde_json::from_str(&settings).unwrap();
        let engine = engine(&settings);
        let help = help_of(command);
        for option in options_of(&help) {
            for call in [
                format!("{command} {option}=../../outside/x"),
                format!("{command} {option} ../../outside/x"),
            ] {
                if decide_with(&engine, &settings, &call).verdict == Verdict::Allow {
                    println!("{call}");
                }
            }
        }
    }
}
