//! The session that calls belong to.

use schemars::JsonSchema;
use serde::Deserialize;

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
