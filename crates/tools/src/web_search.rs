//! Asks a search provider.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tenon_contract::{Access, ErrorCode, Operation, Output, Tool, ToolContext, ToolError, limits};
use tenon_web::{Domains, ProviderId, SearchAnswer, SearchQuery, Searcher, boundary};

/// What to look for.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WebSearchParams {
    /// Search query.
    #[schemars(length(min = 1))]
    pub query: String,
    /// Maximum number of results, up to 20. Default: 5.
    #[schemars(range(min = 1))]
    pub count: Option<u64>,
    /// Only these domains and their subdomains, such as `docs.rs`.
    pub allowed_domains: Option<Vec<String>>,
    /// Not these domains and their subdomains.
    pub blocked_domains: Option<Vec<String>>,
}

/// What was found.
#[derive(Debug)]
pub struct WebSearchOutput {
    /// The words.
    pub query: String,
    /// The results.
    pub answer: SearchAnswer,
    /// A word that the results cannot know, for the frame around them.
    pub boundary: String,
}

impl Output for WebSearchOutput {}

/// The search operation.
#[derive(Debug)]
pub struct WebSearch {
    searcher: Option<Searcher>,
}

impl WebSearch {
    /// Searches with this searcher; without one every call says what is missing.
    #[must_use]
    pub fn new(searcher: Option<Searcher>) -> Self {
        Self { searcher }
    }
}

/// A checked query.
#[derive(Debug)]
pub struct WebSearchPlan(SearchQuery);

impl Tool for WebSearch {
    const OPERATION: Operation = Operation::WebSearch;
    type Params = WebSearchParams;
    type Plan = WebSearchPlan;
    type Output = WebSearchOutput;

    fn plan(&self, params: WebSearchParams) -> Result<(Access, WebSearchPlan), ToolError> {
        let words = params.query.trim().to_owned();
        if words.is_empty() {
            return Err(ToolError::new(
                ErrorCode::InvalidParams,
                "`query` is empty. Pass a few keywords.",
            ));
        }
        let length = words.chars().count();
        let most = limits::WEB_SEARCH_QUERY_MAX_CHARACTERS;
        if length > most {
            let message = format!(
                "`query` is {length} characters long; the limit is {most}. Use a few keywords."
            );
            return Err(ToolError::new(ErrorCode::InvalidParams, message)
                .with("length", length)
                .with("limit", most));
        }
        let list = |entries: &Option<Vec<String>>| entries.clone().unwrap_or_default();
        let domains = Domains::new(
            &list(&params.allowed_domains),
            &list(&params.blocked_domains),
        )
        .map_err(|error| ToolError::new(ErrorCode::InvalidParams, error.to_string()))?;
        let count = params
            .count
            .map_or(limits::WEB_SEARCH_DEFAULT_RESULTS, |count| {
                usize::try_from(count)
                    .unwrap_or(usize::MAX)
                    .clamp(1, limits::WEB_SEARCH_MAX_RESULTS)
            });
        let query = SearchQuery {
            query: words,
            count,
            domains,
        };
        Ok((Access::default(), WebSearchPlan(query)))
    }

    async fn run(&self, plan: WebSearchPlan, _: ToolContext) -> Result<WebSearchOutput, ToolError> {
        let searcher = self.searcher.as_ref().ok_or_else(missing)?;
        let answer = searcher.search(&plan.0).await?;
        Ok(WebSearchOutput {
            query: plan.0.query,
            answer,
            boundary: boundary(),
        })
    }
}

/// What to do without a provider. How to set one up is for the developer of the application, in the details.
fn missing() -> ToolError {
    let variables: Vec<&str> = ProviderId::ALL.iter().map(|id| id.variable()).collect();
    let message = "Web search is not available: no search provider is configured. Tell the user, or work without it.";
    ToolError::new(ErrorCode::Unavailable, message)
        .with("option", "web.search")
        .with("variables", variables)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn planned(query: &str) -> Result<String, ToolError> {
        let params = WebSearchParams {
            query: query.to_owned(),
            count: None,
            allowed_domains: None,
            blocked_domains: None,
        };
        let planned = WebSearch::new(None).plan(params);
        planned.map(|(_, WebSearchPlan(query))| query.query)
    }

    #[test]
    fn a_query_longer_than_providers_take_is_refused() {
        assert_eq!(
            planned(&format!(" {} ", "ü".repeat(400))).unwrap(),
            "ü".repeat(400)
        );
        for (query, length) in [("ü".repeat(401), 401), ("a ".repeat(500_000), 999_999)] {
            let error = planned(&query).unwrap_err();
            assert_eq!(error.code, ErrorCode::InvalidParams);
            assert_eq!(
                error.message,
                format!(
                    "`query` is {length} characters long; the limit is 400. Use a few keywords."
                )
            );
        }
        assert_eq!(planned("  ").unwrap_err().code, ErrorCode::InvalidParams);
    }

    #[test]
    fn without_a_provider_the_model_is_not_reported_about_options() {
        let error = missing();
        assert_eq!(
            error.message,
            "Web search is not available: no search provider is configured. Tell the user, or work without it."
        );
        assert_eq!(error.details["option"], "web.search");
        assert_eq!(error.details["variables"][0], "BRAVE_API_KEY");
    }
}
