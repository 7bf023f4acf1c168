//! Rules and what holds without one, as hosts and settings files write them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::rule::RuleText;
use crate::rules::Permissions;
use crate::verdict::DefaultMode;

/// Who may do what: deny before ask before allow, whatever the order; else the default mode.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PermissionOptions {
    /// Never. Rules are `Tool` or `Tool(specifier)`: `Bash(git push:*)`, `Edit(src/**)`, `Read(.env)`,
    /// `WebFetch(domain:example.com)`, `mcp__server__*`.
    #[serde(default)]
    pub deny: Vec<RuleOption>,
    /// Require approval, even where an allow rule matches.
    #[serde(default)]
    pub ask: Vec<RuleOption>,
    /// Run without approval.
    #[serde(default)]
    pub allow: Vec<RuleOption>,
    /// Default: `ask` as soon as there is an `allow` list; else with an approver `ask` for what changes or runs
    /// something and `allow` for the rest; else `allow`, inside the workspace.
    pub default_mode: Option<ModeName>,
    /// Whether a rule on `git` also allows `/bin/git` and `/usr/bin/git`. Default: false.
    #[serde(default)]
    pub trust_system_directories: bool,
}

impl PermissionOptions {
    /// The lists as policy takes them.
    #[must_use]
    pub fn to_permissions(&self) -> Permissions {
        let texts = |rules: &[RuleOption]| rules.iter().map(RuleOption::to_text).collect();
        Permissions {
            deny: texts(&self.deny),
            ask: texts(&self.ask),
            allow: texts(&self.allow),
            default_mode: self.default_mode.map(DefaultMode::from),
        }
    }
}

/// What holds where no rule matches.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ModeName {
    /// Allow.
    Allow,
    /// Ask the approver.
    Ask,
    /// Deny.
    Deny,
}

impl From<ModeName> for DefaultMode {
    fn from(name: ModeName) -> Self {
        match name {
            ModeName::Allow => Self::Allow,
            ModeName::Ask => Self::Ask,
            ModeName::Deny => Self::Deny,
        }
    }
}

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
