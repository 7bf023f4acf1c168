//! Lets only calls through whose tool exists and is shown to this agent.

use std::sync::Arc;

use tenon_contract::{ErrorCode, ToolError};
use tenon_policy::Verdict;

use crate::registry::Registry;
use crate::service::{Request, Service};

pub(crate) struct Exposed<S> {
    registry: Arc<Registry>,
    inner: S,
}

impl<S> Exposed<S> {
    pub(crate) fn new(registry: Arc<Registry>, inner: S) -> Self {
        Self { registry, inner }
    }
}

impl<S: Service<Request>> Service<Request> for Exposed<S> {
    type Answer = S::Answer;

    async fn call(&self, mut request: Request) -> Result<S::Answer, ToolError> {
        if request.sent.cancellation.is_cancelled() {
            return Err(ToolError::cancelled());
        }
        let tool = self.registry.tool_of(&mut request)?;
        if let Some(refusal) = self.registry.refusal(&tool) {
            request.record.decide(Verdict::Deny);
            let message = format!(
                "The tool `{}` is not available to this agent (`{}`). Do not retry it.",
                request.sent.tool, refusal.rule
            );
            return Err(ToolError::new(ErrorCode::PolicyDenied, message)
                .with("subject", request.sent.tool.as_str())
                .with("matched_rule", refusal.rule));
        }
        let answer = self.inner.call(request).await;
        answer.map_err(|error| tool.explain(error))
    }

    fn describe(&self, names: &mut Vec<&'static str>) {
        names.push("exposure");
        self.inner.describe(names);
    }
}
