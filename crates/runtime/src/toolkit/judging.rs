//! What would be decided about a call; nothing is run.

use schemars::JsonSchema;
use serde::ser::Error as _;
use serde::{Serialize, Serializer};
use serde_json::Value;
use tenon_contract::{ErrorCode, ToolError, limits};
use tenon_dialects::{Issue, IssueCode, SentParams};
use tenon_policy::{CommandEffects, Danger, Decision, ResolvedCommands, Verdict};

use super::Toolkit;
use crate::approval::{ApprovalRequest, CallEffects, Moment, OwnQuestion};
use crate::layers::{draft, is_asked_later, surveyed};
use crate::path_resolutions::PathResolutions;
use crate::service::Call;
use crate::taint::{SourceRead, Taint};

/// What policy would say to a call, and what the call would touch. Nothing was run.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Explanation {
    /// How much could go wrong; `low` for a call that fails before it does anything.
    pub danger: Danger,
    /// What is wrong with the parameters, where they are not valid. The call would fail.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub issues: Option<Vec<Issue>>,
    /// The verdict, its reason and the rule behind it.
    #[serde(flatten, serialize_with = "visible")]
    pub decision: Decision,
    /// What the call would touch: `{commands, reads, writes, deletes, hosts}`, empty ones left out.
    #[schemars(with = "Value")]
    pub effects: CallEffects,
    /// What each of its commands does, whatever the rules say; only where an explanation was asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub commands: Vec<CommandEffects>,
    /// Where text came from that was read before, and that the user did not write. Rules may depend on it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<SourceRead>,
    /// Whether somebody has to be asked what the call touches, such as the host to whom a message goes: it is judged again for that
    /// when it runs, and may require approval then. `promises.approvalRequest` finds out before.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub provisional: bool,
}

/// Names of files are chosen by the one who made them, and these texts are shown.
fn visible<S: Serializer>(decision: &Decision, serializer: S) -> Result<S::Ok, S::Error> {
    if decision.is_visible() {
        return decision.serialize(serializer);
    }
    let decision = serde_json::to_value(decision).map_err(S::Error::custom)?;
    crate::approval::escaped_value(decision).serialize(serializer)
}

impl Explanation {
    /// A call that fails before policy is asked.
    fn of_failure(error: ToolError) -> Self {
        let issues = error.details.get("errors").cloned();
        let issues = issues.and_then(|issues| serde_json::from_value(issues).ok());
        let fault = match error.code {
            ErrorCode::UnknownTool => Some(("", IssueCode::ToolNotFound)),
            // One of the variables of a command.
            _ if error.details.contains_key("variable") => {
                Some(("env", IssueCode::PatternMismatch))
            }
            _ => None,
        };
        let of_fault = |(param, code): (&str, IssueCode)| {
            vec![Issue {
                param: param.to_owned(),
                message: error.message.clone(),
                code,
            }]
        };
        Self {
            danger: Danger::Low,
            issues: issues.or_else(|| fault.map(of_fault)),
            effects: CallEffects::default(),
            commands: Vec::new(),
            sources: Vec::new(),
            provisional: false,
            decision: Decision::failure(error.message),
        }
    }
}

impl Toolkit {
    /// What policy would say; runs nothing. A call that would fail before policy is asked is denied, with the reason.
    #[must_use]
    pub fn decide(&self, tool: &str, params: impl Into<SentParams>) -> Explanation {
        self.decide_asked(tool, params, None)
    }

    /// The same for a call of a tool that has a question of its own.
    #[must_use]
    pub fn decide_asked(
        &self,
        tool: &str,
        params: impl Into<SentParams>,
        question: Option<OwnQuestion>,
    ) -> Explanation {
        let paths = self.inner.judge.paths();
        let commands = ResolvedCommands::new(&paths, &self.inner.judge.parsed());
        match self.judge(tool, params.into(), question, &commands) {
            Ok((call, decision)) => self.reported(&call, decision, &paths, &commands),
            Err(error) => Explanation::of_failure(error),
        }
    }

    /// The same with what each command of the call does.
    #[must_use]
    pub fn explain(
        &self,
        tool: &str,
        params: impl Into<SentParams>,
        question: Option<OwnQuestion>,
    ) -> Explanation {
        let paths = self.inner.judge.paths();
        let commands = ResolvedCommands::new(&paths, &self.inner.judge.parsed());
        match self.judge(tool, params.into(), question, &commands) {
            Ok((call, decision)) => Explanation {
                commands: self.inner.judge.effects(&call, &commands),
                ..self.reported(&call, decision, &paths, &commands)
            },
            Err(error) => Explanation::of_failure(error),
        }
    }

    fn reported(
        &self,
        call: &Call,
        decision: Decision,
        paths: &PathResolutions<'_>,
        commands: &ResolvedCommands<'_>,
    ) -> Explanation {
        let effects = CallEffects::of(call, &decision, (paths, Moment::OfDecision));
        Explanation {
            danger: self.inner.judge.danger(call, commands),
            issues: None,
            effects: effects.shown(),
            commands: Vec::new(),
            sources: self
                .inner
                .judge
                .taint()
                .map(Taint::read)
                .unwrap_or_default(),
            provisional: call.prepared.is_provisional(),
            decision,
        }
    }

    /// Whether a rule denies the call, or the agent does not have the tool, whatever else is known of it. Where the workspace is on another
    /// machine that is what its words say; there more may be denied.
    #[must_use]
    pub fn refuses(&self, tool: &str, params: impl Into<SentParams>) -> bool {
        let paths = self.inner.judge.paths();
        let commands = ResolvedCommands::new(&paths, &self.inner.judge.parsed());
        self.judge(tool, params.into(), None, &commands)
            .is_ok_and(|(_, decision)| {
                let is_rule = decision.list == Some(Verdict::Deny);
                decision.verdict == Verdict::Deny && (is_rule || decision.is_refusal())
            })
    }

    /// The question that the call would raise; asks nobody. Nothing where nobody would be asked: it is allowed, was approved
    /// or declined for the session, or is denied, which no approval changes.
    ///
    /// # Errors
    /// Unknown tools and parameters that are not valid.
    pub fn approval_request(
        &self,
        tool: &str,
        params: impl Into<SentParams>,
        question: Option<OwnQuestion>,
    ) -> Result<Option<ApprovalRequest>, ToolError> {
        let paths = self.inner.judge.paths();
        let commands = ResolvedCommands::new(&paths, &self.inner.judge.parsed());
        let (call, decision) = self.judge(tool, params.into(), question, &commands)?;
        let request = self.question_about(&call, &decision);
        Ok(request.map(|request| request.showing(&call.prepared.preview())))
    }

    /// The same, of all that the call touches: what only the host or a language server knows of it is asked there, as when the call runs.
    ///
    /// # Errors
    /// Unknown tools and parameters that are not valid.
    pub async fn found_approval_request(
        &self,
        tool: &str,
        params: impl Into<SentParams>,
        question: Option<OwnQuestion>,
    ) -> Result<Option<ApprovalRequest>, ToolError> {
        let (mut call, mut decision) = {
            let paths = self.inner.judge.paths();
            let commands = ResolvedCommands::new(&paths, &self.inner.judge.parsed());
            self.judge(tool, params.into(), question, &commands)?
        };
        let is_free = decision.verdict == Verdict::Allow || is_asked_later(&call);
        if call.prepared.is_provisional() && decision.verdict != Verdict::Deny && is_free {
            call.visibility = self.inner.judge.visibility(&call);
            let limit = self.inner.options.time_limit();
            call = match surveyed(call, limit.unwrap_or(limits::CALL_TIMEOUT)).await {
                Ok(call) => call,
                // It fails by itself, with what is wrong.
                Err(_) => return Ok(None),
            };
            decision = self.inner.judge.decide(&call);
        }
        let Some(request) = self.question_about(&call, &decision) else {
            return Ok(None);
        };
        let (_, drafted) = draft(call).await?;
        Ok(Some(request.showing(&drafted)))
    }

    /// What somebody is to be asked, without what would change; nothing where that was answered before, since nobody is asked again.
    fn question_about(&self, call: &Call, decision: &Decision) -> Option<ApprovalRequest> {
        if decision.verdict != Verdict::Ask {
            return None;
        }
        let request = crate::approval::request(call, decision, &self.inner.judge);
        let earlier = self.inner.living.approvals.earlier(&request);
        earlier.is_none().then_some(request)
    }

    fn judge(
        &self,
        tool: &str,
        params: SentParams,
        question: Option<OwnQuestion>,
        commands: &ResolvedCommands<'_>,
    ) -> Result<(Call, Decision), ToolError> {
        let tool = self.inner.registry.find(tool)?;
        let (prepared, decoded) = tool.prepare(params)?;
        let refusal = self.inner.registry.refusal(&tool);
        let mut call = Call::without_run(tool, prepared, decoded);
        call.parsed = commands.parsed().clone();
        call.question = question.or_else(|| call.tool.built_in_question(&call.wire));
        let decision = match refusal {
            Some(refusal) => {
                let name = call.tool.name();
                let reason = format!("The tool `{name}` is not available to this agent.");
                Decision::refusal(reason, refusal.rule)
            }
            None => self.inner.judge.decide_at(&call, commands),
        };
        Ok((call, decision))
    }
}
