//! Asks a search provider.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tenon_contract::{Access, ErrorCode, Operation, Output, Tool, ToolContext, ToolError, limits};
use tenon_web::{Domains, ProviderId, SearchAnswer, SearchQuery, Searcher, boundary};

/// What to look for.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WebSearchParams {
    /// What to look for.
    #[schemars(length(min = 1))]
    pub query: String,
    /// Most results, 1 to 20. Default: 5.
    #[schemars(range(min = 1))]
    pub count: Option<u64>,
    /// Only results from these domains and their sub-domains, such as `docs.rs`.
    pub allowed_domains: Option<Vec<String>>,
    /// No results from these domains and their sub-domains.
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
                "`query` is empty. Say what to look for.",
            ));
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

/// What to do when nobody can be asked.
fn missing() -> ToolError {
    let providers: Vec<String> = ProviderId::ALL
        .iter()
        .map(|id| format!("`{}` ({})", id.name(), id.variable()))
        .collect();
    let message = format!(
        "No search provider is set up. The application can set `web.search.provider` with `apiKey` (or `baseUrl` for SearXNG), \
         give a callback as provider, or set the environment variable of one: {}. Without one, fetch pages by their address.",
        providers.join(", ")
    );
    ToolError::new(ErrorCode::Unavailable, message).with("option", "web.search")
}
