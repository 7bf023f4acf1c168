//! One message sent to a server at an address, and its reply.
//!
//! The protocol library has a sender of its own. It does not show what a server says in a refusal, and one half of a
//! character in a reply is the end of its connection; here a reply goes through the same [repairs](crate::lines) as a
//! line of a program.

use std::collections::HashMap;
use std::sync::Arc;

use futures_util::StreamExt;
use futures_util::stream::{self, BoxStream};
use http::header::{ACCEPT, CONTENT_TYPE, WWW_AUTHENTICATE};
use http::{HeaderName, HeaderValue, StatusCode};
use reqwest::Response;
use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, ErrorData, RequestId, ServerJsonRpcMessage,
};
use rmcp::transport::common::http_header::{
    EVENT_STREAM_MIME_TYPE, HEADER_LAST_EVENT_ID, HEADER_SESSION_ID, JSON_MIME_TYPE,
};
use rmcp::transport::streamable_http_client::{
    AuthRequiredError, InsufficientScopeError, SseError, StreamableHttpError,
    StreamableHttpPostResponse, StreamableHttpResponseLimits,
};
use sse_stream::{Sse, SseStream};

use crate::events::{Fault, in_characters};
use crate::http::Answer;
use crate::lines::{self, refusal};

/// A message on its way to a server.
pub(crate) struct Post {
    pub(crate) uri: Arc<str>,
    pub(crate) message: ClientJsonRpcMessage,
    pub(crate) session_id: Option<Arc<str>>,
    pub(crate) auth_header: Option<String>,
    pub(crate) custom_headers: HashMap<HeaderName, HeaderValue>,
    pub(crate) limits: StreamableHttpResponseLimits,
}

impl Post {
    /// The id of the request, if the message is one that awaits an answer.
    fn id(&self) -> Option<&RequestId> {
        match &self.message {
            ClientJsonRpcMessage::Request(request) => Some(&request.id),
            _ => None,
        }
    }

    /// Sends it and reads the head of the reply.
    pub(crate) async fn send(self, client: &reqwest::Client) -> Answer<StreamableHttpPostResponse> {
        let accepted = [EVENT_STREAM_MIME_TYPE, JSON_MIME_TYPE].join(", ");
        let mut request = client.post(self.uri.as_ref()).header(ACCEPT, accepted);
        if let Some(token) = &self.auth_header {
            request = request.bearer_auth(token);
        }
        for (name, value) in &self.custom_headers {
            let is = |reserved: &str| name.as_str().eq_ignore_ascii_case(reserved);
            if is("accept") || is(HEADER_SESSION_ID) || is(HEADER_LAST_EVENT_ID) {
                let name = name.to_string();
                return Err(StreamableHttpError::ReservedHeaderConflict(name));
            }
            request = request.header(name, value);
        }
        if let Some(session) = &self.session_id {
            request = request.header(HEADER_SESSION_ID, session.as_ref());
        }
        let response = request.json(&self.message).send().await?;
        let status = response.status();
        if let Some(error) = challenge(&response) {
            return Err(error);
        }
        if matches!(status, StatusCode::ACCEPTED | StatusCode::NO_CONTENT) {
            return Ok(StreamableHttpPostResponse::Accepted);
        }
        if status == StatusCode::NOT_FOUND && self.session_id.is_some() {
            return Err(StreamableHttpError::SessionExpired);
        }
        match status.is_success() {
            true => self.reply(response).await,
            false => self.refusal(response).await,
        }
    }

    /// What a server answers that has taken the message.
    async fn reply(&self, response: Response) -> Answer<StreamableHttpPostResponse> {
        let session = response.headers().get(HEADER_SESSION_ID);
        let session = session.and_then(|id| id.to_str().ok()).map(str::to_owned);
        let kind = media_type(&response);
        if kind == EVENT_STREAM_MIME_TYPE {
            let events = events(response, self.id().cloned(), self.limits.max_sse_event_size);
            return Ok(StreamableHttpPostResponse::Sse(events, session));
        }
        let Some(id) = self.id() else {
            // Nothing in it is awaited, whatever it is.
            return Ok(StreamableHttpPostResponse::Accepted);
        };
        if kind != JSON_MIME_TYPE {
            let kind = if kind.is_empty() { "no type" } else { &kind };
            let text = format!(
                "it answered with {kind} in place of JSON. Check that `url` is the address of an MCP server"
            );
            return Err(StreamableHttpError::UnexpectedServerResponse(text.into()));
        }
        let limit = self.limits.max_json_response_size;
        let body = whole(response, limit).await?;
        let mut messages = lines::messages(&body, Some(id));
        if messages.len() > 1 {
            let events = messages.into_iter().map(|text| Ok(event(text)));
            let events = stream::iter(events.collect::<Vec<_>>()).boxed();
            return Ok(StreamableHttpPostResponse::Sse(events, session));
        }
        let text = messages.pop().unwrap_or_default();
        match serde_json::from_str(&text) {
            Ok(message) => Ok(StreamableHttpPostResponse::Json(message, session)),
            Err(_) => {
                let shown: String = text.chars().take(256).collect();
                let text = format!("its answer is not a message of the protocol: {shown}");
                Err(StreamableHttpError::UnexpectedServerResponse(text.into()))
            }
        }
    }

    /// What a server says that has refused the message: an error of the protocol, or its status and its words.
    async fn refusal(&self, response: Response) -> Answer<StreamableHttpPostResponse> {
        let status = response.status();
        let is_json = media_type(&response) == JSON_MIME_TYPE;
        let is_auth = matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN);
        let most = self.limits.max_error_response_size;
        let body = match is_json && !is_auth {
            true => whole(response, self.limits.max_json_response_size).await?,
            false => beginning(response, most).await,
        };
        let text = String::from_utf8_lossy(&body);
        if is_json
            && !is_auth
            && let Some(said) = lines::messages(&body, self.id()).pop()
            && let Ok(error @ ServerJsonRpcMessage::Error(_)) = serde_json::from_str(&said)
        {
            return Ok(StreamableHttpPostResponse::Json(error, None));
        }
        let said = text.trim();
        let reason = match said.is_empty() {
            true => format!("HTTP {status}"),
            false => format!("HTTP {status}: {said}"),
        };
        // A server of the older era refuses the question which era it speaks in many ways.
        if let ClientJsonRpcMessage::Request(request) = &self.message
            && matches!(request.request, ClientRequest::DiscoverRequest(_))
            && self.session_id.is_none()
            && status.is_client_error()
            && !is_auth
        {
            let error = ErrorData::invalid_request(reason, None);
            let error = ServerJsonRpcMessage::error(error, Some(request.id.clone()));
            return Ok(StreamableHttpPostResponse::Json(error, None));
        }
        Err(StreamableHttpError::UnexpectedServerResponse(reason.into()))
    }
}

/// The authorization that a server wants, if it refuses for the lack of it.
fn challenge(response: &Response) -> Option<StreamableHttpError<reqwest::Error>> {
    let given = response.headers().get(WWW_AUTHENTICATE)?;
    let given = String::from_utf8_lossy(given.as_bytes()).into_owned();
    match response.status() {
        StatusCode::UNAUTHORIZED => Some(StreamableHttpError::AuthRequired(
            AuthRequiredError::new(given),
        )),
        StatusCode::FORBIDDEN => {
            let scope = scope_in(&given);
            let error = InsufficientScopeError::new(given, scope);
            Some(StreamableHttpError::InsufficientScope(error))
        }
        _ => None,
    }
}

/// The parameter `scope` of a challenge, quoted or not.
fn scope_in(challenge: &str) -> Option<String> {
    let at = challenge.to_ascii_lowercase().find("scope=")?;
    let value = challenge.get(at + "scope=".len()..)?;
    let scope = match value.strip_prefix('"') {
        Some(quoted) => quoted.split_once('"')?.0,
        None => value.split([',', ';', ' ', '\t']).next()?,
    };
    (!scope.is_empty()).then(|| scope.to_owned())
}

/// The media type of a reply, without its parameters.
fn media_type(response: &Response) -> String {
    let given = response.headers().get(CONTENT_TYPE);
    let given = given
        .and_then(|kind| kind.to_str().ok())
        .unwrap_or_default();
    let kind = given.split(';').next().unwrap_or_default();
    kind.trim().to_ascii_lowercase()
}

/// A body that counts only as a whole.
async fn whole(mut response: Response, max_size: usize) -> Answer<Vec<u8>> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await? {
        if chunk.len() > max_size - body.len() {
            return Err(StreamableHttpError::ResponseBodyTooLarge { max_size });
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

/// The beginning of a body that is only shown.
async fn beginning(mut response: Response, max_size: usize) -> Vec<u8> {
    let mut body = Vec::new();
    while body.len() < max_size
        && let Ok(Some(chunk)) = response.chunk().await
    {
        body.extend_from_slice(&chunk);
    }
    body.truncate(max_size);
    body
}

fn event(data: String) -> Sse {
    Sse {
        data: Some(data),
        ..Sse::default()
    }
}

/// The events of a reply, each with a message that can be read.
fn events(
    response: Response,
    id: Option<RequestId>,
    max_size: usize,
) -> BoxStream<'static, Result<Sse, SseError>> {
    let bytes = in_characters(response.bytes_stream(), max_size);
    let events = SseStream::from_bytes_stream(bytes);
    let read = move |event: Result<Sse, SseError>| stream::iter(readable(event, id.as_ref()));
    events.flat_map(read).boxed()
}

/// An event with a message that can be read; several for a batch. One that is too long is the refusal of the request.
pub(crate) fn readable(
    given: Result<Sse, SseError>,
    id: Option<&RequestId>,
) -> Vec<Result<Sse, SseError>> {
    let given = match (given, id) {
        (Ok(given), _) => given,
        (Err(SseError::Body(error)), Some(id)) if is_too_long(error.as_ref()) => {
            let id = serde_json::to_value(id).unwrap_or_default();
            let said = refusal(&id, &error.to_string());
            return vec![Ok(event(String::from_utf8_lossy(&said).into_owned()))];
        }
        (error, _) => return vec![error],
    };
    let data = given.data.as_deref().unwrap_or_default();
    if data.trim().is_empty() {
        return vec![Ok(given)];
    }
    let messages = lines::messages(data.as_bytes(), id);
    let one = |data| Sse {
        data: Some(data),
        event: given.event.clone(),
        id: given.id.clone(),
        retry: given.retry,
    };
    messages.into_iter().map(|data| Ok(one(data))).collect()
}

fn is_too_long(error: &(dyn std::error::Error + 'static)) -> bool {
    let fault = error.downcast_ref::<Fault<reqwest::Error>>();
    matches!(fault, Some(Fault::TooLong(_)))
}
