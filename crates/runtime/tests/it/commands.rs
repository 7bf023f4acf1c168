//! exec and Bash.

use std::time::{Duration, Instant};

use serde_json::json;
use tenon_contract::CancellationToken;
use tenon_policy::Verdict;
use tenon_runtime::CallRequest;

use crate::support::Bench;

#[tokio::test]
async fn exec_answers_what_was_written_and_where() {
    let bench = Bench::agent();
    bench.write("sub/x", "");
    let (text, mut details) = bench
        .ok(
            "exec",
            json!({ "command": "echo out; echo err >&2; ls", "workdir": "sub" }),
        )
        .await;
    assert_eq!(text, "out\nerr\nx\n");
    assert!(details["durationMs"].take().is_u64());
    let expected = json!({ "status": "completed", "exitCode": 0, "durationMs": null, "cwd": "sub", "output": "out\nerr\nx\n", "truncated": false });
    assert_eq!(details, expected);
}

#[tokio::test]
async fn another_exit_code_is_a_result() {
    let bench = Bench::agent();
    let (text, details) = bench
        .ok("exec", json!({ "command": "echo no; exit 3" }))
        .await;
    assert_eq!(text, "no\n\nCommand exited with code 3");
    assert_eq!(
        (&details["status"], &details["exitCode"]),
        (&json!("failed"), &json!(3))
    );
}

#[tokio::test]
async fn canonical_bash_keeps_the_streams_apart() {
    let bench = Bench::canonical();
    let (_, details) = bench
        .ok(
            "Bash",
            json!({ "command": "echo out; echo err >&2; exit 2", "cwd": bench.path("") }),
        )
        .await;
    assert_eq!(
        details,
        json!({ "stdout": "out\n", "stderr": "err\n", "exit_code": 2 })
    );
}

#[tokio::test]
async fn a_time_out_rejects_with_the_output_so_far() {
    let bench = Bench::agent();
    let error = bench
        .call(
            "exec",
            json!({ "command": "echo begun; sleep 30", "timeout": 0.3 }),
        )
        .await
        .unwrap_err();
    assert_eq!(error.code.as_str(), "timeout");
    assert_eq!(error.details.get("output"), Some(&json!("begun\n")));
    assert!(error.message.contains("begun"), "{}", error.message);
}

#[tokio::test]
async fn an_abort_rejects_promptly_and_leaves_nothing_running() {
    let bench = Bench::agent();
    let marker = format!("{}.5", 40_000 + std::process::id());
    let cancellation = CancellationToken::new();
    let call = CallRequest {
        cancellation: cancellation.clone(),
        ..CallRequest::new(
            "exec",
            json!({ "command": format!("sleep {marker} & sleep {marker}; echo never") }),
        )
    };
    let abort = async {
        tokio::time::sleep(Duration::from_millis(200)).await;
        cancellation.cancel();
        Instant::now()
    };
    let (answer, aborted) = tokio::join!(
        async { (bench.toolkit.call(call).await, Instant::now()) },
        abort
    );
    assert_eq!(answer.0.unwrap_err().code.as_str(), "cancelled");
    assert!(answer.1.duration_since(aborted) < Duration::from_secs(2));
    for _ in 0..100 {
        if !running(&marker) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("a descendant is still running");
}

fn running(marker: &str) -> bool {
    std::fs::read_dir("/proc").unwrap().flatten().any(|entry| {
        let command = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        command
            .split(|byte| *byte == 0)
            .any(|word| word == marker.as_bytes())
    })
}

#[tokio::test]
async fn long_output_keeps_both_ends_and_names_the_whole() {
    let bench = Bench::agent();
    let (text, details) = bench.ok("exec", json!({ "command": "seq 1 50000" })).await;
    assert!(text.starts_with("1\n2\n") && text.contains("\n49999\n50000\n"));
    let notice = "lines shown. Full output: `output://1`; read or grep it.]";
    assert!(text.trim_end().ends_with(notice), "{text}");
    assert!(text.len() < 60_000, "{}", text.len());
    assert_eq!(details["truncated"], true);
    let whole = std::fs::read_to_string(details["fullOutputPath"].as_str().unwrap()).unwrap();
    assert_eq!(
        whole,
        (1..=50_000)
            .map(|number| format!("{number}\n"))
            .collect::<String>()
    );
    bench.toolkit.close().await.unwrap();
    assert!(!std::path::Path::new(details["fullOutputPath"].as_str().unwrap()).exists());
}

#[tokio::test]
async fn a_command_cannot_wait_for_input_or_load_code_by_the_environment() {
    let bench = Bench::agent();
    let (text, _) = bench
        .ok(
            "exec",
            json!({ "command": "read line; echo \"got:$line\"; tty" , "timeout": 5 }),
        )
        .await;
    assert!(text.starts_with("got:\nnot a tty"), "{text}");
    let (code, message) = bench
        .refusal(
            "exec",
            json!({ "command": "true", "env": { "LD_PRELOAD": "/tmp/x.so" } }),
        )
        .await;
    assert_eq!(code, "policy_denied");
    assert!(message.contains("LD_PRELOAD"), "{message}");
}

#[test]
fn a_command_with_a_variable_that_cannot_be_given_is_denied_before_it_runs() {
    let bench = Bench::agent();
    for (variables, verdict) in [
        (json!({ "A=B": "c" }), "deny"),
        (json!({ "1A": "c" }), "deny"),
        (json!({ "LD_PRELOAD": "/tmp/x.so" }), "deny"),
        (json!({ "GIT_TRACE": "x" }), "deny"),
        (json!({ "GIT_TRACE": "1" }), "allow"),
        (json!({ "A": "c" }), "allow"),
    ] {
        let params = json!({ "command": "true", "env": variables });
        let decided = bench.toolkit.decide("exec", params);
        assert_eq!(decided.decision.verdict.name(), verdict, "{variables}");
    }
}

/// Without the variable a shell looks for another home directory, and `$HOME` is nothing.
#[cfg(unix)]
#[test]
fn names_below_a_home_directory_that_commands_do_not_get_are_not_known() {
    let verdict = |env: serde_json::Value| {
        let permissions = json!({ "defaultMode": "allow", "deny": ["Read(/secret/**)"] });
        let bench = Bench::new(json!({ "env": env, "permissions": permissions }));
        let params = json!({ "command": "cat \"$HOME/secret/x\"" });
        bench.toolkit.decide("exec", params).decision.verdict
    };
    assert_eq!(
        verdict(json!({ "add": { "HOME": "/home/other" } })),
        Verdict::Allow
    );
    assert_eq!(verdict(json!({ "add": { "HOME": "/" } })), Verdict::Deny);
    assert_eq!(verdict(json!({ "drop": ["HO*"] })), Verdict::Ask);
}

#[test]
fn the_mode_plan_permits_commands_that_ask_a_service_what_is_there() {
    let bench = Bench::new(json!({ "mode": "plan", "permissions": { "allow": ["Bash"] } }));
    for (command, wanted) in [
        ("docker ps -a", "allow"),
        ("kubectl get pods -o yaml", "allow"),
        ("gh pr view 1 | head -20", "allow"),
        ("npm view x version", "allow"),
        ("systemctl status x", "allow"),
        ("git branch -a", "allow"),
        ("docker rm c", "deny"),
        ("docker ps > a", "deny"),
        ("gh pr merge 1", "deny"),
        ("terraform plan", "deny"),
        ("git branch x", "deny"),
    ] {
        let decided = bench.toolkit.decide("exec", json!({ "command": command }));
        assert_eq!(decided.decision.verdict.name(), wanted, "{command}");
    }
}
