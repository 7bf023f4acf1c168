//! The `coder` dialect: its own rules for pages, patterns, patches and commands.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::Bench;

fn coder() -> Bench {
    Bench::new(json!({ "dialect": "coder" }))
}

fn lines(count: usize) -> String {
    (1..=count).map(|line| format!("line {line}\n")).collect()
}

#[tokio::test]
async fn a_page_has_50_lines_unless_reported_otherwise_and_never_more_than_200() {
    let bench = coder();
    bench.write("a.txt", lines(500));
    let page = async |params: Value| {
        let (_, details) = bench.ok("read", params).await;
        json!([
            details["start_line"],
            details["end_line"],
            details["has_more"]
        ])
    };
    for limit in [json!(null), json!(0), json!(-3)] {
        let params = json!({ "path": "a.txt", "limit": limit });
        assert_eq!(page(params).await, json!([1, 50, true]));
    }
    for offset in [json!(null), json!(0), json!(-1), json!("1")] {
        let params = json!({ "path": "a.txt", "offset": offset, "limit": 3 });
        assert_eq!(page(params).await, json!([1, 3, true]));
    }
    let capped = json!({ "path": "a.txt", "offset": 301, "limit": 100_000 });
    assert_eq!(page(capped).await, json!([301, 500, false]));
    let capped = json!({ "path": "a.txt", "limit": 201 });
    assert_eq!(page(capped).await, json!([1, 200, true]));
}

#[tokio::test]
async fn an_offset_past_the_end_answers_nothing_and_fails_not() {
    let bench = coder();
    bench.write("a.txt", "one\ntwo\n").write("empty.txt", "");
    let (text, details) = bench
        .ok("read", json!({ "path": "a.txt", "offset": 3 }))
        .await;
    assert_eq!(
        details,
        json!({ "ok": true, "path": "a.txt", "content": "", "start_line": 0, "end_line": 0, "has_more": false })
    );
    assert!(text.contains("the file has 2 lines"), "{text}");
    let (_, details) = bench.ok("read", json!({ "path": "empty.txt" })).await;
    assert_eq!(
        details,
        json!({ "ok": true, "path": "empty.txt", "content": "", "start_line": 0, "end_line": 0, "has_more": false })
    );
}

#[tokio::test]
async fn content_is_the_text_of_the_file_to_the_last_line_end() {
    let bench = coder();
    bench.write("a.txt", "one\ntwo\nthree\n");
    let content = async |params: Value| bench.ok("read", params).await.1["content"].clone();
    assert_eq!(
        content(json!({ "path": "a.txt" })).await,
        "one\ntwo\nthree\n"
    );
    assert_eq!(
        content(json!({ "path": "a.txt", "offset": 2, "limit": 1 })).await,
        "two"
    );
}

#[tokio::test]
async fn globs_that_are_absolute_or_climb_are_refused() {
    let bench = coder();
    bench.write("src/a.ts", "").write("b.ts", "");
    let (_, details) = bench.ok("glob", json!({ "pattern": "**/*.ts" })).await;
    assert_eq!(
        details,
        json!({ "ok": true, "matches": ["b.ts", "src/a.ts"] })
    );
    let absolute = format!("{}/*.ts", bench.path("").display());
    for pattern in [
        "/etc/*",
        "../*",
        "src/../../*",
        "{a,../b}",
        "~/x*",
        &absolute,
    ] {
        let error = bench
            .call("glob", json!({ "pattern": pattern }))
            .await
            .unwrap_err();
        assert_eq!(
            (error.code.as_str(), error.error_type().as_str()),
            ("outside_workspace", "permission_denied"),
            "{pattern}"
        );
    }
    // Two dots within a name climb nowhere.
    let (_, details) = bench.ok("glob", json!({ "pattern": "a..b" })).await;
    assert_eq!(details, json!({ "ok": true, "matches": [] }));
}

#[tokio::test]
async fn grep_skips_binary_files_and_stops_at_200_matches() {
    let bench = coder();
    bench
        .write("a.txt", "hit\n".repeat(300))
        .write("b.bin", b"\0hit\n");
    let (text, details) = bench.ok("grep", json!({ "pattern": "hit" })).await;
    assert_eq!(
        (&details["ok"], &details["count"]),
        (&json!(true), &json!(200))
    );
    assert_eq!(
        details["matches"][199],
        json!({ "path": "a.txt", "line": 200, "text": "hit" })
    );
    assert!(
        text.ends_with(
            "[First 200 matches shown. Use max_matches=400 for more, or narrow pattern]"
        ),
        "{text}"
    );
    let (_, details) = bench
        .ok("grep", json!({ "pattern": "hit", "path": "b.bin" }))
        .await;
    assert_eq!(details, json!({ "ok": true, "count": 0, "matches": [] }));
}

#[tokio::test]
async fn a_command_runs_in_a_login_sh_at_the_root_with_its_streams_apart() {
    let bench = coder();
    let (_, mut details) = bench
        .ok(
            "bash",
            json!({ "command": "echo \"$0\"; pwd; echo err >&2; exit 3" }),
        )
        .await;
    assert!(details["duration_ms"].take().is_u64());
    assert_eq!(
        details,
        json!({
            "ok": false,
            "command": "echo \"$0\"; pwd; echo err >&2; exit 3",
            "exit_code": 3,
            "stdout": format!("/bin/sh\n{}\n", bench.path("").display().to_string().trim_end_matches('/')),
            "stderr": "err\n",
            "truncated": false,
            "duration_ms": null,
        })
    );
}

#[tokio::test]
async fn a_command_that_takes_too_long_is_a_result_with_the_output_so_far() {
    let bench = Bench::new(json!({ "dialect": "coder", "limits": { "timeoutMs": 1_000 } }));
    let start = Instant::now();
    let (text, mut details) = bench
        .ok(
            "bash",
            json!({ "command": "echo begun; echo err >&2; sleep 600" }),
        )
        .await;
    assert!(start.elapsed() < Duration::from_secs(60));
    assert!(details["duration_ms"].take().as_u64() >= Some(1_000));
    assert_eq!(
        details,
        json!({
            "ok": false,
            "command": "echo begun; echo err >&2; sleep 600",
            "exit_code": 124,
            "stdout": "begun\n",
            "stderr": "err\n",
            "truncated": false,
            "duration_ms": null,
        })
    );
    assert!(text.contains("Command timed out after"), "{text}");
}

#[tokio::test]
async fn the_output_of_a_command_is_kept_up_to_the_limit_that_the_host_sets() {
    for name in ["outputLimitBytes", "output_limit_bytes"] {
        let bench = Bench::new(json!({ "dialect": "coder", "limits": { name: 20 } }));
        let (_, details) = bench.ok("bash", json!({ "command": "seq 1 20" })).await;
        assert_eq!(
            (&details["stdout"], &details["truncated"], &details["ok"]),
            (
                &json!("1\n2\n3\n4\n5\n\n[…]\n\n18\n19\n20\n"),
                &json!(true),
                &json!(true)
            )
        );
    }
}

#[tokio::test]
async fn a_patch_is_reported_file_by_file_and_changes_nothing_when_a_hunk_does_not_fit() {
    let bench = coder();
    bench.write("a.txt", "one\ntwo\nthree\n");
    let patch = "--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n three\n--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1 @@\n+new\n";
    let results = json!([
        { "path": "a.txt", "operation": "update", "hunks": 1, "additions": 1, "deletions": 1 },
        { "path": "new.txt", "operation": "create", "hunks": 1, "additions": 1, "deletions": 0 },
    ]);
    let (_, details) = bench
        .ok("patch", json!({ "patch": patch, "dry_run": true }))
        .await;
    assert_eq!(
        details,
        json!({ "ok": true, "applied": false, "results": results })
    );
    assert_eq!(bench.read("a.txt"), "one\ntwo\nthree\n");
    let (_, details) = bench.ok("patch", json!({ "patch": patch })).await;
    assert_eq!(
        details,
        json!({ "ok": true, "applied": true, "results": results })
    );
    assert_eq!(bench.read("a.txt"), "one\nTWO\nthree\n");

    let mismatch = "--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-gone\n+x\n three\n--- /dev/null\n+++ b/other.txt\n@@ -0,0 +1 @@\n+new\n";
    let (code, message) = bench.refusal("patch", json!({ "patch": mismatch })).await;
    assert_eq!(code, "no_match");
    for part in ["`a.txt`", "hunk 1", "gone", "TWO"] {
        assert!(message.contains(part), "{part}: {message}");
    }
    assert_eq!(bench.read("a.txt"), "one\nTWO\nthree\n");
    assert!(!bench.path("other.txt").exists());
}

#[tokio::test]
async fn unknown_tools_and_paths_outside_are_errors() {
    let bench = coder();
    let (code, message) = bench.refusal("frob", json!({})).await;
    assert_eq!(code, "unknown_tool");
    assert!(message.starts_with("unknown tool"), "{message}");
    for (tool, params) in [
        ("read", json!({ "path": "/etc/passwd" })),
        ("read", json!({ "path": "../x" })),
        ("write", json!({ "path": "/tmp/../etc/x", "content": "" })),
        ("list", json!({ "path": ".." })),
        ("grep", json!({ "pattern": "x", "path": "/" })),
    ] {
        let error = bench.call(tool, params).await.unwrap_err();
        assert_eq!(error.error_type().as_str(), "permission_denied", "{tool}");
    }
}
