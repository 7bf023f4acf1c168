//! Line diffs of two texts, computed around what changed.
//!
//! The common head and tail of the two texts are skipped byte by byte before a line is ever
//! looked at, so that a small change in a large file costs one comparison of the bytes.
//! The middle goes through the histogram algorithm, and sliding hunks are settled by
//! indentation, as `git diff --histogram --indent-heuristic` does. Long texts of few different lines are
//! compared by their runs, and texts of millions of changed lines not at all: they are one change.

use std::ops::Range;

use imara_diff::{Algorithm, Diff, InternedInput};

mod anchored;
mod inline;
mod numbered;
mod unified;

pub use inline::{InlineDifference, inline_difference};
pub use unified::{name_of_bytes, patch_path, path_of_name, shown_name};

/// How many equal lines before and after the change still take part in the diff, so that
/// a hunk that can slide may slide to the place where a reader expects it.
const SLIDE_MARGIN_LINES: usize = 64;
/// Of more lines than this it is not looked which of them are the same.
const MAX_COMPARED_LINES: usize = 3_000_000;

/// One contiguous change: these lines of the first text became those of the second.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// Lines of the first text, counted from 0.
    pub before_lines: Range<usize>,
    /// Lines of the second text, counted from 0.
    pub after_lines: Range<usize>,
    /// The same lines as byte offsets, line ends included.
    pub before_bytes: Range<usize>,
    /// The same lines as byte offsets, line ends included.
    pub after_bytes: Range<usize>,
}

/// The line diff of two texts. Line ends are part of a line: `a\r\n` and `a\n` differ.
#[derive(Debug, Clone)]
pub struct TextDiff<'a> {
    before: &'a [u8],
    after: &'a [u8],
    changes: Vec<Change>,
    is_marked: bool,
}

impl<'a> TextDiff<'a> {
    /// Compares two texts. Any bytes will do; they are not required to be UTF-8.
    pub fn new<T: AsRef<[u8]> + ?Sized>(before: &'a T, after: &'a T) -> Self {
        let (before, after) = (before.as_ref(), after.as_ref());
        let changes = changes_between(before, after);
        Self {
            before,
            after,
            changes,
            is_marked: false,
        }
    }

    /// Whether both texts stand behind a byte order mark in their files, which then begins their first line in the unified
    /// format: a patch without it would not fit.
    #[must_use]
    pub fn marked(self, is_marked: bool) -> Self {
        Self { is_marked, ..self }
    }

    /// The changes, from the top down. Empty if the texts are equal.
    #[must_use]
    pub fn changes(&self) -> &[Change] {
        &self.changes
    }

    /// The number of added lines.
    #[must_use]
    pub fn additions(&self) -> usize {
        self.changes
            .iter()
            .map(|change| change.after_lines.len())
            .sum()
    }

    /// The number of removed lines.
    #[must_use]
    pub fn deletions(&self) -> usize {
        self.changes
            .iter()
            .map(|change| change.before_lines.len())
            .sum()
    }

    /// The first line of the second text that differs, counted from 1; `None` if the texts
    /// are equal. For a pure deletion it is the line that moved up into the gap.
    #[must_use]
    pub fn first_changed_line(&self) -> Option<usize> {
        self.changes
            .first()
            .map(|change| change.after_lines.start.saturating_add(1))
    }
}

/// The bytes of a range; empty where the range lies outside.
pub(crate) fn cut(bytes: &[u8], range: Range<usize>) -> &[u8] {
    bytes.get(range).unwrap_or_default()
}

fn changes_between(before: &[u8], after: &[u8]) -> Vec<Change> {
    let window = Window::around_changes(before, after);
    if window.before.is_empty() && window.after.is_empty() {
        return Vec::new();
    }
    let old = cut(before, window.before.clone());
    let new = cut(after, window.after.clone());
    let mut old_cursor = LineCursor::new(old);
    let mut new_cursor = LineCursor::new(new);
    line_changes(old, new)
        .into_iter()
        .map(|(old_lines, new_lines)| Change {
            before_bytes: shift(&old_cursor.bytes_of(&old_lines), window.before.start),
            after_bytes: shift(&new_cursor.bytes_of(&new_lines), window.after.start),
            before_lines: shift(&old_lines, window.skipped_lines),
            after_lines: shift(&new_lines, window.skipped_lines),
        })
        .collect()
}

/// The lines of both texts that differ, by their indices from 0.
fn line_changes(old: &[u8], new: &[u8]) -> Vec<(Range<usize>, Range<usize>)> {
    let lines = (count_lines(old), count_lines(new));
    if lines.0.max(lines.1) > MAX_COMPARED_LINES {
        let head = common_prefix(old, new);
        let start = line_start(old, head);
        let tail = common_suffix(cut(old, start..old.len()), cut(new, start..new.len()));
        let tail = count_lines(cut(old, old.len() - whole_line_tail(old, tail)..old.len()));
        let head = count_lines(cut(old, 0..start));
        return vec![(head..lines.0 - tail, head..lines.1 - tail)];
    }
    let input = InternedInput::new(old, new);
    if anchored::is_heavy(&input) {
        return anchored::changes(old, new, &input);
    }
    weighed(&input)
}

/// The changes that the histogram algorithm finds, put where a reader expects them.
fn weighed(input: &InternedInput<&[u8]>) -> Vec<(Range<usize>, Range<usize>)> {
    let mut diff = Diff::compute(Algorithm::Histogram, input);
    diff.postprocess_lines(input);
    let range = |range: Range<u32>| range.start as usize..range.end as usize;
    diff.hunks()
        .map(|hunk| (range(hunk.before), range(hunk.after)))
        .collect()
}

fn shift(range: &Range<usize>, by: usize) -> Range<usize> {
    range.start.saturating_add(by)..range.end.saturating_add(by)
}

/// The part of both texts that the diff has to look at: whole lines, with a margin.
struct Window {
    before: Range<usize>,
    after: Range<usize>,
    skipped_lines: usize,
}

impl Window {
    fn around_changes(before: &[u8], after: &[u8]) -> Self {
        let head = common_prefix(before, after);
        if head == before.len() && head == after.len() {
            return Self {
                before: 0..0,
                after: 0..0,
                skipped_lines: 0,
            };
        }
        let start = lines_back(before, line_start(before, head), SLIDE_MARGIN_LINES);
        let rest_before = cut(before, head..before.len());
        let rest_after = cut(after, head..after.len());
        let tail = whole_line_tail(before, common_suffix(rest_before, rest_after));
        let end = lines_forward(before, before.len() - tail, SLIDE_MARGIN_LINES);
        let kept_tail = before.len() - end;
        Self {
            before: start..end,
            after: start..after.len() - kept_tail,
            skipped_lines: count_lines(cut(before, 0..start)),
        }
    }
}

/// Hands out the byte range of line ranges that are asked for in ascending order.
struct LineCursor<'a> {
    text: &'a [u8],
    line: usize,
    offset: usize,
}

impl<'a> LineCursor<'a> {
    fn new(text: &'a [u8]) -> Self {
        Self {
            text,
            line: 0,
            offset: 0,
        }
    }

    fn bytes_of(&mut self, lines: &Range<usize>) -> Range<usize> {
        let start = self.advance_to(lines.start);
        start..self.advance_to(lines.end)
    }

    fn advance_to(&mut self, line: usize) -> usize {
        let ahead = line.saturating_sub(self.line);
        self.offset = lines_forward(self.text, self.offset, ahead);
        self.line = line;
        self.offset
    }
}

/// The length of the common head of two texts, in bytes.
pub(crate) fn common_prefix(left: &[u8], right: &[u8]) -> usize {
    const BLOCK: usize = 256;
    let mut same = 0;
    for (a, b) in left.chunks(BLOCK).zip(right.chunks(BLOCK)) {
        if a == b {
            same += a.len();
        } else {
            return same + a.iter().zip(b).take_while(|(a, b)| a == b).count();
        }
    }
    same
}

/// The length of the common tail of two texts, in bytes.
pub(crate) fn common_suffix(left: &[u8], right: &[u8]) -> usize {
    const BLOCK: usize = 256;
    let mut same = 0;
    for (a, b) in left.rchunks(BLOCK).zip(right.rchunks(BLOCK)) {
        if a == b {
            same += a.len();
        } else {
            return same
                + a.iter()
                    .rev()
                    .zip(b.iter().rev())
                    .take_while(|(a, b)| a == b)
                    .count();
        }
    }
    same
}

/// The number of lines; a last line without a line end counts.
pub(crate) fn count_lines(text: &[u8]) -> usize {
    let ends = memchr::memchr_iter(b'\n', text).count();
    ends + usize::from(text.last().is_some_and(|&last| last != b'\n'))
}

/// The offset at which the line that holds `offset` begins.
pub(crate) fn line_start(text: &[u8], offset: usize) -> usize {
    memchr::memrchr(b'\n', cut(text, 0..offset)).map_or(0, |end| end + 1)
}

/// The longest tail of fewer than `length` bytes that begins a line in both texts. The first
/// line of the common tail is given up, as in the other text more may stand before it.
fn whole_line_tail(text: &[u8], length: usize) -> usize {
    let tail = cut(text, text.len().saturating_sub(length)..text.len());
    memchr::memchr(b'\n', tail).map_or(0, |end| tail.len() - end - 1)
}

/// Steps `lines` whole lines back from `start`, which must begin a line.
pub(crate) fn lines_back(text: &[u8], start: usize, lines: usize) -> usize {
    let mut start = start;
    for _ in 0..lines {
        if start == 0 {
            break;
        }
        start = line_start(text, start - 1);
    }
    start
}

/// Steps `lines` whole lines on from `start`, which must begin a line.
pub(crate) fn lines_forward(text: &[u8], start: usize, lines: usize) -> usize {
    let mut start = start;
    for _ in 0..lines {
        match memchr::memchr(b'\n', cut(text, start..text.len())) {
            Some(end) => start += end + 1,
            None => return text.len(),
        }
    }
    start
}

#[cfg(test)]
mod tests;
