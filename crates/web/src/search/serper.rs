//! Serper: `POST /search`.

use serde_json::{Value, json};

use super::provider::{Protocol, ProviderSettings, text};
use super::{SearchQuery, SearchResult};
use crate::request::Outgoing;

pub(super) struct Serper;

impl Protocol for Serper {
    fn request(
        &self,
        settings: &ProviderSettings,
        query: &SearchQuery,
        page: usize,
    ) -> Result<Outgoing, String> {
        let count = if query.domains.is_restricted() {
            20
        } else {
            query.count.clamp(1, 100)
        };
        let mut body = json!({
            "q": query.domains.spelled_out(&query.query, 1_000),
            "num": count,
        });
        if let Some(members) = body.as_object_mut().filter(|_| page > 0) {
            members.insert("page".to_owned(), json!(page + 1));
        }
        Outgoing::api_post(&settings.endpoint("/search"), &body)?
            .with_secret("x-api-key", settings.key())
    }

    fn results(&self, answer: &Value) -> Option<Vec<SearchResult>> {
        let Some(organic) = answer.get("organic") else {
            return answer.get("searchParameters").map(|_| Vec::new());
        };
        let reported = organic.as_array()?.iter().map(|result| SearchResult {
            title: text(result, "title").to_owned(),
            url: text(result, "link").to_owned(),
            snippet: text(result, "snippet").to_owned(),
        });
        Some(reported.collect())
    }

    fn has_pages(&self) -> bool {
        true
    }
}
