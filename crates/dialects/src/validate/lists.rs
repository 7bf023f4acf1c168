//! Lists: their length and their entries.

use std::collections::HashSet;

use serde_json::Value;

use super::{Check, numbers};
use crate::issue::{Issue, IssueCode};

impl<'s> Check<'s> {
    pub(super) fn list(
        self,
        schema: &'s Value,
        items: &[Value],
        place: &str,
        issues: &mut Vec<Issue>,
    ) {
        numbers::length(
            schema,
            "Items",
            items.len(),
            ("entry", "entries"),
            place,
            issues,
        );
        // 2020-12 has `prefixItems` and `items`; draft 7 `items` as a list, and `additionalItems`.
        let (first, rest) = match (schema.get("prefixItems"), schema.get("items")) {
            (Some(Value::Array(first)), rest) => (first.as_slice(), rest),
            (_, Some(Value::Array(first))) => (first.as_slice(), schema.get("additionalItems")),
            (_, rest) => (&[] as &[Value], rest),
        };
        for (index, item) in items.iter().enumerate() {
            if let Some(item_schema) = first.get(index).or(rest) {
                self.child(item_schema, item, &format!("{place}[{index}]"), issues);
            }
        }
        if schema.get("uniqueItems") == Some(&Value::Bool(true))
            && let Some(index) = repeated(items)
        {
            let message =
                format!("Expected unique entries, but entry {index} repeats an earlier one.");
            issues.push(Issue::new(place, IssueCode::TypeMismatch, message));
        }
        self.contains(schema, items, place, issues);
    }

    fn contains(self, schema: &'s Value, items: &[Value], place: &str, issues: &mut Vec<Issue>) {
        let Some(wanted) = schema.get("contains") else {
            return;
        };
        let bound = |word: &str| schema.get(word).and_then(Value::as_u64);
        let (least, most) = (bound("minContains").unwrap_or(1), bound("maxContains"));
        let count = items.iter().filter(|item| self.fits(wanted, item)).count() as u64;
        if count < least || most.is_some_and(|most| count > most) {
            let limit = match most {
                Some(most) => format!("{least} to {most}"),
                None => format!("at least {least}"),
            };
            let message = format!("Expected {limit} entries that match `contains`, got {count}.");
            issues.push(Issue::new(place, IssueCode::TypeMismatch, message));
        }
    }
}

/// The first entry that repeats an earlier one.
fn repeated(items: &[Value]) -> Option<usize> {
    let mut seen = HashSet::new();
    items.iter().position(|item| !seen.insert(key(item)))
}

/// A text that two values share when they are the same: numbers as such, members in order.
fn key(value: &Value) -> String {
    match value {
        Value::Number(number) => number
            .as_f64()
            .filter(|float| *float == float.trunc() && float.abs() < 1e15)
            .map_or_else(|| number.to_string(), |whole| format!("{whole}")),
        Value::Array(items) => format!("[{}]", items.iter().map(key).collect::<Vec<_>>().join(",")),
        Value::Object(members) => {
            let mut parts: Vec<String> = members
                .iter()
                .map(|(name, value)| format!("{}:{}", Value::from(name.as_str()), key(value)))
                .collect();
            parts.sort_unstable();
            format!("{{{}}}", parts.join(","))
        }
        plain => plain.to_string(),
    }
}
