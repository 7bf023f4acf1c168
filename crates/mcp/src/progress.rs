//! Progress of calls, from the notification of a server to the call that it is about.
//!
//! `rmcp` hands each notification to a task of its own, and an answer straight to the call that waits for it: what a
//! server reports right before it answers could arrive after the call has ended. So progress is read where messages arrive,
//! one after the other, before `rmcp` sees them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use rmcp::RoleClient;
use rmcp::model::{
    GetExtensions, GetMeta, JsonRpcMessage, JsonRpcNotification, ProgressNotificationParam,
    ProgressToken, ServerNotification,
};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::host::McpHost;

/// How the host knows a call, among the extensions of the request that is sent for it.
#[derive(Debug, Clone)]
pub(crate) struct CallKey(pub(crate) Value);

/// Which call of the host a token stands for.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tokens(Arc<Mutex<HashMap<ProgressToken, Value>>>);

impl Tokens {
    fn with<R>(&self, act: impl FnOnce(&mut HashMap<ProgressToken, Value>) -> R) -> R {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn leave(&self, token: &ProgressToken) {
        self.with(|tokens| tokens.remove(token));
    }
}

/// A transport that reports the progress of calls while it receives.
pub(crate) struct Reporting<T> {
    pub(crate) inner: T,
    pub(crate) server: String,
    pub(crate) host: Arc<dyn McpHost>,
    pub(crate) tokens: Tokens,
    /// Notified with every sign of life.
    pub(crate) alive: Arc<Notify>,
}

impl<T: Transport<RoleClient>> Transport<RoleClient> for Reporting<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.enter(&message);
        self.inner.send(message)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        let message = self.inner.receive().await?;
        if let JsonRpcMessage::Notification(JsonRpcNotification {
            notification: ServerNotification::ProgressNotification(progress),
            ..
        }) = &message
        {
            self.report(&progress.params);
        }
        Some(message)
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.inner.close().await
    }
}

impl<T> Reporting<T> {
    /// Enters the token of a call before the server can know it.
    fn enter(&self, message: &TxJsonRpcMessage<RoleClient>) {
        let JsonRpcMessage::Request(request) = message else {
            return;
        };
        let request = &request.request;
        if let Some(CallKey(key)) = request.extensions().get()
            && let Some(token) = request.get_meta().get_progress_token()
        {
            self.tokens.with(|tokens| tokens.insert(token, key.clone()));
        }
    }

    /// Gives it to the host, if a call waits for it.
    fn report(&self, progress: &ProgressNotificationParam) {
        self.alive.notify_waiters();
        let token = &progress.progress_token;
        let call = self.tokens.with(|tokens| tokens.get(token).cloned());
        if let Some(call) = call {
            self.host.report(json!({
                "type": "progress",
                "server": self.server,
                "call": call,
                "progress": progress.progress,
                "total": progress.total,
                "message": progress.message,
            }));
        }
    }
}
