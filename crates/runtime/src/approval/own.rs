//! A question that a tool of the host brings itself: its words, or that there is one at all.

use serde_json::{Map, Value};
use tenon_policy::{Danger, Decision, Verdict, escaped};

/// What a tool of the host wants to have asked before a call of it runs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OwnQuestion {
    /// Why it is asked, instead of what policy says.
    pub reason: Option<String>,
    /// How much could go wrong, instead of what is known of the call.
    pub danger: Option<Danger>,
    /// What is shown besides.
    pub preview: Map<String, Value>,
}

impl OwnQuestion {
    /// Reads what a function answered: nothing, a reason, or `{reason, danger, preview}`. Whatever else it is, it is a
    /// question without words of its own.
    #[must_use]
    pub fn read(answer: &Value) -> Option<Self> {
        match answer {
            Value::Null | Value::Bool(false) => None,
            Value::String(reason) => Some(Self {
                reason: Some(reason.clone()).filter(|reason| !reason.trim().is_empty()),
                ..Self::default()
            }),
            answer => {
                let reason = answer.get("reason").and_then(Value::as_str);
                let preview = answer.get("preview").and_then(Value::as_object);
                Some(Self {
                    reason: reason.map(str::to_owned),
                    danger: match answer.get("danger").and_then(Value::as_str) {
                        Some("low") => Some(Danger::Low),
                        Some("medium") => Some(Danger::Medium),
                        Some("high") => Some(Danger::High),
                        _ => None,
                    },
                    preview: preview.cloned().unwrap_or_default(),
                })
            }
        }
    }

    /// Demands an answer, and words what is asked. A denial stays one.
    pub(crate) fn put(&self, tool: &str, decision: &mut Decision) {
        if decision.verdict == Verdict::Deny {
            return;
        }
        if decision.verdict == Verdict::Allow {
            decision.verdict = Verdict::Ask;
            decision.reason = format!("`{tool}` requires approval for this call.");
            decision.rule = None;
            decision.list = None;
        }
        if let Some(reason) = &self.reason {
            decision.reason = escaped(reason);
        }
    }

    /// This question and another one, as one.
    pub(crate) fn and(mut self, other: Self) -> Self {
        self.reason = match (self.reason, other.reason) {
            (Some(one), Some(other)) => Some(format!("{one} {other}")),
            (one, other) => one.or(other),
        };
        self.danger = self.danger.max(other.danger);
        self.preview.extend(other.preview);
        self
    }

    /// What an answer to it is bound to.
    pub(crate) fn key(&self) -> String {
        let preview = Value::Object(self.preview.clone());
        let reason = self.reason.as_deref().unwrap_or_default();
        format!("\u{0}{reason}\u{0}{preview}")
    }
}
