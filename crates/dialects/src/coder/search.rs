//! glob and grep as the `coder` dialect renders them.

use schemars::JsonSchema;
use serde::Serialize;
use tenon_contract::Content;
use tenon_search::Stopped;
use tenon_tools::{FindOutput, GrepOutput};

use crate::render::{MatchedLine, found_text, grep_text, matched_lines, total_of_cut};
use crate::result_view::ResultView;
use crate::words::Words;

/// Details of `glob`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CoderGlobDetails {
    /// Always true: a failed search is an error.
    ok: bool,
    /// The files, relative to the workspace, sorted by path.
    matches: Vec<String>,
    /// Present and true when only the first 1000 are in `matches`, or time ran out.
    #[serde(skip_serializing_if = "Option::is_none")]
    truncated: Option<bool>,
    /// How many files match, where `matches` has not all of them; at least this many with `timed_out`.
    #[serde(skip_serializing_if = "Option::is_none")]
    total_matches: Option<u64>,
    /// Present and true when time ran out before everything was looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    timed_out: Option<bool>,
}

impl ResultView for CoderGlobDetails {
    type Output = FindOutput;

    fn render(output: FindOutput, words: &Words<'_>) -> (Vec<Content>, Self) {
        let text = found_text(&output, words);
        let total = total_of_cut(&output);
        let details = Self {
            ok: true,
            truncated: total.map(|_| true),
            total_matches: total,
            timed_out: output.timed_out.then_some(true),
            matches: output.files.into_iter().map(|file| file.path).collect(),
        };
        (vec![Content::Text(text)], details)
    }
}

/// Details of `grep`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CoderGrepDetails {
    /// Always true: a failed search is an error.
    ok: bool,
    /// How many are in `matches`.
    count: usize,
    /// The matching lines, by path and line.
    matches: Vec<CoderGrepMatch>,
    /// Present and true when time ran out before everything was looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    timed_out: Option<bool>,
}

/// One matching line.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CoderGrepMatch {
    /// The file, relative to the workspace.
    path: String,
    /// Counted from 1.
    line: u64,
    /// The line without its end, cut to 500 characters.
    text: String,
}

impl ResultView for CoderGrepDetails {
    type Output = GrepOutput;

    fn render(output: GrepOutput, words: &Words<'_>) -> (Vec<Content>, Self) {
        let text = grep_text(&output, words);
        let matches: Vec<CoderGrepMatch> = matched_lines(&output.files)
            .map(|MatchedLine { path, line }| CoderGrepMatch {
                path: path.to_owned(),
                line: line.number,
                text: line.text.to_owned(),
            })
            .collect();
        let details = Self {
            ok: true,
            count: matches.len(),
            matches,
            timed_out: (output.stopped == Some(Stopped::Deadline)).then_some(true),
        };
        (vec![Content::Text(text)], details)
    }
}
