//! What a call answers.

use std::any::Any;

use serde::Serialize;
use serde_json::Value;

/// One part of what the model sees.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// Text.
    Text(String),
    /// An image.
    Image {
        /// The bytes, base64 (RFC 4648 section 4, padded).
        data: String,
        /// Such as `image/png`.
        mime_type: String,
    },
}

impl Content {
    /// A text part.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// Length of the part as it crosses to the model, in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::Image { data, .. } => data.len(),
        }
    }
}

/// The answer to one call as a dialect tells it.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// For the model.
    pub content: Vec<Content>,
    /// For programs: a JSON object whose shape the dialect documents.
    pub details: Value,
}

/// What an operation found or did, before a dialect tells it: any type that serialises.
///
/// A renderer gets the typed value back through [`as_any`](Self::as_any); a field table works on
/// [`to_value`](Self::to_value).
pub trait AnyOutput: Send {
    /// The value itself, for a downcast to the operation's output type.
    fn as_any(&self) -> &dyn Any;
    /// The value as JSON, by its `Serialize`.
    ///
    /// # Errors
    /// When the type's `Serialize` fails, which is a bug in the operation.
    fn to_value(&self) -> Result<Value, serde_json::Error>;
}

impl<T: Serialize + Send + 'static> AnyOutput for T {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn to_value(&self) -> Result<Value, serde_json::Error> {
        serde_json::to_value(self)
    }
}
