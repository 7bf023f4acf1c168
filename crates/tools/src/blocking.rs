//! Blocking work off the asynchronous threads.

use tenon_contract::{ToolContext, ToolError};

/// Runs `work` on a thread for blocking work. It should watch [`ToolContext::check`]: a thread
/// cannot be stopped from outside.
pub(crate) async fn blocking<T: Send + 'static>(
    context: ToolContext,
    work: impl FnOnce(&ToolContext) -> Result<T, ToolError> + Send + 'static,
) -> Result<T, ToolError> {
    match tokio::task::spawn_blocking(move || work(&context)).await {
        Ok(answer) => answer,
        // A panic goes on in the caller, where the pipeline turns it into an error.
        Err(failed) if failed.is_panic() => std::panic::resume_unwind(failed.into_panic()),
        Err(_) => Err(ToolError::cancelled()),
    }
}
