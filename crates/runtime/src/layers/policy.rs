//! Judges a call by what it says it will touch.

use std::sync::Arc;

use tenon_contract::{ErrorCode, ToolError};
use tenon_policy::{Decision, PartKind, Verdict};

use crate::events::{EventKind, Events};
use crate::judge::Judge;
use crate::redaction::{Hiding, Redaction};
use crate::service::{Call, Service};
use crate::variable_files::VariableFiles;

pub(crate) struct Policy<S> {
    judge: Arc<Judge>,
    events: Events,
    redaction: Option<Redaction>,
    inner: S,
}

impl<S> Policy<S> {
    pub(crate) fn new(
        judge: Arc<Judge>,
        events: Events,
        redaction: Option<Redaction>,
        inner: S,
    ) -> Self {
        Self {
            judge,
            events,
            redaction,
            inner,
        }
    }
}

impl<S: Service<Call>> Service<Call> for Policy<S> {
    type Answer = S::Answer;

    async fn call(&self, mut call: Call) -> Result<S::Answer, ToolError> {
        self.judge.require_workspace(call.prepared.access())?;
        self.judge.refresh().await;
        if call.parsed.is_empty() {
            call.parsed = self.judge.parsed();
        }
        let mut decision = self.judge.decide(&call);
        // A denial is nobody's question.
        if decision.verdict != Verdict::Deny
            && !std::mem::replace(&mut call.is_questioned, true)
            && let Some(own) = call
                .tool
                .question(&call.wire, &call.sent.id, call.sent.ticket)
                .await?
        {
            call.question = Some(match call.question.take() {
                Some(earlier) => earlier.and(own),
                None => own,
            });
            decision = self.judge.decide(&call);
        }
        call.record.decide(decision.verdict);
        self.events
            .emit(|| EventKind::judged(call.subject(), &decision, self.judge.modes().get()));
        if decision.verdict == Verdict::Deny {
            return Err(denied(&call, &decision));
        }
        call.hiding = self.hiding(&call, &decision);
        let hiding = call.hiding.clone();
        call.visibility = self.judge.visibility(&call);
        let kept_back = call.visibility.clone();
        call.decision = Some(decision);
        let answer = self.inner.call(call).await;
        // The look ahead for a question reads the files as the call itself does.
        let answer = answer.map_err(|error| match &self.redaction {
            Some(redaction) => redaction.error(error, &hiding),
            None => error,
        });
        match kept_back {
            Some(kept_back) => {
                answer.map_err(|error| self.judge.without_hidden(error, &*kept_back))
            }
            None => answer,
        }
    }

    fn describe(&self, names: &mut Vec<&'static str>) {
        names.push("policy");
        self.inner.describe(names);
    }
}

impl<S> Policy<S> {
    /// What the results of a call must not show of files of variables.
    fn hiding(&self, call: &Call, decision: &Decision) -> Hiding {
        let redaction = self.redaction.as_ref();
        let redaction = redaction.filter(|redaction| redaction.hides_variables());
        let Some(redaction) = redaction.filter(|_| !allows_variables(decision)) else {
            return Hiding::default();
        };
        let access = call.prepared.access();
        let mut files = VariableFiles::of_access(access);
        if !access.commands.is_empty() || !access.inputs.is_empty() {
            files = files.and_of_commands(&self.judge.origins(call), access);
        }
        redaction.hiding(call.tool.operation(), access, files)
    }
}

/// Whether a rule that allows the call names files of variables.
fn allows_variables(decision: &Decision) -> bool {
    let mut matched = decision.matched.iter();
    matched
        .any(|rule| rule.list == Verdict::Allow && rule.rule.to_ascii_lowercase().contains("env"))
}

/// The error of a call that a rule denies.
pub(super) fn denied(call: &Call, decision: &Decision) -> ToolError {
    let subject = crate::approval::subject(call.prepared.access(), call.tool.name());
    refusal(decision, subject)
}

/// Which part of a text of several commands is denied, where the reason does not name it.
fn denied_part(decision: &Decision) -> Option<String> {
    let commands = decision
        .parts
        .iter()
        .filter(|part| part.kind == PartKind::Command);
    let mut denied = decision
        .parts
        .iter()
        .filter(|part| part.verdict == Verdict::Deny);
    let part = denied.next().filter(|_| commands.count() > 1)?;
    let is_named = decision.reason.contains(&format!("`{}`", part.subject()));
    let what = part.kind.words();
    (!is_named).then(|| format!("That is about {what} `{}`.", part.subject()))
}

/// The error of what a rule denies, and what the rule is about.
pub(crate) fn refusal(decision: &Decision, subject: String) -> ToolError {
    let part = denied_part(decision).map_or_else(String::new, |part| format!(" {part}"));
    let message = format!("{}{part} Do not retry the same call.", decision.reason);
    let mut error = ToolError::new(ErrorCode::PolicyDenied, message).with("subject", subject);
    crate::approval::rule_details(decision, &mut error.details);
    error
}
