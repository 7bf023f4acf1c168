//! The `acp` dialect: texts, diffs, and edits by line.

use serde_json::{Value, json};

use crate::support::Bench;

fn acp() -> Bench {
    Bench::new(json!({ "dialect": "acp" }))
}

#[tokio::test]
async fn results_are_texts() {
    let bench = acp();
    bench.write("src/a.txt", "one\ntwo (2)\n").write(".dot", "");
    let text = async |tool: &str, params: Value| {
        let (text, details) = bench.ok(tool, params).await;
        assert_eq!(details, json!({ "type": "text", "text": text }));
        text
    };
    assert_eq!(
        text("read_file", json!({ "path": "src/a.txt" })).await,
        "one\ntwo (2)\n"
    );
    assert_eq!(
        text(
            "write_file",
            json!({ "path": "new/b.txt", "content": "größe" })
        )
        .await,
        "File written successfully to new/b.txt (7 bytes)"
    );
    assert_eq!(
        text("list_directory", json!({ "path": "." })).await,
        ".dot\nnew/\nsrc/"
    );
    assert_eq!(
        text("search_files", json!({ "query": "tw." })).await,
        "src/a.txt:2: two (2)"
    );
    assert_eq!(
        text(
            "run_command",
            json!({ "command": "pwd; echo err >&2", "cwd": "src" })
        )
        .await,
        format!("{}\nerr", bench.path("src").display())
    );
    assert_eq!(
        text("delete_file", json!({ "path": "new/b.txt" })).await,
        "File deleted successfully: new/b.txt (7 bytes)"
    );
    assert!(!bench.path("new/b.txt").exists());
}

#[tokio::test]
async fn a_query_that_is_no_regular_expression_is_looked_for_as_it_stands() {
    let bench = acp();
    bench.write("a.ts", "call(1)\n").write("b.js", "call(\n");
    let (text, _) = bench
        .ok(
            "search_files",
            json!({ "query": "call(", "includePattern": "*.ts" }),
        )
        .await;
    assert_eq!(
        text,
        "a.ts:1: call(1)\n\n[`call(` is not a valid regular expression and was searched as plain text]"
    );
}

#[tokio::test]
async fn edits_replace_and_insert_and_answer_a_diff() {
    let bench = acp();
    bench.write("a.txt", "one\ntwo\nthree\n");
    let edits = json!([
        { "type": "replace", "oldText": "two", "newText": "TWO" },
        { "type": "insert", "line": 1, "text": "zero" },
        { "type": "insert", "line": 4, "text": "four\n" },
    ]);
    let (text, details) = bench
        .ok("edit_file", json!({ "path": "a.txt", "edits": edits }))
        .await;
    assert_eq!(bench.read("a.txt"), "zero\none\nTWO\nthree\nfour\n");
    let diff = "@@ -1,3 +1,5 @@\n+zero\n one\n-two\n+TWO\n three\n+four\n";
    assert_eq!(text, diff);
    assert_eq!(
        details,
        json!({ "type": "diff", "path": "a.txt", "diff": diff })
    );
}

#[tokio::test]
async fn faults_of_edits_are_reported_all_at_once_with_their_places() {
    let bench = acp();
    bench.write("a.txt", "one\n");
    let edits = json!([
        { "type": "replace", "oldText": "x", "line": 3 },
        { "type": "insert", "text": "x", "newText": "y" },
        { "type": "replace", "oldText": "a", "newText": "b", "line": null },
    ]);
    let validation = bench
        .toolkit
        .validate("edit_file", json!({ "path": "a.txt", "edits": edits }));
    let issues: Vec<String> = validation
        .errors
        .unwrap()
        .iter()
        .map(|issue| {
            format!(
                "{} {}",
                issue.param,
                serde_json::to_value(issue.code).unwrap()
            )
        })
        .collect();
    assert_eq!(
        issues,
        [
            "edits[0].newText \"MISSING_REQUIRED\"",
            "edits[0].line \"UNKNOWN_PARAM\"",
            "edits[1].line \"MISSING_REQUIRED\"",
            "edits[1].newText \"UNKNOWN_PARAM\"",
        ]
    );
}

#[tokio::test]
async fn only_files_are_deleted_and_roll_back_brings_them_back() {
    let bench = acp();
    bench.write("a.txt", "one\n").write("directory/b.txt", "");
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("a.txt", bench.path("link")).unwrap();
        let (code, message) = bench
            .refusal("delete_file", json!({ "path": "link" }))
            .await;
        assert_eq!(code, "not_a_file");
        assert!(message.contains("a link to `a.txt`"), "{message}");
        // Through a linked directory the file itself is meant.
        std::os::unix::fs::symlink("directory", bench.path("linked")).unwrap();
        bench
            .ok("delete_file", json!({ "path": "linked/b.txt" }))
            .await;
        assert!(!bench.path("directory/b.txt").exists());
    }
    let (code, _) = bench
        .refusal("delete_file", json!({ "path": "directory" }))
        .await;
    assert_eq!(code, "not_a_file");
    let (code, message) = bench
        .refusal("delete_file", json!({ "path": "A.txt" }))
        .await;
    assert_eq!(code, "not_found");
    assert!(message.contains("`a.txt`"), "{message}");
    let checkpoint = bench.toolkit.checkpoint().unwrap();
    bench.ok("delete_file", json!({ "path": "a.txt" })).await;
    assert!(!bench.path("a.txt").exists());
    bench.toolkit.rollback(&checkpoint, false).await.unwrap();
    assert_eq!(bench.read("a.txt"), "one\n");
}

#[tokio::test]
async fn a_rule_on_a_name_means_the_tool_of_this_vocabulary() {
    let hidden = Bench::new(json!({ "dialect": "acp", "tools": { "deny": ["search_files"] } }));
    let names: Vec<_> = hidden
        .toolkit
        .catalog()
        .iter()
        .map(|tool| tool.name.clone())
        .collect();
    assert!(
        !names.iter().any(|name| name == "search_files"),
        "{names:?}"
    );
    let denied =
        Bench::new(json!({ "dialect": "acp", "permissions": { "deny": ["search_files"] } }));
    let (code, _) = denied
        .refusal("search_files", json!({ "query": "x" }))
        .await;
    assert_eq!(code, "policy_denied");
}

#[tokio::test]
async fn what_is_dangerous_asks_by_default_where_somebody_answers() {
    use tenon_runtime::{AnswerFuture, ApprovalRequest, Approver, HostCallbacks};
    struct Nobody;
    impl Approver for Nobody {
        fn decide(&self, _: ApprovalRequest) -> AnswerFuture {
            panic!("decide asks nobody")
        }
    }
    let callbacks = HostCallbacks {
        approver: Some(std::sync::Arc::new(Nobody)),
        ..HostCallbacks::default()
    };
    let bench = Bench::with_ports(json!({ "dialect": "acp" }), callbacks);
    bench.write("a.txt", "a\n");
    let insert = json!([{ "type": "insert", "line": 1, "text": "x" }]);
    for (tool, params, expected) in [
        ("read_file", json!({ "path": "a.txt" }), "allow"),
        ("list_directory", json!({ "path": "." }), "allow"),
        ("search_files", json!({ "query": "x" }), "allow"),
        (
            "write_file",
            json!({ "path": "a.txt", "content": "" }),
            "ask",
        ),
        (
            "edit_file",
            json!({ "path": "a.txt", "edits": insert }),
            "ask",
        ),
        ("run_command", json!({ "command": "ls" }), "ask"),
        ("delete_file", json!({ "path": "a.txt" }), "ask"),
    ] {
        let explanation = bench.toolkit.decide(tool, params);
        let verdict = serde_json::to_value(explanation.decision.verdict).unwrap();
        assert_eq!(verdict, expected, "{tool}");
    }
}
