//! The session that calls belong to.

use schemars::JsonSchema;
use serde::Deserialize;
use tenon_sessions::Visibility;

/// The session that calls belong to.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SessionOptions {
    /// Its name. Toolkits that name the same session over the same workspace share what it keeps: the task list, the
    /// history, remembered approvals. Default: a session of its own for each toolkit, in memory.
    pub id: Option<String>,
    /// Where it is kept: `memory`, or a private directory outside of the workspace by its absolute path. Default: of a
    /// session with an `id` the directory of `TENON_STATE_DIR`, else the user's (`~/.local/state/tenon`), in the file
    /// `state.db`; of any other, memory.
    pub store: Option<String>,
}

/// Which sessions the tools of a session see.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SessionsOptions {
    /// Which sessions they see. Default: `tree`.
    pub visibility: Option<VisibilityName>,
}

/// Which sessions are seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum VisibilityName {
    /// Its own and those that it has started.
    #[serde(rename = "self")]
    Own,
    /// All that belong to the same first session.
    Tree,
    /// All of the workspace.
    Workspace,
}

impl SessionsOptions {
    pub(crate) const fn visibility(self) -> Visibility {
        match self.visibility {
            Some(VisibilityName::Own) => Visibility::Own,
            Some(VisibilityName::Tree) | None => Visibility::Tree,
            Some(VisibilityName::Workspace) => Visibility::Workspace,
        }
    }
}
