//! The arguments of a call as rules compare them.

use crate::ArgumentClaim;
use serde_json::Value;

impl ArgumentClaim {
    /// The top-level arguments of a call.
    #[must_use]
    pub fn all_of(params: &Value) -> Vec<Self> {
        let members = params.as_object().into_iter().flatten();
        members
            .filter(|(_, value)| !value.is_null())
            .map(|(name, value)| {
                let mut claim = Self {
                    name: name.clone(),
                    values: Vec::new(),
                    is_whole: true,
                };
                match value {
                    Value::Array(entries) => {
                        entries.iter().for_each(|entry| enter(&mut claim, entry))
                    }
                    single => enter(&mut claim, single),
                }
                claim
            })
            .collect()
    }
}

fn enter(claim: &mut ArgumentClaim, value: &Value) {
    match value {
        Value::String(text) => claim.values.push(text.clone()),
        Value::Number(_) | Value::Bool(_) => claim.values.push(value.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => claim.is_whole = false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn single_values_and_lists_are_texts_and_objects_cannot_be_compared() {
        let claim = |name: &str, values: &[&str], is_whole| ArgumentClaim {
            name: name.to_owned(),
            values: values.iter().map(|value| (*value).to_owned()).collect(),
            is_whole,
        };
        assert_eq!(
            ArgumentClaim::all_of(
                &json!({"a": "x", "n": 3, "l": ["p", true], "o": {"x": 1}, "m": ["q", {}], "z": null})
            ),
            [
                claim("a", &["x"], true),
                claim("n", &["3"], true),
                claim("l", &["p", "true"], true),
                claim("o", &[], false),
                claim("m", &["q"], false),
            ]
        );
    }
}
