//! What the tools for sessions share: who they speak for, and how sessions and results are reported.

mod look;
mod send;
mod spawn;
mod subagents;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use tenon_contract::{FileChange, ToolError, limits};
use tenon_sessions::{Finished, Kind, Listed, Member, SessionRow, Status};

pub use look::{
    HistoryEntryFact, SessionStatus, SessionStatusOutput, SessionStatusParams, SessionsHistory,
    SessionsHistoryOutput, SessionsHistoryParams, SessionsList, SessionsListOutput,
    SessionsListParams,
};
pub use send::{
    SendModeName, SessionsSend, SessionsSendOutput, SessionsSendParams, SessionsSendPlan,
};
pub use spawn::{ContextName, SessionsSpawn, SessionsSpawnOutput, SessionsSpawnParams};
pub use subagents::{
    StoppedFact, Subagents, SubagentsAction, SubagentsOutput, SubagentsParams, WaitModeName,
};

use crate::host::missing;

/// Whose calls a tool for sessions makes; without one every call says what is missing.
pub type Sessions = Option<Member>;

/// The session of the calls.
///
/// # Errors
/// When the host runs no agents.
fn member(sessions: &Sessions) -> Result<&Member, ToolError> {
    sessions
        .as_ref()
        .ok_or_else(|| missing("runAgent", "run other agents"))
}

/// One session in a list.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionFact {
    /// Its id.
    pub session_id: String,
    /// Who started it.
    pub kind: Kind,
    /// The kind of agent.
    pub agent: String,
    /// What it is called.
    pub label: String,
    /// The name that it alone has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The session that started it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_id: Option<String>,
    /// How many sessions are above it.
    pub depth: usize,
    /// How it is.
    pub status: Status,
    /// When its last run started (ISO 8601).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started_at: Option<String>,
    /// When its last run ended (ISO 8601).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<String>,
    /// When something of it changed last (ISO 8601).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<String>,
    /// When its present run called a tool or reported something (ISO 8601).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_activity: Option<String>,
    /// Its calls of tools.
    pub tool_calls: u64,
    /// Results and messages that it has not been shown.
    pub unread: usize,
}

impl From<&Listed> for SessionFact {
    fn from(listed: &Listed) -> Self {
        let mut fact = Self::from(&listed.session);
        fact.last_activity = listed.last_activity.map(iso);
        fact.tool_calls = listed.tool_calls;
        fact.unread = listed.unread;
        fact
    }
}

impl From<&SessionRow> for SessionFact {
    fn from(row: &SessionRow) -> Self {
        Self {
            session_id: row.id.clone(),
            kind: row.kind,
            agent: row.agent.clone(),
            label: row.label.clone(),
            name: row.name.clone(),
            parent_id: row.parent.clone(),
            depth: row.depth,
            status: row.status,
            started_at: row.started_at.map(iso),
            ended_at: row.ended_at.map(iso),
            updated_at: (row.updated_at > 0).then(|| iso(row.updated_at)),
            last_activity: None,
            tool_calls: row.tool_calls,
            unread: 0,
        }
    }
}

/// What one run has returned.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ResultFact {
    /// Its session.
    pub session_id: String,
    /// The run.
    pub run_id: String,
    /// What the session is called.
    pub label: String,
    /// How it ended.
    pub status: Status,
    /// Why it failed: `output_mismatch`, `budget`, `agent_failed`, or the code of an error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// What it says.
    pub summary: String,
    /// Its structured result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<Value>,
    /// Bytes of the summary that are not shown.
    pub omitted_bytes: usize,
    /// What it used, as the application counts it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Value>,
    /// The files that it changed.
    pub changes: Vec<FileChange>,
    /// Whether it came after the end of the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub late: Option<bool>,
}

impl From<Finished> for ResultFact {
    fn from(finished: Finished) -> Self {
        let Finished {
            session,
            run,
            mut summary,
            output,
        } = finished;
        let whole = summary.len();
        summary.truncate(summary.floor_char_boundary(limits::AGENT_SUMMARY_MAX_BYTES));
        Self {
            session_id: run.session,
            run_id: run.id,
            label: session.label,
            status: run.status,
            code: run.code.filter(|_| run.status == Status::Failed),
            omitted_bytes: whole - summary.len(),
            summary,
            output,
            usage: run.usage,
            changes: run.changes,
            late: run.late.then_some(true),
        }
    }
}

/// A time as ISO 8601 in UTC, to the second.
pub(crate) fn iso(millis: i64) -> String {
    let seconds = millis.div_euclid(1000);
    let (days, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    // Days since 0000-03-01, whose years end with February: the leap day is the last one.
    let shifted = days + 719_468;
    let (era, of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_index = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month_index + 2) / 5 + 1;
    let month = if month_index < 10 {
        month_index + 3
    } else {
        month_index - 9
    };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    format!(
        "{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z",
        second / 3600,
        second / 60 % 60,
        second % 60
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_a_date_in_every_kind_of_year() {
        for (millis, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_400_000, "2000-02-29T00:00:00Z"),
            (1_709_251_199_999, "2024-02-29T23:59:59Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00Z"),
            (-1, "1969-12-31T23:59:59Z"),
        ] {
            assert_eq!(iso(millis), text);
        }
    }
}
