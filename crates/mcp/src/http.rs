//! A server at an address: every request goes through the guarded client.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::{self, BoxStream};
use http::{HeaderName, HeaderValue};
use rmcp::model::ClientJsonRpcMessage;
use rmcp::transport::auth::{
    OAuthHttpClient, OAuthHttpClientError, OAuthHttpClientFuture, OAuthHttpRedirectPolicy,
    OAuthHttpRequest,
};
use rmcp::transport::streamable_http_client::{
    SseError, StreamableHttpClient, StreamableHttpClientTransportConfig, StreamableHttpError,
    StreamableHttpPostResponse, StreamableHttpResponseLimits,
};
use sse_stream::Sse;
use tenon_contract::{ErrorCode, ToolError};
use tenon_web::{AllowedHosts, Guard, Transport, WebUrl, block_of};

use crate::error::{failed, words};
use crate::host::ServerContext;
use crate::post::{Post, readable};

pub(crate) type Answer<T> = Result<T, StreamableHttpError<reqwest::Error>>;

/// Sends what the protocol library wants sent, if the guard lets it.
#[derive(Clone)]
pub(crate) struct Guarded(Transport);

impl fmt::Debug for Guarded {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Guarded").field(&self.0).finish()
    }
}

/// The address of a server, checked.
pub(crate) fn address(server: &str, url: &str) -> Result<WebUrl, ToolError> {
    WebUrl::parse(url).map_err(|refusal| {
        let reason = words(&refusal.to_string());
        let message = format!("`mcpServers.{server}.url` is not valid: {reason}.");
        failed(server, ErrorCode::InvalidParams, message)
    })
}

impl Guarded {
    /// Reaches the server at `url`, which the host has named, and what is public.
    pub(crate) fn to(context: &ServerContext, url: &WebUrl) -> Self {
        let opened = AllowedHosts::of([url]).and(&context.allowed);
        Self((context.transport)(Guard::new(opened)))
    }

    /// Reaches what takes part in the authorisation at that server: what is public; the server itself; and where that
    /// is on this machine, what else is.
    pub(crate) fn of_authorization(context: &ServerContext, url: &WebUrl) -> Self {
        let opened = AllowedHosts::of([url]).and(&context.allowed);
        let guard = Guard::new(opened);
        let address = url.literal().and_then(block_of);
        let is_here =
            url.host() == "localhost" || address.is_some_and(|block| block.name == "loopback");
        let guard = if is_here {
            guard.with_loopback()
        } else {
            guard
        };
        Self((context.transport)(guard))
    }

    async fn client(&self, uri: &str) -> Answer<reqwest::Client> {
        let refused = |reason: String| StreamableHttpError::Io(std::io::Error::other(reason));
        let url = WebUrl::parse(uri).map_err(|refusal| refused(refusal.to_string()))?;
        let client = self.0.client_for(&url).await;
        client.map_err(|error| refused(error.to_string()))
    }
}

/// How the protocol library is to speak with the server.
pub(crate) fn config(
    server: &str,
    url: &str,
    headers: &BTreeMap<String, String>,
) -> Result<StreamableHttpClientTransportConfig, ToolError> {
    let wrong = |name: &str| {
        let message = format!(
            "`mcpServers.{server}.headers` has the header `{}`, which cannot be sent. Correct its name or its value.",
            words(name)
        );
        failed(server, ErrorCode::InvalidParams, message)
    };
    let mut given = HashMap::new();
    for (name, value) in headers {
        let header = HeaderName::from_bytes(name.as_bytes()).map_err(|_| wrong(name))?;
        let mut value = HeaderValue::from_str(value).map_err(|_| wrong(name))?;
        value.set_sensitive(true);
        given.insert(header, value);
    }
    Ok(StreamableHttpClientTransportConfig::with_uri(url)
        .custom_headers(given)
        .reinit_on_expired_session(true))
}

impl StreamableHttpClient for Guarded {
    type Error = reqwest::Error;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        auth_header: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
    ) -> Answer<StreamableHttpPostResponse> {
        let limits = StreamableHttpResponseLimits::default();
        self.post_message_with_response_limits(
            uri,
            message,
            session_id,
            auth_header,
            custom_headers,
            limits,
        )
        .await
    }

    async fn post_message_with_response_limits(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        auth_header: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
        limits: StreamableHttpResponseLimits,
    ) -> Answer<StreamableHttpPostResponse> {
        let client = self.client(&uri).await?;
        let post = Post {
            uri,
            message,
            session_id,
            auth_header,
            custom_headers,
            limits,
        };
        post.send(&client).await.map_err(unredirected)
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session_id: Arc<str>,
        auth_header: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
    ) -> Answer<()> {
        let client = self.client(&uri).await?;
        client
            .delete_session(uri, session_id, auth_header, custom_headers)
            .await
    }

    fn get_stream(
        &self,
        uri: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        auth_header: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
    ) -> impl Future<Output = Answer<BoxStream<'static, Result<Sse, SseError>>>> + Send + '_ {
        let max = StreamableHttpResponseLimits::default().max_sse_event_size;
        self.get_stream_with_max_sse_event_size(
            uri,
            session_id,
            last_event_id,
            auth_header,
            custom_headers,
            max,
        )
    }

    async fn get_stream_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        auth_header: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
        max_sse_event_size: usize,
    ) -> Answer<BoxStream<'static, Result<Sse, SseError>>> {
        let client = self.client(&uri).await?;
        let events = client
            .get_stream_with_max_sse_event_size(
                uri,
                session_id,
                last_event_id,
                auth_header,
                custom_headers,
                max_sse_event_size,
            )
            .await?;
        let read = |event| stream::iter(readable(event, None));
        Ok(events.flat_map(read).boxed())
    }
}

/// Longest answer of an authorisation server.
const AUTHORIZATION_MAX_BYTES: usize = 1024 * 1024;
/// How long it may take.
const AUTHORIZATION_TIMEOUT: Duration = Duration::from_secs(30);
/// Most redirects of one request.
const REDIRECTS_MAX: usize = 5;

impl OAuthHttpClient for Guarded {
    fn execute(&self, request: OAuthHttpRequest) -> OAuthHttpClientFuture<'_> {
        Box::pin(async move {
            let limit = request.timeout.unwrap_or(AUTHORIZATION_TIMEOUT);
            let follows = request.redirect_policy == OAuthHttpRedirectPolicy::Follow;
            let sent = self.send_authorization(request.request, follows);
            match tokio::time::timeout(limit.min(AUTHORIZATION_TIMEOUT), sent).await {
                Ok(answer) => answer,
                Err(_) => Err("it did not answer in time".into()),
            }
        })
    }
}

impl Guarded {
    async fn send_authorization(
        &self,
        request: http::Request<Vec<u8>>,
        follows: bool,
    ) -> Result<http::Response<Vec<u8>>, OAuthHttpClientError> {
        let (parts, body) = request.into_parts();
        let mut url = WebUrl::parse(&parts.uri.to_string())?;
        for _ in 0..=REDIRECTS_MAX {
            let client = self.0.client_for(&url).await?;
            let sent = client
                .request(parts.method.clone(), url.as_url().clone())
                .headers(parts.headers.clone())
                .body(body.clone())
                .send();
            let mut answer = sent.await?;
            let location = answer.headers().get(http::header::LOCATION);
            let location = location.and_then(|place| place.to_str().ok());
            if let Some(location) = location.filter(|_| {
                follows && answer.status().is_redirection() && parts.method == http::Method::GET
            }) {
                url = url.join(location)?;
                continue;
            }
            let mut whole = http::Response::builder().status(answer.status());
            if let Some(headers) = whole.headers_mut() {
                headers.clone_from(answer.headers());
            }
            let mut bytes = Vec::new();
            while let Some(chunk) = answer.chunk().await? {
                if bytes.len() + chunk.len() > AUTHORIZATION_MAX_BYTES {
                    return Err("its answer is longer than 1 MB".into());
                }
                bytes.extend_from_slice(&chunk);
            }
            return Ok(whole.body(bytes)?);
        }
        Err("it redirects too often".into())
    }
}

/// A server that moved is not followed: its headers are for the address that the host has named.
fn unredirected(error: StreamableHttpError<reqwest::Error>) -> StreamableHttpError<reqwest::Error> {
    match error {
        StreamableHttpError::UnexpectedServerResponse(text) if text.starts_with("HTTP 3") => {
            StreamableHttpError::UnexpectedServerResponse(Cow::Borrowed(
                "it redirects to another address, which is not followed. Write that address as `url`",
            ))
        }
        other => other,
    }
}
