//! Checks parameters against a wire schema and reports every fault at once.
//!
//! It knows exactly the subset of JSON Schema that `tenon_contract::check_for_models` admits.

use serde_json::{Map, Value};

use crate::issue::{Issue, IssueCode};
use crate::names::nearest;

/// Every fault of `value` against `schema`, in the order of the schema, unknown parameters last.
pub(crate) fn validate(schema: &Value, value: &Value) -> Vec<Issue> {
    let mut issues = Vec::new();
    node(schema, value, "", &mut issues);
    issues
}

fn node(schema: &Value, value: &Value, place: &str, issues: &mut Vec<Issue>) {
    if let Some(Value::Array(choices)) = schema.get("anyOf") {
        return any_of(choices, value, place, issues);
    }
    let kind = schema.get("type").and_then(Value::as_str).unwrap_or("");
    if !is_of(kind, value) {
        let message = format!("Expected {}, got {}.", expected(kind), found(value));
        return issues.push(Issue::new(place, IssueCode::TypeMismatch, message));
    }
    if let Some(Value::Array(allowed)) = schema.get("enum")
        && !allowed.contains(value)
    {
        let names: Vec<String> = allowed
            .iter()
            .map(|value| format!("`{}`", bare(value)))
            .collect();
        let message = format!(
            "Expected one of {}, got `{}`.",
            names.join(", "),
            shorten(&bare(value))
        );
        return issues.push(Issue::new(place, IssueCode::InvalidEnum, message));
    }
    match value {
        Value::Number(_) => number(schema, value, place, issues),
        Value::String(text) => length(
            schema,
            "Length",
            text.chars().count(),
            "characters",
            place,
            issues,
        ),
        Value::Array(items) => {
            length(schema, "Items", items.len(), "entries", place, issues);
            if let Some(item_schema) = schema.get("items") {
                for (index, item) in items.iter().enumerate() {
                    node(item_schema, item, &format!("{place}[{index}]"), issues);
                }
            }
        }
        Value::Object(members) => object(schema, members, place, issues),
        Value::Null | Value::Bool(_) => {}
    }
}

fn any_of(choices: &[Value], value: &Value, place: &str, issues: &mut Vec<Issue>) {
    let mut attempts: Vec<Vec<Issue>> = choices
        .iter()
        .map(|choice| {
            let mut found = Vec::new();
            node(choice, value, place, &mut found);
            found
        })
        .collect();
    if attempts.iter().any(Vec::is_empty) {
        return;
    }
    // The choice that comes nearest explains best: the one whose faults lie deepest, then the one with fewest.
    attempts.sort_by_key(|found| (found.iter().any(|issue| issue.param == place), found.len()));
    issues.extend(attempts.into_iter().next().unwrap_or_default());
}

fn number(schema: &Value, value: &Value, place: &str, issues: &mut Vec<Issue>) {
    let (Some(number), minimum, maximum) = (
        value.as_f64(),
        bound(schema, "minimum"),
        bound(schema, "maximum"),
    ) else {
        return;
    };
    let fits = minimum.is_none_or(|minimum| number >= minimum)
        && maximum.is_none_or(|maximum| number <= maximum);
    if !fits {
        let range = match (minimum, maximum) {
            (Some(minimum), Some(maximum)) => format!("between {minimum} and {maximum}"),
            (Some(minimum), None) => format!("of at least {minimum}"),
            (_, Some(maximum)) => format!("of at most {maximum}"),
            (None, None) => return,
        };
        issues.push(Issue::new(
            place,
            IssueCode::OutOfRange,
            format!("Expected a number {range}, got {value}."),
        ));
    }
}

fn length(
    schema: &Value,
    word: &str,
    length: usize,
    unit: &str,
    place: &str,
    issues: &mut Vec<Issue>,
) {
    let minimum = bound(schema, &format!("min{word}"));
    let maximum = bound(schema, &format!("max{word}"));
    let length = length as f64;
    if minimum.is_some_and(|minimum| length < minimum) {
        let message = format!(
            "Expected at least {} {unit}, got {length}.",
            minimum.unwrap_or_default()
        );
        issues.push(Issue::new(place, IssueCode::InvalidLength, message));
    } else if maximum.is_some_and(|maximum| length > maximum) {
        let message = format!(
            "Expected at most {} {unit}, got {length}.",
            maximum.unwrap_or_default()
        );
        issues.push(Issue::new(place, IssueCode::InvalidLength, message));
    }
}

fn object(schema: &Value, members: &Map<String, Value>, place: &str, issues: &mut Vec<Issue>) {
    let no_properties = Map::new();
    let properties = schema
        .get("properties")
        .and_then(Value::as_object)
        .unwrap_or(&no_properties);
    let required: Vec<&str> = schema
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    for (name, child) in properties {
        match members.get(name) {
            Some(value) => node(child, value, &join(place, name), issues),
            None if required.contains(&name.as_str()) => {
                issues.push(Issue::new(
                    join(place, name),
                    IssueCode::MissingRequired,
                    format!("Required ({}), but missing.", expected_of(child)),
                ));
            }
            None => {}
        }
    }
    for (name, value) in members
        .iter()
        .filter(|(name, _)| !properties.contains_key(*name))
    {
        match schema.get("additionalProperties") {
            Some(values @ Value::Object(_)) => node(values, value, &join(place, name), issues),
            Some(Value::Bool(false)) => issues.push(unknown(name, properties, place)),
            _ => {}
        }
    }
}

fn unknown(name: &str, properties: &Map<String, Value>, place: &str) -> Issue {
    let known: Vec<&str> = properties.keys().map(String::as_str).collect();
    let advice = match nearest(name, &known) {
        Some(near) => format!("Did you mean `{near}`?"),
        None if known.is_empty() => "There are no parameters here.".to_owned(),
        None => format!(
            "Known are {}.",
            known
                .iter()
                .map(|name| format!("`{name}`"))
                .collect::<Vec<_>>()
                .join(", ")
        ),
    };
    Issue::new(
        join(place, name),
        IssueCode::UnknownParam,
        format!("No such parameter. {advice}"),
    )
}

fn is_of(kind: &str, value: &Value) -> bool {
    match kind {
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "null" => value.is_null(),
        _ => true,
    }
}

fn expected(kind: &str) -> &str {
    match kind {
        "string" => "a text",
        "integer" => "a whole number",
        "number" => "a number",
        "boolean" => "true or false",
        "array" => "a list",
        "object" => "an object",
        "null" => "null",
        other => other,
    }
}

fn expected_of(schema: &Value) -> &str {
    schema
        .get("type")
        .and_then(Value::as_str)
        .map_or("a value", expected)
}

fn found(value: &Value) -> String {
    match value {
        Value::Null => "null".into(),
        Value::Bool(value) => value.to_string(),
        Value::Number(number) => format!("the number {number}"),
        Value::String(text) => format!("the text \"{}\"", shorten(text)),
        Value::Array(items) => format!("a list of {}", items.len()),
        Value::Object(_) => "an object".into(),
    }
}

fn bare(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

fn shorten(text: &str) -> String {
    const MOST: usize = 60;
    if text.chars().count() <= MOST {
        text.to_owned()
    } else {
        format!("{}…", text.chars().take(MOST).collect::<String>())
    }
}

fn bound(schema: &Value, word: &str) -> Option<f64> {
    schema.get(word).and_then(Value::as_f64)
}

fn join(place: &str, name: &str) -> String {
    if place.is_empty() {
        name.to_owned()
    } else {
        format!("{place}.{name}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_fault_is_reported_at_once_with_its_place() {
        let schema = json!({
            "type": "object",
            "properties": {
                "path": {"type": "string", "minLength": 1},
                "limit": {"type": "integer", "minimum": 1},
                "mode": {"type": "string", "enum": ["content", "count"]},
                "edits": {"type": "array", "minItems": 1, "items": {
                    "type": "object",
                    "properties": {"oldText": {"type": "string"}, "newText": {"type": "string"}},
                    "required": ["oldText", "newText"],
                    "additionalProperties": false,
                }},
                "query": {"type": "string"},
            },
            "required": ["path", "query"],
            "additionalProperties": false,
        });
        let value = json!({
            "path": "", "limit": 0, "mode": "lines",
            "edits": [{"oldText": "a", "newText": "b"}, {"oldText": 5}],
            "pth": "x",
        });
        let found: Vec<_> = validate(&schema, &value)
            .into_iter()
            .map(|issue| {
                format!(
                    "{} {} {}",
                    issue.param,
                    serde_json::to_value(issue.code).unwrap().as_str().unwrap(),
                    issue.message
                )
            })
            .collect();
        assert_eq!(
            found,
            [
                "path INVALID_LENGTH Expected at least 1 characters, got 0.",
                "limit OUT_OF_RANGE Expected a number of at least 1, got 0.",
                "mode INVALID_ENUM Expected one of `content`, `count`, got `lines`.",
                "edits[1].oldText TYPE_MISMATCH Expected a text, got the number 5.",
                "edits[1].newText MISSING_REQUIRED Required (a text), but missing.",
                "query MISSING_REQUIRED Required (a text), but missing.",
                "pth UNKNOWN_PARAM No such parameter. Did you mean `path`?",
            ]
        );
    }

    #[test]
    fn a_choice_is_explained_by_the_alternative_that_comes_nearest() {
        let schema = json!({"anyOf": [
            {"type": "string"},
            {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"], "additionalProperties": false},
        ]});
        let issues = validate(&schema, &json!({"a": "x"}));
        assert_eq!(
            issues,
            [Issue::new(
                "a",
                IssueCode::TypeMismatch,
                "Expected a whole number, got the text \"x\"."
            )]
        );
    }
}
