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

/// Made up, as issuers make keys of no form.
const VALUE: &str = "q7Rk29TzLc8Vn5Ys3Hd6Jf0Pg4Ka8MbW";

#[test]
fn a_value_is_found_wherever_its_name_announces_it() {
    for form in [
        "curl -H \"X-Api-Key: @@\" https://x",
        "curl -H 'PRIVATE-TOKEN: @@' https://x",
        "curl -H 'X-Auth-Token: @@'",
        "{\"name\":\"API_KEY\",\"value\":\"@@\"}",
        "{\n  \"name\": \"API_KEY\",\n  \"value\": \"@@\"\n}",
        "- name: API_KEY\n  value: \"@@\"",
        "- name: API_KEY\n  value: @@\n",
        "{\"body\":\"{\\\"password\\\":\\\"@@\\\"}\"}",
        "{\"body\":\"{\\\"password\\\": \\\"@@\\\", \\\"x\\\": 1}\"}",
        "login failed: token=@@, user=bob",
        "Config(apiKey=@@, x=1)",
        "Config(x=1, apiKey=@@)",
        "{Host:a APIKey:@@ X:1}",
        "{Host:a APIKey:@@}",
        "{APIKey:@@ Host:a}",
        "const apiKey: string = \"@@\"",
        "API_TOKEN: str = \"@@\"",
        "const API_KEY: &'static str = \"@@\";",
        "var apiKey string = \"@@\"",
        "apiKey: @@ # prod",
        "machine x\n  login me\n  password @@\n",
        "Authorization: @@\r\n",
        "'Authorization': '@@'",
        "set -gx API_KEY @@",
        "setx API_KEY @@",
        "{% set api_key = \"@@\" %}",
        "ENV API_TOKEN @@",
        "aws configure set aws_secret_access_key @@",
    ] {
        let text = form.replace("@@", VALUE);
        let found: Vec<_> = find(&text)
            .into_iter()
            .map(|secret| text[secret.range].to_owned())
            .collect();
        assert_eq!(found, [VALUE], "{text}");
    }
}

#[test]
fn what_is_no_secret_stays_readable() {
    for form in [
        "\"nextPageToken\": \"@@\"",
        "\"NextToken\": \"@@\"",
        "next_page_token=@@",
        "\"NextContinuationToken\": \"@@\"",
        "secretName: my-app-tls-secret-v2-production1",
        "\"secretName\": \"@@\"",
        "\"tokenAddress\": \"0x937eD6bB1F2a3c4D5e6F708192a3B4c5D6e7F809\"",
        "token: \"0x937eD6bB1F2a3c4D5e6F708192a3B4c5D6e7F809\"",
        "aws_access_key_id = AKIAIOSFODNN7EXAMPLE",
        "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
        "Authorization: Bearer YOUR_ACCESS_TOKEN_HERE_123",
        "http://localhost:3000@x",
        "const apiKey: string = settings.apiKey1v2B3c4D5e6F7g8",
        "the token @@ is in no assignment",
        "api_key: get(x) # 12",
        "no literal tokens. The <a href=\"../std/primitive.f32.html#associated4Constant8.INFINITY2\">",
        "let{CreateOAuth2TokenCommand:CreateOAuth2TokenCommand2}=init()",
    ] {
        let text = form.replace("@@", VALUE);
        assert_eq!(find(&text), [], "{text}");
    }
}
