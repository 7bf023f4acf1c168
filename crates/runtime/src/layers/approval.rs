//! Asks the host where policy says *ask*. Without an approver, and whenever it fails, the answer is no.

use std::sync::Arc;

use tenon_contract::ToolError;
use tenon_policy::Verdict;

use crate::approval::Approvals;
use crate::layers::policy::Judged;
use crate::service::{Call, Service};

pub(crate) struct Approval<S> {
    approvals: Arc<Approvals>,
    inner: S,
}

impl<S> Approval<S> {
    pub(crate) fn new(approvals: Arc<Approvals>, inner: S) -> Self {
        Self { approvals, inner }
    }
}

impl<S: Service<Call>> Service<Judged> for Approval<S> {
    type Answer = S::Answer;

    async fn call(&self, judged: Judged) -> Result<S::Answer, ToolError> {
        let Judged { call, decision } = judged;
        if decision.verdict == Verdict::Ask {
            let request = crate::approval::request(&call, &decision);
            let cancelled = call.cancellation.clone();
            tokio::select! {
                biased;
                () = cancelled.cancelled() => return Err(ToolError::cancelled()),
                answer = self.approvals.ask(request) => answer?,
            }
        }
        self.inner.call(call).await
    }

    fn describe(&self, names: &mut Vec<&'static str>) {
        names.push("approval");
        self.inner.describe(names);
    }
}
