//! Taking the matches of one file from ripgrep's searcher.

use std::io;
use std::ops::Range;

use grep::matcher::{Match, Matcher};
use grep::searcher::{Searcher, Sink, SinkContext, SinkFinish, SinkMatch};

use crate::FileMatches;
use crate::grep::{GrepMode, GrepRequest};
use crate::line_text::{prepare, without_line_end};
use crate::matcher::LineMatcher;

/// How far beyond the end of its lines a match is looked for again, for patterns that look ahead.
/// The number is ripgrep's.
const MAX_LOOK_AHEAD: usize = 128;

/// Collects what one file has.
#[derive(Debug)]
pub(crate) struct FileSink<'a> {
    request: &'a GrepRequest,
    matcher: &'a LineMatcher,
    /// No more matches than these can matter.
    bound: u64,
    /// Matches within the current lines, to be reused.
    places: &'a mut Vec<Range<usize>>,
    matches: u64,
    binary_offset: Option<u64>,
    bytes: u64,
    lines: FileMatches,
}

/// What the search of one file came to.
#[derive(Debug)]
pub(crate) struct Sunk {
    pub(crate) lines: FileMatches,
    /// In the unit of the request's limit.
    pub(crate) matches: u64,
    pub(crate) binary_offset: Option<u64>,
    pub(crate) bytes: u64,
}

impl Sunk {
    /// Of a text without a match.
    pub(crate) fn nothing(bytes: u64) -> Self {
        Self {
            lines: FileMatches::default(),
            matches: 0,
            binary_offset: None,
            bytes,
        }
    }
}

impl<'a> FileSink<'a> {
    pub(crate) fn new(
        request: &'a GrepRequest,
        matcher: &'a LineMatcher,
        bound: u64,
        places: &'a mut Vec<Range<usize>>,
    ) -> Self {
        Self {
            request,
            matcher,
            bound,
            places,
            matches: 0,
            binary_offset: None,
            bytes: 0,
            lines: FileMatches::new(String::new(), request.shows_context()),
        }
    }

    pub(crate) fn into_sunk(self) -> Sunk {
        Sunk {
            lines: self.lines,
            matches: self.matches,
            binary_offset: self.binary_offset,
            bytes: self.bytes,
        }
    }

    /// Finds the matches within the current lines again: the searcher only says that there are
    /// some. Done as ripgrep's printer does it, in the lines' own surroundings, for the sake of
    /// look-around. `only_first` stops at the first.
    fn locate(
        &mut self,
        searcher: &Searcher,
        found: &SinkMatch<'_>,
        only_first: bool,
    ) -> io::Result<()> {
        self.places.clear();
        let lines = found.bytes_range_in_buffer();
        let mut most = if only_first { 1 } else { usize::MAX };
        let end = if searcher.multi_line_with_matcher(self.matcher) {
            // The lines may hold the beginning of a match beyond the last that is wanted.
            if let Some(per_file) = self.request.max_per_file {
                most = per_file
                    .saturating_sub(usize::try_from(self.matches).unwrap_or(usize::MAX))
                    .max(1);
            }
            found.buffer().len().min(lines.end + MAX_LOOK_AHEAD)
        } else {
            let ended = searcher.line_terminator();
            let text = found.bytes();
            let text = match text.strip_suffix(b"\n") {
                Some(text) if ended.is_crlf() => text.strip_suffix(b"\r").unwrap_or(text),
                Some(text) => text,
                None => text,
            };
            lines.start + text.len()
        };
        let buffer = found.buffer().get(..end).unwrap_or_default();
        let places = &mut *self.places;
        let note = |place: Match| {
            if place.start() >= lines.end {
                return false;
            }
            places.push(place.start() - lines.start..place.end() - lines.start);
            places.len() < most
        };
        self.matcher
            .find_iter_at(buffer, lines.start, note)
            .map_err(io::Error::other)
    }

    /// Adds the lines of one find, or the matches in them.
    fn add(&mut self, found: &SinkMatch<'_>, multiline: bool) {
        let first = self.matches;
        let numbers = found.line_number().unwrap_or(0)..;
        let mut start = 0;
        // The first of the places that are not wholly before the current line.
        let mut next = 0;
        for (number, line) in numbers.zip(found.lines()) {
            let end = start + line.len();
            while self
                .places
                .get(next)
                .is_some_and(|place| place.start < start && place.end <= start)
            {
                next += 1;
            }
            let text = without_line_end(line);
            let mut on_line = self
                .places
                .iter()
                .skip(next)
                .take_while(|place| place.start < end)
                .map(|place| {
                    place.start.saturating_sub(start)..place.end.min(end).saturating_sub(start)
                });
            // A line of which the searcher is certain although no match can be found in it again
            // is reported whole.
            if self.request.only_matching && !self.places.is_empty() {
                let length = line.strip_suffix(b"\n").unwrap_or(line).len();
                for (index, place) in on_line.enumerate() {
                    if multiline && place.start >= place.end.min(length) {
                        continue;
                    }
                    let ordinal = first + (next + index) as u64;
                    push_match(&mut self.lines, self.request, number, ordinal, text, place);
                }
            } else {
                let ordinal = if multiline {
                    first + next as u64
                } else {
                    first
                };
                let (columns, how) = (self.request.max_columns, self.request.long_lines);
                let prepared = prepare(text, on_line.next(), columns, how);
                self.lines.push(number, Some(ordinal), &prepared);
            }
            start = end;
        }
    }
}

/// Adds one match as a line of its own, with the column it has in its line.
fn push_match(
    lines: &mut FileMatches,
    request: &GrepRequest,
    number: u64,
    ordinal: u64,
    line: &[u8],
    place: Range<usize>,
) {
    let end = place.end.min(line.len());
    let place = place.start.min(end)..end;
    let matched = line.get(place.clone()).unwrap_or_default();
    let mut prepared = prepare(
        matched,
        Some(0..matched.len()),
        request.max_columns,
        crate::LongLines::Head,
    );
    prepared.column = prepare(line, Some(place), None, request.long_lines).column;
    lines.push(number, Some(ordinal), &prepared);
}

impl Sink for FileSink<'_> {
    type Error = io::Error;

    fn matched(&mut self, searcher: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        let shows_lines = self.request.mode == GrepMode::Lines;
        if let (Some(wanted), Some(number)) = (&self.request.lines, found.line_number())
            && !wanted.contains(&number)
        {
            return Ok(number < *wanted.start());
        }
        if matches!(self.request.mode, GrepMode::Files | GrepMode::FilesWithout) {
            self.matches += 1;
            return Ok(false);
        }
        // In a file named by the caller the NULs are passed over; that it matched is all there is
        // to report from there on.
        if shows_lines && self.binary_offset.is_some() {
            self.matches += 1;
            return Ok(false);
        }
        let multiline = searcher.multi_line_with_matcher(self.matcher) && !self.request.invert;
        let each_counts = (multiline || self.request.only_matching) && !self.request.invert;
        if self.request.invert {
            self.places.clear();
        } else if shows_lines || each_counts {
            self.locate(searcher, found, !each_counts)?;
        }
        if shows_lines {
            self.add(found, multiline);
        }
        // The searcher is certain that there is one, even if it cannot be found again.
        self.matches += if each_counts {
            (self.places.len() as u64).max(1)
        } else {
            1
        };
        // Otherwise the searcher stops by itself, after the context that is still due.
        Ok(!each_counts || self.request.shows_context() || self.matches < self.bound)
    }

    fn context(&mut self, _searcher: &Searcher, line: &SinkContext<'_>) -> io::Result<bool> {
        if self.binary_offset.is_some() {
            return Ok(false);
        }
        let wanted = self.request.lines.as_ref().zip(line.line_number());
        if wanted.is_some_and(|(wanted, number)| !wanted.contains(&number)) {
            return Ok(true);
        }
        let text = prepare(
            without_line_end(line.bytes()),
            None,
            self.request.max_columns,
            crate::LongLines::Head,
        );
        self.lines
            .push(line.line_number().unwrap_or(0), None, &text);
        Ok(true)
    }

    fn binary_data(&mut self, _searcher: &Searcher, offset: u64) -> io::Result<bool> {
        self.binary_offset = Some(offset);
        Ok(true)
    }

    fn finish(&mut self, _searcher: &Searcher, finish: &SinkFinish) -> io::Result<()> {
        self.bytes = finish.byte_count();
        self.binary_offset = finish.binary_byte_offset().or(self.binary_offset);
        Ok(())
    }
}
