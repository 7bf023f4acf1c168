//! patch as the `coder` dialect renders it.

use schemars::JsonSchema;
use serde::Serialize;
use tenon_contract::{ChangeKind, Content};
use tenon_tools::PatchOutput;

use crate::render::patch_text;
use crate::result_view::ResultView;
use crate::words::Words;

/// Details of `patch`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CoderPatchDetails {
    /// Always true: a patch that does not fit is an error, and changes nothing.
    ok: bool,
    /// Whether files were changed; false for a dry run.
    applied: bool,
    /// Every file of the patch, in its order.
    results: Vec<CoderPatchedFile>,
}

/// One file of a patch.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CoderPatchedFile {
    /// The file afterwards (before, for a deletion), relative to the workspace.
    path: String,
    /// What happens to it.
    operation: ChangeKind,
    /// Hunks of the patch for this file.
    hunks: usize,
    /// Lines that are new.
    additions: usize,
    /// Lines that are gone.
    deletions: usize,
    /// Why this file cannot be patched.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

impl ResultView for CoderPatchDetails {
    type Output = PatchOutput;

    fn render(output: PatchOutput, words: &Words<'_>) -> (Vec<Content>, Self) {
        let text = patch_text(&output, words);
        let results = output.files.into_iter().map(|file| CoderPatchedFile {
            path: file.path,
            operation: file.kind,
            hunks: file.hunks,
            additions: file.additions,
            deletions: file.deletions,
            error: None,
        });
        let details = Self {
            ok: true,
            applied: output.applied,
            results: results.collect(),
        };
        (vec![Content::Text(text)], details)
    }
}
