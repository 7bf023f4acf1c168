//! What a call would do, for the one who has to approve it.

use crate::FileChange;

/// What a call would do to files, worked out and not done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preview {
    /// Every file that would change. Empty when the call would change nothing.
    pub changes: Vec<FileChange>,
    /// The changes as one unified diff, whole.
    pub diff: String,
    /// Stands for exactly these changes: a hash over the content of every file before and afterwards.
    pub plan_hash: String,
}
