//! Exa: `POST /search`.

use serde_json::{Value, json};

use super::provider::{Protocol, ProviderSettings, text};
use super::{SearchQuery, SearchResult};
use crate::request::Outgoing;

pub(super) struct Exa;

impl Protocol for Exa {
    fn request(
        &self,
        settings: &ProviderSettings,
        query: &SearchQuery,
        _page: usize,
    ) -> Result<Outgoing, String> {
        let mut body = json!({
            "query": query.query,
            "numResults": query.count.clamp(1, 100),
            "type": "auto",
            // Without contents there is no text at all.
            "contents": {"highlights": true},
        });
        if let Some(members) = body.as_object_mut() {
            let (allowed, blocked) = (query.domains.allowed(), query.domains.blocked());
            if !allowed.is_empty() {
                members.insert("includeDomains".to_owned(), json!(allowed));
            }
            if !blocked.is_empty() {
                members.insert("excludeDomains".to_owned(), json!(blocked));
            }
        }
        Outgoing::api_post(&settings.endpoint("/search"), &body)?
            .with_secret("x-api-key", settings.key())
    }

    fn results(&self, answer: &Value) -> Option<Vec<SearchResult>> {
        let results = answer.get("results")?.as_array()?;
        let reported = results.iter().map(|result| {
            let highlights: Vec<&str> = result
                .get("highlights")
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
                .filter_map(Value::as_str)
                .collect();
            let snippet = if highlights.is_empty() {
                let summary = text(result, "summary");
                if summary.is_empty() {
                    text(result, "text")
                } else {
                    summary
                }
                .to_owned()
            } else {
                highlights.join(" … ")
            };
            SearchResult {
                title: text(result, "title").to_owned(),
                url: text(result, "url").to_owned(),
                snippet,
            }
        });
        Some(reported.collect())
    }

    fn has_pages(&self) -> bool {
        false
    }

    fn meaning(&self, status: u16) -> Option<&'static str> {
        (status == 402).then_some("the credits are used up")
    }
}
