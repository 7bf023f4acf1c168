//! Parts that only the application can supply.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use serde_json::{Value, json};
use tenon_contract::{CancellationToken, ErrorCode, ToolContext, ToolError};

/// The future of a host part's answer.
pub type HostFuture = Pin<Box<dyn Future<Output = Result<Value, ToolError>> + Send>>;
/// Receives partial answers of a host part.
pub type HostListener = Arc<dyn Fn(Value) + Send + Sync>;

/// One part of the host. It is asked in JSON and answers in JSON; the one who asks checks what it says.
pub trait HostCallback: Send + Sync + 'static {
    /// Asks. Dropping the future takes the question back.
    fn ask(&self, request: Value, on_progress: Option<HostListener>) -> HostFuture;

    /// Asks somebody who may be asked to end, and whose answer is taken all the same.
    fn ask_until(
        &self,
        request: Value,
        on_progress: Option<HostListener>,
        end: CancellationToken,
    ) -> HostFuture {
        let _ = end;
        self.ask(request, on_progress)
    }
}

/// The request of a call, with what shows the host whose it is.
pub(crate) fn request(context: &ToolContext, mut members: Value) -> Value {
    if let Value::Object(members) = &mut members {
        members.insert("toolCallId".to_owned(), context.call_id().into());
        members.insert("ticket".to_owned(), json!(context.ticket()));
    }
    members
}

/// The error of a tool whose part of the host is missing.
pub(crate) fn missing(member: &str, what: &str) -> ToolError {
    let message = format!(
        "This application cannot {what}: it does not provide `host.{member}`. Continue without it."
    );
    ToolError::new(ErrorCode::Unavailable, message).with("host", member)
}

/// The error of a host part that answers something else than it should.
pub(crate) fn odd(member: &str, problem: &str) -> ToolError {
    let message = format!(
        "`host.{member}` of this application returned an invalid result: {problem}. You cannot fix that; continue without it."
    );
    ToolError::new(ErrorCode::HandlerFailed, message).with("host", member)
}

/// What kind of value it is, in a sentence.
pub(crate) fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "nothing",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
