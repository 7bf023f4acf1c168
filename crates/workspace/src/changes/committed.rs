//! What a commit did.

use schemars::JsonSchema;
use serde::Serialize;
use tenon_contract::{ChangeKind, FileChange};

/// One file that was changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CommittedChange {
    /// The file, relative to the workspace root with `/`; of a move, the new path.
    pub path: String,
    /// What happened to it.
    pub kind: ChangeKind,
    /// The old path of a move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Its size in bytes afterwards; 0 when it is gone.
    pub bytes: u64,
    /// Whether it was written over instead of being replaced, because it is a mount point or stands
    /// in a directory that takes no new files.
    pub in_place: bool,
    /// Other names (hard links) that the old file had. They keep the old content.
    pub other_names: u64,
}

impl From<&CommittedChange> for FileChange {
    fn from(change: &CommittedChange) -> Self {
        Self {
            path: change.path.clone(),
            kind: change.kind,
        }
    }
}
