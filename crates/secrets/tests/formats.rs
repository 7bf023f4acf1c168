//! Keys in the forms that issuers document, made up here: each is found where it would stand.
//!
//! `fixtures/secrets/formats.tsv` was written from what issuers and scanners publish, not from the table of the product.

#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a test that is wrong may panic"
)]

use std::collections::BTreeMap;

use proptest::strategy::{Strategy, ValueTree};
use proptest::string::string_regex;
use proptest::test_runner::TestRunner;
use tenon_secrets::find;

const FORMATS: &str = include_str!("../../../fixtures/secrets/formats.tsv");
/// Keys of each form.
const KEYS: usize = 20;

struct Form {
    name: &'static str,
    expression: String,
    line: String,
}

fn forms() -> Vec<Form> {
    let rows = FORMATS.lines().filter(|line| !line.starts_with('#'));
    rows.map(|row| {
        let cells: Vec<&str> = row.split('\t').collect();
        assert_eq!(cells.len(), 3, "{row}");
        Form {
            name: cells[0],
            expression: cells[1].replace("\\n", "\n"),
            line: cells[2].replace("\\n", "\n"),
        }
    })
    .collect()
}

/// Where a key stands that says by itself what it is.
const PLACES: &[&str] = &[
    "@@",
    "SETTING=@@\n",
    "{\"a\": \"@@\"}",
    "use `@@`.",
    "x,@@,y",
    "<value>@@</value>",
    "> x-header: @@\r\n",
    "error: cannot log in with @@ (401)",
];

/// The letters of the key that are in no secret that was found; those of a separator at its end do not count.
fn shown(text: &str, key: &str) -> String {
    let start = text.find(key).unwrap();
    let found = find(text);
    let is_hidden = |at: &usize| found.iter().any(|secret| secret.range.contains(at));
    let letters = (start..start + key.len()).filter(|at| !is_hidden(at));
    let shown: String = letters.map(|at| char::from(text.as_bytes()[at])).collect();
    shown.trim_matches(['\n', '-', '=', '2']).to_owned()
}

/// A key of this form. The generator chooses among the ranges of a class, so that every third letter would be a dash, and not one in
/// thirty as in keys that are made by chance: of some, one of those with few is taken.
fn made_up(keys: &impl Strategy<Value = String>, runner: &mut TestRunner) -> String {
    let mut key = || keys.new_tree(runner).unwrap().current();
    let has_few = |key: &String| {
        let marks = key
            .bytes()
            .filter(|byte| matches!(byte, b'-' | b'_' | b'+' | b'/'));
        marks.count() * 6 <= key.len()
    };
    let chosen = (0..200).map(|_| key()).find(has_few);
    chosen.unwrap_or_else(key)
}

#[test]
fn keys_of_the_forms_that_issuers_document_are_found() {
    let mut runner = TestRunner::deterministic();
    let mut missed: BTreeMap<&str, (usize, String)> = BTreeMap::new();
    let (mut made, forms) = (0, forms());
    for form in &forms {
        let keys = string_regex(&form.expression).unwrap();
        for _ in 0..KEYS {
            let key = made_up(&keys, &mut runner);
            let alone = [form.line.as_str()];
            let places = if form.line == "-" { PLACES } else { &alone };
            made += places.len();
            for place in places {
                let text = place.replace("@@", &key);
                if !shown(&text, &key).is_empty() {
                    let miss = missed.entry(form.name).or_insert((0, text));
                    miss.0 += 1;
                }
            }
        }
    }
    let misses: usize = missed.values().map(|(times, _)| times).sum();
    println!(
        "{} forms, {made} keys in their places, {misses} not found",
        forms.len()
    );
    assert!(forms.len() >= 400 && misses * 1000 <= made, "{missed:#?}");
    // Where a key is missed, it is one that happens to look like a word.
    let most = |name: &str| {
        let alone = forms
            .iter()
            .any(|form| form.name == name && form.line != "-");
        KEYS / 4 * if alone { 1 } else { PLACES.len() }
    };
    let often: Vec<_> = missed
        .iter()
        .filter(|(name, (times, _))| *times > most(name))
        .collect();
    assert_eq!(often, [], "{often:#?}");
}
