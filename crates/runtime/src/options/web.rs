//! The options of the web tools.

use schemars::JsonSchema;
use serde::Deserialize;

/// Pages and search.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WebOptions {
    /// How pages are fetched, and how requests are sent.
    #[serde(default)]
    pub fetch: WebFetchOptions,
    /// Who is asked when something is looked for.
    #[serde(default)]
    pub search: WebSearchOptions,
}

/// How pages are fetched, and how requests are sent.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WebFetchOptions {
    /// Servers that may be asked although their address is not public, as `host:port` of the address that is asked:
    /// `localhost:3000`, `127.0.0.1:8080`, `[::1]:9000`. Default: none.
    #[serde(default)]
    pub allow_private: Vec<String>,
    /// Longest time of one fetch in milliseconds, redirects included. Default: 30000.
    #[schemars(range(min = 1))]
    pub timeout_ms: Option<u64>,
    /// Most bytes of one body, on the wire and unpacked. Default: 5242880.
    #[schemars(range(min = 1, max = 268_435_456))]
    pub max_bytes: Option<usize>,
    /// How long a page is answered from memory, in milliseconds; 0 for never. Default: 900000 (15 minutes).
    pub cache_ttl_ms: Option<u64>,
}

/// Who is asked when something is looked for.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WebSearchOptions {
    /// The provider. Default: the first whose environment variable is set (`BRAVE_API_KEY`, `TAVILY_API_KEY`,
    /// `EXA_API_KEY`, `SERPER_API_KEY`, `SEARXNG_URL`).
    pub provider: Option<WebSearchProvider>,
    /// Its key. Default: its environment variable.
    pub api_key: Option<ApiKey>,
    /// Where it is asked; may lie in a private network. Default: its public address; `SEARXNG_URL` for SearXNG.
    pub base_url: Option<String>,
    /// Longest time of one search in milliseconds, all attempts together. Default: 15000.
    #[schemars(range(min = 1))]
    pub timeout_ms: Option<u64>,
}

/// A key, which is never shown.
#[derive(Clone, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct ApiKey(pub(crate) String);

impl std::fmt::Debug for ApiKey {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("[key]")
    }
}

/// A search provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WebSearchProvider {
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
