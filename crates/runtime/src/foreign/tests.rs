//! A tool of the host runs through the same pipeline as every other.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tenon_contract::{CancellationToken, Content, ErrorCode, ToolContext, ToolError};
use tenon_dialects::{Issue, IssueCode};

use super::{CheckFuture, ForeignCall, ForeignFuture, ForeignRunner, QuestionFuture};
use crate::{CallRequest, ForeignDefinition, ForeignOutput, HostCallbacks, Options, Toolkit};

/// Echoes its parameters; hangs on `hang`, fails on `fail`. Its own check refuses `odd`.
#[derive(Default)]
struct Echo {
    calls: Mutex<Vec<ForeignCall>>,
}

impl ForeignRunner for Echo {
    fn check(&self, mut call: ForeignCall) -> CheckFuture {
        Box::pin(async move {
            if call.params.get("odd").is_some() {
                let issue = Issue {
                    param: "odd".to_owned(),
                    message: "No.".to_owned(),
                    code: IssueCode::UnknownParam,
                };
                return Ok(Err(vec![issue]));
            }
            if let Some(params) = call.params.as_object_mut() {
                params.insert("checked".to_owned(), true.into());
            }
            Ok(Ok(call.params))
        })
    }

    fn question(&self, call: ForeignCall) -> QuestionFuture {
        let answer = call.params.get("ask").cloned().unwrap_or_default();
        Box::pin(async move { Ok(answer) })
    }

    fn run(&self, call: ForeignCall, _context: ToolContext) -> ForeignFuture {
        self.calls.lock().unwrap().push(call.clone());
        Box::pin(async move {
            match call.params.get("do").and_then(Value::as_str) {
                Some("hang") => std::future::pending().await,
                Some("fail") => Err(ToolError::new(ErrorCode::HandlerFailed, "It failed.")),
                _ => Ok(ForeignOutput {
                    content: vec![Content::text(call.params.to_string())],
                    details: call.params,
                }),
            }
        })
    }
}

fn definition(more: Value) -> ForeignDefinition {
    let mut definition = json!({
        "name": "echo",
        "description": "Echoes.",
        "parameters": {"properties": {"do": {"type": "string"}, "path": {"type": "string"}, "count": {"type": "integer"}}},
    });
    let members = definition.as_object_mut().unwrap();
    members.extend(more.as_object().unwrap().clone());
    serde_json::from_value(definition).unwrap()
}

struct Bench {
    _directory: tempfile::TempDir,
    toolkit: Toolkit,
    echo: Arc<Echo>,
}

fn bench(options: Value, more: Value) -> Bench {
    let directory = tempfile::tempdir().unwrap();
    let mut all = json!({ "workspace": directory.path() });
    all.as_object_mut()
        .unwrap()
        .extend(options.as_object().unwrap().clone());
    let toolkit = Toolkit::new(
        Options::from_json(&all.to_string()).unwrap(),
        HostCallbacks::default(),
    )
    .unwrap();
    let echo = Arc::new(Echo::default());
    toolkit.register(definition(more), echo.clone()).unwrap();
    Bench {
        _directory: directory,
        toolkit,
        echo,
    }
}

async fn call(bench: &Bench, params: Value) -> Result<Value, ToolError> {
    let answer = bench.toolkit.call(CallRequest::new("echo", params)).await?;
    Ok(answer.details.into_value())
}

#[tokio::test]
async fn a_call_is_repaired_run_reported_and_recorded() {
    let bench = bench(json!({}), json!({}));
    let details = call(&bench, json!({"do": "it", "count": "5"}))
        .await
        .unwrap();
    assert_eq!(details["count"], 5);
    assert_eq!(details["repairs"][0]["param"], "count");
    let history = bench.toolkit.history();
    assert_eq!(
        (history[0].tool.as_str(), history[0].outcome),
        ("echo", "ok")
    );
    assert_eq!(bench.toolkit.catalog().last().unwrap().name, "echo");
    assert!(bench.toolkit.unregister("echo"));
    assert!(!bench.toolkit.unregister("echo"));
    assert_eq!(
        call(&bench, json!({})).await.unwrap_err().code,
        ErrorCode::UnknownTool
    );
}

#[tokio::test]
async fn parameters_that_do_not_fit_never_reach_it() {
    let bench = bench(json!({}), json!({}));
    let refused = call(&bench, json!({"do": 5, "count": 1.5}))
        .await
        .unwrap_err();
    assert_eq!(refused.code, ErrorCode::InvalidParams);
    assert_eq!(refused.details["errors"].as_array().unwrap().len(), 2);
    assert!(bench.echo.calls.lock().unwrap().is_empty());
}

#[tokio::test]
async fn a_check_of_its_own_has_the_last_word_and_what_it_answers_is_what_runs() {
    let bench = bench(json!({}), json!({"hasOwnCheck": true}));
    assert_eq!(
        call(&bench, json!({"do": 5})).await.unwrap(),
        json!({"do": 5, "checked": true})
    );
    let refused = call(&bench, json!({"odd": 1})).await.unwrap_err();
    assert_eq!(refused.details["errors"][0]["param"], "odd");
    assert_eq!(bench.toolkit.history()[1].outcome, "invalid_input");
}

#[tokio::test]
async fn rules_judge_what_it_declares() {
    let rules = json!({"permissions": {"deny": ["Read(secret/**)", "Edit(locked/**)"]}});
    let reads = bench(rules.clone(), json!({"effects": {"reads": ["path"]}}));
    assert!(call(&reads, json!({"path": "open/a"})).await.is_ok());
    assert_eq!(
        call(&reads, json!({"path": "secret/a"}))
            .await
            .unwrap_err()
            .code,
        ErrorCode::PolicyDenied
    );
    assert_eq!(
        call(&reads, json!({"path": "/etc/passwd"}))
            .await
            .unwrap_err()
            .code,
        ErrorCode::OutsideWorkspace
    );
    let writes = bench(rules, json!({"effects": {"writes": ["path"]}}));
    assert_eq!(
        call(&writes, json!({"path": "locked/a"}))
            .await
            .unwrap_err()
            .code,
        ErrorCode::PolicyDenied
    );
}

#[tokio::test]
async fn what_nobody_knows_is_asked_about_and_what_only_looks_is_not() {
    let rules = json!({"permissions": {"allow": ["read"]}});
    let unknown = bench(rules.clone(), json!({}));
    assert_eq!(
        call(&unknown, json!({})).await.unwrap_err().code,
        ErrorCode::PolicyDenied
    );
    let named = bench(
        json!({"customTools": ["echo"], "permissions": {"allow": ["echo"]}}),
        json!({}),
    );
    assert!(call(&named, json!({})).await.is_ok());
    let denied = bench(
        json!({"customTools": ["echo"], "permissions": {"deny": ["echo"]}}),
        json!({}),
    );
    assert_eq!(
        call(&denied, json!({})).await.unwrap_err().code,
        ErrorCode::PolicyDenied
    );
}

#[tokio::test]
async fn a_name_that_means_an_operation_is_bound_by_its_rules_and_lists() {
    let hidden = bench(
        json!({"tools": {"deny": ["Bash"]}}),
        json!({"name": "shell"}),
    );
    let refused = hidden
        .toolkit
        .call(CallRequest::new("shell", json!({})))
        .await
        .unwrap_err();
    assert_eq!(refused.details["matched_rule"], "tools.deny: Bash");
    let denied = bench(
        json!({"permissions": {"deny": ["Bash"]}}),
        json!({"name": "shell"}),
    );
    let refused = denied
        .toolkit
        .call(CallRequest::new("shell", json!({})))
        .await
        .unwrap_err();
    assert_eq!(refused.code, ErrorCode::PolicyDenied);
    let judged = bench(
        json!({"permissions": {"deny": ["Bash(rm:*)"]}}),
        json!({"name": "shell", "effects": {"commands": ["do"]}}),
    );
    let run = |text: &str| {
        judged
            .toolkit
            .call(CallRequest::new("shell", json!({ "do": text })))
    };
    assert!(run("ls").await.is_ok());
    assert_eq!(
        run("ls; rm -rf x").await.unwrap_err().code,
        ErrorCode::PolicyDenied
    );
}

#[tokio::test]
async fn rules_hold_for_a_tool_whose_name_means_an_operation_though_nothing_is_said_of_it() {
    let rules = json!({"permissions": {
        "deny": ["Bash(rm:*)", "Read(.env)", "Edit(locked/**)", "WebFetch(domain:evil.com)"],
        "defaultMode": "allow",
    }});
    let texts = |names: &[&str]| -> Value {
        let properties = names
            .iter()
            .map(|name| ((*name).to_owned(), json!({"type": "string"})));
        json!({"properties": properties.collect::<serde_json::Map<String, Value>>()})
    };
    for (name, param, good, bad) in [
        ("bash", "command", "ls", "ls; rm x"),
        ("run_shell_command", "cmd", "ls", "sh -c 'rm x'"),
        ("read", "path", "a", ".env"),
        ("read_file", "file_path", "/elsewhere", "./.env"),
        ("write", "path", "a", "locked/a"),
        ("edit", "filePath", "a", "locked/../locked/a"),
        ("fetch", "url", "https://good.com/", "https://evil.com/"),
        // Of any other name nothing is known.
        ("echo", "path", ".env", ""),
    ] {
        let more = json!({"name": name, "parameters": texts(&[param, "other"])});
        let bench = bench(rules.clone(), more);
        let call = |value: &str| {
            let request = CallRequest::new(name, json!({ param: value }));
            bench.toolkit.call(request)
        };
        assert!(call(good).await.is_ok(), "{name}: {good}");
        if !bad.is_empty() {
            let refused = call(bad).await.map(|_| "it ran").unwrap_err();
            assert_eq!(refused.code, ErrorCode::PolicyDenied, "{name}: {bad}");
        }
    }
}

#[tokio::test]
async fn variables_that_its_call_gives_are_judged_like_those_of_a_command() {
    let rules = json!({"permissions": {"allow": ["Bash(psql:*)"]}});
    let parameters = json!({"properties": {
        "command": {"type": "string"},
        "env": {"type": "object", "additionalProperties": {"type": "string"}},
    }});
    let bench = bench(rules, json!({"name": "bash", "parameters": parameters}));
    let call = |variables: Value| {
        let params = json!({"command": "psql -l", "env": variables});
        bench.toolkit.call(CallRequest::new("bash", params))
    };
    assert!(call(json!({"PGHOST": "db"})).await.is_ok());
    for variables in [
        json!({"PATH": "/tmp"}),
        json!({"FOO_CONFIG": "/tmp/evil"}),
        json!({"PGHOST": "db", "Y_PLUGIN": "evil"}),
    ] {
        let refused = call(variables.clone()).await.map(|_| "it ran");
        let code = refused.unwrap_err().code;
        assert_eq!(code, ErrorCode::PolicyDenied, "{variables}");
    }
}

#[tokio::test]
async fn it_is_stopped_at_its_own_limit_and_by_its_caller() {
    let bench = bench(json!({}), json!({"timeoutMs": 20, "effects": "mutate"}));
    let late = call(&bench, json!({"do": "hang"})).await.unwrap_err();
    assert_eq!(
        (late.code, late.details["timeout_ms"].as_u64()),
        (ErrorCode::Timeout, Some(20))
    );
    let cancellation = CancellationToken::new();
    let request = CallRequest {
        cancellation: cancellation.clone(),
        ..CallRequest::new("echo", json!({"do": "hang"}))
    };
    cancellation.cancel();
    assert_eq!(
        bench.toolkit.call(request).await.unwrap_err().code,
        ErrorCode::Cancelled
    );
    assert_eq!(
        call(&bench, json!({"do": "fail"}))
            .await
            .unwrap_err()
            .message,
        "It failed."
    );
}

#[test]
fn what_cannot_be_registered_says_why() {
    let bench = bench(json!({}), json!({}));
    let refused = |more: Value| {
        bench
            .toolkit
            .register(definition(more), bench.echo.clone())
            .unwrap_err()
            .message
    };
    for name in ["", "1st", "-x", "a b", "ü", &"x".repeat(65)] {
        assert!(
            refused(json!({ "name": name })).contains("is not a valid tool name"),
            "{name}"
        );
    }
    assert!(refused(json!({"timeoutMs": 0})).contains("`timeoutMs`"));
    assert!(refused(json!({"parameters": {"type": "string"}})).contains("not of type `object`"));
    assert!(refused(json!({"effects": {"reads": ["paht"]}})).contains("`paht`"));
    let again = bench
        .toolkit
        .register(definition(json!({})), bench.echo.clone())
        .unwrap();
    assert!(again.replaced);
}
