//! git_status as the `manager` dialect renders it.

use schemars::JsonSchema;
use serde::Serialize;
use tenon_contract::Content;
use tenon_tools::GitStatusOutput;

use crate::render::git_status_text;
use crate::result_view::ResultView;
use crate::words::Words;

/// What stands for the branch when none is checked out.
const DETACHED: &str = "HEAD";

/// Details of `git_status`. Paths are relative to the workspace and sorted.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ManagerGitStatusDetails {
    /// The branch; `HEAD` when none is checked out.
    branch: String,
    /// Commits that the upstream branch lacks; 0 without an upstream branch.
    ahead: u64,
    /// Commits of the upstream branch that this one lacks.
    behind: u64,
    /// Files with another content or mode, staged or not.
    modified: Vec<String>,
    /// Files that are new, staged or untracked.
    created: Vec<String>,
    /// Files that are gone.
    deleted: Vec<String>,
    /// Files of which something is staged; each is in one of the other lists too.
    staged: Vec<String>,
    /// Files with a conflict to be resolved.
    conflicted: Vec<String>,
}

impl ResultView for ManagerGitStatusDetails {
    type Output = GitStatusOutput;

    fn render(output: GitStatusOutput, _: &Words<'_>) -> (Vec<Content>, Self) {
        let text = git_status_text(&output);
        let details = Self {
            branch: output.branch.unwrap_or_else(|| DETACHED.to_owned()),
            ahead: output.ahead,
            behind: output.behind,
            modified: output.modified,
            created: output.created,
            deleted: output.deleted,
            staged: output.staged,
            conflicted: output.conflicted,
        };
        (vec![Content::Text(text)], details)
    }
}
