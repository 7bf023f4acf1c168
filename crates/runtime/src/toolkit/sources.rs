//! Where the text comes from that the agents of a toolkit have read.

use tenon_contract::{ErrorCode, ToolError};

use super::Toolkit;
use crate::taint::{Bringer, SourceRead, reported_by_host};

impl Toolkit {
    /// The places that text came from which this toolkit, the others of its session and their sub-agents have read, the
    /// first one first. Empty where nothing is recorded.
    pub async fn sources(&self) -> Vec<SourceRead> {
        let Some(taint) = self.inner.judge.taint() else {
            return Vec::new();
        };
        taint.refresh().await;
        taint.read()
    }

    /// Notes that the host has given text of this place to the model.
    ///
    /// # Errors
    /// A source that there is not, a place without a name, and a toolkit that records no sources.
    pub async fn add_source(&self, source: &str, from: &str) -> Result<(), ToolError> {
        let origin = reported_by_host(source, from)?;
        let Some(taint) = self.inner.judge.taint() else {
            let message = "This toolkit records no sources. Create it with `taint: true`, `taint: 'record'`, or a rule with a condition such as `Bash after network`.";
            return Err(ToolError::new(ErrorCode::InvalidParams, message).with("option", "taint"));
        };
        let events = &self.inner.living.events;
        let who = Bringer {
            session: events.session(),
            call: None,
        };
        let new = taint.add(who, &[origin]).await;
        events.sources_added(None, &new);
        Ok(())
    }
}
