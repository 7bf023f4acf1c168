//! What is wrong with the parameters of a call, and what was put right.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One fault in the parameters; all faults of a call are reported at once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Issue {
    /// Where, such as `edits[2].oldText`; empty for the parameters as a whole.
    pub param: String,
    /// What was expected and what was found.
    pub message: String,
    /// The kind, for programs.
    pub code: IssueCode,
}

/// The kinds of faults.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum IssueCode {
    /// No tool of that name.
    ToolNotFound,
    /// A required parameter is absent.
    MissingRequired,
    /// The tool has no such parameter.
    UnknownParam,
    /// The value is of another type.
    TypeMismatch,
    /// The value is none of those listed.
    InvalidEnum,
    /// A number is too small or too large.
    OutOfRange,
    /// A text or list is too short or too long.
    InvalidLength,
    /// A text does not have the required form.
    PatternMismatch,
}

impl Issue {
    /// The fault in a sentence that says where it is.
    #[must_use]
    pub fn sentence(&self) -> String {
        let Self { param, message, .. } = self;
        if param.is_empty() || message.contains(&format!("`{param}`")) {
            message.clone()
        } else {
            format!("`{param}`: {message}")
        }
    }

    pub(crate) fn new(
        param: impl Into<String>,
        code: IssueCode,
        message: impl Into<String>,
    ) -> Self {
        Self {
            param: param.into(),
            message: message.into(),
            code,
        }
    }
}

/// One slip of the model that was put right without guessing; reported in `details.repairs`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Repair {
    /// The parameter as it should have been.
    pub param: String,
    /// What was done, such as "took `path` for `file_path`".
    pub message: String,
}
