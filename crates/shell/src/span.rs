/// A half-open range of byte offsets in the text that was read.
///
/// Spans inside backticks and here-documents lead back to the text as it was given, escapes included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Span {
    /// Offset of the first byte.
    pub start: usize,
    /// Offset one past the last byte.
    pub end: usize,
}

impl Span {
    /// The span from `start` to `end`; an `end` before `start` gives an empty span.
    #[must_use]
    pub fn new(start: usize, end: usize) -> Self {
        Self {
            start,
            end: end.max(start),
        }
    }

    /// The part of `text` that the span covers, or `None` when it does not fit the text.
    #[must_use]
    pub fn of(self, text: &str) -> Option<&str> {
        text.get(self.start..self.end)
    }
}
