//! What is known about a file: its views and its table of lines, each made when first needed.

use std::cell::OnceCell;
use std::collections::HashSet;

use crate::fold::{Extent, Level, View};
use crate::haystack::{Haystack, Occurrences};
use crate::line_table::LineTable;
use crate::lines::{LineCounter, file_line, indentation, text_start};

/// A text with all that searching in it needs. Nothing is computed before it is asked for.
pub(crate) struct TextIndex<'a> {
    pub(crate) text: &'a str,
    haystack: Haystack,
    line_ends: OnceCell<View>,
    trailing_blanks: OnceCell<View>,
    typography: OnceCell<View>,
    table: OnceCell<LineTable>,
    has_carriage_returns: OnceCell<bool>,
    is_ascii: OnceCell<bool>,
    indentations: OnceCell<HashSet<&'a str>>,
    unit: OnceCell<Option<usize>>,
}

impl<'a> TextIndex<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self {
            text,
            haystack: Haystack::default(),
            line_ends: OnceCell::new(),
            trailing_blanks: OnceCell::new(),
            typography: OnceCell::new(),
            table: OnceCell::new(),
            has_carriage_returns: OnceCell::new(),
            is_ascii: OnceCell::new(),
            indentations: OnceCell::new(),
            unit: OnceCell::new(),
        }
    }

    /// Where another text stands in this one, byte by byte, with overlap.
    pub(crate) fn find(&self, needle: &str) -> Occurrences<'a> {
        self.haystack.find(self.text, needle)
    }

    /// The same from an offset on.
    pub(crate) fn find_from(&self, needle: &str, from: usize) -> Occurrences<'a> {
        self.haystack.find_from(self.text, needle, from)
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

    /// The line that holds `offset`, counted from 1.
    pub(crate) fn line_at(&self, offset: usize) -> usize {
        let lines = &self.table().lines;
        let before = lines.partition_point(|line| line.start <= offset);
        let (start, line) = match before.checked_sub(1).and_then(|at| lines.get(at)) {
            Some(line) => (line.start, line.index),
            None => (0, 0),
        };
        let rest = self.text.get(start..).unwrap_or_default();
        line + LineCounter::new(rest).line_at(offset.saturating_sub(start))
    }

    /// Where a line begins, counted from 1; `None` behind the last.
    pub(crate) fn start_of_line(&self, line: usize) -> Option<usize> {
        let table = self.table();
        let wanted = line.checked_sub(1).filter(|at| *at < table.total)?;
        let before = table.lines.partition_point(|line| line.index <= wanted);
        let (start, index) = match before.checked_sub(1).and_then(|at| table.lines.get(at)) {
            Some(line) => (line.start, line.index),
            None => (text_start(self.text), 0),
        };
        Some(crate::diff::lines_forward(
            self.text.as_bytes(),
            start,
            wanted - index,
        ))
    }

    /// The offset behind a line, counted from 1; 0 stands before the first line.
    pub(crate) fn end_of_line(&self, line: usize) -> Option<usize> {
        if line == 0 {
            return Some(text_start(self.text));
        }
        let start = self.start_of_line(line)?;
        Some(file_line(self.text, start).1.end)
    }

    /// Whether a level can say more than the one above it, for a call with these characters.
    pub(crate) fn is_worth(&self, level: Level, call: &str) -> bool {
        match level {
            Level::LineEnds => call.contains('\r') || self.has_carriage_returns(),
            Level::TrailingBlanks => true,
            Level::Typography => !call.is_ascii() || !self.is_ascii(),
        }
    }

    /// Whether a line of the file is indented like this.
    pub(crate) fn has_indentation(&self, wanted: &str) -> bool {
        self.indentations
            .get_or_init(|| self.text.lines().map(indentation).collect())
            .contains(wanted)
    }

    /// The number of spaces of which nearly all indentations of the file are multiples.
    pub(crate) fn unit(&self) -> Option<usize> {
        *self.unit.get_or_init(|| unit(self.text))
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

fn unit(text: &str) -> Option<usize> {
    const UNITS: [usize; 4] = [8, 4, 3, 2];
    let widths: Vec<usize> = text
        .lines()
        .map(|line| line.len() - line.trim_start_matches(' ').len())
        .filter(|width| *width > 0)
        .collect();
    let fits = |unit: usize| {
        widths
            .iter()
            .filter(|width| width.is_multiple_of(unit))
            .count()
    };
    UNITS
        .into_iter()
        .find(|unit| !widths.is_empty() && fits(*unit) * 10 >= widths.len() * 9)
}
