//! Lines and their ends.

use std::ops::Range;

use crate::error::Lines;
use crate::fold::{fold_body, is_blank};

/// A line of a call, without its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct CallLine<'a> {
    pub(crate) body: &'a str,
    pub(crate) ended: bool,
    /// Whether it ends in CRLF; only patches distinguish them, in edits all line ends are the same.
    pub(crate) carriage: bool,
}

impl<'a> CallLine<'a> {
    pub(crate) fn is_blank(&self) -> bool {
        self.body.chars().all(is_blank)
    }

    pub(crate) fn indentation(&self) -> &'a str {
        indentation(self.body)
    }
}

/// The whitespace at the start of a line.
pub(crate) fn indentation(body: &str) -> &str {
    body.get(..body.len() - body.trim_start_matches(is_blank).len())
        .unwrap_or_default()
}

/// Splits the text of a call into lines. CRLF and LF end a line; a lone carriage return does
/// not.
pub(crate) fn call_lines(text: &str) -> Vec<CallLine<'_>> {
    text.split_inclusive('\n')
        .map(|line| match line.strip_suffix('\n') {
            Some(body) => CallLine {
                body: body.strip_suffix('\r').unwrap_or(body),
                carriage: false,
                ended: true,
            },
            None => CallLine {
                body: line,
                ended: false,
                carriage: false,
            },
        })
        .collect()
}

/// The line ends that occur in text files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LineEnd {
    Lf,
    CrLf,
}

impl LineEnd {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Lf => "\n",
            Self::CrLf => "\r\n",
        }
    }

    /// The line end of the line that holds `offset`; of the line before it where that line has
    /// none; `None` in a text of one line without an end.
    pub(crate) fn in_use_at(text: &str, offset: usize) -> Option<Self> {
        let bytes = text.as_bytes();
        let newline = memchr::memchr(b'\n', bytes.get(offset..).unwrap_or_default())
            .map(|found| offset + found)
            .or_else(|| memchr::memrchr(b'\n', bytes.get(..offset).unwrap_or_default()))?;
        let before = newline.checked_sub(1).and_then(|before| bytes.get(before));
        Some(Self::of(before == Some(&b'\r')))
    }

    /// The one that has a carriage return, or has none.
    pub(crate) const fn of(carriage: bool) -> Self {
        if carriage { Self::CrLf } else { Self::Lf }
    }
}

/// The byte order mark that editors set aside.
pub(crate) const BYTE_ORDER_MARK: char = '\u{feff}';

/// The offset at which the first line begins: behind a byte order mark, if there is one.
pub(crate) fn text_start(text: &str) -> usize {
    if text.starts_with(BYTE_ORDER_MARK) {
        BYTE_ORDER_MARK.len_utf8()
    } else {
        0
    }
}

/// The offset at which the line that holds `offset` begins.
pub(crate) fn line_start(text: &str, offset: usize) -> usize {
    crate::diff::line_start(text.as_bytes(), offset).max(text_start(text).min(offset))
}

/// The first and last line, counted from 1, that a range of bytes touches.
pub(crate) fn lines_of(text: &str, range: &Range<usize>) -> Lines {
    LineCounter::new(text).lines_of(range)
}

/// Translates offsets into line numbers; quick if they are asked for in ascending order.
pub(crate) struct LineCounter<'a> {
    text: &'a [u8],
    offset: usize,
    line: usize,
}

impl<'a> LineCounter<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self {
            text: text.as_bytes(),
            offset: 0,
            line: 1,
        }
    }

    /// The line that holds `offset`, counted from 1.
    pub(crate) fn line_at(&mut self, offset: usize) -> usize {
        if offset < self.offset {
            (self.offset, self.line) = (0, 1);
        }
        let passed = self.text.get(self.offset..offset).unwrap_or_default();
        self.line += memchr::memchr_iter(b'\n', passed).count();
        self.offset = offset.min(self.text.len());
        self.line
    }

    /// The lines that a range touches. A range that ends behind a line end does not touch the
    /// next line.
    pub(crate) fn lines_of(&mut self, range: &Range<usize>) -> Lines {
        let first = self.line_at(range.start);
        let inside = self.text.get(range.clone()).unwrap_or_default();
        let ends = memchr::memchr_iter(b'\n', inside).count();
        Lines {
            first,
            last: first + ends - usize::from(inside.last() == Some(&b'\n')),
        }
    }
}

/// A hash of the words of a line with typography folded away; 0 for a blank line.
pub(crate) fn words_key(line: &str) -> u64 {
    if line.is_ascii() {
        return hash_words(line.as_bytes());
    }
    hash_words(fold_body(line.trim_end_matches('\r')).as_bytes())
}

fn hash_words(line: &[u8]) -> u64 {
    const SEED: u64 = 0x51_7c_c1_b7_27_22_0a_95;
    let mut hash = 0_u64;
    let mut gap = false;
    for &byte in line {
        if matches!(byte, b' ' | b'\t' | b'\r') {
            gap = true;
            continue;
        }
        if gap && hash != 0 {
            hash = (hash.rotate_left(5) ^ 0x20).wrapping_mul(SEED);
        }
        gap = false;
        hash = (hash.rotate_left(5) ^ u64::from(byte))
            .wrapping_mul(SEED)
            .max(1);
    }
    hash
}

/// Whether two lines have the same words, whatever whitespace stands between and around them.
pub(crate) fn has_same_words(left: &str, right: &str) -> bool {
    let (left, right) = (fold_body(left), fold_body(right));
    let words = |line| str::split(line, is_blank).filter(|word: &&str| !word.is_empty());
    words(&left).eq(words(&right))
}

/// Whether two lines are equal but for typography and the whitespace around them.
pub(crate) fn same_trimmed(left: &str, right: &str) -> bool {
    fold_body(left).trim_matches(is_blank) == fold_body(right).trim_matches(is_blank)
}

/// The number of characters of a line that are not blank.
pub(crate) fn solid_length(line: &str) -> usize {
    line.chars().filter(|c| !is_blank(*c)).count()
}

/// The whole line of the file that begins at `start`: its body and its end.
pub(crate) fn file_line(text: &str, start: usize) -> (Range<usize>, Range<usize>) {
    let rest = text.as_bytes().get(start..).unwrap_or_default();
    let end = memchr::memchr(b'\n', rest).map_or(text.len(), |newline| start + newline + 1);
    let line = text.get(start..end).unwrap_or_default();
    let body = line
        .strip_suffix('\n')
        .map_or(line, |line| line.strip_suffix('\r').unwrap_or(line));
    (start..start + body.len(), start..end)
}
