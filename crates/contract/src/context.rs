//! What a running call may use.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use crate::{ErrorCode, HostClaim, Output, RedirectPolicy, ToolError, Visibility};

/// The listener of one call: takes partial outputs while the call runs.
pub trait Progress: Send + Sync {
    /// Whether a partial output given now would be passed on, at once or soon. Asked before one is
    /// built, so that nobody pays for updates that nobody hears. Operations publish at most once in
    /// [`UPDATE_INTERVAL`](crate::limits::UPDATE_INTERVAL).
    fn is_due(&self) -> bool;
    /// Gives the latest partial output: the whole of what is known so far, never a delta. Later
    /// ones replace earlier ones that were not delivered yet.
    fn publish(&self, output: Box<dyn Output>);
}

/// Handed to [`Tool::run`](crate::Tool::run): the id of the call, its cancellation and its listener.
#[derive(Clone)]
pub struct ToolContext {
    call_id: Arc<str>,
    ticket: u32,
    cancellation: CancellationToken,
    progress: Option<Arc<dyn Progress>>,
    visibility: Option<Arc<dyn Visibility>>,
    approved_plan: Option<Arc<str>>,
    redirects: Option<Arc<dyn RedirectPolicy>>,
    leave: Option<CancellationToken>,
    max_tokens: Option<usize>,
}

impl ToolContext {
    /// A context without a listener.
    #[must_use]
    pub fn new(call_id: impl Into<Arc<str>>, cancellation: CancellationToken) -> Self {
        Self {
            call_id: call_id.into(),
            ticket: 0,
            cancellation,
            progress: None,
            visibility: None,
            approved_plan: None,
            redirects: None,
            leave: None,
            max_tokens: None,
        }
    }

    /// The same for a call that can be asked to let its work run on in the background.
    #[must_use]
    pub fn with_leave(mut self, leave: CancellationToken) -> Self {
        self.leave = Some(leave);
        self
    }

    /// The same with a budget for its result.
    #[must_use]
    pub fn with_max_tokens(mut self, max_tokens: Option<usize>) -> Self {
        self.max_tokens = max_tokens;
        self
    }

    /// Most tokens that the text of the result may have, if there is a budget.
    #[must_use]
    pub fn max_tokens(&self) -> Option<usize> {
        self.max_tokens
    }

    /// Waits until the host wants the work of the call to run on in the background. For ever, where it cannot say so.
    pub async fn reported_to_leave(&self) {
        match &self.leave {
            Some(leave) => leave.cancelled().await,
            None => std::future::pending().await,
        }
    }

    /// The same with the number by which the host knows the call.
    #[must_use]
    pub fn with_ticket(mut self, ticket: u32) -> Self {
        self.ticket = ticket;
        self
    }

    /// The number by which the host knows the call that it made; 0 when somebody else made it. What
    /// the host runs on behalf of the call receives it.
    #[must_use]
    pub fn ticket(&self) -> u32 {
        self.ticket
    }

    /// The same with a listener for partial outputs.
    #[must_use]
    pub fn with_progress(mut self, progress: Arc<dyn Progress>) -> Self {
        self.progress = Some(progress);
        self
    }

    /// The same with files that its results must leave out.
    #[must_use]
    pub fn with_visibility(mut self, visibility: Arc<dyn Visibility>) -> Self {
        self.visibility = Some(visibility);
        self
    }

    /// The same with a judge of the hosts that the call is led on to.
    #[must_use]
    pub fn with_redirect_policy(mut self, redirects: Arc<dyn RedirectPolicy>) -> Self {
        self.redirects = Some(redirects);
        self
    }

    /// Succeeds when the call may go from one host on to another. Without a judge it may not.
    ///
    /// # Errors
    /// The refusal of the judge.
    pub async fn judge_hop(&self, from: &HostClaim, to: &HostClaim) -> Result<(), ToolError> {
        match &self.redirects {
            Some(redirects) => redirects.judge(from, to).await,
            None => {
                let message = format!(
                    "`{}` redirects to `{}`, and nobody can approve that. Call again with that URL.",
                    from.url, to.url
                );
                Err(ToolError::new(ErrorCode::PolicyDenied, message)
                    .with("subject", to.url.as_str()))
            }
        }
    }

    /// The judge of the hosts that the call is led on to, for what goes on behind it.
    #[must_use]
    pub fn redirect_policy(&self) -> Option<&Arc<dyn RedirectPolicy>> {
        self.redirects.as_ref()
    }

    /// What results must leave out; nothing when no rule keeps a file from being read.
    #[must_use]
    pub fn visibility(&self) -> Option<&Arc<dyn Visibility>> {
        self.visibility.as_ref()
    }

    /// The same, bound to the plan that was approved.
    #[must_use]
    pub fn with_approved_plan(mut self, hash: Arc<str>) -> Self {
        self.approved_plan = Some(hash);
        self
    }

    /// The [`plan_hash`](crate::Preview::plan_hash) of the preview that somebody approved: the call
    /// must do exactly that, or change nothing. Nothing when no preview was shown.
    #[must_use]
    pub fn approved_plan(&self) -> Option<&str> {
        self.approved_plan.as_deref()
    }

    /// The same call under another token, usually a child of the present one.
    #[must_use]
    pub fn with_cancellation(mut self, cancellation: CancellationToken) -> Self {
        self.cancellation = cancellation;
        self
    }

    /// The caller's id of this call. Opaque: hosts choose it and some rewrite it.
    #[must_use]
    pub fn call_id(&self) -> &str {
        &self.call_id
    }

    /// Cancelled on abort, on time-out and when the toolkit closes.
    #[must_use]
    pub fn cancellation(&self) -> &CancellationToken {
        &self.cancellation
    }

    /// Fails when the call was cancelled; for the head of a loop in blocking work.
    ///
    /// # Errors
    /// [`ErrorCode::Cancelled`].
    pub fn check(&self) -> Result<(), ToolError> {
        if self.cancellation.is_cancelled() {
            Err(ToolError::cancelled())
        } else {
            Ok(())
        }
    }

    /// The same call for an operation that runs as a part of this one: its partial outputs are reported as those of this.
    #[must_use]
    pub fn translated<T: Output, U: Output>(
        &self,
        report: impl Fn(T) -> U + Send + Sync + 'static,
    ) -> Self {
        let translate = |inner: &Arc<dyn Progress>| {
            Arc::new(Translated {
                inner: Arc::clone(inner),
                report: Box::new(report),
            }) as Arc<dyn Progress>
        };
        Self {
            progress: self.progress.as_ref().map(translate),
            ..self.clone()
        }
    }

    /// Publishes what `partial` makes, if somebody listens and an update is due.
    pub fn publish<T: Output>(&self, partial: impl FnOnce() -> T) {
        if let Some(progress) = self
            .progress
            .as_deref()
            .filter(|progress| progress.is_due())
        {
            progress.publish(Box::new(partial()));
        }
    }
}

/// A listener to the outputs of another operation.
struct Translated<T, U> {
    inner: Arc<dyn Progress>,
    report: Box<dyn Fn(T) -> U + Send + Sync>,
}

impl<T: Output, U: Output> Progress for Translated<T, U> {
    fn is_due(&self) -> bool {
        self.inner.is_due()
    }

    fn publish(&self, output: Box<dyn Output>) {
        let output: Box<dyn Any> = output;
        // Another output than the one that was promised concerns nobody.
        if let Ok(output) = output.downcast::<T>() {
            self.inner.publish(Box::new((self.report)(*output)));
        }
    }
}

impl fmt::Debug for ToolContext {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("ToolContext")
            .field("call_id", &self.call_id)
            .field("cancelled", &self.cancellation.is_cancelled())
            .field("listened", &self.progress.is_some())
            .finish()
    }
}
