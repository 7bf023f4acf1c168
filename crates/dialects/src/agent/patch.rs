//! apply_patch as the `agent` dialect renders it.

use schemars::JsonSchema;
use serde::Serialize;
use tenon_contract::{ChangeKind, Content};
use tenon_tools::PatchOutput;

use crate::render::patch_text;
use crate::result_view::ResultView;
use crate::words::Words;

/// Details of `apply_patch`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AgentApplyPatchDetails {
    /// Whether files were changed; false for a dry run.
    applied: bool,
    /// Every file of the patch, in its order.
    results: Vec<AgentPatchedFile>,
    /// All changes as one unified diff.
    diff: String,
    /// What may be wrong with the result, in sentences.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

/// One file of a patch.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AgentPatchedFile {
    /// The file afterwards (before, for a deletion), relative to the workspace.
    path: String,
    /// What happens to it.
    operation: ChangeKind,
    /// Where it was before, for a move or copy.
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<String>,
    /// Lines that are new.
    additions: usize,
    /// Lines that are gone.
    deletions: usize,
}

impl ResultView for AgentApplyPatchDetails {
    type Output = PatchOutput;

    fn render(output: PatchOutput, words: &Words<'_>) -> (Vec<Content>, Self) {
        let text = patch_text(&output, words);
        let results = output.files.into_iter().map(|file| AgentPatchedFile {
            path: file.path,
            operation: file.kind,
            from: file.from,
            additions: file.additions,
            deletions: file.deletions,
        });
        let details = Self {
            applied: output.applied,
            results: results.collect(),
            diff: output.diff,
            warnings: output.warnings,
        };
        (vec![Content::Text(text)], details)
    }
}
