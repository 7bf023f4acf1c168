//! What the searches of one toolkit share.

use std::time::{Duration, Instant};

use tenon_contract::{ToolContext, limits};
use tenon_search::{Control, Index};

/// How searches are done.
#[derive(Debug, Clone)]
pub struct SearchSettings {
    /// What makes searches quick from the second one on.
    pub index: Index,
    /// How long a call may take. A little before, a search answers what it has.
    pub time_limit: Duration,
}

impl Default for SearchSettings {
    fn default() -> Self {
        Self {
            index: Index::off(),
            time_limit: limits::CALL_TIMEOUT,
        }
    }
}

impl SearchSettings {
    /// When a search that begins now has to answer.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        let spared = (self.time_limit / 10).min(limits::SEARCH_ANSWER_RESERVE);
        Instant::now().checked_add(self.time_limit - spared)
    }
}

/// The control of one search of a call.
pub(crate) fn control(context: &ToolContext, deadline: Option<Instant>) -> Control<'static> {
    Control {
        cancellation: Some(context.cancellation().clone()),
        deadline,
        ..Control::default()
    }
}
