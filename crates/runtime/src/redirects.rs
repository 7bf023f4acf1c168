//! Judges the hosts that a running call is led on to, as its own were judged before it ran.

use std::sync::Arc;

use serde_json::Value;
use tenon_contract::{
    Access, CancellationToken, Effect, ErrorCode, HopFuture, HostClaim, RedirectPolicy, ToolError,
    Visit, VisitFuture,
};
use tenon_policy::{Decision, Question, Verdict};

use crate::approval::{ApprovalRequest, Approvals};
use crate::judge::Judge;
use crate::layers::refusal;
use crate::registry::RegisteredTool;
use crate::service::Call;

/// The judge of one call.
pub(crate) struct Redirects {
    judge: Arc<Judge>,
    approvals: Arc<Approvals>,
    tool: Arc<RegisteredTool>,
    effect: Effect,
    pub(crate) wire: Value,
    id: Arc<str>,
    cancellation: CancellationToken,
}

impl Redirects {
    /// A judge for a call that reaches other machines; others are led nowhere.
    pub(crate) fn of(
        call: &Call,
        judge: &Arc<Judge>,
        approvals: &Arc<Approvals>,
    ) -> Option<Arc<dyn RedirectPolicy>> {
        let effect = call.prepared.effect();
        (effect == Effect::Network).then(|| {
            Arc::new(Self {
                judge: judge.clone(),
                approvals: approvals.clone(),
                tool: call.tool.clone(),
                effect,
                wire: call.wire.clone(),
                id: call.sent.id.clone(),
                cancellation: call.sent.cancellation.clone(),
            }) as Arc<dyn RedirectPolicy>
        })
    }

    fn decide(&self, from: &HostClaim, to: &HostClaim) -> Decision {
        let access = Access::default();
        let question = Question {
            operation: self.tool.operation(),
            effect: self.effect,
            tool: self.tool.rule_name(),
            access: &access,
        };
        self.judge.decide_hop(&question, from, to)
    }

    async fn ask(
        &self,
        decision: &Decision,
        from: &HostClaim,
        to: &HostClaim,
    ) -> Result<(), ToolError> {
        let request =
            ApprovalRequest::of_hop(self.tool.name(), &self.wire, &self.id, decision, (from, to));
        let answer = tokio::select! {
            biased;
            () = self.cancellation.cancelled() => return Err(ToolError::cancelled()),
            answer = self.approvals.ask(request) => answer,
        };
        answer.map_err(|mut refusal| {
            refusal.message = format!(
                "`{}` redirects to `{}`, another host. {} A call with that URL is checked by itself.",
                from.url, to.url, refusal.message
            );
            refusal
                .with("subject", to.url.as_str())
                .with("redirect", to.url.as_str())
        })
    }
}

impl Redirects {
    fn decide_visit(&self, visit: &Visit) -> Decision {
        let access = Access::default();
        let question = Question {
            operation: self.tool.operation(),
            effect: self.effect,
            tool: self.tool.rule_name(),
            access: &access,
        };
        self.judge.decide_visit(&question, visit)
    }

    async fn ask_visit(&self, decision: &Decision, visit: &Visit) -> Result<(), ToolError> {
        let (from, to) = (&visit.from, &visit.to);
        if !visit.may_ask {
            let message = format!(
                "`{}` requires approval, and no call waits for it. Open it by its URL to request approval.",
                to.host
            );
            return Err(
                ToolError::new(ErrorCode::ApprovalDenied, message).with("subject", to.url.as_str())
            );
        }
        let tool = self.tool.name();
        let request = ApprovalRequest::of_hop(tool, &self.wire, &self.id, decision, (from, to));
        let answer = tokio::select! {
            biased;
            () = self.cancellation.cancelled() => return Err(ToolError::cancelled()),
            answer = self.approvals.ask(request) => answer,
        };
        answer.map_err(|refusal| refusal.with("subject", to.url.as_str()))
    }
}

impl RedirectPolicy for Redirects {
    fn visit<'a>(&'a self, visit: &'a Visit) -> VisitFuture<'a> {
        Box::pin(async move {
            let decision = self.decide_visit(visit);
            match decision.verdict {
                // What is only allowed by default is not named: a page writes its frames itself.
                Verdict::Allow => Ok(decision.list == Some(Verdict::Allow)),
                Verdict::Ask => self.ask_visit(&decision, visit).await.map(|()| true),
                Verdict::Deny => Err(refusal(&decision, visit.to.url.clone())),
            }
        })
    }

    fn judge<'a>(&'a self, from: &'a HostClaim, to: &'a HostClaim) -> HopFuture<'a> {
        Box::pin(async move {
            let decision = self.decide(from, to);
            match decision.verdict {
                Verdict::Allow => Ok(()),
                Verdict::Ask => self.ask(&decision, from, to).await,
                Verdict::Deny => {
                    let mut refusal = refusal(&decision, to.url.clone());
                    refusal.message = format!(
                        "`{}` redirects to `{}`. {}",
                        from.url, to.url, refusal.message
                    );
                    Err(refusal)
                }
            }
        })
    }
}
