//! What faulty parameters would be without their faults.

use serde_json::{Map, Value};

use super::validate;

/// The parameters with something harmless in the place of every fault, so that what only code can judge can be judged
/// as well. Nothing when a fault hides which of several shapes was meant.
pub(crate) fn sound(schema: &Value, value: &Value) -> Option<Value> {
    match schema.get("type").and_then(Value::as_str)? {
        "object" => {
            let given = value.as_object();
            let required = schema.get("required").and_then(Value::as_array);
            let mut members = Map::new();
            for (name, child) in schema.get("properties").and_then(Value::as_object)? {
                let is_required =
                    required.is_some_and(|names| names.iter().any(|known| known == name));
                match given.and_then(|given| given.get(name)) {
                    Some(value) => drop(members.insert(name.clone(), sound(child, value)?)),
                    None if is_required => {
                        drop(members.insert(name.clone(), sound(child, &Value::Null)?))
                    }
                    None => {}
                }
            }
            Some(Value::Object(members))
        }
        "array" => {
            let items = value.as_array().map(Vec::as_slice).unwrap_or_default();
            let item = schema.get("items")?;
            items
                .iter()
                .map(|value| sound(item, value))
                .collect::<Option<Vec<_>>>()
                .map(Value::Array)
        }
        _ if validate(schema, value).is_empty() => Some(value.clone()),
        _ if schema.get("enum").is_some() => None,
        "string" => Some(Value::from("")),
        "boolean" => Some(Value::Bool(false)),
        _ => Some(
            schema
                .get("minimum")
                .cloned()
                .unwrap_or_else(|| Value::from(1)),
        ),
    }
}
