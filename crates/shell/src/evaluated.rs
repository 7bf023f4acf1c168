//! A text that bash evaluates a second time.

use crate::span::Span;
use crate::word::Word;

/// A text that bash evaluates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evaluated {
    /// The whole construct.
    pub span: Span,
    /// What is evaluated, before its expansion. Characters are not split into words here.
    pub word: Word,
}
