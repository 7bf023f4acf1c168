//! Approvals, tools of the host, telemetry and events, as requests to the host.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Map, Value};
use tenon_contract::{ErrorCode, ToolContext, ToolError};
use tenon_runtime::{
    AnswerFuture, ApprovalAnswer, ApprovalRequest, Approver, CheckFuture, EventSink, ForeignCall,
    ForeignFuture, ForeignOutput, ForeignRunner, Issue, QuestionFuture, TelemetryEvent,
    TelemetrySink,
};

use crate::envelope::contents;
use crate::host_requests::{Callback, HostRequests, Reply};
use crate::message::{Message, Wire};

/// Asks the host's `onApproval`. Everything but a clear answer is a reason to refuse.
pub(crate) struct AskedApprover(pub(crate) HostRequests);

impl Approver for AskedApprover {
    fn decide(&self, request: ApprovalRequest) -> AnswerFuture {
        let requests = self.0.clone();
        Box::pin(async move {
            let request = serde_json::to_string(&request).map_err(|error| error.to_string())?;
            let reply = requests.ask(Callback::Approve, request, None).await;
            let reply = reply.map_err(|error| error.message)?;
            match reply.json.as_str() {
                "once" if reply.is_ok => Ok(ApprovalAnswer::Once),
                "always" if reply.is_ok => Ok(ApprovalAnswer::Always),
                "never" if reply.is_ok => Ok(ApprovalAnswer::Never),
                _ => Err(reply.json),
            }
        })
    }
}

/// Runs the tools that the host has registered.
pub(crate) struct AskedRunner(pub(crate) HostRequests);

/// What the host says of parameters that it has checked.
#[derive(Deserialize)]
struct Checked {
    /// As the tool takes them, where JSON can say it.
    value: Option<Value>,
    issues: Option<Vec<Issue>>,
}

/// Why a tool of the host failed.
#[derive(Deserialize)]
struct Failure {
    message: String,
    error_type: Option<String>,
    #[serde(default)]
    details: Map<String, Value>,
}

impl ForeignRunner for AskedRunner {
    fn check(&self, call: ForeignCall) -> CheckFuture {
        let requests = self.0.clone();
        Box::pin(async move {
            let reply = requests.ask(Callback::Check, json_of(&call)?, None).await?;
            if !reply.is_ok {
                return Err(failure(&reply.json));
            }
            let checked: Checked = parsed(&reply.json)?;
            Ok(match checked.issues {
                Some(issues) => Err(issues),
                None => Ok(checked.value.unwrap_or(call.params)),
            })
        })
    }

    fn question(&self, call: ForeignCall) -> QuestionFuture {
        let requests = self.0.clone();
        Box::pin(async move {
            let reply = requests
                .ask(Callback::Question, json_of(&call)?, None)
                .await?;
            if reply.is_ok {
                parsed(&reply.json)
            } else {
                Err(failure(&reply.json))
            }
        })
    }

    fn run(&self, call: ForeignCall, context: ToolContext) -> ForeignFuture {
        let requests = self.0.clone();
        Box::pin(async move {
            let on_progress = move |partial: Reply| {
                // A partial answer that cannot be read is passed over: the final one will say why.
                if let Ok(output) = output(partial) {
                    context.publish(|| output);
                }
            };
            let call = json_of(&call)?;
            let reply = requests
                .ask(Callback::Run, call, Some(Arc::new(on_progress)))
                .await?;
            if reply.is_ok {
                output(reply)
            } else {
                Err(failure(&reply.json))
            }
        })
    }
}

fn output(reply: Reply) -> Result<ForeignOutput, ToolError> {
    Ok(ForeignOutput {
        content: contents(reply.content),
        details: parsed(&reply.json)?,
    })
}

/// The code that stands for a kind of failure that the host has named itself.
fn code_of(error_type: Option<&str>) -> ErrorCode {
    match error_type {
        Some("permission_denied") => ErrorCode::AccessDenied,
        Some("not_found") => ErrorCode::NotFound,
        Some("timeout") => ErrorCode::Timeout,
        Some("invalid_input") => ErrorCode::InvalidParams,
        Some("aborted") => ErrorCode::Cancelled,
        _ => ErrorCode::HandlerFailed,
    }
}

pub(crate) fn failure(json: &str) -> ToolError {
    match parsed::<Failure>(json) {
        Ok(reported) => {
            let mut error =
                ToolError::new(code_of(reported.error_type.as_deref()), reported.message);
            error.details = reported.details;
            error
        }
        Err(error) => error,
    }
}

fn json_of(call: &ForeignCall) -> Result<String, ToolError> {
    serde_json::to_string(call).map_err(ToolError::internal)
}

pub(crate) fn parsed<T: serde::de::DeserializeOwned>(json: &str) -> Result<T, ToolError> {
    serde_json::from_str(json).map_err(|error| {
        ToolError::internal(format_args!(
            "an answer of the host did not cross as JSON ({error})"
        ))
    })
}

/// Hands the stream to the host.
pub(crate) struct SentEvents(pub(crate) Arc<dyn Wire>);

impl EventSink for SentEvents {
    fn take(&self, json: String) {
        self.0.send(Message::event(json));
    }
}

/// Hands events to the host's `onTelemetry`.
pub(crate) struct SentTelemetry(pub(crate) Arc<dyn Wire>);

impl TelemetrySink for SentTelemetry {
    fn emit(&self, event: TelemetryEvent) {
        if let Ok(event) = serde_json::to_string(&event) {
            self.0.send(Message::telemetry(event));
        }
    }
}
