use crate::limits::{MAX_DEPTH, MAX_TEXT_BYTES};
use crate::span::Span;

/// Why a text was not read. No findings are given then: what is not understood is refused whole.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// A NUL byte, which no argument of a program can hold.
    #[error("The command holds a NUL byte at byte {}. Remove it.", span.start)]
    NulByte {
        /// Where it is.
        span: Span,
    },
    /// More than [`MAX_TEXT_BYTES`] bytes.
    #[error(
        "The command is {length} bytes long; at most {MAX_TEXT_BYTES} are read. Write it to a script file."
    )]
    TooLong {
        /// Length of the text in bytes.
        length: usize,
    },
    /// More than [`MAX_DEPTH`] constructs inside each other.
    #[error("The command nests more than {MAX_DEPTH} constructs at byte {}. Split it into several commands.", span.start)]
    TooDeep {
        /// Where the limit was reached.
        span: Span,
    },
    /// The text makes the reader start over too often.
    #[error("The command is too ambiguous to be read (given up at byte {}). Put spaces between parentheses.", span.start)]
    TooManySteps {
        /// Where the limit was reached.
        span: Span,
    },
    /// A construct that is opened and never closed.
    #[error("The {construct} that starts at byte {} is not closed. Close it.", span.start)]
    Unterminated {
        /// Name of the construct.
        construct: &'static str,
        /// Where it starts.
        span: Span,
    },
    /// Something else than the grammar wants at this place.
    #[error("Found `{found}` at byte {} where {expected} was expected. Correct the command.", span.start)]
    Unexpected {
        /// The first characters of what stands there, or `end of text`.
        found: String,
        /// What would have been right.
        expected: &'static str,
        /// Where it stands.
        span: Span,
    },
    /// Valid perhaps, but outside of what the reader knows for certain.
    #[error("The command uses {what} at byte {}, which is not analysed. Write it in a simpler form.", span.start)]
    NotUnderstood {
        /// Name of the construct.
        what: &'static str,
        /// Where it stands.
        span: Span,
    },
}

impl ReadError {
    /// Where in the text the reader stopped.
    #[must_use]
    pub fn span(&self) -> Span {
        match self {
            Self::TooLong { length } => Span::new(0, *length),
            Self::NulByte { span }
            | Self::TooDeep { span }
            | Self::TooManySteps { span }
            | Self::Unterminated { span, .. }
            | Self::Unexpected { span, .. }
            | Self::NotUnderstood { span, .. } => *span,
        }
    }
}
