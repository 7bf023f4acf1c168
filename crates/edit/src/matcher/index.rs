//! What is known about a file: its views and its table of lines, each made when first needed.

use std::cell::OnceCell;

use crate::fold::{Extent, Level, View};
use crate::lines::LineTable;

/// A text with all that searching in it needs. Nothing is computed before it is asked for.
pub(crate) struct TextIndex<'a> {
    pub(crate) text: &'a str,
    line_ends: OnceCell<View>,
    trailing_blanks: OnceCell<View>,
    typography: OnceCell<View>,
    table: OnceCell<LineTable>,
    has_carriage_returns: OnceCell<bool>,
    is_ascii: OnceCell<bool>,
}

impl<'a> TextIndex<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self {
            text,
            line_ends: OnceCell::new(),
            trailing_blanks: OnceCell::new(),
            typography: OnceCell::new(),
            table: OnceCell::new(),
            has_carriage_returns: OnceCell::new(),
            is_ascii: OnceCell::new(),
        }
    }

    pub(crate) fn view(&self, level: Level) -> &View {
        let cell = match level {
            Level::LineEnds => &self.line_ends,
            Level::TrailingBlanks => &self.trailing_blanks,
            Level::Typography => &self.typography,
        };
        cell.get_or_init(|| View::new(self.text, level, Extent::File))
    }

    pub(crate) fn table(&self) -> &LineTable {
        self.table.get_or_init(|| LineTable::new(self.text))
    }

    /// Whether a level can tell more than the one above it, for a call with these characters.
    pub(crate) fn is_worth(&self, level: Level, call: &str) -> bool {
        match level {
            Level::LineEnds => call.contains('\r') || self.has_carriage_returns(),
            Level::TrailingBlanks => true,
            Level::Typography => !call.is_ascii() || !self.is_ascii(),
        }
    }

    fn has_carriage_returns(&self) -> bool {
        *self
            .has_carriage_returns
            .get_or_init(|| self.text.contains('\r'))
    }

    fn is_ascii(&self) -> bool {
        *self.is_ascii.get_or_init(|| self.text.is_ascii())
    }
}
