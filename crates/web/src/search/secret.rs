//! A key that is never shown.

use std::fmt;

/// A key of a provider. Neither `Debug` nor any error shows it.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Keeps a key.
    #[must_use]
    pub fn new(key: impl Into<String>) -> Self {
        Self(key.into())
    }

    /// For the header that needs it, and nothing else.
    pub(super) fn expose(&self) -> &str {
        &self.0
    }

    /// A text without the key, should the provider repeat it.
    pub(super) fn redact(&self, text: &str) -> String {
        if self.0.len() < 4 {
            return text.to_owned();
        }
        text.replace(&self.0, "[key]")
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("[key]")
    }
}
