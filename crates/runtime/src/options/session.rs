//! The session that calls belong to.

use schemars::JsonSchema;
use serde::Deserialize;

/// The session that calls belong to.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SessionOptions {
    /// Its name. Toolkits of one process that name the same session over the same workspace share what it knows: the
    /// task list. Default: a session of its own for each toolkit.
    pub id: Option<String>,
}
