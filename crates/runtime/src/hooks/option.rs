//! What a host sets for hooks.

use std::time::Duration;

use crate::options::Within;
use regex::Regex;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tenon_contract::{ErrorCode, ToolError, limits};

/// One hook of the host, as data: which of its functions there are, or the commands that it runs.
#[derive(Debug, Clone, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HookOption {
    /// The host has a function that is called before a call is judged.
    #[serde(default)]
    pub before: bool,
    /// The host has a function that is called after a result is made.
    #[serde(default)]
    pub after: bool,
    /// Longest time of one run, in milliseconds. Default: 60 000.
    pub timeout_ms: Option<Within<u64, 1, 86_400_000>>,
    /// Commands, as `importHooks` returns them.
    #[serde(default)]
    pub commands: Vec<HookCommand>,
}

/// A command that is run for calls of certain tools.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HookCommand {
    /// When it runs.
    pub event: HookEvent,
    /// The tools, as Claude Code names them: a name, several with `|` between them, or a regular expression. Default:
    /// all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub matcher: Option<String>,
    /// The text that the shell is given.
    pub command: String,
    /// Longest time, in milliseconds. Default: 60 000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// Nobody waits for it, and what it says is ignored.
    #[serde(rename = "async", default)]
    pub is_async: bool,
    /// Whether a command that fails (an exit code other than 0 and 2, a time-out) lets the call continue. Default:
    /// false.
    #[serde(default)]
    pub ignore_failures: bool,
}

impl HookCommand {
    pub(super) fn time_limit(&self) -> Duration {
        self.timeout_ms
            .map_or(limits::HOOK_TIMEOUT, Duration::from_millis)
    }

    /// Whether it runs for a tool of these names.
    ///
    /// # Errors
    /// A matcher that is no regular expression.
    pub(super) fn matches(&self, names: &[&str]) -> Result<bool, ToolError> {
        let matcher = match self.matcher.as_deref() {
            None | Some("" | "*") => return Ok(true),
            Some(matcher) => matcher,
        };
        let is_word = |letter: char| letter.is_ascii_alphanumeric() || "_-|, ".contains(letter);
        if matcher.chars().all(is_word) {
            let mut wanted = matcher.split(['|', ',']).map(str::trim);
            return Ok(wanted.any(|wanted| names.contains(&wanted)));
        }
        let expression = Regex::new(matcher).map_err(|error| {
            let message = format!("the matcher `{matcher}` is not a regular expression ({error})");
            ToolError::new(ErrorCode::InvalidParams, message)
        })?;
        Ok(names.iter().any(|name| expression.is_match(name)))
    }
}

/// When a hook runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum HookEvent {
    /// Before a call is judged (`PreToolUse`).
    Before,
    /// After a result is made (`PostToolUse`).
    After,
}

impl HookEvent {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Before => "before",
            Self::After => "after",
        }
    }

    /// What Claude Code calls it.
    pub(super) const fn of_claude_code(self) -> &'static str {
        match self {
            Self::Before => "PreToolUse",
            Self::After => "PostToolUse",
        }
    }
}
