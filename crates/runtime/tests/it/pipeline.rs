//! What every call goes through, whatever the tool.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tenon_contract::{CancellationToken, Outcome};
use tenon_runtime::{
    AnswerFuture, ApprovalAnswer, ApprovalRequest, Approver, CallRequest, HostCallbacks,
    HostFaults, Issue, IssueCode, SentParams, TelemetryEvent, TelemetrySink, Updates,
};

use crate::support::{Bench, text};

#[tokio::test]
async fn every_fault_of_the_parameters_is_reported_at_once() {
    let bench = Bench::agent();
    let error = bench
        .call(
            "grep",
            json!({ "limit": 0, "context": "many", "patern": "x" }),
        )
        .await
        .unwrap_err();
    assert_eq!(error.code.as_str(), "invalid_params");
    assert_eq!(
        error.details.get("errors"),
        Some(&json!([
            { "param": "pattern", "message": "`pattern` is required (string).", "code": "MISSING_REQUIRED" },
            { "param": "context", "message": "Expected an integer, got \"many\".", "code": "TYPE_MISMATCH" },
            { "param": "limit", "message": "Expected a number of at least 1, got 0.", "code": "OUT_OF_RANGE" },
            { "param": "patern", "message": "Unknown parameter `patern`. Did you mean `pattern`?", "code": "UNKNOWN_PARAM" },
        ]))
    );
}

/// Parameters in which the host has found this place to be something that JSON cannot represent.
fn with_fault(value: Value, place: &str) -> SentParams {
    let fault = Issue {
        param: place.to_owned(),
        message: format!("`{place}` is NaN, which JSON cannot represent."),
        code: IssueCode::TypeMismatch,
    };
    let faults = HostFaults {
        json: vec![fault],
        check: None,
    };
    SentParams { value, faults }
}

#[tokio::test]
async fn what_json_cannot_represent_is_reported_with_every_other_fault_wherever_it_is_sent() {
    let bench = Bench::agent();
    let params = with_fault(json!({ "pattern": null, "limit": 0 }), "pattern");
    let expected = json!([
        { "param": "pattern", "message": "`pattern` is NaN, which JSON cannot represent.", "code": "TYPE_MISMATCH" },
        { "param": "limit", "message": "Expected a number of at least 1, got 0.", "code": "OUT_OF_RANGE" },
    ]);
    let sentences = "Invalid parameters for `grep`: `pattern` is NaN, which JSON cannot represent. `limit`: Expected a number of at least 1, got 0.";
    let call = CallRequest::new("grep", params.clone());
    let error = bench.toolkit.call(call).await.unwrap_err();
    assert_eq!(error.message, sentences);
    assert_eq!(error.details.get("errors"), Some(&expected));
    let validation = bench.toolkit.validate("grep", params.clone());
    assert_eq!(
        serde_json::to_value(validation).unwrap(),
        json!({ "valid": false, "errors": expected })
    );
    let decision = bench.toolkit.decide("grep", params.clone());
    assert_eq!(decision.decision.reason, sentences);
    assert_eq!(serde_json::to_value(decision.issues).unwrap(), expected);
    assert!(!bench.toolkit.refuses("grep", params.clone()));
    let asked = bench.toolkit.approval_request("grep", params.clone(), None);
    assert_eq!(asked.unwrap_err().message, sentences);
    let repaired = bench.toolkit.repair("grep", params);
    assert_eq!(repaired.unwrap_err().message, sentences);
}

#[tokio::test]
async fn a_call_with_a_fault_is_not_answered_as_the_one_before_under_its_id() {
    let bench = Bench::agent();
    let call = |params: SentParams| CallRequest {
        id: "same".into(),
        ..CallRequest::new("write", params)
    };
    let params = json!({ "file_path": "a.txt", "content": "x" });
    let first = bench.toolkit.call(call(params.clone().into())).await;
    assert!(first.is_ok(), "{first:?}");
    let second = bench.toolkit.call(call(with_fault(params, "extra"))).await;
    assert_eq!(
        second.unwrap_err().message,
        "Invalid parameters for `write`: `extra` is NaN, which JSON cannot represent."
    );
}

#[tokio::test]
async fn harmless_slips_are_put_right_and_reported() {
    let bench = Bench::agent();
    bench.write("a.txt", "one\ntwo\n");
    let (text, details) = bench
        .ok(
            "read",
            json!({ "path": "a.txt", "limit": "1", "offset": null }),
        )
        .await;
    assert_eq!(
        text,
        "one\n\n[1 more line in file. Use offset=2 to continue.]"
    );
    assert_eq!(
        details["repairs"],
        json!([
            { "param": "file_path", "message": "took `path` for `file_path`" },
            { "param": "limit", "message": "read the text \"1\" as a number" },
            { "param": "offset", "message": "took null for absent" },
        ])
    );
}

#[tokio::test]
async fn a_denied_tool_is_gone_under_every_name() {
    let names = |bench: &Bench| -> Vec<_> {
        let catalog = bench.toolkit.catalog();
        catalog.iter().map(|entry| entry.name.clone()).collect()
    };
    let mut all = names(&Bench::new(json!({ "dialect": "canonical" })));
    let bench = Bench::new(json!({ "dialect": "canonical", "tools": { "deny": ["exec"] } }));
    let before = all.len();
    all.retain(|name| name != "Bash");
    assert_eq!((names(&bench), before), (all.clone(), all.len() + 1));
    let error = bench
        .call("Bash", json!({ "command": "true" }))
        .await
        .unwrap_err();
    assert_eq!(
        (error.code.as_str(), error.details.get("matched_rule")),
        ("policy_denied", Some(&json!("tools.deny: exec")))
    );
}

#[tokio::test]
async fn who_may_not_write_by_a_tool_may_not_write_by_a_command() {
    for entry in ["write", "Write", "group:fs"] {
        let bench = Bench::new(json!({ "tools": { "deny": [entry] } }));
        let error = bench
            .call("exec", json!({ "command": "echo x > a.txt" }))
            .await
            .unwrap_err();
        let because = format!("`tools.deny` includes `{entry}`.");
        assert_eq!(error.code.as_str(), "policy_denied");
        assert!(error.message.contains(&because), "{}", error.message);
        // What a program that is not known makes of its words stays its own matter.
        let read = json!({ "command": "echo a >/dev/null; expr length test" });
        assert_eq!(text(&bench.call("exec", read).await.unwrap()).trim(), "4");
    }
    let bench = Bench::new(json!({ "tools": { "allow": ["exec"] } }));
    let write = json!({ "command": "echo x > a.txt && cat a.txt" });
    assert_eq!(text(&bench.call("exec", write).await.unwrap()).trim(), "x");
}

#[tokio::test]
async fn an_unknown_tool_is_answered_with_its_name_here() {
    let bench = Bench::agent();
    let (code, message) = bench.refusal("Bash", json!({})).await;
    assert_eq!(
        (code, message.as_str()),
        (
            "unknown_tool",
            "unknown tool `Bash`. Here it is called `exec`."
        )
    );
    // Its call is not one of the tool here, so that the name alone would lead to the next fault.
    let (_, message) = bench.refusal("MultiEdit", json!({})).await;
    assert_eq!(
        message,
        "unknown tool `MultiEdit`. Here it is called `edit`. Call it once for each entry of `edits`, one after the other."
    );
}

#[tokio::test]
async fn an_edit_without_an_old_text_names_the_tool_that_makes_files() {
    let bench = Bench::agent();
    bench.write("empty.txt", "");
    for (path, expected) in [
        (
            "n/new.txt",
            "`n/new.txt` does not exist, and `oldText` is empty. Use `write` to create it.",
        ),
        (
            "empty.txt",
            "`empty.txt` was not changed: `oldText` is empty. Pass the text to replace. Use `write` to write the file as a whole.",
        ),
    ] {
        let edit = json!({ "path": path, "oldText": "", "newText": "x" });
        let (_, message) = bench.refusal("edit", edit).await;
        assert_eq!(message, expected);
    }
}

#[tokio::test]
async fn a_call_that_was_aborted_before_does_nothing() {
    let bench = Bench::agent();
    let cancellation = CancellationToken::new();
    cancellation.cancel();
    let call = CallRequest {
        cancellation,
        ..CallRequest::new("write", json!({ "file_path": "a.txt", "content": "x" }))
    };
    assert_eq!(
        bench.toolkit.call(call).await.unwrap_err().code.as_str(),
        "cancelled"
    );
    assert!(!bench.path("a.txt").exists());
}

#[tokio::test]
async fn history_and_telemetry_report_every_call() {
    #[derive(Default)]
    struct Received(Mutex<Vec<TelemetryEvent>>);
    impl TelemetrySink for Received {
        fn emit(&self, event: TelemetryEvent) {
            self.0.lock().unwrap().push(event);
        }
    }
    let received = Arc::new(Received::default());
    let bench = Bench::with_ports(
        json!({}),
        HostCallbacks {
            telemetry: Some(received.clone()),
            ..HostCallbacks::default()
        },
    );
    bench
        .ok("write", json!({ "file_path": "a.txt", "content": "x" }))
        .await;
    bench.refusal("read", json!({ "file_path": "none" })).await;
    let mut history = serde_json::to_value(bench.toolkit.history()).unwrap();
    history
        .as_array_mut()
        .unwrap()
        .iter_mut()
        .for_each(|entry| drop(entry["durationMs"].take()));
    assert_eq!(
        history,
        json!([
            { "id": "", "tool": "write", "params": { "file_path": "a.txt", "content": "x" }, "decision": "allow", "durationMs": null,
              "outcome": "ok", "changes": [{ "path": "a.txt", "kind": "create" }] },
            { "id": "", "tool": "read", "params": { "file_path": "none" }, "decision": "allow", "durationMs": null, "outcome": "not_found" },
        ])
    );
    let events = serde_json::to_value(&*received.0.lock().unwrap()).unwrap();
    assert_eq!(
        (
            &events[0]["event"],
            &events[0]["success"],
            &events[1]["error_type"]
        ),
        (&json!("tool_used"), &json!(true), &json!("not_found"))
    );
}

/// Answers every question the same way and counts them.
struct User(ApprovalAnswer, AtomicUsize);

impl Approver for User {
    fn decide(&self, request: ApprovalRequest) -> AnswerFuture {
        self.1.fetch_add(1, Ordering::SeqCst);
        assert!(!request.reason.is_empty());
        let answer = self.0;
        Box::pin(async move {
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
            Ok(answer)
        })
    }
}

async fn asked(answer: ApprovalAnswer, calls: usize) -> (usize, Vec<bool>) {
    let user = Arc::new(User(answer, AtomicUsize::new(0)));
    let bench = Bench::with_ports(
        json!({}),
        HostCallbacks {
            approver: Some(user.clone()),
            ..HostCallbacks::default()
        },
    );
    let params = json!({ "command": "true" });
    let mut answers = Vec::new();
    for _ in 0..calls {
        answers.push(bench.call("exec", params.clone()).await.is_ok());
    }
    (user.1.load(Ordering::SeqCst), answers)
}

#[tokio::test]
async fn an_answer_holds_for_one_call_or_for_the_session() {
    assert_eq!(asked(ApprovalAnswer::Once, 2).await, (2, vec![true, true]));
    assert_eq!(
        asked(ApprovalAnswer::Always, 2).await,
        (1, vec![true, true])
    );
    assert_eq!(
        asked(ApprovalAnswer::Never, 2).await,
        (1, vec![false, false])
    );
}

#[tokio::test]
async fn the_same_question_is_put_once_at_a_time() {
    let user = Arc::new(User(ApprovalAnswer::Once, AtomicUsize::new(0)));
    let bench = Bench::with_ports(
        json!({}),
        HostCallbacks {
            approver: Some(user.clone()),
            ..HostCallbacks::default()
        },
    );
    let call = || bench.call("exec", json!({ "command": "true" }));
    let (first, second) = tokio::join!(call(), call());
    assert!(first.is_ok() && second.is_ok());
    assert_eq!(user.1.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn without_an_approver_an_ask_is_a_refusal_that_says_so() {
    let bench = Bench::new(json!({ "permissions": { "defaultMode": "ask" } }));
    bench.write("a.txt", "x");
    let (code, message) = bench.refusal("read", json!({ "file_path": "a.txt" })).await;
    assert_eq!(code, "policy_denied");
    assert_eq!(
        message,
        "`read` needs approval, and nobody can approve in this session. Do not retry; find another way or tell the user."
    );
}

#[tokio::test]
async fn partial_answers_are_reported_like_the_final_one() {
    #[derive(Default)]
    struct Received(Mutex<Vec<Outcome>>);
    impl Updates for Received {
        fn is_due(&self) -> bool {
            true
        }
        fn publish(&self, partial: Outcome) {
            self.0.lock().unwrap().push(partial);
        }
    }
    let received = Arc::new(Received::default());
    let bench = Bench::agent();
    let params = json!({ "command": "echo first; sleep 0.3; echo second" });
    let call = CallRequest {
        updates: Some(received.clone()),
        ..CallRequest::new("exec", params)
    };
    let answer = bench.toolkit.call(call).await.unwrap();
    assert_eq!(text(&answer), "first\nsecond\n");
    let partial = received.0.lock().unwrap();
    assert_eq!(text(&partial[0]), "first\n");
    assert_eq!(partial[0].details["status"], "running");
}

#[tokio::test]
async fn a_closed_toolkit_refuses_and_what_ran_is_aborted() {
    let bench = Bench::agent();
    let call = bench.call("exec", json!({ "command": "sleep 30" }));
    let close = async {
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        bench.toolkit.close().await.unwrap();
    };
    let (answer, ()) = tokio::join!(call, close);
    assert_eq!(answer.unwrap_err().code.as_str(), "cancelled");
    assert_eq!(bench.refusal("ls", json!({})).await.0, "cancelled");
}

#[tokio::test]
async fn decide_reports_what_a_call_would_touch_and_runs_nothing() {
    let bench = Bench::agent();
    let explained = serde_json::to_value(
        bench
            .toolkit
            .decide("write", json!({ "file_path": "a.txt", "content": "x" })),
    )
    .unwrap();
    assert_eq!(
        (&explained["verdict"], &explained["effects"]),
        (&json!("allow"), &json!({ "writes": ["a.txt"] }))
    );
    assert!(!bench.path("a.txt").exists());
}

#[tokio::test]
async fn validate_answers_without_running() {
    let bench = Bench::agent();
    let answer = |tool: &str, params: Value| {
        serde_json::to_value(bench.toolkit.validate(tool, params)).unwrap()
    };
    assert_eq!(answer("ls", json!({})), json!({ "valid": true }));
    assert_eq!(
        answer("lss", json!({}))["errors"][0]["code"],
        "TOOL_NOT_FOUND"
    );
    assert_eq!(
        answer("read", json!({}))["errors"][0]["code"],
        "MISSING_REQUIRED"
    );
}
