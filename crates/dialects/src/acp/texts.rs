//! The tools of the `acp` dialect whose result is a text.

use schemars::JsonSchema;
use serde::Serialize;
use tenon_contract::Content;
use tenon_tools::{
    DeleteOutput, ExecuteOutput, GrepOutput, ListOutput, PageOrImage, ReadOutput, WebRequestOutput,
    WebSearchOutput, WriteOutput,
};

use crate::render::{
    GrepStyle, ImageDetails, ReadStyle, command_text, grep_text, image_content, listing_text,
    page_answer, results_text, told_of_write, web_response_text,
};
use crate::told::Told;

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

/// How what `read_file` leaves out is reached.
const READING: ReadStyle = ReadStyle {
    offset: None,
    command: "run_command",
};

/// Details of `read_file`: of a text, or of an image.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum AcpReadDetails {
    Text(TextDetails),
    Image(ImageDetails),
}

impl Told for AcpReadDetails {
    type Output = ReadOutput;

    fn tell(output: ReadOutput) -> (Vec<Content>, Self) {
        match output.into() {
            PageOrImage::Page(page) => {
                let (content, details) = TextDetails::both(page_answer(&page, &READING));
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

        impl Told for $name {
            type Output = $output;

            fn tell(output: $output) -> (Vec<Content>, Self) {
                let text: fn(&$output) -> String = $text;
                let (content, details) = TextDetails::both(text(&output));
                (content, Self(details))
            }
        }
    )*};
}

text_results! {
    /// Details of `write_file`.
    AcpWriteDetails: WriteOutput = |output| {
        let text = format!("File written successfully to {} ({} bytes)", output.path, output.bytes);
        told_of_write(text, output)
    };
    /// Details of `list_directory`.
    AcpListDetails: ListOutput = |output| listing_text(output, None);
    /// Details of `search_files`.
    AcpSearchDetails: GrepOutput = |output| grep_text(output, &GrepStyle::new(None, "read_file"));
    /// Details of `run_command`.
    AcpCommandDetails: ExecuteOutput = command_text;
    /// Details of `delete_file`.
    AcpDeleteDetails: DeleteOutput = |output| {
        format!("File deleted successfully: {} ({} bytes)", output.path, output.bytes)
    };
}

/// Details of `web_search`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(transparent)]
pub(crate) struct AcpWebSearchDetails(TextDetails);

impl Told for AcpWebSearchDetails {
    type Output = WebSearchOutput;

    fn tell(output: WebSearchOutput) -> (Vec<Content>, Self) {
        let (content, details) = TextDetails::both(results_text(&output));
        (content, Self(details))
    }
}

/// Details of `web_request`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(transparent)]
pub(crate) struct AcpWebRequestDetails(TextDetails);

impl Told for AcpWebRequestDetails {
    type Output = WebRequestOutput;

    fn tell(output: WebRequestOutput) -> (Vec<Content>, Self) {
        let (content, details) = TextDetails::both(web_response_text(&output));
        (content, Self(details))
    }
}
