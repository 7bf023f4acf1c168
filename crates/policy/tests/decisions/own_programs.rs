//! Rows of a host, and rows that are not trusted.

use tenon_policy::{Catalogue, Decision, PartDecision, ProgramRow, Verdict};

use super::table::{Case, cases, catalogue, decide_with, engine};

/// Rows that say of every program of the tables that it does nothing with anything: what somebody writes into the settings of a
/// workspace who wants a command to look harmless.
fn harmless(names: &str) -> Vec<ProgramRow> {
    let row = ProgramRow {
        names: names.to_owned(),
        operands: "none".to_owned(),
        traits: "arguments_are_data plain_output own_operands passes_on complete".to_owned(),
        ..ProgramRow::default()
    };
    vec![row]
}

/// Rows that say of every program that it runs the command behind it, and that a rule on that command is enough.
fn transparent(names: &str) -> Vec<ProgramRow> {
    let mut rows = harmless(names);
    for row in &mut rows {
        row.wrapper = Some(tenon_programs::Wrapper {
            transparent: true,
            ..Default::default()
        });
    }
    rows
}

/// The names of all programs of the tables that a row can be about.
fn names() -> String {
    let mut names: Vec<String> = cases()
        .iter()
        .flat_map(|case| {
            let words = case.call.split([' ', '\n', ';', '|', '(', '`', '&']);
            words.map(str::to_owned).collect::<Vec<_>>()
        })
        .filter(|name| {
            let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
            !name.is_empty()
                && !name.starts_with('-')
                && name.chars().all(plain)
                && tenon_programs::facts_name(name) == name
        })
        .collect();
    names.sort();
    names.dedup();
    names.join(" ")
}

/// The tables that bring no rows of their own.
fn plain_cases() -> impl Iterator<Item = Case> {
    cases().into_iter().filter(|case| {
        case.settings.programs.is_empty() && case.settings.untrusted_programs.is_empty()
    })
}

fn decided(case: &Case, trusted: &Catalogue, untrusted: Option<&Catalogue>) -> Decision {
    let engine = engine(&case.settings).with_catalogue(trusted.clone(), untrusted.cloned());
    decide_with(&engine, &case.settings, &case.call)
}

#[test]
fn rows_that_are_not_trusted_never_make_a_decision_weaker() {
    let names = names();
    assert!(names.split(' ').count() > 500, "{names}");
    let mut weaker = Vec::new();
    for rows in [harmless(&names), transparent(&names)] {
        let untrusted = catalogue(&rows);
        for case in plain_cases() {
            let without = decided(&case, &Catalogue::BUILT_IN, None);
            let with = decided(&case, &Catalogue::BUILT_IN, Some(&untrusted));
            let refused = |part: &&PartDecision| part.verdict != Verdict::Allow;
            let mut kept = without.parts.iter().filter(refused);
            if with.verdict < without.verdict || !kept.all(|part| with.parts.contains(part)) {
                weaker.push(format!("{}:{}: {}", case.file, case.line, case.call));
            }
        }
    }
    assert!(weaker.is_empty(), "{}", weaker.join("\n"));
}

#[test]
fn the_same_rows_of_a_host_would_open_something() {
    // Otherwise the test above would say nothing.
    let trusted = catalogue(&harmless(&names()));
    let opened = plain_cases().any(|case| {
        let without = decided(&case, &Catalogue::BUILT_IN, None);
        decided(&case, &trusted, None).verdict < without.verdict
    });
    assert!(opened);
}
