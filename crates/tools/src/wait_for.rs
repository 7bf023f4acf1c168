//! What a background command is waited for.

use std::time::Duration;

use regex::RegexBuilder;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tenon_contract::{ErrorCode, PathClaim, ToolError};
use tenon_process::Readiness;
use tenon_search::Pattern;
use tenon_workspace::{Located, Workspace};

/// Wait until one of these holds, or the command ends.
#[derive(Debug, Clone, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct WaitFor {
    /// New output matches this regular expression.
    #[schemars(length(min = 1))]
    pub output: Option<String>,
    /// This port accepts connections (in a sandbox, its own).
    #[schemars(range(min = 1, max = 65_535))]
    pub port: Option<u16>,
    /// This file exists.
    #[schemars(length(min = 1))]
    pub file: Option<String>,
    /// No output for this many milliseconds.
    #[schemars(range(min = 1, max = 3_600_000))]
    pub idle_ms: Option<u64>,
}

/// [`WaitFor`] made ready: the expression compiled, the file located.
#[derive(Debug, Default)]
pub(crate) struct Awaited {
    pub(crate) readiness: Readiness,
    /// The file that is waited for.
    file: Option<Located>,
}

/// Largest compiled expression, in bytes. Models send expressions; none needs more.
const EXPRESSION_MAX_BYTES: usize = 1024 * 1024;

impl Awaited {
    pub(crate) fn new(wanted: Option<&WaitFor>, workspace: &Workspace) -> Result<Self, ToolError> {
        let Some(wanted) = wanted else {
            return Ok(Self::default());
        };
        let file = wanted
            .file
            .as_deref()
            .map(|name| workspace.locate(name))
            .transpose()?;
        let watched = file.clone();
        let readiness = Readiness {
            output: wanted.output.as_deref().map(expression).transpose()?,
            port: wanted.port,
            condition: watched.map(|file| {
                // A file that cannot be looked at is not there yet.
                Box::new(move || file.exists().unwrap_or(false)) as Box<_>
            }),
            idle: wanted.idle_ms.map(Duration::from_millis),
        };
        if readiness.is_empty() {
            let message = "Nothing to wait for. Pass `output`, `port`, `file` or `idleMs`.";
            return Err(ToolError::new(ErrorCode::InvalidParams, message));
        }
        Ok(Self { readiness, file })
    }

    /// What the waiting looks at.
    pub(crate) fn claims(&self) -> Vec<PathClaim> {
        self.file.iter().map(|file| file.claim().clone()).collect()
    }
}

/// A regular expression of the model, where `^` and `$` mean lines.
pub(crate) fn expression(text: &str) -> Result<regex::Regex, ToolError> {
    RegexBuilder::new(text)
        .multi_line(true)
        .size_limit(EXPRESSION_MAX_BYTES)
        .build()
        .map_err(|error| {
            let fault = |message| ToolError::new(ErrorCode::Syntax, message);
            let reported = match (&error, Pattern::new(text).check()) {
                (regex::Error::CompiledTooBig(_), _) => fault(format!(
                    "`{text}` is too large as a regular expression. Use a simpler one."
                )),
                // With its place and what helps, as that of a search.
                (_, Err(fault)) => ToolError::from(fault),
                (error, Ok(())) => fault(format!(
                    "`{text}` is not a valid regular expression: {error}."
                )),
            };
            reported.with("pattern", text)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_are_of_lines_and_bounded() {
        assert!(expression("^ready$").unwrap().is_match("not\nready\nyet"));
        let error = expression("(").unwrap_err();
        assert_eq!(error.code, ErrorCode::Syntax);
        let error = expression("a{1000000}").unwrap_err();
        let said = "`a{1000000}` is too large as a regular expression. Use a simpler one.";
        assert_eq!(error.message, said);
    }
}
