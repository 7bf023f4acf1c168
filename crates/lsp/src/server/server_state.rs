//! What a server says by itself, and the answers to what it asks. Nothing it asks stays unanswered: a server that
//! waits for the client does nothing else.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::diagnostics::published::Published;
use crate::freshness::watching::Watchers;
use crate::protocol::connection::Listener;
use crate::protocol::message::{Id, ResponseError};
use crate::protocol::uri::file_uri;
use crate::server::capabilities::{Registration, ServerFeatures};
use crate::server::progress::Progress;

/// Texts of a server that are kept to determine why it failed.
const SAID_MAX: usize = 20;

/// All that is known of a server from what it said. Clones share it.
#[derive(Clone)]
pub(crate) struct ServerState(Arc<Inner>);

struct Inner {
    root: PathBuf,
    settings: Value,
    /// What it logs when it is ready, if it does.
    ready_text: Option<&'static str>,
    /// Cancelled when it logged that.
    is_ready: CancellationToken,
    known: Mutex<ReportedFacts>,
    progress: Progress,
    published: Published,
    registered: tokio::sync::watch::Sender<u64>,
}

#[derive(Default)]
struct ReportedFacts {
    features: ServerFeatures,
    watchers: Watchers,
    /// Errors that it reported, newest last.
    said: Vec<String>,
    /// Edits that it wants made, while somebody collects them.
    edits: Option<Vec<Value>>,
}

impl ServerState {
    pub(crate) fn new(root: PathBuf, settings: Value, ready_text: Option<&'static str>) -> Self {
        Self(Arc::new(Inner {
            root,
            settings,
            ready_text,
            is_ready: CancellationToken::new(),
            known: Mutex::default(),
            progress: Progress::new(),
            published: Published::new(),
            registered: tokio::sync::watch::Sender::new(0),
        }))
    }

    /// Takes what the server can from its answer to `initialize`. What it registered before stays.
    pub(crate) fn initialized(&self, capabilities: Value) {
        let mut known = self.lock();
        let mut features = ServerFeatures::new(capabilities);
        std::mem::swap(&mut known.features, &mut features);
        known.features.adopt(features);
    }

    /// What it can.
    pub(crate) fn features<T>(&self, look: impl FnOnce(&ServerFeatures) -> T) -> T {
        look(&self.lock().features)
    }

    pub(crate) fn watchers(&self) -> Watchers {
        self.lock().watchers.clone()
    }

    pub(crate) fn progress(&self) -> &Progress {
        &self.0.progress
    }

    pub(crate) fn published(&self) -> &Published {
        &self.0.published
    }

    /// Changes whenever the server registers something or withdraws it.
    pub(crate) fn registrations(&self) -> tokio::sync::watch::Receiver<u64> {
        self.0.registered.subscribe()
    }

    /// Waits until it has logged that it is ready.
    pub(crate) async fn logged_ready(&self) {
        self.0.is_ready.cancelled().await;
    }

    /// Whether it has.
    pub(crate) fn has_logged_ready(&self) -> bool {
        self.0.is_ready.is_cancelled()
    }

    /// The errors that it reported, newest last.
    pub(crate) fn said(&self) -> Vec<String> {
        self.lock().said.clone()
    }

    /// From now on the edits that it wants made are kept for [`collected`](Self::collected).
    pub(crate) fn collect_edits(&self) {
        self.lock().edits = Some(Vec::new());
    }

    /// The edits since, which nobody has made.
    pub(crate) fn collected(&self) -> Vec<Value> {
        self.lock().edits.take().unwrap_or_default()
    }

    fn lock(&self) -> MutexGuard<'_, ReportedFacts> {
        self.0.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn configuration(&self, params: &Value) -> Value {
        let items = params.get("items").and_then(Value::as_array);
        let one = |item: &Value| {
            section(
                &self.0.settings,
                item.get("section").and_then(Value::as_str),
            )
        };
        items.into_iter().flatten().map(one).collect()
    }

    fn register(&self, params: &Value) {
        let list = params.get("registrations").and_then(Value::as_array);
        let mut known = self.lock();
        for registration in list.into_iter().flatten() {
            if let Ok(registration) = serde_json::from_value::<Registration>(registration.clone()) {
                known.features.register(registration);
            }
        }
        known.watchers = Watchers::of(&known.features);
        drop(known);
        self.0.registered.send_modify(|count| *count += 1);
    }

    fn unregister(&self, params: &Value) {
        // The protocol has the misspelling; some servers do not.
        let list = params
            .get("unregisterations")
            .or_else(|| params.get("unregistrations"));
        let mut known = self.lock();
        for registration in list.and_then(Value::as_array).into_iter().flatten() {
            if let Some(id) = registration.get("id").and_then(Value::as_str) {
                known.features.unregister(id);
            }
        }
        known.watchers = Watchers::of(&known.features);
        drop(known);
        self.0.registered.send_modify(|count| *count += 1);
    }

    fn apply(&self, params: &Value) -> Value {
        let mut known = self.lock();
        match (&mut known.edits, params.get("edit")) {
            (Some(edits), Some(edit)) => {
                edits.push(edit.clone());
                json!({ "applied": true })
            }
            _ => {
                json!({ "applied": false, "failureReason": "Files are changed by the tools of the client only." })
            }
        }
    }

    fn log(&self, params: Option<&RawValue>) {
        #[derive(Deserialize)]
        struct Message {
            #[serde(rename = "type", default)]
            kind: u8,
            #[serde(default)]
            message: String,
        }
        let Some(Ok(Message { kind, message })) =
            params.map(|params| serde_json::from_str(params.get()))
        else {
            return;
        };
        if self.0.ready_text.is_some_and(|text| message.contains(text)) {
            self.0.is_ready.cancel();
        }
        if kind == 1 {
            let mut known = self.lock();
            if known.said.len() >= SAID_MAX {
                known.said.remove(0);
            }
            known.said.push(message.chars().take(1000).collect());
        }
    }

    /// pyright's own way to say that it is busy, where it does not use progress tokens.
    fn busy(&self, kind: &str) {
        let token = Id::Text("client:own".to_owned());
        self.0
            .progress
            .take(json!({ "token": token, "value": { "kind": kind } }));
    }
}

/// The part of the settings that a dotted name means; all of them for no name.
fn section(settings: &Value, name: Option<&str>) -> Value {
    let Some(name) = name.filter(|name| !name.is_empty()) else {
        return settings.clone();
    };
    let mut found = settings;
    for part in name.split('.') {
        found = found.get(part).unwrap_or(&Value::Null);
    }
    found.clone()
}

fn parsed(params: Option<&RawValue>) -> Value {
    params
        .and_then(|params| serde_json::from_str(params.get()).ok())
        .unwrap_or(Value::Null)
}

impl Listener for ServerState {
    fn notified(&self, method: &str, params: Option<&RawValue>) {
        match method {
            "textDocument/publishDiagnostics" => self.0.published.take(parsed(params)),
            "$/progress" => self.0.progress.take(parsed(params)),
            "window/logMessage" | "window/showMessage" => self.log(params),
            "pyright/beginProgress" => self.busy("begin"),
            "pyright/endProgress" => self.busy("end"),
            "experimental/serverStatus" => {
                let quiescent = parsed(params).get("quiescent").and_then(Value::as_bool);
                if let Some(quiescent) = quiescent {
                    self.0.progress.quiescent(quiescent);
                }
            }
            _ => {}
        }
    }

    fn asked(&self, method: &str, params: Option<&RawValue>) -> Result<Value, ResponseError> {
        let params = parsed(params);
        match method {
            "workspace/configuration" => Ok(self.configuration(&params)),
            "client/registerCapability" => {
                self.register(&params);
                Ok(Value::Null)
            }
            "client/unregisterCapability" => {
                self.unregister(&params);
                Ok(Value::Null)
            }
            "workspace/applyEdit" => Ok(self.apply(&params)),
            "workspace/workspaceFolders" => Ok(json!([directory(&self.0.root)])),
            "window/workDoneProgress/create" | "window/showMessageRequest" => Ok(Value::Null),
            "window/showDocument" => Ok(json!({ "success": false })),
            method if method.starts_with("workspace/") && method.ends_with("/refresh") => {
                Ok(Value::Null)
            }
            method => Err(ResponseError::new(
                ResponseError::METHOD_NOT_FOUND,
                format!("The client does not know `{method}`."),
            )),
        }
    }
}

/// A workspace directory of the protocol.
pub(crate) fn directory(root: &std::path::Path) -> Value {
    let name = root
        .file_name()
        .map_or_else(|| "/".into(), |name| name.to_string_lossy().into_owned());
    json!({ "uri": file_uri(root), "name": name })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(server_state: &ServerState, method: &str, params: Value) -> Result<Value, i64> {
        let params = serde_json::value::to_raw_value(&params).unwrap();
        server_state
            .asked(method, Some(&params))
            .map_err(|error| error.code)
    }

    fn server_state() -> ServerState {
        ServerState::new(
            "/w/project".into(),
            json!({ "python": { "analysis": { "x": 1 } }, "a": 2 }),
            Some("Completed"),
        )
    }

    #[test]
    fn everything_that_is_asked_is_answered() {
        let server_state = server_state();
        let items = json!({ "items": [{ "section": "python.analysis" }, { "section": "b.c" }, {}, { "section": "" }] });
        let all = json!({ "python": { "analysis": { "x": 1 } }, "a": 2 });
        assert_eq!(
            ask(&server_state, "workspace/configuration", items),
            Ok(json!([{ "x": 1 }, null, all, all]))
        );
        assert_eq!(
            ask(
                &server_state,
                "window/workDoneProgress/create",
                json!({ "token": 1 })
            ),
            Ok(Value::Null)
        );
        assert_eq!(
            ask(
                &server_state,
                "workspace/semanticTokens/refresh",
                Value::Null
            ),
            Ok(Value::Null)
        );
        assert_eq!(
            ask(&server_state, "workspace/workspaceFolders", Value::Null),
            Ok(json!([{ "uri": "file:///w/project", "name": "project" }]))
        );
        assert_eq!(
            ask(&server_state, "rust-analyzer/unknown", json!([])),
            Err(-32601)
        );
        assert_eq!(
            ask(&server_state, "workspace/configuration", json!("odd")),
            Ok(json!([]))
        );
    }

    #[test]
    fn edits_are_refused_unless_somebody_collects_them() {
        let server_state = server_state();
        let apply = |server_state: &ServerState| {
            ask(
                server_state,
                "workspace/applyEdit",
                json!({ "edit": { "changes": {} } }),
            )
            .unwrap()["applied"]
                .clone()
        };
        assert_eq!(apply(&server_state), json!(false));
        server_state.collect_edits();
        assert_eq!(apply(&server_state), json!(true));
        assert_eq!(server_state.collected(), [json!({ "changes": {} })]);
        assert_eq!(apply(&server_state), json!(false));
    }

    #[tokio::test]
    async fn what_it_says_is_kept() {
        let server_state = server_state();
        let say = |method: &str, params: Value| {
            server_state.notified(
                method,
                Some(&serde_json::value::to_raw_value(&params).unwrap()),
            )
        };
        say(
            "window/logMessage",
            json!({ "type": 3, "message": "BackgroundAnalysis: Completed after 1 s" }),
        );
        server_state.logged_ready().await;
        say(
            "window/showMessage",
            json!({ "type": 1, "message": "no project" }),
        );
        assert_eq!(server_state.said(), ["no project"]);
        say("pyright/beginProgress", Value::Null);
        assert!(server_state.progress().is_busy());
        say("pyright/endProgress", Value::Null);
        assert!(!server_state.progress().is_busy());
        say(
            "textDocument/publishDiagnostics",
            json!({ "uri": "file:///w/a.py", "version": 3, "diagnostics": [{}] }),
        );
        assert_eq!(
            server_state
                .published()
                .of(std::path::Path::new("/w/a.py"))
                .unwrap()
                .version,
            Some(3)
        );
        say("textDocument/publishDiagnostics", json!({ "uri": 3 }));
        server_state.notified("textDocument/publishDiagnostics", None);
    }
}
