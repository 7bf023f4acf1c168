//! Shows sessions: a list, how one is, what was said in one.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tenon_contract::{Access, ErrorCode, Operation, Output, Tool, ToolContext, ToolError, limits};
use tenon_sessions::{Kind, Status};
use tenon_state::{SessionKey, SessionRecords, TodoStatus, redacted};

use super::{SessionFact, Sessions, iso, member};

/// Which sessions to list.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SessionsListParams {
    /// Only sessions of these kinds.
    pub kinds: Option<Vec<Kind>>,
    /// Only sessions with this status.
    pub status: Option<Status>,
    /// Only sessions active within this many minutes.
    #[schemars(range(min = 1))]
    pub active_minutes: Option<u64>,
    /// Only sessions whose label, name, agent or id contains this.
    pub search: Option<String>,
    /// Maximum number of sessions. Default: 50.
    #[schemars(range(min = 1, max = 200))]
    pub limit: Option<usize>,
    /// `nextCursor` of the last page.
    pub cursor: Option<String>,
}

/// A page of sessions, newest first.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionsListOutput {
    /// How many are on this page.
    pub count: usize,
    /// The sessions.
    pub sessions: Vec<SessionFact>,
    /// Whether there are more.
    pub has_more: bool,
    /// `cursor` of the next page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

impl Output for SessionsListOutput {}

/// The operation that lists.
pub struct SessionsList(Sessions);

impl SessionsList {
    /// Lists what this session sees.
    #[must_use]
    pub fn new(sessions: Sessions) -> Self {
        Self(sessions)
    }
}

impl Tool for SessionsList {
    const OPERATION: Operation = Operation::SessionsList;
    type Params = SessionsListParams;
    type Plan = SessionsListParams;
    type Output = SessionsListOutput;

    fn plan(&self, params: SessionsListParams) -> Result<(Access, SessionsListParams), ToolError> {
        Ok((Access::default(), params))
    }

    async fn run(
        &self,
        params: SessionsListParams,
        _: ToolContext,
    ) -> Result<SessionsListOutput, ToolError> {
        let member = member(&self.0)?;
        let listed = member.list().await?;
        let now = member.overview(None, None).await?.now;
        let since = params.active_minutes.map(|minutes| {
            now.saturating_sub(i64::try_from(minutes.saturating_mul(60_000)).unwrap_or(i64::MAX))
        });
        let search = params.search.as_ref().map(|text| text.to_lowercase());
        let fits = listed.iter().filter(|listed| {
            let row = &listed.session;
            let texts = [
                Some(&row.label),
                row.name.as_ref(),
                Some(&row.agent),
                Some(&row.id),
            ];
            params
                .kinds
                .as_ref()
                .is_none_or(|kinds| kinds.contains(&row.kind))
                && params.status.is_none_or(|status| status == row.status)
                && since.is_none_or(|since| row.updated_at >= since || !row.status.is_final())
                && search.as_ref().is_none_or(|search| {
                    texts
                        .into_iter()
                        .flatten()
                        .any(|text| text.to_lowercase().contains(search))
                })
        });
        let fits: Vec<SessionFact> = fits.map(SessionFact::from).collect();
        let start = match &params.cursor {
            None => 0,
            Some(cursor) => match fits.iter().position(|fact| &fact.session_id == cursor) {
                Some(place) => place + 1,
                None => return Err(odd_cursor(cursor)),
            },
        };
        let sessions = page(&fits, start, params.limit);
        let has_more = start + sessions.len() < fits.len();
        Ok(SessionsListOutput {
            count: sessions.len(),
            next_cursor: sessions
                .last()
                .filter(|_| has_more)
                .map(|fact| fact.session_id.clone()),
            sessions,
            has_more,
        })
    }
}

/// The sessions of one page.
fn page(fits: &[SessionFact], start: usize, limit: Option<usize>) -> Vec<SessionFact> {
    const USUAL: usize = 50;
    let (mut sessions, mut bytes) = (Vec::new(), 0);
    for fact in fits.iter().skip(start).take(limit.unwrap_or(USUAL)) {
        bytes += serde_json::to_string(fact).map_or(0, |text| text.len());
        if bytes > limits::AGENT_LIST_MAX_BYTES && !sessions.is_empty() {
            break;
        }
        sessions.push(fact.clone());
    }
    sessions
}

fn odd_cursor(cursor: &str) -> ToolError {
    let shown: String = cursor.chars().take(80).collect();
    let message = format!(
        "`cursor` is `{shown}`, which is not a `nextCursor` of this list. Omit it to begin again."
    );
    ToolError::new(ErrorCode::InvalidParams, message)
}

/// Of which session to say how it is.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SessionStatusParams {
    /// Id, name or unique label. Default: this session.
    #[schemars(length(min = 1, max = 512))]
    pub session_id: Option<String>,
    /// `version` of an earlier result: also return what changed since.
    pub changes_since: Option<u64>,
}

/// How a session is.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionStatusOutput {
    /// The session.
    #[serde(flatten)]
    pub session: SessionFact,
    /// Entries of its task list, by status.
    pub todos: BTreeMap<&'static str, usize>,
    /// Its sub-agents: `running`, `queued`, `ended` and `unread`.
    pub children: BTreeMap<&'static str, usize>,
    /// What its last run used, as the application counts it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Value>,
    /// What each run may use.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget: Option<Value>,
    /// For `changesSince`.
    pub version: u64,
    /// The time (ISO 8601, UTC).
    pub now: String,
    /// The time zone of the user.
    pub time_zone: String,
    /// What changed since `changesSince`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changes: Option<Vec<Value>>,
    /// True where some of the changes are not known any more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gap: Option<bool>,
}

impl Output for SessionStatusOutput {}

/// The operation that says how a session is.
pub struct SessionStatus {
    sessions: Sessions,
    records: SessionRecords,
    time_zone: String,
}

impl SessionStatus {
    /// Says how sessions are; `records` are those of this one.
    #[must_use]
    pub fn new(sessions: Sessions, records: SessionRecords, time_zone: Option<String>) -> Self {
        Self {
            sessions,
            records,
            time_zone: time_zone.unwrap_or_else(|| "UTC".to_owned()),
        }
    }
}

impl Tool for SessionStatus {
    const OPERATION: Operation = Operation::SessionStatus;
    type Params = SessionStatusParams;
    type Plan = SessionStatusParams;
    type Output = SessionStatusOutput;

    fn plan(
        &self,
        params: SessionStatusParams,
    ) -> Result<(Access, SessionStatusParams), ToolError> {
        Ok((Access::default(), params))
    }

    async fn run(
        &self,
        params: SessionStatusParams,
        _: ToolContext,
    ) -> Result<SessionStatusOutput, ToolError> {
        let member = member(&self.sessions)?;
        let seen = member
            .overview(params.session_id.as_deref(), params.changes_since)
            .await?;
        let key = SessionKey {
            workspace: self.records.session().workspace.clone(),
            id: seen.listed.session.id.clone(),
        };
        let todos = self.records.of(key).todos().await;
        let count = |status: TodoStatus| todos.iter().filter(|todo| todo.status == status).count();
        let (running, queued, ended) = seen.children;
        let budget = member.engine().limits().budget;
        let budget = if budget.is_empty() {
            None
        } else {
            serde_json::to_value(budget).ok()
        };
        Ok(SessionStatusOutput {
            todos: BTreeMap::from([
                ("pending", count(TodoStatus::Pending)),
                ("inProgress", count(TodoStatus::InProgress)),
                ("completed", count(TodoStatus::Completed)),
            ]),
            children: BTreeMap::from([
                ("running", running),
                ("queued", queued),
                ("ended", ended),
                ("unread", seen.listed.unread),
            ]),
            session: SessionFact::from(&seen.listed),
            usage: seen.run.and_then(|run| run.usage),
            budget,
            version: seen.version,
            now: iso(seen.now),
            time_zone: self.time_zone.clone(),
            changes: seen.changes,
            gap: seen.gap.then_some(true),
        })
    }
}

/// Which messages to read.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SessionsHistoryParams {
    /// Id, name or unique label.
    #[schemars(length(min = 1, max = 512))]
    pub session_id: String,
    /// Most messages. Default: 20.
    #[schemars(range(min = 1, max = 200))]
    pub limit: Option<usize>,
    /// `before` of the page that follows: older messages.
    #[schemars(range(min = 1))]
    pub before: Option<u64>,
    /// Also messages of tools.
    pub include_tools: Option<bool>,
    /// Only messages with these words.
    #[schemars(length(min = 1, max = 4096))]
    pub query: Option<String>,
}

/// One message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HistoryEntryFact {
    /// Who said it.
    pub role: String,
    /// What was said.
    pub text: String,
    /// The run in which it was said.
    pub run_id: String,
    /// The session that said it, where that was another one and not the user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
}

/// A page of messages, oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionsHistoryOutput {
    /// The session.
    pub session_id: String,
    /// The messages.
    pub messages: Vec<HistoryEntryFact>,
    /// Whether there are older ones.
    pub has_more: bool,
    /// `before` for the older ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<u64>,
    /// Whether long messages were cut.
    pub truncated: bool,
    /// Whether secrets were removed.
    pub redacted: bool,
}

impl Output for SessionsHistoryOutput {}

/// The operation that shows what was said.
pub struct SessionsHistory(Sessions);

impl SessionsHistory {
    /// Shows what was said in sessions that this one sees.
    #[must_use]
    pub fn new(sessions: Sessions) -> Self {
        Self(sessions)
    }
}

impl Tool for SessionsHistory {
    const OPERATION: Operation = Operation::SessionsHistory;
    type Params = SessionsHistoryParams;
    type Plan = SessionsHistoryParams;
    type Output = SessionsHistoryOutput;

    fn plan(
        &self,
        params: SessionsHistoryParams,
    ) -> Result<(Access, SessionsHistoryParams), ToolError> {
        Ok((Access::default(), params))
    }

    async fn run(
        &self,
        params: SessionsHistoryParams,
        _: ToolContext,
    ) -> Result<SessionsHistoryOutput, ToolError> {
        const USUAL: usize = 20;
        let member = member(&self.0)?;
        let limit = params.limit.unwrap_or(USUAL);
        let page = member
            .history(
                &params.session_id,
                limit,
                params.before,
                params.query.as_deref(),
            )
            .await?;
        let mut output = SessionsHistoryOutput {
            session_id: page.session.id,
            messages: Vec::new(),
            has_more: page.has_more,
            before: None,
            truncated: false,
            redacted: false,
        };
        let with_tools = params.include_tools.unwrap_or(false);
        let mut bytes = 0;
        // The newest are the most wanted: the oldest of the page go where it is too long.
        for (seq, message) in page.messages.into_iter().rev() {
            if message.role == "tool" && !with_tools {
                continue;
            }
            let (text, is_redacted) = clean(&message.text);
            let cut: String = text
                .chars()
                .take(limits::AGENT_HISTORY_TEXT_MAX_CHARACTERS)
                .collect();
            let is_cut = cut.len() < text.len();
            bytes += cut.len();
            if bytes > limits::AGENT_HISTORY_MAX_BYTES && !output.messages.is_empty() {
                output.has_more = true;
                break;
            }
            output.truncated |= is_cut;
            output.redacted |= is_redacted;
            output.before = Some(seq);
            output.messages.push(HistoryEntryFact {
                role: message.role,
                text: if is_cut {
                    format!("{cut}… ({} characters)", text.chars().count())
                } else {
                    cut
                },
                run_id: message.run,
                from: message.from,
            });
        }
        output.messages.reverse();
        output.before = output.before.filter(|_| output.has_more);
        Ok(output)
    }
}

/// A text without secrets, and whether it had some.
fn clean(text: &str) -> (String, bool) {
    match redacted(Value::String(text.to_owned())) {
        Value::String(clean) => {
            let is_redacted = clean != text;
            (clean, is_redacted)
        }
        _ => (text.to_owned(), false),
    }
}
