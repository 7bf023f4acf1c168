//! From a name and JSON to a prepared call: repair, validate all at once, map, prepare.

use std::sync::Arc;

use tenon_contract::{ErrorCode, Operation, ToolError};

use crate::events::{EventKind, Events};
use crate::redaction::{Hiding, Redaction};
use crate::registry::Registry;
use crate::service::{Call, Request, Service};

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
            Some(redaction) => answer.map_err(|error| redaction.error(error, &Hiding::default())),
            None => answer,
        }
    }

    fn describe(&self, names: &mut Vec<&'static str>) {
        names.push("resolve");
        self.inner.describe(names);
    }
}

impl<S: Service<Call>> Resolve<S> {
    async fn resolved(&self, mut request: Request) -> Result<S::Answer, ToolError> {
        let tool = self.registry.tool_of(&mut request)?;
        let Request {
            mut sent, record, ..
        } = request;
        if sent.automatic && tool.operation() != Operation::Skill {
            return Err(not_automatic(tool.name()));
        }
        let mut params = std::mem::take(&mut sent.params);
        if let Some(redaction) = &self.redaction {
            params.value = redaction.restored(tool.operation(), params.value)?;
        }
        let decode = tool.checked(params, &sent.id, sent.ticket);
        let mut decoded = tokio::select! {
            biased;
            decoded = decode => decoded?,
            () = sent.cancellation.cancelled() => return Err(ToolError::cancelled()),
        };
        let prepared = tool.ready(&mut decoded)?;
        let call = Call::new(sent, record, tool, prepared, decoded);
        if !call.repairs.is_empty() {
            self.events.emit(|| EventKind::Repaired {
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
