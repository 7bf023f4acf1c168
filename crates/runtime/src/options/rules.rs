//! Rules as a host writes them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tenon_policy::RuleText;

/// A rule, alone or with what explains and tests it.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum RuleOption {
    /// `Tool` or `Tool(specifier)`.
    Text(String),
    /// The same with more.
    Object(RuleObject),
}

/// A rule with what explains and tests it.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RuleObject {
    /// `Tool` or `Tool(specifier)`.
    pub rule: String,
    /// Why it exists; shown with every decision that it makes.
    pub because: Option<String>,
    /// Commands, paths or hosts that it must match. Verified when the toolkit is made.
    #[serde(rename = "match", default)]
    pub matches: Vec<String>,
    /// Commands, paths or hosts that it must not match.
    #[serde(default)]
    pub no_match: Vec<String>,
}

impl RuleOption {
    /// The rule as policy takes it.
    #[must_use]
    pub fn to_text(&self) -> RuleText {
        match self {
            Self::Text(rule) => RuleText::from(rule.as_str()),
            Self::Object(object) => RuleText {
                rule: object.rule.clone(),
                because: object.because.clone(),
                matches: object.matches.clone(),
                no_matches: object.no_match.clone(),
            },
        }
    }
}
