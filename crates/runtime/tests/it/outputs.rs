//! The whole output of a command that was cut is read and searched by its address.

use serde_json::{Value, json};
use tenon_contract::CancellationToken;
use tenon_runtime::CallRequest;

use crate::support::{Bench, text};

/// Writes far more than an answer holds, with something to find in the middle.
const LONG: &str = "seq 1 30000 | sed 's/^15000$/needle 15000/'";

fn of(dialect: &str) -> Bench {
    Bench::new(json!({ "dialect": dialect, "permissions": { "defaultMode": "allow" } }))
}

#[tokio::test(flavor = "multi_thread")]
async fn the_notice_names_an_address_that_read_pages_through_and_grep_searches() {
    let bench = of("agent");
    let (text, details) = bench.ok("exec", json!({ "command": LONG })).await;
    assert!(
        text.contains(" bytes omitted. Full output: `output://1`; read or grep it.]"),
        "{text}"
    );
    assert_eq!(details["fullOutput"], "output://1");
    assert!(std::path::Path::new(details["fullOutputPath"].as_str().unwrap()).is_file());
    let (page, read) = bench
        .ok(
            "read",
            json!({ "file_path": "output://1", "offset": 14_999, "limit": 3 }),
        )
        .await;
    assert!(page.starts_with("14999\nneedle 15000\n15001\n"), "{page}");
    assert_eq!(
        (read["path"].clone(), read["lines"].clone()),
        (json!("output://1"), json!(30_000))
    );
    let (found, _) = bench
        .ok("grep", json!({ "pattern": "needle", "path": "output://1" }))
        .await;
    assert_eq!(found, "output://1:15000: needle 15000");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_output_with_nul_bytes_is_read_and_searched_as_text() {
    let bench = of("agent");
    let command = "printf 'a\\0b\\n'; seq 1 30000 | sed 's/^15000$/needle 15000/'; printf '\\0\\0'";
    let (_, details) = bench.ok("exec", json!({ "command": command })).await;
    assert_eq!(details["fullOutput"], "output://1");
    let (page, _) = bench
        .ok("read", json!({ "file_path": "output://1", "limit": 2 }))
        .await;
    assert!(page.starts_with("a\0b\n1\n"), "{page:?}");
    let (found, _) = bench
        .ok("grep", json!({ "pattern": "needle", "path": "output://1" }))
        .await;
    assert_eq!(found, "output://1:15001: needle 15000");
}

#[tokio::test(flavor = "multi_thread")]
async fn every_vocabulary_opens_outputs_by_its_own_tools() {
    for (dialect, run, read, search) in [
        (
            "canonical",
            ("Bash", "command"),
            ("Read", "file_path"),
            Some(("Grep", "path")),
        ),
        (
            "coder",
            ("bash", "command"),
            ("read", "path"),
            Some(("grep", "path")),
        ),
        (
            "acp",
            ("run_command", "command"),
            ("read_file", "path"),
            None,
        ),
    ] {
        let bench = of(dialect);
        let (text, _) = bench.ok(run.0, json!({ run.1: LONG })).await;
        assert!(
            text.contains("Full output: `output://1`"),
            "{dialect}: {text}"
        );
        let (page, _) = bench.ok(read.0, json!({ read.1: "output://1" })).await;
        assert!(page.contains('7'), "{dialect}: {page}");
        if let Some((tool, path)) = search {
            let params = json!({ "pattern": "needle", path: "output://1", });
            let (found, _) = bench.ok(tool, params).await;
            assert!(found.contains("output://1"), "{dialect}: {found}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_output_is_opened_under_rules_that_ask_for_everything_else() {
    let bench = Bench::new(json!({ "permissions": { "allow": ["exec(seq:*)"] } }));
    bench.ok("exec", json!({ "command": "seq 1 30000" })).await;
    let (page, _) = bench
        .ok("read", json!({ "file_path": "output://1", "limit": 1 }))
        .await;
    assert!(page.starts_with("1\n"), "{page}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_address_names_those_that_there_are_and_other_tools_take_none() {
    let bench = of("agent");
    let read = |address: &str| json!({ "file_path": address });
    assert_eq!(
        bench.refusal("read", read("output://1")).await,
        (
            "not_found",
            "There is no output `output://1`. No output was cut so far.".to_owned()
        )
    );
    bench.ok("exec", json!({ "command": LONG })).await;
    for unknown in ["output://2", "output://x", "output://../1", "output://"] {
        assert_eq!(
            bench.refusal("read", read(unknown)).await,
            (
                "not_found",
                format!("There is no output `{unknown}`. Available: `output://1`.")
            )
        );
    }
    for (tool, params) in [
        (
            "write",
            json!({ "file_path": "output://1", "content": "x" }),
        ),
        (
            "edit",
            json!({ "file_path": "output://1", "oldText": "1", "newText": "2" }),
        ),
        ("exec", json!({ "command": "ls", "workdir": "output://1" })),
        ("ls", json!({ "path": "output://1" })),
    ] {
        let (code, message) = bench.refusal(tool, params).await;
        assert_eq!(code, "invalid_params", "{tool}: {message}");
        assert!(
            message.contains("`output://1` is the kept output of a command"),
            "{tool}: {message}"
        );
    }
    assert!(!bench.path("output:").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn where_no_tool_opens_outputs_the_file_is_named() {
    let bench = Bench::new(json!({
        "permissions": { "defaultMode": "allow" }, "tools": { "deny": ["read", "grep"] },
    }));
    let (text, details) = bench.ok("exec", json!({ "command": LONG })).await;
    let path = details["fullOutputPath"].as_str().unwrap();
    assert!(text.contains(&format!("Full output: `{path}`.]")), "{text}");
}

fn assert_tells_output(details: &Value) {
    assert_eq!(details["truncated"], true);
    assert_eq!(details["fullOutput"], "output://1");
    assert!(details["output"].as_str().unwrap().starts_with("1\n2\n"));
    assert!(details["fullOutputPath"].is_string());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_time_out_tells_the_output_so_far_and_where_the_whole_is() {
    let bench = of("agent");
    let call = json!({ "command": "seq 1 30000; sleep 60", "timeout": 1 });
    let error = bench.call("exec", call).await.unwrap_err();
    assert_eq!(error.code.as_str(), "timeout");
    assert_tells_output(&Value::Object(error.details));
    let (page, _) = bench
        .ok(
            "read",
            json!({ "file_path": "output://1", "offset": 30_000 }),
        )
        .await;
    assert!(page.starts_with("30000"), "{page}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_abort_tells_the_output_so_far_and_where_the_whole_is() {
    let bench = of("agent");
    let cancellation = CancellationToken::new();
    let ready = bench.path("ready");
    let command = format!(
        "seq 1 30000; sleep 0.3; touch {}; sleep 60",
        ready.display()
    );
    let mut request = CallRequest::new("exec", json!({ "command": command }));
    request.cancellation = cancellation.clone();
    let call = bench.toolkit.call(request);
    let abort = async {
        while !ready.exists() {
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
        cancellation.cancel();
    };
    let (outcome, ()) = tokio::join!(call, abort);
    let error = outcome.unwrap_err();
    assert_eq!(error.code.as_str(), "cancelled");
    assert!(
        error
            .message
            .ends_with("The call was aborted before it finished.")
    );
    assert_tells_output(&Value::Object(error.details));
}

#[tokio::test(flavor = "multi_thread")]
async fn output_in_the_background_is_whole_at_its_address_when_it_is_polled() {
    let bench = of("agent");
    let (_, details) = bench
        .ok(
            "exec",
            json!({ "command": "seq 1 300000; sleep 60", "background": true }),
        )
        .await;
    let session = details["sessionId"].clone();
    tokio::time::sleep(std::time::Duration::from_millis(800)).await;
    let polled = bench
        .call("process", json!({ "action": "poll", "sessionId": session }))
        .await
        .unwrap();
    assert!(text(&polled).contains("Full output: `output://1`"));
    let (page, _) = bench
        .ok(
            "read",
            json!({ "file_path": "output://1", "offset": 300_000 }),
        )
        .await;
    assert!(page.starts_with("300000"), "{page}");
}
