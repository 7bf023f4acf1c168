//! How a dialect tells the output of an operation.

use std::any::Any;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use tenon_contract::{Content, Details, Outcome, Output, ToolError, schema_for};

/// The details of one tool in one dialect: a documented struct that is made from the operation's
/// output, together with the text that the model sees.
pub trait Told: Serialize + JsonSchema + Sized + 'static {
    /// What the operation answers.
    type Output: Output;

    /// Content for the model and details for programs.
    fn tell(output: Self::Output) -> (Vec<Content>, Self);
}

/// [`Told`] with its types erased, for a table.
#[derive(Debug, Clone, Copy)]
pub struct Tell {
    tell: fn(Box<dyn Output>) -> Result<Outcome, ToolError>,
    schema: fn() -> Value,
}

impl Tell {
    /// The way of `T`.
    #[must_use]
    pub const fn of<T: Told>() -> Self {
        Self {
            tell: tell::<T>,
            schema: schema_for::<T>,
        }
    }

    pub(crate) fn tell(self, output: Box<dyn Output>) -> Result<Outcome, ToolError> {
        (self.tell)(output)
    }

    pub(crate) fn schema(self) -> Value {
        (self.schema)()
    }
}

fn tell<T: Told>(output: Box<dyn Output>) -> Result<Outcome, ToolError> {
    let changes = output.changes();
    let output: Box<dyn Any> = output;
    let output = output
        .downcast::<T::Output>()
        .map_err(|_| ToolError::internal("a binding names an operation of another output type"))?;
    let (content, details) = T::tell(*output);
    let details = Details::of(&details).map_err(|error| {
        ToolError::internal("the details of a call do not serialise").caused_by(error)
    })?;
    Ok(Outcome {
        content,
        details,
        changes,
    })
}
