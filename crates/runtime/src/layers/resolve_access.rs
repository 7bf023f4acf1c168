//! Finds out what a call will touch where only somebody else can know, and has that judged as well.
//!
//! The call was judged for what it takes to find out. What it found is judged, asked about and locked like the
//! access of any other call, and given to the hooks that guard it; nothing was changed until then.

use std::sync::Arc;
use std::time::Duration;

use tenon_contract::{ToolContext, ToolError, limits};

use crate::approval::Approvals;
use crate::hooks::Hooks;
use crate::judge::Judge;
use crate::layers::deadline::timed_out;
use crate::layers::hooked::obeyed_when_found;
use crate::layers::{Approval, Policy};
use crate::redaction::Redaction;
use crate::service::{Call, Service};

pub(crate) struct ResolveAccess<S> {
    /// How long finding out may take, as the host has set it.
    limit: Option<Duration>,
    /// Those that guard what was found.
    hooks: Arc<Hooks>,
    /// For calls that are known by now.
    judged: Policy<Approval<Arc<S>>>,
    /// For calls that were known from the beginning.
    inner: Arc<S>,
}

impl<S: Service<Call>> ResolveAccess<S> {
    pub(crate) fn new(
        limit: Option<Duration>,
        hooks: Arc<Hooks>,
        judge: Arc<Judge>,
        approvals: Arc<Approvals>,
        redaction: Option<Redaction>,
        inner: S,
    ) -> Self {
        let inner = Arc::new(inner);
        let events = approvals.events().clone();
        let approval = Approval::new(approvals, judge.clone(), inner.clone());
        Self {
            limit,
            hooks,
            judged: Policy::new(judge, events, redaction, approval),
            inner,
        }
    }
}

impl<S: Service<Call>> Service<Call> for ResolveAccess<S> {
    type Answer = S::Answer;

    async fn call(&self, call: Call) -> Result<S::Answer, ToolError> {
        if !call.prepared.is_provisional() {
            return self.inner.call(call).await;
        }
        let limit = self.limit.unwrap_or(limits::CALL_TIMEOUT);
        let call = surveyed(call, limit).await?;
        self.judged
            .call(obeyed_when_found(&self.hooks, call).await?)
            .await
    }

    fn describe(&self, names: &mut Vec<&'static str>) {
        names.push("resolve_access");
        self.inner.describe(names);
    }
}

/// The call with all that it will touch.
///
/// # Errors
/// What the call would fail with.
pub(crate) async fn surveyed(mut call: Call, limit: Duration) -> Result<Call, ToolError> {
    let stop = call.sent.cancellation.child_token();
    let _stopped_when_dropped = stop.clone().drop_guard();
    let mut context = ToolContext::new(call.sent.id.clone(), stop).with_ticket(call.sent.ticket);
    if let Some(visibility) = &call.visibility {
        context = context.with_visibility(visibility.clone());
    }
    let cancelled = call.sent.cancellation.clone();
    let prepared = tokio::select! {
        biased;
        () = cancelled.cancelled() => return Err(ToolError::cancelled()),
        prepared = call.prepared.survey(context) => prepared?,
        () = tokio::time::sleep(limit) => return Err(timed_out(call.tool.name(), limit)),
    };
    if prepared.is_provisional() {
        return Err(ToolError::internal(
            "what the call touches is still not known",
        ));
    }
    call.prepared = prepared;
    call.surveyed = true;
    Ok(call)
}
