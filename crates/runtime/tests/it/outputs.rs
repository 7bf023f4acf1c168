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
        text.contains(" of 30,000 lines shown. Full output: `output://1`; read or grep it.]"),
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
    assert!(!text.contains("output://"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn vocabularies_without_an_offset_or_a_path_open_outputs_as_well() {
    let bench = of("acp");
    let command = json!({ "command": "seq 1 30000" });
    bench.ok("run_command", command.clone()).await;
    let (page, _) = bench.ok("read_file", json!({ "path": "output://1" })).await;
    let next = "[Showing lines 1-2000 of 30000. Read `output://1:2001-4000` to continue.]";
    assert!(page.ends_with(next), "{page}");
    let bench = Bench::new(json!({
        "dialect": "manager", "tools": { "add": ["exec"] }, "permissions": { "defaultMode": "allow" },
    }));
    bench.ok("run_command", command).await;
    for files in [json!("output://1"), json!(["output://1"])] {
        let search = json!({ "query": "29999", "files": files });
        let (_, details) = bench.ok("search_code", search).await;
        assert_eq!(details["totalMatches"], 1, "{details}");
    }
}

fn assert_reports_output(details: &Value) {
    assert_eq!(details["truncated"], true);
    assert_eq!(details["fullOutput"], "output://1");
    assert!(details["output"].as_str().unwrap().starts_with("1\n2\n"));
    assert!(details["fullOutputPath"].is_string());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_time_out_reports_the_output_so_far_and_where_the_whole_is() {
    let bench = of("agent");
    let call = json!({ "command": "seq 1 30000; sleep 60", "timeout": 1 });
    let error = bench.call("exec", call).await.unwrap_err();
    assert_eq!(error.code.as_str(), "timeout");
    assert_reports_output(&Value::Object(error.details));
    let (page, _) = bench
        .ok(
            "read",
            json!({ "file_path": "output://1", "offset": 30_000 }),
        )
        .await;
    assert!(page.starts_with("30000"), "{page}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_abort_reports_the_output_so_far_and_where_the_whole_is() {
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
    let end =
        "[Full output: `output://1`; read or grep it.]\n\nThe call was aborted before it finished.";
    assert!(error.message.ends_with(end), "{}", error.message);
    assert_reports_output(&Value::Object(error.details));
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

#[tokio::test(flavor = "multi_thread")]
async fn progress_is_folded_under_an_address_and_details_are_exact() {
    let bench = of("agent");
    let command = "echo start; for i in $(seq 1 50); do echo \"   Compiling some_crate_$i v1.0.$i\"; done; echo 'error: no main'; exit 1";
    let (text, details) = bench.ok("exec", json!({ "command": command })).await;
    assert_eq!(
        text,
        "start\n   Compiling some_crate_1 v1.0.1\n[… 49 lines of progress: `output://1:3-51`]\nerror: no main\n\n\
         [3 of 52 lines shown. Full output: `output://1`; read or grep it.]\n\nCommand exited with code 1"
    );
    assert!(
        details["output"]
            .as_str()
            .unwrap()
            .contains("some_crate_33 v1.0.33\n")
    );
    let condensed = &details["condensed"];
    assert_eq!(condensed["strategy"], json!(["fold"]));
    assert_eq!(
        (condensed["lines"].clone(), condensed["ofLines"].clone()),
        (json!(3), json!(52))
    );
    assert_eq!(condensed["fullOutput"], "output://1");
    let ratio = condensed["tokens"].as_f64().unwrap() / condensed["ofTokens"].as_f64().unwrap();
    assert!((condensed["ratio"].as_f64().unwrap() - ratio).abs() < 0.001);
    let (page, _) = bench
        .ok("read", json!({ "file_path": "output://1:34-36" }))
        .await;
    assert!(
        page.starts_with("   Compiling some_crate_33 v1.0.33\n   Compiling some_crate_34 v1.0.34\n   Compiling some_crate_35 v1.0.35"),
        "{page}"
    );
    assert!(!page.contains("some_crate_36"), "{page}");
    let (found, _) = bench
        .ok(
            "grep",
            json!({ "pattern": "crate_7 ", "path": "output://1:3-51" }),
        )
        .await;
    assert_eq!(found, "output://1:8:    Compiling some_crate_7 v1.0.7");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_error_in_the_middle_of_long_output_is_shown_with_the_lines_around_it() {
    let bench = of("agent");
    let command = "seq 1 15000; echo 'src/a.c:3:5: error: unknown type name'; echo '    3 |  foo x;'; seq 15000 30000";
    let (text, details) = bench.ok("exec", json!({ "command": command })).await;
    assert!(
        text.contains("\n15000\nsrc/a.c:3:5: error: unknown type name\n    3 |  foo x;\n15000\n"),
        "{text}"
    );
    assert!(details["condensed"]["tokens"].as_u64().unwrap() <= 10_000);
    assert!(text.starts_with("1\n2\n"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn exact_output_is_an_option() {
    let bench = Bench::new(
        json!({ "exec": { "output": "exact" }, "permissions": { "defaultMode": "allow" } }),
    );
    let command = "for i in $(seq 1 50); do echo \"   Compiling some_crate_$i v1.0.$i\"; done";
    let (text, details) = bench.ok("exec", json!({ "command": command })).await;
    assert_eq!(text.lines().count(), 50);
    assert_eq!(details.get("condensed"), None);
    let (text, _) = bench.ok("exec", json!({ "command": LONG })).await;
    assert!(
        text.contains(" bytes omitted. Full output: `output://1`; read or grep it.]"),
        "{text}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_may_ask_for_a_shorter_result_where_the_host_lets_it() {
    for dialect in ["agent", "canonical", "coder", "manager", "acp"] {
        let options = |lets: bool| json!({ "dialect": dialect, "limits": { "maxTokens": 3000, "maxTokensByModel": lets }, "permissions": { "defaultMode": "allow" } });
        let (bench, without) = (Bench::new(options(true)), Bench::new(options(false)));
        let name = if matches!(dialect, "canonical" | "coder") {
            "max_tokens"
        } else {
            "maxTokens"
        };
        let tool = match dialect {
            "agent" | "coder" => "grep",
            "canonical" => "Grep",
            "manager" => "search_code",
            _ => "run_command",
        };
        let lines: String = (0..4000)
            .map(|at| format!("a line of text, number {at}\n"))
            .collect();
        bench.write("a.txt", &lines);
        let mut params = match dialect {
            "manager" => json!({ "query": "line" }),
            "acp" => json!({ "command": "cat a.txt" }),
            "canonical" => json!({ "pattern": "line", "output_mode": "content" }),
            _ => json!({ "pattern": "line" }),
        };
        params[name] = json!(400);
        let (text, details) = bench.ok(tool, params.clone()).await;
        let tokens = tenon_tokens::count(&text);
        assert!((100..=420).contains(&tokens), "{dialect}: {tokens} {text}");
        assert!(details["condensed"]["fullOutput"].is_string(), "{details}");
        params[name] = json!(1_000_000);
        let (text, _) = bench.ok(tool, params.clone()).await;
        assert!(tenon_tokens::count(&text) <= 3000, "{dialect}");
        params[name] = json!("much");
        let (code, message) = bench.refusal(tool, params.clone()).await;
        assert_eq!(code, "invalid_params", "{message}");
        let (code, message) = without.refusal(tool, params).await;
        assert_eq!(code, "invalid_params", "{message}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_budget_holds_for_every_tool_and_what_does_not_fit_is_kept() {
    let bench = Bench::new(
        json!({ "limits": { "maxTokens": 400 }, "permissions": { "defaultMode": "allow" } }),
    );
    let lines: String = (0..2000)
        .map(|at| format!("the line {at} of a file\n"))
        .collect();
    bench.write("a.txt", &lines);
    let (read, _) = bench.ok("read", json!({ "file_path": "a.txt" })).await;
    assert!(
        read.starts_with("the line 0 of a file\nthe line 1 of a file\n"),
        "{read}"
    );
    assert!(read.contains("Use offset="), "{read}");
    let (found, details) = bench
        .ok(
            "grep",
            json!({ "pattern": "line", "path": "a.txt", "limit": 90 }),
        )
        .await;
    assert!(
        found.contains(
            " lines shown, for a budget of 400 tokens. Full output: `output://1`; read or grep it.]"
        ),
        "{found}"
    );
    assert_eq!(details["condensed"]["fullOutput"], "output://1");
    let (ran, _) = bench.ok("exec", json!({ "command": "cat a.txt" })).await;
    for text in [&read, &found, &ran] {
        let tokens = tenon_runtime::count_tokens(text);
        assert!(tokens <= 400, "{tokens}: {text}");
    }
    let (rest, _) = bench
        .ok("read", json!({ "file_path": "output://1:60" }))
        .await;
    assert!(
        rest.starts_with("a.txt:60: the line 59 of a file"),
        "{rest}"
    );
}

/// The answer was that there is no such output.
#[tokio::test(flavor = "multi_thread")]
async fn lines_that_an_output_does_not_have_are_named_with_how_many_it_has() {
    let bench = of("agent");
    bench.ok("exec", json!({ "command": LONG })).await;
    let read = |address: &str| json!({ "file_path": address });
    let (_, details) = bench.ok("read", read("output://1")).await;
    let lines = details["lines"].as_u64().unwrap();
    assert_eq!(lines, 30_000);
    let rest = "which has 30,000 lines. Name lines as in `output://1:1-200`.";
    for address in [
        "output://1:5-3",
        "output://1:0",
        "output://1:x",
        "output://1:",
    ] {
        assert_eq!(
            bench.refusal("read", read(address)).await,
            (
                "invalid_params",
                format!("`{address}` names no lines of `output://1`, {rest}")
            )
        );
    }
    let past = (
        "invalid_params",
        format!("Line 49999990 is past the end of `output://1`, {rest}"),
    );
    let address = "output://1:49999990-";
    assert_eq!(bench.refusal("read", read(address)).await, past);
    let search = json!({ "pattern": "7", "path": address });
    assert_eq!(bench.refusal("grep", search).await, past);
    let last = format!("output://1:{lines}-");
    let (_, details) = bench.ok("read", read(&last)).await;
    assert_eq!(details["startLine"].as_u64(), Some(lines), "{details}");
}

/// The page of `coder` took the place of the lines that the address names, and a search ignored them.
#[tokio::test(flavor = "multi_thread")]
async fn an_address_with_lines_is_read_and_searched_at_these_lines() {
    let bench = of("coder");
    let command = "for i in $(seq 9000); do echo \"row $i $((i * 7919))\"; done";
    bench.ok("bash", json!({ "command": command })).await;
    let first = async |path: &str| {
        let (page, _) = bench.ok("read", json!({ "path": path })).await;
        page.lines().next().unwrap_or_default().to_owned()
    };
    assert_eq!(first("output://1:4999-5001").await, "row 4999 39587081");
    assert_eq!(first("output://1:4999:2").await, "ow 4999 39587081");
    assert_eq!(first("output://1").await, "row 1 7919");
    let (_, details) = bench.ok("read", json!({ "path": "output://1" })).await;
    assert_eq!(details["end_line"], 50);
    let lines = async |params: serde_json::Value| -> Vec<u64> {
        let (_, details) = bench.ok("grep", params).await;
        let found = details["matches"].as_array().unwrap().iter();
        found.filter_map(|found| found["line"].as_u64()).collect()
    };
    assert_eq!(
        lines(json!({ "pattern": "row 50", "path": "output://1:1-100" })).await,
        [50]
    );
    assert_eq!(
        lines(json!({ "pattern": "row 50", "path": "output://1:501-502" })).await,
        [501, 502]
    );
    let (text, _) = bench
        .ok("grep", json!({ "pattern": "ROW", "path": "output://1" }))
        .await;
    assert!(
        text.contains("Case-insensitive, `output://1` matches"),
        "{text}"
    );
}
