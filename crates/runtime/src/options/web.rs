//! The options of the web tools.

use super::within::Within;
use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use tenon_contract::{ErrorCode, ToolError};
use tenon_web::{Resolution, Upstream};

/// Web pages and web search.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WebOptions {
    /// How pages are fetched, and how requests are sent.
    #[serde(default)]
    pub fetch: WebFetchOptions,
    /// Which provider searches.
    #[serde(default)]
    pub search: WebSearchOptions,
    /// A proxy for pages, requests, search providers and the host lists of sandboxes:
    /// `http://host:port`, with more as an object. Environment variables are not used. Servers of `allowPrivate` whose
    /// addresses are not public are reached without it. Default: none.
    pub proxy: Option<ProxyOption>,
}

/// A proxy, by its address or with more.
#[derive(Debug, Clone, JsonSchema)]
#[schemars(untagged)]
pub enum ProxyOption {
    /// Its address.
    Address(Hidden),
    /// Its address with more.
    Object(ProxyOptions),
}

// By hand, so that a fault repeats nothing of an address that may hold a password.
impl<'de> Deserialize<'de> for ProxyOption {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::String(address) => Ok(Self::Address(Hidden(address))),
            value @ Value::Object(_) => serde_json::from_value(value)
                .map(Self::Object)
                .map_err(D::Error::custom),
            _ => Err(D::Error::custom(
                "expected `http://host:port` or an object with `url`",
            )),
        }
    }
}

/// A proxy.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProxyOptions {
    /// Its URL: `http://host:port`, or `https://host:port` when it is itself reached over TLS. It may be in a
    /// private network.
    pub url: Hidden,
    /// Its user name; may be in `url` instead.
    pub username: Option<Hidden>,
    /// Its password.
    pub password: Option<Hidden>,
    /// Who resolves host names. Default: `local`.
    #[serde(default)]
    pub resolve: ProxyResolution,
}

/// Who resolves host names.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProxyResolution {
    /// We do, and the proxy receives the address that was checked.
    #[default]
    Local,
    /// The proxy does, where names cannot be resolved here. What it connects to is not known then: that no name leads
    /// into a private network is up to the proxy.
    Proxy,
}

impl ProxyOption {
    /// The proxy that is meant.
    pub(crate) fn upstream(&self) -> Result<Upstream, ToolError> {
        let (address, credentials, resolution) = match self {
            Self::Address(address) => (address, None, Resolution::Local),
            Self::Object(options) => {
                let password = options
                    .password
                    .as_ref()
                    .map(|password| password.0.as_str());
                let credentials = match (&options.username, password) {
                    (Some(username), password) => {
                        Some((username.0.as_str(), password.unwrap_or_default()))
                    }
                    (None, Some(password)) => Some(("", password)),
                    (None, None) => None,
                };
                let resolution = match options.resolve {
                    ProxyResolution::Local => Resolution::Local,
                    ProxyResolution::Proxy => Resolution::Proxy,
                };
                (&options.url, credentials, resolution)
            }
        };
        Upstream::new(&address.0, credentials, resolution).map_err(|problem| {
            let message = format!("`web.proxy` is not valid: {problem}. Write `http://host:port`.");
            ToolError::new(ErrorCode::InvalidParams, message).with("option", "options.web.proxy")
        })
    }
}

/// How pages are fetched, and how requests are sent.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WebFetchOptions {
    /// Servers that may be reached although their address is not public, as `host:port`:
    /// `localhost:3000`, `127.0.0.1:8080`, `[::1]:9000`. Default: none.
    #[serde(default)]
    pub allow_private: Vec<String>,
    /// Longest time of one fetch in milliseconds, redirects included. Default: 30000.
    pub timeout_ms: Option<Within<u64, 1>>,
    /// Most bytes of one body, on the wire and unpacked. Default: 5242880.
    pub max_bytes: Option<Within<usize, 1, 268_435_456>>,
    /// How long a page is cached in memory, in milliseconds; 0 for never. Default: 900000 (15 minutes).
    pub cache_ttl_ms: Option<u64>,
}

/// Which provider searches.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WebSearchOptions {
    /// The provider. Default: the first whose environment variable is set (`BRAVE_API_KEY`, `TAVILY_API_KEY`,
    /// `EXA_API_KEY`, `SERPER_API_KEY`, `SEARXNG_URL`).
    pub provider: Option<WebSearchProvider>,
    /// Its key. Default: its environment variable.
    pub api_key: Option<Hidden>,
    /// Its URL; may be in a private network. Default: its public address; `SEARXNG_URL` for SearXNG.
    pub base_url: Option<String>,
    /// Longest time of one search in milliseconds, all attempts together. Default: 15000.
    pub timeout_ms: Option<Within<u64, 1>>,
}

/// A text that is never shown: a key, a password, an address that may hold one.
#[derive(Clone, JsonSchema)]
#[schemars(transparent)]
pub struct Hidden(pub(crate) String);

// By hand, since a fault of the usual kind repeats what it found.
impl<'de> Deserialize<'de> for Hidden {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::String(text) => Ok(Self(text)),
            _ => Err(D::Error::custom("expected a text")),
        }
    }
}

impl std::fmt::Debug for Hidden {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("[hidden]")
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
