//! The way of a page: cache, request, redirects.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use tenon_contract::{ToolContext, ToolError, limits};

use super::cache::{AddressFacts, Cache, CacheLimits, Key};
use super::clock::Clock;
use super::in_flight::{Flight, InFlight};
use super::spec::RequestSpec;
use super::validators;
use crate::address::WebUrl;
use crate::error::WebError;
use crate::page::{self, Document};
use crate::request::{Outgoing, Received, Response, Transport};

/// How often a waiting call is notified how far its page has come.
const REPORT_INTERVAL: Duration = Duration::from_millis(500);

/// In which forms a page is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Accept {
    /// Markdown where the server has it, else HTML: for reading.
    Text,
    /// HTML: for its source.
    Html,
}

impl Accept {
    fn header(self) -> &'static str {
        match self {
            Self::Text => {
                "text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, text/plain;q=0.8, application/json;q=0.8, */*;q=0.5"
            }
            Self::Html => "text/html, application/xhtml+xml;q=0.9, */*;q=0.5",
        }
    }
}

/// The bounds of fetching.
#[derive(Debug, Clone, Copy)]
pub struct FetchSettings {
    /// Time limit of one fetch, redirects included.
    pub timeout: Duration,
    /// Most bytes of one body, on the wire and unpacked.
    pub max_bytes: usize,
    /// How long a page is answered from memory; zero for never.
    pub cache_ttl: Duration,
}

impl Default for FetchSettings {
    fn default() -> Self {
        Self {
            timeout: limits::WEB_TIMEOUT,
            max_bytes: limits::WEB_BODY_MAX_BYTES,
            cache_ttl: limits::WEB_CACHE_TTL,
        }
    }
}

/// An answer with what was read out of it, once.
#[derive(Debug)]
pub(super) struct ParsedAnswer {
    response: Response,
    document: Mutex<Option<Arc<Document>>>,
}

impl ParsedAnswer {
    pub(super) fn response(&self) -> &Response {
        &self.response
    }
}

/// A page that was reached.
#[derive(Debug, Clone)]
pub struct Fetched {
    /// The address that was asked.
    pub url: WebUrl,
    last: WebUrl,
    page: Arc<ParsedAnswer>,
}

impl Fetched {
    /// The last answer.
    #[must_use]
    pub fn response(&self) -> &Response {
        &self.page.response
    }

    /// The address that answered in the end, with its fragment.
    #[must_use]
    pub fn final_url(&self) -> &WebUrl {
        &self.last
    }

    /// The decoded body as it stands, with what cannot be seen escaped.
    ///
    /// # Errors
    /// A body that is no text.
    pub async fn source(&self) -> Result<String, ToolError> {
        let page = self.page.clone();
        let read =
            tokio::task::spawn_blocking(move || page::source(&page.response).map(|(text, _)| text));
        read.await.map_err(ToolError::internal)?
    }

    /// What the page says. Read once, however often it is asked for.
    ///
    /// # Errors
    /// A kind of content that cannot be read.
    pub async fn document(&self) -> Result<Arc<Document>, ToolError> {
        if let Some(document) = lock(&self.page.document).clone() {
            return Ok(document);
        }
        let page = self.page.clone();
        let read = tokio::task::spawn_blocking(move || page::read(&page.response));
        let document = Arc::new(read.await.map_err(ToolError::internal)??);
        *lock(&self.page.document) = Some(document.clone());
        Ok(document)
    }
}

/// Fetches pages.
#[derive(Debug)]
pub struct Fetcher {
    transport: Transport,
    settings: FetchSettings,
    cache: Arc<Mutex<Cache>>,
    flights: InFlight,
}

impl Fetcher {
    /// Fetches over this transport.
    #[must_use]
    pub fn new(transport: Transport, settings: FetchSettings) -> Self {
        let limits = CacheLimits {
            ttl: settings.cache_ttl,
            max_bytes: limits::WEB_CACHE_MAX_BYTES,
            max_pages: limits::WEB_CACHE_MAX_PAGES,
        };
        Self {
            transport,
            settings,
            cache: Arc::new(Mutex::new(Cache::new(limits))),
            flights: InFlight::default(),
        }
    }

    /// The transport below.
    #[must_use]
    pub fn transport(&self) -> &Transport {
        &self.transport
    }

    /// The bounds.
    #[must_use]
    pub fn settings(&self) -> &FetchSettings {
        &self.settings
    }

    /// The address that a text names, if the guard lets it through.
    ///
    /// # Errors
    /// A text that is no web address, an address that may not be asked.
    pub fn admit(&self, text: &str) -> Result<WebUrl, WebError> {
        let url = WebUrl::parse(text)?;
        self.transport.guard().check(&url)?;
        Ok(url)
    }

    /// Fetches a page and follows where it leads. Every hop passes the guard, then the judge of the call.
    /// `report` hears of the bytes that have come while they come.
    ///
    /// # Errors
    /// Refusals, failures, the time limit. A status of 400 and above is no error here.
    pub async fn fetch(
        &self,
        url: &WebUrl,
        accept: Accept,
        context: &ToolContext,
        report: &(dyn Fn(&WebUrl, u64) + Send + Sync),
    ) -> Result<Fetched, ToolError> {
        let mut clock = Clock::new(self.settings.timeout);
        let mut seen = vec![url.without_fragment()];
        let mut current = url.clone();
        loop {
            let page = self.hop(&current, accept, &mut clock, report).await?;
            let Some(next) = next_hop(&page.response, &current)? else {
                return Ok(Fetched {
                    url: url.clone(),
                    last: current,
                    page,
                });
            };
            check_way(&mut seen, url, &next)?;
            self.transport
                .guard()
                .check(&next)
                .map_err(WebError::from)?;
            context.judge_hop(&current.claim(), &next.claim()).await?;
            current = next;
        }
    }

    /// Sends a request of any method, past the cache, and follows where it may. Every hop passes the guard, then the
    /// judge of the call.
    ///
    /// # Errors
    /// Refusals, failures, the time limit. No status is an error here.
    pub async fn request(
        &self,
        spec: RequestSpec,
        context: &ToolContext,
    ) -> Result<Response, ToolError> {
        let mut clock = Clock::new(self.settings.timeout);
        let first = spec.url().clone();
        let mut seen = vec![first.without_fragment()];
        let mut spec = spec;
        loop {
            let received = Received::default();
            let outgoing = spec.outgoing.clone();
            let sent = self
                .transport
                .send(outgoing, self.settings.max_bytes, &received, |_| true);
            let response = clock.run(sent).await.ok_or_else(|| WebError::Timeout {
                url: spec.url().to_string(),
                limit_ms: clock.limit_ms(),
                received: received.bytes(),
            })??;
            let Some(location) = response.location() else {
                return Ok(response);
            };
            let next = spec.url().join(&location).map_err(WebError::from)?;
            let Some(redirected) = spec.redirected(response.status, next.clone()) else {
                return Ok(response);
            };
            // A form that leads back to its own page is no circle: the page is asked in another way.
            if redirected.method() == spec.method() {
                check_way(&mut seen, &first, &next)?;
            }
            self.transport
                .guard()
                .check(&next)
                .map_err(WebError::from)?;
            context
                .judge_hop(&spec.url().claim(), &next.claim())
                .await?;
            spec = redirected;
        }
    }

    /// One answer, from memory, from a request that is on its way, or from a new one.
    async fn hop(
        &self,
        url: &WebUrl,
        accept: Accept,
        clock: &mut Clock,
        report: &(dyn Fn(&WebUrl, u64) + Send + Sync),
    ) -> Result<Arc<ParsedAnswer>, WebError> {
        let key = (url.without_fragment(), accept);
        let stale = match lock(&self.cache).find(&key) {
            AddressFacts::Fresh(page) => return Ok(page),
            AddressFacts::Stale(page) => Some(page),
            AddressFacts::Nothing => None,
        };
        let flight = self
            .flights
            .join(&key, |received| self.start(key.clone(), stale, received));
        let Flight { answer, received } = flight;
        let waiting = async {
            tokio::pin!(answer);
            loop {
                tokio::select! {
                    biased;
                    answer = &mut answer => return answer,
                    () = tokio::time::sleep(REPORT_INTERVAL) => report(url, received.bytes()),
                }
            }
        };
        let limit_ms = clock.limit_ms();
        match clock.run(waiting).await {
            Some(answer) => answer,
            None => Err(WebError::Timeout {
                url: url.to_string(),
                limit_ms,
                received: received.bytes(),
            }),
        }
    }

    fn start(
        &self,
        key: Key,
        stale: Option<Arc<ParsedAnswer>>,
        received: Received,
    ) -> BoxFuture<'static, Result<Arc<ParsedAnswer>, WebError>> {
        let transport = self.transport.clone();
        let cache = self.cache.clone();
        let max_bytes = self.settings.max_bytes;
        async move {
            let (url, accept) = &key;
            let mut outgoing = Outgoing::get(url.clone(), accept.header());
            let stale = stale.filter(|page| validators::add(&page.response, &mut outgoing.headers));
            let response = transport
                .send(outgoing, max_bytes, &received, page::can_be_read)
                .await?;
            let page = match stale {
                Some(page) if response.status == 304 => page,
                _ => Arc::new(ParsedAnswer {
                    response,
                    document: Mutex::default(),
                }),
            };
            if validators::may_keep(&page.response) {
                lock(&cache).keep(key, page.clone());
            } else {
                lock(&cache).forget(&key);
            }
            Ok(page)
        }
        .boxed()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Where an answer leads: by its status, or by a refresh in its head.
fn next_hop(response: &Response, current: &WebUrl) -> Result<Option<WebUrl>, WebError> {
    if let Some(location) = response.location() {
        return Ok(Some(current.join(&location)?));
    }
    let Some(target) = page::refresh_target(response) else {
        return Ok(None);
    };
    // What is no web address is no refresh to browsers either: the page stays.
    let is_web = current
        .as_url()
        .join(&target)
        .is_ok_and(|next| matches!(next.scheme(), "http" | "https"));
    if !is_web {
        return Ok(None);
    }
    let next = current.join(&target)?;
    // A page that reloads itself is where it wants to be.
    Ok((next.without_fragment() != current.without_fragment()).then_some(next))
}

/// Bounds the way: no circles, no endless chains.
fn check_way(seen: &mut Vec<WebUrl>, first: &WebUrl, next: &WebUrl) -> Result<(), WebError> {
    let bare = next.without_fragment();
    if seen.contains(&bare) {
        return Err(WebError::Circle {
            url: first.to_string(),
            again: next.to_string(),
        });
    }
    if seen.len() > limits::WEB_REDIRECTS_MAX {
        return Err(WebError::Redirects {
            url: first.to_string(),
            limit: limits::WEB_REDIRECTS_MAX,
            last: next.to_string(),
        });
    }
    seen.push(bare);
    Ok(())
}
