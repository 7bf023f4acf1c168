//! The diagnostics that a server pushed, newest per file (LSP `textDocument/publishDiagnostics`).

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::Deserialize;
use serde_json::Value;
use tokio::sync::watch;
use tokio::time::Instant;

use crate::protocol::uri::file_path;

/// Most files whose diagnostics are kept; those of files that nobody asked about go first.
const FILES_MAX: usize = 2_000;

/// What was pushed last for one file.
#[derive(Debug, Clone)]
pub(crate) struct Pushed {
    /// The version of the text that it is for, where the server says.
    pub(crate) version: Option<i64>,
    /// The diagnostics as they came.
    pub(crate) items: Arc<[Value]>,
    /// When it came.
    pub(crate) at: Instant,
}

/// Everything that was pushed. Clones are the same.
#[derive(Debug, Clone)]
pub(crate) struct Published {
    files: Arc<Mutex<HashMap<PathBuf, Pushed>>>,
    /// Counts what came.
    count: watch::Sender<u64>,
}

#[derive(Deserialize)]
struct Params {
    uri: String,
    #[serde(default)]
    version: Option<i64>,
    #[serde(default)]
    diagnostics: Vec<Value>,
}

impl Published {
    pub(crate) fn new() -> Self {
        Self {
            files: Arc::default(),
            count: watch::Sender::new(0),
        }
    }

    /// Takes the params of a notification.
    pub(crate) fn take(&self, params: Value) {
        let Ok(params) = serde_json::from_value::<Params>(params) else {
            return;
        };
        let Some(path) = file_path(&params.uri) else {
            return;
        };
        let pushed = Pushed {
            version: params.version,
            items: params.diagnostics.into(),
            at: Instant::now(),
        };
        let mut files = self.lock();
        if files.len() >= FILES_MAX && !files.contains_key(&path) {
            // A server that checks the whole project reports every file; the clean ones say least.
            files.retain(|_, pushed| !pushed.items.is_empty());
            if files.len() >= FILES_MAX {
                return;
            }
        }
        files.insert(path, pushed);
        drop(files);
        self.count.send_modify(|count| *count += 1);
    }

    /// What came last for a file.
    pub(crate) fn of(&self, path: &Path) -> Option<Pushed> {
        self.lock().get(path).cloned()
    }

    /// Forgets what came for a file: it is closed, or it is gone.
    pub(crate) fn forget(&self, path: &Path) {
        self.lock().remove(path);
    }

    /// Hears of everything that comes from now on.
    pub(crate) fn subscribe(&self) -> watch::Receiver<u64> {
        self.count.subscribe()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<PathBuf, Pushed>> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
