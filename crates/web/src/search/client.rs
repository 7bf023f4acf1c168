//! Asks a provider: attempts, pauses, filters.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use reqwest::header::RETRY_AFTER;
use serde_json::Value;
use tenon_contract::{ErrorCode, ToolError, limits};
use url::Url;

use super::provider::{Protocol, ProviderSettings};
use super::snippet::tidy;
use super::{HostSearch, HostSearchRequest, SearchAnswer, SearchQuery, SearchResult};
use crate::address::{AllowedHosts, Guard, WebUrl};
use crate::error::WebError;
use crate::fetch::Clock;
use crate::http_date;
use crate::request::{Outgoing, Received, Response, Transport};
use crate::resolver::SystemResolver;
use crate::upstream::Upstream;
use crate::visible;

/// Why a search failed. No variant holds a key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SearchError {
    /// The provider refused or failed.
    #[error("The search provider `{provider}` returned status {status}: {meaning}.{said}")]
    Status {
        /// The provider.
        provider: String,
        /// The status.
        status: u16,
        /// What it means.
        meaning: String,
        /// The beginning of what it said, behind a space; empty when it said nothing.
        said: String,
        /// The pause that it asked for, in seconds.
        retry_after: Option<u64>,
    },
    /// No answer came.
    #[error("The request to the search provider `{provider}` failed: {reason}. Try again later.")]
    Failed {
        /// The provider.
        provider: String,
        /// Why.
        reason: String,
    },
    /// The time limit was reached.
    #[error(
        "The search provider `{provider}` did not answer within {limit_ms} ms. Try again later."
    )]
    Timeout {
        /// The provider.
        provider: String,
        /// The limit, in milliseconds.
        limit_ms: u64,
    },
    /// An answer in another form than the documented one.
    #[error("The search provider `{provider}` returned an unexpected response: {problem}.")]
    Form {
        /// The provider.
        provider: String,
        /// What is wrong.
        problem: String,
    },
}

impl From<SearchError> for ToolError {
    fn from(error: SearchError) -> Self {
        let code = match error {
            SearchError::Timeout { .. } => ErrorCode::Timeout,
            _ => ErrorCode::Network,
        };
        let mut reported = Self::new(code, error.to_string());
        if let SearchError::Status {
            status,
            retry_after,
            ..
        } = &error
        {
            reported = reported.with("status", *status);
            if let Some(seconds) = retry_after {
                reported = reported.with("retry_after_seconds", *seconds);
            }
        }
        let (SearchError::Status { provider, .. }
        | SearchError::Failed { provider, .. }
        | SearchError::Timeout { provider, .. }
        | SearchError::Form { provider, .. }) = error;
        reported.with("provider", provider)
    }
}

/// Searches.
#[derive(Clone)]
pub struct Searcher(Source);

#[derive(Clone)]
enum Source {
    Provider(Arc<ProviderSettings>, Transport),
    Host(Arc<dyn HostSearch>, Duration),
}

impl std::fmt::Debug for Searcher {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.0 {
            Source::Provider(settings, _) => settings.fmt(formatter),
            Source::Host(..) => formatter.write_str("Host"),
        }
    }
}

impl Searcher {
    /// Searches at a provider. Its own address may be private, since the host named it.
    ///
    /// # Errors
    /// An address that is no web address.
    pub fn at(settings: ProviderSettings) -> Result<Self, ToolError> {
        let wrong = |problem: String| {
            ToolError::new(ErrorCode::InvalidParams, problem)
                .with("option", "options.web.search.baseUrl")
        };
        let base = WebUrl::parse(settings.base.as_str())
            .map_err(|refusal| wrong(format!("`options.web.search.baseUrl`: {refusal}")))?;
        let entry = format!("{}:{}", base.host(), base.port());
        let guard = Guard::new(AllowedHosts::new([entry.as_str()])?);
        let transport = Transport::new(guard, Arc::new(SystemResolver));
        Ok(Self(Source::Provider(Arc::new(settings), transport)))
    }

    /// The same with its requests through a proxy.
    #[must_use]
    pub fn through(self, upstream: Option<Arc<Upstream>>) -> Self {
        match self.0 {
            Source::Provider(at, way) => Self(Source::Provider(at, way.through(upstream))),
            host @ Source::Host(..) => Self(host),
        }
    }

    /// Lets the host search, for as long as this.
    #[must_use]
    pub fn by_host(host: Arc<dyn HostSearch>, timeout: Duration) -> Self {
        Self(Source::Host(host, timeout))
    }

    /// Looks for something. Whatever the provider does with the filters, they hold for the results.
    ///
    /// # Errors
    /// When nobody answered, or not in a form that is known.
    pub async fn search(&self, query: &SearchQuery) -> Result<SearchAnswer, SearchError> {
        match &self.0 {
            Source::Provider(settings, transport) => {
                Attempt {
                    settings,
                    transport,
                    protocol: settings.id.protocol(),
                    clock: Clock::new(settings.timeout),
                }
                .search(query)
                .await
            }
            Source::Host(host, timeout) => {
                let request = HostSearchRequest {
                    query: query.query.clone(),
                    count: query.count,
                    allowed_domains: query
                        .domains
                        .allowed()
                        .iter()
                        .map(|&host| host.to_owned())
                        .collect(),
                    blocked_domains: query
                        .domains
                        .blocked()
                        .iter()
                        .map(|&host| host.to_owned())
                        .collect(),
                };
                const NAME: &str = "host";
                let mut clock = Clock::new(*timeout);
                let Some(found) = clock.run(host.search(request)).await else {
                    return Err(SearchError::Timeout {
                        provider: NAME.to_owned(),
                        limit_ms: clock.limit_ms(),
                    });
                };
                let found = found.map_err(|reason| SearchError::Failed {
                    provider: NAME.to_owned(),
                    reason: visible::line(reason.trim_end_matches('.'), 500),
                })?;
                let mut answer = answer(NAME);
                add(found, query, &mut answer);
                Ok(answer)
            }
        }
    }
}

fn answer(provider: &str) -> SearchAnswer {
    SearchAnswer {
        provider: provider.to_owned(),
        results: Vec::new(),
        left_out: 0,
    }
}

/// One search with its clock.
struct Attempt<'a> {
    settings: &'a ProviderSettings,
    transport: &'a Transport,
    protocol: &'static dyn Protocol,
    clock: Clock,
}

impl Attempt<'_> {
    async fn search(mut self, query: &SearchQuery) -> Result<SearchAnswer, SearchError> {
        let mut answer = answer(self.settings.id.name());
        let found = self.page(query, 0).await?;
        let came = !found.is_empty();
        add(found, query, &mut answer);
        // A filter that left too few: one more page.
        if came
            && answer.left_out > 0
            && answer.results.len() < query.count
            && self.protocol.has_pages()
        {
            let more = self.page(query, 1).await?;
            add(more, query, &mut answer);
        }
        Ok(answer)
    }

    /// A page of results. Refusals that pass are waited for, as long as there is time.
    async fn page(
        &mut self,
        query: &SearchQuery,
        page: usize,
    ) -> Result<Vec<SearchResult>, SearchError> {
        let mut pause = limits::WEB_SEARCH_FIRST_PAUSE;
        for attempt in 1.. {
            let last = attempt == limits::WEB_SEARCH_ATTEMPTS;
            let error = match self.once(query, page).await {
                Ok(results) => return Ok(results),
                Err(error) => error,
            };
            let wished = match &error {
                SearchError::Status {
                    status,
                    retry_after,
                    ..
                } if *status == 429 || *status >= 500 => retry_after.map(Duration::from_secs),
                SearchError::Failed { .. } => None,
                _ => return Err(error),
            };
            let wait = wished.unwrap_or(pause);
            if last || wait >= self.clock.left() {
                return Err(error);
            }
            if self.clock.run(tokio::time::sleep(wait)).await.is_none() {
                return Err(self.timed_out());
            }
            pause *= 2;
        }
        Err(self.timed_out())
    }

    async fn once(
        &mut self,
        query: &SearchQuery,
        page: usize,
    ) -> Result<Vec<SearchResult>, SearchError> {
        let outgoing: Outgoing = self
            .protocol
            .request(self.settings, query, page)
            .map_err(|reason| self.failed(&reason))?;
        let received = Received::default();
        let transport = self.transport;
        let sent = transport.send(
            outgoing,
            limits::WEB_SEARCH_BODY_MAX_BYTES,
            &received,
            |_| true,
        );
        let response = match self.clock.run(sent).await {
            None => return Err(self.timed_out()),
            Some(Ok(response)) => response,
            Some(Err(WebError::Failed { reason, .. })) => return Err(self.failed(&reason)),
            Some(Err(error)) => return Err(self.failed(&error.to_string())),
        };
        if response.status != 200 {
            return Err(self.status(&response));
        }
        let form = |problem: String| SearchError::Form {
            provider: self.settings.id.name().to_owned(),
            problem: self.redacted(&visible::line(&problem, 200)),
        };
        let value: Value =
            serde_json::from_slice(&response.body).map_err(|error| form(error.to_string()))?;
        self.protocol
            .results(&value)
            .ok_or_else(|| form("it has no list of results".to_owned()))
    }

    fn status(&self, response: &Response) -> SearchError {
        let id = self.settings.id;
        let meaning = self.protocol.meaning(response.status).map_or_else(
            || match response.status {
                401 | 403 => format!(
                    "it rejected the API key. Set `options.web.search.apiKey` or the environment variable `{}`",
                    id.variable()
                ),
                402 => "payment is required".to_owned(),
                400 | 422 => "it rejected the parameters".to_owned(),
                429 => "rate limit reached. Try again later".to_owned(),
                300..=399 => "it redirects, which is not followed. Correct `options.web.search.baseUrl`".to_owned(),
                404 => "there is nothing at this URL. Correct `options.web.search.baseUrl`".to_owned(),
                500.. => "it failed. Try again later".to_owned(),
                _ => "unexpected status".to_owned(),
            },
            str::to_owned,
        );
        let said = crate::page::beginning(response, 300);
        let said = self.redacted(&said);
        SearchError::Status {
            provider: id.name().to_owned(),
            status: response.status,
            meaning,
            said: if said.is_empty() {
                said
            } else {
                format!(" It said: {said}")
            },
            retry_after: retry_after(response),
        }
    }

    fn failed(&self, reason: &str) -> SearchError {
        SearchError::Failed {
            provider: self.settings.id.name().to_owned(),
            reason: self.redacted(reason.trim_end_matches('.')),
        }
    }

    fn timed_out(&self) -> SearchError {
        SearchError::Timeout {
            provider: self.settings.id.name().to_owned(),
            limit_ms: self.clock.limit_ms(),
        }
    }

    fn redacted(&self, text: &str) -> String {
        match &self.settings.key {
            Some(key) => key.redact(text),
            None => text.to_owned(),
        }
    }
}

/// The pause that a server asks for, in seconds: a number, or the time until a date.
pub(crate) fn retry_after(response: &Response) -> Option<u64> {
    let value = response.header(RETRY_AFTER)?.trim();
    if let Ok(seconds) = value.parse() {
        return Some(seconds);
    }
    let until = http_date::parse(value)?;
    Some(
        until
            .duration_since(SystemTime::now())
            .map_or(0, |wait| wait.as_secs() + 1),
    )
}

/// Adds what the filters admit, each page once, tidied.
fn add(found: Vec<SearchResult>, query: &SearchQuery, answer: &mut SearchAnswer) {
    for result in found {
        let Ok(url) = Url::parse(result.url.trim()) else {
            continue;
        };
        if !matches!(url.scheme(), "http" | "https") || !url.username().is_empty() {
            continue;
        }
        if !query.domains.admit(&url) {
            answer.left_out += 1;
            continue;
        }
        let url = url.to_string();
        if answer.results.len() >= query.count
            || answer.results.iter().any(|known| known.url == url)
        {
            continue;
        }
        let title = tidy(&result.title);
        answer.results.push(SearchResult {
            title: if title.is_empty() { url.clone() } else { title },
            snippet: tidy(&result.snippet),
            url,
        });
    }
}
