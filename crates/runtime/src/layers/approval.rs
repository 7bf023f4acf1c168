//! Asks the host where policy says *ask*. Without an approver, and whenever it fails, the answer is no.
//!
//! An answer is for what was shown. Whatever became of the files meanwhile: the call does exactly that, or it is
//! judged and asked about again. Calls that change the same file are asked about one after the other, each when the one
//! before it has run: so none of several calls that a model makes at once takes away what another was asked about.

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::{Map, Value};
use tenon_contract::{ErrorCode, ToolError, limits};
use tenon_policy::{Decision, Verdict};
use tenon_tools::off_thread;

use crate::approval::{ApprovalRequest, Approvals, Drafted, Turn};
use crate::events::EventKind;
use crate::judge::Judge;
use crate::layers::policy::denied;
use crate::redirects::Redirects;
use crate::service::{Call, Service};

pub(crate) struct Approval<S> {
    approvals: Arc<Approvals>,
    judge: Arc<Judge>,
    inner: S,
}

impl<S> Approval<S> {
    pub(crate) fn new(approvals: Arc<Approvals>, judge: Arc<Judge>, inner: S) -> Self {
        Self {
            approvals,
            judge,
            inner,
        }
    }
}

/// What came of a question.
enum Answered {
    /// The call may run, bound to the plan that was shown, if one was.
    Granted(Call),
    /// It was granted, but something else would happen by now.
    Outdated(Call),
}

impl<S: Service<Call>> Service<Call> for Approval<S> {
    type Answer = S::Answer;

    async fn call(&self, mut call: Call) -> Result<S::Answer, ToolError> {
        let decided = call.decision.take();
        let mut decision = decided.ok_or_else(|| ToolError::internal("the call was not judged"))?;
        let tool = call.tool.clone();
        // Kept until the call has run, whatever it is asked about meanwhile.
        let mut turn = None;
        for _ in 0..limits::APPROVAL_MAX_ROUNDS {
            call.redirects = Redirects::of(&call, &self.judge, &self.approvals);
            match decision.verdict {
                Verdict::Allow => return self.inner.call(call).await,
                Verdict::Deny => return Err(denied(&call, &decision)),
                Verdict::Ask if call.sent.automatic || is_asked_later(&call) => {
                    return self.inner.call(call).await;
                }
                Verdict::Ask => {}
            }
            let cancelled = call.sent.cancellation.clone();
            let answered = tokio::select! {
                biased;
                () = cancelled.cancelled() => return Err(ToolError::cancelled()),
                answered = self.approve(call, &decision, &mut turn) => answered?,
            };
            call = match answered {
                Answered::Outdated(call) => call,
                Answered::Granted(granted) => {
                    // What was found out by asking is found out again only by another call.
                    let rebound = granted.approved_plan.is_some() && !granted.surveyed;
                    let retry = rebound.then(|| granted.retry());
                    match (self.inner.call(granted).await, retry) {
                        // Between the last look and the lock somebody else changed the files.
                        (Err(error), Some(retry)) if error.code == ErrorCode::PlanChanged => {
                            retry.prepare()?
                        }
                        (answer, _) => return answer,
                    }
                }
            };
            decision = self.judge.decide(&call);
            call.record.decide(decision.verdict);
            self.approvals
                .events()
                .emit(|| EventKind::judged(call.subject(), &decision, self.judge.modes().get()));
        }
        Err(changed(tool.name()))
    }

    fn describe(&self, names: &mut Vec<&'static str>) {
        names.push("approval");
        self.inner.describe(names);
    }
}

impl<S> Approval<S> {
    /// Asks, if nothing is remembered, with all that would happen.
    async fn approve(
        &self,
        call: Call,
        decision: &Decision,
        turn: &mut Option<Turn>,
    ) -> Result<Answered, ToolError> {
        let request = crate::approval::request(&call, decision, &self.judge);
        let is_approved = call.sent.approved.is_some();
        let mut known = self.known(is_approved, &request).await;
        if known.is_none()
            && let Some(files) = next_turn(&call, turn.as_ref())
        {
            // Links changed meanwhile. The old turn goes first, so that no two calls wait for each other.
            drop(turn.take());
            let next = self.approvals.turn(&request, files);
            next.clone().await;
            *turn = Some(next);
            // What was answered to those before it may hold for this call too.
            known = self.known(is_approved, &request).await;
        }
        if let Some(known) = known {
            self.approvals.answered_earlier(&request, &known);
            return known.map(|()| Answered::Granted(call));
        }
        let before = self.found(&call, decision);
        let (call, shown) = draft(call).await?;
        // A call that cannot succeed is nobody's question, unless its failure shows what may not be read.
        let shown = match shown {
            Err(error) if self.judge.may_report(&call) => return Err(error),
            shown => shown,
        };
        let request = request.showing(&shown);
        match &call.sent.approved {
            Some(granted) if request.is_granted_by(granted) => {
                self.approvals.granted_by_host(&request);
            }
            Some(_) if !self.approvals.has_approver() => return Err(request.outdated()),
            _ => self.approvals.ask(request).await?,
        }
        let (mut call, plan) = bound(call, shown).await?;
        let same = plan.is_ok() && self.found(&call, decision) == before;
        self.judge.refresh().await;
        if !same || self.judge.decide(&call) != *decision {
            return Ok(Answered::Outdated(call));
        }
        call.approved_plan = plan.ok().flatten();
        Ok(Answered::Granted(call))
    }

    /// What an answer is bound to beside the call: the content of scripts, and where names lead.
    fn found(&self, call: &Call, decision: &Decision) -> (String, Map<String, Value>) {
        let access = call.prepared.access();
        let links = crate::approval::links(access, decision, &self.judge.paths());
        (crate::approval::scripts(decision), links)
    }

    /// What needs no question.
    async fn known(
        &self,
        is_approved: bool,
        request: &ApprovalRequest,
    ) -> Option<Result<(), ToolError>> {
        self.approvals.recall(request).await;
        if is_approved {
            self.approvals.earlier(request)
        } else {
            self.approvals.known(request)
        }
    }
}

/// Whether the question is put when it is known what the call touches: finding that out touches nothing, and the question shows nothing before.
pub(crate) fn is_asked_later(call: &Call) -> bool {
    call.prepared.is_provisional() && call.prepared.access().is_empty()
}

/// The files about which nobody else may be asked meanwhile, if it is not this call's turn already.
///
/// A call that the host approved before is nobody's question. One that is provisional does not know its files yet, and
/// must hold no turn while it takes that for what it finds.
fn next_turn(call: &Call, turn: Option<&Turn>) -> Option<Vec<PathBuf>> {
    let is_asked = call.sent.approved.is_none() && !call.prepared.is_provisional();
    if !is_asked || !call.tool.is_exclusive() {
        return None;
    }
    let changed = call.prepared.access().changed();
    let files: Vec<_> = changed.map(|claim| claim.target.clone()).collect();
    let held = turn.and_then(Turn::peek);
    let is_its_turn = held.is_some_and(|turn| turn.is_for(files.clone()));
    (!is_its_turn).then_some(files)
}

/// The plan that a granted call is bound to, from what was shown of it; an error where that does not hold any more.
///
/// Where files would change, the run works out its plan under their locks and compares, so it is not worked out here as
/// well. What was found out by asking others is not found out again, so it is compared here.
async fn bound(
    call: Call,
    shown: Drafted,
) -> Result<(Call, Result<Option<Arc<str>>, ()>), ToolError> {
    let shown = match shown {
        Ok(Some(shown)) if !call.surveyed => {
            return Ok((call, Ok(Some(shown.plan_hash.into()))));
        }
        shown => shown,
    };
    let (call, now) = draft(call).await?;
    let is_same = match (&shown, &now) {
        (Ok(Some(shown)), Ok(Some(now))) => shown == now || now.changes.is_empty(),
        (Ok(None), Ok(None)) | (Err(_), Err(_)) => true,
        _ => false,
    };
    let plan = now.ok().flatten().map(|now| now.plan_hash.into());
    Ok((call, if is_same { Ok(plan) } else { Err(()) }))
}

/// Has the operation work out what it would do.
pub(crate) async fn draft(call: Call) -> Result<(Call, Drafted), ToolError> {
    let work = off_thread(move || {
        let drafted = call.prepared.preview();
        (call, drafted)
    });
    work.await
}

fn changed(tool: &str) -> ToolError {
    let message = format!(
        "`{tool}` was not run: its files or links changed each time while it waited for approval. Call it again when nothing else is changing them."
    );
    ToolError::new(ErrorCode::ApprovalDenied, message)
}
