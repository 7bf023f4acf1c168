//! search_files and search_code as the `manager` dialect renders them.

use schemars::JsonSchema;
use serde::Serialize;
use tenon_contract::Content;
use tenon_search::Stopped;
use tenon_tools::{FindOutput, GrepOutput};

use crate::render::{MatchedLine, found_text, grep_text, matched_lines};
use crate::result_view::ResultView;
use crate::words::Words;

/// Details of `search_files`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ManagerSearchFilesDetails {
    /// The files, relative to the workspace, sorted by path.
    files: Vec<String>,
    /// How many match in all.
    total_found: u64,
    /// Whether some are left out of `files`.
    truncated: bool,
    /// Present and true when time ran out before everything was looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    timed_out: Option<bool>,
}

impl ResultView for ManagerSearchFilesDetails {
    type Output = FindOutput;

    fn render(output: FindOutput, words: &Words<'_>) -> (Vec<Content>, Self) {
        let text = found_text(&output, words);
        let details = Self {
            total_found: output.totals.matches,
            truncated: output.truncated,
            timed_out: output.timed_out.then_some(true),
            files: output.files.into_iter().map(|file| file.path).collect(),
        };
        (vec![Content::Text(text)], details)
    }
}

/// Details of `search_code`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ManagerSearchCodeDetails {
    /// What was looked for.
    query: String,
    /// The matching lines, by path and line.
    matches: Vec<ManagerCodeMatch>,
    /// How many lines match in all.
    total_matches: u64,
    /// Present and true when time ran out before everything was looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    timed_out: Option<bool>,
}

/// One matching line.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ManagerCodeMatch {
    /// The file, relative to the workspace.
    file: String,
    /// Counted from 1.
    line: u64,
    /// Where the first match of the line begins, in characters counted from 1.
    column: u32,
    /// The first match of the line.
    r#match: String,
    /// The line without its end, cut to 500 characters around the match.
    context: String,
}

impl ResultView for ManagerSearchCodeDetails {
    type Output = GrepOutput;

    fn render(output: GrepOutput, words: &Words<'_>) -> (Vec<Content>, Self) {
        let text = grep_text(&output, words);
        let matches =
            matched_lines(&output.files).map(|MatchedLine { path, line }| ManagerCodeMatch {
                file: path.to_owned(),
                line: line.number,
                column: line.column.unwrap_or(1),
                r#match: line.matched_text().unwrap_or_default().to_owned(),
                context: line.text.to_owned(),
            });
        let details = Self {
            matches: matches.collect(),
            total_matches: output.totals.matches,
            timed_out: (output.stopped == Some(Stopped::Deadline)).then_some(true),
            query: output.pattern,
        };
        (vec![Content::Text(text)], details)
    }
}
