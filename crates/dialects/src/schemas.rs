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

use serde_json::Value;

use crate::{DialectId, ToolBinding};

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
fn of(row: &'static ToolBinding) -> &'static RowSchemas {
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

impl ToolBinding {
    /// The schema with every parameter and with texts that are templates still: what a toolkit shows of
    /// it is in [`ShownTool`](crate::ShownTool). Built once per process.
    #[must_use]
    pub fn params_schema(&'static self) -> &'static Value {
        &of(self).params
    }

    /// The schema of the details with its descriptions, for the reference. A release has them without.
    #[must_use]
    pub fn details_schema(&'static self) -> Value {
        #[cfg(debug_assertions)]
        return self.renderer.schema();
        #[cfg(not(debug_assertions))]
        self.output_schema().clone()
    }

    /// The schema of the details as answers have them: with what was put right in the parameters. Without descriptions,
    /// which the reference has: they would be most of what it costs to create a toolkit.
    #[must_use]
    pub fn output_schema(&'static self) -> &'static Value {
        &of(self).output
    }
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
