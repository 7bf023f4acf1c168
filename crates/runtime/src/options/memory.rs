//! Where notes are kept that outlive a session.

use std::path::Path;

use schemars::JsonSchema;
use serde::Deserialize;
use tenon_tools::MemoryDirectory;
use tenon_workspace::Workspace;

/// Notes that outlive a session.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MemoryOptions {
    /// The directory that is `/memories` for the model: absolute, or relative to the workspace. It is made when it is needed, for
    /// its owner only. Who changes it may be in the memory of every later session.
    #[serde(alias = "dir")]
    pub directory: String,
}

impl MemoryOptions {
    pub(crate) fn directory(&self, workspace: &Workspace) -> MemoryDirectory {
        MemoryDirectory::new(workspace.root().join(Path::new(&self.directory)))
    }
}
