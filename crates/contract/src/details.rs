//! The details of an answer.

use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;
use std::sync::OnceLock;

use serde::Serialize;
use serde_json::Value;

/// The details of an answer, for programs: JSON. They are kept as they cross to the host, as text: a value of ten
/// thousand matches takes several times as long to make as its text. Anyone who looks into them gets the value.
#[derive(Clone, Default)]
pub struct Details {
    /// Nothing when they came as a value.
    json: Option<String>,
    value: OnceLock<Value>,
}

impl Details {
    /// The details that `reported` serialises to.
    ///
    /// # Errors
    /// When it does not serialise.
    pub fn of(reported: &impl Serialize) -> Result<Self, serde_json::Error> {
        Ok(Self {
            json: Some(serde_json::to_string(reported)?),
            value: OnceLock::new(),
        })
    }

    /// Adds a member, which is not there already, if they are an object.
    pub fn insert(&mut self, name: &str, member: &Value) {
        let Some(json) = &mut self.json else {
            if let Some(Value::Object(members)) = self.value.get_mut() {
                members.insert(name.to_owned(), member.clone());
            }
            return;
        };
        if json.starts_with('{') && json.ends_with('}') {
            json.pop();
            let comma = if json.len() > 1 { "," } else { "" };
            let name = Value::from(name);
            json.push_str(&format!("{comma}{name}:{member}}}"));
            self.value.take();
        }
    }

    /// Their text, to look at.
    #[must_use]
    pub fn json(&self) -> Cow<'_, str> {
        match &self.json {
            Some(json) => json.into(),
            None => self.value.get().unwrap_or(&Value::Null).to_string().into(),
        }
    }

    /// Their text.
    #[must_use]
    pub fn into_json(self) -> String {
        match self.json {
            Some(json) => json,
            None => self.value.get().unwrap_or(&Value::Null).to_string(),
        }
    }

    /// Their value.
    #[must_use]
    pub fn into_value(self) -> Value {
        self.value();
        self.value.into_inner().unwrap_or_default()
    }

    fn value(&self) -> &Value {
        self.value.get_or_init(|| {
            let parsed = self.json.as_deref().map(serde_json::from_str);
            parsed.and_then(Result::ok).unwrap_or(Value::Null)
        })
    }
}

impl Deref for Details {
    type Target = Value;

    fn deref(&self) -> &Value {
        self.value()
    }
}

impl From<Value> for Details {
    fn from(value: Value) -> Self {
        Self {
            json: None,
            value: OnceLock::from(value),
        }
    }
}

impl PartialEq for Details {
    fn eq(&self, other: &Self) -> bool {
        self.value() == other.value()
    }
}

impl PartialEq<Value> for Details {
    fn eq(&self, other: &Value) -> bool {
        self.value() == other
    }
}

impl fmt::Debug for Details {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value().fmt(formatter)
    }
}

impl fmt::Display for Details {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.json {
            Some(json) => formatter.write_str(json),
            None => self.value().fmt(formatter),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_member_is_added_to_the_text_as_to_the_value() {
        for value in [json!({}), json!({ "a": [1, "}"] }), json!([1]), json!(null)] {
            let (mut text, mut parsed) = (Details::of(&value).unwrap(), Details::from(value));
            assert_eq!(text, parsed);
            for details in [&mut text, &mut parsed] {
                details.insert("b \"", &json!({ "c": "é" }));
            }
            assert_eq!(text, parsed);
            assert_eq!(text.to_string(), parsed.to_string());
            assert_eq!(text.into_json(), parsed.into_json());
        }
    }

    #[test]
    fn who_looks_into_details_sees_the_value() {
        let details = Details::of(&json!({ "files": ["a"] })).unwrap();
        assert_eq!(details["files"][0], "a");
        assert_eq!(details.into_value(), json!({ "files": ["a"] }));
    }
}
