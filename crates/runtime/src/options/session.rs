//! The session that calls belong to.

use schemars::JsonSchema;
use serde::Deserialize;

/// The session that calls belong to.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SessionOptions {
    /// Its name, for history and telemetry. Default: none.
    pub id: Option<String>,
}
