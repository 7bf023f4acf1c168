//! Files that were written.

use schemars::JsonSchema;
use serde::Serialize;
use tenon_contract::ChangeKind;
use tenon_tools::WriteOutput;

use super::with_warnings;

/// Whether a file is new.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum WriteOperation {
    Create,
    Update,
}

impl WriteOperation {
    pub(crate) fn of(kind: ChangeKind) -> Self {
        match kind {
            ChangeKind::Create => Self::Create,
            ChangeKind::Update | ChangeKind::Delete | ChangeKind::Move => Self::Update,
        }
    }
}

/// That a file was written, and what may be wrong with it.
pub(crate) fn written(output: &WriteOutput) -> String {
    with_warnings(
        format!("Successfully wrote to {}", output.path),
        &output.warnings,
    )
}
