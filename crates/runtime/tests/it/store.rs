//! Sessions that outlive their toolkit.

use std::fs;
#[cfg(unix)]
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tenon_runtime::{CallRequest, HostCallbacks, Options, Toolkit};

fn private() -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    #[cfg(unix)]
    fs::set_permissions(directory.path(), fs::Permissions::from_mode(0o700)).unwrap();
    directory
}

fn toolkit(workspace: &Path, store: &Path, callbacks: HostCallbacks) -> Toolkit {
    let options = json!({ "workspace": workspace, "session": { "id": "mine", "store": store } });
    Toolkit::new(Options::from_json(&options.to_string()).unwrap(), callbacks).unwrap()
}

async fn call(toolkit: &Toolkit, tool: &str, params: Value) -> Value {
    let outcome = toolkit.call(CallRequest::new(tool, params)).await.unwrap();
    outcome.details.into_value()
}

#[tokio::test]
async fn a_named_session_goes_on_in_another_toolkit() {
    let (workspace, state) = (private(), private());
    let first = toolkit(workspace.path(), state.path(), HostCallbacks::default());
    let todos = json!([{ "content": "x", "status": "pending" }]);
    call(&first, "todo_write", json!({ "todos": todos })).await;
    first.close().await.unwrap();
    drop(first);
    let second = toolkit(workspace.path(), state.path(), HostCallbacks::default());
    assert_eq!(call(&second, "todo_read", json!({})).await["items"], todos);
    let calls = second.stored_calls(None, 10).await.unwrap();
    let tools: Vec<&Value> = calls.iter().map(|call| &call.call["tool"]).collect();
    assert_eq!(tools, ["todo_write", "todo_read"]);
    assert_eq!(second.history().len(), 1);
    second.close().await.unwrap();
}

#[tokio::test]
async fn the_last_toolkit_that_is_closed_lets_go_of_the_file_of_the_store() {
    let (workspace, state) = (private(), private());
    let files = || crate::support::entries(state.path());
    let make = || toolkit(workspace.path(), state.path(), HostCallbacks::default());
    let todos = json!([{ "content": "x", "status": "pending" }]);
    let (first, second) = (make(), make());
    call(&first, "todo_write", json!({ "todos": todos })).await;
    call(&second, "todo_read", json!({})).await;
    first.close().await.unwrap();
    assert!(
        files().contains(&"state.db-wal".to_owned()),
        "{:?}",
        files()
    );
    assert_eq!(call(&second, "todo_read", json!({})).await["items"], todos);
    second.close().await.unwrap();
    // Both are still there, but nothing of the store is open.
    assert_eq!(files(), ["state.db"]);
    let third = make();
    assert_eq!(call(&third, "todo_read", json!({})).await["items"], todos);
    third.close().await.unwrap();
    assert_eq!(files(), ["state.db"]);
    drop((first, second));
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_toolkit_that_is_closed_holds_none_of_its_directories() {
    let (workspace, state) = (private(), private());
    let opened = toolkit(workspace.path(), state.path(), HostCallbacks::default());
    fs::write(workspace.path().join("a.txt"), "x").unwrap();
    call(&opened, "read", json!({ "path": "a.txt" })).await;
    let held = || {
        let open = fs::read_dir("/proc/self/fd").unwrap();
        let places = open.filter_map(|entry| fs::read_link(entry.ok()?.path()).ok());
        let root = workspace.path().canonicalize().unwrap();
        places.filter(|place| place.starts_with(&root)).count()
    };
    assert_eq!(held(), 1);
    opened.close().await.unwrap();
    assert_eq!(held(), 0);
}

#[tokio::test]
async fn a_damaged_store_is_reported_once_and_the_work_goes_on() {
    let (workspace, state) = (private(), private());
    fs::write(
        state.path().join("state.db"),
        "no database at all, by far".repeat(100),
    )
    .unwrap();
    let received: Arc<Mutex<Vec<String>>> = Arc::default();
    let kept = Arc::clone(&received);
    let callbacks = HostCallbacks {
        warn: Some(Arc::new(move |sentence| {
            kept.lock().unwrap().push(sentence)
        })),
        ..HostCallbacks::default()
    };
    let toolkit = toolkit(workspace.path(), state.path(), callbacks);
    let todos = json!([{ "content": "x", "status": "pending" }]);
    call(&toolkit, "todo_write", json!({ "todos": todos })).await;
    assert_eq!(call(&toolkit, "todo_read", json!({})).await["items"], todos);
    toolkit.close().await.unwrap();
    let received = received.lock().unwrap();
    assert_eq!(received.len(), 1, "{received:?}");
    assert!(
        received[0].contains("was damaged. It was moved to"),
        "{received:?}"
    );
}

#[tokio::test]
async fn a_store_inside_of_the_workspace_is_refused_when_the_toolkit_is_made() {
    let workspace = private();
    let inside = workspace.path().join("state");
    let options =
        json!({ "workspace": workspace.path(), "session": { "id": "mine", "store": inside } });
    let options = Options::from_json(&options.to_string()).unwrap();
    let error = Toolkit::new(options, HostCallbacks::default()).unwrap_err();
    assert_eq!(error.details["option"], "options.session.store");
    assert!(!inside.exists());
}

#[tokio::test]
async fn a_session_without_a_name_stores_nothing() {
    let workspace = private();
    let options = json!({ "workspace": workspace.path() }).to_string();
    let toolkit = Toolkit::new(
        Options::from_json(&options).unwrap(),
        HostCallbacks::default(),
    )
    .unwrap();
    call(&toolkit, "todo_write", json!({ "todos": [] })).await;
    assert!(toolkit.stored_calls(None, 10).await.unwrap().is_empty());
    assert_eq!(toolkit.history().len(), 1);
}

#[tokio::test]
async fn a_session_is_forgotten_by_its_own_toolkit_and_by_another_of_its_workspace() {
    let (workspace, elsewhere, state) = (private(), private(), private());
    let named = |workspace: &Path, id: &str| {
        let session = json!({ "id": id, "store": state.path() });
        let options = json!({ "workspace": workspace, "session": session }).to_string();
        Toolkit::new(
            Options::from_json(&options).unwrap(),
            HostCallbacks::default(),
        )
        .unwrap()
    };
    let todos = json!([{ "content": "x", "status": "pending" }]);
    let write = json!({ "todos": todos });
    let own = named(workspace.path(), "own");
    let other = named(workspace.path(), "other");
    let far = named(elsewhere.path(), "other");
    for toolkit in [&own, &other, &far] {
        call(toolkit, "todo_write", write.clone()).await;
    }
    assert!(other.stored_calls(None, 10).await.unwrap().len() == 1);
    assert!(own.forget(Some("other")).await.unwrap());
    assert!(!own.forget(Some("other")).await.unwrap());
    assert_eq!(
        call(&other, "todo_read", json!({})).await["items"],
        json!([])
    );
    assert_eq!(call(&far, "todo_read", json!({})).await["items"], todos);
    assert_eq!(call(&own, "todo_read", json!({})).await["items"], todos);
    assert!(own.forget(None).await.unwrap());
    assert!(own.stored_calls(None, 10).await.unwrap().is_empty());
    assert_eq!(call(&own, "todo_read", json!({})).await["items"], json!([]));
    for toolkit in [own, other, far] {
        toolkit.close().await.unwrap();
    }
}

#[tokio::test]
async fn a_toolkit_that_keeps_nothing_forgets_itself_and_refuses_others() {
    let workspace = private();
    let options = json!({ "workspace": workspace.path() }).to_string();
    let toolkit = Toolkit::new(
        Options::from_json(&options).unwrap(),
        HostCallbacks::default(),
    )
    .unwrap();
    let todos = json!([{ "content": "x", "status": "pending" }]);
    call(&toolkit, "todo_write", json!({ "todos": todos })).await;
    let error = toolkit.forget(Some("chat-6")).await.unwrap_err();
    assert_eq!(
        error.message,
        "The session `chat-6` cannot be removed by a toolkit that keeps nothing: make one with the option `session.id` or `session.store`."
    );
    assert!(toolkit.forget(None).await.unwrap());
    assert_eq!(
        call(&toolkit, "todo_read", json!({})).await["items"],
        json!([])
    );
}
