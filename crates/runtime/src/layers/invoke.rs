//! Innermost: runs the operation.

use std::sync::Arc;

use tenon_contract::{
    CancellationToken, Output, PreparedCall, Progress, RedirectPolicy, ToolContext, ToolError,
    Visibility,
};

use crate::service::Service;

pub(crate) struct Invoke;

/// A prepared call with what it may use.
pub(crate) struct Invocation {
    pub(crate) id: Arc<str>,
    pub(crate) ticket: u32,
    pub(crate) prepared: Box<dyn PreparedCall>,
    pub(crate) cancellation: CancellationToken,
    pub(crate) progress: Option<Arc<dyn Progress>>,
    pub(crate) visibility: Option<Arc<dyn Visibility>>,
    pub(crate) hops: Option<Arc<dyn RedirectPolicy>>,
    pub(crate) approved_plan: Option<Arc<str>>,
    /// Cancelled when the host wants the work to run on in the background.
    pub(crate) leave: Option<CancellationToken>,
    /// The budget of the result.
    pub(crate) max_tokens: Option<usize>,
}

impl Service<Invocation> for Invoke {
    type Answer = Box<dyn Output>;

    async fn call(&self, invocation: Invocation) -> Result<Box<dyn Output>, ToolError> {
        let context = ToolContext::new(invocation.id, invocation.cancellation)
            .with_ticket(invocation.ticket)
            .with_max_tokens(invocation.max_tokens);
        let context = match invocation.visibility {
            Some(visibility) => context.with_visibility(visibility),
            None => context,
        };
        let context = match invocation.hops {
            Some(hops) => context.with_hop_judge(hops),
            None => context,
        };
        let context = match invocation.approved_plan {
            Some(hash) => context.with_approved_plan(hash),
            None => context,
        };
        let context = match invocation.progress {
            Some(progress) => context.with_progress(progress),
            None => context,
        };
        let context = match invocation.leave {
            Some(leave) => context.with_leave(leave),
            None => context,
        };
        invocation.prepared.run(context).await
    }

    fn describe(&self, names: &mut Vec<&'static str>) {
        names.push("invoke");
    }
}
