//! What was expected and what was found, in words.

use serde_json::{Map, Value};
use tenon_dialects::nearest;

use super::{FaultKind, kinds, listed};

/// Longest text of the host that an error repeats, in characters.
const MAX_SHOWN: usize = 40;

/// Why none of the alternatives takes a value.
pub(super) fn wrong(choices: &[&Value], value: &Value) -> FaultKind {
    let expected = alternatives(choices, true);
    let found = match value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => format!("`{value}`"),
        // A number in place of an integer is no secret, and shows what is wrong.
        Value::Number(number)
            if choices
                .iter()
                .any(|choice| kinds(choice).contains(&"integer")) =>
        {
            format!("{number}")
        }
        Value::Number(_) => "a number".to_owned(),
        // It is shown only where a few words are possible: anywhere else it may be a secret.
        Value::String(text) if choices.iter().any(|choice| has_words(choice)) => {
            format!("`{}`", shown(text))
        }
        Value::String(_) => "a string".to_owned(),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
    };
    let words: Vec<&str> = choices
        .iter()
        .filter_map(|choice| listed(choice))
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let near = value.as_str().and_then(|text| nearest(text, &words));
    FaultKind::Wrong {
        rest: format!("must be {expected}, not {found}"),
        hint: near.map_or_else(String::new, |near| format!(" Did you mean `{near}`?")),
    }
}

fn has_words(schema: &Value) -> bool {
    listed(schema).is_some_and(|values| values.iter().any(|value| value.is_string()))
}

/// The alternatives in words: `a`, `b` or an object.
pub(super) fn alternatives(choices: &[&Value], with_article: bool) -> String {
    let mut names: Vec<String> = Vec::new();
    for choice in choices {
        if let Some(values) = listed(choice) {
            let words = values.iter().filter(|value| !value.is_null());
            names.extend(words.map(|value| match value {
                Value::String(text) => format!("`{text}`"),
                other => format!("`{other}`"),
            }));
            continue;
        }
        for kind in kinds(choice) {
            let (article, word) = match kind {
                "string" => ("a ", "string"),
                "integer" => ("an ", "integer"),
                "number" => ("a ", "number"),
                "boolean" => ("", "`true` or `false`"),
                "array" if items_are_strings(choice) => ("a ", "list of strings"),
                "array" => ("a ", "list"),
                "object" => ("an ", "object"),
                _ => continue,
            };
            let article = if with_article { article } else { "" };
            let keys = match (kind, choices.len()) {
                ("object", 2..) => keys(choice),
                _ => String::new(),
            };
            names.push(format!("{article}{word}{keys}"));
        }
    }
    names.dedup();
    if names.is_empty() {
        return "something else".to_owned();
    }
    listing(&names, "or")
}

fn items_are_strings(schema: &Value) -> bool {
    schema
        .get("items")
        .is_some_and(|items| kinds(items) == ["string"])
}

/// Which members an object may have, where it is one of several alternatives.
fn keys(schema: &Value) -> String {
    let names = schema.get("properties").and_then(Value::as_object);
    let names: Vec<&str> = names
        .into_iter()
        .flat_map(Map::keys)
        .map(String::as_str)
        .collect();
    if names.is_empty() {
        String::new()
    } else {
        format!(" `{{{}}}`", names.join(", "))
    }
}

pub(super) fn listing(names: &[String], word: &str) -> String {
    match names {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} {word} {last}", first.join(", ")),
    }
}

pub(super) fn shown(text: &str) -> String {
    let mut shown: String = text.chars().take(MAX_SHOWN).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    tenon_policy::escaped(shown)
}
