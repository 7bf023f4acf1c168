//! The examples of the catalogue of programs: each command does what its row says.

#![allow(
    clippy::panic,
    reason = "a helper of tests says which example does not parse"
)]

use std::collections::HashSet;

use tenon_programs::{Catalogue, examples};
use tenon_shell::{effects_of_example, program_name};

#[test]
fn every_example_does_what_its_row_says() {
    let mut wrong = Vec::new();
    for example in examples() {
        let effects = effects_of_example(&Catalogue::BUILT_IN, example.command)
            .unwrap_or_else(|error| panic!("{}: {error}", example.command));
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
    for example in examples() {
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
