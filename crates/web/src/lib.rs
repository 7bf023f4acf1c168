//! The web: requests that cannot be turned inward, pages that read well, search at any provider.
//!
//! - [`WebUrl`] and [`Guard`]: which addresses may be asked. Pure.
//! - [`Transport`]: one request to one address, over a connection to the very address that was checked, straight or
//!   through the host's proxy ([`Upstream`]).

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
