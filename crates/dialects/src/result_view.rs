//! How a dialect renders the output of an operation.

use std::any::Any;

use crate::Words;
#[cfg(debug_assertions)]
use crate::schema_source::SchemaSource;
use schemars::JsonSchema;
use serde::Serialize;
use tenon_contract::{Content, Details, Outcome, Output, ToolError};

/// The details of one tool in one dialect: a documented struct that is made from the operation's
/// output, together with the text that the model sees.
pub trait ResultView: Serialize + JsonSchema + Sized + 'static {
    /// What the operation answers.
    type Output: Output;

    /// Content for the model, which names only what `words` knows, and details for programs.
    fn render(output: Self::Output, words: &Words<'_>) -> (Vec<Content>, Self);
}

/// [`ResultView`] with its types erased, for a table.
#[derive(Debug, Clone, Copy)]
pub struct Renderer {
    report: fn(Box<dyn Output>, &Words<'_>) -> Result<Outcome, ToolError>,
    #[cfg(debug_assertions)]
    pub(crate) schema: SchemaSource,
    /// Whether details say `ok: true` that would not by themselves.
    pub(crate) with_ok: bool,
}

impl Renderer {
    /// The way of `T`.
    #[must_use]
    pub const fn of<T: ResultView>() -> Self {
        Self {
            report: report::<T>,
            #[cfg(debug_assertions)]
            schema: SchemaSource::details::<T>(),
            with_ok: false,
        }
    }

    pub(crate) fn render(
        self,
        output: Box<dyn Output>,
        words: &Words<'_>,
    ) -> Result<Outcome, ToolError> {
        let mut outcome = (self.report)(output, words)?;
        if self.with_ok {
            outcome.details.insert("ok", &true.into());
        }
        Ok(outcome)
    }

    /// The same for a vocabulary in which every details object says `ok`.
    pub(crate) const fn with_ok(self) -> Self {
        Self {
            with_ok: true,
            ..self
        }
    }
}

fn report<T: ResultView>(output: Box<dyn Output>, words: &Words<'_>) -> Result<Outcome, ToolError> {
    let (changes, condensed) = (output.changes(), output.condensed());
    let output: Box<dyn Any> = output;
    let output = output
        .downcast::<T::Output>()
        .map_err(|_| ToolError::internal("a binding names an operation of another output type"))?;
    let (content, details) = T::render(*output, words);
    let unserialised =
        |error| ToolError::internal("the details of a call do not serialise").caused_by(error);
    let mut details = Details::of(&details).map_err(unserialised)?;
    if let Some(condensed) = condensed {
        let condensed = serde_json::to_value(&condensed).map_err(unserialised)?;
        details.insert("condensed", &condensed);
    }
    Ok(Outcome {
        content,
        details,
        changes,
    })
}
