//! What a schema says about one value, as far as repairs need it.

use serde_json::Value;

/// The one type that a value must be of, null aside; empty when there are several or none.
pub(super) fn single_type(schema: &Value) -> &str {
    match schema.get("type") {
        Some(Value::String(kind)) => kind,
        Some(Value::Array(kinds)) => {
            let mut kinds = kinds
                .iter()
                .filter_map(Value::as_str)
                .filter(|kind| *kind != "null");
            match (kinds.next(), kinds.next()) {
                (Some(only), None) => only,
                _ => "",
            }
        }
        _ => "",
    }
}

/// Whether null may be a value here, not absence. What a schema does not exclude it allows.
pub(super) fn takes_null(schema: &Value) -> bool {
    let choices = ["anyOf", "oneOf"]
        .iter()
        .filter_map(|word| schema.get(*word)?.as_array());
    let within = choices.flatten().any(takes_null);
    match schema.get("type") {
        Some(Value::String(kind)) => {
            kind == "null" || schema.get("nullable") == Some(&Value::Bool(true))
        }
        Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind == "null"),
        _ if within => true,
        _ => match (schema.get("enum"), schema.get("const")) {
            (Some(Value::Array(allowed)), _) => allowed.contains(&Value::Null),
            (_, Some(only)) => only.is_null(),
            _ => schema.get("anyOf").or(schema.get("oneOf")).is_none(),
        },
    }
}

pub(super) fn is_required(schema: &Value, name: &str) -> bool {
    let names = schema.get("required").and_then(Value::as_array);
    names.is_some_and(|names| names.iter().any(|known| known == name))
}

pub(super) fn property<'a>(schema: &'a Value, name: &str) -> Option<&'a Value> {
    schema.get("properties").and_then(|all| all.get(name))
}
