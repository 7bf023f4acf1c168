//! The options of searches.

use schemars::JsonSchema;
use serde::Deserialize;
use tenon_contract::{ErrorCode, ToolError, limits};
use tenon_search::{Index, IndexOptions, IndexStore};
use tenon_tools::SearchSettings;
use tenon_workspace::{Workspace, state_directory};

use super::Options;

/// Where indexes are, below the state directory.
const INDEXES: &str = "search-index";

/// Searches.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SearchOptions {
    /// Whether trees of 200 files and more are kept in a warm index after their first search, which makes the next ones quick and
    /// changes no answer; only what is written through a hard link that was made elsewhere since is found some seconds later. Linux, on
    /// file systems that report their changes; elsewhere there is none. Default: `auto`.
    #[serde(default)]
    pub index: IndexMode,
    /// Whether searches stay on the file system of the directory that they begin in (`rg --one-file-system`). There is no
    /// index then. Default: no.
    #[serde(default)]
    pub same_file_system: bool,
}

/// When there is an index.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum IndexMode {
    /// As soon as a tree is large enough to gain by it.
    #[default]
    Auto,
    /// The same, and in the state directory (`TENON_STATE_DIR`) for the first search of the next process: names of files, and
    /// signatures of those contents that rules do not keep from searches.
    Disk,
    /// Never.
    Off,
}

impl Options {
    /// What holds for every search.
    pub(crate) fn searches(&self, workspace: &Workspace) -> Result<SearchSettings, ToolError> {
        Ok(SearchSettings {
            index: match self.search.index {
                _ if self.search.same_file_system => Index::off(),
                IndexMode::Auto => Index::new(IndexOptions::default()),
                IndexMode::Disk => Index::new(IndexOptions {
                    store: Some(store(workspace)?),
                    ..IndexOptions::default()
                }),
                IndexMode::Off => Index::off(),
            },
            same_file_system: self.search.same_file_system,
            time_limit: self.time_limit().unwrap_or(limits::CALL_TIMEOUT),
        })
    }
}

fn store(workspace: &Workspace) -> Result<IndexStore, ToolError> {
    let parent = state_directory(None, workspace.roots()).map_err(|message| {
        ToolError::new(ErrorCode::InvalidParams, message).with("option", "options.search.index")
    })?;
    Ok(IndexStore::new(parent.join(INDEXES)))
}
