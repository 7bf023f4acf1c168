//! A toolkit together with its host: what hosts ask of it, whatever the border is made of.

use std::panic::AssertUnwindSafe;
use std::path::PathBuf;
use std::sync::Arc;

use futures_util::FutureExt;
use serde_json::Value;
use tenon_contract::ToolError;
use tenon_runtime::{
    ApprovalRequest, EventSink, Explanation, HostCallbacks, Options, OwnQuestion, Registered,
    Simulated, Toolkit, Validation, read,
};

use crate::calls::RunningCalls;
use crate::envelope::{WrittenParams, failure, parse, to_json};
use crate::host_callbacks;
use crate::host_callbacks::asked::{AskedRunner, SentEvents};
use crate::host_requests::{HostRequests, Reply};
use crate::message::{Message, Wire};

/// What a host brings to a toolkit.
pub struct Host<'h> {
    /// The way to it.
    pub wire: Arc<dyn Wire>,
    /// The names of what it supplies, see `host_callbacks.rs`.
    pub parts: &'h [String],
    /// The helper program of the platform package (Linux).
    pub helper: Option<PathBuf>,
}

/// A toolkit and its host.
pub struct Bound {
    /// The toolkit.
    pub toolkit: Toolkit,
    /// The way to the host.
    pub wire: Arc<dyn Wire>,
    /// The calls that run now.
    pub calls: RunningCalls,
    requests: HostRequests,
}

impl Bound {
    /// A toolkit with these options, in JSON. Must run in the context of a tokio runtime.
    ///
    /// # Errors
    /// Options that are not valid, a workspace that cannot be opened, a part that nobody knows.
    pub fn open(options: &str, host: Host<'_>) -> Result<Self, ToolError> {
        let read = Options::from_json(options);
        let has_limit = read
            .as_ref()
            .is_ok_and(|options| options.limits.timeout_ms.is_some());
        Self::made(host, has_limit, |callbacks| Toolkit::new(read?, callbacks))
    }

    /// The toolkit of a workspace that is on another machine: it refuses by the words of calls, and runs nothing there.
    ///
    /// # Errors
    /// Options that are not valid, a part that nobody knows.
    pub fn elsewhere(options: &str, host: Host<'_>) -> Result<Self, ToolError> {
        let read = Options::from_json(options);
        Self::made(host, false, |ports| Toolkit::elsewhere(read?, ports))
    }

    /// The toolkit of a run of a sub-agent.
    ///
    /// # Errors
    /// A run that is not known, a part that nobody knows.
    pub fn child(&self, run: &str, host: Host<'_>) -> Result<Self, ToolError> {
        let has_limit = self.requests.has_limit();
        Self::made(host, has_limit, |callbacks| {
            self.toolkit.child(run, callbacks)
        })
    }

    fn made(
        host: Host<'_>,
        has_limit: bool,
        make: impl FnOnce(HostCallbacks) -> Result<Toolkit, ToolError>,
    ) -> Result<Self, ToolError> {
        let requests = HostRequests::new(Arc::clone(&host.wire), has_limit);
        let callbacks = HostCallbacks {
            helper: host.helper,
            ..host_callbacks::callbacks(host.parts, &requests, &host.wire)?
        };
        Ok(Self {
            toolkit: make(callbacks)?,
            wire: host.wire,
            calls: RunningCalls::default(),
            requests,
        })
    }

    /// Hands in the host's answer to a request. One that nobody waits for any more is passed over.
    pub fn answer(&self, request: u32, reply: Reply) {
        self.requests.answer(request, reply);
    }

    /// Hands in a part of the host's answer to a request.
    pub fn progress(&self, request: u32, reply: Reply) {
        self.requests.progress(request, reply);
    }

    /// Takes a tool of the host in: the JSON of its definition.
    ///
    /// # Errors
    /// A definition that cannot be worked with.
    pub fn register(&self, definition: &str) -> Result<Registered, ToolError> {
        let runner = Arc::new(AskedRunner(self.requests.clone()));
        self.toolkit.register(read(definition, "tool")?, runner)
    }

    /// Parameters in the spelling of the tool.
    ///
    /// # Errors
    /// Unknown tools and parameters that are not valid.
    pub fn repair(&self, tool: &str, params: WrittenParams<'_>) -> Result<Value, ToolError> {
        self.toolkit.repair(tool, params.read()?)
    }

    /// Checks parameters and runs nothing.
    ///
    /// # Errors
    /// Parameters that are not JSON.
    pub fn validate(&self, tool: &str, params: WrittenParams<'_>) -> Result<Validation, ToolError> {
        Ok(self.toolkit.validate(tool, params.read()?))
    }

    /// Whether a call is refused by its words alone, wherever its files are. One whose parameters cannot be read is not.
    #[must_use]
    pub fn refuses(&self, tool: &str, params: WrittenParams<'_>) -> bool {
        params
            .read()
            .is_ok_and(|params| self.toolkit.refuses(tool, params))
    }

    /// What policy would decide. `question` is what the tool itself wants to have asked.
    ///
    /// # Errors
    /// Parameters that are not JSON.
    pub fn decide(
        &self,
        tool: &str,
        params: WrittenParams<'_>,
        question: Option<&str>,
    ) -> Result<Explanation, ToolError> {
        let question = own_question(question)?;
        Ok(self.toolkit.decide_asked(tool, params.read()?, question))
    }

    /// What policy would decide, with what each command of the call does.
    ///
    /// # Errors
    /// Parameters that are not JSON.
    pub fn explain(
        &self,
        tool: &str,
        params: WrittenParams<'_>,
        question: Option<&str>,
    ) -> Result<Explanation, ToolError> {
        let question = own_question(question)?;
        Ok(self.toolkit.explain(tool, params.read()?, question))
    }

    /// What an approver would be asked; nothing where nothing requires approval.
    ///
    /// # Errors
    /// Unknown tools and parameters that are not valid.
    pub fn approval_request(
        &self,
        tool: &str,
        params: WrittenParams<'_>,
        question: Option<&str>,
    ) -> Result<Option<ApprovalRequest>, ToolError> {
        let question = own_question(question)?;
        self.toolkit
            .approval_request(tool, params.read()?, question)
    }

    /// The same, of all that the call touches, where that takes asking somebody.
    ///
    /// # Errors
    /// Unknown tools and parameters that are not valid.
    pub async fn found_approval_request(
        &self,
        tool: &str,
        params: WrittenParams<'_>,
        question: Option<&str>,
    ) -> Result<Option<ApprovalRequest>, ToolError> {
        let question = own_question(question)?;
        let params = params.read()?;
        self.toolkit
            .found_approval_request(tool, params, question)
            .await
    }

    /// What present and other permissions say to calls that were made, both as JSON.
    ///
    /// # Errors
    /// Calls or rules that cannot be read.
    pub fn simulate(&self, calls: &str, permissions: &str) -> Result<Vec<Simulated>, ToolError> {
        let permissions = read(permissions, "permissions")?;
        self.toolkit.simulate(read(calls, "calls")?, permissions)
    }

    /// Switches the permission mode; its name as JSON.
    ///
    /// # Errors
    /// A mode that nobody knows, or one that may not be switched to.
    pub fn set_mode(&self, mode: &str) -> Result<(), ToolError> {
        self.toolkit.set_mode(read(mode, "mode")?)
    }

    /// Whether the host receives the stream of events from now on.
    pub fn listen(&self, listens: bool) {
        let sink = || Arc::new(SentEvents(Arc::clone(&self.wire))) as Arc<dyn EventSink>;
        self.toolkit.listen(listens.then(sink));
    }

    /// Serves a request to an MCP server. `cancel` of [`Self::calls`] ends it as it ends a call.
    ///
    /// # Errors
    /// As the server or the request has it.
    pub async fn mcp(&self, key: u32, request: &str) -> Result<String, ToolError> {
        let cancellation = self.calls.start(key);
        let answer = self.toolkit.mcp(request, &cancellation).await;
        self.calls.end(key);
        to_json(&answer?)
    }

    /// Works and notifies the host what came of it: its JSON, or the error under this name.
    pub async fn report_end(
        &self,
        key: u32,
        name: &str,
        work: impl Future<Output = Result<String, ToolError>>,
    ) {
        let end = match guarded(work).await {
            Ok(json) => Message::answer(key, (json, crate::Parts::Text(String::new()))),
            Err(error) => Message::failure(key, failure(name, &error).to_string()),
        };
        self.wire.send(end);
    }

    /// Ends everything and notifies the host when it is done, and what could not be cleared away.
    pub async fn close(&self, key: u32) {
        let error = guarded(self.toolkit.close()).await.err();
        let error = error.map(|error| failure("close", &error).to_string());
        self.wire.send(Message::closed(key, error));
    }

    /// Ends everything that still runs, at once and without waiting.
    pub fn end_now(&self) {
        self.toolkit.end_now();
    }
}

/// Work whose panic is an error of it.
async fn guarded<T>(work: impl Future<Output = Result<T, ToolError>>) -> Result<T, ToolError> {
    AssertUnwindSafe(work)
        .catch_unwind()
        .await
        .unwrap_or_else(|payload| Err(ToolError::panicked(payload.as_ref())))
}

/// What a tool of the host wants to have asked, as its function answered.
fn own_question(json: Option<&str>) -> Result<Option<OwnQuestion>, ToolError> {
    let Some(json) = json else {
        return Ok(None);
    };
    Ok(OwnQuestion::read(&parse::<Value>(json)?))
}
