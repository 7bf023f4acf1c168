//! Checks parameters against a JSON Schema and reports every fault at once.
//!
//! The schemas of the dialects keep to the small subset of `tenon_contract::check_for_models`; those
//! of foreign tools may use any keyword of drafts 7 and 2020-12 that says something about a value
//! (`format` and `unevaluated…` are annotations here).

mod choices;
mod lists;
mod numbers;
mod objects;
mod pattern;
mod sound;
mod words;

use std::cell::Cell;
use std::collections::HashMap;

use serde_json::Value;

use crate::issue::{Issue, IssueCode};
pub(crate) use pattern::Pattern;
pub(crate) use sound::sound;
use words::{bare, expected, found, shorten};

/// Longest chain of references and alternatives about one value: a schema that only refers to itself ends here.
const MAX_STEPS_PER_VALUE: usize = 64;
/// Most comparisons of a value with a schema in one check: alternatives within alternatives multiply.
const MAX_STEPS: usize = 2_000_000;

/// Above 2^53 a tool of ours could not be given a number with a point as an integer.
const MAX_OWN_WHOLE: f64 = 9_007_199_254_740_992.0;

/// Most faults that are reported of one check: who has so many sends something else than was asked for.
const MAX_ISSUES: usize = 100;

/// Every fault of `value` against `schema`, in the order of the schema, unknown parameters last.
pub(crate) fn validate(schema: &Value, value: &Value) -> Vec<Issue> {
    validate_up_to(MAX_OWN_WHOLE, schema, &HashMap::new(), value)
}

/// The same for a schema that is not ours, with compiled patterns, by their text. What is not in the table is not checked.
pub(crate) fn validate_with(
    root: &Value,
    patterns: &HashMap<String, Pattern>,
    value: &Value,
) -> Vec<Issue> {
    validate_up_to(f64::MAX, root, patterns, value)
}

fn validate_up_to(
    max_whole: f64,
    root: &Value,
    patterns: &HashMap<String, Pattern>,
    value: &Value,
) -> Vec<Issue> {
    let mut issues = Vec::new();
    let left = Cell::new(MAX_STEPS);
    let check = Check {
        root,
        patterns,
        max_whole,
        steps: 0,
        left: &left,
    };
    check.node(root, value, "", &mut issues);
    if left.get() == 0 {
        // What was found until then is no verdict: an alternative that was given up looks like one that fits.
        let message =
            "The schema has too many alternatives for these parameters. Send less at once.";
        return vec![Issue::new("", IssueCode::TypeMismatch, message)];
    }
    if issues.len() > MAX_ISSUES {
        issues.truncate(MAX_ISSUES);
        let message = "There are more errors; only the first are listed.";
        issues.push(Issue::new("", IssueCode::TypeMismatch, message));
    }
    issues
}

/// Where a reference within `root` leads. Nothing for one that leads elsewhere.
pub(crate) fn referred<'s>(root: &'s Value, reference: &str) -> Option<&'s Value> {
    let pointer = reference.strip_prefix('#')?;
    if pointer.is_empty() {
        return Some(root);
    }
    // A fragment is written as in a URL.
    root.pointer(&pointer.replace("%25", "%").replace("%22", "\""))
}

/// What holds for one value on its way down.
#[derive(Clone, Copy)]
struct Check<'s> {
    root: &'s Value,
    patterns: &'s HashMap<String, Pattern>,
    /// Up to which size a number with a point can be an integer.
    max_whole: f64,
    /// References and alternatives that led here without going into the value.
    steps: usize,
    /// Steps that the whole check may still take.
    left: &'s Cell<usize>,
}

impl<'s> Check<'s> {
    /// A value within the present one.
    fn child(self, schema: &'s Value, value: &Value, place: &str, issues: &mut Vec<Issue>) {
        Check { steps: 0, ..self }.node(schema, value, place, issues);
    }

    /// The same value against another schema.
    fn again(self, schema: &'s Value, value: &Value, place: &str, issues: &mut Vec<Issue>) {
        let steps = self.steps + 1;
        if steps > MAX_STEPS_PER_VALUE {
            let message = "The schema of this value refers to itself endlessly.";
            return issues.push(Issue::new(place, IssueCode::TypeMismatch, message));
        }
        Check { steps, ..self }.node(schema, value, place, issues);
    }

    /// Whether the same value fits another schema.
    fn fits(self, schema: &'s Value, value: &Value) -> bool {
        let mut found = Vec::new();
        self.again(schema, value, "", &mut found);
        found.is_empty()
    }

    fn node(self, schema: &'s Value, value: &Value, place: &str, issues: &mut Vec<Issue>) {
        if issues.len() > MAX_ISSUES {
            return;
        }
        match self.left.get() {
            0 => return,
            left => self.left.set(left - 1),
        }
        if *schema == Value::Bool(false) {
            let message = format!("No value is allowed here, got {}.", found(value));
            return issues.push(Issue::new(place, IssueCode::UnknownParam, message));
        }
        if value.is_null() && schema.get("nullable") == Some(&Value::Bool(true)) {
            return;
        }
        if let Some(reference) = schema.get("$ref").and_then(Value::as_str)
            && let Some(target) = referred(self.root, reference)
        {
            self.again(target, value, place, issues);
        }
        if let Some(types) = schema.get("type")
            && !self.is_of_type(types, value)
        {
            let message = format!("Expected {}, got {}.", kinds(types), found(value));
            return issues.push(Issue::new(place, IssueCode::TypeMismatch, message));
        }
        if let Some(fault) = constant(schema, value) {
            return issues.push(Issue::new(place, IssueCode::InvalidEnum, fault));
        }
        self.choices(schema, value, place, issues);
        match value {
            Value::Number(_) => numbers::check(schema, value, place, issues),
            Value::String(text) => self.text(schema, text, place, issues),
            Value::Array(items) => self.list(schema, items, place, issues),
            Value::Object(members) => self.object(schema, members, place, issues),
            Value::Null | Value::Bool(_) => {}
        }
    }

    fn text(self, schema: &Value, text: &str, place: &str, issues: &mut Vec<Issue>) {
        let length = text.chars().count();
        numbers::length(
            schema,
            "Length",
            length,
            ("character", "characters"),
            place,
            issues,
        );
        let Some(source) = schema.get("pattern").and_then(Value::as_str) else {
            return;
        };
        if self
            .patterns
            .get(source)
            .is_some_and(|pattern| !pattern.is_match(text))
        {
            let message = format!(
                "Expected a string that matches `{source}`, got \"{}\".",
                shorten(text)
            );
            issues.push(Issue::new(place, IssueCode::PatternMismatch, message));
        }
    }
}

/// What is wrong when a value has to be one of a few.
fn constant(schema: &Value, value: &Value) -> Option<String> {
    let allowed = match (schema.get("enum"), schema.get("const")) {
        (Some(Value::Array(allowed)), _) => allowed.as_slice(),
        (_, Some(only)) => std::slice::from_ref(only),
        _ => return None,
    };
    if allowed.iter().any(|known| is_same(known, value)) {
        return None;
    }
    let names: Vec<String> = allowed
        .iter()
        .map(|value| format!("`{}`", bare(value)))
        .collect();
    let lead = if names.len() == 1 {
        "Expected"
    } else {
        "Expected one of"
    };
    Some(format!(
        "{lead} {}, got `{}`.",
        names.join(", "),
        shorten(&bare(value))
    ))
}

/// Equality of JSON: `1` and `1.0` are the same number.
fn is_same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => {
            left == right || (left.as_f64() == right.as_f64() && (left.is_f64() || right.is_f64()))
        }
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len()
                && left
                    .iter()
                    .zip(right)
                    .all(|(left, right)| is_same(left, right))
        }
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left
                    .iter()
                    .all(|(name, value)| right.get(name).is_some_and(|other| is_same(value, other)))
        }
        _ => left == right,
    }
}

impl Check<'_> {
    fn is_of_type(self, types: &Value, value: &Value) -> bool {
        match types {
            Value::String(kind) => self.is_of(kind, value),
            Value::Array(kinds) => kinds
                .iter()
                .any(|kind| kind.as_str().is_some_and(|kind| self.is_of(kind, value))),
            _ => true,
        }
    }

    fn is_of(self, kind: &str, value: &Value) -> bool {
        match kind {
            "string" => value.is_string(),
            "integer" => {
                value.is_i64()
                    || value.is_u64()
                    || value.as_f64().is_some_and(|number| self.is_whole(number))
            }
            "number" => value.is_number(),
            "boolean" => value.is_boolean(),
            "array" => value.is_array(),
            "object" => value.is_object(),
            "null" => value.is_null(),
            _ => true,
        }
    }

    /// Whether a number with a point is an integer, as `1.0` is.
    fn is_whole(self, number: f64) -> bool {
        number.fract() == 0.0 && number.abs() <= self.max_whole
    }
}

fn kinds(types: &Value) -> String {
    match types {
        Value::Array(kinds) => {
            let kinds: Vec<&str> = kinds
                .iter()
                .filter_map(Value::as_str)
                .map(expected)
                .collect();
            kinds.join(" or ")
        }
        kind => expected(kind.as_str().unwrap_or_default()).to_owned(),
    }
}

fn join(place: &str, name: &str) -> String {
    if place.is_empty() {
        name.to_owned()
    } else {
        format!("{place}.{name}")
    }
}

#[cfg(test)]
mod tests;
