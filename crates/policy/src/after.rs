//! Rules that depend on what was read before: which of them hold.

use std::sync::Arc;

use crate::engine::Engine;
use crate::rule::RuleText;
use crate::rules::RuleSet;
use crate::sources::{AFTER, Source, SourceSet};

/// The rules of the option `taint: true`: what acts outside of the workspace requires approval once text from elsewhere
/// was read.
#[must_use]
pub fn rules_after_sources() -> Vec<RuleText> {
    let because = "text that the user did not write was read before, and may have asked for it";
    let all = Source::ALL.map(Source::name).join(", ");
    ["Bash", "Message", "NetworkWrite", "OutsideWrite"]
        .map(|subject| RuleText {
            rule: format!("{subject}{AFTER}{all}"),
            because: Some(because.to_owned()),
            ..RuleText::default()
        })
        .to_vec()
}

impl RuleSet {
    /// Whether some rule depends on sources.
    #[must_use]
    pub fn depends_on_sources(&self) -> bool {
        self.rules.iter().any(|rule| !rule.after.is_empty())
    }

    /// The rules that hold once text of these sources was read.
    fn after(&self, sources: SourceSet) -> Self {
        let rules = self.rules.iter();
        let holding = rules.filter(|rule| rule.after.is_empty() || rule.after.meets(sources));
        Self::indexed(holding.cloned().collect())
    }
}

impl Engine {
    /// Whether some rule depends on what was read before.
    #[must_use]
    pub fn depends_on_sources(&self) -> bool {
        self.rules.depends_on_sources()
    }

    /// The same engine with the rules that hold once text of these sources was read. Without it every rule holds,
    /// whatever its condition.
    #[must_use]
    pub fn after(&self, sources: SourceSet) -> Self {
        Self {
            rules: Arc::new(self.rules.after(sources)),
            ..self.clone()
        }
    }
}

#[cfg(test)]
#[path = "after_tests.rs"]
mod tests;
