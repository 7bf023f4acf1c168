//! SearXNG: `GET /search?format=json` at an instance of the host's choice.

use serde_json::Value;

use super::provider::{Protocol, ProviderSettings, text};
use super::{SearchQuery, SearchResult};
use crate::request::Outgoing;

pub(super) struct Searxng;

impl Protocol for Searxng {
    fn request(
        &self,
        settings: &ProviderSettings,
        query: &SearchQuery,
        page: usize,
    ) -> Result<Outgoing, String> {
        let mut url = settings.endpoint("/search");
        url.query_pairs_mut()
            .append_pair("q", &query.domains.spelled_out(&query.query, 1_000))
            .append_pair("format", "json")
            .append_pair("pageno", &(page + 1).to_string());
        let outgoing = Outgoing::api_get(&url)?;
        match &settings.key {
            // Instances behind a gate take a token.
            Some(_) => outgoing.with_secret("authorization", &format!("Bearer {}", settings.key())),
            None => Ok(outgoing),
        }
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
        true
    }

    fn meaning(&self, status: u16) -> Option<&'static str> {
        (status == 403).then_some(
            "the instance does not return JSON; add `json` to `search.formats` in its settings",
        )
    }
}
