//! Sends a message into another session.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tenon_contract::{
    Access, Effect, Operation, Output, TimeLimit, Tool, ToolContext, ToolError, limits,
};
use tenon_sessions::{SendMode, SessionRow, Status};

use super::spawn::seconds;
use super::{ResultFact, Sessions, member};

/// What to say, and to whom.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SessionsSendParams {
    /// Id, name or unique label of the session, or `parent`.
    #[schemars(length(min = 1, max = 512))]
    pub session_id: String,
    /// The message.
    #[schemars(length(min = 1, max = 100_000))]
    pub message: String,
    /// Longest wait for a reply in s; 0: none. Default: 30.
    #[schemars(range(min = 0, max = 600))]
    pub timeout: Option<f64>,
    /// How the message is delivered. Default: `auto`, whichever fits.
    pub mode: Option<SendModeName>,
}

/// How a message is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SendModeName {
    /// What fits.
    Auto,
    /// Into the present run.
    Steer,
    /// As a further run.
    Followup,
    /// Only stored.
    Notify,
}

impl From<SendModeName> for SendMode {
    fn from(name: SendModeName) -> Self {
        match name {
            SendModeName::Auto => Self::Auto,
            SendModeName::Steer => Self::Steer,
            SendModeName::Followup => Self::FollowUp,
            SendModeName::Notify => Self::Notify,
        }
    }
}

/// What became of it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionsSendOutput {
    /// The session.
    pub session_id: String,
    /// What it is called.
    pub label: String,
    /// The run that takes the message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
    /// `completed`, `failed`, `accepted`, `timeout` or `no_reply`.
    pub status: &'static str,
    /// `steered`, `started`, `queued` or `stored`.
    pub disposition: &'static str,
    /// The reply.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reply: Option<String>,
    /// All of the result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<ResultFact>,
}

impl Output for SessionsSendOutput {}

/// A message whose receiver is known, or not yet.
pub struct SessionsSendPlan {
    params: SessionsSendParams,
    to: Option<SessionRow>,
}

/// The operation.
pub struct SessionsSend(Sessions);

impl SessionsSend {
    /// Sends from this session.
    #[must_use]
    pub fn new(sessions: Sessions) -> Self {
        Self(sessions)
    }
}

impl Tool for SessionsSend {
    const OPERATION: Operation = Operation::SessionsSend;
    const TIME_LIMIT: TimeLimit = TimeLimit::Operation;
    type Params = SessionsSendParams;
    type Plan = SessionsSendPlan;
    type Output = SessionsSendOutput;

    fn plan(&self, params: SessionsSendParams) -> Result<(Access, SessionsSendPlan), ToolError> {
        Ok((Access::default(), SessionsSendPlan { params, to: None }))
    }

    fn effect(plan: &SessionsSendPlan) -> Effect {
        if plan.to.is_none() {
            Effect::Observe
        } else {
            Effect::Converse
        }
    }

    // Rules are about labels, and which session an id or a name means has to be read first.
    fn is_provisional(plan: &SessionsSendPlan) -> bool {
        plan.to.is_none()
    }

    async fn survey(
        &self,
        plan: SessionsSendPlan,
        _: ToolContext,
    ) -> Result<(Access, SessionsSendPlan), ToolError> {
        let to = member(&self.0)?.resolve(&plan.params.session_id).await?;
        let access = Access::using(to.label.clone());
        Ok((
            access,
            SessionsSendPlan {
                to: Some(to),
                ..plan
            },
        ))
    }

    async fn run(
        &self,
        plan: SessionsSendPlan,
        context: ToolContext,
    ) -> Result<SessionsSendOutput, ToolError> {
        const PATIENCE_S: f64 = 30.0;
        let member = member(&self.0)?;
        let SessionsSendPlan { params, to } = plan;
        let to = match to {
            Some(to) => to,
            None => member.resolve(&params.session_id).await?,
        };
        let wait = seconds(params.timeout.unwrap_or(PATIENCE_S), limits::AGENT_WAIT_MAX);
        let mode = params.mode.unwrap_or(SendModeName::Auto).into();
        let call = (Some(context.call_id().to_owned()), context.ticket());
        let sending = member.send(to, &params.message, mode, wait, call);
        let sent = tokio::select! {
            () = context.cancellation().cancelled() => return Err(ToolError::cancelled()),
            sent = sending => sent?,
        };
        let result = sent.finished.map(ResultFact::from);
        let status = match &result {
            Some(result) if result.summary.is_empty() => "no_reply",
            Some(result) if result.status == Status::Completed => "completed",
            Some(_) => "failed",
            None if sent.run.is_some() && sent.disposition != "steered" && !wait.is_zero() => {
                "timeout"
            }
            None => "accepted",
        };
        Ok(SessionsSendOutput {
            session_id: sent.session.id,
            label: sent.session.label,
            run_id: sent.run,
            status,
            disposition: sent.disposition,
            reply: result.as_ref().map(|result| result.summary.clone()),
            result,
        })
    }
}
