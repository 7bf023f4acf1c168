//! The rows of the engine.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tenon_contract::{FileChange, Operation};
use tenon_store::Millis;

/// How a run, or the session of which it is the last one, is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// No run yet.
    #[default]
    Idle,
    /// It waits for a free place.
    Queued,
    /// It runs.
    Running,
    /// It did what it was to do.
    Completed,
    /// It failed.
    Failed,
    /// It was stopped.
    Cancelled,
    /// Its time was over.
    Timeout,
    /// Its process ended before it did.
    Lost,
}

impl Status {
    /// Whether nothing follows.
    #[must_use]
    pub const fn is_final(self) -> bool {
        !matches!(self, Self::Idle | Self::Queued | Self::Running)
    }

    /// As it is written.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Idle => "idle",
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
            Self::Timeout => "timeout",
            Self::Lost => "lost",
        }
    }
}

/// Who started a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// The host: the root of a tree.
    Main,
    /// Another agent.
    #[default]
    Agent,
    /// A schedule.
    Cron,
    /// Something else.
    Other,
}

/// A session.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SessionRow {
    /// Its id.
    pub id: String,
    /// Who started it.
    pub kind: Kind,
    /// The kind of agent.
    pub agent: String,
    /// What it is called.
    pub label: String,
    /// The name that it alone has in its tree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The session that started it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// The session at the root of its tree.
    pub root: String,
    /// How many sessions are above it.
    pub depth: usize,
    /// That of its last run.
    pub status: Status,
    /// Its last run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_run: Option<String>,
    /// When it was made.
    pub created_at: Millis,
    /// When its last run started.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Millis>,
    /// When its last run ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Millis>,
    /// When this was written.
    pub updated_at: Millis,
    /// Calls of tools in all runs that ended.
    pub tool_calls: u64,
}

/// What a run may use up. The core counts calls, bytes and time; the host reports the rest.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Budget {
    /// Calls of tools.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_calls: Option<u64>,
    /// Bytes of results of tools.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// Wall time in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wall_ms: Option<u64>,
    /// Tokens, as `usage.tokens` of the host counts them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// Turns of the model, as the host reports them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turns: Option<u64>,
    /// Cost, as `usage.usd` of the host counts it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usd: Option<f64>,
}

impl Budget {
    /// Whether nothing is limited.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// One run of a session.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RunRow {
    /// Its id.
    pub id: String,
    /// Its session.
    pub session: String,
    /// What is to be done.
    pub objective: String,
    /// How it is.
    pub status: Status,
    /// When it was asked for.
    pub queued_at: Millis,
    /// When it started.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Millis>,
    /// When it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Millis>,
    /// Its time limit; 0 for none.
    pub timeout_ms: u64,
    /// What its `output` has to be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<Value>,
    /// Whether it is given the history of its parent.
    #[serde(skip_serializing_if = "is_false")]
    pub fork: bool,
    /// Why it did not complete, for programs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// What the host counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Value>,
    /// Calls of tools.
    pub tool_calls: u64,
    /// The files that it changed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<FileChange>,
    /// Whether its result came after its end.
    #[serde(skip_serializing_if = "is_false")]
    pub late: bool,
}

#[allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde asks for a reference"
)]
fn is_false(value: &bool) -> bool {
    !value
}

/// What a run has returned.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ResultRow {
    /// Its text, whole.
    pub summary: String,
    /// Its value, which may be `null`.
    #[serde(
        skip_serializing_if = "Option::is_none",
        deserialize_with = "given_value"
    )]
    pub output: Option<Value>,
}

/// A value that is there, where `null` is one.
fn given_value<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(from).map(Some)
}

/// What is running and waiting in one tree. Every change of a run passes through this row.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Tree {
    /// In the order in which they were asked for.
    pub(crate) live: Vec<Live>,
    /// When a run of each parent was started last, by a number that grows.
    pub(crate) served: BTreeMap<String, u64>,
}

/// A run that has not ended.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Live {
    pub(crate) run: String,
    pub(crate) session: String,
    pub(crate) parent: String,
    pub(crate) label: String,
    pub(crate) is_running: bool,
    /// How many of its calls wait for its own children: it needs no place meanwhile.
    pub(crate) waiting: u32,
    pub(crate) lease_until: Millis,
    pub(crate) owner: Owner,
}

/// The process to which a run belongs.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Owner {
    /// The machine, since its start.
    pub machine: String,
    /// The process.
    pub pid: u32,
    /// When it was started, in the units of the system.
    pub started: u64,
    /// The engine in it.
    pub engine: String,
}

/// What lies in the mailbox of a session until it is shown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Mail {
    pub(crate) to: String,
    /// The session that it is from.
    pub(crate) from: String,
    pub(crate) label: String,
    /// Of a result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) run: Option<String>,
    /// Of a message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) text: Option<String>,
    #[serde(default)]
    pub(crate) late: bool,
}

/// One entry of the transcript of a session.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Message {
    /// `user`, `assistant`, `tool` or another word of the host.
    pub role: String,
    /// What was said.
    pub text: String,
    /// The run in which it was said.
    pub run: String,
    /// Whether it is the objective or the result of a round.
    #[serde(skip_serializing_if = "is_false")]
    pub round: bool,
    /// The session that said it, where that was not the parent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
}

/// What a host learns of the sessions of its tree.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Event {
    /// `queued`, `started`, `ended` or `message`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// The session.
    pub session_id: String,
    /// Its run.
    pub run_id: String,
    /// The session that gets the result or the message.
    pub parent_id: String,
    /// What it is called.
    pub label: String,
    /// The kind of agent.
    #[serde(skip)]
    pub agent: String,
    /// What the call did that has started the run.
    #[serde(skip)]
    pub origin: Option<Operation>,
    /// That call.
    #[serde(skip)]
    pub call_id: Option<String>,
    /// How it is.
    pub status: Status,
    /// The first bytes of its text.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// Of a result that came after the end.
    #[serde(skip_serializing_if = "is_false")]
    pub late: bool,
}

/// Adds numbers of the host's usage, member by member; everything else is replaced. What is negative would give back what was used, and
/// counts as nothing.
pub(crate) fn add_usage(total: &mut Map<String, Value>, more: &Map<String, Value>) {
    for (name, value) in more {
        if value.as_f64().is_some_and(|number| number < 0.0) {
            continue;
        }
        let sum = match (total.get(name), value) {
            (Some(Value::Number(before)), Value::Number(now)) => {
                match (before.as_u64(), now.as_u64()) {
                    (Some(before), Some(now)) => Value::from(before.saturating_add(now)),
                    _ => Value::from(
                        before.as_f64().unwrap_or_default() + now.as_f64().unwrap_or_default(),
                    ),
                }
            }
            _ => value.clone(),
        };
        total.insert(name.clone(), sum);
    }
}
