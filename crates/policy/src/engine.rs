//! Judges what a call says it will touch.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tenon_contract::{Access, Effect, Operation};

/// Allow, ask a person, or deny.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It may run.
    Allow,
    /// A person decides.
    Ask,
    /// It may not run, and no person can change that.
    Deny,
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

/// The answer to one call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Decision {
    /// What holds.
    pub verdict: Verdict,
    /// Why, in a sentence.
    pub reason: String,
    /// The rule or mode that decided.
    #[serde(rename = "matched_rule")]
    pub rule: Option<String>,
}

/// Decides from what a call states. Path, command and host rules join [`DefaultMode`] here.
#[derive(Debug, Clone, Copy)]
pub struct Engine {
    default_mode: DefaultMode,
}

impl Engine {
    /// An engine that goes by this mode.
    #[must_use]
    pub const fn new(default_mode: DefaultMode) -> Self {
        Self { default_mode }
    }

    /// What holds for a call of `operation` that leaves a trace of kind `effect` and touches `access`.
    #[must_use]
    pub fn decide(&self, operation: Operation, effect: Effect, access: &Access) -> Decision {
        let dangerous = is_dangerous(operation, effect, access);
        let (verdict, mode) = match self.default_mode {
            DefaultMode::Allow => (Verdict::Allow, "allow"),
            DefaultMode::Deny => (Verdict::Deny, "deny"),
            DefaultMode::Ask => (Verdict::Ask, "ask"),
            DefaultMode::AskIfDangerous if dangerous => (Verdict::Ask, "ask"),
            DefaultMode::AskIfDangerous => (Verdict::Allow, "allow"),
        };
        let what = operation.name();
        let reason = match verdict {
            Verdict::Allow => format!("No rule matches and the default mode allows `{what}`."),
            Verdict::Ask => format!("No rule matches and the default mode asks before `{what}`."),
            Verdict::Deny => format!("No rule matches and the default mode denies `{what}`."),
        };
        Decision {
            verdict,
            reason,
            rule: Some(format!("permissions.defaultMode: {mode}")),
        }
    }
}

/// Whether a call changes files, runs something, sends something, or is not known.
fn is_dangerous(operation: Operation, effect: Effect, access: &Access) -> bool {
    let touches =
        !access.writes.is_empty() || !access.deletes.is_empty() || !access.commands.is_empty();
    touches
        || matches!(effect, Effect::Mutate | Effect::Execute | Effect::Unknown)
        || operation == Operation::WebRequest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(mode: DefaultMode, operation: Operation) -> Verdict {
        Engine::new(mode)
            .decide(operation, operation.effect(), &Access::default())
            .verdict
    }

    #[test]
    fn the_mode_decides_where_no_rule_matches() {
        assert_eq!(
            verdict(DefaultMode::Allow, Operation::Execute),
            Verdict::Allow
        );
        assert_eq!(verdict(DefaultMode::Ask, Operation::Read), Verdict::Ask);
        assert_eq!(verdict(DefaultMode::Deny, Operation::Read), Verdict::Deny);
    }

    #[test]
    fn with_an_approver_only_what_leaves_a_trace_asks() {
        let asked: Vec<_> = Operation::ALL
            .iter()
            .filter(|operation| verdict(DefaultMode::AskIfDangerous, **operation) == Verdict::Ask)
            .map(|operation| operation.name())
            .collect();
        assert_eq!(
            asked,
            [
                "write",
                "edit",
                "patch",
                "delete",
                "notebook_edit",
                "execute",
                "process",
                "run_tests",
                "web_request",
                "foreign"
            ]
        );
    }
}
