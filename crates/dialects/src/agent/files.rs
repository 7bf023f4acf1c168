//! read, write, edit and ls as the `agent` dialect renders them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tenon_contract::{Content, limits};
use tenon_tools::{
    EditOutput, EditPair, EditParams, ListOutput, MatchFact, PageOrImage, ReadOutput, ReadPart,
    ShownPart, WriteOutput, shown_name,
};
use tenon_workspace::TruncationResult;

use crate::binding::WireParams;
use crate::issue::{Issue, IssueCode};
use crate::render::{
    ImageDetails, WriteOperation, count, image_content, listing_text, other_encoding, page_answer,
    with_new_anchors, with_warnings, written,
};
use crate::result_view::ResultView;
use crate::words::Words;

/// Details of `read`: of a page of text, or of an image.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum AgentReadDetails {
    Text(AgentReadTextDetails),
    Several(AgentReadSeveralDetails),
    Image(ImageDetails),
}

/// Several files.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AgentReadSeveralDetails {
    /// In the order of the call.
    files: Vec<AgentReadPart>,
}

/// One file of several.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AgentReadPart {
    /// The file, relative to the workspace.
    path: String,
    /// Lines of the whole file.
    lines: Option<u64>,
    /// First line that is shown, counted from 1; none of an outline.
    start_line: Option<u64>,
    /// Last line that is shown.
    end_line: Option<u64>,
    /// Whether only an outline is shown, since the lines did not fit.
    outline: bool,
    /// Why it was not read.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

impl AgentReadSeveralDetails {
    fn of(parts: Vec<ReadPart>, words: &Words<'_>) -> (Vec<Content>, Self) {
        let mut texts = Vec::with_capacity(parts.len());
        let mut files = Vec::with_capacity(parts.len());
        for part in parts {
            let mut file = AgentReadPart {
                path: part.path,
                ..AgentReadPart::default()
            };
            let text = match part.shown {
                ShownPart::Page(page) => {
                    file.lines = Some(page.page.total_lines);
                    file.start_line = Some(page.page.first_line);
                    file.end_line = Some(page.page.last_line);
                    page_answer(&page, words)
                }
                ShownPart::Outline { lines, text } => {
                    file.lines = Some(lines);
                    file.outline = true;
                    let all = count(lines, "line does", "lines do");
                    format!("[{all} not fit; name fewer files or lines to see them]\n{text}")
                }
                ShownPart::Failed(error) => {
                    let message = error.reported(words).message;
                    let shown = format!("[{message}]");
                    file.error = Some(message);
                    shown
                }
            };
            texts.push(format!(
                "==> {} <==\n{}",
                shown_name(&file.path),
                text.trim_end_matches('\n')
            ));
            files.push(file);
        }
        (vec![Content::Text(texts.join("\n\n"))], Self { files })
    }
}

/// A page of text.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AgentReadTextDetails {
    /// The file, relative to the workspace.
    path: String,
    /// Lines of the whole file; a last line end opens no line.
    lines: u64,
    /// First line of the page, counted from 1.
    start_line: u64,
    /// Last line of the page; one less than `startLine` when the page holds none.
    end_line: u64,
    /// Whether lines follow the page.
    has_more: bool,
    /// The encoding of the file, unless it is UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    encoding: Option<&'static str>,
    /// Whether the encoding was guessed from the bytes.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    encoding_guessed: bool,
    /// The facts of the cut, when the limits of the tool made one.
    #[serde(skip_serializing_if = "Option::is_none")]
    truncation: Option<TruncationResult>,
}

impl ResultView for AgentReadDetails {
    type Output = ReadOutput;

    fn render(output: ReadOutput, words: &Words<'_>) -> (Vec<Content>, Self) {
        let output = match output {
            ReadOutput::Several(parts) => {
                let (content, details) = AgentReadSeveralDetails::of(parts, words);
                return (content, Self::Several(details));
            }
            one => one,
        };
        let output = match output.into() {
            PageOrImage::Page(output) => output,
            PageOrImage::Image(image) => {
                let details = ImageDetails::of(&image);
                return (image_content(image), Self::Image(details));
            }
        };
        let text = page_answer(&output, words);
        let details = AgentReadTextDetails {
            path: output.path,
            lines: output.page.total_lines,
            start_line: output.page.first_line,
            end_line: output.page.last_line,
            has_more: output.page.has_more(),
            encoding: other_encoding(output.page.encoding),
            encoding_guessed: output.page.encoding.is_guessed(),
            truncation: output.truncation,
        };
        (vec![Content::Text(text)], Self::Text(details))
    }
}

/// Details of `write`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AgentWriteDetails {
    /// The file, relative to the workspace.
    path: String,
    /// Bytes of the file now.
    size: u64,
    /// Whether the file is new.
    operation: WriteOperation,
    /// Lines that are new.
    additions: usize,
    /// Lines that are gone.
    deletions: usize,
    /// The change as a unified diff.
    diff: String,
    /// What may be wrong with the result, in sentences.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

impl ResultView for AgentWriteDetails {
    type Output = WriteOutput;

    fn render(output: WriteOutput, words: &Words<'_>) -> (Vec<Content>, Self) {
        let text = written(&output, words);
        let details = Self {
            path: output.path,
            size: output.bytes,
            operation: WriteOperation::of(output.kind),
            additions: output.additions,
            deletions: output.deletions,
            diff: output.diff,
            warnings: output.warnings,
        };
        (vec![Content::Text(text)], details)
    }
}

/// Parameters of `edit`: a list of replacements, or one by itself.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct AgentEditParams {
    /// File path, absolute or relative to the workspace.
    #[serde(rename = "file_path")]
    file_path: String,
    /// One or more replacements.
    #[schemars(length(min = 1))]
    edits: Option<Vec<AgentEditPair>>,
    /// Instead of `edits`, for one replacement.
    old_text: Option<String>,
    /// Instead of `edits`.
    new_text: Option<String>,
    /// Replace every match. Default: false.
    replace_all: Option<bool>,
}

/// One replacement.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct AgentEditPair {
    /// Exact text to replace.
    old_text: String,
    /// Replacement text.
    new_text: String,
}

impl WireParams for AgentEditParams {
    type Params = EditParams;
    const ALIASES: &'static [(&'static str, &'static str)] = &[
        ("path", "file_path"),
        ("file", "file_path"),
        ("filename", "file_path"),
        ("old_string", "oldText"),
        ("old_str", "oldText"),
        ("new_string", "newText"),
        ("new_str", "newText"),
        ("edits[].old_string", "edits[].oldText"),
        ("edits[].old_str", "edits[].oldText"),
        ("edits[].new_string", "edits[].newText"),
        ("edits[].new_str", "edits[].newText"),
    ];

    const NAMES: &'static [(&'static str, &'static str)] = &[
        ("path", "file_path"),
        ("old_text", "oldText"),
        ("new_text", "newText"),
        ("replace_all", "replaceAll"),
    ];

    fn into_operation(self) -> Result<EditParams, Vec<Issue>> {
        let single = match (self.old_text, self.new_text) {
            (Some(old_text), Some(new_text)) => Some(EditPair { old_text, new_text }),
            (None, None) => None,
            (old, _) => {
                let missing = if old.is_none() { "oldText" } else { "newText" };
                return Err(vec![Issue::new(
                    missing,
                    IssueCode::MissingRequired,
                    format!(
                        "`{missing}` is required (string): give both `oldText` and `newText`, or `edits`."
                    ),
                )]);
            }
        };
        let listed = self.edits.into_iter().flatten().map(|pair| EditPair {
            old_text: pair.old_text,
            new_text: pair.new_text,
        });
        let edits: Vec<EditPair> = listed.chain(single).collect();
        if edits.is_empty() {
            let message = "`edits` is required (array), or `oldText` and `newText`.";
            return Err(vec![Issue::new(
                "edits",
                IssueCode::MissingRequired,
                message,
            )]);
        }
        Ok(EditParams {
            path: self.file_path,
            edits,
            anchored: None,
            insertions: None,
            replace_all: self.replace_all,
        })
    }
}

/// Details of `edit`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AgentEditDetails {
    /// The file, relative to the workspace.
    path: String,
    /// Places that were replaced.
    replacements: usize,
    /// The change with line numbers, as pi shows it.
    diff: String,
    /// The change as a unified diff.
    patch: String,
    /// First line that differs, in the new file, counted from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    first_changed_line: Option<usize>,
    /// How the text was found.
    r#match: EditMatch,
    /// What may be wrong with the result, in sentences.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

/// How the text was found.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct EditMatch {
    /// `exact`, or the weakest tolerance that was needed.
    strategy: String,
    /// Whether all of it matched to the letter.
    exact: bool,
    /// First line of the first place in the original file, counted from 1.
    line: usize,
    /// Last line of the last place in the original file.
    end_line: usize,
    /// The places in the order of the file, at most 1000 of them.
    places: Vec<MatchFact>,
}

impl EditMatch {
    fn of(mut places: Vec<MatchFact>) -> Self {
        let loose = places.iter().find(|place| !place.exact);
        let strategy = loose
            .or(places.first())
            .map_or_else(|| "exact".to_owned(), |place| place.strategy.clone());
        let exact = loose.is_none();
        let line = places.iter().map(|place| place.line).min().unwrap_or(1);
        let end_line = places.iter().map(|place| place.end_line).max().unwrap_or(1);
        places.truncate(limits::EDIT_PLACES_MAX);
        Self {
            strategy,
            exact,
            line,
            end_line,
            places,
        }
    }
}

impl ResultView for AgentEditDetails {
    type Output = EditOutput;

    fn render(output: EditOutput, words: &Words<'_>) -> (Vec<Content>, Self) {
        let found = EditMatch::of(output.matches);
        let mut text = format!(
            "Successfully replaced {} block(s) in {}.",
            output.replacements, output.path
        );
        if !found.exact {
            text.push_str(&format!(
                " Matched with tolerance ({}) at line {}.",
                found.strategy, found.line
            ));
        }
        let text = with_new_anchors(text, &output.anchored);
        let text = with_warnings(text, &output.warnings, words);
        let details = Self {
            path: output.path,
            replacements: output.replacements,
            diff: output.numbered,
            patch: output.patch,
            first_changed_line: output.first_changed_line,
            r#match: found,
            warnings: output.warnings,
        };
        (vec![Content::Text(text)], details)
    }
}

/// Details of `ls`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AgentLsDetails {
    /// The directory, relative to the workspace.
    path: String,
    /// Its entries, sorted by name without regard to case.
    items: Vec<AgentLsItem>,
    /// Whether some are left out.
    truncated: bool,
}

/// One entry of a directory.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AgentLsItem {
    /// Its name.
    name: String,
    /// Its path, relative to the workspace.
    path: String,
    /// Whether it is a directory.
    is_dir: bool,
    /// Bytes; 0 for directories.
    size_bytes: u64,
}

impl ResultView for AgentLsDetails {
    type Output = ListOutput;

    fn render(output: ListOutput, words: &Words<'_>) -> (Vec<Content>, Self) {
        let text = listing_text(&output, words);
        let items = output.entries.into_iter().map(|entry| AgentLsItem {
            name: entry.name,
            path: entry.path,
            is_dir: entry.is_directory,
            size_bytes: entry.bytes,
        });
        let details = Self {
            path: output.path,
            items: items.collect(),
            truncated: output.truncated,
        };
        (vec![Content::Text(text)], details)
    }
}
