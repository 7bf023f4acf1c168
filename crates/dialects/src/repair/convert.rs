//! Values whose type cannot fit, where a conversion loses nothing.

use serde_json::{Number, Value};

use super::schema::single_type;
use super::{Aliases, Repairer};
use tenon_contract::{has_normal_form, normalise};

/// Up to here a whole number is the same in every language.
const LARGEST_EXACT: u64 = 9_007_199_254_740_991;

impl<A: FnOnce() -> Aliases> Repairer<'_, A> {
    /// The value in the type that the schema asks for.
    pub(super) fn convert(&mut self, value: Value, schema: &Value, place: &str) -> Value {
        let kind = single_type(schema);
        let value = self.parse_text(value, schema, place);
        let value = self.unwrap_entry(value, kind, place);
        match (kind, value) {
            ("integer", Value::Number(number)) => Value::Number(whole(number)),
            ("integer" | "number", Value::String(text)) => match number_in(&text, kind) {
                Some(number) => {
                    self.note(place, format!("read the text \"{text}\" as a number"));
                    Value::Number(number)
                }
                None => Value::String(text),
            },
            ("boolean", Value::String(text)) if boolean_in(&text).is_some() => {
                self.note(place, format!("read the text \"{text}\" as a boolean"));
                Value::Bool(boolean_in(&text).unwrap_or_default())
            }
            ("string", Value::Number(number)) if self.takes_number(place) && is_exact(&number) => {
                self.note(place, format!("took the number {number} as a text"));
                self.constant(number.to_string(), schema, place)
            }
            ("string", Value::String(text)) => self.constant(text, schema, place),
            ("array", single)
                if is_single(&single)
                    && (fits_item(&single, schema)
                        || self.is_number_item(&single, schema, place)) =>
            {
                self.note(place, "took the single value for a list of one".to_owned());
                Value::Array(vec![single])
            }
            (_, other) => other,
        }
    }

    /// A list or object that came as its JSON text.
    pub(super) fn parse_text(&mut self, value: Value, schema: &Value, place: &str) -> Value {
        let kind = single_type(schema);
        let Value::String(text) = &value else {
            return value;
        };
        if !matches!(kind, "array" | "object") || !text.trim_start().starts_with(['[', '{']) {
            return value;
        }
        match serde_json::from_str::<Value>(text) {
            Ok(parsed) if parsed.is_array() || parsed.is_object() => {
                self.note(place, "read the text as JSON".to_owned());
                parsed
            }
            _ => value,
        }
    }

    /// Whether a number can have meant its digits here, or as an entry here.
    fn takes_number(&self, place: &str) -> bool {
        let param = place.split('[').next().unwrap_or_default();
        self.numbers.contains(&param)
    }

    /// Whether a number stands for a list of texts.
    fn is_number_item(&self, value: &Value, schema: &Value, place: &str) -> bool {
        let item = schema.get("items").map_or("", single_type);
        item == "string" && self.takes_number(place) && value.as_number().is_some_and(is_exact)
    }

    /// The only entry of a list that stands where one value belongs.
    fn unwrap_entry(&mut self, value: Value, kind: &str, place: &str) -> Value {
        let is_wrapped = matches!(kind, "string" | "integer" | "number" | "boolean")
            && matches!(&value, Value::Array(entries)
                if matches!(entries.as_slice(), [Value::String(_) | Value::Number(_) | Value::Bool(_)]));
        match value {
            Value::Array(mut entries) if is_wrapped => {
                self.note(place, "took the only entry of the list".to_owned());
                entries.pop().unwrap_or_default()
            }
            other => other,
        }
    }

    /// `send-keys` and `SendKeys` mean `send_keys`, when that is the only one of its spelling.
    fn constant(&mut self, text: String, schema: &Value, place: &str) -> Value {
        match meant_constant(&text, schema) {
            Some(constant) => {
                self.note(place, format!("took \"{text}\" for \"{constant}\""));
                Value::String(constant)
            }
            None => Value::String(text),
        }
    }
}

fn number_in(text: &str, kind: &str) -> Option<Number> {
    let number = text.trim().parse::<Number>().ok()?;
    if kind == "number" {
        return Some(number);
    }
    let number = whole(number);
    (number.is_i64() || number.is_u64()).then_some(number)
}

fn boolean_in(text: &str) -> Option<bool> {
    let text = text.trim();
    if text.eq_ignore_ascii_case("true") {
        Some(true)
    } else if text.eq_ignore_ascii_case("false") {
        Some(false)
    } else {
        None
    }
}

/// Whether a number has one spelling only: `1.50` and `1e3` may have been meant to the letter.
fn is_exact(number: &Number) -> bool {
    number
        .as_i64()
        .is_some_and(|whole| whole.unsigned_abs() <= LARGEST_EXACT)
}

fn meant_constant(text: &str, schema: &Value) -> Option<String> {
    let constants = schema.get("enum")?.as_array()?;
    let mut constants = constants.iter().filter_map(Value::as_str);
    if constants.clone().any(|constant| constant == text) {
        return None;
    }
    let spelling = normalise(text);
    let meant = constants.find(|constant| has_normal_form(constant, &spelling))?;
    constants
        .all(|other| !has_normal_form(other, &spelling))
        .then(|| meant.to_owned())
}

fn is_single(value: &Value) -> bool {
    !value.is_array() && !value.is_null()
}

/// Whether one value could be an item of the list that the schema asks for, or become one.
fn fits_item(value: &Value, schema: &Value) -> bool {
    let item = schema.get("items").map_or("", single_type);
    match (item, value) {
        ("string", Value::String(_)) | ("object", Value::Object(_)) => true,
        ("integer" | "number", Value::Number(_)) => true,
        ("integer" | "number", Value::String(text)) => number_in(text, item).is_some(),
        _ => false,
    }
}

/// `5.0` is the integer 5.
fn whole(number: Number) -> Number {
    match number.as_f64() {
        Some(float)
            if number.is_f64() && float.fract() == 0.0 && float.abs() <= LARGEST_EXACT as f64 =>
        {
            Number::from(float as i64)
        }
        _ => number,
    }
}
