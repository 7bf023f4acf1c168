//! Search at any provider, reported in one form.

mod brave;
mod client;
mod domains;
mod exa;
mod host;
mod provider;
mod query;
mod searxng;
mod secret;
mod serper;
mod snippet;
mod tavily;

pub(crate) use client::retry_after;
pub use client::{SearchError, Searcher};
pub use domains::{DomainError, Domains};
pub use host::{HostSearch, HostSearchFuture, HostSearchRequest};
pub use provider::{ProviderId, ProviderSettings, environment};
pub use query::{SearchAnswer, SearchQuery, SearchResult};
pub use secret::Secret;
