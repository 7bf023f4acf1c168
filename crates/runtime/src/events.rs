//! The stream of a toolkit: one ordered sequence of what happens to its calls, its processes and itself.
//!
//! History and telemetry take the end of every call from here. Everything else is made only while somebody listens: a
//! host ([`Toolkit::listen`](crate::Toolkit::listen)) or the file of the option `record`.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use tenon_contract::{Content, FileChange, Outcome, ToolError, limits};
use tenon_dialects::Repair;
use tenon_policy::{Danger, Decision, Source, Verdict};
use tenon_state::{Warn, redacted, redacted_text};
use tenon_store::RecordFile;
use tenon_tools::soon;

use crate::approval::ApprovalRequest;
use crate::history::{Finished, History, ServerQuestion};
use crate::permission_mode::PermissionMode;
use crate::redaction::Redaction;
use crate::taint::{Origin, SourceRead};

/// Takes the events of a toolkit.
pub trait EventSink: Send + Sync {
    /// Takes one event as JSON. Must return at once.
    fn take(&self, json: String);
}

/// One event of the stream.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Event<'a> {
    /// Its number, from 1 on, without gaps while somebody listens.
    pub seq: u64,
    /// When, in milliseconds since 1970.
    pub at: u64,
    /// The session in which it happened: that of the toolkit, or of a sub-agent below it.
    #[serde(serialize_with = "text")]
    #[schemars(with = "String")]
    pub session: Arc<str>,
    /// The session that has started the sub-agent in which it happened.
    #[serde(serialize_with = "text_of", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub parent: Option<Arc<str>>,
    /// What happened.
    #[serde(flatten)]
    pub what: &'a EventKind,
}

/// The call that an event is about.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Subject {
    /// The caller's id of the call.
    #[serde(serialize_with = "text")]
    #[schemars(with = "String")]
    pub tool_call_id: Arc<str>,
    /// The tool, as the dialect names it.
    pub tool: String,
}

/// What happened.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(
    tag = "type",
    rename_all = "snake_case",
    rename_all_fields = "camelCase"
)]
pub enum EventKind {
    /// A call arrived.
    Called {
        /// The call.
        #[serde(flatten)]
        call: Subject,
        /// Its parameters without secrets; long texts are cut, unless the record is to be replayed.
        params: Value,
        /// The workspace, in a record that is to be replayed.
        #[serde(skip_serializing_if = "Option::is_none")]
        workspace: Option<Arc<str>>,
    },
    /// Its parameters were repaired.
    Repaired {
        /// The call.
        #[serde(flatten)]
        call: Subject,
        /// What was done.
        repairs: Vec<Repair>,
    },
    /// It leads nowhere: its answer says so.
    Looping {
        /// The call.
        #[serde(flatten)]
        call: Subject,
        /// In which way.
        kind: LoopKind,
        /// For which time.
        times: usize,
    },
    /// A hook did something, or failed.
    Hooked {
        /// The call.
        #[serde(flatten)]
        call: Subject,
        /// The hook, such as `hooks[0].before`.
        hook: String,
        /// What it did.
        outcome: HookOutcome,
        /// Why, as it said.
        #[serde(skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    /// Policy judged it: `{verdict, reason, matched_rule, list?, matched?, parts?, suggestion?}`.
    Judged {
        /// The call.
        #[serde(flatten)]
        call: Subject,
        /// The decision.
        #[serde(flatten)]
        decision: Value,
        /// The permission mode that held.
        mode: PermissionMode,
    },
    /// The approver was asked.
    Asked {
        /// The call.
        #[serde(flatten)]
        call: Subject,
        /// Why it requires approval.
        reason: String,
        /// How much could go wrong.
        danger: Danger,
        /// The rule that asks.
        #[serde(rename = "matched_rule", skip_serializing_if = "Option::is_none")]
        rule: Option<String>,
        /// What the answer is bound to.
        digest: String,
        /// What the approver was shown, without secrets; long texts are cut.
        preview: Value,
        /// Where text came from that was read before.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        sources: Vec<SourceRead>,
    },
    /// The question was answered.
    Answered {
        /// The call.
        #[serde(flatten)]
        call: Subject,
        /// `once`, `always`, `never`, or `failed`.
        answer: &'static str,
        /// Who answered.
        by: AnsweredBy,
        /// After how long.
        after_ms: u64,
    },
    /// The work began.
    Started {
        /// The call.
        #[serde(flatten)]
        call: Subject,
    },
    /// A partial result.
    Update {
        /// The call.
        #[serde(flatten)]
        call: Subject,
        /// Bytes of its content.
        bytes: usize,
        /// The end of its text, without secrets.
        text: String,
    },
    /// The call ended.
    Finished {
        /// The call.
        #[serde(flatten)]
        call: Subject,
        /// Whether it returned a result.
        success: bool,
        /// The `error_type` of its failure.
        #[serde(rename = "error_type", skip_serializing_if = "Option::is_none")]
        error_type: Option<&'static str>,
        /// What policy said; missing when the call never came so far.
        #[serde(skip_serializing_if = "Option::is_none")]
        decision: Option<Verdict>,
        /// How long it took, a user's thinking included.
        duration_ms: u64,
        /// The beginning of its text or of its error, without secrets.
        summary: String,
        /// Bytes of the content that went to the model.
        bytes: usize,
        /// Roughly how many tokens that is.
        estimated_tokens: usize,
        /// The files that it changed.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        changes: Vec<FileChange>,
        /// Where its text comes from.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        sources: Vec<Origin>,
        /// Its details, of its result or its error, without secrets; long texts are cut.
        details: Value,
        /// The whole text of its result or its error, without secrets, in a record that is to be replayed.
        #[serde(skip_serializing_if = "Option::is_none")]
        output: Option<String>,
    },
    /// Text of another place was read, for the first time by the agents of this tree.
    SourceAdded {
        /// The call that brought it; missing where the host has said it.
        #[serde(flatten)]
        call: Option<Subject>,
        /// What kind of source it is.
        source: Source,
        /// The place: the host, the MCP server, the file.
        from: String,
    },
    /// A command runs in the background.
    ProcessStarted {
        /// The command.
        #[serde(flatten)]
        process: ProcessSubject,
    },
    /// It wrote something.
    ProcessOutput {
        /// The command.
        #[serde(flatten)]
        process: ProcessSubject,
        /// What it wrote since the last event, without secrets; of much the end.
        text: String,
        /// Bytes of it that are not in `text`.
        #[serde(skip_serializing_if = "is_zero")]
        omitted_bytes: u64,
    },
    /// It seems to wait for input.
    ProcessWaiting {
        /// The command.
        #[serde(flatten)]
        process: ProcessSubject,
        /// The end of its output, which may be the question.
        text: String,
    },
    /// It ended.
    ProcessExited {
        /// The command.
        #[serde(flatten)]
        process: ProcessSubject,
        /// `completed`, `failed`, `timeout` or `killed`.
        status: &'static str,
        /// Its exit code; missing when a signal ended it.
        #[serde(skip_serializing_if = "Option::is_none")]
        exit_code: Option<i32>,
        /// The signal that ended it.
        #[serde(skip_serializing_if = "Option::is_none")]
        signal: Option<String>,
        /// How long it ran.
        duration_ms: u64,
    },
    /// Tools came, went or changed.
    ToolsChanged {
        /// The names of those that are there now and were not.
        added: Vec<String>,
        /// The names of those that are gone.
        removed: Vec<String>,
        /// The names of those that were replaced.
        changed: Vec<String>,
    },
    /// An MCP server asked the user or the host's model, and got an answer.
    ServerAsked {
        /// The server, as `mcpServers` names it.
        server: String,
        /// What it asked.
        #[serde(flatten)]
        question: ServerQuestion,
        /// After how long it was answered.
        after_ms: u64,
    },
    /// Another permission mode holds.
    ModeChanged {
        /// From now on.
        mode: PermissionMode,
        /// Before.
        previous: PermissionMode,
    },
    /// A run of a sub-agent or of a scheduled job ended; `session` is the one that has started it.
    RunEnded {
        /// The call that started it, where it is known here.
        #[serde(flatten)]
        call: Option<Subject>,
        /// The agent.
        agent: String,
        /// What the session of the run is called, or the job.
        label: String,
        /// `completed`, `failed`, `cancelled`, `timeout` or `lost`.
        status: String,
        /// The session of the run.
        session_id: String,
        /// The run.
        run_id: String,
        /// The scheduled job that was run.
        #[serde(skip_serializing_if = "Option::is_none")]
        job_id: Option<String>,
    },
    /// The toolkit was closed.
    Closed {},
}

/// The background command that an event is about.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProcessSubject {
    /// What the tools call it.
    pub session_id: String,
    /// The number of its shell's process.
    pub pid: u32,
    /// Its text, without secrets; of a long one the beginning.
    pub command: String,
}

/// In which way calls lead nowhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LoopKind {
    /// The same call fails in the same way.
    Failure,
    /// Two changes undo each other.
    PingPong,
    /// A command is looked at again and again without news.
    Poll,
}

/// What a hook did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum HookOutcome {
    /// It changed the parameters or the result.
    Changed,
    /// It denied the call.
    Denied,
    /// It demands approval.
    Asked,
    /// It failed or took too long.
    Failed,
}

/// Who answered a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AnsweredBy {
    /// The approver of the host.
    Approver,
    /// An earlier answer of the session.
    Session,
    /// The host, before it made the call.
    Host,
}

fn text<S: serde::Serializer>(text: &Arc<str>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(text)
}

#[allow(clippy::ref_option, reason = "serde wants it so")]
fn text_of<S: serde::Serializer>(
    text: &Option<Arc<str>>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(text.as_deref().unwrap_or_default())
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde wants it so")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// The stream of one toolkit. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Events(Arc<Inner>);

pub(crate) struct Inner {
    /// Whether anything but the end of calls is to be made.
    has_listener: AtomicBool,
    session: Arc<str>,
    /// The stream of the toolkit that has started this one: it has everything that happens here as well.
    above: Option<Events>,
    history: Arc<History>,
    outlets: Mutex<Outlets>,
    record: Option<Arc<RecordFile>>,
    /// The workspace, where parameters and results are reported whole.
    whole: Option<Arc<str>>,
    /// Knows the secrets of the toolkit, which no event has.
    redaction: Option<Redaction>,
    warn: Option<Warn>,
}

#[derive(Default)]
struct Outlets {
    last: u64,
    listener: Option<Arc<dyn EventSink>>,
}

impl Events {
    pub(crate) fn new(
        session: &str,
        history: Arc<History>,
        record: Option<RecordFile>,
        redaction: Option<Redaction>,
        warn: Option<Warn>,
    ) -> Self {
        Self(Arc::new(Inner {
            has_listener: AtomicBool::new(record.is_some()),
            session: session.into(),
            above: None,
            history,
            outlets: Mutex::default(),
            record: record.map(Arc::new),
            whole: None,
            redaction,
            warn,
        }))
    }

    /// The same, with parameters and results reported whole.
    pub(crate) fn whole(self, workspace: &Path) -> Self {
        match Arc::try_unwrap(self.0) {
            Ok(inner) => Self(Arc::new(Inner {
                whole: Some(workspace.display().to_string().into()),
                ..inner
            })),
            Err(shared) => Self(shared),
        }
    }

    /// What a call is made with in the end.
    pub(crate) fn called(&self, call: Subject, params: &Value) -> EventKind {
        match &self.0.whole {
            Some(workspace) => EventKind::Called {
                call,
                params: redacted(params.clone()),
                workspace: Some(Arc::clone(workspace)),
            },
            None => EventKind::Called {
                call,
                params: redacted(History::summary(params)),
                workspace: None,
            },
        }
    }

    /// Whether parameters are reported whole.
    pub(crate) fn is_whole(&self) -> bool {
        self.0.whole.is_some()
    }

    /// The stream of a sub-agent of the toolkit that has this one, with a history of its own.
    pub(crate) fn below(&self, session: &str, history: Arc<History>, warn: Option<Warn>) -> Self {
        Self(Arc::new(Inner {
            has_listener: AtomicBool::new(false),
            session: session.into(),
            above: Some(self.clone()),
            history,
            outlets: Mutex::default(),
            record: None,
            whole: None,
            redaction: self.0.redaction.clone(),
            warn,
        }))
    }

    /// The session of the toolkit.
    pub(crate) fn session(&self) -> &Arc<str> {
        &self.0.session
    }

    pub(crate) fn downgrade(&self) -> Weak<Inner> {
        Arc::downgrade(&self.0)
    }

    pub(crate) fn upgraded(stream: &Weak<Inner>) -> Option<Self> {
        stream.upgrade().map(Self)
    }

    /// Whether somebody listens, here or above.
    pub(crate) fn have_listener(&self) -> bool {
        let above = || self.0.above.as_ref().is_some_and(Self::have_listener);
        self.0.has_listener.load(Ordering::Relaxed) || above()
    }

    /// Sends the stream to this listener from now on, or to none.
    pub(crate) fn listen(&self, listener: Option<Arc<dyn EventSink>>) {
        let mut outlets = self.outlets();
        let has_listener = listener.is_some() || self.0.record.is_some();
        outlets.listener = listener;
        self.0.has_listener.store(has_listener, Ordering::Relaxed);
    }

    /// Reports what `make` returns, if somebody listens.
    pub(crate) fn emit(&self, make: impl FnOnce() -> EventKind) {
        if self.have_listener() {
            self.send(make());
        }
    }

    /// What an MCP server asked: listeners receive it, and history keeps it.
    pub(crate) fn server_asked(&self, server: &str, question: ServerQuestion, after: Duration) {
        self.0.history.add_question(server, &question, after);
        self.emit(|| EventKind::ServerAsked {
            server: server.to_owned(),
            question,
            after_ms: millis(after),
        });
    }

    /// The end of a call: history and telemetry take it, and the listeners.
    pub(crate) fn finish(&self, finished: Finished<'_>) {
        if self.have_listener() {
            self.send(finished_event(&finished, self.is_whole()));
        }
        self.0.history.add(finished);
    }

    /// Text of these places was read for the first time; the call that brought it, if one did.
    pub(crate) fn sources_added(&self, call: Option<&Subject>, new: &[SourceRead]) {
        for read in new {
            self.emit(|| EventKind::SourceAdded {
                call: call.cloned(),
                source: read.source,
                from: read.from.clone(),
            });
        }
    }

    fn send(&self, what: EventKind) {
        self.enter(&self.0.session, None, &what);
        // How a sub-agent ends is reported by its run.
        if matches!(what, EventKind::Closed {}) {
            return;
        }
        let parent = self.0.above.as_ref().map(|above| &above.0.session);
        let mut above = self.0.above.as_ref();
        while let Some(events) = above {
            events.enter(&self.0.session, parent, &what);
            above = events.0.above.as_ref();
        }
    }

    /// Reports what happened in a session of the tree whose toolkit is gone, or was never here.
    pub(crate) fn emit_of(&self, session: &str, what: &EventKind) {
        let parent = (session != &*self.0.session).then(|| Arc::clone(&self.0.session));
        self.enter(&session.into(), parent.as_ref(), what);
    }

    /// One event in this stream.
    fn enter(&self, session: &Arc<str>, parent: Option<&Arc<str>>, what: &EventKind) {
        if !self.0.has_listener.load(Ordering::Relaxed) {
            return;
        }
        let at = SystemTime::now().duration_since(UNIX_EPOCH);
        let mut outlets = self.outlets();
        outlets.last += 1;
        let event = Event {
            seq: outlets.last,
            at: at.map_or(0, millis),
            session: Arc::clone(session),
            parent: parent.map(Arc::clone),
            what,
        };
        // All members are plain: it always serialises.
        let json = match &self.0.redaction {
            Some(redaction) => redaction.json_of(&event),
            None => serde_json::to_string(&event),
        };
        let Ok(json) = json else { return };
        // Under the lock, so that everybody gets them in their order.
        if let Some(record) = &self.0.record
            && record.push(&json)
        {
            self.write(record);
        }
        if let Some(listener) = &outlets.listener {
            listener.take(json);
        }
    }

    /// Has somebody write who may wait for the disk.
    fn write(&self, record: &Arc<RecordFile>) {
        let (record, warn) = (Arc::clone(record), self.0.warn.clone());
        soon(move || warn_of(record.write(), &record, warn.as_ref()));
    }

    /// Writes what the record does not have yet, and closes its file. Blocks.
    pub(crate) fn close(&self) {
        if let Some(record) = &self.0.record {
            warn_of(record.close(), record, self.0.warn.as_ref());
        }
    }

    fn outlets(&self) -> MutexGuard<'_, Outlets> {
        self.0
            .outlets
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

fn warn_of(written: std::io::Result<()>, record: &RecordFile, warn: Option<&Warn>) {
    if let (Err(error), Some(warn)) = (written, warn) {
        warn(format!(
            "`record`: the file `{}` cannot be written, so nothing more is recorded: {error}.",
            record.path().display()
        ));
    }
}

pub(crate) fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

fn finished_event(finished: &Finished<'_>, is_whole: bool) -> EventKind {
    let call = Subject {
        tool_call_id: Arc::clone(&finished.id),
        tool: finished.tool.clone(),
    };
    let (summary, bytes, estimated_tokens, changes) = match finished.answer {
        Ok(outcome) => {
            let text = outcome.content.iter().find_map(|part| match part {
                Content::Text(text) => Some(text.as_str()),
                Content::Image { .. } => None,
            });
            let bytes = outcome.content.iter().map(Content::bytes).sum();
            let estimated = outcome.content.iter().map(estimated_tokens).sum();
            (
                beginning(text.unwrap_or_default()),
                bytes,
                estimated,
                outcome.changes.clone(),
            )
        }
        Err(error) => (
            beginning(&error.message),
            0,
            tenon_tokens::count(&error.message),
            Vec::new(),
        ),
    };
    let error = finished.answer.as_ref().err();
    let details = match finished.answer {
        Ok(outcome) => History::bounded(&outcome.details),
        Err(error) => {
            let mut facts = error.details.clone();
            facts.insert("code".to_owned(), error.code.as_str().into());
            History::bounded(&Value::Object(facts))
        }
    };
    EventKind::Finished {
        call,
        success: error.is_none(),
        error_type: error.map(|error| error.error_type().as_str()),
        decision: finished.verdict,
        duration_ms: millis(finished.duration),
        summary,
        bytes,
        estimated_tokens,
        changes,
        sources: finished.origins.clone(),
        details: redacted(details),
        output: is_whole.then(|| redacted_text(&output_of(finished.answer))),
    }
}

/// The whole text of an answer.
fn output_of(answer: &Result<Outcome, ToolError>) -> String {
    match answer {
        Ok(outcome) => {
            let parts = outcome.content.iter().map(|part| match part {
                Content::Text(text) => text.as_str(),
                Content::Image { mime_type, .. } => mime_type.as_str(),
            });
            parts.collect::<Vec<_>>().join("\n")
        }
        Err(error) => error.message.clone(),
    }
}

/// What providers count for an image of the largest size that is sent: about 1600.
fn estimated_tokens(part: &Content) -> usize {
    match part {
        Content::Text(text) => tenon_tokens::count(text),
        Content::Image { .. } => 1600,
    }
}

/// The beginning of a text without secrets.
pub(crate) fn beginning(text: &str) -> String {
    let cut = text.floor_char_boundary(limits::EVENT_TEXT_MAX_BYTES);
    let shown = text.get(..cut).unwrap_or_default();
    redacted_text(shown)
}

/// The end of a text without secrets, and how many bytes are missing before it.
pub(crate) fn end(text: &str) -> (String, usize) {
    let cut = text.len().saturating_sub(limits::EVENT_TEXT_MAX_BYTES);
    let cut = text.ceil_char_boundary(cut);
    (redacted_text(text.get(cut..).unwrap_or_default()), cut)
}

impl EventKind {
    pub(crate) fn judged(call: Subject, decision: &Decision, mode: PermissionMode) -> Self {
        let decision = serde_json::to_value(decision).unwrap_or_default();
        Self::Judged {
            call,
            decision: redacted(decision),
            mode,
        }
    }

    pub(crate) fn asked(request: &ApprovalRequest) -> Self {
        Self::Asked {
            call: Subject::of_request(request),
            reason: redacted_text(&request.reason),
            danger: request.danger,
            rule: request.rule.clone(),
            digest: request.digest.clone(),
            preview: redacted(History::bounded(&Value::Object(request.preview.clone()))),
            sources: request.sources.clone(),
        }
    }
}

impl Subject {
    pub(crate) fn new(id: &Arc<str>, tool: &str) -> Self {
        Self {
            tool_call_id: Arc::clone(id),
            tool: tool.to_owned(),
        }
    }

    pub(crate) fn of_request(request: &ApprovalRequest) -> Self {
        Self {
            tool_call_id: request.tool_call_id.as_str().into(),
            tool: request.tool.clone(),
        }
    }
}
