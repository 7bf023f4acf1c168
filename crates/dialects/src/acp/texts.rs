//! The tools of the `acp` dialect whose result is a text.

use schemars::JsonSchema;
use serde::Serialize;
use tenon_contract::Content;
use tenon_tools::{
    DeleteOutput, ExecuteOutput, GrepOutput, ListOutput, PageOrImage, ReadOutput, WebRequestOutput,
    WebSearchOutput, WriteOutput,
};

use crate::render::{
    COMMANDS, ImageDetails, command_text, count, grep_text, image_content, listing_text,
    page_answer, results_text, web_response_text, write_message,
};
use crate::result_view::ResultView;
use crate::words::Words;

/// A text, as the model sees it.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct TextDetails {
    /// What kind of result this is.
    r#type: TextKind,
    /// The text.
    text: String,
}

/// What kind of result a text is.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum TextKind {
    Text,
}

impl TextDetails {
    /// The text for the model, and the same for programs.
    fn both(text: String) -> (Vec<Content>, Self) {
        let details = Self {
            r#type: TextKind::Text,
            text: text.clone(),
        };
        (vec![Content::Text(text)], details)
    }
}

/// Details of `read_file`: of a text, or of an image.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum AcpReadDetails {
    Text(TextDetails),
    Image(ImageDetails),
}

impl ResultView for AcpReadDetails {
    type Output = ReadOutput;

    fn render(output: ReadOutput, words: &Words<'_>) -> (Vec<Content>, Self) {
        match output.into() {
            PageOrImage::Page(page) => {
                let (content, details) = TextDetails::both(page_answer(&page, words));
                (content, Self::Text(details))
            }
            PageOrImage::Image(image) => {
                let details = ImageDetails::of(&image);
                (image_content(image), Self::Image(details))
            }
        }
    }
}

/// The details of one tool that answers a text.
macro_rules! text_results {
    ($($(#[$doc:meta])* $name:ident: $output:ty = $text:expr;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Serialize, JsonSchema)]
        #[serde(transparent)]
        pub(crate) struct $name(TextDetails);

        impl ResultView for $name {
            type Output = $output;

            fn render(output: $output, words: &Words<'_>) -> (Vec<Content>, Self) {
                let text: fn(&$output, &Words<'_>) -> String = $text;
                let (content, details) = TextDetails::both(text(&output, words));
                (content, Self(details))
            }
        }
    )*};
}

text_results! {
    /// Details of `write_file`.
    AcpWriteDetails: WriteOutput = |output, words| {
        let size = count(output.bytes, "byte", "bytes");
        let text = format!("File written successfully to {} ({size})", output.path);
        write_message(text, output, words)
    };
    /// Details of `list_directory`.
    AcpListDetails: ListOutput = listing_text;
    /// Details of `search_files`.
    AcpSearchDetails: GrepOutput = grep_text;
    /// Details of `run_command`.
    AcpCommandDetails: ExecuteOutput = |output, words| command_text(output, COMMANDS, words);
    /// Details of `delete_file`.
    AcpDeleteDetails: DeleteOutput = |output, _| {
        let size = count(output.bytes, "byte", "bytes");
        format!("File deleted successfully: {} ({size})", output.path)
    };
}

/// Details of `web_search`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(transparent)]
pub(crate) struct AcpWebSearchDetails(TextDetails);

impl ResultView for AcpWebSearchDetails {
    type Output = WebSearchOutput;

    fn render(output: WebSearchOutput, _: &Words<'_>) -> (Vec<Content>, Self) {
        let found = results_text(&output);
        let text = if output.answer.results.is_empty() {
            found
        } else {
            format!("Top results:\n{found}")
        };
        let (content, details) = TextDetails::both(text);
        (content, Self(details))
    }
}

/// Details of `web_request`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(transparent)]
pub(crate) struct AcpWebRequestDetails(TextDetails);

impl ResultView for AcpWebRequestDetails {
    type Output = WebRequestOutput;

    fn render(output: WebRequestOutput, _: &Words<'_>) -> (Vec<Content>, Self) {
        let (content, details) = TextDetails::both(web_response_text(&output));
        (content, Self(details))
    }
}
