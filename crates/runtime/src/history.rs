//! The calls of a session, bounded, and the events that the host hears of them.

use std::collections::VecDeque;
use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use tenon_contract::{Content, FileChange, Outcome, ToolError, limits};
use tenon_policy::Verdict;
use tenon_state::SessionRecords;
use tokio::sync::oneshot;
use tokio::task::JoinSet;

use crate::taint::Origin;

/// One finished call.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HistoryEntry {
    /// The caller's id of the call.
    pub id: String,
    /// The tool, as the dialect names it.
    pub tool: String,
    /// Its parameters; long texts are cut.
    pub params: Value,
    /// What policy said; absent when the call never came so far.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decision: Option<Verdict>,
    /// How long it took, a user's thinking included.
    pub duration_ms: u64,
    /// `ok`, or the `error_type` of its failure.
    pub outcome: &'static str,
    /// The files that it changed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<FileChange>,
    /// Where the text of its result came from.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<Origin>,
}

/// What the host's listener hears of one call.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct TelemetryEvent {
    /// Always `tool_used`.
    pub event: &'static str,
    /// The tool, as the dialect names it.
    pub tool: String,
    /// The caller's id of the call.
    #[serde(rename = "toolCallId")]
    pub id: String,
    /// How long it took.
    pub duration_ms: u64,
    /// Whether it answered.
    pub success: bool,
    /// The `error_type` of its failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_type: Option<&'static str>,
    /// What policy said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decision: Option<Verdict>,
    /// Bytes of the content that went to the model.
    pub bytes: usize,
    /// The files that it changed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<FileChange>,
}

/// What the telemetry layer knows when a call is over.
pub(crate) struct Finished<'a> {
    pub(crate) tool: String,
    pub(crate) id: Arc<str>,
    pub(crate) params: Value,
    pub(crate) verdict: Option<Verdict>,
    pub(crate) duration: Duration,
    pub(crate) origins: Vec<Origin>,
    pub(crate) answer: &'a Result<Outcome, ToolError>,
}

/// The last calls, newest last.
pub(crate) struct History {
    entries: Mutex<VecDeque<HistoryEntry>>,
    /// How many there were, those included that are not kept any more.
    count: AtomicU64,
    listener: Option<Arc<dyn TelemetrySink>>,
    kept: Option<StoredHistory>,
    /// How many questions of MCP servers there were.
    questions: AtomicU64,
}

/// Where calls of a session that outlives its toolkit are stored, behind the back of the calls.
struct StoredHistory {
    records: SessionRecords,
    /// Of this toolkit, so that no two calls have one id.
    run: u64,
    last: AtomicU64,
    storing: Mutex<Storing>,
}

impl StoredHistory {
    fn store(&self, entry: &HistoryEntry) {
        let Ok(call) = serde_json::to_value(entry) else {
            return;
        };
        // Outside of the runtime, where no call runs, there is nothing to store.
        let Ok(executor) = tokio::runtime::Handle::try_current() else {
            return;
        };
        let number = self.last.fetch_add(1, Ordering::Relaxed);
        let id = format!("{:016x}-{number}", self.run);
        let records = self.records.clone();
        let mut storing = self.storing.lock().unwrap_or_else(PoisonError::into_inner);
        while storing.tasks.try_join_next().is_some() {}
        let (done, turn) = oneshot::channel();
        let before = storing.last.replace(turn);
        let task = async move {
            if let Some(before) = before {
                // One that ended without a word has had its turn as well.
                let _ = before.await;
            }
            records.record_call(id, call).await;
            // Nobody waits for the last one.
            let _ = done.send(());
        };
        storing.tasks.spawn_on(task, &executor);
    }
}

/// What is being stored, one call after the other: a history is in order.
#[derive(Default)]
struct Storing {
    tasks: JoinSet<()>,
    /// Says that the last one is stored.
    last: Option<oneshot::Receiver<()>>,
}

impl History {
    /// `records` of a session that outlives its toolkit.
    pub(crate) fn new(
        listener: Option<Arc<dyn TelemetrySink>>,
        records: Option<SessionRecords>,
    ) -> Self {
        Self {
            entries: Mutex::default(),
            count: AtomicU64::new(0),
            questions: AtomicU64::new(0),
            listener,
            kept: records.map(|records| StoredHistory {
                records,
                run: RandomState::new().hash_one("history"),
                last: AtomicU64::new(0),
                storing: Mutex::default(),
            }),
        }
    }

    /// Where calls are stored, if they are.
    pub(crate) fn records(&self) -> Option<&SessionRecords> {
        self.kept.as_ref().map(|kept| &kept.records)
    }

    /// Waits until everything is stored, for a while.
    pub(crate) async fn stored(&self) {
        let Some(kept) = &self.kept else { return };
        let storing = &kept.storing;
        let storing = std::mem::take(&mut *storing.lock().unwrap_or_else(PoisonError::into_inner));
        // What takes longer is stored all the same, if the process lives.
        let all = tokio::time::timeout(limits::STORE_CLOSE_PATIENCE, storing.tasks.join_all());
        let _ = all.await;
    }

    /// A bounded copy of parameters: long texts cut, so that a history never holds whole files.
    pub(crate) fn summary(params: &Value) -> Value {
        summary(params, &mut limits::HISTORY_PARAMS_MAX_CHARACTERS.clone())
    }

    /// The same of values that events carry.
    pub(crate) fn bounded(value: &Value) -> Value {
        summary(value, &mut limits::EVENT_VALUE_MAX_CHARACTERS.clone())
    }

    pub(crate) fn add(&self, finished: Finished<'_>) {
        let Finished {
            tool,
            id,
            params,
            verdict,
            duration,
            origins,
            answer,
        } = finished;
        let error_type = answer
            .as_ref()
            .err()
            .map(|error| error.error_type().as_str());
        let duration_ms = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
        let (bytes, changes) = match answer {
            Ok(outcome) => (
                outcome.content.iter().map(Content::bytes).sum(),
                outcome.changes.clone(),
            ),
            Err(_) => (0, Vec::new()),
        };
        if let Some(listener) = &self.listener {
            listener.emit(TelemetryEvent {
                event: "tool_used",
                tool: tool.clone(),
                id: id.to_string(),
                duration_ms,
                success: error_type.is_none(),
                error_type,
                decision: verdict,
                bytes,
                changes: changes.clone(),
            });
        }
        self.keep(HistoryEntry {
            id: id.to_string(),
            tool,
            params,
            decision: verdict,
            duration_ms,
            outcome: error_type.unwrap_or("ok"),
            changes,
            sources: origins,
        });
    }

    /// What an MCP server asked in the middle of a call.
    pub(crate) fn add_question(&self, server: &str, question: &ServerQuestion, after: Duration) {
        let number = self.questions.fetch_add(1, Ordering::Relaxed) + 1;
        let asked = serde_json::to_value(question).unwrap_or_default();
        self.keep(HistoryEntry {
            id: format!("mcp-question-{number}"),
            tool: format!("mcp__{server}"),
            params: Self::summary(&asked),
            decision: None,
            duration_ms: u64::try_from(after.as_millis()).unwrap_or(u64::MAX),
            outcome: "ok",
            changes: Vec::new(),
            sources: Vec::new(),
        });
    }

    fn keep(&self, entry: HistoryEntry) {
        if let Some(kept) = &self.kept {
            kept.store(&entry);
        }
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        if entries.len() >= limits::HISTORY_MAX_CALLS {
            entries.pop_front();
        }
        entries.push_back(entry);
        self.count.fetch_add(1, Ordering::Relaxed);
    }

    /// Those behind the first so many, and how many there were by now.
    pub(crate) fn entries_after(&self, seen: u64) -> (Vec<HistoryEntry>, u64) {
        let entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        let count = self.count.load(Ordering::Relaxed);
        let new = usize::try_from(count.saturating_sub(seen)).unwrap_or(usize::MAX);
        let known = entries.len().saturating_sub(new);
        (entries.iter().skip(known).cloned().collect(), count)
    }

    pub(crate) fn entries(&self) -> Vec<HistoryEntry> {
        self.entries
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .iter()
            .cloned()
            .collect()
    }
}

fn summary(value: &Value, left: &mut usize) -> Value {
    match value {
        Value::String(text) => {
            let kept = text.floor_char_boundary(*left);
            *left = left.saturating_sub(text.len());
            match text.get(..kept) {
                Some(start) if kept < text.len() => {
                    Value::String(format!("{start}… ({} bytes)", text.len()))
                }
                _ => value.clone(),
            }
        }
        Value::Array(items) => {
            let taken: Vec<Value> = items
                .iter()
                .take(*left)
                .map(|item| summary(item, left))
                .collect();
            Value::Array(taken)
        }
        Value::Object(members) => {
            let mut kept = Map::new();
            for (name, member) in members {
                if *left == 0 {
                    break;
                }
                *left = left.saturating_sub(name.len());
                kept.insert(name.clone(), summary(member, left));
            }
            Value::Object(kept)
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {
            *left = left.saturating_sub(8);
            value.clone()
        }
    }
}

/// Hears of every finished call.
pub trait TelemetrySink: Send + Sync {
    /// Takes one event. Must return at once; what it does with the event is its own affair.
    fn emit(&self, event: TelemetryEvent);
}

/// What an MCP server asked, and what became of it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ServerQuestion {
    /// `form`, `url` or `sampling`.
    pub kind: &'static str,
    /// The message to the user, the address, or how many messages the model was to continue.
    pub message: String,
    /// `accept`, `decline`, `cancel`, or `failed`.
    pub answer: String,
    /// The answers, without those of fields whose names announce a secret.
    #[serde(skip_serializing_if = "Value::is_null")]
    pub content: Value,
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_summary_is_bounded_whatever_the_parameters_hold() {
        let huge = json!({"a": "x".repeat(5000), "b": vec![json!("y"); 100_000], "c": {"d": "ä".repeat(5000)}});
        let text = History::summary(&huge).to_string();
        assert!(
            text.len() < 3 * limits::HISTORY_PARAMS_MAX_CHARACTERS,
            "{}",
            text.len()
        );
    }

    #[test]
    fn small_parameters_are_kept_whole() {
        let params = json!({"file_path": "a.txt", "limit": 5});
        assert_eq!(History::summary(&params), params);
    }
}
