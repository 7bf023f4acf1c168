//! What a session remembers of answers, and what is being asked right now.

use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, Shared, WeakShared};
use tenon_contract::{ErrorCode, ToolError};
use tenon_state::SessionRecords;
use tenon_workspace::{QuestionGuard, lock_for_question};

use super::{ApprovalAnswer, ApprovalRequest, RequestingSession};
use crate::events::{AnsweredBy, EventKind, Events, Subject, millis};
use crate::host_callbacks::{AnswerFuture, Approver};

/// The answers of one session.
pub(crate) struct Approvals {
    approver: Option<Arc<dyn Approver>>,
    state: Mutex<ApprovalState>,
    events: Events,
    /// Where answers of a session that outlives its toolkit are kept.
    records: Option<SessionRecords>,
    /// The answers of the session that has started this one: they hold here too, and these never hold there.
    above: Option<Arc<Self>>,
    /// Who makes the calls, where that is a sub-agent.
    session: Option<RequestingSession>,
}

#[derive(Default)]
struct ApprovalState {
    /// Grants and refusals of the session, by key.
    remembered: HashMap<String, bool>,
    /// The same question is put once, however many calls wait for its answer.
    open: HashMap<String, OpenQuestion>,
    last_question: u64,
    /// The turns that are waited for or held, by the key of their question.
    turns: HashMap<String, WeakShared<BoxFuture<'static, Arc<QuestionGuard>>>>,
}

/// The turn to ask about some files. It is held until the last clone is dropped.
pub(crate) type Turn = Shared<BoxFuture<'static, Arc<QuestionGuard>>>;

struct OpenQuestion {
    number: u64,
    answer: Shared<AnswerFuture>,
    waiting: usize,
}

/// A call that waits for an answer; when the last one goes, the question is forgotten with it.
struct Waiting<'a> {
    approvals: &'a Approvals,
    key: &'a str,
    question: u64,
    answer: Shared<AnswerFuture>,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        let mut state = self.approvals.state();
        let Some(open) = state.open.get_mut(self.key) else {
            return;
        };
        // The key may be that of a later question by now.
        if open.number == self.question {
            open.waiting = open.waiting.saturating_sub(1);
            if open.waiting == 0 || open.answer.peek().is_some() {
                // An answer is for the calls that waited for it, not for those to come.
                state.open.remove(self.key);
            }
        }
    }
}

impl Approvals {
    /// `records` of a session that outlives its toolkit.
    pub(crate) fn new(
        approver: Option<Arc<dyn Approver>>,
        records: Option<SessionRecords>,
        events: Events,
    ) -> Self {
        Self {
            approver,
            events,
            state: Mutex::default(),
            records,
            above: None,
            session: None,
        }
    }

    /// The same for a sub-agent of a session with these answers.
    pub(crate) fn below(mut self, above: Arc<Self>, session: RequestingSession) -> Self {
        self.above = Some(above);
        self.session = Some(session);
        self
    }

    /// Learns what was answered to this question before, by other toolkits of the session and by those above too. A
    /// refusal wins.
    pub(crate) async fn recall(&self, request: &ApprovalRequest) {
        let mut level = Some(self);
        while let Some(approvals) = level {
            approvals.recall_own(request).await;
            level = approvals.above.as_deref();
        }
    }

    async fn recall_own(&self, request: &ApprovalRequest) {
        let (Some(records), true) = (&self.records, self.has_approver()) else {
            return;
        };
        let questions: Vec<&str> = std::iter::once(&request.key)
            .chain(&request.grants)
            .map(String::as_str)
            .collect();
        let answers = records.answers(&questions).await;
        let mut state = self.state();
        for (question, answer) in questions.into_iter().zip(answers) {
            match answer {
                Some(false) => _ = state.remembered.insert(question.to_owned(), false),
                Some(true) => _ = state.remembered.entry(question.to_owned()).or_insert(true),
                None => {}
            }
        }
    }

    /// The stream that questions and answers go to.
    pub(crate) fn events(&self) -> &Events {
        &self.events
    }

    /// Reports that an earlier answer holds.
    pub(crate) fn answered_earlier(
        &self,
        request: &ApprovalRequest,
        known: &Result<(), ToolError>,
    ) {
        if self.earlier(request).is_some() {
            let word = if known.is_ok() { "always" } else { "never" };
            self.answered(request, word, AnsweredBy::Session, Duration::ZERO);
        }
    }

    /// Reports that the host approved before it made the call.
    pub(crate) fn granted_by_host(&self, request: &ApprovalRequest) {
        self.answered(request, "once", AnsweredBy::Host, Duration::ZERO);
    }

    fn answered(
        &self,
        request: &ApprovalRequest,
        answer: &'static str,
        by: AnsweredBy,
        after: Duration,
    ) {
        self.events.emit(|| EventKind::Answered {
            call: Subject::of_request(request),
            answer,
            by,
            after_ms: millis(after),
        });
    }

    /// Whether a host answers questions.
    pub(crate) fn has_approver(&self) -> bool {
        self.approver.is_some()
    }

    /// The turn to ask about changes of these files: one for all calls that ask the same, so that they ask together.
    pub(crate) fn turn(&self, request: &ApprovalRequest, files: Vec<PathBuf>) -> Turn {
        let mut state = self.state();
        state.turns.retain(|_, turn| turn.upgrade().is_some());
        let known = state.turns.get(&request.key);
        if let Some(turn) = known.and_then(WeakShared::upgrade) {
            return turn;
        }
        let turn: Turn = async move { Arc::new(lock_for_question(files).await) }
            .boxed()
            .shared();
        if let Some(kept) = turn.downgrade() {
            state.turns.insert(request.key.clone(), kept);
        }
        turn
    }

    /// What is known without asking: the answer of an earlier question, or that nobody can be asked.
    pub(crate) fn known(&self, request: &ApprovalRequest) -> Option<Result<(), ToolError>> {
        if self.approver.is_none() {
            return Some(Err(nobody_can_approve(request)));
        }
        self.earlier(request)
    }

    /// The answer of an earlier question, if there is one.
    pub(crate) fn earlier(&self, request: &ApprovalRequest) -> Option<Result<(), ToolError>> {
        let above = self.above.as_ref().and_then(|above| above.earlier(request));
        if let Some(Err(refusal)) = above {
            return Some(Err(refusal));
        }
        let Some(granted) = self.remembered(request) else {
            return above;
        };
        let refusal = || {
            let why = "The user declined calls like this one for the rest of the session. Do not retry it; ask the user or try another approach.";
            request.refused(ErrorCode::ApprovalDenied, why)
        };
        Some(granted.then_some(()).ok_or_else(refusal))
    }

    /// Succeeds when the call may go on. Dropping the future takes the question back.
    pub(crate) async fn ask(&self, request: ApprovalRequest) -> Result<(), ToolError> {
        self.recall(&request).await;
        if let Some(known) = self.known(&request) {
            return known;
        }
        let Some(waiting) = self.wait_for(&request) else {
            return Err(nobody_can_approve(&request));
        };
        self.events.emit(|| EventKind::asked(&request));
        let asked = Instant::now();
        let answer = waiting.answer.clone().await;
        let word = match &answer {
            Ok(ApprovalAnswer::Once) => "once",
            Ok(ApprovalAnswer::Always) => "always",
            Ok(ApprovalAnswer::Never) => "never",
            Err(_) => "failed",
        };
        self.answered(&request, word, AnsweredBy::Approver, asked.elapsed());
        let kept = self.settle(&request, &answer);
        drop(waiting);
        if let Some(records) = self.records.as_ref().filter(|_| !kept.is_empty()) {
            records.remember(&kept).await;
        }
        match answer {
            Ok(ApprovalAnswer::Once | ApprovalAnswer::Always) => Ok(()),
            Ok(ApprovalAnswer::Never) => {
                let why = "The user declined this call. Do not retry it; ask the user or try another approach.";
                Err(request.refused(ErrorCode::ApprovalDenied, why))
            }
            Err(failure) => {
                let failure = failure.trim_end_matches('.');
                let why = format!(
                    "`{}` was not approved: {failure}. Do not retry it; tell the user.",
                    request.tool
                );
                Err(request.refused(ErrorCode::ApprovalDenied, &why))
            }
        }
    }

    /// Joins the question if it is open, else opens it.
    fn wait_for<'a>(&'a self, request: &'a ApprovalRequest) -> Option<Waiting<'a>> {
        let approver = self.approver.as_ref()?;
        let mut state = self.state();
        state.last_question += 1;
        let number = state.last_question;
        let asked = ApprovalRequest {
            session: self.session.clone(),
            ..request.clone()
        };
        let put = || OpenQuestion {
            number,
            answer: question(Arc::clone(approver), asked).shared(),
            waiting: 0,
        };
        let open = state.open.entry(request.key.clone()).or_insert_with(put);
        open.waiting += 1;
        Some(Waiting {
            approvals: self,
            key: &request.key,
            question: open.number,
            answer: open.answer.clone(),
        })
    }

    /// What an earlier answer says: a refusal of any part, or a grant of all of them.
    fn remembered(&self, request: &ApprovalRequest) -> Option<bool> {
        let state = self.state();
        let whole = state.remembered.get(&request.key).copied();
        let parts: Vec<Option<bool>> = request
            .grants
            .iter()
            .map(|grant| state.remembered.get(grant).copied())
            .collect();
        if whole == Some(false) || parts.contains(&Some(false)) {
            return Some(false);
        }
        let granted = !parts.is_empty() && parts.iter().all(|part| *part == Some(true));
        granted.then_some(true)
    }

    /// Remembers an answer; what of it is to be kept.
    fn settle(
        &self,
        request: &ApprovalRequest,
        answer: &Result<ApprovalAnswer, String>,
    ) -> Vec<(String, bool)> {
        let kept: Vec<(String, bool)> = match (answer, request.grants.as_slice()) {
            (Ok(ApprovalAnswer::Once) | Err(_), _) => Vec::new(),
            (Ok(ApprovalAnswer::Always), grants) => {
                grants.iter().map(|grant| (grant.clone(), true)).collect()
            }
            (Ok(ApprovalAnswer::Never), [only]) => vec![(only.clone(), false)],
            // With several parts it is not known which of them was not wanted.
            (Ok(ApprovalAnswer::Never), _) => vec![(request.key.clone(), false)],
        };
        self.state().remembered.extend(kept.iter().cloned());
        kept
    }

    fn state(&self) -> MutexGuard<'_, ApprovalState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn nobody_can_approve(request: &ApprovalRequest) -> ToolError {
    let why = format!(
        "`{}` needs approval, and nobody can approve in this session. Do not retry; find another way or tell the user.",
        request.tool
    );
    request
        .refused(ErrorCode::PolicyDenied, &why)
        .with("option", "onApproval")
}

/// Puts a question when it is first awaited. An approver that panics has failed like one that says so; it takes
/// nobody down who waits for the same answer.
fn question(approver: Arc<dyn Approver>, request: ApprovalRequest) -> AnswerFuture {
    let answer = async move { approver.decide(request).await };
    let answer = AssertUnwindSafe(answer).catch_unwind();
    Box::pin(answer.map(|answer| answer.unwrap_or_else(|_| Err("it panicked".to_owned()))))
}
