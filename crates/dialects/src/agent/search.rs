//! find and grep as the `agent` dialect tells them.

use schemars::JsonSchema;
use serde::Serialize;
use tenon_contract::Content;
use tenon_tools::{FindOutput, GrepOutput};

use crate::render::{GrepStyle, MatchedLine, found_text, grep_text, matched_lines};
use crate::told::Told;

/// Details of `find`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AgentFindDetails {
    /// The files, relative to the workspace, sorted by path.
    files: Vec<String>,
    /// How many are in `files`.
    count: usize,
    /// Whether there are more than the limit let through.
    truncated: bool,
}

impl Told for AgentFindDetails {
    type Output = FindOutput;

    fn tell(output: FindOutput) -> (Vec<Content>, Self) {
        let text = found_text(&output, Some("limit"));
        let files: Vec<String> = output.files.into_iter().map(|file| file.path).collect();
        let details = Self {
            count: files.len(),
            files,
            truncated: output.truncated,
        };
        (vec![Content::Text(text)], details)
    }
}

/// Details of `grep`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AgentGrepDetails {
    /// The matching lines, by path and line.
    matches: Vec<AgentGrepMatch>,
    /// How many lines match; at least this many when `truncated`.
    total_matches: u64,
    /// Whether the search ended before the whole tree was seen.
    truncated: bool,
}

/// One matching line.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AgentGrepMatch {
    /// The file, relative to the workspace.
    file: String,
    /// Counted from 1.
    line: u64,
    /// The line without its end, cut to 500 characters.
    text: String,
}

impl Told for AgentGrepDetails {
    type Output = GrepOutput;

    fn tell(output: GrepOutput) -> (Vec<Content>, Self) {
        let text = grep_text(&output, &GrepStyle::with_limit("limit"));
        let matches = matched_lines(&output).map(|MatchedLine { path, line }| AgentGrepMatch {
            file: path.to_owned(),
            line: line.number,
            text: line.text.to_owned(),
        });
        let details = Self {
            matches: matches.collect(),
            total_matches: output.totals.matches,
            truncated: output.stopped.is_some(),
        };
        (vec![Content::Text(text)], details)
    }
}
