//! The words of every decision.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Allow, ask the user, or deny. Ordered from the mildest to the strictest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It may run.
    Allow,
    /// The user decides.
    Ask,
    /// It may not run, and no approval changes that.
    Deny,
}

impl Verdict {
    /// The word that settings and answers use.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }
}

/// What holds where no rule matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DefaultMode {
    /// Allow, inside the workspace.
    Allow,
    /// Ask.
    Ask,
    /// Deny.
    Deny,
    /// Ask for what changes, runs or sends something; allow the rest.
    AskIfDangerous,
}

impl DefaultMode {
    /// The verdict where no rule matches, and the mode's name in settings.
    #[must_use]
    pub const fn verdict(self, dangerous: bool) -> Verdict {
        match self {
            Self::Allow => Verdict::Allow,
            Self::Deny => Verdict::Deny,
            Self::Ask => Verdict::Ask,
            Self::AskIfDangerous if dangerous => Verdict::Ask,
            Self::AskIfDangerous => Verdict::Allow,
        }
    }
}
