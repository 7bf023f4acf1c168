//! Files that were written.

use schemars::JsonSchema;
use serde::Serialize;
use tenon_contract::ChangeKind;
use tenon_tools::WriteOutput;

use super::{with_notices, with_warnings};
use crate::words::Words;

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
pub(crate) fn written(output: &WriteOutput, words: &Words<'_>) -> String {
    write_message(
        format!("Successfully wrote to {}", output.path),
        output,
        words,
    )
}

/// The sentence that a file was written, with what it keeps though the content was without, and what may be wrong.
pub(crate) fn write_message(sentence: String, output: &WriteOutput, words: &Words<'_>) -> String {
    let kept = output
        .keeps_crlf
        .then(|| "The file keeps its CRLF line endings".to_owned());
    with_warnings(
        with_notices(sentence, kept.as_slice()),
        &output.warnings,
        words,
    )
}
