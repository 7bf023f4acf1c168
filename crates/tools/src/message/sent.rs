//! What was sent, so that nothing is sent twice: a row before each send.
//!
//! The row says `sending` until the host has answered. Anyone who finds it so later does not know whether the message went
//! out, and does not send it again.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tenon_contract::{ErrorCode, ToolError, limits};
use tenon_store::{Commit, Expect, Json, Key, Operation, Store, StoreError, Version};

use super::MessageStatus;

/// The space of the rows.
const SPACE: &str = "messages";

/// What was sent in a session.
#[derive(Clone)]
pub struct SentMessages {
    store: Arc<dyn Store>,
    /// The session in the names of rows.
    scope: String,
}

/// A row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Sent {
    /// Nothing until the host has answered.
    pub(super) status: Option<MessageStatus>,
    pub(super) id: Option<String>,
    pub(super) error: Option<String>,
}

/// What came of a claim.
pub(super) enum Claim {
    /// It is ours to send.
    Ours(Version),
    /// It was sent before, or somebody is about to.
    Before(Sent),
}

impl SentMessages {
    /// What was sent in the session of this name.
    #[must_use]
    pub fn new(store: Arc<dyn Store>, scope: impl Into<String>) -> Self {
        Self {
            store,
            scope: scope.into(),
        }
    }

    /// The key of a part of what a call sends. The same id for another message is another message.
    pub(super) fn key(&self, call_id: &str, content: &str, part: usize) -> Key {
        let hash = blake3::hash(format!("{call_id}\u{0}{content}").as_bytes()).to_hex();
        Key::new(SPACE, format!("{}/{hash}/{part:04}", self.scope))
    }

    /// Claims a part before it is sent.
    pub(super) async fn claim(&self, key: &Key) -> Result<Claim, ToolError> {
        let blank = Sent {
            status: None,
            id: None,
            error: None,
        };
        let now = self.store.now().await.map_err(failed)?;
        let put = self.put(key, &blank, now)?.expecting(Expect::Absent);
        match self.store.commit(vec![put]).await.map_err(failed)? {
            Commit::Done { versions } => {
                Ok(Claim::Ours(versions.first().copied().unwrap_or_default()))
            }
            Commit::Conflict { .. } => {
                let row = self
                    .store
                    .get(vec![key.clone()])
                    .await
                    .map_err(failed)?
                    .into_iter()
                    .next()
                    .flatten();
                let row = row
                    .map(|row| row.value.read())
                    .transpose()
                    .map_err(failed)?;
                Ok(Claim::Before(row.unwrap_or(blank)))
            }
        }
    }

    /// Writes down what came of it. It is sent by now: a store that fails leaves the row as it is, and it stays unknown.
    pub(super) async fn settle(&self, key: &Key, version: Version, sent: &Sent) {
        let Ok(now) = self.store.now().await else {
            return;
        };
        let Ok(put) = self.put(key, sent, now) else {
            return;
        };
        let _ = self
            .store
            .commit(vec![put.expecting(Expect::Version(version))])
            .await;
    }

    fn put(&self, key: &Key, sent: &Sent, now: i64) -> Result<Operation, ToolError> {
        let json = Json::of(sent).map_err(failed)?;
        let age = millis(limits::MESSAGE_ROWS_MAX_AGE);
        Ok(Operation::put(key.clone(), json).expiring(now.saturating_add(age)))
    }
}

fn millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}

fn failed(error: StoreError) -> ToolError {
    let message =
        format!("Nothing was sent: it could not be recorded, and might be sent twice. {error}");
    ToolError::new(ErrorCode::Io, message).caused_by(error)
}
