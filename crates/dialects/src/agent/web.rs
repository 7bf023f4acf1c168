//! Pages and search results as the `agent` dialect renders them.

use schemars::JsonSchema;
use serde::Serialize;
use tenon_contract::Content;
use tenon_tools::{WebFetchOutput, WebSearchOutput};

use crate::render::{
    SearchResultDetails, fetched_image, page_content, results_text, search_results,
};
use crate::result_view::ResultView;
use crate::words::Words;

/// Details of `web_fetch`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AgentWebFetchDetails {
    /// The address that was asked.
    url: String,
    /// The address that answered in the end.
    final_url: String,
    /// Its status.
    status: u16,
    /// Its type, such as `text/html`.
    content_type: String,
    /// The title of the page, when it has one.
    title: Option<String>,
    /// What the page says, hidden characters written out. Empty for an image.
    content: String,
    /// Whether anything of the page is not in `content`.
    truncated: bool,
}

impl ResultView for AgentWebFetchDetails {
    type Output = WebFetchOutput;

    fn render(output: WebFetchOutput, words: &Words<'_>) -> (Vec<Content>, Self) {
        match output {
            WebFetchOutput::Page(page) => {
                let text = page_content(&page, words);
                let details = Self {
                    url: page.url,
                    final_url: page.final_url,
                    status: page.status,
                    content_type: page.content_type,
                    title: page.title,
                    content: page.content,
                    truncated: page.truncated,
                };
                (vec![Content::Text(text)], details)
            }
            WebFetchOutput::Image(image) => {
                let details = Self {
                    url: image.url.clone(),
                    final_url: image.final_url.clone(),
                    status: image.status,
                    content_type: image.mime_type.clone(),
                    title: None,
                    content: String::new(),
                    truncated: false,
                };
                (fetched_image(image), details)
            }
        }
    }
}

/// Details of `web_search`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AgentWebSearchDetails {
    /// What was looked for.
    query: String,
    /// Who was asked, such as `brave`; `host` for the application itself.
    provider: String,
    /// The pages, best first.
    results: Vec<SearchResultDetails>,
}

impl ResultView for AgentWebSearchDetails {
    type Output = WebSearchOutput;

    fn render(output: WebSearchOutput, _: &Words<'_>) -> (Vec<Content>, Self) {
        let text = results_text(&output);
        let details = Self {
            query: output.query,
            provider: output.answer.provider,
            results: search_results(output.answer.results),
        };
        (vec![Content::Text(text)], details)
    }
}
