//! One call of a tool, with the questions in between.

use std::sync::atomic::Ordering;
use std::time::Duration;

use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CancelledNotification, CancelledNotificationParam,
    ClientRequest, InputRequiredResult, InputResponses, JsonObject, ProgressToken, RequestId,
    ServerResult,
};
use rmcp::service::{PeerRequestOptions, RequestHandle, ServiceError};
use rmcp::{Peer, RoleClient};
use serde_json::Value;
use tokio::time::{Instant, sleep, sleep_until};

use crate::forms::with_forms;
use crate::handler::Handler;
use crate::progress::{CallKey, Tokens};
use crate::task::followed;

/// Most rounds of questions in one call.
const ROUNDS_MAX: usize = 10;
/// How long a round waits in which the server only wants to be called again.
const AGAIN_AFTER: Duration = Duration::from_millis(100);

/// A call of a tool.
#[derive(Debug, Clone)]
pub(crate) struct ToolCall {
    pub(crate) name: String,
    pub(crate) arguments: Option<JsonObject>,
    /// How the host knows the call that progress belongs to.
    pub(crate) key: Value,
}

impl ToolCall {
    /// Calls the tool. Dropping the future cancels the request at the server.
    pub(crate) async fn on(
        &self,
        peer: &Peer<RoleClient>,
        handler: &Handler,
    ) -> Result<Value, ServiceError> {
        let mut params = CallToolRequestParams::new(self.name.clone());
        params.arguments.clone_from(&self.arguments);
        for _ in 0..ROUNDS_MAX {
            let result = self.once(peer, handler, params.clone()).await?;
            match with_forms(result).map_err(ServiceError::McpError)? {
                ServerResult::InputRequiredResult(required) => {
                    let (responses, state) = answered(handler, required).await?;
                    params.input_responses = responses;
                    params.request_state = state;
                }
                ServerResult::CreateTaskResult(created) => {
                    return followed(peer, handler, &self.key, created.task).await;
                }
                result => return complete(result),
            }
        }
        Err(ServiceError::InputRequiredRoundsExceeded {
            max_rounds: ROUNDS_MAX,
        })
    }

    async fn once(
        &self,
        peer: &Peer<RoleClient>,
        handler: &Handler,
        params: CallToolRequestParams,
    ) -> Result<ServerResult, ServiceError> {
        let mut request = CallToolRequest::new(params);
        request.extensions.insert(CallKey(self.key.clone()));
        let request = ClientRequest::CallToolRequest(request);
        let options = PeerRequestOptions::no_options();
        let mut handle = peer.send_request_with_option(request, options).await?;
        let mut open = Open::new(&handle, &handler.tokens);
        let answer = waited(&mut handle, handler).await;
        if !matches!(answer, Err(ServiceError::Timeout { .. })) {
            open.is_open = false;
        }
        answer
    }
}

/// Waits for the answer as long as the server shows life, or a user is asked.
async fn waited(
    handle: &mut RequestHandle<RoleClient>,
    handler: &Handler,
) -> Result<ServerResult, ServiceError> {
    let (quiet, most) = (handler.spec.call_limit(), handler.spec.max_call_limit());
    let now = Instant::now();
    let (mut silent_until, mut until) = (now + quiet, now + most);
    loop {
        let first = silent_until.min(until);
        tokio::select! {
            biased;
            answer = &mut handle.rx => return answer.map_err(|_| ServiceError::TransportClosed)?,
            () = handler.alive.notified() => silent_until = Instant::now() + quiet,
            () = sleep_until(first) => {
                if handler.asking.load(Ordering::Relaxed) == 0 {
                    let timeout = if until <= silent_until { most } else { quiet };
                    return Err(ServiceError::Timeout { timeout });
                }
                // The time that a user takes is not the server's.
                let more = Instant::now() + quiet;
                silent_until = more;
                until = until.max(more);
            }
        }
    }
}

/// The answers to the questions of a server.
async fn answered(
    handler: &Handler,
    required: InputRequiredResult,
) -> Result<(Option<InputResponses>, Option<String>), ServiceError> {
    let requests = required.input_requests.unwrap_or_default();
    if requests.is_empty() {
        if required.request_state.is_none() {
            return Err(ServiceError::UnexpectedResponse);
        }
        sleep(AGAIN_AFTER).await;
    }
    let answers = handler.inputs(&requests).await;
    let responses = answers.map_err(ServiceError::McpError)?;
    Ok((
        (!responses.is_empty()).then_some(responses),
        required.request_state,
    ))
}

/// A result as JSON. One that has nothing but metadata is empty.
fn complete(result: ServerResult) -> Result<Value, ServiceError> {
    match &result {
        ServerResult::CallToolResult(_) | ServerResult::EmptyResult(_) => {}
        ServerResult::CustomResult(custom) if custom.0.is_object() => {}
        _ => return Err(ServiceError::UnexpectedResponse),
    }
    serde_json::to_value(result).map_err(|_| ServiceError::UnexpectedResponse)
}

/// A request whose answer somebody waits for. Dropped while it is open, it is cancelled at the server. Its progress
/// is not reported after that.
struct Open {
    peer: Peer<RoleClient>,
    id: RequestId,
    token: ProgressToken,
    tokens: Tokens,
    is_open: bool,
}

impl Open {
    fn new(handle: &RequestHandle<RoleClient>, tokens: &Tokens) -> Self {
        Self {
            peer: handle.peer.clone(),
            id: handle.id.clone(),
            token: handle.progress_token.clone(),
            tokens: tokens.clone(),
            is_open: true,
        }
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.tokens.leave(&self.token);
        if !self.is_open {
            return;
        }
        let (peer, id) = (self.peer.clone(), self.id.clone());
        // Dropped outside of the runtime, nothing can be sent.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move {
                let reason = Some("nobody waits for the answer".to_owned());
                let params = CancelledNotificationParam::new(Some(id), reason);
                // A closed connection needs no notification.
                let _ = peer
                    .send_notification(CancelledNotification::new(params).into())
                    .await;
            });
        }
    }
}
