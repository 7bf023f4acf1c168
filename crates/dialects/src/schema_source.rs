//! The types behind a schema.

use schemars::JsonSchema;
use serde_json::Value;

/// A schema that is made from a type.
#[derive(Debug, Clone, Copy)]
pub struct SchemaSource {
    #[cfg(debug_assertions)]
    make: fn() -> Value,
}

impl SchemaSource {
    /// What models write for a `T`: the parameters of an operation.
    #[must_use]
    pub const fn params<T: JsonSchema>() -> Self {
        Self {
            #[cfg(debug_assertions)]
            make: tenon_contract::schema_for_models::<T>,
        }
    }

    /// The schema that this function makes.
    #[cfg(debug_assertions)]
    pub(crate) const fn made_by(make: fn() -> Value) -> Self {
        Self { make }
    }

    /// What is written for a `T`: the details of an answer.
    #[cfg(debug_assertions)]
    pub(crate) const fn details<T: JsonSchema>() -> Self {
        Self {
            make: tenon_contract::schema_for::<T>,
        }
    }

    /// The schema.
    #[cfg(debug_assertions)]
    #[must_use]
    pub fn make(self) -> Value {
        (self.make)()
    }
}
