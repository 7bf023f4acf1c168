//! find and grep as the `agent` dialect renders them.

use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use tenon_contract::Content;
use tenon_search::{FileMatches, Stopped};
use tenon_tools::{FindOutput, GrepOutput};

use crate::render::{MatchedLine, found_text, grep_text, matched_lines};
use crate::result_view::ResultView;
use crate::words::Words;

/// Details of `find`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AgentFindDetails {
    /// The files, relative to the workspace, sorted by path; with `fuzzy` the best first.
    files: Vec<String>,
    /// How many are in `files`.
    count: usize,
    /// Whether there are more than the limit or the time let through.
    truncated: bool,
    /// Present and true when time ran out before everything was looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    timed_out: Option<bool>,
    /// What `cursor` goes on with after that; absent where the order is not that of paths.
    #[serde(skip_serializing_if = "Option::is_none")]
    cursor: Option<String>,
}

impl ResultView for AgentFindDetails {
    type Output = FindOutput;

    fn render(output: FindOutput, words: &Words<'_>) -> (Vec<Content>, Self) {
        let text = found_text(&output, words);
        let files: Vec<String> = output.files.into_iter().map(|file| file.path).collect();
        let details = Self {
            count: files.len(),
            files,
            truncated: output.truncated,
            timed_out: output.timed_out.then_some(true),
            cursor: output.cursor,
        };
        (vec![Content::Text(text)], details)
    }
}

/// Details of `grep`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AgentGrepDetails {
    /// The matching lines, by path and line.
    #[serde(serialize_with = "write_matches")]
    #[schemars(with = "Vec<AgentGrepMatch>")]
    matches: Vec<FileMatches>,
    /// How many lines match; at least this many when `truncated`.
    total_matches: u64,
    /// Whether the search ended before the whole tree was seen.
    truncated: bool,
    /// Present and true when it was time that ended it.
    #[serde(skip_serializing_if = "Option::is_none")]
    timed_out: Option<bool>,
    /// What `cursor` goes on with after that.
    #[serde(skip_serializing_if = "Option::is_none")]
    cursor: Option<String>,
}

/// One matching line.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AgentGrepMatch<'a> {
    /// The file, relative to the workspace.
    file: &'a str,
    /// Counted from 1.
    line: u64,
    /// The line without its end, cut to 500 characters.
    text: &'a str,
}

/// The matching lines straight from where they were found: there may be very many.
fn write_matches<S: Serializer>(files: &[FileMatches], serializer: S) -> Result<S::Ok, S::Error> {
    let matches = matched_lines(files).map(|MatchedLine { path, line }| AgentGrepMatch {
        file: path,
        line: line.number,
        text: line.text,
    });
    serializer.collect_seq(matches)
}

impl ResultView for AgentGrepDetails {
    type Output = GrepOutput;

    fn render(output: GrepOutput, words: &Words<'_>) -> (Vec<Content>, Self) {
        let text = grep_text(&output, words);
        let details = Self {
            matches: output.files,
            total_matches: output.totals.matches,
            truncated: output.stopped.is_some(),
            timed_out: (output.stopped == Some(Stopped::Deadline)).then_some(true),
            cursor: output.cursor,
        };
        (vec![Content::Text(text)], details)
    }
}
