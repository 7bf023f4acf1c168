//! Judges a call by what it says it will touch.

use std::sync::Arc;

use tenon_contract::{ErrorCode, ToolError};
use tenon_policy::{Decision, Verdict};

use crate::judge::Judge;
use crate::service::{Call, Service};

pub(crate) struct Policy<S> {
    judge: Arc<Judge>,
    inner: S,
}

/// A call with its verdict: allowed, or to be asked about.
pub(crate) struct Judged {
    pub(crate) call: Call,
    pub(crate) decision: Decision,
}

impl<S> Policy<S> {
    pub(crate) fn new(judge: Arc<Judge>, inner: S) -> Self {
        Self { judge, inner }
    }
}

impl<S: Service<Judged>> Service<Call> for Policy<S> {
    type Answer = S::Answer;

    async fn call(&self, mut call: Call) -> Result<S::Answer, ToolError> {
        self.judge.require_workspace(call.prepared.access())?;
        let decision = self.judge.decide(&call);
        call.record.decide(decision.verdict);
        if decision.verdict == Verdict::Deny {
            return Err(denied(&call, &decision));
        }
        call.visibility = self.judge.visibility(&call);
        let kept_back = call.visibility.clone();
        let answer = self.inner.call(Judged { call, decision }).await;
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

/// The error of a call that a rule denies.
pub(super) fn denied(call: &Call, decision: &Decision) -> ToolError {
    let message = format!(
        "`{}` was refused by policy: {} Do not retry the same call.",
        call.tool.name(),
        decision.reason
    );
    ToolError::new(ErrorCode::PolicyDenied, message)
        .with(
            "subject",
            crate::approval::subject(call.prepared.access(), call.tool.name()),
        )
        .with("matched_rule", decision.rule.clone())
}
