//! What the servers of a toolkit work with, and whom they reach.

use std::fmt;
use std::future::Future;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;

use serde_json::Value;
use tenon_contract::ToolError;
use tenon_process::{Processes, Sandbox};
use tenon_web::{AllowedHosts, Guard, Transport};

/// The future of [`McpHost::ask`].
pub type AnswerFuture = Pin<Box<dyn Future<Output = Result<Value, ToolError>> + Send>>;

/// Makes the sandbox that a server's option asks for.
pub type MakeSandbox = Arc<dyn Fn(&Value) -> Result<Option<Arc<Sandbox>>, ToolError> + Send + Sync>;

/// Whom servers reach.
pub trait McpHost: Send + Sync {
    /// Asks the host and waits: what a server asks the user (`elicit`), and where credentials are kept (`credentials`).
    fn ask(&self, request: Value) -> AnswerFuture;
    /// Reports something that nobody waits for: a list that changed, progress of a call, a server that ended.
    fn report(&self, event: Value);
}

/// What servers work with.
#[derive(Clone)]
pub struct ServerContext {
    /// Starts programs.
    pub processes: Processes,
    /// The workspace; servers without a directory of their own start there.
    pub directory: PathBuf,
    /// Makes sandboxes.
    pub sandbox: MakeSandbox,
    /// Sends requests behind a guard.
    pub transport: Arc<dyn Fn(Guard) -> Transport + Send + Sync>,
    /// Servers that the host opened although their addresses are not public.
    pub allowed: AllowedHosts,
}

impl fmt::Debug for ServerContext {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("ServerContext")
            .field("directory", &self.directory)
            .finish_non_exhaustive()
    }
}
