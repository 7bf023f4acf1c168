//! Alternatives, and conditions on the whole value.

use serde_json::Value;

use super::Check;
use super::words::found;
use crate::issue::{Issue, IssueCode};

impl<'s> Check<'s> {
    pub(super) fn choices(
        self,
        schema: &'s Value,
        value: &Value,
        place: &str,
        issues: &mut Vec<Issue>,
    ) {
        if let Some(Value::Array(all)) = schema.get("allOf") {
            for each in all {
                self.again(each, value, place, issues);
            }
        }
        if let Some(Value::Array(any)) = schema.get("anyOf") {
            let attempts = self.attempts(any, value, place);
            if attempts.iter().all(|found| !found.is_empty()) {
                issues.extend(nearest(attempts, place));
            }
        }
        if let Some(Value::Array(one)) = schema.get("oneOf") {
            let attempts = self.attempts(one, value, place);
            match attempts.iter().filter(|found| found.is_empty()).count() {
                0 => issues.extend(nearest(attempts, place)),
                1 => {}
                fitting => {
                    let message = format!(
                        "Expected a match with exactly one alternative, but {fitting} match."
                    );
                    issues.push(Issue::new(place, IssueCode::TypeMismatch, message));
                }
            }
        }
        if let Some(refused) = schema.get("not")
            && self.fits(refused, value)
        {
            let message = format!("Any value except {} is allowed.", found(value));
            issues.push(Issue::new(place, IssueCode::TypeMismatch, message));
        }
        if let Some(condition) = schema.get("if") {
            let word = if self.fits(condition, value) {
                "then"
            } else {
                "else"
            };
            if let Some(consequence) = schema.get(word) {
                self.again(consequence, value, place, issues);
            }
        }
    }

    /// What every alternative has against the value.
    fn attempts(self, choices: &'s [Value], value: &Value, place: &str) -> Vec<Vec<Issue>> {
        let attempts = choices.iter().map(|choice| {
            let mut found = Vec::new();
            self.again(choice, value, place, &mut found);
            found
        });
        attempts.collect()
    }
}

/// The choice that comes nearest explains best: the one whose faults lie deepest, then the one with fewest.
fn nearest(mut attempts: Vec<Vec<Issue>>, place: &str) -> Vec<Issue> {
    attempts.sort_by_key(|found| (found.iter().any(|issue| issue.param == place), found.len()));
    attempts.into_iter().next().unwrap_or_default()
}
