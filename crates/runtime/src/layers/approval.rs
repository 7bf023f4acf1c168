//! Asks the host where policy says *ask*. Without an approver, and whenever it fails, the answer is no.

use std::sync::Arc;

use tenon_contract::{ErrorCode, ToolError};
use tenon_policy::Verdict;

use crate::approval::Approvals;
use crate::judge::Judge;
use crate::layers::policy::Judged;
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
            // A person takes time: what was shown must still be what would happen.
            if self.judge.decide(&call) != decision {
                return Err(changed(&call));
            }
        }
        self.inner.call(call).await
    }

    fn describe(&self, names: &mut Vec<&'static str>) {
        names.push("approval");
        self.inner.describe(names);
    }
}

fn changed(call: &Call) -> ToolError {
    let message = format!(
        "`{}` was not run: files or links that it names changed while its approval was awaited. Call it again to have it judged anew.",
        call.tool.name()
    );
    ToolError::new(ErrorCode::ApprovalDenied, message)
}
