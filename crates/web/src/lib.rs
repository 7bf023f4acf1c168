//! The web for an agent: requests that cannot be turned against the machine or its network, pages as Markdown, and
//! search at any provider.
//!
//! A model chooses the URLs, and a page that it has read may have named them. So every request passes three checks,
//! each on the result of the one before:
//!
//! 1. [`WebUrl::parse`] accepts `http` and `https` only, without credentials, by one parser: what is checked is what is sent.
//! 2. [`Guard::check`] refuses addresses that are not public (loopback, private, link-local, cloud metadata) and ports of
//!    other protocols, unless the host opened that very server.
//! 3. [`Guard::admit`] looks at what the name resolved to, and [`Transport`] connects to one of exactly these addresses: a
//!    second answer of the resolver (DNS rebinding) is never used. A redirect begins again at 1, and policy is asked about
//!    its host.
//!
//! ```
//! use tenon_web::{AllowedHosts, Guard, WebUrl};
//!
//! let guard = Guard::new(AllowedHosts::new(["127.0.0.1:8080"])?);
//! let check = |url: &str| guard.check(&WebUrl::parse(url).unwrap()).is_ok();
//! assert!(check("https://example.com/docs"));
//! assert!(check("http://127.0.0.1:8080/"), "the host opened this server");
//! assert!(!check("http://127.0.0.1:9090/"));
//! assert!(!check("http://169.254.169.254/latest/meta-data/"));
//! # Ok::<(), tenon_contract::ToolError>(())
//! ```
//!
//! [`Fetcher`] puts these together: redirects, a cache, one request for many callers that ask for the same page at once, and
//! bounds on time and bytes. [`read_html`] and [`passages()`] make a page readable; [`Searcher`] asks search providers;
//! [`HostProxy`] is the same guard for browsers and sandboxed commands.

mod address;
mod error;
mod fetch;
mod http_date;
mod page;
mod passages;
mod proxy;
mod report;
mod request;
mod resolver;
mod search;
mod tls;
mod untrusted;
mod upstream;
mod visible;

pub use address::{AddressBlock, AllowedHosts, Guard, Refusal, WebUrl, block_of};
pub use error::WebError;
pub use fetch::{Accept, FetchSettings, Fetched, Fetcher, RequestSpec};
pub use page::{Content, Document, Removed, read_bytes, read_html};
pub use passages::{Passages, passages};
pub use proxy::{HostProxy, ProxyCredentials, ReachableHosts};
pub use report::{failure, response_text};
pub use request::{Missing, Received, Response, Transport};
pub use resolver::{ResolveFuture, Resolver, SystemResolver};
pub use search::{
    DomainError, Domains, HostSearch, HostSearchFuture, HostSearchRequest, ProviderId,
    ProviderSettings, SearchAnswer, SearchError, SearchQuery, SearchResult, Searcher, Secret,
    environment,
};
pub use untrusted::{boundary, enclosed};
pub use upstream::{Resolution, Upstream};
pub use visible::escaped;
