//! The names of the permission modes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What holds for calls beside the rules.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum PermissionMode {
    /// The rules and their default mode decide.
    #[default]
    Default,
    /// Edits of files inside the workspace need no approval, unless a rule asks or the file is protected.
    AcceptEdits,
    /// Only what reads is permitted, until a plan was approved.
    Plan,
    /// What would require approval is denied.
    DontAsk,
    /// Nothing requires approval. Denials hold.
    Bypass,
}

impl PermissionMode {
    pub(crate) const ALL: [Self; 5] = [
        Self::Default,
        Self::AcceptEdits,
        Self::Plan,
        Self::DontAsk,
        Self::Bypass,
    ];

    /// The name that options and results use.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::AcceptEdits => "acceptEdits",
            Self::Plan => "plan",
            Self::DontAsk => "dontAsk",
            Self::Bypass => "bypass",
        }
    }

    /// The mode of this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.name() == name)
    }

    pub(crate) fn number(self) -> u8 {
        self as u8
    }

    pub(crate) fn of_number(number: u8) -> Self {
        let known = Self::ALL.into_iter().find(|mode| mode.number() == number);
        known.unwrap_or_default()
    }

    /// What the mode is named in decisions.
    pub(crate) fn rule(self) -> String {
        format!("mode: {}", self.name())
    }
}
