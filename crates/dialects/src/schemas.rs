//! What the rows take and answer, as JSON Schema.
//!
//! The schemas are made from the types of Rust ([`making`]), which takes 1.2 MB of code and, for the tools of a vocabulary, 2 ms. A debug build makes
//! them, so that a changed type is seen at once. A release build has what `cargo xtask codegen` wrote of them
//! (`schemas/written.rs`), and none of that code; a test holds the two equal.

#[cfg(debug_assertions)]
mod making;
#[cfg(any(test, not(debug_assertions)))]
mod written;

use std::collections::HashMap;
use std::sync::{LazyLock, PoisonError, RwLock};

use schemars::JsonSchema;
use serde_json::Value;

#[cfg(debug_assertions)]
use crate::binding::WireParams;
use crate::{DialectId, ToolBinding};

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

    /// What models write for a `T`, with the texts of the dialect.
    #[cfg(debug_assertions)]
    pub(crate) const fn wire_params<T: WireParams>() -> Self {
        Self {
            make: making::wire_params::<T>,
        }
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

/// The schemas of one row.
#[derive(Debug, Clone, PartialEq)]
pub struct RowSchemas {
    /// Its parameters, with every one that it can have and with texts that are templates still.
    pub params: Value,
    /// The details of its answers as they are with what was put right in the parameters, without descriptions, which the reference has.
    pub output: Value,
}

/// Schemas by the address of their row, built by the first who asks: once per process.
static KNOWN: LazyLock<RwLock<HashMap<usize, &'static RowSchemas>>> =
    LazyLock::new(RwLock::default);

/// The schemas of a row.
pub(crate) fn of(row: &'static ToolBinding) -> &'static RowSchemas {
    let address = std::ptr::from_ref(row).addr();
    let known = KNOWN.read().unwrap_or_else(PoisonError::into_inner);
    if let Some(schemas) = known.get(&address) {
        return schemas;
    }
    drop(known);
    // Two threads may both build them; what the first has entered stays.
    #[cfg(debug_assertions)]
    let schemas = making::schemas(row);
    #[cfg(not(debug_assertions))]
    let schemas = written::schemas(row);
    let built = Box::leak(Box::new(schemas));
    let mut known = KNOWN.write().unwrap_or_else(PoisonError::into_inner);
    known.entry(address).or_insert(built)
}

/// Every row that a toolkit can show, in the order in which their schemas are written down: those of each vocabulary, those that can
/// be added to it, and the forms with anchors.
pub fn all_rows() -> impl Iterator<Item = (DialectId, &'static ToolBinding)> {
    DialectId::ALL.iter().flat_map(|id| {
        let dialect = id.dialect();
        let rows = dialect.tools.iter().chain(dialect.extras());
        rows.flat_map(|row| {
            let anchored = row.with_anchors();
            let other = (!std::ptr::eq(row, anchored)).then_some(anchored);
            std::iter::once(row).chain(other)
        })
        .map(|row| (*id, row))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_release_has_the_schemas_that_are_made_from_the_types() {
        for (id, row) in all_rows() {
            let place = format!("{} of {}", row.name, id.name());
            assert_eq!(
                written::schemas(row),
                making::schemas(row),
                "{place}: cargo xtask codegen"
            );
        }
    }
}
