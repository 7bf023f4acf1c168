//! Pages and search results as the `canonical` dialect renders them.

use schemars::JsonSchema;
use serde::Serialize;
use tenon_contract::Content;
use tenon_tools::{WebFetchOutput, WebSearchOutput};

use crate::render::{
    SearchResultDetails, fetched_image, page_content, results_text, search_results,
};
use crate::result_view::ResultView;
use crate::words::Words;

/// Details of `WebFetch`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CanonicalWebFetchDetails {
    /// What the page says to the prompt, hidden characters written out. Empty for an image.
    content: String,
}

impl ResultView for CanonicalWebFetchDetails {
    type Output = WebFetchOutput;

    fn render(output: WebFetchOutput, words: &Words<'_>) -> (Vec<Content>, Self) {
        match output {
            WebFetchOutput::Page(page) => {
                let text = page_content(&page, words);
                let details = Self {
                    content: page.content,
                };
                (vec![Content::Text(text)], details)
            }
            WebFetchOutput::Image(image) => {
                let details = Self {
                    content: String::new(),
                };
                (fetched_image(image), details)
            }
        }
    }
}

/// Details of `WebSearch`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CanonicalWebSearchDetails {
    /// The pages, best first.
    results: Vec<SearchResultDetails>,
}

impl ResultView for CanonicalWebSearchDetails {
    type Output = WebSearchOutput;

    fn render(output: WebSearchOutput, _: &Words<'_>) -> (Vec<Content>, Self) {
        let text = results_text(&output);
        let details = Self {
            results: search_results(output.answer.results),
        };
        (vec![Content::Text(text)], details)
    }
}
