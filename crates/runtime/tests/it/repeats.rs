//! Calls that are made again under their id.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use tenon_contract::{Outcome, ToolError};
use tenon_runtime::{CallRequest, HostCallbacks, Options, Toolkit};

use crate::support::text;

const ID: &str = "toolu_01A09q90qw90lq917835lq9";

fn toolkit(workspace: &Path, more: Value) -> Toolkit {
    let mut options = json!({ "workspace": workspace });
    let more = more.as_object().unwrap().clone();
    options.as_object_mut().unwrap().extend(more);
    Toolkit::new(
        Options::from_json(&options.to_string()).unwrap(),
        HostCallbacks::default(),
    )
    .unwrap()
}

async fn call(
    toolkit: &Toolkit,
    id: &str,
    tool: &str,
    params: Value,
) -> Result<Outcome, ToolError> {
    let call = CallRequest {
        id: id.into(),
        ..CallRequest::new(tool, params)
    };
    toolkit.call(call).await
}

fn append() -> Value {
    json!({ "command": "echo x >> log; wc -l < log" })
}

fn lines(workspace: &Path) -> usize {
    fs::read_to_string(workspace.join("log"))
        .unwrap_or_default()
        .lines()
        .count()
}

#[tokio::test]
async fn a_command_that_is_called_again_returns_what_it_returned_and_does_not_run() {
    let workspace = tempfile::tempdir().unwrap();
    let toolkit = toolkit(workspace.path(), json!({}));
    let first = call(&toolkit, ID, "exec", append()).await.unwrap();
    let second = call(&toolkit, ID, "exec", append()).await.unwrap();
    assert_eq!(first, second);
    assert_eq!(lines(workspace.path()), 1);
    assert_eq!(toolkit.history().len(), 2);
}

#[tokio::test]
async fn an_id_with_other_parameters_or_another_tool_is_refused() {
    let workspace = tempfile::tempdir().unwrap();
    let toolkit = toolkit(workspace.path(), json!({}));
    call(&toolkit, ID, "exec", append()).await.unwrap();
    let error = call(&toolkit, ID, "exec", json!({ "command": "true" }))
        .await
        .unwrap_err();
    assert_eq!(
        error.message,
        format!(
            "The call id `{ID}` was used before, with other parameters. Nothing was done. Call `exec` with an id of its own."
        )
    );
    let error = call(&toolkit, ID, "ls", json!({})).await.unwrap_err();
    assert_eq!(
        error.message,
        format!(
            "The call id `{ID}` was used before, with the tool `exec`. Nothing was done. Call `ls` with an id of its own."
        )
    );
}

#[tokio::test]
async fn a_second_call_while_the_first_runs_waits_for_it() {
    let workspace = tempfile::tempdir().unwrap();
    let toolkit = toolkit(workspace.path(), json!({}));
    let slow = || json!({ "command": "echo x >> log; sleep 0.3; wc -l < log" });
    let (first, second) = tokio::join!(
        call(&toolkit, ID, "exec", slow()),
        call(&toolkit, ID, "exec", slow())
    );
    assert_eq!(first.unwrap(), second.unwrap());
    assert_eq!(lines(workspace.path()), 1);
}

#[tokio::test]
async fn numbers_of_a_run_mean_nothing_unless_the_host_says_that_they_do() {
    let workspace = tempfile::tempdir().unwrap();
    let run = async |options: Value, id: &str| {
        let before = lines(workspace.path());
        let toolkit = toolkit(workspace.path(), options);
        for _ in 0..2 {
            call(&toolkit, id, "exec", append()).await.unwrap();
        }
        lines(workspace.path()) - before
    };
    assert_eq!(run(json!({}), "call_0").await, 2);
    assert_eq!(run(json!({ "repeats": "all_ids" }), "call_0").await, 1);
    assert_eq!(run(json!({ "repeats": "all_ids" }), "").await, 2);
    assert_eq!(run(json!({ "repeats": "off" }), ID).await, 2);
}

#[tokio::test]
async fn what_failed_before_it_did_anything_is_tried_again() {
    let workspace = tempfile::tempdir().unwrap();
    let toolkit = toolkit(workspace.path(), json!({}));
    let read = || json!({ "file_path": "a" });
    call(&toolkit, ID, "read", read()).await.unwrap_err();
    fs::write(workspace.path().join("a"), "there\n").unwrap();
    assert!(text(&call(&toolkit, ID, "read", read()).await.unwrap()).contains("there"));
    // A denied call did nothing.
    let denied = json!({ "permissions": { "deny": ["Bash(echo:*)"] } });
    let strict = self::toolkit(workspace.path(), denied);
    for _ in 0..2 {
        let error = call(&strict, ID, "exec", append()).await.unwrap_err();
        assert_eq!(error.code.as_str(), "policy_denied");
    }
    assert_eq!(lines(workspace.path()), 0);
}

/// A session that outlives its toolkits.
struct Kept {
    workspace: tempfile::TempDir,
    state: tempfile::TempDir,
}

impl Kept {
    fn new() -> Self {
        let state = tempfile::tempdir().unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            fs::set_permissions(state.path(), fs::Permissions::from_mode(0o700)).unwrap();
        }
        let workspace = tempfile::tempdir().unwrap();
        Self { workspace, state }
    }

    /// As another process would make it.
    fn toolkit(&self) -> Toolkit {
        let session = json!({ "id": "mine", "store": self.state.path() });
        toolkit(self.workspace.path(), json!({ "session": session }))
    }

    fn lines(&self) -> usize {
        lines(self.workspace.path())
    }
}

#[tokio::test]
async fn another_process_of_the_session_does_not_do_it_again_either() {
    let kept = Kept::new();
    let first = kept.toolkit();
    let answer = call(&first, ID, "exec", append()).await.unwrap();
    first.close().await.unwrap();
    let second = kept.toolkit();
    let again = call(&second, ID, "exec", append()).await.unwrap();
    assert_eq!(
        (&again.content, &again.changes, &*again.details),
        (&answer.content, &answer.changes, &*answer.details)
    );
    assert_eq!(kept.lines(), 1);
    let other = json!({ "command": "true" });
    let error = call(&second, ID, "exec", other).await.unwrap_err();
    let message = error.message;
    assert!(message.contains("with other parameters"), "{message}");
    // Forgotten, the session begins again.
    second.forget(None).await.unwrap();
    second.close().await.unwrap();
    let third = kept.toolkit();
    call(&third, ID, "exec", append()).await.unwrap();
    assert_eq!(kept.lines(), 2);
    third.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn while_another_process_of_the_session_runs_it_a_call_waits_for_its_result() {
    let kept = Kept::new();
    // Longer than a process counts as living without a sign of it.
    let slow = || json!({ "command": "echo x >> log; sleep 7; echo done" });
    let (first, second) = (kept.toolkit(), kept.toolkit());
    let (answer, again) = tokio::join!(call(&first, ID, "exec", slow()), async {
        tokio::time::sleep(std::time::Duration::from_millis(300)).await;
        call(&second, ID, "exec", slow()).await
    });
    assert_eq!(text(&again.unwrap()), text(&answer.unwrap()));
    assert_eq!(kept.lines(), 1);
    first.close().await.unwrap();
    second.close().await.unwrap();
}

#[tokio::test]
async fn a_call_whose_process_ended_meanwhile_is_refused_since_nobody_knows_how_far_it_came() {
    let kept = Kept::new();
    let slow = || json!({ "command": "echo x >> log; sleep 30" });
    let first = kept.toolkit();
    let begun = async {
        while kept.lines() == 0 {
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
    };
    tokio::select! {
        _ = call(&first, ID, "exec", slow()) => panic!("it sleeps"),
        () = begun => {}
    }
    first.close().await.unwrap();
    let second = kept.toolkit();
    let error = call(&second, ID, "exec", slow()).await.unwrap_err();
    let message = error.message;
    assert!(
        message.contains("what came of it is not known"),
        "{message}"
    );
    assert_eq!(kept.lines(), 1);
    second.close().await.unwrap();
}
