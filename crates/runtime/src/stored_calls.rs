//! The calls of a session beyond those of one toolkit.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use tenon_contract::{ErrorCode, ToolError};

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
}
