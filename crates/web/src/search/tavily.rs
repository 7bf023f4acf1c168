//! Tavily: `POST /search`.

use serde_json::{Value, json};

use super::provider::{Protocol, ProviderSettings, text};
use super::{SearchQuery, SearchResult};
use crate::request::Outgoing;

pub(super) struct Tavily;

impl Protocol for Tavily {
    fn request(
        &self,
        settings: &ProviderSettings,
        query: &SearchQuery,
        _page: usize,
    ) -> Result<Outgoing, String> {
        let mut body = json!({
            "query": query.query,
            "max_results": query.count.clamp(1, 20),
            "search_depth": "basic",
        });
        if let Some(members) = body.as_object_mut() {
            let (allowed, blocked) = (query.domains.allowed(), query.domains.blocked());
            if !allowed.is_empty() {
                members.insert(
                    "include_domains".to_owned(),
                    json!(allowed.get(..300).unwrap_or(&allowed)),
                );
            }
            if !blocked.is_empty() {
                members.insert(
                    "exclude_domains".to_owned(),
                    json!(blocked.get(..150).unwrap_or(&blocked)),
                );
            }
        }
        Outgoing::api_post(&settings.endpoint("/search"), &body)?
            .with_secret("authorization", &format!("Bearer {}", settings.key()))
    }

    fn results(&self, answer: &Value) -> Option<Vec<SearchResult>> {
        let results = answer.get("results")?.as_array()?;
        let reported = results.iter().map(|result| SearchResult {
            title: text(result, "title").to_owned(),
            url: text(result, "url").to_owned(),
            snippet: text(result, "content").to_owned(),
        });
        Some(reported.collect())
    }

    fn has_pages(&self) -> bool {
        false
    }

    fn meaning(&self, status: u16) -> Option<&'static str> {
        matches!(status, 432 | 433).then_some("the limit of the plan is reached")
    }
}
