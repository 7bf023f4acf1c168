//! Who runs the tools of the host, and what is asked of them.

use std::future::Future;
use std::pin::Pin;

use serde::Serialize;
use serde_json::Value;
use tenon_contract::{Content, Output, ToolContext, ToolError};
use tenon_dialects::Issue;

/// One call of a tool that the host brought.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ForeignCall {
    /// The tool.
    pub tool: String,
    /// The caller's id of the call.
    #[serde(rename = "toolCallId")]
    pub id: String,
    /// The number by which the host knows the call; 0 when it did not make it.
    pub ticket: u32,
    /// Its parameters.
    pub params: Value,
}

/// The future of a check: the parameters as the tool takes them, or every fault.
pub type CheckFuture =
    Pin<Box<dyn Future<Output = Result<Result<Value, Vec<Issue>>, ToolError>> + Send>>;

/// The future of a question that a tool brings itself: nothing where it has none.
pub type QuestionFuture = Pin<Box<dyn Future<Output = Result<Value, ToolError>> + Send>>;

/// The future of a foreign call.
pub type ForeignFuture = Pin<Box<dyn Future<Output = Result<ForeignOutput, ToolError>> + Send>>;

/// Runs a tool that the host brought. Dropping a future takes the work back.
pub trait ForeignRunner: Send + Sync {
    /// Checks parameters; asked only of tools that have a check of their own.
    fn check(&self, call: ForeignCall) -> CheckFuture;
    /// What the tool wants to have asked before it runs; only for tools that have a question of their own.
    fn question(&self, call: ForeignCall) -> QuestionFuture;
    /// Does the work. Partial answers go to the context.
    fn run(&self, call: ForeignCall, context: ToolContext) -> ForeignFuture;
}

/// What a foreign tool answers; it is reported as it is.
#[derive(Debug, Clone, PartialEq)]
pub struct ForeignOutput {
    /// For the model.
    pub content: Vec<Content>,
    /// For programs.
    pub details: Value,
}

impl Output for ForeignOutput {}
