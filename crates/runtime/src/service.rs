//! The vocabulary of the pipeline: services that call services.
//!
//! Tower's words without its pool: there is nothing to wait for before a call and no reason to
//! clone a service, so there is no `poll_ready` and no `&mut self`.

use std::future::Future;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;
use tenon_contract::{
    CancellationToken, Outcome, PreparedCall, RedirectPolicy, ToolError, Visibility,
};
use tenon_dialects::{Decoded, Repair};
use tenon_policy::{Decision, ParsedCommands, Verdict};

use crate::approval::OwnQuestion;
use crate::events::Subject;
use crate::registry::RegisteredTool;
use crate::taint::Origin;

/// Answers an input, usually by asking an inner service.
pub(crate) trait Service<Input>: Send + Sync + 'static {
    /// What it answers.
    type Answer: Send;

    /// Answers one input. Dropping the future stops the work.
    fn call(&self, input: Input) -> impl Future<Output = Result<Self::Answer, ToolError>> + Send;

    /// Adds the names of this layer and those inside it, outermost first.
    fn describe(&self, names: &mut Vec<&'static str>);
}

/// The listener of one call.
pub trait Updates: Send + Sync {
    /// Whether a partial answer given now would be passed on.
    fn is_due(&self) -> bool;
    /// Takes the latest partial answer; it replaces one that was not passed on yet.
    fn publish(&self, partial: Outcome);
}

/// A call before its name is resolved.
pub(crate) struct Request {
    pub(crate) tool: String,
    /// Set by the exposure layer: the tool of that name.
    pub(crate) found: Option<Arc<RegisteredTool>>,
    pub(crate) id: Arc<str>,
    pub(crate) ticket: u32,
    pub(crate) params: Value,
    pub(crate) cancellation: CancellationToken,
    /// The host makes it by itself, and an *ask* is skipped.
    pub(crate) automatic: bool,
    /// The digest of what somebody approved before the call was made.
    pub(crate) granted: Option<Arc<str>>,
    /// The budget of its result, if the caller names one.
    pub(crate) max_tokens: Option<usize>,
    pub(crate) updates: Option<Arc<dyn Updates>>,
    pub(crate) record: Arc<Record>,
}

/// A call that was parsed and whose access is known. There is no other way to one than the resolve layer.
pub(crate) struct Call {
    pub(crate) tool: Arc<RegisteredTool>,
    pub(crate) id: Arc<str>,
    pub(crate) ticket: u32,
    /// As the dialect spells them, after repair.
    pub(crate) wire: Value,
    pub(crate) repairs: Vec<Repair>,
    pub(crate) prepared: Box<dyn PreparedCall>,
    /// Its command texts, parsed for the first question about them and kept for the others.
    pub(crate) parsed: ParsedCommands,
    /// Set by the policy layer: it is allowed, or to be asked about.
    pub(crate) decision: Option<Decision>,
    /// Set by the policy layer.
    pub(crate) visibility: Option<Arc<dyn Visibility>>,
    /// Set by the layers of hooks and policy: what hooks and the tool itself want to have asked.
    pub(crate) question: Option<OwnQuestion>,
    /// Set by the policy layer: the tool itself was asked for its question.
    pub(crate) is_questioned: bool,
    /// The digest of what somebody approved before the call was made.
    pub(crate) granted: Option<Arc<str>>,
    /// Set by the approval layer: decides where the call may be led on to.
    pub(crate) hops: Option<Arc<dyn RedirectPolicy>>,
    /// Set by the survey layer: its access was found out, and cannot be stated anew without asking again.
    pub(crate) surveyed: bool,
    /// Set by the approval layer: the hash of what somebody approved. The call does that or nothing.
    pub(crate) approved_plan: Option<Arc<str>>,
    /// Set by the policy layer: a rule allows by name to read the file of variables that the call reads.
    pub(crate) shows_variables: bool,
    /// Set by the policy layer: a command of the call reads a file of variables.
    pub(crate) reads_variables: bool,
    /// The budget of its result, if the caller names one.
    pub(crate) max_tokens: Option<usize>,
    pub(crate) cancellation: CancellationToken,
    /// The host makes it by itself, and an *ask* is skipped.
    pub(crate) automatic: bool,
    pub(crate) updates: Option<Arc<dyn Updates>>,
    pub(crate) record: Arc<Record>,
}

/// The smaller of two budgets, of which each may be missing.
pub(crate) fn least(one: Option<usize>, other: Option<usize>) -> Option<usize> {
    one.into_iter().chain(other).min()
}

/// What is needed to prepare a call once more, after it was run.
pub(crate) struct Retry {
    tool: Arc<RegisteredTool>,
    id: Arc<str>,
    ticket: u32,
    wire: Value,
    repairs: Vec<Repair>,
    parsed: ParsedCommands,
    visibility: Option<Arc<dyn Visibility>>,
    question: Option<OwnQuestion>,
    granted: Option<Arc<str>>,
    max_tokens: Option<usize>,
    cancellation: CancellationToken,
    automatic: bool,
    updates: Option<Arc<dyn Updates>>,
    record: Arc<Record>,
}

impl Call {
    /// A call that is only judged.
    pub(crate) fn without_run(
        tool: Arc<RegisteredTool>,
        prepared: Box<dyn PreparedCall>,
        decoded: Decoded,
    ) -> Self {
        Self {
            tool,
            id: Arc::from(""),
            ticket: 0,
            wire: decoded.wire,
            repairs: decoded.repairs,
            prepared,
            parsed: ParsedCommands::default(),
            decision: None,
            visibility: None,
            question: None,
            is_questioned: false,
            granted: None,
            hops: None,
            surveyed: false,
            approved_plan: None,
            shows_variables: false,
            reads_variables: false,
            max_tokens: None,
            cancellation: CancellationToken::new(),
            automatic: false,
            updates: None,
            record: Arc::new(Record::default()),
        }
    }

    /// The same call with other parameters, which are repaired, checked and located like those that the caller sent.
    ///
    /// # Errors
    /// Parameters that the tool does not take.
    pub(crate) async fn with_params(self, params: Value) -> Result<Self, ToolError> {
        let checked = self.tool.checked(params, &self.id, self.ticket);
        let mut decoded = tokio::select! {
            biased;
            decoded = checked => decoded?,
            () = self.cancellation.cancelled() => return Err(ToolError::cancelled()),
        };
        let prepared = self.tool.ready(&mut decoded)?;
        Ok(Self {
            wire: decoded.wire,
            prepared,
            max_tokens: least(self.max_tokens, decoded.max_tokens),
            ..self
        })
    }

    /// What events name it by.
    pub(crate) fn subject(&self) -> Subject {
        Subject::new(&self.id, self.tool.name())
    }

    /// What it takes to prepare this call once more.
    pub(crate) fn anew(&self) -> Retry {
        Retry {
            tool: self.tool.clone(),
            id: self.id.clone(),
            ticket: self.ticket,
            wire: self.wire.clone(),
            repairs: self.repairs.clone(),
            parsed: self.parsed.clone(),
            visibility: self.visibility.clone(),
            question: self.question.clone(),
            granted: self.granted.clone(),
            max_tokens: self.max_tokens,
            cancellation: self.cancellation.clone(),
            automatic: self.automatic,
            updates: self.updates.clone(),
            record: self.record.clone(),
        }
    }
}

impl Retry {
    /// The same call, its paths located as they are now.
    pub(crate) fn prepare(self) -> Result<Call, ToolError> {
        let (prepared, decoded) = self.tool.prepare(self.wire)?;
        Ok(Call {
            tool: self.tool,
            id: self.id,
            ticket: self.ticket,
            wire: decoded.wire,
            repairs: self.repairs,
            prepared,
            parsed: self.parsed,
            decision: None,
            hops: None,
            visibility: self.visibility,
            question: self.question,
            is_questioned: true,
            granted: self.granted,
            surveyed: false,
            approved_plan: None,
            shows_variables: false,
            reads_variables: false,
            max_tokens: self.max_tokens,
            cancellation: self.cancellation,
            automatic: self.automatic,
            updates: self.updates,
            record: self.record,
        })
    }
}

/// Layers may share the one below them.
impl<S: Service<Input>, Input: Send + 'static> Service<Input> for Arc<S> {
    type Answer = S::Answer;

    fn call(&self, input: Input) -> impl Future<Output = Result<S::Answer, ToolError>> + Send {
        (**self).call(input)
    }

    fn describe(&self, names: &mut Vec<&'static str>) {
        (**self).describe(names);
    }
}

/// What inner layers tell the outermost one about a call, whatever becomes of it.
#[derive(Debug, Default)]
pub(crate) struct Record {
    verdict: Mutex<Option<Verdict>>,
    has_begun: AtomicBool,
    /// Files of which the result shows something, though the access of the call names only a directory.
    shown: Mutex<Vec<String>>,
    /// Where the text of the result comes from.
    origins: Mutex<Vec<Origin>>,
}

impl Record {
    pub(crate) fn decide(&self, verdict: Verdict) {
        *self.lock() = Some(verdict);
    }

    pub(crate) fn verdict(&self) -> Option<Verdict> {
        *self.lock()
    }

    /// From here on the call may have done something.
    pub(crate) fn begin(&self) {
        self.has_begun.store(true, Ordering::Relaxed);
    }

    pub(crate) fn has_begun(&self) -> bool {
        self.has_begun.load(Ordering::Relaxed)
    }

    pub(crate) fn show(&self, files: Vec<String>) {
        *self.shown.lock().unwrap_or_else(PoisonError::into_inner) = files;
    }

    pub(crate) fn shown(&self) -> Vec<String> {
        std::mem::take(&mut self.shown.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn come_from(&self, origins: Vec<Origin>) {
        *self.origins.lock().unwrap_or_else(PoisonError::into_inner) = origins;
    }

    pub(crate) fn origins(&self) -> Vec<Origin> {
        let origins = self.origins.lock();
        origins.unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn lock(&self) -> MutexGuard<'_, Option<Verdict>> {
        self.verdict.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
