//! Serves the pages to this machine.
//!
//! Who does not know the token in the path gets nothing; it is in the path because frames and event streams cannot send
//! a header. The content of a canvas knows a token of its own, which opens nothing but that content.

use std::convert::Infallible;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::stream;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full, Limited, StreamBody};
use hyper::body::{Frame, Incoming};
use hyper::header::{CONTENT_TYPE, HOST, HeaderName, HeaderValue, ORIGIN};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use serde::Deserialize;
use serde_json::Value;
use tenon_contract::{ErrorCode, ToolError, limits};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::canvases::Board;
use crate::page;
use crate::token::{is_same, token};

type Body = BoxBody<Bytes, Infallible>;

/// Longest time for the head of a request, and between requests.
const PATIENCE: Duration = Duration::from_secs(30);
/// How often a stream says that it is there.
const HEARTBEAT: Duration = Duration::from_secs(15);
/// Longest body of an event: one that is too large is counted, if it is no flood.
const BODY_MAX_BYTES: usize = 4 * limits::CANVAS_EVENT_MAX_BYTES;

/// Where the pages are.
#[derive(Debug, Clone)]
pub(crate) struct Address {
    port: u16,
    root: Arc<str>,
}

impl Address {
    pub(crate) fn host(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    fn origin(&self) -> String {
        format!("http://{}", self.host())
    }

    /// The page around a canvas.
    pub(crate) fn page(&self, id: &str) -> String {
        format!("{}/{}/{id}", self.origin(), self.root)
    }

    /// The content of a canvas.
    pub(crate) fn content(&self, token: &str) -> String {
        format!("{}/v/{token}", self.origin())
    }

    /// What is between the two.
    pub(crate) fn relay(&self, token: &str) -> String {
        format!("{}/relay", self.content(token))
    }
}

/// Serves until `over`.
pub(crate) async fn serve(
    board: Arc<Board>,
    over: CancellationToken,
) -> Result<Address, ToolError> {
    let failed = |error: std::io::Error| {
        let message = format!("The page cannot be served on this machine: {error}.");
        ToolError::new(ErrorCode::Unavailable, message).caused_by(error)
    };
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
        .await
        .map_err(failed)?;
    let address = Address {
        port: listener.local_addr().map_err(failed)?.port(),
        root: token()?.into(),
    };
    let site = Arc::new(Site {
        board,
        address: address.clone(),
        over,
    });
    tokio::spawn(accept(listener, site));
    Ok(address)
}

struct Site {
    board: Arc<Board>,
    address: Address,
    over: CancellationToken,
}

async fn accept(listener: TcpListener, site: Arc<Site>) {
    let room = Arc::new(Semaphore::new(limits::CANVAS_CONNECTIONS_MAX));
    loop {
        let client = tokio::select! {
            biased;
            () = site.over.cancelled() => return,
            accepted = listener.accept() => match accepted {
                Ok((client, _)) => client,
                // No descriptors are left for now.
                Err(_) => {
                    tokio::time::sleep(Duration::from_millis(50)).await;
                    continue;
                }
            },
        };
        // One more than fit is closed, so that who opens many keeps nobody waiting.
        let Ok(permit) = Arc::clone(&room).try_acquire_owned() else {
            continue;
        };
        let site = Arc::clone(&site);
        tokio::spawn(async move {
            tokio::select! {
                biased;
                () = site.over.cancelled() => {}
                () = connection(client, &site) => {}
            }
            drop(permit);
        });
    }
}

async fn connection(client: TcpStream, site: &Arc<Site>) {
    let service = service_fn(|request| {
        let site = Arc::clone(site);
        async move { Ok::<_, Infallible>(site.respond(request).await) }
    });
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(PATIENCE)
        .max_buf_size(64 * 1024)
        .serve_connection(TokioIo::new(client), service);
    // A client that goes away in the middle is no concern of anybody.
    let _ = served.await;
}

/// What an event is reported with.
#[derive(Deserialize)]
struct Reported {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    data: Value,
}

impl Site {
    async fn respond(&self, request: Request<Incoming>) -> Response<Body> {
        // A name that leads here by DNS is not this address.
        let hosts: Vec<_> = request.headers().get_all(HOST).iter().collect();
        let own = self.address.host();
        let is_own = matches!(hosts.as_slice(), [host] if host.as_bytes() == own.as_bytes());
        let is_absolute = request
            .uri()
            .authority()
            .is_some_and(|authority| authority.as_str() != own);
        if !is_own || is_absolute {
            return refusal(StatusCode::MISDIRECTED_REQUEST);
        }
        let path = request.uri().path().to_owned();
        let steps: Vec<&str> = path.split('/').skip(1).collect();
        let is_known = |root: &str| is_same(root, &self.address.root);
        match (request.method(), steps.as_slice()) {
            (&Method::GET, ["v", token]) => self.view(token),
            (&Method::GET, ["v", token, "relay"]) => self.relay(token),
            (_, [root, ..]) if !is_known(root) => refusal(StatusCode::NOT_FOUND),
            (&Method::GET, [_] | [_, ""]) => self.around(),
            (&Method::GET, [_, "live"]) if is_from_here(&request) => self.live(),
            (&Method::GET, [_, id]) if self.board.has(id) => self.around(),
            (&Method::GET, [_, id, "state"]) if is_from_here(&request) => {
                match self.board.state(id) {
                    Some(state) => json(StatusCode::OK, &state),
                    None => refusal(StatusCode::NOT_FOUND),
                }
            }
            (&Method::POST, [_, id, "events"]) => self.event(id, request).await,
            (&Method::GET, _) => refusal(StatusCode::NOT_FOUND),
            _ => refusal(StatusCode::METHOD_NOT_ALLOWED),
        }
    }

    /// The content, in an origin of its own even when it is opened by itself.
    fn view(&self, token: &str) -> Response<Body> {
        let Some(content) = self.board.content(token) else {
            return refusal(StatusCode::NOT_FOUND);
        };
        html(
            content.html,
            &format!("sandbox allow-scripts; {}", content.policy),
        )
    }

    /// The document whose policy lets the frame with the content lead nowhere else.
    fn relay(&self, view: &str) -> Response<Body> {
        let (Some(_), Ok(nonce)) = (self.board.content(view), token()) else {
            return refusal(StatusCode::NOT_FOUND);
        };
        let view = self.address.content(view);
        let policy = format!(
            "sandbox allow-scripts; default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; \
             frame-src {view}; base-uri 'none'; form-action 'none'"
        );
        html(page::relay(&view, &nonce), &policy)
    }

    fn around(&self) -> Response<Body> {
        let Ok(nonce) = token() else {
            return refusal(StatusCode::INTERNAL_SERVER_ERROR);
        };
        let policy = format!(
            "default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; connect-src 'self'; \
             frame-src {}/v/; base-uri 'none'; form-action 'none'",
            self.address.origin()
        );
        html(page::host(&nonce), &policy)
    }

    /// The state of all canvases, now and whenever it changes.
    fn live(&self) -> Response<Body> {
        let (board, address) = (Arc::clone(&self.board), self.address.clone());
        let mut changes = board.watch();
        changes.mark_changed();
        let events = stream::unfold(
            (board, address, changes),
            |(board, address, mut changes)| async move {
                let text = match tokio::time::timeout(HEARTBEAT, changes.changed()).await {
                    Ok(Ok(())) => format!("data: {}\n\n", board.overview(&address)),
                    Ok(Err(_)) => return None,
                    Err(_) => ": here\n\n".to_owned(),
                };
                Some((
                    Ok(Frame::data(Bytes::from(text))),
                    (board, address, changes),
                ))
            },
        );
        let mut response = response(StatusCode::OK, BodyExt::boxed(StreamBody::new(events)));
        set(
            &mut response,
            CONTENT_TYPE,
            "text/event-stream; charset=utf-8",
        );
        response
    }

    async fn event(&self, id: &str, request: Request<Incoming>) -> Response<Body> {
        let header = |name: HeaderName| {
            request
                .headers()
                .get(name)
                .and_then(|value| value.to_str().ok())
        };
        let is_json = header(CONTENT_TYPE).is_some_and(|kind| {
            kind.split(';').next().unwrap_or_default().trim() == "application/json"
        });
        if header(ORIGIN) != Some(self.address.origin().as_str()) || !is_from_here(&request) {
            return refusal(StatusCode::FORBIDDEN);
        }
        if !is_json {
            return refusal(StatusCode::UNSUPPORTED_MEDIA_TYPE);
        }
        let reading = tokio::time::timeout(
            PATIENCE,
            Limited::new(request.into_body(), BODY_MAX_BYTES).collect(),
        );
        let Ok(Ok(body)) = reading.await else {
            return refusal(StatusCode::PAYLOAD_TOO_LARGE);
        };
        let Ok(Reported { kind, data }) = serde_json::from_slice(&body.to_bytes()) else {
            return refusal(StatusCode::BAD_REQUEST);
        };
        match self.board.report(id, &kind, data) {
            None => refusal(StatusCode::NOT_FOUND),
            Some(Ok(())) => json(StatusCode::OK, &Value::Object(serde_json::Map::new())),
            Some(Err(crate::events::Dropped::TooMany)) => refusal(StatusCode::TOO_MANY_REQUESTS),
            Some(Err(crate::events::Dropped::TooLarge)) => refusal(StatusCode::PAYLOAD_TOO_LARGE),
        }
    }
}

/// Whether a browser says that a page of this very server asks; what is not a browser says nothing.
fn is_from_here(request: &Request<Incoming>) -> bool {
    let said = request.headers().get("sec-fetch-site");
    said.is_none_or(|site| site.as_bytes() == b"same-origin")
}

fn html(text: String, policy: &str) -> Response<Body> {
    let mut response = response(StatusCode::OK, whole(text));
    set(&mut response, CONTENT_TYPE, "text/html; charset=utf-8");
    set(
        &mut response,
        hyper::header::CONTENT_SECURITY_POLICY,
        policy,
    );
    response
}

fn json(status: StatusCode, value: &Value) -> Response<Body> {
    let mut response = response(status, whole(value.to_string()));
    set(&mut response, CONTENT_TYPE, "application/json");
    response
}

fn refusal(status: StatusCode) -> Response<Body> {
    let reason = status.canonical_reason().unwrap_or("Refused");
    let mut response = response(status, whole(format!("{reason}\n")));
    set(&mut response, CONTENT_TYPE, "text/plain; charset=utf-8");
    response
}

fn whole(text: String) -> Body {
    Full::new(Bytes::from(text)).boxed()
}

fn response(status: StatusCode, body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    for (name, value) in [
        ("cache-control", "no-store"),
        ("referrer-policy", "no-referrer"),
        ("x-content-type-options", "nosniff"),
        ("cross-origin-resource-policy", "same-origin"),
        (
            "permissions-policy",
            "camera=(), microphone=(), geolocation=(), display-capture=(), usb=(), serial=(), hid=(), midi=(), payment=()",
        ),
    ] {
        let name = HeaderName::from_static(name);
        response
            .headers_mut()
            .insert(name, HeaderValue::from_static(value));
    }
    response
}

fn set(response: &mut Response<Body>, name: HeaderName, value: &str) {
    // Origins are ASCII without control characters, so that every value is one; without it nothing is loaded at all.
    let value = HeaderValue::from_str(value)
        .unwrap_or(HeaderValue::from_static("default-src 'none'; sandbox"));
    response.headers_mut().insert(name, value);
}
