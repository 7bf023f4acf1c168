//! Starts a session for a piece of work, and returns before it has ended.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tenon_contract::{
    Access, DEFAULT_AGENT, Operation, Output, TimeLimit, Tool, ToolContext, ToolError, limits,
};
use tenon_sessions::{Spawn, Status};

use super::{ResultFact, Sessions, member};

/// What to have done, and by whom.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SessionsSpawnParams {
    /// What to do and what to return, with all needed context.
    #[schemars(length(min = 1, max = 100_000))]
    pub task: String,
    /// Name of the agent. Default: `default`.
    #[schemars(length(min = 1, max = 200))]
    pub agent: Option<String>,
    /// What to call the session.
    #[schemars(length(min = 1, max = 120))]
    pub label: Option<String>,
    /// A unique name to address it by.
    #[schemars(regex(pattern = "^[a-z][a-z0-9_-]{0,63}$"))]
    pub name: Option<String>,
    /// Time limit in s; 0: none.
    #[schemars(range(min = 0, max = 604_800))]
    pub timeout: Option<f64>,
    /// `fork` also hands over the history of this session.
    pub context: Option<ContextName>,
    /// JSON Schema of the result.
    #[serde(default)]
    #[schemars(schema_with = "any_object")]
    pub output_schema: Option<Map<String, Value>>,
    /// Wait up to this long for the result, in s.
    #[schemars(range(min = 0, max = 600))]
    pub wait: Option<f64>,
}

/// An object of any members, in the words that every framework takes.
fn any_object(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({ "type": "object", "additionalProperties": true })
}

/// What a new session knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ContextName {
    /// Only its task.
    Isolated,
    /// The history of the session that starts it as well.
    Fork,
}

/// The session that was started.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionsSpawnOutput {
    /// Its id.
    pub session_id: String,
    /// Its run.
    pub run_id: String,
    /// The name that it alone has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What it is called.
    pub label: String,
    /// The kind of agent.
    pub agent: String,
    /// How it is.
    pub status: Status,
    /// Its place among those that wait, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<usize>,
    /// How many sessions are above it.
    pub depth: usize,
    /// What it says, where it has ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// Its structured result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<Value>,
    /// All of what it has returned, where it has ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<ResultFact>,
}

impl Output for SessionsSpawnOutput {}

/// A time in seconds, as a duration.
pub(super) fn seconds(seconds: f64, most: Duration) -> Duration {
    Duration::try_from_secs_f64(seconds)
        .unwrap_or(most)
        .min(most)
}

/// The operation.
pub struct SessionsSpawn(Sessions);

impl SessionsSpawn {
    /// Starts sessions below this one.
    #[must_use]
    pub fn new(sessions: Sessions) -> Self {
        Self(sessions)
    }
}

/// Longest time limit of a run.
const LONGEST: Duration = Duration::from_secs(604_800);

impl Tool for SessionsSpawn {
    const OPERATION: Operation = Operation::SessionsSpawn;
    // It waits as long as it was asked to, and no longer.
    const TIME_LIMIT: TimeLimit = TimeLimit::Operation;
    type Params = SessionsSpawnParams;
    type Plan = SessionsSpawnParams;
    type Output = SessionsSpawnOutput;

    fn plan(
        &self,
        params: SessionsSpawnParams,
    ) -> Result<(Access, SessionsSpawnParams), ToolError> {
        let agent = params
            .agent
            .clone()
            .unwrap_or_else(|| DEFAULT_AGENT.to_owned());
        let params = SessionsSpawnParams {
            agent: Some(agent.clone()),
            ..params
        };
        Ok((Access::using(agent), params))
    }

    async fn run(
        &self,
        params: SessionsSpawnParams,
        context: ToolContext,
    ) -> Result<SessionsSpawnOutput, ToolError> {
        let member = member(&self.0)?;
        let started = member
            .spawn(Spawn {
                agent: params.agent.unwrap_or_default(),
                objective: params.task,
                label: params.label,
                name: params.name,
                timeout: params.timeout.map(|timeout| seconds(timeout, LONGEST)),
                fork: params.context == Some(ContextName::Fork),
                output_schema: params.output_schema.map(Value::Object),
                origin: Some(Operation::SessionsSpawn),
                call_id: Some(context.call_id().to_owned()),
                ticket: context.ticket(),
                on_update: None,
            })
            .await?;
        let wait = seconds(params.wait.unwrap_or_default(), limits::AGENT_WAIT_MAX);
        let finished = if wait.is_zero() {
            None
        } else {
            let cancellation = context.cancellation();
            tokio::select! {
                () = cancellation.cancelled() => return Err(ToolError::cancelled()),
                finished = member.wait_for(&started.run, Some(wait)) => finished?,
            }
        };
        let (session, result) = (started.session, finished.map(ResultFact::from));
        let status = result
            .as_ref()
            .map_or(started.status, |result| result.status);
        Ok(SessionsSpawnOutput {
            session_id: session.id,
            run_id: started.run,
            name: session.name,
            label: session.label,
            agent: session.agent,
            status,
            position: started.position.filter(|_| result.is_none()),
            depth: session.depth,
            summary: result.as_ref().map(|result| result.summary.clone()),
            output: result.as_ref().and_then(|result| result.output.clone()),
            result,
        })
    }
}
