//! Who is asked, and how.

use std::time::Duration;

use serde_json::Value;
use tenon_contract::limits;
use url::Url;

use super::{SearchQuery, SearchResult, Secret, brave, exa, searxng, serper, tavily};
use crate::request::Outgoing;

/// A provider that is known by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProviderId {
    /// Brave Search.
    Brave,
    /// Tavily.
    Tavily,
    /// Exa.
    Exa,
    /// An instance of SearXNG.
    Searxng,
    /// Serper.
    Serper,
}

impl ProviderId {
    /// Every provider, in the order in which the environment is looked through.
    pub const ALL: &'static [Self] = &[
        Self::Brave,
        Self::Tavily,
        Self::Exa,
        Self::Serper,
        Self::Searxng,
    ];

    /// As options and results name it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Brave => "brave",
            Self::Tavily => "tavily",
            Self::Exa => "exa",
            Self::Searxng => "searxng",
            Self::Serper => "serper",
        }
    }

    /// The provider of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|id| id.name() == name)
    }

    /// The environment variable with its key; for SearXNG with its address.
    #[must_use]
    pub const fn variable(self) -> &'static str {
        match self {
            Self::Brave => "BRAVE_API_KEY",
            Self::Tavily => "TAVILY_API_KEY",
            Self::Exa => "EXA_API_KEY",
            Self::Searxng => "SEARXNG_URL",
            Self::Serper => "SERPER_API_KEY",
        }
    }

    /// Where it is asked, unless the host says otherwise. SearXNG has no place of its own.
    #[must_use]
    pub const fn base(self) -> Option<&'static str> {
        match self {
            Self::Brave => Some("https://api.search.brave.com"),
            Self::Tavily => Some("https://api.tavily.com"),
            Self::Exa => Some("https://api.exa.ai"),
            Self::Searxng => None,
            Self::Serper => Some("https://google.serper.dev"),
        }
    }

    /// Whether it answers nobody without a key.
    #[must_use]
    pub const fn needs_key(self) -> bool {
        !matches!(self, Self::Searxng)
    }

    pub(super) fn protocol(self) -> &'static dyn Protocol {
        match self {
            Self::Brave => &brave::Brave,
            Self::Tavily => &tavily::Tavily,
            Self::Exa => &exa::Exa,
            Self::Searxng => &searxng::Searxng,
            Self::Serper => &serper::Serper,
        }
    }
}

/// A provider that is set up.
#[derive(Debug, Clone)]
pub struct ProviderSettings {
    /// Which.
    pub id: ProviderId,
    /// Its key.
    pub key: Option<Secret>,
    /// Where it is asked. It comes from the host and may lie in a private network.
    pub base: Url,
    /// Time limit of a search, all attempts together.
    pub timeout: Duration,
}

impl ProviderSettings {
    /// The usual settings of a provider.
    #[must_use]
    pub fn new(id: ProviderId, key: Option<Secret>, base: Url) -> Self {
        Self {
            id,
            key,
            base,
            timeout: limits::WEB_SEARCH_TIMEOUT,
        }
    }

    pub(super) fn key(&self) -> &str {
        self.key.as_ref().map_or("", Secret::expose)
    }

    /// The address of an end point below the base.
    pub(super) fn endpoint(&self, path: &str) -> Url {
        let mut url = self.base.clone();
        let base = url.path().trim_end_matches('/').to_owned();
        let path = if base.ends_with(path) {
            base
        } else {
            format!("{base}{path}")
        };
        url.set_path(&path);
        url.set_query(None);
        url.set_fragment(None);
        url
    }
}

/// What is particular to one provider: the form of its requests and of its answers.
pub(super) trait Protocol: Send + Sync {
    /// The request for a page of results, counted from 0.
    fn request(
        &self,
        settings: &ProviderSettings,
        query: &SearchQuery,
        page: usize,
    ) -> Result<Outgoing, String>;

    /// The results in an answer; `None` when it has not the form that is documented.
    fn results(&self, answer: &Value) -> Option<Vec<SearchResult>>;

    /// Whether a further page may help when a filter left too few.
    fn has_pages(&self) -> bool;

    /// What a status means with this provider, where that is not the usual thing.
    fn meaning(&self, _status: u16) -> Option<&'static str> {
        None
    }
}

/// A text member.
pub(super) fn text<'v>(value: &'v Value, name: &str) -> &'v str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// A variable of the environment of the process, when it holds something.
#[must_use]
pub fn environment(name: &str) -> Option<String> {
    std::env::var(name)
        .ok()
        .filter(|value| !value.trim().is_empty())
}
