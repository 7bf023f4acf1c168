//! States of the workspace to come back to.

use tenon_contract::{FileChange, ToolError};
use tenon_workspace::CheckpointId;

use crate::Toolkit;

impl Toolkit {
    /// Marks the present state of the files as one to come back to. Answers its name.
    ///
    /// # Errors
    /// Once the toolkit is closed.
    pub fn checkpoint(&self) -> Result<String, ToolError> {
        let id = self.journal().checkpoint()?;
        Ok(id.to_string())
    }

    /// Restores every file that tools changed since the checkpoint: content, permission bits,
    /// existence. All or nothing. What commands did is only known with the option `exec.changes`.
    ///
    /// # Errors
    /// `not_found` for a checkpoint that does not exist or exists no more; `stale_file`, with the
    /// files in `details.paths`, where something else changed them, unless `force` is set.
    pub async fn rollback(&self, id: &str, force: bool) -> Result<Vec<FileChange>, ToolError> {
        let id: CheckpointId = id.parse()?;
        let journal = self.journal().clone();
        let work = tokio::task::spawn_blocking(move || journal.rollback(id, force, &|| false));
        let done = work.await.map_err(ToolError::internal)??;
        Ok(done.iter().map(FileChange::from).collect())
    }
}
