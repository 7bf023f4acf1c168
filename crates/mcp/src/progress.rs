//! Progress of calls, from the notification of a server to the call that it is about.

use std::collections::HashMap;
use std::sync::Arc;

use rmcp::model::{ProgressNotificationParam, ProgressToken};
use serde_json::{Value, json};
use tokio::sync::{Mutex, MutexGuard};

/// Which call of the host a token stands for.
#[derive(Debug, Clone, Default)]
pub(crate) struct Progress(Arc<Mutex<HashMap<ProgressToken, Value>>>);

impl Progress {
    /// While this is held nothing is delivered: a server may report before its token is entered.
    pub(crate) async fn entering(&self) -> MutexGuard<'_, HashMap<ProgressToken, Value>> {
        self.0.lock().await
    }

    pub(crate) async fn leave(&self, token: &ProgressToken) {
        self.0.lock().await.remove(token);
    }

    /// The event for the host, if a call waits for it.
    pub(crate) async fn event(
        &self,
        server: &str,
        notification: &ProgressNotificationParam,
    ) -> Option<Value> {
        let call = self
            .0
            .lock()
            .await
            .get(&notification.progress_token)
            .cloned()?;
        Some(json!({
            "type": "progress",
            "server": server,
            "call": call,
            "progress": notification.progress,
            "total": notification.total,
            "message": notification.message,
        }))
    }
}
