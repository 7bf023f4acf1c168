//! Rows of a host, and rows that are not trusted.

use tenon_policy::{ProgramRow, Verdict};

use super::table::{cases, decide_with, engine};

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

#[test]
fn rows_that_are_not_trusted_never_make_a_decision_weaker() {
    let names = names();
    assert!(names.split(' ').count() > 500, "{names}");
    let mut weaker = Vec::new();
    for rows in [harmless(&names), transparent(&names)] {
        for case in cases() {
            if !case.settings.untrusted_programs.is_empty() {
                continue;
            }
            let without = decide_with(&engine(&case.settings), &case.settings, &case.call);
            let mut settings = case.settings.clone();
            settings.untrusted_programs = rows.clone();
            let with = decide_with(&engine(&settings), &settings, &case.call);
            let refused = |verdict| verdict != Verdict::Allow;
            let parts = without.parts.iter();
            let kept = parts
                .filter(|part| refused(part.verdict))
                .all(|part| with.parts.contains(part));
            if with.verdict < without.verdict || !kept {
                weaker.push(format!("{}:{}: {}", case.file, case.line, case.call));
            }
        }
    }
    assert!(weaker.is_empty(), "{}", weaker.join("\n"));
}

#[test]
fn the_same_rows_of_a_host_would_open_something() {
    // Otherwise the test above would say nothing.
    let names = names();
    let opened = cases().into_iter().any(|case| {
        let without = decide_with(&engine(&case.settings), &case.settings, &case.call);
        let mut settings = case.settings.clone();
        settings.programs = harmless(&names);
        let with = decide_with(&engine(&settings), &settings, &case.call);
        with.verdict < without.verdict
    });
    assert!(opened);
}
