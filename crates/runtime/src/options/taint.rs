//! Whether results carry where their text comes from.

use schemars::JsonSchema;
use serde::Deserialize;

/// Whether results carry where their text comes from, and what follows from that.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum TaintOption {
    /// `true` is `ask`. `false`: only where a rule has a condition.
    Is(bool),
    /// What follows.
    Name(TaintName),
}

/// What follows from where text comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TaintName {
    /// Commands, messages, network writes and writes outside of the workspace require approval afterwards.
    Ask,
    /// Nothing but what rules say.
    Record,
}

impl TaintOption {
    /// Whether sources are recorded, whatever the rules.
    pub(crate) fn records(option: Option<Self>) -> bool {
        !matches!(option, None | Some(Self::Is(false)))
    }

    /// Whether the rules of the option hold.
    pub(crate) fn asks(option: Option<Self>) -> bool {
        matches!(option, Some(Self::Is(true) | Self::Name(TaintName::Ask)))
    }
}
