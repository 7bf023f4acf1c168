//! A call as its caller makes it.

use std::sync::Arc;

use tenon_contract::{CancellationToken, Outcome};
use tenon_dialects::SentParams;

/// The listener of one call.
pub trait Updates: Send + Sync {
    /// Whether a partial answer given now would be passed on.
    fn is_due(&self) -> bool;
    /// Takes the latest partial answer; it replaces one that was not passed on yet.
    fn publish(&self, partial: Outcome);
}

/// One call, as its caller makes it.
#[derive(Clone)]
pub struct CallRequest {
    /// The tool, as the dialect names it.
    pub tool: String,
    /// The caller's id of the call; opaque.
    pub id: Arc<str>,
    /// The number by which the host knows the call that it makes; passed to what the host runs for it.
    pub ticket: u32,
    /// Its parameters, as the model sent them.
    pub params: SentParams,
    /// Aborts the call.
    pub cancellation: CancellationToken,
    /// Whether the host makes it by itself, not for a model: an *ask* is then skipped, a denial never. Only for skills.
    pub automatic: bool,
    /// The digest of an approval that somebody gave before, see [`ApprovalRequest`](crate::ApprovalRequest): an *ask* about exactly that
    /// is answered by it. A denial stays one.
    pub approved: Option<Arc<str>>,
    /// Most tokens of the text of its result. Default: `limits.maxTokens`, which holds in any case.
    pub max_tokens: Option<usize>,
    /// The names of the calls within whose handlers it is made, outermost first, and behind them its own if it has a handler,
    /// separated by `/`. What those have locked is free for it.
    pub lineage: Option<Arc<str>>,
    /// Receives partial answers.
    pub updates: Option<Arc<dyn Updates>>,
}

impl CallRequest {
    /// A call without listener that nobody aborts.
    #[must_use]
    pub fn new(tool: impl Into<String>, params: impl Into<SentParams>) -> Self {
        Self {
            tool: tool.into(),
            id: Arc::from(""),
            ticket: 0,
            params: params.into(),
            cancellation: CancellationToken::new(),
            automatic: false,
            approved: None,
            max_tokens: None,
            lineage: None,
            updates: None,
        }
    }
}
