//! How values and types are named.

use serde_json::Value;

pub(super) fn expected(kind: &str) -> &str {
    match kind {
        "string" => "a string",
        "integer" => "an integer",
        "number" => "a number",
        "boolean" => "a boolean",
        "array" => "an array",
        "object" => "an object",
        "null" => "null",
        other => other,
    }
}

/// The type of a value that is missing, in parentheses.
pub(super) fn type_of(schema: &Value) -> String {
    let kind = schema.get("type").and_then(Value::as_str);
    kind.map_or_else(String::new, |kind| format!(" ({kind})"))
}

pub(super) fn found(value: &Value) -> String {
    match value {
        Value::Null => "null".into(),
        Value::Bool(value) => value.to_string(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => format!("\"{}\"", shorten(text)),
        Value::Array(items) => format!("an array of {}", items.len()),
        Value::Object(_) => "an object".into(),
    }
}

pub(super) fn bare(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

pub(super) fn shorten(text: &str) -> String {
    const MOST: usize = 60;
    if text.chars().count() <= MOST {
        text.to_owned()
    } else {
        format!("{}…", text.chars().take(MOST).collect::<String>())
    }
}
