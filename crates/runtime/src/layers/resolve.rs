//! From a name and JSON to a prepared call: repair, validate all at once, map, prepare.

use std::sync::Arc;

use tenon_contract::{ErrorCode, Operation, ToolError};
use tenon_policy::ParsedCommands;

use crate::events::{Events, What};
use crate::redaction::{Redaction, Variables};
use crate::registry::Registry;
use crate::service::{Call, Request, Service, least};

pub(crate) struct Resolve<S> {
    registry: Arc<Registry>,
    events: Events,
    redaction: Option<Redaction>,
    inner: S,
}

impl<S> Resolve<S> {
    pub(crate) fn new(
        registry: Arc<Registry>,
        events: Events,
        redaction: Option<Redaction>,
        inner: S,
    ) -> Self {
        Self {
            registry,
            events,
            redaction,
            inner,
        }
    }
}

impl<S: Service<Call>> Service<Request> for Resolve<S> {
    type Answer = S::Answer;

    async fn call(&self, request: Request) -> Result<S::Answer, ToolError> {
        let answer = self.resolved(request).await;
        match &self.redaction {
            // From here on the parameters have the secrets that their marks stand for, and refusals name what they refuse.
            Some(redaction) => answer.map_err(|error| redaction.error(error, Variables::Shown)),
            None => answer,
        }
    }

    fn describe(&self, names: &mut Vec<&'static str>) {
        names.push("resolve");
        self.inner.describe(names);
    }
}

impl<S: Service<Call>> Resolve<S> {
    async fn resolved(&self, request: Request) -> Result<S::Answer, ToolError> {
        let tool = request
            .found
            .map_or_else(|| self.registry.find(&request.tool), Ok)?;
        if request.automatic && tool.operation() != Operation::Skill {
            return Err(not_automatic(tool.name()));
        }
        let params = match &self.redaction {
            Some(redaction) => redaction.restored(tool.operation(), request.params)?,
            None => request.params,
        };
        let decode = tool.checked(params, &request.id, request.ticket);
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
            parsed: ParsedCommands::default(),
            decision: None,
            visibility: None,
            question: None,
            is_questioned: false,
            granted: request.granted,
            hops: None,
            surveyed: false,
            approved_plan: None,
            shows_variables: false,
            reads_variables: false,
            max_tokens: least(request.max_tokens, decoded.max_tokens),
            cancellation: request.cancellation,
            automatic: request.automatic,
            updates: request.updates,
            record: request.record,
        };
        if !call.repairs.is_empty() {
            self.events.tell(|| What::Repaired {
                call: call.subject(),
                repairs: call.repairs.clone(),
            });
        }
        self.inner.call(call).await
    }
}

/// Only a skill is loaded by the host for a model that did not ask for it.
fn not_automatic(tool: &str) -> ToolError {
    let message = format!(
        "`{tool}` cannot be called with `auto`, which is only for skills. Call it without."
    );
    ToolError::new(ErrorCode::InvalidParams, message)
}
