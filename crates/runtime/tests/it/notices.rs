//! Every call that a notice names is one that the dialect has.

use regex::Regex;
use serde_json::{Value, json};
use tenon_dialects::DialectId;

use crate::support::Bench;

/// A workspace in which everything is too much.
fn crowded(dialect: DialectId) -> Bench {
    let bench = Bench::new(json!({ "dialect": dialect.name() }));
    let lines: String = (1..=2500).map(|line| format!("line {line}\n")).collect();
    let many: String = (0..1100).map(|count| format!("many {count}\n")).collect();
    bench
        .write("long.txt", lines)
        .write("wide.txt", "x".repeat(70_000))
        .write(
            "it's wide.txt",
            format!("{}\n{}", "x".repeat(70_000), "y".repeat(70_000)),
        )
        .write("hit.txt", format!("hit {}", "z".repeat(3000)))
        .write("many.txt", many);
    for count in 0..1100 {
        bench.write(&format!("files/{count:04}.txt"), "");
    }
    bench
}

/// Calls of one dialect that leave something out.
fn calls(dialect: DialectId, bench: &Bench) -> Vec<(&'static str, Value)> {
    let at = |name: &str| bench.path(name);
    match dialect {
        DialectId::Agent => vec![
            ("read", json!({ "file_path": "long.txt" })),
            ("read", json!({ "file_path": "long.txt", "limit": 3 })),
            ("read", json!({ "file_path": "wide.txt" })),
            ("read", json!({ "file_path": "it's wide.txt" })),
            ("grep", json!({ "pattern": "many" })),
            ("grep", json!({ "pattern": "hit" })),
            ("find", json!({ "pattern": "*.txt" })),
            ("ls", json!({ "path": "files" })),
            ("exec", json!({ "command": "sleep 30", "background": true })),
        ],
        DialectId::Canonical => vec![
            ("Read", json!({ "file_path": at("long.txt") })),
            ("Read", json!({ "file_path": at("long.txt"), "limit": 3 })),
            ("Read", json!({ "file_path": at("wide.txt") })),
            ("Grep", json!({ "pattern": "many" })),
            (
                "Grep",
                json!({ "pattern": "many", "head_limit": 5, "offset": 2 }),
            ),
            ("Grep", json!({ "pattern": "hit" })),
            ("Glob", json!({ "pattern": "**/*.txt" })),
            (
                "Bash",
                json!({ "command": "sleep 30", "run_in_background": true }),
            ),
        ],
        DialectId::Coder => vec![
            ("read", json!({ "path": "long.txt" })),
            ("read", json!({ "path": "wide.txt" })),
            ("grep", json!({ "pattern": "many" })),
            ("grep", json!({ "pattern": "hit" })),
            ("glob", json!({ "pattern": "**/*.txt" })),
            ("list", json!({ "path": "files" })),
        ],
        DialectId::Manager => vec![
            ("read_file", json!({ "path": "long.txt" })),
            ("search_code", json!({ "query": "many" })),
            ("search_code", json!({ "query": "hit" })),
            ("search_files", json!({ "pattern": "**/*.txt" })),
        ],
        DialectId::Acp => vec![
            ("read_file", json!({ "path": "long.txt" })),
            ("read_file", json!({ "path": "wide.txt" })),
            ("read_file", json!({ "path": "it's wide.txt" })),
            ("search_files", json!({ "query": "many" })),
            ("search_files", json!({ "query": "hit" })),
            ("list_directory", json!({ "path": "files" })),
        ],
    }
}

#[tokio::test]
async fn a_notice_names_only_parameters_and_tools_of_its_dialect() {
    let parameter = Regex::new(r"(?:Use|use|pass) ([A-Za-z_-]+)(?:=\d|/)").unwrap();
    let tool = Regex::new(r"(?:Use|use) ([A-Za-z_]+)(?: tool|:| to | with | \()").unwrap();
    let mut named = Vec::new();
    for dialect in DialectId::ALL {
        let bench = crowded(*dialect);
        for (name, params) in calls(*dialect, &bench) {
            let (text, _) = bench.ok(name, params.clone()).await;
            let notice = text.rsplit("\n\n").next().unwrap_or_default().to_owned();
            let binding = dialect.dialect().tool(name).unwrap();
            for found in parameter.captures_iter(&notice) {
                let known = &binding.params_schema()["properties"];
                assert!(
                    known.get(&found[1]).is_some(),
                    "{}.{name} {params}: {notice}",
                    dialect.name()
                );
                named.push(format!("{}.{name} {}", dialect.name(), &found[1]));
            }
            for found in tool.captures_iter(&notice) {
                assert!(
                    dialect.dialect().tool(&found[1]).is_some(),
                    "{}.{name} {params}: {notice}",
                    dialect.name()
                );
                named.push(format!("{}.{name} -> {}", dialect.name(), &found[1]));
            }
        }
    }
    named.sort();
    named.dedup();
    // What is looked at: a notice that is worded again must still be found by the patterns above.
    assert_eq!(
        named,
        [
            "acp.read_file -> run_command",
            "acp.search_files -> read_file",
            "agent.exec -> process",
            "agent.find limit",
            "agent.grep -> read",
            "agent.grep limit",
            "agent.ls limit",
            "agent.read -> exec",
            "agent.read offset",
            "canonical.Bash -> BashOutput",
            "canonical.Grep -> Read",
            "canonical.Grep head_limit",
            "canonical.Grep offset",
            "canonical.Read -> Bash",
            "canonical.Read offset",
            "coder.grep -> read",
            "coder.grep max_matches",
            "coder.read -> bash",
            "coder.read offset",
            "manager.read_file offset",
            "manager.search_code -> read_file",
            "manager.search_code maxResults",
            "manager.search_files maxResults",
        ]
    );
}

#[tokio::test]
async fn the_call_that_acp_names_to_read_on_gets_the_next_lines() {
    let bench = crowded(DialectId::Acp);
    let (text, _) = bench.ok("read_file", json!({ "path": "long.txt" })).await;
    let notice = "[Showing lines 1-2000 of 2500. Use run_command: sed -n '2001,4000p' long.txt to continue.]";
    assert!(text.ends_with(notice), "{text}");
    let (text, _) = bench
        .ok(
            "run_command",
            json!({ "command": "sed -n '2001,4000p' long.txt" }),
        )
        .await;
    assert!(
        text.starts_with("line 2001\n") && text.ends_with("line 2500"),
        "{text}"
    );
    let (text, _) = bench
        .ok("read_file", json!({ "path": "it's wide.txt" }))
        .await;
    let command = r"sed -n '1p' 'it'\''s wide.txt' | tail -c +51201";
    let notice = format!("Use run_command: {command} for the rest");
    assert!(text.contains(&notice), "{}", &text[text.len() - 400..]);
    let (text, _) = bench.ok("run_command", json!({ "command": command })).await;
    assert_eq!(text, "x".repeat(70_000 - 51_200));
}

/// The command named lines of the text that was shown, and read those of the raw file.
#[tokio::test]
async fn what_acp_names_to_read_on_is_right_for_other_encodings_and_made_texts() {
    let bench = Bench::new(json!({ "dialect": "acp" }));
    let text: String = (1..=2500)
        .map(|line| format!("line {line} \u{e9}\n"))
        .collect();
    let utf16: Vec<u8> = [0xff, 0xfe]
        .into_iter()
        .chain(text.encode_utf16().flat_map(u16::to_le_bytes))
        .collect();
    bench.write("u.txt", utf16);
    let (page, _) = bench.ok("read_file", json!({ "path": "u.txt" })).await;
    let command = "iconv -f UTF-16LE -t UTF-8 u.txt | sed -n '2001,4000p'";
    assert!(
        page.contains(&format!("Use run_command: {command} to continue.]")),
        "{page}"
    );
    let (rest, _) = bench.ok("run_command", json!({ "command": command })).await;
    assert!(rest.starts_with("line 2001 \u{e9}\n"), "{rest}");
    let cells: Vec<_> = (0..3000)
        .map(|n| {
            json!({ "cell_type": "code", "id": format!("c{n}"), "source": [format!("print({n})\n")],
            "outputs": [], "metadata": {}, "execution_count": null })
        })
        .collect();
    let notebook = json!({ "cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5 });
    bench.write("nb.ipynb", notebook.to_string());
    let (page, _) = bench.ok("read_file", json!({ "path": "nb.ipynb" })).await;
    let notice =
        " of the text that was made from the file. Use run_command to work with the file itself.]";
    assert!(page.ends_with(notice), "{}", &page[page.len() - 200..]);
}
