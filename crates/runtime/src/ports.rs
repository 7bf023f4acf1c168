//! What only the host can supply. Every member is optional.

use std::future::Future;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;

use crate::approval::{ApprovalAnswer, ApprovalRequest};
use crate::history::TelemetryEvent;

/// The future of an approver's answer. An error text means that it failed; the call is then refused.
pub type AnswerFuture = Pin<Box<dyn Future<Output = Result<ApprovalAnswer, String>> + Send>>;

/// Answers an *ask*.
pub trait Approver: Send + Sync {
    /// Puts the question to whoever decides.
    fn decide(&self, request: ApprovalRequest) -> AnswerFuture;
}

/// Hears of every finished call.
pub trait TelemetrySink: Send + Sync {
    /// Takes one event. Must return at once; what it does with the event is its own affair.
    fn emit(&self, event: TelemetryEvent);
}

/// The host's parts.
#[derive(Clone, Default)]
pub struct Ports {
    /// Answers an *ask*; without one an *ask* is a refusal.
    pub approver: Option<Arc<dyn Approver>>,
    /// Hears of every call.
    pub telemetry: Option<Arc<dyn TelemetrySink>>,
    /// The helper program of the platform package (Linux), under which commands run.
    pub helper: Option<PathBuf>,
}
