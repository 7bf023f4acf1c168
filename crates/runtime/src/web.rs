//! The services of the web tools, from the options, the environment and the host.

mod reach;

use std::sync::Arc;
use std::time::Duration;

use tenon_contract::{ErrorCode, ToolError, limits};
use tenon_tools::{Seat, Summariser};
use tenon_web::{
    AllowedHosts, FetchSettings, Fetcher, Guard, HostSearch, ProviderId, ProviderSettings,
    Searcher, Secret, SystemResolver, Transport, WebUrl, environment,
};

use crate::host_callbacks::HostCallbacks;
use crate::options::Within;
use crate::options::{Options, ProxyOption, WebSearchOptions, WebSearchProvider};

pub(crate) use reach::HostRoute;

/// What the web tools work with.
pub struct Web {
    pub(crate) fetcher: Arc<Fetcher>,
    pub(crate) searcher: Option<Searcher>,
    pub(crate) summariser: Option<Summariser>,
    /// The place of the agent in the browser, where the host has turned it on.
    pub(crate) browser: Option<Seat>,
    pub(crate) reach: HostRoute,
}

impl Web {
    pub(crate) fn new(options: &Options, callbacks: &HostCallbacks) -> Result<Self, ToolError> {
        let fetch = &options.web.fetch;
        let allowed = AllowedHosts::new(fetch.allow_private.iter().map(String::as_str))?;
        let resolver = callbacks
            .resolver
            .clone()
            .unwrap_or_else(|| Arc::new(SystemResolver));
        let proxy = options.web.proxy.as_ref().map(ProxyOption::upstream);
        let proxy = proxy.transpose()?.map(Arc::new);
        let transport =
            Transport::new(Guard::new(allowed), resolver.clone()).through(proxy.clone());
        // The tools watch their own clock; the limit of every call holds for it all the same.
        let timeout = fetch
            .timeout_ms
            .map_or(limits::WEB_TIMEOUT, Within::millis)
            .min(options.time_limit().unwrap_or(limits::CALL_TIMEOUT));
        let settings = FetchSettings {
            timeout,
            max_bytes: fetch
                .max_bytes
                .map_or(limits::WEB_BODY_MAX_BYTES, Within::get),
            cache_ttl: fetch
                .cache_ttl_ms
                .map_or(limits::WEB_CACHE_TTL, Duration::from_millis),
        };
        let searcher = match &callbacks.search {
            Some(host) => Some(by_host(host.clone(), &options.web.search)?),
            None => searcher(&options.web.search)?.map(|searcher| searcher.through(proxy.clone())),
        };
        Ok(Self {
            fetcher: Arc::new(Fetcher::new(transport.clone(), settings)),
            reach: HostRoute {
                transport,
                resolver,
                upstream: proxy,
            },
            searcher,
            browser: None,
            summariser: callbacks.summarise.clone().map(|host| Summariser {
                host,
                timeout: options.time_limit().unwrap_or(limits::CALL_TIMEOUT),
            }),
        })
    }
}

/// The host's own search, which needs nothing of what a provider needs.
fn by_host(host: Arc<dyn HostSearch>, options: &WebSearchOptions) -> Result<Searcher, ToolError> {
    let others = [
        ("provider", options.provider.is_some()),
        ("apiKey", options.api_key.is_some()),
        ("baseUrl", options.base_url.is_some()),
    ];
    if let Some((option, _)) = others.into_iter().find(|(_, is_given)| *is_given) {
        let message = format!(
            "`web.search.{option}` is for a built-in search provider, but `web.search.provider` is a function. Remove one of them."
        );
        return Err(ToolError::new(ErrorCode::InvalidParams, message)
            .with("option", format!("options.web.search.{option}")));
    }
    let timeout = options.timeout_ms.map(Within::millis);
    Ok(Searcher::by_host(
        host,
        timeout.unwrap_or(limits::WEB_SEARCH_TIMEOUT),
    ))
}

/// The searcher of the provider that is named, else of the first that the environment has a key for.
fn searcher(options: &WebSearchOptions) -> Result<Option<Searcher>, ToolError> {
    let id = match options.provider {
        Some(provider) => id_of(provider),
        None => {
            let set = |id: &&ProviderId| environment(id.variable()).is_some();
            match ProviderId::ALL.iter().find(set) {
                Some(id) => *id,
                None => return Ok(None),
            }
        }
    };
    let wrong = |option: &str, message: String| {
        ToolError::new(ErrorCode::InvalidParams, message).with("option", option)
    };
    let variable = || environment(id.variable());
    let given = options.api_key.as_ref().map(|key| key.0.clone());
    let given = given.filter(|key| !key.trim().is_empty());
    let key = given.or_else(|| variable().filter(|_| id.needs_key()));
    if key.is_none() && id.needs_key() {
        let message = format!(
            "The search provider `{}` needs a key: set `web.search.apiKey` or the environment variable `{}`.",
            id.name(),
            id.variable()
        );
        return Err(wrong("options.web.search.apiKey", message));
    }
    let base = options
        .base_url
        .clone()
        .or_else(|| id.base().map(str::to_owned))
        .or_else(variable);
    let Some(base) = base else {
        let message = format!(
            "The search provider `{}` needs a URL: set `web.search.baseUrl` or the environment variable `{}`.",
            id.name(),
            id.variable()
        );
        return Err(wrong("options.web.search.baseUrl", message));
    };
    let base = WebUrl::parse(&base)
        .map_err(|refusal| wrong("options.web.search.baseUrl", refusal.to_string()))?;
    let mut settings = ProviderSettings::new(id, key.map(Secret::new), base.as_url().clone());
    if let Some(timeout) = options.timeout_ms {
        settings.timeout = timeout.millis();
    }
    Searcher::at(settings).map(Some)
}

fn id_of(provider: WebSearchProvider) -> ProviderId {
    match provider {
        WebSearchProvider::Brave => ProviderId::Brave,
        WebSearchProvider::Tavily => ProviderId::Tavily,
        WebSearchProvider::Exa => ProviderId::Exa,
        WebSearchProvider::Searxng => ProviderId::Searxng,
        WebSearchProvider::Serper => ProviderId::Serper,
    }
}
