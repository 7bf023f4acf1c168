//! One writer per file: calls that change the same file run one after the other.

use tenon_contract::{PathClaim, ToolError};
use tenon_workspace::lock_paths;

use crate::service::{Call, Service};

pub(crate) struct Exclusive<S> {
    inner: S,
}

impl<S> Exclusive<S> {
    pub(crate) fn new(inner: S) -> Self {
        Self { inner }
    }
}

impl<S: Service<Call>> Service<Call> for Exclusive<S> {
    type Answer = S::Answer;

    async fn call(&self, call: Call) -> Result<S::Answer, ToolError> {
        let targets: Vec<_> = call
            .prepared
            .access()
            .changed()
            .map(|claim: &PathClaim| claim.target.clone())
            .collect();
        let cancelled = call.cancellation.clone();
        let guard = tokio::select! {
            biased;
            () = cancelled.cancelled() => return Err(ToolError::cancelled()),
            guard = lock_paths(targets) => guard,
        };
        let answer = self.inner.call(call).await;
        drop(guard);
        answer
    }

    fn describe(&self, names: &mut Vec<&'static str>) {
        names.push("exclusive");
        self.inner.describe(names);
    }
}
