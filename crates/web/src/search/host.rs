//! Search by the host itself.

use std::future::Future;
use std::pin::Pin;

use super::SearchResult;

/// What a host is asked to look for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostSearchRequest {
    /// The words.
    pub query: String,
    /// Most results wanted.
    pub count: usize,
    /// Only these domains; empty: all.
    pub allowed_domains: Vec<String>,
    /// None of these domains.
    pub blocked_domains: Vec<String>,
}

/// The future of a host's answer; an error text says why there is none.
pub type HostSearchFuture = Pin<Box<dyn Future<Output = Result<Vec<SearchResult>, String>> + Send>>;

/// Searches in a way that only the host knows. Domain filters are enforced on what it answers all the same.
pub trait HostSearch: Send + Sync + 'static {
    /// Looks for something.
    fn search(&self, request: HostSearchRequest) -> HostSearchFuture;
}
