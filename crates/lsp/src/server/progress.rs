//! What a server is busy with, by its progress tokens (LSP `$/progress`).

use std::collections::HashSet;
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::Value;
use tokio::sync::watch;

use crate::protocol::message::Id;

/// The tokens that have begun and not ended. Clones are the same.
#[derive(Debug, Clone)]
pub(crate) struct Progress(watch::Sender<Tokens>);

#[derive(Debug, Clone, Default)]
struct Tokens {
    active: HashSet<Id>,
    /// When the last one ended.
    ended: Option<Instant>,
    /// rust-analyzer: whether it has nothing more to load.
    quiescent: Option<bool>,
}

#[derive(Deserialize)]
struct Params {
    token: Id,
    value: Value,
}

impl Progress {
    pub(crate) fn new() -> Self {
        Self(watch::Sender::new(Tokens::default()))
    }

    /// Takes the params of a `$/progress` notification.
    pub(crate) fn take(&self, params: Value) {
        let Ok(Params { token, value }) = serde_json::from_value(params) else {
            return;
        };
        self.0
            .send_modify(|tokens| match value.get("kind").and_then(Value::as_str) {
                Some("begin") => {
                    tokens.active.insert(token);
                }
                Some("end") => {
                    tokens.active.remove(&token);
                    tokens.ended = Some(Instant::now());
                }
                _ => {}
            });
    }

    /// Takes what rust-analyzer says of its state.
    pub(crate) fn quiescent(&self, quiescent: bool) {
        self.0.send_modify(|tokens| {
            tokens.quiescent = Some(quiescent);
        });
    }

    /// Whether something is under way.
    pub(crate) fn is_busy(&self) -> bool {
        self.0.borrow().is_busy()
    }

    /// Whether the server has said that it is quiescent.
    pub(crate) fn is_quiescent(&self) -> bool {
        self.0.borrow().quiescent == Some(true)
    }

    /// Waits until nothing has been under way for `quiet`, or the server says that it is quiescent.
    pub(crate) async fn idle(&self, quiet: Duration) {
        let mut tokens = self.0.subscribe();
        loop {
            // Fails only when the sender is gone, and that is this very value.
            let _ = tokens.wait_for(|tokens| !tokens.is_busy()).await;
            let since = tokens.borrow().ended.map_or(quiet, |ended| ended.elapsed());
            let Some(rest) = quiet.checked_sub(since).filter(|rest| !rest.is_zero()) else {
                return;
            };
            tokio::select! {
                _ = tokens.wait_for(Tokens::is_busy) => {}
                () = tokio::time::sleep(rest) => return,
            }
        }
    }

    /// Waits until the server says that it is quiescent.
    pub(crate) async fn became_quiescent(&self) {
        let mut tokens = self.0.subscribe();
        let _ = tokens
            .wait_for(|tokens| tokens.quiescent == Some(true) && tokens.active.is_empty())
            .await;
    }
}

impl Tokens {
    fn is_busy(&self) -> bool {
        !self.active.is_empty() || self.quiescent == Some(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn report(progress: &Progress, token: Value, kind: &str) {
        progress.take(json!({ "token": token, "value": { "kind": kind, "title": "Indexing" } }));
    }

    #[tokio::test]
    async fn the_end_of_all_tokens_is_awaited_and_then_a_silence() {
        let progress = Progress::new();
        assert!(!progress.is_busy());
        report(&progress, json!(1), "begin");
        report(&progress, json!("a"), "begin");
        assert!(progress.is_busy());
        report(&progress, json!(1), "report");
        report(&progress, json!(1), "end");
        assert!(
            tokio::time::timeout(Duration::from_millis(20), progress.idle(Duration::ZERO))
                .await
                .is_err()
        );
        report(&progress, json!("a"), "end");
        progress.idle(Duration::from_millis(10)).await;
        progress.take(json!({ "token": {}, "value": 1 }));
        progress.quiescent(false);
        assert!(progress.is_busy());
        progress.quiescent(true);
        progress.became_quiescent().await;
    }
}
