//! The examples of the catalogue of programs: each command does what its row says.

#![allow(
    clippy::panic,
    reason = "a helper of tests says which example does not parse"
)]

use std::collections::HashSet;

use tenon_programs::EXAMPLES;
use tenon_shell::{ShellGrammar, command_effects, invocation, program_name, read};

/// What a command does, with commas between.
fn told(command: &str) -> String {
    let script =
        read(command, ShellGrammar::Bash).unwrap_or_else(|error| panic!("{command}: {error}"));
    let mut commands = script.commands().filter_map(invocation);
    let first = commands
        .next()
        .unwrap_or_else(|| panic!("{command}: no command"));
    let effects: Vec<String> = command_effects(&first)
        .iter()
        .map(ToString::to_string)
        .collect();
    effects.join(", ")
}

#[test]
fn every_example_does_what_its_row_says() {
    let mut wrong = Vec::new();
    for example in EXAMPLES {
        let effects = told(example.command);
        if effects != example.effects {
            wrong.push(format!(
                "\"{}\" = \"{effects}\"   # not \"{}\"",
                example.command, example.effects
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_example_is_about_a_program_of_its_row() {
    for example in EXAMPLES {
        let row = tenon_programs::find(example.program).unwrap();
        let first = example
            .command
            .split_whitespace()
            .next()
            .unwrap_or_default();
        let names: HashSet<&str> = row.names.iter().copied().collect();
        assert!(
            names.contains(program_name(first))
                || names.contains(tenon_programs::facts_name(first)),
            "{}: {}",
            example.program,
            example.command
        );
    }
}
