//! What a result says about text of which it shows only a part.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How much of a text is shown, and what was done to it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Condensation {
    /// Tokens of what is shown, as `estimateTokens` counts them.
    pub tokens: usize,
    /// Tokens of all of it; an estimate where it is more than a megabyte.
    pub of_tokens: usize,
    /// Lines that are shown.
    pub lines: usize,
    /// Lines of all of it.
    pub of_lines: usize,
    /// `tokens` by `ofTokens`.
    pub ratio: f64,
    /// What was done: `fold` (progress, repeats, stack traces), `select` (lines chosen by their value), `clip` (the middle
    /// of long lines).
    pub strategy: Vec<String>,
    /// The address of all of it for tools that read and search: `output://1`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub full_output: Option<String>,
}

impl Condensation {
    /// With its ratio, rounded to a thousandth.
    #[must_use]
    pub fn new(tokens: usize, of_tokens: usize, lines: usize, of_lines: usize) -> Self {
        #[expect(clippy::cast_precision_loss, reason = "a ratio of counts, for reading")]
        let ratio = (tokens as f64 / of_tokens.max(1) as f64 * 1000.0).round() / 1000.0;
        Self {
            tokens,
            of_tokens,
            lines,
            of_lines,
            ratio,
            strategy: Vec::new(),
            full_output: None,
        }
    }
}
