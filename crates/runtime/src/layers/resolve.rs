//! From a name and JSON to a prepared call: repair, validate all at once, map, prepare.

use std::sync::Arc;

use tenon_contract::ToolError;

use crate::registry::Registry;
use crate::service::{Call, Request, Service};

pub(crate) struct Resolve<S> {
    registry: Arc<Registry>,
    inner: S,
}

impl<S> Resolve<S> {
    pub(crate) fn new(registry: Arc<Registry>, inner: S) -> Self {
        Self { registry, inner }
    }
}

impl<S: Service<Call>> Service<Request> for Resolve<S> {
    type Answer = S::Answer;

    async fn call(&self, request: Request) -> Result<S::Answer, ToolError> {
        let tool = self.registry.find(&request.tool)?;
        let decode = tool.checked(request.params, &request.id, request.ticket);
        let mut decoded = tokio::select! {
            biased;
            decoded = decode => decoded?,
            () = request.cancellation.cancelled() => return Err(ToolError::cancelled()),
        };
        let prepared = tool.ready(&mut decoded)?;
        let call = Call {
            tool,
            id: request.id,
            ticket: request.ticket,
            wire: decoded.wire,
            repairs: decoded.repairs,
            prepared,
            visibility: None,
            hops: None,
            surveyed: false,
            approved_plan: None,
            cancellation: request.cancellation,
            updates: request.updates,
            record: request.record,
        };
        self.inner.call(call).await
    }

    fn describe(&self, names: &mut Vec<&'static str>) {
        names.push("resolve");
        self.inner.describe(names);
    }
}
