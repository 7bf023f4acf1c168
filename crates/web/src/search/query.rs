//! What is asked and what is answered, no matter who is asked.

use super::Domains;

/// What to look for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchQuery {
    /// The words.
    pub query: String,
    /// Most results wanted.
    pub count: usize,
    /// Which sites may and may not be among them.
    pub domains: Domains,
}

/// One page that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchResult {
    /// Its title; its address where it has none.
    pub title: String,
    /// Its address.
    pub url: String,
    /// What the provider shows of it.
    pub snippet: String,
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchAnswer {
    /// Who was asked, such as `brave`.
    pub provider: String,
    /// The pages, best first.
    pub results: Vec<SearchResult>,
    /// How many results were left out since their site was not wanted.
    pub left_out: usize,
}
