//! Puts right what models get wrong, where only one thing can have been meant.
//!
//! Nothing is guessed: a key is renamed only when it is no parameter and its meaning is absent, a
//! value is converted only when its own type cannot fit and the conversion loses nothing. Whatever
//! remains is left for [`crate::validate`] to refuse.

use serde_json::{Map, Number, Value};

use crate::issue::Repair;
use crate::names::normalise;

/// The parameters after repair, and what was done. `aliases` are pairs of spelling and parameter.
pub(crate) fn repair(
    wire: Value,
    schema: &Value,
    aliases: &[(&str, &str)],
) -> (Value, Vec<Repair>) {
    let mut repairs = Vec::new();
    let mut wire = match wire {
        Value::Null => Value::Object(Map::new()),
        other => parse_text(other, schema, "", &mut repairs),
    };
    if let Value::Object(object) = &mut wire {
        rename_aliases(object, schema, aliases, &mut repairs);
    }
    let wire = repair_node(wire, schema, "", &mut repairs);
    (wire, repairs)
}

fn rename_aliases(
    object: &mut Map<String, Value>,
    schema: &Value,
    aliases: &[(&str, &str)],
    repairs: &mut Vec<Repair>,
) {
    for (alias, param) in aliases {
        if property(schema, alias).is_some()
            || object.get(*param).is_some_and(|value| !value.is_null())
        {
            continue;
        }
        if let Some(value) = object.shift_remove(*alias).filter(|value| !value.is_null()) {
            object.insert((*param).to_owned(), value);
            repairs.push(note(param, format!("took `{alias}` for `{param}`")));
        }
    }
}

fn repair_node(value: Value, schema: &Value, place: &str, repairs: &mut Vec<Repair>) -> Value {
    let value = convert(value, schema, place, repairs);
    match value {
        Value::Object(object) => Value::Object(repair_object(object, schema, place, repairs)),
        Value::Array(items) => {
            let Some(item_schema) = schema.get("items") else {
                return Value::Array(items);
            };
            let repaired = items.into_iter().enumerate();
            Value::Array(
                repaired
                    .map(|(index, item)| {
                        repair_node(item, item_schema, &format!("{place}[{index}]"), repairs)
                    })
                    .collect(),
            )
        }
        other => other,
    }
}

fn repair_object(
    object: Map<String, Value>,
    schema: &Value,
    place: &str,
    repairs: &mut Vec<Repair>,
) -> Map<String, Value> {
    let given: Vec<String> = object.keys().cloned().collect();
    let mut repaired = Map::new();
    for (key, value) in object {
        let name = if property(schema, &key).is_some() {
            key
        } else {
            respelled(key, &given, schema, place, repairs)
        };
        // Strict modes send null for whatever is left out.
        let is_left_out = value.is_null()
            && !is_required(schema, &name)
            && property(schema, &name).is_some_and(|child| !takes_null(child));
        if is_left_out {
            continue;
        }
        let at = join(place, &name);
        let value = match property(schema, &name) {
            Some(child) => repair_node(value, child, &at, repairs),
            None => value,
        };
        repaired.insert(name, value);
    }
    repaired
}

fn is_required(schema: &Value, name: &str) -> bool {
    let names = schema.get("required").and_then(Value::as_array);
    names.is_some_and(|names| names.iter().any(|known| known == name))
}

/// `filePath` and `file-path` mean `file_path`, when that is not given as well.
fn respelled(
    key: String,
    given: &[String],
    schema: &Value,
    place: &str,
    repairs: &mut Vec<Repair>,
) -> String {
    let Some(Value::Object(properties)) = schema.get("properties") else {
        return key;
    };
    let meant: Vec<&String> = properties
        .keys()
        .filter(|name| normalise(name) == normalise(&key))
        .collect();
    let [name] = meant.as_slice() else { return key };
    // Where anything may stand another spelling may be another thing, unless the call would be refused otherwise.
    let is_closed = schema.get("additionalProperties") == Some(&Value::Bool(false));
    if !is_closed && !is_required(schema, name) {
        return key;
    }
    let spellings = given
        .iter()
        .filter(|other| normalise(other) == normalise(&key))
        .count();
    if spellings != 1 {
        return key;
    }
    repairs.push(note(
        &join(place, name),
        format!("took `{key}` for `{name}`"),
    ));
    (*name).clone()
}

/// Converts a value whose type cannot fit, where the conversion loses nothing.
fn convert(value: Value, schema: &Value, place: &str, repairs: &mut Vec<Repair>) -> Value {
    let kind = single_type(schema);
    let value = parse_text(value, schema, place, repairs);
    match (kind, value) {
        ("integer", Value::Number(number)) => Value::Number(whole(number)),
        ("integer" | "number", Value::String(text)) => match text.trim().parse::<Number>() {
            Ok(number)
                if kind == "number"
                    || whole(number.clone()).is_i64()
                    || whole(number.clone()).is_u64() =>
            {
                repairs.push(note(place, format!("read the text \"{text}\" as a number")));
                Value::Number(if kind == "integer" {
                    whole(number)
                } else {
                    number
                })
            }
            _ => Value::String(text),
        },
        ("boolean", Value::String(text))
            if text.eq_ignore_ascii_case("true") || text.eq_ignore_ascii_case("false") =>
        {
            repairs.push(note(
                place,
                format!("read the text \"{text}\" as a boolean"),
            ));
            Value::Bool(text.eq_ignore_ascii_case("true"))
        }
        ("string", Value::String(text)) => match meant_constant(&text, schema) {
            Some(constant) => {
                repairs.push(note(place, format!("took \"{text}\" for \"{constant}\"")));
                Value::String(constant)
            }
            None => Value::String(text),
        },
        ("array", single)
            if !single.is_array() && !single.is_null() && fits_item(&single, schema) =>
        {
            repairs.push(note(
                place,
                "took the single value for a list of one".to_owned(),
            ));
            Value::Array(vec![single])
        }
        (_, other) => other,
    }
}

/// `send-keys` and `SendKeys` mean `send_keys`, when that is the only one of its spelling.
fn meant_constant(text: &str, schema: &Value) -> Option<String> {
    let constants = schema.get("enum")?.as_array()?;
    let mut constants = constants.iter().filter_map(Value::as_str);
    if constants.clone().any(|constant| constant == text) {
        return None;
    }
    let spelling = normalise(text);
    let meant = constants.find(|constant| normalise(constant) == spelling)?;
    constants
        .all(|other| normalise(other) != spelling)
        .then(|| meant.to_owned())
}

/// A list or object that came as its JSON text.
fn parse_text(value: Value, schema: &Value, place: &str, repairs: &mut Vec<Repair>) -> Value {
    let kind = single_type(schema);
    let Value::String(text) = &value else {
        return value;
    };
    if !matches!(kind, "array" | "object") || !text.trim_start().starts_with(['[', '{']) {
        return value;
    }
    match serde_json::from_str::<Value>(text) {
        Ok(parsed) if parsed.is_array() || parsed.is_object() => {
            repairs.push(note(place, "read the text as JSON".to_owned()));
            parsed
        }
        _ => value,
    }
}

/// Whether one value could be an item of the list that the schema asks for.
fn fits_item(value: &Value, schema: &Value) -> bool {
    let item = schema.get("items").map_or("", single_type);
    match item {
        "string" => value.is_string(),
        "object" => value.is_object(),
        "integer" | "number" => value.is_number(),
        _ => false,
    }
}

/// The one type that a value must be of, null aside; empty when there are several or none.
fn single_type(schema: &Value) -> &str {
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
fn takes_null(schema: &Value) -> bool {
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

/// `5.0` is the integer 5.
fn whole(number: Number) -> Number {
    match number.as_f64() {
        Some(float)
            if number.is_f64() && float.fract() == 0.0 && float.abs() < 9_007_199_254_740_992.0 =>
        {
            Number::from(float as i64)
        }
        _ => number,
    }
}

fn property<'a>(schema: &'a Value, name: &str) -> Option<&'a Value> {
    schema.get("properties").and_then(|all| all.get(name))
}

fn join(place: &str, name: &str) -> String {
    if place.is_empty() {
        name.to_owned()
    } else {
        format!("{place}.{name}")
    }
}

fn note(param: &str, message: String) -> Repair {
    Repair {
        param: param.to_owned(),
        message,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn schema() -> Value {
        json!({
            "type": "object",
            "properties": {
                "file_path": {"type": "string"},
                "limit": {"type": "integer"},
                "literal": {"type": "boolean"},
                "edits": {"type": "array", "items": {"type": "object", "properties": {"oldText": {"type": "string"}}, "required": ["oldText"]}},
            },
            "required": ["file_path"],
        })
    }

    #[test]
    fn slips_of_models_are_put_right_and_named() {
        let sent =
            json!({"path": "a", "limit": "5", "literal": "True", "edits": "{\"old_text\": \"x\"}"});
        let (wire, repairs) = repair(sent, &schema(), &[("path", "file_path")]);
        assert_eq!(
            wire,
            json!({"limit": 5, "literal": true, "edits": [{"oldText": "x"}], "file_path": "a"})
        );
        let messages: Vec<_> = repairs
            .iter()
            .map(|repair| format!("{}: {}", repair.param, repair.message))
            .collect();
        assert_eq!(
            messages,
            [
                "file_path: took `path` for `file_path`",
                "limit: read the text \"5\" as a number",
                "literal: read the text \"True\" as a boolean",
                "edits: read the text as JSON",
                "edits: took the single value for a list of one",
                "edits[0].oldText: took `old_text` for `oldText`",
            ]
        );
    }

    #[test]
    fn null_for_an_optional_parameter_is_absence_and_no_repair() {
        let (wire, repairs) = repair(json!({"file_path": "a", "limit": null}), &schema(), &[]);
        assert_eq!((wire, repairs), (json!({"file_path": "a"}), vec![]));
    }

    #[test]
    fn where_null_is_a_value_it_stays() {
        let open = json!({"type": "object", "properties": {
            "a": {"type": ["string", "null"]}, "b": {"anyOf": [{"type": "string"}, {"type": "null"}]},
            "c": {"enum": ["x", null]}, "d": {}, "e": {"type": "string", "nullable": true},
            "f": {"anyOf": [{"type": "string"}, {"type": "number"}]}, "g": {"enum": ["x"]},
        }});
        let sent =
            json!({"a": null, "b": null, "c": null, "d": null, "e": null, "f": null, "g": null});
        let kept = json!({"a": null, "b": null, "c": null, "d": null, "e": null});
        assert_eq!(repair(sent, &open, &[]), (kept, vec![]));
    }

    #[test]
    fn in_an_open_object_another_spelling_may_be_another_thing() {
        let open = json!({"type": "object", "properties": {"file_path": {"type": "string"}}});
        let sent = json!({"filePath": "a"});
        assert_eq!(repair(sent.clone(), &open, &[]), (sent.clone(), vec![]));
        let needed = json!({"properties": {"file_path": {}}, "required": ["file_path"]});
        assert_eq!(repair(sent, &needed, &[]).0, json!({"file_path": "a"}));
    }

    #[test]
    fn what_is_ambiguous_stays_for_the_validation() {
        let sent = json!({"filePath": "a", "file-path": "b", "limit": "five", "literal": 1});
        let (wire, repairs) = repair(sent.clone(), &schema(), &[("path", "file_path")]);
        assert_eq!((wire, repairs), (sent, vec![]));
    }

    #[test]
    fn an_alias_never_overwrites_what_was_given() {
        let sent = json!({"file_path": "a", "path": "b"});
        let (wire, repairs) = repair(sent.clone(), &schema(), &[("path", "file_path")]);
        assert_eq!((wire, repairs), (sent, vec![]));
    }
}
