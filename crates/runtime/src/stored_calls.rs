//! The calls of a session beyond those of one toolkit.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use tenon_contract::{ErrorCode, ToolError};
use tenon_state::{SessionKey, SessionRecords};
use tenon_store::StoreError;
use tenon_tools::off_thread;

use crate::Toolkit;

/// One call of a session, as its store has kept it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct StoredCall {
    /// Its number: `before` of the page that goes back further.
    pub seq: u64,
    /// When it ended, in milliseconds since 1970.
    pub at: i64,
    /// The call, without secrets: the members of a `HistoryEntry`.
    #[serde(flatten)]
    pub call: Value,
}

impl Toolkit {
    /// The last calls of the session, those of earlier toolkits too, oldest first; with `before`, the last ones before
    /// that number. Empty for a session that goes with its toolkit.
    ///
    /// # Errors
    /// When the store does not return them.
    pub async fn stored_calls(
        &self,
        before: Option<u64>,
        limit: usize,
    ) -> Result<Vec<StoredCall>, ToolError> {
        let Some(records) = self.past().records() else {
            return Ok(Vec::new());
        };
        self.past().stored().await;
        let calls = records.calls(before, limit).await;
        let calls = calls
            .map_err(|error| ToolError::new(ErrorCode::Io, error.to_string()).caused_by(error))?;
        let stored = calls.into_iter().map(|past| StoredCall {
            seq: past.seq,
            at: past.at,
            call: past.call,
        });
        Ok(stored.collect())
    }

    /// Removes everything that the store keeps of a session of this workspace; of the own one without a name. Whether
    /// there was anything. Calls that have ended by then are removed; those that still run are recorded later.
    ///
    /// # Errors
    /// For the name of another session where this one is kept nowhere, and when the store fails.
    pub async fn forget(&self, session: Option<&str>) -> Result<bool, ToolError> {
        let own = self.records();
        let Some(id) = session.filter(|id| *id != own.session().id) else {
            self.past().stored().await;
            return self.removed(own).await;
        };
        if self.past().records().is_none() {
            let sentence = format!(
                "The session `{id}` cannot be removed by a toolkit that keeps nothing: make one with the option `session.id` or `session.store`."
            );
            return Err(ToolError::new(ErrorCode::InvalidParams, sentence));
        }
        let session = SessionKey {
            workspace: own.session().workspace.clone(),
            id: id.to_owned(),
        };
        self.removed(&own.of(session)).await
    }

    async fn removed(&self, records: &SessionRecords) -> Result<bool, ToolError> {
        if let Some(place) = self.place_of_changes() {
            let (place, records) = (place.clone(), records.clone());
            let work = off_thread(move || place.forget(&records));
            work.await?.map_err(|error| {
                let sentence = format!(
                    "The old contents of files could not be removed: {error}. Try it again."
                );
                ToolError::new(ErrorCode::Io, sentence).caused_by(error)
            })?;
        }
        removed(records).await
    }
}

async fn removed(records: &SessionRecords) -> Result<bool, ToolError> {
    records.forget().await.map_err(|error| {
        let sentence = match &error {
            StoreError::Unsupported(method) => format!(
                "`session.store` has no function `{method}`, which removes a log: add it, so that history can be removed. Nothing was."
            ),
            _ => format!("The session could not be removed whole: {error} Try it again."),
        };
        ToolError::new(ErrorCode::Io, sentence).caused_by(error)
    })
}
