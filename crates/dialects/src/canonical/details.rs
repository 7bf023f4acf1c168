//! The tools of the `canonical` dialect as it renders them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tenon_contract::Content;
use tenon_search::{FileMatches, Stopped};
use tenon_tools::{
    EditOutput, EditPair, EditParams, ExecuteOutput, FindOutput, GrepMode, GrepOutput,
    NotebookEditMode, NotebookEditOutput, PageOrImage, ReadOutput, WriteOutput,
};

use crate::binding::WireParams;
use crate::issue::Issue;
use crate::render::{
    COMMANDS, ChangedDetails, CommandStyle, ImageDetails, MatchedLine, SandboxDetails,
    anchored_text, command_text, count, found_text, grep_text, image_content, matched_lines,
    numbered, other_encoding, page_notice, stream_texts, total_of_cut, with_new_anchors,
    with_notices, with_warnings, write_message,
};
use crate::result_view::ResultView;
use crate::words::Words;

/// Details of `Read`: of a page of text, or of an image.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum CanonicalReadDetails {
    Text(CanonicalReadTextDetails),
    Image(ImageDetails),
}

/// A page of text.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CanonicalReadTextDetails {
    /// The lines, each behind its number: right-aligned to width 6, a tab, the line.
    content: String,
    /// Lines of the whole file.
    total_lines: u64,
    /// The encoding of the file, unless it is UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    encoding: Option<&'static str>,
    /// Whether the encoding was guessed from the bytes.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    encoding_guessed: bool,
}

impl ResultView for CanonicalReadDetails {
    type Output = ReadOutput;

    fn render(output: ReadOutput, words: &Words<'_>) -> (Vec<Content>, Self) {
        let output = match output.into() {
            PageOrImage::Page(output) => output,
            PageOrImage::Image(image) => {
                let details = ImageDetails::of(&image);
                return (image_content(image), Self::Image(details));
            }
        };
        let content = numbered(&output);
        let shown = if output.page.total_lines == 0 {
            "(empty file)".to_owned()
        } else {
            anchored_text(&output).unwrap_or_else(|| content.clone())
        };
        let text = with_notices(shown, &page_notice(&output, words));
        let details = CanonicalReadTextDetails {
            content,
            total_lines: output.page.total_lines,
            encoding: other_encoding(output.page.encoding),
            encoding_guessed: output.page.encoding.is_guessed(),
        };
        (vec![Content::Text(text)], Self::Text(details))
    }
}

/// Details of `Write`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CanonicalWriteDetails {
    /// Always true: a failed write is an error.
    success: bool,
    /// Bytes of the file now.
    bytes_written: u64,
}

impl ResultView for CanonicalWriteDetails {
    type Output = WriteOutput;

    fn render(output: WriteOutput, words: &Words<'_>) -> (Vec<Content>, Self) {
        let unit = if output.bytes == 1 { "byte" } else { "bytes" };
        let text = format!(
            "Successfully wrote {} {unit} to {}",
            output.bytes, output.path
        );
        let text = write_message(text, &output, words);
        (
            vec![Content::Text(text)],
            Self {
                success: true,
                bytes_written: output.bytes,
            },
        )
    }
}

/// Parameters of `Edit`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CanonicalEditParams {
    /// Absolute file path.
    file_path: String,
    /// Exact text to replace.
    old_string: String,
    /// Replacement text.
    new_string: String,
    /// Replace every match.
    #[serde(default)]
    replace_all: bool,
}

impl WireParams for CanonicalEditParams {
    type Params = EditParams;
    const ALIASES: &'static [(&'static str, &'static str)] = &[
        ("path", "file_path"),
        ("file", "file_path"),
        ("filename", "file_path"),
        ("old_text", "old_string"),
        ("old_str", "old_string"),
        ("new_text", "new_string"),
        ("new_str", "new_string"),
    ];

    const NAMES: &'static [(&'static str, &'static str)] = &[
        ("path", "file_path"),
        ("old_text", "old_string"),
        ("new_text", "new_string"),
        ("replace_all", "replace_all"),
    ];

    fn into_operation(self) -> Result<EditParams, Vec<Issue>> {
        let edits = vec![EditPair {
            old_text: self.old_string,
            new_text: self.new_string,
        }];
        Ok(EditParams {
            path: self.file_path,
            edits,
            anchored: None,
            insertions: None,
            replace_all: Some(self.replace_all),
        })
    }
}

/// Details of `Edit`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CanonicalEditDetails {
    /// Always true: a failed edit is an error.
    success: bool,
    /// Places that were replaced.
    replacements: usize,
}

impl ResultView for CanonicalEditDetails {
    type Output = EditOutput;

    fn render(output: EditOutput, words: &Words<'_>) -> (Vec<Content>, Self) {
        let places = if output.replacements == 1 {
            "1 place".to_owned()
        } else {
            format!("{} places", output.replacements)
        };
        let mut text = format!("Replaced {places} in {}.\n{}", output.path, output.numbered);
        if let Some(loose) = output.matches.iter().find(|place| !place.exact) {
            text.push_str(&format!(
                "\n[Matched with tolerance ({}) at line {}]",
                loose.strategy, loose.line
            ));
        }
        let text = with_new_anchors(text, &output.anchored);
        let text = with_warnings(text, &output.warnings, words);
        (
            vec![Content::Text(text)],
            Self {
                success: true,
                replacements: output.replacements,
            },
        )
    }
}

/// Details of `Glob`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CanonicalGlobDetails {
    /// The files, relative to the workspace, sorted by path.
    files: Vec<String>,
    /// How many are in `files`.
    count: usize,
    /// Present and true when only the first 1000 are in `files`, or time ran out.
    #[serde(skip_serializing_if = "Option::is_none")]
    truncated: Option<bool>,
    /// How many files match, where `files` has not all of them; at least this many with `timed_out`.
    #[serde(skip_serializing_if = "Option::is_none")]
    total_matches: Option<u64>,
    /// Present and true when time ran out before everything was looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    timed_out: Option<bool>,
}

impl ResultView for CanonicalGlobDetails {
    type Output = FindOutput;

    fn render(output: FindOutput, words: &Words<'_>) -> (Vec<Content>, Self) {
        let text = found_text(&output, words);
        let total = total_of_cut(&output);
        let files: Vec<String> = output.files.into_iter().map(|file| file.path).collect();
        (
            vec![Content::Text(text)],
            Self {
                count: files.len(),
                files,
                truncated: total.map(|_| true),
                total_matches: total,
                timed_out: output.timed_out.then_some(true),
            },
        )
    }
}

/// Details of `Grep`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CanonicalGrepDetails {
    /// Matching lines, files with a match, or counts, as `output_mode` asks.
    matches: Vec<CanonicalGrepMatch>,
    /// Matching lines in all, whatever `head_limit` left out; files in `files_with_matches`.
    total_matches: u64,
    /// Present and true when time ran out before everything was looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    timed_out: Option<bool>,
}

/// One entry, its form by `output_mode`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum CanonicalGrepMatch {
    Line {
        /// The file, relative to the workspace.
        file: String,
        /// Counted from 1.
        line_number: u64,
        /// The line without its end.
        content: String,
    },
    Count {
        /// The file, relative to the workspace.
        file: String,
        /// Matching lines in it.
        count: u64,
    },
    File {
        /// The file, relative to the workspace.
        file: String,
    },
}

impl ResultView for CanonicalGrepDetails {
    type Output = GrepOutput;

    fn render(output: GrepOutput, words: &Words<'_>) -> (Vec<Content>, Self) {
        let text = grep_text(&output, words);
        let of_file = |file: &FileMatches| file.path.clone();
        let matches = match output.mode {
            GrepMode::FilesWithMatches => output
                .files
                .iter()
                .map(|file| CanonicalGrepMatch::File {
                    file: of_file(file),
                })
                .collect(),
            GrepMode::Count => output
                .files
                .iter()
                .map(|file| CanonicalGrepMatch::Count {
                    file: of_file(file),
                    count: file.matches,
                })
                .collect(),
            GrepMode::Content => matched_lines(&output.files)
                .map(|MatchedLine { path, line }| CanonicalGrepMatch::Line {
                    file: path.to_owned(),
                    line_number: line.number,
                    content: line.text.to_owned(),
                })
                .collect(),
        };
        (
            vec![Content::Text(text)],
            Self {
                matches,
                total_matches: output.totals.matches,
                timed_out: (output.stopped == Some(Stopped::Deadline)).then_some(true),
            },
        )
    }
}

/// Details of `Bash`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CanonicalBashDetails {
    /// Standard output; the middle is left out when it is long.
    stdout: String,
    /// Standard error.
    stderr: String,
    /// The exit code; null when a signal ended the command or it still runs.
    exit_code: Option<i32>,
    /// The id under which the command, or what it left running, goes on in the background.
    #[serde(skip_serializing_if = "Option::is_none")]
    background_id: Option<String>,
    /// The files that were changed while it ran, if the host asked for that.
    #[serde(skip_serializing_if = "Option::is_none")]
    changes: Option<ChangedDetails>,
    /// The sandbox that it ran in, if there was to be one.
    #[serde(skip_serializing_if = "Option::is_none")]
    sandbox: Option<SandboxDetails>,
    /// The address of the full output for tools that read and search, when it was cut: `output://1`.
    #[serde(skip_serializing_if = "Option::is_none")]
    full_output: Option<String>,
    /// The file with the full output. Removed when the toolkit closes.
    #[serde(skip_serializing_if = "Option::is_none")]
    full_output_path: Option<String>,
}

/// How this vocabulary says that a command runs on.
const RUNNING: CommandStyle = CommandStyle {
    running: |id, _| format!("Command running in background with ID: {id}\n"),
    ..COMMANDS
};

impl ResultView for CanonicalBashDetails {
    type Output = ExecuteOutput;

    fn render(output: ExecuteOutput, words: &Words<'_>) -> (Vec<Content>, Self) {
        let text = command_text(&output, RUNNING, words);
        let streams = stream_texts(&output);
        let (full_output, full_output_path) = output.output.whole().unzip();
        (
            vec![Content::Text(text)],
            Self {
                full_output,
                full_output_path,
                stdout: streams.stdout,
                stderr: streams.stderr,
                exit_code: output.exit_code,
                changes: output.changed.as_ref().map(ChangedDetails::of),
                sandbox: output.sandbox.as_ref().map(SandboxDetails::of),
                background_id: output.background.map(|background| background.session),
            },
        )
    }
}

/// Details of `NotebookEdit`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CanonicalNotebookEditDetails {
    /// Always true: a failed edit is an error.
    success: bool,
    /// The cell: its id, or `cell-N`.
    cell_id: String,
    /// `code`, `markdown` or `raw`.
    cell_type: String,
    /// What was done.
    edit_mode: NotebookEditMode,
    /// Cells of the notebook now.
    total_cells: usize,
}

impl ResultView for CanonicalNotebookEditDetails {
    type Output = NotebookEditOutput;

    fn render(output: NotebookEditOutput, _: &Words<'_>) -> (Vec<Content>, Self) {
        let (kind, id, path) = (&output.cell_type, &output.cell_id, &output.path);
        let (number, total) = (output.index + 1, output.cells);
        let cells = count(total as u64, "cell", "cells");
        let text = match output.mode {
            NotebookEditMode::Replace => {
                format!("Replaced {kind} cell {id} (number {number} of {total}) in {path}.")
            }
            NotebookEditMode::Insert => {
                format!("Inserted {kind} cell {id} (number {number} of {total}) in {path}.")
            }
            NotebookEditMode::Delete => {
                format!("Deleted {kind} cell {id} from {path}, which now has {cells}.")
            }
        };
        let details = Self {
            success: true,
            cell_id: output.cell_id,
            cell_type: output.cell_type,
            edit_mode: output.mode,
            total_cells: output.cells,
        };
        (vec![Content::Text(text)], details)
    }
}
