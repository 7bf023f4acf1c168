//! Brave Search: `GET /res/v1/web/search`.

use serde_json::Value;

use super::provider::{Protocol, ProviderSettings, text};
use super::{SearchQuery, SearchResult};
use crate::request::Outgoing;

/// Longest query that is taken, in characters.
const QUERY_MAX: usize = 400;

pub(super) struct Brave;

impl Protocol for Brave {
    fn request(
        &self,
        settings: &ProviderSettings,
        query: &SearchQuery,
        page: usize,
    ) -> Result<Outgoing, String> {
        let mut url = settings.endpoint("/res/v1/web/search");
        let words: String = query
            .domains
            .spelled_out(&query.query, QUERY_MAX)
            .chars()
            .take(QUERY_MAX)
            .collect();
        // A filter on our side needs more to choose from.
        let count = if query.domains.is_restricted() {
            20
        } else {
            query.count.clamp(1, 20)
        };
        url.query_pairs_mut()
            .append_pair("q", &words)
            .append_pair("count", &count.to_string());
        if page > 0 {
            url.query_pairs_mut()
                .append_pair("offset", &page.to_string());
        }
        Outgoing::api_get(&url)?.with_secret("x-subscription-token", settings.key())
    }

    fn results(&self, answer: &Value) -> Option<Vec<SearchResult>> {
        let Some(web) = answer.get("web") else {
            // Nothing found: the member is left out.
            return (text(answer, "type") == "search").then(Vec::new);
        };
        let results = web.get("results")?.as_array()?;
        let reported = results.iter().map(|result| {
            let mut snippet = text(result, "description").to_owned();
            for extra in result
                .get("extra_snippets")
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
            {
                snippet.push(' ');
                snippet.push_str(extra.as_str().unwrap_or_default());
            }
            SearchResult {
                title: text(result, "title").to_owned(),
                url: text(result, "url").to_owned(),
                snippet,
            }
        });
        Some(reported.collect())
    }

    fn has_pages(&self) -> bool {
        true
    }
}
