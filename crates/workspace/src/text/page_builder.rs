//! Collects a page from a text that comes in pieces of UTF-8.

use super::encoding::TextEncoding;
use super::line_ending::LineEndCount;
use super::line_marks::{Mark, Outline};
use super::page::{CutLine, Page, PageRequest};
use crate::TruncatedBy;
use crate::truncate::wide;

/// Room for one character beyond a limit, so that the cut is known to fall between two.
const SLACK_BYTES: usize = 4;

#[derive(Debug, PartialEq, Eq)]
enum Stage {
    /// So many line ends come before the first line.
    Before(u64),
    /// Lines are taken.
    Within,
    /// Lines are only counted.
    After,
}

/// Collects a page; holds no more than the page.
pub(crate) struct PageBuilder {
    request: PageRequest,
    stage: Stage,
    ends: LineEndCount,
    /// Bytes that came before the first line.
    skipped_bytes: u64,
    text: Vec<u8>,
    lines: usize,
    selected_bytes: u64,
    stopped_by: Option<TruncatedBy>,
    first_line_exceeds_limit: bool,
    first_line_bytes: Option<u64>,
    cut_lines: Vec<CutLine>,
    /// Start of the line under way, as much as can be shown of it.
    line: Vec<u8>,
    line_bytes: u64,
    line_last: Option<u8>,
    /// Characters of the first line that are still to skip.
    to_skip: usize,
    /// Bytes of the line under way that were skipped.
    skipped_of_line: usize,
}

impl PageBuilder {
    pub(crate) fn new(request: &PageRequest) -> Self {
        let first_line = request.first_line.max(1);
        let stage = match first_line - 1 {
            0 => Stage::Within,
            lines => Stage::Before(lines),
        };
        Self {
            request: PageRequest {
                first_line,
                ..*request
            },
            stage,
            ends: LineEndCount::default(),
            skipped_bytes: 0,
            text: Vec::new(),
            lines: 0,
            selected_bytes: 0,
            stopped_by: None,
            first_line_exceeds_limit: false,
            first_line_bytes: None,
            cut_lines: Vec::new(),
            line: Vec::new(),
            line_bytes: 0,
            line_last: None,
            to_skip: usize::try_from(request.first_character.saturating_sub(1))
                .unwrap_or(usize::MAX),
            skipped_of_line: 0,
        }
    }

    /// For the text from a mark on, which lies before the first line.
    pub(crate) fn after(mark: Mark, request: &PageRequest) -> Self {
        let mut builder = Self::new(request);
        if let Stage::Before(lines) = &mut builder.stage {
            *lines -= mark.newlines;
        }
        builder
    }

    /// Line ends so far.
    pub(crate) const fn newlines(&self) -> u64 {
        self.ends.newlines
    }

    /// Whether the page is full.
    pub(crate) fn is_full(&self) -> bool {
        self.stage == Stage::After
    }

    /// What is known of the line ends of all that was taken.
    pub(crate) const fn ends(&self) -> &LineEndCount {
        &self.ends
    }

    /// Takes the next piece of the text, which ends between two characters.
    pub(crate) fn feed(&mut self, piece: &[u8]) {
        let newlines = self.ends.feed(piece);
        let selected = match self.stage {
            Stage::Before(lines) if newlines < lines => {
                self.stage = Stage::Before(lines - newlines);
                self.skipped_bytes += wide(piece.len());
                return;
            }
            Stage::Before(lines) => {
                self.stage = Stage::Within;
                let selected = after_lines(piece, lines);
                self.skipped_bytes += wide(piece.len() - selected.len());
                selected
            }
            Stage::Within | Stage::After => piece,
        };
        self.selected_bytes += wide(selected.len());
        self.take_lines(selected);
    }

    fn take_lines(&mut self, mut rest: &[u8]) {
        while self.stage == Stage::Within && !rest.is_empty() {
            if self.lines == self.request.max_lines {
                self.stop(TruncatedBy::Lines);
                return;
            }
            let end = memchr::memchr(b'\n', rest);
            let part = rest.get(..end.unwrap_or(rest.len())).unwrap_or(rest);
            self.extend_line(part);
            match end {
                Some(end) => {
                    self.end_line(/*terminated*/ true);
                    rest = rest.get(end + 1..).unwrap_or_default();
                }
                None => return,
            }
        }
    }

    /// A part of a line without what is skipped of it.
    fn skip<'p>(&mut self, part: &'p [u8]) -> &'p [u8] {
        if self.to_skip == 0 {
            return part;
        }
        let begins = |byte: &u8| byte & 0xC0 != 0x80;
        let mut starts = part.iter().enumerate().filter(|(_, byte)| begins(byte));
        let rest = match starts.nth(self.to_skip) {
            Some((at, _)) => {
                self.to_skip = 0;
                part.get(at..).unwrap_or_default()
            }
            None => {
                self.to_skip -= characters(part);
                &[]
            }
        };
        self.skipped_of_line += part.len() - rest.len();
        rest
    }

    fn extend_line(&mut self, part: &[u8]) {
        self.line_bytes += wide(part.len());
        self.line_last = part.last().copied().or(self.line_last);
        let part = self.skip(part);
        let most = self.request.max_line_bytes.min(self.request.max_bytes);
        let room = most
            .saturating_add(SLACK_BYTES)
            .saturating_sub(self.line.len());
        self.line
            .extend_from_slice(part.get(..room).unwrap_or(part));
    }

    fn end_line(&mut self, terminated: bool) {
        if terminated && self.line_last == Some(b'\r') {
            self.line_bytes -= 1;
        }
        let whole = self.line_bytes;
        if self.lines == 0 {
            self.first_line_bytes = Some(whole);
        }
        let length = usize::try_from(whole)
            .unwrap_or(usize::MAX)
            .saturating_sub(self.skipped_of_line);
        let shown = floor_boundary(&self.line, length.min(self.request.max_line_bytes));
        let wanted = length.min(self.request.max_line_bytes);
        // A line that is not kept whole here is over one of the limits; of those that are cut the
        // cut may fall a few bytes early.
        let cost = if length > self.request.max_line_bytes {
            shown.len()
        } else {
            wanted
        } + usize::from(self.lines > 0);
        if self.text.len().saturating_add(cost) > self.request.max_bytes {
            self.first_line_exceeds_limit = self.lines == 0;
            self.stop(TruncatedBy::Bytes);
            return;
        }
        if self.lines > 0 {
            self.text.push(b'\n');
        }
        self.text.extend_from_slice(shown);
        if length > self.request.max_line_bytes {
            self.cut_lines.push(CutLine {
                line: self.request.first_line + wide(self.lines),
                bytes: whole,
                cut_bytes: wide(self.skipped_of_line + shown.len()),
                cut_characters: self.skipped_characters() + wide(characters(shown)),
            });
        }
        self.lines += 1;
        self.line.clear();
        self.line_bytes = 0;
        self.line_last = None;
        self.to_skip = 0;
        self.skipped_of_line = 0;
    }

    /// Characters of the line under way that were skipped.
    fn skipped_characters(&self) -> u64 {
        if self.lines == 0 {
            self.request.first_character.saturating_sub(1)
        } else {
            0
        }
    }

    fn stop(&mut self, by: TruncatedBy) {
        self.stopped_by = Some(by);
        self.stage = Stage::After;
        self.line = Vec::new();
    }

    /// The page, once it is full or the text from the mark on was taken; the rest of the file is as the outline says.
    pub(crate) fn finish_after(mut self, mark: Mark, outline: &Outline) -> Page {
        let is_found = matches!(self.stage, Stage::Within | Stage::After);
        let before = mark.offset + self.skipped_bytes;
        self.ends = outline.ends.clone();
        self.selected_bytes = if is_found { outline.size - before } else { 0 };
        self.finish(outline.size, outline.encoding)
    }

    /// The page, once the whole text was taken.
    pub(crate) fn finish(mut self, total_bytes: u64, encoding: TextEncoding) -> Page {
        if self.stage == Stage::Within && self.line_bytes > 0 {
            self.end_line(/*terminated*/ false);
        }
        let first_line = self.request.first_line;
        Page {
            // Whole characters came in and only whole ones were kept.
            text: String::from_utf8(self.text)
                .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()),
            first_line,
            last_line: first_line - 1 + wide(self.lines),
            total_lines: self.ends.lines(),
            total_bytes,
            selected_bytes: self.selected_bytes,
            stopped_by: self.stopped_by,
            first_line_exceeds_limit: self.first_line_exceeds_limit,
            first_line_bytes: self.first_line_bytes.unwrap_or(0),
            cut_lines: self.cut_lines,
            final_newline: self.ends.last == Some(b'\n'),
            encoding,
            line_ending: self.ends.ending(),
        }
    }
}

/// How many characters begin in a text.
fn characters(text: &[u8]) -> usize {
    text.iter().filter(|byte| **byte & 0xC0 != 0x80).count()
}

/// What follows the first `lines` line ends of `piece`.
fn after_lines(piece: &[u8], lines: u64) -> &[u8] {
    let skipped = usize::try_from(lines - 1).unwrap_or(usize::MAX);
    memchr::memchr_iter(b'\n', piece)
        .nth(skipped)
        .and_then(|end| piece.get(end + 1..))
        .unwrap_or_default()
}

/// The longest start of at most `bytes` bytes that splits no character.
fn floor_boundary(line: &[u8], bytes: usize) -> &[u8] {
    let Some(next) = line.get(bytes) else {
        // The whole of what is kept; its last character may have been cut by the keeping.
        let tail = super::guess::incomplete_tail(line);
        return line.get(..line.len() - tail).unwrap_or(line);
    };
    let mut end = bytes;
    let mut byte = *next;
    while byte & 0xC0 == 0x80 && end > 0 {
        end -= 1;
        byte = line.get(end).copied().unwrap_or_default();
    }
    line.get(..end).unwrap_or_default()
}
