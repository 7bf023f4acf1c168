//! One run in this process: what it has used, and how it is ended.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};
use tenon_contract::{CancellationToken, ErrorCode, FileChange, Operation, ToolError};
use tokio::runtime::Handle;
use tokio::task::JoinHandle;

use crate::model::{Budget, add_usage};

/// Hears how far a run is.
pub type OnUpdate = Arc<dyn Fn(&Value) + Send + Sync>;
type OnEnd = Box<dyn FnOnce() + Send>;

/// One run in this process.
pub struct Control {
    /// Its session.
    pub session: String,
    /// The run.
    pub run: String,
    /// What it is called.
    pub label: String,
    /// How many sessions are above it.
    pub depth: usize,
    /// The kind of agent.
    pub agent: String,
    pub(crate) parent: String,
    pub(crate) origin: Option<Operation>,
    pub(crate) call_id: Option<String>,
    pub(crate) ticket: u32,
    budget: Budget,
    /// The signal to the host to end.
    pub(crate) abort: CancellationToken,
    /// The run has ended in the store.
    pub(crate) over: CancellationToken,
    /// Something is used up.
    pub(crate) exceeded: CancellationToken,
    state: Mutex<State>,
}

struct State {
    /// When it called a tool, got a result or reported something.
    active: Instant,
    tool_calls: u64,
    bytes: u64,
    usage: Map<String, Value>,
    changes: Vec<FileChange>,
    used_up: Option<&'static str>,
    failure: Option<ToolError>,
    on_update: Option<OnUpdate>,
    /// The last of what was handed in to be done one after the other.
    last: Option<JoinHandle<()>>,
    ends: Vec<OnEnd>,
    has_ended: bool,
}

/// What a run has used so far.
pub(crate) struct Used {
    pub(crate) tool_calls: u64,
    pub(crate) usage: Option<Value>,
    pub(crate) changes: Vec<FileChange>,
}

/// Who runs, for whom, and what it may use.
pub(crate) struct ControlParts {
    pub(crate) session: String,
    pub(crate) run: String,
    pub(crate) label: String,
    pub(crate) depth: usize,
    pub(crate) agent: String,
    pub(crate) parent: String,
    pub(crate) origin: Option<Operation>,
    pub(crate) call_id: Option<String>,
    pub(crate) ticket: u32,
    pub(crate) budget: Budget,
    pub(crate) on_update: Option<OnUpdate>,
}

impl Control {
    pub(crate) fn new(parts: ControlParts) -> Self {
        Self {
            session: parts.session,
            run: parts.run,
            label: parts.label,
            depth: parts.depth,
            agent: parts.agent,
            parent: parts.parent,
            origin: parts.origin,
            call_id: parts.call_id,
            ticket: parts.ticket,
            budget: parts.budget,
            abort: CancellationToken::new(),
            over: CancellationToken::new(),
            exceeded: CancellationToken::new(),
            state: Mutex::new(State {
                active: Instant::now(),
                tool_calls: 0,
                bytes: 0,
                usage: Map::new(),
                changes: Vec::new(),
                used_up: None,
                failure: None,
                on_update: parts.on_update,
                last: None,
                ends: Vec::new(),
                has_ended: false,
            }),
        }
    }

    /// Counts a call of a tool.
    ///
    /// # Errors
    /// When the run may make no further one, or has ended.
    pub fn begin_call(&self) -> Result<(), ToolError> {
        if self.over.is_cancelled() {
            let message = format!(
                "The run of `{}` has ended. No further tool runs.",
                self.label
            );
            return Err(ToolError::new(ErrorCode::Cancelled, message));
        }
        let mut state = self.state();
        state.active = Instant::now();
        state.tool_calls += 1;
        if self
            .budget
            .tool_calls
            .is_some_and(|most| state.tool_calls > most)
        {
            state.tool_calls -= 1;
            state.used_up = state.used_up.or(Some("toolCalls"));
        }
        let used_up = state.used_up;
        drop(state);
        match used_up {
            None => Ok(()),
            Some(what) => {
                self.exceeded.cancel();
                let message = format!(
                    "The budget of this agent is used up (`{what}`). Stop, and return what you have."
                );
                Err(ToolError::new(ErrorCode::AgentLimit, message).with("budget", what))
            }
        }
    }

    /// Counts what came of it.
    pub fn end_call(&self, bytes: usize, changes: &[FileChange]) {
        let mut state = self.state();
        state.active = Instant::now();
        state.bytes = state.bytes.saturating_add(bytes as u64);
        for change in changes {
            match state
                .changes
                .iter_mut()
                .find(|known| known.path == change.path)
            {
                Some(known) => merge(known, change),
                None => state.changes.push(change.clone()),
            }
        }
        if self.budget.bytes.is_some_and(|most| state.bytes > most) {
            state.used_up = state.used_up.or(Some("bytes"));
            drop(state);
            self.exceeded.cancel();
        }
    }

    /// Takes what the host reports in between.
    pub(crate) fn update(&self, partial: &Value) {
        if let Some(usage) = partial.get("usage").and_then(Value::as_object) {
            self.add_usage(usage);
        }
        if partial.get("turn").is_some() {
            self.add_usage(&Map::from_iter([("turns".to_owned(), json!(1))]));
        }
        let listener = {
            let mut state = self.state();
            state.active = Instant::now();
            state.on_update.clone()
        };
        if let Some(listener) = listener {
            listener(partial);
        }
    }

    /// Does this in the background, after all that was handed in before.
    pub(crate) fn in_order(
        &self,
        executor: &Handle,
        work: impl Future<Output = ()> + Send + 'static,
    ) {
        let mut state = self.state();
        let before = state.last.take();
        state.last = Some(executor.spawn(async move {
            if let Some(before) = before {
                // One that has panicked keeps nobody from coming next.
                let _ = before.await;
            }
            work.await;
        }));
    }

    /// What has to end until all that was handed in so far is done.
    pub(crate) fn last(&self) -> Option<JoinHandle<()>> {
        self.state().last.take()
    }

    /// For how long nothing was seen of the run.
    pub(crate) fn idle(&self) -> Duration {
        self.state().active.elapsed()
    }

    pub(crate) fn add_usage(&self, usage: &Map<String, Value>) {
        let mut state = self.state();
        add_usage(&mut state.usage, usage);
        let counted = |name: &str| state.usage.get(name).and_then(Value::as_f64);
        let beyond = |name: &str, most: Option<f64>| {
            most.zip(counted(name))
                .is_some_and(|(most, used)| used > most)
        };
        #[allow(clippy::cast_precision_loss, reason = "nobody has that many tokens")]
        let whole = |most: Option<u64>| most.map(|most| most as f64);
        let used_up = [
            ("tokens", whole(self.budget.tokens)),
            ("turns", whole(self.budget.turns)),
            ("usd", self.budget.usd),
        ];
        let used_up = used_up.into_iter().find(|(name, most)| beyond(name, *most));
        if let Some((name, _)) = used_up {
            state.used_up = state.used_up.or(Some(name));
            drop(state);
            self.exceeded.cancel();
        }
    }

    /// Done when the run has ended, at once where it has already.
    pub fn on_end(&self, end: impl FnOnce() + Send + 'static) {
        let mut state = self.state();
        if state.has_ended {
            drop(state);
            end();
        } else {
            state.ends.push(Box::new(end));
        }
    }

    /// Ends everything that belongs to the run.
    pub(crate) fn end(&self) {
        self.over.cancel();
        let ends = {
            let mut state = self.state();
            state.has_ended = true;
            state.on_update = None;
            std::mem::take(&mut state.ends)
        };
        ends.into_iter().for_each(|end| end());
    }

    /// Whether the host was asked to end.
    #[must_use]
    pub fn abort(&self) -> &CancellationToken {
        &self.abort
    }

    pub(crate) fn wall_ms(&self) -> Option<u64> {
        self.budget.wall_ms
    }

    pub(crate) fn budget(&self) -> Budget {
        self.budget
    }

    pub(crate) fn use_up(&self, what: &'static str) {
        let mut state = self.state();
        state.used_up = state.used_up.or(Some(what));
    }

    pub(crate) fn used_up(&self) -> Option<&'static str> {
        self.state().used_up
    }

    pub(crate) fn fail(&self, error: ToolError) {
        self.state().failure = Some(error);
    }

    /// Why the host failed, once.
    pub fn take_failure(&self) -> Option<ToolError> {
        self.state().failure.take()
    }

    pub(crate) fn used(&self) -> Used {
        let state = self.state();
        Used {
            tool_calls: state.tool_calls,
            usage: (!state.usage.is_empty()).then(|| Value::Object(state.usage.clone())),
            changes: state.changes.clone(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What two changes of one file are together.
fn merge(known: &mut FileChange, later: &FileChange) {
    use tenon_contract::ChangeKind::{Create, Delete, Update};
    known.kind = match (known.kind, later.kind) {
        (Create, Update) => Create,
        (Delete, Create) => Update,
        (_, kind) => kind,
    };
}

impl std::fmt::Debug for Control {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Control")
            .field("run", &self.run)
            .finish_non_exhaustive()
    }
}

/// What a host has returned for a run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Report {
    /// Whether it says that it did what it was to do.
    pub ok: bool,
    /// Its text.
    pub summary: String,
    /// Its value.
    pub output: Option<Value>,
    /// What it counted.
    pub usage: Option<Map<String, Value>>,
    /// What the next run of the session is given.
    pub state: Option<Value>,
}

impl Report {
    /// A text, or `{summary, ok?, output?, usage?, state?}`.
    ///
    /// # Errors
    /// What is wrong with it, in words that go into a sentence.
    pub fn read(said: Value) -> Result<Self, String> {
        let mut members = match said {
            Value::String(summary) => {
                return Ok(Self {
                    ok: true,
                    summary,
                    ..Self::default()
                });
            }
            Value::Object(members) => members,
            other => {
                let kind = kind_of(&other);
                return Err(format!(
                    "it returned {kind} instead of a string or `{{summary}}`"
                ));
            }
        };
        let ok = match members.remove("ok") {
            None | Some(Value::Null) => true,
            Some(Value::Bool(ok)) => ok,
            Some(other) => {
                return Err(format!(
                    "`ok` is {} and must be true or false",
                    kind_of(&other)
                ));
            }
        };
        // Whether a null is one depends on the schema.
        let output = members.remove("output");
        let mut taken = |name: &str| members.remove(name).filter(|value| !value.is_null());
        let usage = usage_of(taken("usage"))?;
        let state = taken("state");
        match (taken("summary"), &output) {
            (Some(Value::String(summary)), _) => Ok(Self {
                ok,
                summary,
                output,
                usage,
                state,
            }),
            (None, Some(value)) if !value.is_null() => Ok(Self {
                ok,
                summary: value.to_string(),
                output,
                usage,
                state,
            }),
            (other, _) => Err(format!(
                "`summary` is {} and must be a string",
                kind_of(&other.unwrap_or_default())
            )),
        }
    }
}

/// What was used: an object, whose numbers are not negative.
fn usage_of(said: Option<Value>) -> Result<Option<Map<String, Value>>, String> {
    let usage = match said {
        None => return Ok(None),
        Some(Value::Object(usage)) => usage,
        Some(other) => {
            let kind = kind_of(&other);
            return Err(format!("`usage` is {kind} and must be an object"));
        }
    };
    let is_negative = |value: &Value| value.as_f64().is_some_and(|number| number < 0.0);
    match usage.iter().find(|(_, value)| is_negative(value)) {
        Some((name, value)) => Err(format!(
            "`usage.{name}` is {value} and must not be negative"
        )),
        None => Ok(Some(usage)),
    }
}

/// What kind of value it is, in a sentence.
fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "nothing",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
