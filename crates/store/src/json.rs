//! Values: JSON as text.

use std::fmt;

use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Serialize, Serializer};
use tenon_contract::limits;

use crate::StoreError;

/// A value: the text of one JSON document.
///
/// It stays text, because a value may hold what Rust's strings cannot: an escaped half of a surrogate pair, as JavaScript
/// writes it. Two values are equal when their texts are; [`Json::is_same`] compares what they mean.
#[derive(Clone, PartialEq, Eq)]
pub struct Json(Box<str>);

impl Json {
    /// Takes a text that is JSON.
    ///
    /// # Errors
    /// [`StoreError::Invalid`] for another text, and for one that is too long.
    pub fn from_text(text: impl Into<Box<str>>) -> Result<Self, StoreError> {
        let text = text.into();
        if text.len() > limits::STORE_VALUE_MAX_BYTES {
            let (length, most) = (text.len(), limits::STORE_VALUE_MAX_BYTES);
            return Err(StoreError::Invalid(format!(
                "The value has {length} bytes; at most {most} are kept"
            )));
        }
        serde_json::from_str::<IgnoredAny>(&text)
            .map_err(|error| StoreError::Invalid(format!("The value is not JSON: {error}")))?;
        Ok(Self(text))
    }

    /// The JSON of a Rust value.
    ///
    /// # Errors
    /// [`StoreError::Invalid`] for what JSON cannot say.
    pub fn of(value: &impl Serialize) -> Result<Self, StoreError> {
        let text = serde_json::to_string(value)
            .map_err(|error| StoreError::Invalid(format!("The value is not JSON: {error}")))?;
        Self::from_text(text)
    }

    /// Text that a store has kept: it was JSON when it came in.
    pub(crate) fn kept(text: String) -> Self {
        Self(text.into_boxed_str())
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The value as a Rust type.
    ///
    /// # Errors
    /// [`StoreError::Failed`] where it has another form.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, StoreError> {
        serde_json::from_str(&self.0).map_err(|error| {
            StoreError::Failed(format!("A stored value has another form: {error}"))
        })
    }

    /// Whether two values mean the same, whatever the order of their members and their spaces. Values with escaped halves
    /// of surrogate pairs are compared by their texts.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        self == other
            || match (
                self.read::<serde_json::Value>(),
                other.read::<serde_json::Value>(),
            ) {
                (Ok(one), Ok(other)) => one == other,
                _ => false,
            }
    }
}

impl fmt::Debug for Json {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl Serialize for Json {
    /// As a string that holds the text, so that it crosses every border unchanged.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_one_json_document_and_nothing_else() {
        for text in [
            "null",
            "\"\\ud800\"",
            "\"a\\u0000b\"",
            " [1, 2.5] ",
            "9007199254740993",
        ] {
            assert_eq!(Json::from_text(text).unwrap().as_str(), text);
        }
        for text in ["", "{", "1 2", "undefined", "\"\u{0}\"", "'a'"] {
            assert!(
                matches!(Json::from_text(text), Err(StoreError::Invalid(_))),
                "{text}"
            );
        }
        let long = format!("\"{}\"", "x".repeat(limits::STORE_VALUE_MAX_BYTES));
        let message = Json::from_text(long).unwrap_err().to_string();
        assert_eq!(
            message,
            "The value has 16777218 bytes; at most 16777216 are kept."
        );
    }

    #[test]
    fn two_values_are_the_same_by_what_they_mean() {
        let json = |text: &str| Json::from_text(text).unwrap();
        assert!(json("{\"a\":1,\"b\":[ ]}").is_same(&json("{\"b\":[],\"a\":1}")));
        assert!(json("\"\\ud800\"").is_same(&json("\"\\ud800\"")));
        assert!(!json("[1,2]").is_same(&json("[2,1]")));
    }
}
