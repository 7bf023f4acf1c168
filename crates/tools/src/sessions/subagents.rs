//! Lists, waits for and stops the sessions below this one.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tenon_contract::{Access, Operation, Output, TimeLimit, Tool, ToolContext, ToolError, limits};
use tenon_sessions::{Member, SessionRow, WaitReason};

use super::spawn::seconds;
use super::{ResultFact, SessionFact, Sessions, member};

/// What to do with them.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SubagentsParams {
    /// What to do.
    pub action: SubagentsAction,
    /// Ids, names or unique labels. Default: all that this session has started.
    #[schemars(length(min = 1, max = 32))]
    pub session_ids: Option<Vec<String>>,
    /// For `wait`: for the first of them, or for all. Default: `any`.
    pub mode: Option<WaitModeName>,
    /// For `wait`: longest wait in s. Default: 30.
    #[schemars(range(min = 0, max = 600))]
    pub timeout: Option<f64>,
    /// For `list`: maximum number of sessions. Default: 50.
    #[schemars(range(min = 1, max = 200))]
    pub limit: Option<usize>,
}

/// What to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SubagentsAction {
    /// Shows them.
    List,
    /// Waits for results, and shows those that are unread.
    Wait,
    /// Stops them and all below them.
    Stop,
}

/// For how many to wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum WaitModeName {
    /// The first.
    Any,
    /// All.
    All,
}

/// One session that could not be stopped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StoppedFact {
    /// Its id, or what was given for it.
    pub session_id: String,
    /// What it is called, or why it was not stopped.
    pub label: String,
}

/// What came of it; which members are there depends on the action.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SubagentsOutput {
    /// What was done.
    pub action: &'static str,
    /// list: the sessions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sessions: Option<Vec<SessionFact>>,
    /// list: whether there are more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub has_more: Option<bool>,
    /// wait: `completed`, `attention` (a message came), `timeout` or `nothing`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<&'static str>,
    /// wait: what has ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub results: Option<Vec<ResultFact>>,
    /// wait: what has not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pending: Option<Vec<SessionFact>>,
    /// stop: what was stopped, those furthest below first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped: Option<Vec<StoppedFact>>,
    /// stop: what had ended before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub already_ended: Option<Vec<StoppedFact>>,
    /// stop: what could not be stopped, with the reason as its label.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failed: Option<Vec<StoppedFact>>,
}

impl Output for SubagentsOutput {}

impl SubagentsOutput {
    fn of(action: &'static str) -> Self {
        Self {
            action,
            sessions: None,
            has_more: None,
            reason: None,
            results: None,
            pending: None,
            stopped: None,
            already_ended: None,
            failed: None,
        }
    }
}

/// The operation.
pub struct Subagents(Sessions);

impl Subagents {
    /// Looks after the sessions below this one.
    #[must_use]
    pub fn new(sessions: Sessions) -> Self {
        Self(sessions)
    }
}

impl Tool for Subagents {
    const OPERATION: Operation = Operation::Subagents;
    const TIME_LIMIT: TimeLimit = TimeLimit::Operation;
    type Params = SubagentsParams;
    type Plan = SubagentsParams;
    type Output = SubagentsOutput;

    fn plan(&self, params: SubagentsParams) -> Result<(Access, SubagentsParams), ToolError> {
        Ok((Access::default(), params))
    }

    async fn run(
        &self,
        params: SubagentsParams,
        context: ToolContext,
    ) -> Result<SubagentsOutput, ToolError> {
        let member = member(&self.0)?;
        match params.action {
            SubagentsAction::List => list(member, &params).await,
            SubagentsAction::Stop => stop(member, &params).await,
            SubagentsAction::Wait => {
                let waiting = wait(member, &params);
                tokio::select! {
                    () = context.cancellation().cancelled() => Err(ToolError::cancelled()),
                    waited = waiting => waited,
                }
            }
        }
    }
}

async fn list(member: &Member, params: &SubagentsParams) -> Result<SubagentsOutput, ToolError> {
    const USUAL: usize = 50;
    let below = member.below().await?;
    let chosen = match &params.session_ids {
        Some(_) => Some(chosen(member, params).await?),
        None => None,
    };
    let mut sessions: Vec<SessionFact> = member
        .list()
        .await?
        .iter()
        .filter(|listed| match &chosen {
            Some(chosen) => chosen.iter().any(|row| row.id == listed.session.id),
            None => below.iter().any(|row| row.id == listed.session.id),
        })
        .map(SessionFact::from)
        .collect();
    let most = params.limit.unwrap_or(USUAL);
    let has_more = sessions.len() > most;
    sessions.truncate(most);
    Ok(SubagentsOutput {
        sessions: Some(sessions),
        has_more: Some(has_more),
        ..SubagentsOutput::of("list")
    })
}

async fn wait(member: &Member, params: &SubagentsParams) -> Result<SubagentsOutput, ToolError> {
    const PATIENCE_S: f64 = 30.0;
    let patience = seconds(params.timeout.unwrap_or(PATIENCE_S), limits::AGENT_WAIT_MAX);
    let sessions = match &params.session_ids {
        Some(_) => Some(chosen(member, params).await?),
        None => None,
    };
    let all = params.mode == Some(WaitModeName::All);
    let waited = member.wait(sessions.as_deref(), all, patience).await?;
    let reason = match waited.reason {
        WaitReason::Completed => "completed",
        WaitReason::Attention => "attention",
        WaitReason::Timeout => "timeout",
        WaitReason::Nothing => "nothing",
    };
    Ok(SubagentsOutput {
        reason: Some(reason),
        results: Some(waited.results.into_iter().map(ResultFact::from).collect()),
        pending: Some(waited.pending.iter().map(SessionFact::from).collect()),
        ..SubagentsOutput::of("wait")
    })
}

async fn stop(member: &Member, params: &SubagentsParams) -> Result<SubagentsOutput, ToolError> {
    let below = member.below().await?;
    let (mut wanted, mut failed) = (Vec::new(), Vec::new());
    match &params.session_ids {
        None => {
            let own = below
                .iter()
                .filter(|row| row.parent.as_deref() == Some(member.id()));
            wanted.extend(
                own.filter(|row| !row.status.is_final())
                    .map(|row| row.id.clone()),
            );
        }
        Some(names) => {
            for name in names {
                let row = member.resolve(name).await;
                match row {
                    Ok(row) if below.iter().any(|other| other.id == row.id) => wanted.push(row.id),
                    Ok(row) => failed.push(StoppedFact {
                        session_id: row.id,
                        label: "This session did not start it.".to_owned(),
                    }),
                    Err(error) => failed.push(StoppedFact {
                        session_id: name.clone(),
                        label: error.message,
                    }),
                }
            }
        }
    }
    let stopped = member.stop(&wanted).await?;
    let facts = |rows: Vec<SessionRow>| {
        let fact = |row: SessionRow| StoppedFact {
            session_id: row.id,
            label: row.label,
        };
        rows.into_iter().map(fact).collect()
    };
    Ok(SubagentsOutput {
        stopped: Some(facts(stopped.stopped)),
        already_ended: Some(facts(stopped.already_ended)),
        failed: Some(failed),
        ..SubagentsOutput::of("stop")
    })
}

async fn chosen(member: &Member, params: &SubagentsParams) -> Result<Vec<SessionRow>, ToolError> {
    let mut rows: Vec<SessionRow> = Vec::new();
    for name in params.session_ids.iter().flatten() {
        let row = member.resolve(name).await?;
        if !rows.iter().any(|other| other.id == row.id) {
            rows.push(row);
        }
    }
    Ok(rows)
}
