//! read, write and list as the `coder` dialect renders them.

use schemars::JsonSchema;
use serde::Serialize;
use tenon_contract::Content;
use tenon_tools::{ListOutput, PageOrImage, ReadOutput, WriteOutput};

use crate::render::{
    ImageDetails, WriteOperation, image_content, listing_text, other_encoding, page_answer,
    page_text, written,
};
use crate::result_view::ResultView;
use crate::words::Words;

/// Details of `read`: of a page of text, or of an image.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum CoderReadDetails {
    Text(CoderReadTextDetails),
    Image(CoderImageDetails),
}

/// A page of text.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CoderReadTextDetails {
    /// Always true: a failed read is an error.
    ok: bool,
    /// The file, relative to the workspace.
    path: String,
    /// The lines as they stand in the file; empty past its end.
    content: String,
    /// First line of the page, 1-based; 0 when it has no lines.
    start_line: u64,
    /// Last line of the page; 0 when it has no lines.
    end_line: u64,
    /// Whether lines follow the page.
    has_more: bool,
    /// The encoding of the file, unless it is UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    encoding: Option<&'static str>,
    /// Whether the encoding was guessed from the bytes.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    encoding_guessed: bool,
}

/// An image.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CoderImageDetails {
    /// Always true: a failed read is an error.
    ok: bool,
    #[serde(flatten)]
    image: ImageDetails,
}

impl ResultView for CoderReadDetails {
    type Output = ReadOutput;

    fn render(output: ReadOutput, words: &Words<'_>) -> (Vec<Content>, Self) {
        match output.into() {
            PageOrImage::Page(output) => {
                let text = page_answer(&output, words);
                let is_empty = output.page.line_count() == 0;
                let details = CoderReadTextDetails {
                    ok: true,
                    content: page_text(&output),
                    start_line: if is_empty { 0 } else { output.page.first_line },
                    end_line: if is_empty { 0 } else { output.page.last_line },
                    has_more: output.page.has_more(),
                    encoding: other_encoding(output.page.encoding),
                    encoding_guessed: output.page.encoding.is_guessed(),
                    path: output.path,
                };
                (vec![Content::Text(text)], Self::Text(details))
            }
            PageOrImage::Image(image) => {
                let details = CoderImageDetails {
                    ok: true,
                    image: ImageDetails::of(&image),
                };
                (image_content(image), Self::Image(details))
            }
        }
    }
}

/// Details of `write`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CoderWriteDetails {
    /// Always true: a failed write is an error.
    ok: bool,
    /// The file, relative to the workspace.
    path: String,
    /// Whether the file is new.
    operation: WriteOperation,
    /// Bytes of the file now.
    size: u64,
    /// Lines that are new.
    additions: usize,
    /// Lines that are gone.
    deletions: usize,
    /// The change as a unified diff.
    diff: String,
}

impl ResultView for CoderWriteDetails {
    type Output = WriteOutput;

    fn render(output: WriteOutput, words: &Words<'_>) -> (Vec<Content>, Self) {
        let text = written(&output, words);
        let details = Self {
            ok: true,
            operation: WriteOperation::of(output.kind),
            size: output.bytes,
            additions: output.additions,
            deletions: output.deletions,
            diff: output.diff,
            path: output.path,
        };
        (vec![Content::Text(text)], details)
    }
}

/// Details of `list`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CoderListDetails {
    /// Always true: a failed listing is an error.
    ok: bool,
    /// The directory, relative to the workspace.
    path: String,
    /// All its entries, sorted by name without regard to case.
    items: Vec<CoderListItem>,
}

/// One entry of a directory.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CoderListItem {
    /// Its name.
    name: String,
    /// Its path, relative to the workspace.
    path: String,
    /// Whether it is a directory.
    is_dir: bool,
    /// Bytes; 0 for directories.
    size_bytes: u64,
}

impl ResultView for CoderListDetails {
    type Output = ListOutput;

    fn render(output: ListOutput, words: &Words<'_>) -> (Vec<Content>, Self) {
        let text = listing_text(&output, words);
        let items = output.entries.into_iter().map(|entry| CoderListItem {
            name: entry.name,
            path: entry.path,
            is_dir: entry.is_directory,
            size_bytes: entry.bytes,
        });
        let details = Self {
            ok: true,
            path: output.path,
            items: items.collect(),
        };
        (vec![Content::Text(text)], details)
    }
}
