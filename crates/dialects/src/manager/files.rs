//! read_file and write_file as the `manager` dialect renders them.

use schemars::JsonSchema;
use serde::Serialize;
use tenon_contract::Content;
use tenon_tools::{ReadEncoding, ReadOutput, WriteOutput};
use tenon_workspace::TextEncoding;

use crate::render::{
    ImageDetails, image_content, other_encoding, page_answer, page_text, whole_text, written,
};
use crate::result_view::ResultView;
use crate::words::Words;

/// Details of `read_file`: of a file, or of an image that was not asked for as base64.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum ManagerReadDetails {
    File(ManagerReadFileDetails),
    Image(ImageDetails),
}

/// A file.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ManagerReadFileDetails {
    /// The file, relative to the workspace.
    path: String,
    /// All of it in the requested encoding, or the lines that `offset` and `limit` select.
    content: String,
    /// Bytes of the file.
    size: u64,
    /// How `content` is written.
    encoding: ReadEncoding,
    /// The encoding of the file, unless it is UTF-8.
    #[serde(rename = "fileEncoding", skip_serializing_if = "Option::is_none")]
    file_encoding: Option<&'static str>,
    /// Whether the encoding was guessed from the bytes.
    #[serde(rename = "encodingGuessed", skip_serializing_if = "std::ops::Not::not")]
    encoding_guessed: bool,
}

impl ResultView for ManagerReadDetails {
    type Output = ReadOutput;

    fn render(output: ReadOutput, words: &Words<'_>) -> (Vec<Content>, Self) {
        match output {
            ReadOutput::Whole(output) => {
                let text = whole_text(&output, words);
                let details = ManagerReadFileDetails {
                    path: output.path,
                    content: output.content,
                    size: output.bytes,
                    encoding: output.encoding,
                    file_encoding: output.text_encoding.and_then(other_encoding),
                    encoding_guessed: output.text_encoding.is_some_and(TextEncoding::is_guessed),
                };
                (vec![Content::Text(text)], Self::File(details))
            }
            ReadOutput::Text(output) => {
                let text = page_answer(&output, words);
                let details = ManagerReadFileDetails {
                    content: page_text(&output),
                    size: output.page.total_bytes,
                    encoding: ReadEncoding::Utf8,
                    file_encoding: other_encoding(output.page.encoding),
                    encoding_guessed: output.page.encoding.is_guessed(),
                    path: output.path,
                };
                (vec![Content::Text(text)], Self::File(details))
            }
            several @ ReadOutput::Several(_) => Self::render(several.as_one(), words),
            ReadOutput::Image(image) => {
                let details = ImageDetails::of(&image);
                (image_content(image), Self::Image(details))
            }
        }
    }
}

/// Details of `write_file`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ManagerWriteDetails {
    /// The file, relative to the workspace.
    path: String,
    /// Bytes of the file now.
    bytes_written: u64,
    /// Always true: a failed write is an error.
    success: bool,
}

impl ResultView for ManagerWriteDetails {
    type Output = WriteOutput;

    fn render(output: WriteOutput, words: &Words<'_>) -> (Vec<Content>, Self) {
        let text = written(&output, words);
        let details = Self {
            path: output.path,
            bytes_written: output.bytes,
            success: true,
        };
        (vec![Content::Text(text)], details)
    }
}
