//! The connection routine, the only one: every request of the product passes here.

use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::{Method, redirect, retry};
use rustls::ClientConfig;
use rustls::pki_types::CertificateDer;
use tenon_contract::limits;
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::answer::OpenAnswer;
use super::coding::{Coding, codings, undo};
use super::outgoing::Outgoing;
use super::response::{Missing, Response, is_redirect};
use super::through;
use crate::address::{Guard, WebUrl, block_of};
use crate::error::{WebError, deepest};
use crate::resolver::Resolver;
use crate::tls;
use crate::upstream::{Connection, Resolution, Target, Upstream};

/// Bodies that are at most this long are unpacked where they are; longer ones on a thread of their own.
const UNPACK_HERE_MAX_BYTES: usize = 32 * 1024;

const NOT_IN_TIME: &str = "no connection could be made in time";

/// Counts the bytes of a body while they come.
#[derive(Debug, Clone, Default)]
pub struct Received(Arc<AtomicU64>);

impl Received {
    /// Bytes so far, codings not undone.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    fn add(&self, bytes: usize) {
        self.0.fetch_add(bytes as u64, Ordering::Relaxed);
    }
}

/// Sends requests to checked addresses. Knows no redirects, no cookies, no proxies of the environment.
#[derive(Clone)]
pub struct Transport {
    guard: Guard,
    resolver: Arc<dyn Resolver>,
    authorities: Arc<[CertificateDer<'static>]>,
    upstream: Option<Arc<Upstream>>,
}

/// The way to a host.
enum Route<'a> {
    /// Straight to one of these addresses, which were checked.
    Direct(Vec<SocketAddr>),
    /// Through the host's proxy.
    Through(&'a Upstream, Target),
}

impl fmt::Debug for Transport {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Transport")
            .field("guard", &self.guard)
            .field("upstream", &self.upstream)
            .finish_non_exhaustive()
    }
}

impl Transport {
    /// Sends what the guard lets through, to addresses that the resolver names.
    #[must_use]
    pub fn new(guard: Guard, resolver: Arc<dyn Resolver>) -> Self {
        Self {
            guard,
            resolver,
            authorities: Arc::from([]),
            upstream: None,
        }
    }

    /// The same through a proxy. Servers that the host opened and whose addresses are not public are asked without it:
    /// from where the proxy stands they would be others.
    #[must_use]
    pub fn through(mut self, upstream: Option<Arc<Upstream>>) -> Self {
        self.upstream = upstream;
        self
    }

    /// The same, trusting these certificate authorities besides those of the system.
    #[must_use]
    pub fn with_authorities(mut self, authorities: Vec<CertificateDer<'static>>) -> Self {
        self.authorities = authorities.into();
        self
    }

    /// What is asked before anything is sent.
    #[must_use]
    pub fn guard(&self) -> &Guard {
        &self.guard
    }

    /// Sends one request and reads its answer, at most `max_bytes` of its body. The body of a redirect is not read,
    /// nor that of an answer which `wants_body` turns down by its headers.
    pub(crate) async fn send(
        &self,
        outgoing: Outgoing,
        max_bytes: usize,
        received: &Received,
        wants_body: fn(&Response) -> bool,
    ) -> Result<Response, WebError> {
        let url = outgoing.url.clone();
        let is_head = outgoing.method == Method::HEAD;
        let mut answer = match self.route(&url).await? {
            Route::Direct(addresses) => self.ask(outgoing, addresses).await?,
            Route::Through(upstream, target) => {
                through::ask(upstream, &target, outgoing, &self.authorities).await?
            }
        };
        let mut response = Response {
            url: url.clone(),
            status: answer.status(),
            headers: answer.take_headers(),
            body: Vec::new(),
            missing: None,
        };
        check_headers(&response)?;
        if is_head || is_redirect(response.status) || matches!(response.status, 204 | 304) {
            return Ok(response);
        }
        if !wants_body(&response) {
            response.missing = Some(Missing::Unread);
            return Ok(response);
        }
        let (body, missing) = read(&mut answer, max_bytes, received)
            .await
            .map_err(|reason| WebError::Failed {
                url: url.to_string(),
                reason,
            })?;
        fill(response, body, missing, max_bytes).await
    }

    /// Sends a request straight to one of these addresses.
    async fn ask(
        &self,
        outgoing: Outgoing,
        addresses: Vec<SocketAddr>,
    ) -> Result<OpenAnswer, WebError> {
        let url = outgoing.url;
        let client = self.client(&url, addresses.clone()).await?;
        let mut request = client
            .request(outgoing.method, url.as_url().clone())
            .headers(outgoing.headers);
        if let Some(body) = outgoing.body {
            request = request.body(body);
        }
        let answer = request.send().await.map_err(|error| WebError::Failed {
            url: url.to_string(),
            reason: reason(error),
        })?;
        // The pinned resolver leaves no other way; this is the proof that it held.
        if !answer
            .remote_addr()
            .is_some_and(|peer| addresses.contains(&peer))
        {
            return Err(WebError::Internal(format!(
                "`{url}` was answered by an address that was not checked"
            )));
        }
        Ok(OpenAnswer::Direct(answer))
    }

    /// A client that reaches the server of this address and nothing else, for protocols that speak HTTP themselves. It
    /// follows no redirects. A proxy is given the name that was checked here.
    ///
    /// # Errors
    /// As for a request: what the guard refuses, and names that cannot be resolved.
    pub async fn client_for(&self, url: &WebUrl) -> Result<reqwest::Client, WebError> {
        let made = |error: reqwest::Error| WebError::Internal(deepest(&error));
        match self.route(url).await? {
            Route::Direct(addresses) => self.builder(url, addresses).await?.no_proxy(),
            // The proxy is a server that the host has named.
            Route::Through(upstream, _) => {
                let proxy = upstream.as_proxy().map_err(made)?;
                self.plain_builder(url).await?.proxy(proxy)
            }
        }
        .build()
        .map_err(made)
    }

    /// A connection to the host of an address, for whatever is to be said there.
    pub(crate) async fn connect(&self, url: &WebUrl) -> Result<Connection, WebError> {
        let failed = |reason: String| WebError::Failed {
            url: url.to_string(),
            reason,
        };
        match self.route(url).await? {
            Route::Direct(addresses) => {
                let connecting = TcpStream::connect(addresses.as_slice());
                let connected = timeout(limits::WEB_CONNECT_TIMEOUT, connecting).await;
                let stream = connected
                    .map_err(|_| failed(NOT_IN_TIME.to_owned()))?
                    .map_err(|error| failed(deepest(&error)))?;
                Ok(Box::new(stream))
            }
            Route::Through(upstream, target) => upstream
                .tunnel(url, &target, &self.authorities)
                .await
                .map_err(|reason| WebError::proxy(url, &target, reason)),
        }
    }

    /// The way to a host, which is judged before anything is sent.
    async fn route(&self, url: &WebUrl) -> Result<Route<'_>, WebError> {
        let Some(upstream) = self.upstream.as_deref() else {
            return self.addresses(url).await.map(Route::Direct);
        };
        let finds_by_itself = upstream.resolution() == Resolution::Proxy;
        if finds_by_itself && !self.guard.opens(url) {
            self.guard.check(url)?;
            return Ok(Route::Through(upstream, Target::Named));
        }
        match self.addresses(url).await {
            Ok(addresses)
                if addresses
                    .iter()
                    .any(|address| block_of(address.ip()).is_some()) =>
            {
                Ok(Route::Direct(addresses))
            }
            Ok(_) | Err(WebError::Unresolved { .. }) if finds_by_itself => {
                Ok(Route::Through(upstream, Target::Named))
            }
            Ok(addresses) => Ok(Route::Through(upstream, Target::Checked(addresses))),
            Err(error) => Err(error),
        }
    }

    /// The addresses to connect to: checked, every one.
    async fn addresses(&self, url: &WebUrl) -> Result<Vec<SocketAddr>, WebError> {
        self.guard.check(url)?;
        let answers: Vec<IpAddr> = match url.literal() {
            Some(address) => vec![address],
            None => {
                let unresolved = |reason: String| WebError::Unresolved {
                    host: url.host().to_owned(),
                    reason,
                };
                let answers = self.resolver.resolve(url.host().to_owned()).await;
                let answers = answers.map_err(unresolved)?;
                if answers.is_empty() {
                    return Err(unresolved("it has no address".to_owned()));
                }
                answers
            }
        };
        Ok(self.guard.admit(url, &answers)?)
    }

    /// A client for this host and these addresses alone; its connection is used once.
    async fn client(
        &self,
        url: &WebUrl,
        addresses: Vec<SocketAddr>,
    ) -> Result<reqwest::Client, WebError> {
        let builder = self.builder(url, addresses).await?;
        builder
            .build()
            .map_err(|error| WebError::Internal(deepest(&error)))
    }

    async fn builder(
        &self,
        url: &WebUrl,
        addresses: Vec<SocketAddr>,
    ) -> Result<reqwest::ClientBuilder, WebError> {
        let pinned = Pinned {
            host: url.host().to_owned(),
            addresses,
        };
        let builder = self.plain_builder(url).await?;
        Ok(builder.dns_resolver(pinned).no_proxy())
    }

    async fn plain_builder(&self, url: &WebUrl) -> Result<reqwest::ClientBuilder, WebError> {
        let config = self.tls(url).await.map_err(WebError::Internal)?;
        Ok(reqwest::Client::builder()
            .tls_backend_preconfigured(config)
            .redirect(redirect::Policy::none())
            .retry(retry::never())
            .referer(false)
            .connect_timeout(limits::WEB_CONNECT_TIMEOUT)
            .pool_max_idle_per_host(0)
            .http1_max_headers(limits::WEB_HEADERS_MAX)
            .http1_allow_obsolete_multiline_headers_in_responses(true)
            .http2_max_header_list_size(limits::WEB_HEADERS_MAX_BYTES as u32))
    }

    /// Reading the authorities of the system takes milliseconds, once.
    async fn tls(&self, url: &WebUrl) -> Result<ClientConfig, String> {
        if !url.is_secure() {
            return tls::none();
        }
        let authorities = self.authorities.clone();
        let work = tokio::task::spawn_blocking(move || tls::config(&authorities));
        let config = work.await.map_err(|error| error.to_string())??;
        Ok(ClientConfig::clone(&config))
    }
}

/// Answers for one host with what was checked, and for nothing else.
struct Pinned {
    host: String,
    addresses: Vec<SocketAddr>,
}

impl Resolve for Pinned {
    fn resolve(&self, name: Name) -> Resolving {
        let answer = if name.as_str().eq_ignore_ascii_case(&self.host) {
            Ok(Box::new(self.addresses.clone().into_iter()) as Addrs)
        } else {
            Err(format!("`{}` was not checked", name.as_str()).into())
        };
        Box::pin(async move { answer })
    }
}

fn check_headers(response: &Response) -> Result<(), WebError> {
    let bytes: usize = response
        .headers
        .iter()
        .map(|(name, value)| name.as_str().len() + value.len() + 4)
        .sum();
    if bytes > limits::WEB_HEADERS_MAX_BYTES {
        return Err(WebError::Headers {
            url: response.url.to_string(),
            limit: limits::WEB_HEADERS_MAX_BYTES,
        });
    }
    Ok(())
}

/// Reads a body up to the limit. One that breaks off counts as far as it came.
async fn read(
    answer: &mut OpenAnswer,
    max_bytes: usize,
    received: &Received,
) -> Result<(Vec<u8>, Option<Missing>), String> {
    let mut body = Vec::new();
    loop {
        match answer.chunk().await {
            Ok(Some(chunk)) => {
                received.add(chunk.len());
                let room = max_bytes - body.len();
                if chunk.len() > room {
                    body.extend_from_slice(chunk.get(..room).unwrap_or_default());
                    return Ok((body, Some(Missing::Limit)));
                }
                body.extend_from_slice(&chunk);
            }
            Ok(None) => return Ok((body, None)),
            Err(reason) if body.is_empty() => return Err(reason),
            Err(reason) => return Ok((body, Some(Missing::Lost(reason)))),
        }
    }
}

/// Puts the body into an answer, its codings undone.
async fn fill(
    mut response: Response,
    body: Vec<u8>,
    mut missing: Option<Missing>,
    max_bytes: usize,
) -> Result<Response, WebError> {
    let coding = |problem: String| WebError::Coding {
        url: response.url.to_string(),
        problem,
    };
    let codings = codings(&response.headers).map_err(coding)?;
    let undone = unpack(body, codings, max_bytes).await?;
    if let Some(damage) = undone.damage {
        if undone.bytes.is_empty() {
            return Err(coding(damage));
        }
        missing = missing.or(Some(Missing::Lost(damage)));
    }
    if undone.cut {
        missing = Some(Missing::Limit);
    }
    response.body = undone.bytes;
    response.missing = missing;
    Ok(response)
}

async fn unpack(
    body: Vec<u8>,
    codings: Vec<Coding>,
    max_bytes: usize,
) -> Result<super::coding::Undone, WebError> {
    if codings.is_empty() || body.len() <= UNPACK_HERE_MAX_BYTES && codings.len() == 1 {
        return Ok(undo(body, &codings, max_bytes));
    }
    tokio::task::spawn_blocking(move || undo(body, &codings, max_bytes))
        .await
        .map_err(|error| WebError::Internal(error.to_string()))
}

/// The deepest cause; addresses are identified by the error around it.
pub(super) fn reason(error: reqwest::Error) -> String {
    let timed_out = error.is_connect() && error.is_timeout();
    if timed_out {
        return NOT_IN_TIME.to_owned();
    }
    deepest(&error.without_url())
}
