//! What only the host can supply. Every member is optional.

use std::future::Future;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;

use tenon_state::Warn;
use tenon_store::Store;
use tenon_tools::HostCallback;
use tenon_web::{HostSearch, Resolver};

use crate::approval::{ApprovalAnswer, ApprovalRequest};
use crate::history::TelemetrySink;
use crate::mode::Modes;

/// The future of an approver's answer. An error text means that it failed; the call is then refused.
pub type AnswerFuture = Pin<Box<dyn Future<Output = Result<ApprovalAnswer, String>> + Send>>;

/// Answers an *ask*.
pub trait Approver: Send + Sync {
    /// Puts the question to the one who decides.
    fn decide(&self, request: ApprovalRequest) -> AnswerFuture;
}

/// The host's parts.
#[derive(Clone, Default)]
pub struct HostCallbacks {
    /// Answers an *ask*; without one an *ask* is a refusal.
    pub approver: Option<Arc<dyn Approver>>,
    /// Finds the addresses of hosts for web tools. Default: the system's resolver.
    pub resolver: Option<Arc<dyn Resolver>>,
    /// Searches the web, instead of a provider that is known by name.
    pub search: Option<Arc<dyn HostSearch>>,
    /// Puts questions to the user: `{questions, toolCallId, ticket}` to `{answers}`.
    pub ask_user: Option<Arc<dyn HostCallback>>,
    /// Runs a sub-agent: `{agent, objective, sessionId, runId, …}` to a text or `{summary, ok?, output?, usage?, state?}`.
    pub run_agent: Option<Arc<dyn HostCallback>>,
    /// Gives a message to a running one: `{runId, from, text}` to whether it listens.
    pub run_message: Option<Arc<dyn HostCallback>>,
    /// Receives the events of sessions: an event to whether its result counts as shown.
    pub session_event: Option<Arc<dyn HostCallback>>,
    /// Runs a scheduled job: `{jobId, runId, name, prompt, …}` to a text, `{summary, ok?}` or nothing.
    pub on_cron: Option<Arc<dyn HostCallback>>,
    /// Sends a message: `{action, channel, target, text, …}` to an id, or `{id, status?}`.
    pub send_message: Option<Arc<dyn HostCallback>>,
    /// Says over which channels messages can go: nothing to a list of `{id, label?, actions?, maxText?, targets?}`.
    pub channels: Option<Arc<dyn HostCallback>>,
    /// Opens a canvas: `{canvasId, name, title, url, resource, toolCallId, ticket}`.
    pub show_canvas: Option<Arc<dyn HostCallback>>,
    /// Speaks with a browser of the host: `{op: connect}` to `{id, isLocal}`, `{op: send, id, messages}`,
    /// `{op: receive, id}` to `{messages}` or `{over}`, `{op: close, id}`.
    pub browser: Option<Arc<dyn HostCallback>>,
    /// Keeps what sessions know, instead of what the options say.
    pub store: Option<Arc<dyn Store>>,
    /// Receives what goes wrong in the background, a sentence each.
    pub warn: Option<Warn>,
    /// Calls the functions of the option `hooks`: `{hook, stage, call, result?, ticket}` to what they return.
    pub hooks: Option<Arc<dyn HostCallback>>,
    /// The permission mode of another toolkit, which this one shares: that of an agent for its sub-agents.
    pub modes: Option<Modes>,
    /// Answers questions about pages: `{prompt, content, url, toolCallId, ticket}` to a text.
    pub summarise: Option<Arc<dyn HostCallback>>,
    /// Whom MCP servers reach: `{type, server, …}` to what that type expects, see [`tenon_mcp::McpHost`].
    pub mcp: Option<Arc<dyn HostCallback>>,
    /// Receives the events of every call.
    pub telemetry: Option<Arc<dyn TelemetrySink>>,
    /// The helper program of the platform package (Linux), under which commands run.
    pub helper: Option<PathBuf>,
}
