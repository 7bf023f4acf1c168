//! undo, diff, and what a session with an id finds again.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use tenon_contract::ErrorCode;
use tenon_runtime::{CallRequest, HostCallbacks, Options, Toolkit};

use crate::support::entries;

/// A workspace and a state directory.
struct Scene {
    workspace: tempfile::TempDir,
    state: tempfile::TempDir,
}

impl Scene {
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

    /// A toolkit of the session, as another process would make it.
    fn toolkit(&self, more: Value) -> Toolkit {
        let mut options = json!({
            "workspace": self.workspace.path(),
            "session": { "id": "mine", "store": self.state.path() },
        });
        options
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        Toolkit::new(
            Options::from_json(&options.to_string()).unwrap(),
            HostCallbacks::default(),
        )
        .unwrap()
    }

    fn contents(&self) -> Vec<String> {
        let directory = self.state.path().join("changes");
        let sessions = if directory.exists() {
            entries(&directory)
        } else {
            Vec::new()
        };
        sessions
            .iter()
            .flat_map(|session| entries(&directory.join(session)))
            .collect()
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.workspace.path().join(name)).unwrap()
    }
}

async fn write(toolkit: &Toolkit, id: &str, file: &str, content: &str) {
    let params = json!({ "file_path": file, "content": content });
    let call = CallRequest {
        id: id.into(),
        ..CallRequest::new("write", params)
    };
    toolkit.call(call).await.unwrap();
}

fn put(directory: &Path, name: &str, content: &str) {
    fs::write(directory.join(name), content).unwrap();
}

#[tokio::test]
async fn a_session_finds_its_calls_and_checkpoints_again_in_another_process() {
    let scene = Scene::new();
    put(scene.workspace.path(), "a", "0\n");
    let first = scene.toolkit(json!({}));
    let checkpoint = first.checkpoint().unwrap();
    write(&first, "toolu_1", "a", "1\n").await;
    write(&first, "toolu_2", "b", "1\n").await;
    first.close().await.unwrap();
    drop(first);
    assert_eq!(scene.contents().len(), 1, "what `a` was");

    let second = scene.toolkit(json!({}));
    second.undo("toolu_2").await.unwrap();
    assert!(!scene.workspace.path().join("b").exists());
    let seen = second.diff(None).await.unwrap();
    let diff = "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-0\n+1\n";
    let seen: Vec<_> = seen
        .files
        .iter()
        .map(|file| (file.path.as_str(), file.diff.as_deref(), &file.calls))
        .collect();
    assert_eq!(seen, [("a", Some(diff), &vec!["toolu_1".to_owned()])]);
    second.close().await.unwrap();

    let third = scene.toolkit(json!({}));
    third.rollback(&checkpoint, false).await.unwrap();
    assert_eq!(scene.read("a"), "0\n");
    // Nothing of the session stays when it is forgotten.
    assert!(third.forget(None).await.unwrap());
    assert_eq!(scene.contents(), [] as [&str; 0]);
    assert_eq!(
        third.rollback(&checkpoint, false).await.unwrap_err().code,
        ErrorCode::NotFound
    );
    third.close().await.unwrap();
}

#[tokio::test]
async fn a_store_of_the_host_keeps_contents_in_pieces() {
    let scene = Scene::new();
    let large = "0123456789abcdef".repeat(40_000);
    put(scene.workspace.path(), "a", &large);
    let store: std::sync::Arc<dyn tenon_store::Store> =
        std::sync::Arc::new(tenon_store::MemoryStore::default());
    let toolkit = || {
        let options = json!({ "workspace": scene.workspace.path(), "session": { "id": "mine" } });
        let callbacks = HostCallbacks {
            store: Some(std::sync::Arc::clone(&store)),
            ..HostCallbacks::default()
        };
        Toolkit::new(Options::from_json(&options.to_string()).unwrap(), callbacks).unwrap()
    };
    let first = toolkit();
    write(&first, "toolu_1", "a", "1").await;
    first.close().await.unwrap();
    let second = toolkit();
    second.undo("toolu_1").await.unwrap();
    assert_eq!(scene.read("a"), large);
    second.close().await.unwrap();
    assert_eq!(scene.contents(), [] as [&str; 0]);
}

#[tokio::test]
async fn a_session_without_an_id_and_one_without_undo_leave_nothing() {
    let scene = Scene::new();
    let anonymous = json!({ "workspace": scene.workspace.path() });
    let toolkit = Toolkit::new(
        Options::from_json(&anonymous.to_string()).unwrap(),
        HostCallbacks::default(),
    )
    .unwrap();
    write(&toolkit, "toolu_1", "a", "1").await;
    write(&toolkit, "toolu_2", "a", "2").await;
    toolkit.undo("toolu_2").await.unwrap();
    assert_eq!(scene.read("a"), "1");
    toolkit.close().await.unwrap();

    let off = scene.toolkit(json!({ "undo": false }));
    write(&off, "toolu_3", "a", "3").await;
    let error = off.undo("toolu_3").await.unwrap_err();
    assert_eq!(
        (error.code, error.details["toolCallId"].as_str()),
        (ErrorCode::NotFound, Some("toolu_3"))
    );
    off.close().await.unwrap();
    assert_eq!(scene.contents(), [] as [&str; 0]);
}

#[tokio::test]
async fn what_a_command_changed_is_undone_where_the_host_wants_it() {
    let scene = Scene::new();
    put(scene.workspace.path(), "a", "0\n");
    let toolkit = scene.toolkit(json!({ "undo": true, "exec": { "changes": true } }));
    let call = CallRequest {
        id: "toolu_1".into(),
        ..CallRequest::new("exec", json!({ "command": "echo 1 > a; echo 2 > b" }))
    };
    toolkit.call(call).await.unwrap();
    toolkit.undo("toolu_1").await.unwrap();
    assert_eq!(scene.read("a"), "0\n");
    assert!(!scene.workspace.path().join("b").exists());
    toolkit.close().await.unwrap();
}

#[tokio::test]
async fn of_what_is_no_text_or_too_large_only_the_fact_is_shown() {
    let scene = Scene::new();
    put(scene.workspace.path(), "binary", "\0");
    put(scene.workspace.path(), "gone", "x\n");
    let toolkit = scene.toolkit(json!({ "undo": true, "exec": { "changes": true } }));
    let large = "line\n".repeat(60_000);
    write(&toolkit, "1", "large", &large).await;
    let remove = json!({ "command": "rm binary gone" });
    toolkit
        .call(CallRequest::new("exec", remove))
        .await
        .unwrap();
    let seen = serde_json::to_value(toolkit.diff(None).await.unwrap().files).unwrap();
    let gone = "--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n";
    assert_eq!(
        seen,
        json!([
            { "path": "binary", "kind": "delete", "omitted": "binary", "calls": [] },
            { "path": "gone", "kind": "delete", "diff": gone, "additions": 0, "deletions": 1, "calls": [] },
            { "path": "large", "kind": "create", "additions": 60_000, "deletions": 0, "omitted": "too_large", "calls": ["1"] },
        ])
    );
    toolkit.close().await.unwrap();
}
