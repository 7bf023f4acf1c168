//! Text that is put together line by line, and the ends of its lines.

use std::ops::Range;

use crate::lines::{CallLine, LineEnd};

/// A line without its end. A carriage return that no newline follows is no line end.
pub(crate) fn without_end(line: &str) -> &str {
    line.strip_suffix('\n')
        .map_or(line, |body| body.strip_suffix('\r').unwrap_or(body))
}

/// A file whose last line has no end keeps it so, even if both texts of the call have one.
pub(crate) fn without_added_last_end(
    text: &str,
    range: &Range<usize>,
    old: &[CallLine<'_>],
    new: &[CallLine<'_>],
    mut merged: String,
) -> String {
    let both_ended =
        old.last().is_some_and(|line| line.ended) && new.last().is_some_and(|line| line.ended);
    if both_ended && range.end == text.len() && !text.ends_with('\n') && merged.ends_with('\n') {
        merged.pop();
        if merged.ends_with('\r') {
            merged.pop();
        }
    }
    merged
}

/// The text under construction. A line of the file that lacks its end gets one as soon as
/// something follows it.
#[derive(Clone)]
pub(crate) struct Output {
    pub(crate) text: String,
    pub(crate) pending: bool,
    /// Whether the last line comes from the call.
    pub(crate) is_last_written: bool,
    pub(crate) line_end: Option<LineEnd>,
}

impl Output {
    pub(crate) fn push(&mut self, bytes: &str) {
        if self.pending {
            self.text
                .push_str(self.line_end.unwrap_or(LineEnd::Lf).as_str());
            self.pending = false;
        }
        self.text.push_str(bytes);
        self.is_last_written = true;
    }

    pub(crate) fn end_line(&mut self, literal: Option<LineEnd>) {
        self.text
            .push_str(literal.or(self.line_end).unwrap_or(LineEnd::Lf).as_str());
    }
}
