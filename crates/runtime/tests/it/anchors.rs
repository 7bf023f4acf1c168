//! Reads that show anchors and edits that name lines by them, in every vocabulary.

use serde_json::{Value, json};

use crate::support::Bench;

const LINES: &str = "fn a() {\n    one();\n}\n\nfn b() {\n    two();\n}\n";

fn bench(dialect: &str) -> Bench {
    let add = json!(["edit"]);
    Bench::new(json!({ "dialect": dialect, "edits": { "anchors": true }, "tools": { "add": add } }))
}

/// The anchors of the lines of a file, as a model reads them.
fn anchors(text: &str) -> Vec<String> {
    let lines = text.lines().take_while(|line| !line.is_empty());
    let anchor = |line: &str| line.split_once('|').unwrap().0.to_owned();
    lines.map(anchor).collect()
}

/// A session of the `agent` vocabulary that has read `a.rs`, and the anchors of its lines.
async fn reader() -> (Bench, Vec<String>) {
    let bench = bench("agent");
    bench.write("a.rs", LINES);
    let (text, _) = bench.ok("read", json!({ "file_path": "a.rs" })).await;
    let anchors = anchors(&text);
    (bench, anchors)
}

fn edit(from: &str, to: Option<&str>, new: &str) -> Value {
    let mut edit = json!({ "file_path": "a.rs", "from": from, "newText": new });
    if let Some(to) = to {
        edit["to"] = json!(to);
    }
    edit
}

#[tokio::test]
async fn every_vocabulary_shows_anchors_and_edits_by_them() {
    for (dialect, read, write, path, new) in [
        ("agent", "read", "edit", "file_path", "newText"),
        ("canonical", "Read", "Edit", "file_path", "new_string"),
        ("coder", "read", "edit", "path", "new_string"),
        ("manager", "read_file", "edit_file", "path", "newText"),
        ("acp", "read_file", "edit_file", "path", "newText"),
    ] {
        let bench = bench(dialect);
        bench.write("a.rs", LINES);
        let name = bench.path("a.rs");
        let (text, _) = bench.ok(read, json!({ path: name })).await;
        let anchors = anchors(&text);
        let shown: Vec<&str> = text
            .lines()
            .map(|line| line.split_once('|').unwrap().1)
            .collect();
        assert_eq!(shown, LINES.lines().collect::<Vec<_>>(), "{dialect}");
        let one = json!({ "from": anchors[1], new: "    uno();" });
        let call = match dialect {
            "manager" | "acp" => json!({ "path": name, "edits": [one] }),
            _ => json!({ "file_path": name, "from": anchors[1], new: "    uno();" }),
        };
        let (text, _) = bench.ok(write, call).await;
        assert_eq!(bench.read("a.rs"), LINES.replace("one", "uno"), "{dialect}");
        assert!(text.contains("\nNow:\n"), "{dialect}: {text}");
        assert!(text.ends_with("|    uno();"), "{dialect}: {text}");
    }
}

#[tokio::test]
async fn without_the_option_nothing_shows_or_takes_anchors() {
    let bench = Bench::agent();
    bench.write("a.rs", LINES);
    let (text, _) = bench.ok("read", json!({ "file_path": "a.rs" })).await;
    assert_eq!(text, LINES);
    let (code, message) = bench.refusal("edit", edit("abk", None, "x")).await;
    assert_eq!(code, "invalid_params", "{message}");
}

#[tokio::test]
async fn lines_are_replaced_deleted_and_inserted_and_anchors_stay_valid() {
    let (bench, anchors) = reader().await;
    let (text, details) = bench
        .ok("edit", edit(&anchors[1], None, "    uno();\n    due();\n"))
        .await;
    let lead = "Successfully replaced 1 block(s) in a.rs.\nNow:\n";
    let now = text.strip_prefix(lead).unwrap();
    let shown: Vec<&str> = now
        .lines()
        .map(|line| line.split_once('|').unwrap().1)
        .collect();
    assert_eq!(shown, ["    uno();", "    due();"]);
    let found = json!({ "edit": 0, "strategy": "anchors", "exact": true, "line": 2, "endLine": 2 });
    assert_eq!(details["match"]["places"], json!([found]));
    // The brace below the edit has the anchor that it had before.
    bench.ok("edit", edit(&anchors[2], None, "} // a")).await;
    bench
        .ok("edit", edit(&anchors[4], Some(&anchors[6]), ""))
        .await;
    let mut insertion = edit(&anchors[0], None, "// the first\n");
    insertion["insert"] = json!("before");
    bench.ok("edit", insertion).await;
    let expected = "// the first\nfn a() {\n    uno();\n    due();\n} // a\n\n";
    assert_eq!(bench.read("a.rs"), expected);
}

#[tokio::test]
async fn a_line_that_changed_is_refused_with_its_new_anchors() {
    let (bench, anchors) = reader().await;
    bench.write("a.rs", LINES.replace("two()", "three()"));
    let error = bench
        .call("edit", edit(&anchors[5], None, "    drei();"))
        .await
        .unwrap_err();
    assert_eq!(error.code.as_str(), "stale_file");
    let region = error.details["region"].as_str().unwrap();
    let shown: Vec<&str> = region
        .lines()
        .map(|line| line.split_once('|').unwrap().1)
        .collect();
    assert_eq!(shown, ["fn b() {", "    three();", "}"]);
    assert_eq!(
        error.message,
        format!(
            "`a.rs` was not changed: the line with the anchor `{}` has changed since it was shown. The lines are now:\n{region}\nRepeat the edit with these anchors.",
            anchors[5]
        )
    );
    assert_eq!(bench.read("a.rs"), LINES.replace("two()", "three()"));
    let line = region.lines().nth(1).unwrap().split_once('|').unwrap();
    bench.ok("edit", edit(line.0, None, "    drei();")).await;
    assert_eq!(bench.read("a.rs"), LINES.replace("two()", "drei()"));
}

#[tokio::test]
async fn letters_of_another_file_and_of_another_session_name_nothing() {
    let (bench, anchors) = reader().await;
    bench.write("b.rs", LINES);
    let other = json!({ "file_path": "b.rs", "from": anchors[1], "newText": "x" });
    let (code, message) = bench.refusal("edit", other).await;
    let expected = format!(
        "`b.rs` was not changed: no line was shown with the anchor `{}`. Read the lines to get their anchors.",
        anchors[1]
    );
    assert_eq!((code, message), ("no_match", expected));
}

#[tokio::test]
async fn what_was_not_shown_between_two_anchors_is_refused_and_shown() {
    let bench = bench("agent");
    bench.write("a.rs", LINES);
    let page = |offset: u64| json!({ "file_path": "a.rs", "offset": offset, "limit": 1 });
    let first = anchors(&bench.ok("read", page(1)).await.0);
    let last = anchors(&bench.ok("read", page(3)).await.0);
    let call = edit(&first[0], Some(&last[0]), "fn a() {}");
    let (code, message) = bench.refusal("edit", call.clone()).await;
    assert_eq!(code, "stale_file", "{message}");
    assert!(message.contains("|    one();\n"), "{message}");
    bench.ok("edit", call).await;
    assert_eq!(bench.read("a.rs"), "fn a() {}\n\nfn b() {\n    two();\n}\n");
}

#[tokio::test]
async fn documents_images_and_outputs_have_no_anchors() {
    let bench = bench("agent");
    let notebook = json!({ "cells": [{ "cell_type": "markdown", "metadata": {}, "source": ["# Title"] }], "metadata": {}, "nbformat": 4, "nbformat_minor": 5 });
    bench.write("a.ipynb", notebook.to_string());
    let (text, _) = bench.ok("read", json!({ "file_path": "a.ipynb" })).await;
    assert!(text.contains("\n# Title"), "{text}");
    bench.write("empty.txt", "");
    let (text, _) = bench.ok("read", json!({ "file_path": "empty.txt" })).await;
    assert_eq!(text, "(empty file)");
}

#[tokio::test]
async fn a_private_key_behind_anchors_is_not_shown() {
    let bench = bench("agent");
    let body = "MIIEpAIBAAKCAQEAx1Jq2vC8m0aTn4WgYbLr9Q5uHdE7oPkZsX3fViNcBtRyUwG6";
    let key =
        format!("-----BEGIN RSA PRIVATE KEY-----\n{body}\n{body}\n-----END RSA PRIVATE KEY-----\n");
    bench.write("key.txt", &key);
    let (text, _) = bench.ok("read", json!({ "file_path": "key.txt" })).await;
    assert!(!text.contains(body), "{text}");
    assert_eq!(text.lines().count(), 4, "{text}");
}
