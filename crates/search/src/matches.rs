//! What was found in one file.

use std::ops::Range;

use crate::line_text::LineText;

/// Whether a line matched or only stands near one that did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineKind {
    /// The line has a match (with `invert`: has none), or is one.
    Match,
    /// The line stands before or after one that matched.
    Context,
}

/// One line of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line<'a> {
    /// Number of the line in the file, from 1.
    pub number: u64,
    /// Whether it matched.
    pub kind: LineKind,
    /// Where the first match begins, in characters (Unicode scalar values) from 1. Nothing for
    /// context, for inverted matches and when the match is not on this line.
    pub column: Option<u32>,
    /// The line without its end, or with `only_matching` the match. Bytes that are not UTF-8 are
    /// U+FFFD. At most `max_columns` characters.
    pub text: &'a str,
    /// The first match, as a byte range of `text`; empty or shortened where the text was cut.
    pub matched: Option<(u32, u32)>,
    /// Characters of the line that were cut off before `text`.
    pub omitted_before: u32,
    /// Characters of the line that were cut off after `text`.
    pub omitted_after: u32,
    /// With context: whether lines are left out between the line before and this one, where `rg`
    /// prints `--`.
    pub follows_gap: bool,
}

impl<'a> Line<'a> {
    /// The first match itself, as far as it is in the text.
    #[must_use]
    pub fn matched_text(&self) -> Option<&'a str> {
        let (start, end) = self.matched?;
        self.text.get(start as usize..end as usize)
    }
}

/// What was found in one file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileMatches {
    /// Relative to the scope's base, with `/`.
    pub path: String,
    /// Counts: how many matches the file has. Lines: how many of them are in the answer.
    pub matches: u64,
    /// Where a NUL byte showed the file to be binary, in bytes from 0. The search ended there; lines
    /// found before are in the answer, as in that of `rg`.
    pub binary_offset: Option<u64>,
    lines: Vec<StoredLine>,
    text: String,
    with_context: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct StoredLine {
    number: u64,
    text: Range<usize>,
    matched: Option<Range<u32>>,
    column: Option<u32>,
    omitted_before: u32,
    omitted_after: u32,
    /// Which match of the file the line shows first, from 0. Nothing for context.
    ordinal: Option<u64>,
}

impl FileMatches {
    pub(crate) fn new(path: String, with_context: bool) -> Self {
        Self {
            path,
            with_context,
            ..Self::default()
        }
    }

    /// The lines in the order of the file; none unless lines were asked for.
    pub fn lines(&self) -> impl ExactSizeIterator<Item = Line<'_>> {
        let mut previous = None;
        self.lines.iter().map(move |line| {
            let follows_gap = self.with_context
                && previous.is_some_and(|previous: u64| line.number > previous + 1);
            previous = Some(line.number);
            Line {
                number: line.number,
                kind: if line.ordinal.is_some() {
                    LineKind::Match
                } else {
                    LineKind::Context
                },
                column: line.column,
                text: self.text.get(line.text.clone()).unwrap_or_default(),
                matched: line.matched.as_ref().map(|range| (range.start, range.end)),
                omitted_before: line.omitted_before,
                omitted_after: line.omitted_after,
                follows_gap,
            }
        })
    }

    /// Whether there are no lines.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// Adds a line; `ordinal` as in [`StoredLine`].
    pub(crate) fn push(&mut self, number: u64, ordinal: Option<u64>, line: &LineText<'_>) {
        let start = self.text.len();
        self.text.push_str(&line.text);
        self.lines.push(StoredLine {
            number,
            text: start..self.text.len(),
            matched: line.matched.clone(),
            column: line.column,
            omitted_before: line.omitted_before,
            omitted_after: line.omitted_after,
            ordinal,
        });
    }

    /// Keeps the matches `wanted` (from 0), and of the context what is near them.
    pub(crate) fn keep(&mut self, wanted: &Range<u64>, before: usize, after: usize) {
        let is_wanted = |line: &StoredLine| {
            line.ordinal
                .is_some_and(|ordinal| wanted.contains(&ordinal))
        };
        let mut keep: Vec<bool> = self.lines.iter().map(is_wanted).collect();
        let mark = |line: &StoredLine, keep: &mut bool, anchor: Option<u64>, reach: usize| {
            *keep |= line.ordinal.is_none()
                && anchor.is_some_and(|anchor| line.number.abs_diff(anchor) <= reach as u64);
        };
        let mut anchor = None;
        for (line, keep) in self.lines.iter().zip(&mut keep) {
            mark(line, keep, anchor, after);
            if is_wanted(line) {
                anchor = Some(line.number);
            }
        }
        anchor = None;
        for (line, keep) in self.lines.iter().zip(&mut keep).rev() {
            mark(line, keep, anchor, before);
            if is_wanted(line) {
                anchor = Some(line.number);
            }
        }
        let mut kept = keep.into_iter();
        self.lines.retain(|_| kept.next().unwrap_or_default());
        self.matches = wanted.end.min(self.matches).saturating_sub(wanted.start);
    }
}
