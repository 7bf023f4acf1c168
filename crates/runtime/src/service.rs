//! The vocabulary of the pipeline: services that call services.
//!
//! Tower's words without its pool: there is nothing to wait for before a call and no reason to
//! clone a service, so there is no `poll_ready` and no `&mut self`.

use std::future::Future;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;
use tenon_contract::{PreparedCall, RedirectPolicy, ToolError, Visibility};
use tenon_dialects::{Decoded, Repair};
use tenon_policy::{Decision, ParsedCommands, Verdict};

use crate::approval::OwnQuestion;
use crate::call_request::CallRequest;
use crate::events::Subject;
use crate::redaction::Hiding;
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

/// A call before its name is resolved.
pub(crate) struct Request {
    /// As the caller sent it.
    pub(crate) sent: CallRequest,
    /// The tool of that name, once a layer has looked for it.
    pub(crate) found: Option<Arc<RegisteredTool>>,
    pub(crate) record: Arc<Record>,
}

impl Request {
    pub(crate) fn new(sent: CallRequest) -> Self {
        Self {
            sent,
            found: None,
            record: Arc::default(),
        }
    }
}

/// A call that was parsed and whose access is known: the one carrier from here to the tool. What a layer finds out is set
/// in it; what the caller sent stays together, so that a new fact of the caller is a field of [`CallRequest`] alone.
pub(crate) struct Call {
    /// As the caller sent it, without the parameters: those are in `wire`.
    pub(crate) sent: CallRequest,
    pub(crate) record: Arc<Record>,
    pub(crate) tool: Arc<RegisteredTool>,
    /// The parameters as the dialect spells them, after repair.
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
    /// Set by the approval layer: decides where the call may be redirected to.
    pub(crate) redirects: Option<Arc<dyn RedirectPolicy>>,
    /// Set by the layer that resolves access: it was found out by asking, and cannot be stated again without that.
    pub(crate) surveyed: bool,
    /// Set by the approval layer: the hash of what somebody approved. The call does that or nothing.
    pub(crate) approved_plan: Option<Arc<str>>,
    /// Set by the policy layer: what the results of the call must not show of files of variables.
    pub(crate) hiding: Hiding,
}

/// The smaller of two budgets, of which each may be missing.
fn least(one: Option<usize>, other: Option<usize>) -> Option<usize> {
    one.into_iter().chain(other).min()
}

/// What is needed to prepare a call once more, after it was run.
pub(crate) struct Retry {
    sent: CallRequest,
    record: Arc<Record>,
    tool: Arc<RegisteredTool>,
    wire: Value,
    repairs: Vec<Repair>,
    parsed: ParsedCommands,
    visibility: Option<Arc<dyn Visibility>>,
    question: Option<OwnQuestion>,
}

impl Call {
    /// A call of which only the parameters are known yet.
    pub(crate) fn new(
        mut sent: CallRequest,
        record: Arc<Record>,
        tool: Arc<RegisteredTool>,
        prepared: Box<dyn PreparedCall>,
        decoded: Decoded,
    ) -> Self {
        sent.max_tokens = least(sent.max_tokens, decoded.max_tokens);
        Self {
            sent,
            record,
            tool,
            wire: decoded.wire,
            repairs: decoded.repairs,
            prepared,
            parsed: ParsedCommands::default(),
            decision: None,
            visibility: None,
            question: None,
            is_questioned: false,
            redirects: None,
            surveyed: false,
            approved_plan: None,
            hiding: Hiding::default(),
        }
    }

    /// A call that is only judged.
    pub(crate) fn without_run(
        tool: Arc<RegisteredTool>,
        prepared: Box<dyn PreparedCall>,
        decoded: Decoded,
    ) -> Self {
        let sent = CallRequest::new(tool.name(), Value::Null);
        Self::new(sent, Arc::default(), tool, prepared, decoded)
    }

    /// The same call with other parameters, which are repaired, checked and located like those that the caller sent.
    ///
    /// # Errors
    /// Parameters that the tool does not take.
    pub(crate) async fn with_params(mut self, params: Value) -> Result<Self, ToolError> {
        let checked = self
            .tool
            .checked(params.into(), &self.sent.id, self.sent.ticket);
        let mut decoded = tokio::select! {
            biased;
            decoded = checked => decoded?,
            () = self.sent.cancellation.cancelled() => return Err(ToolError::cancelled()),
        };
        let prepared = self.tool.ready(&mut decoded)?;
        self.sent.max_tokens = least(self.sent.max_tokens, decoded.max_tokens);
        Ok(Self {
            wire: decoded.wire,
            prepared,
            ..self
        })
    }

    /// What events name it by.
    pub(crate) fn subject(&self) -> Subject {
        Subject::new(&self.sent.id, self.tool.name())
    }

    /// What it takes to prepare this call once more.
    pub(crate) fn retry(&self) -> Retry {
        Retry {
            sent: self.sent.clone(),
            record: self.record.clone(),
            tool: self.tool.clone(),
            wire: self.wire.clone(),
            repairs: self.repairs.clone(),
            parsed: self.parsed.clone(),
            visibility: self.visibility.clone(),
            question: self.question.clone(),
        }
    }
}

impl Retry {
    /// The same call, its paths located as they are now.
    pub(crate) fn prepare(self) -> Result<Call, ToolError> {
        let (prepared, decoded) = self.tool.prepare(self.wire.into())?;
        Ok(Call {
            repairs: self.repairs,
            parsed: self.parsed,
            visibility: self.visibility,
            question: self.question,
            is_questioned: true,
            ..Call::new(self.sent, self.record, self.tool, prepared, decoded)
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

/// What inner layers report to the outermost one about a call, whatever becomes of it.
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
