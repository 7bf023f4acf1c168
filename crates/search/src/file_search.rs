//! Searching the content of one file after another with ripgrep's searcher.

use std::fs::File;
use std::io::{self, Read};
use std::ops::Range;

use grep::matcher::LineTerminator;
use grep::searcher::{BinaryDetection, Searcher, SearcherBuilder};
use memchr::memchr;

use crate::case_note::{CaseNote, OtherCase};
use crate::directory::{self, Handle};
use crate::grep::{GrepMode, GrepRequest};
use crate::matcher::LineMatcher;
use crate::sink::{FileSink, Sunk};
use crate::task::Batch;
use crate::{Control, FileMatches};

/// Bytes that are read at first. Most files are smaller; it fits into the cache of a core.
const FIRST_READ_BYTES: usize = 64 * 1024;

/// Files up to this size are read whole and searched where they lie, in bytes: that spares the copies of a line buffer,
/// and the count of lines where nothing matches.
const WHOLE_READ_BYTES: usize = 1024 * 1024;

/// What the searcher's buffer holds before it grows for a longer line. A NUL byte within the first of
/// it ends the search of a file before it begins.
pub(crate) const LINE_BUFFER_BYTES: usize = 64 * 1024;

/// Bytes of UTF-8 that a byte in another encoding becomes, at most.
const MOST_DECODED: usize = 3;

/// Most bytes that one line, or in multiline mode one file, may take in memory.
const HELD_MAX_BYTES: usize = 256 * 1024 * 1024;

/// What one thread needs to search files.
#[derive(Debug)]
pub(crate) struct FileSearch<'a> {
    request: &'a GrepRequest,
    control: &'a Control<'a>,
    matcher: LineMatcher,
    /// The same for contents of ASCII alone.
    ascii: Option<LineMatcher>,
    /// For contents that are searched where they lie: it has no buffer.
    searcher: Searcher,
    /// For all others, made for the first of them.
    reader: Option<Searcher>,
    /// Where files without a match are noted.
    note: Option<&'a CaseNote>,
    first: Vec<u8>,
    /// Whether the current content matches in another case.
    other_case: Option<OtherCase>,
    places: Vec<Range<usize>>,
    bound: u64,
    is_named: bool,
    /// Whether the end of the call cut the last search short.
    was_cut: bool,
}

impl<'a> FileSearch<'a> {
    /// `is_named`: the one file to search was named by the caller. As in ripgrep, a NUL byte then
    /// does not end the search.
    pub(crate) fn new(
        request: &'a GrepRequest,
        control: &'a Control<'a>,
        matcher: &LineMatcher,
        is_named: bool,
    ) -> Self {
        Self {
            request,
            control,
            matcher: matcher.clone(),
            ascii: matcher.for_ascii(),
            searcher: searcher(request, is_named, 1),
            reader: None,
            note: None,
            first: vec![0; FIRST_READ_BYTES],
            other_case: None,
            places: Vec::new(),
            bound: request.bound(),
            is_named,
            was_cut: false,
        }
    }

    /// The same, noting what matches in another case.
    pub(crate) fn noting(mut self, note: Option<&'a CaseNote>) -> Self {
        self.note = note;
        self
    }

    /// Whether the end of the call cut the last search short. What it found is left out, unless it
    /// was of a file that the caller named.
    pub(crate) const fn was_cut(&self) -> bool {
        self.was_cut
    }

    /// Searches one file of an open directory, if it is of one; `path` makes its answered path if that is needed. Adds what is
    /// found and what there is to count.
    pub(crate) fn search(
        &mut self,
        directory: Option<&Handle>,
        file: io::Result<File>,
        path: impl FnOnce() -> String,
        batch: &mut Batch<FileMatches>,
    ) {
        let mut too_large = false;
        self.was_cut = false;
        let searched = file.and_then(|file| self.search_content(directory, file, &mut too_large));
        let sunk = match searched {
            Ok(Some(sunk)) => sunk,
            Ok(None) => return batch.facts.too_large += 1,
            Err(_) => return batch.facts.unreadable += 1,
        };
        if self.was_cut && !self.is_named {
            return;
        }
        batch.facts.files_searched += 1;
        batch.facts.too_large += u64::from(too_large);
        batch.facts.bytes += sunk.bytes;
        batch.facts.binary += u64::from(sunk.binary_offset.is_some());
        if sunk.matches == 0
            && let Some(other_case) = self.other_case
        {
            return self.take_note(other_case, sunk.bytes, path);
        }
        if let Some((found, weight)) = self.judge(sunk, path) {
            if let Some(note) = self.note.take() {
                note.close();
            }
            batch.found.push(found);
            batch.weight += weight;
        }
    }

    /// Notes the current file, of so many bytes, if it matches in another case.
    fn take_note(&self, other_case: OtherCase, bytes: u64, path: impl FnOnce() -> String) {
        let content = usize::try_from(bytes).ok();
        let content = content.and_then(|bytes| self.first.get(..bytes));
        if let (Some(note), Some(content)) = (self.note, content)
            && (other_case == OtherCase::Certain || note.confirms(content))
        {
            note.note(path());
        }
    }

    /// Whether something in what was read, which is a whole file, may match. While nothing was found, also notes
    /// whether it would in another case.
    fn may_match(&mut self, filled: usize) -> bool {
        let Some(note) = self.note.filter(|note| note.is_open()) else {
            return true;
        };
        let content = self.first.get(..filled).unwrap_or_default();
        let look = note.look(content);
        self.other_case = look.other_case;
        look.may_match
    }

    /// Of a file that is not searched where it lies: whether it has what the note asks for, where that can be seen.
    fn look_aside(&self, filled: usize, is_whole: bool) {
        let Some(note) = self.note.filter(|note| note.is_open()) else {
            return;
        };
        match self.first.get(..filled) {
            Some(content)
                if is_whole && !has_mark(content) && note.look(content).other_case.is_none() => {}
            _ => note.pass(),
        }
    }

    /// What is reported of a file, with its weight.
    fn judge(&self, sunk: Sunk, path: impl FnOnce() -> String) -> Option<(FileMatches, u64)> {
        // A search that a NUL ended does not know how often or whether the rest matches: only the
        // lines it came across are reported.
        let is_known =
            sunk.binary_offset.is_none() || self.searcher.binary_detection().quit_byte().is_none();
        let (is_reported, weight) = match self.request.mode {
            GrepMode::Lines => (sunk.matches > 0, sunk.matches),
            GrepMode::Files | GrepMode::Counts => (sunk.matches > 0 && is_known, 1),
            GrepMode::FilesWithout => (sunk.matches == 0 && is_known, 1),
        };
        is_reported.then(|| {
            let mut found = sunk.lines;
            found.path = path();
            found.matches = sunk.matches;
            found.binary_offset = sunk.binary_offset;
            (found, weight)
        })
    }

    /// Reads the file up to the most that is searched where it lies; how much that is, and whether it is all.
    fn read_first(
        &mut self,
        directory: Option<&Handle>,
        file: &mut File,
    ) -> io::Result<(usize, bool)> {
        let mut filled = 0;
        loop {
            if filled == self.first.len() {
                if filled >= WHOLE_READ_BYTES {
                    return Ok((filled, false));
                }
                self.first.resize(WHOLE_READ_BYTES, 0);
            }
            // A buffer that has grown is not used further than a file needs it.
            let most = if filled < FIRST_READ_BYTES {
                FIRST_READ_BYTES
            } else {
                WHOLE_READ_BYTES
            };
            let rest = self.first.get_mut(filled..most).unwrap_or_default();
            match directory::read(file, rest) {
                Ok(0) => return Ok((filled, true)),
                Ok(read) => {
                    filled += read;
                    if filled < most && directory.is_some_and(|of| of.ends_at(filled)) {
                        return Ok((filled, true));
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Searches an open file. Nothing if it is above the size limit; `too_large` is set when that
    /// showed only after part of it was searched.
    fn search_content(
        &mut self,
        directory: Option<&Handle>,
        mut file: File,
        too_large: &mut bool,
    ) -> io::Result<Option<Sunk>> {
        self.other_case = None;
        let (filled, is_whole) = self.read_first(directory, &mut file)?;
        let size = if is_whole {
            filled as u64
        } else {
            file.metadata()?.len()
        };
        let held = self.request.pattern.multiline && size > HELD_MAX_BYTES as u64;
        if held
            || self
                .request
                .scope
                .max_file_bytes
                .is_some_and(|most| size > most)
        {
            return Ok(None);
        }
        let read = self.first.get(..filled).unwrap_or_default();
        let is_plain = is_whole && is_plain(read, self.request.text);
        if !is_plain {
            self.look_aside(filled, is_whole);
        } else if !self.may_match(filled) {
            return Ok(Some(Sunk::nothing(size)));
        }
        let first = self.first.get(..filled).unwrap_or_default();
        let ascii = self.ascii.as_ref();
        let matcher = ascii.filter(|_| is_plain && first.is_ascii());
        let matcher = matcher.unwrap_or(&self.matcher);
        let mut sink = FileSink::new(self.request, matcher, self.bound, &mut self.places);
        let searched = if is_plain {
            self.searcher.search_slice(matcher, first, &mut sink)
        } else {
            let content = Content {
                first,
                file,
                control: self.control,
                given: 0,
            };
            let made = || searcher(self.request, self.is_named, HELD_MAX_BYTES);
            search_reader(&mut self.reader, made, content, matcher, &mut sink)
        };
        match searched {
            Ok(()) => {}
            // What was found before the end of the call or the fault is still good.
            Err(_) if self.control.halt().is_some() => self.was_cut = true,
            Err(error) if error.raw_os_error().is_none() => *too_large = true,
            Err(error) => return Err(error),
        }
        Ok(Some(sink.into_sunk()))
    }
}

/// Searches a content as it is read, with the searcher of this thread, which is made for its first.
fn search_reader(
    reader: &mut Option<Searcher>,
    made: impl FnOnce() -> Searcher,
    mut content: Content<'_>,
    matcher: &LineMatcher,
    sink: &mut FileSink<'_>,
) -> io::Result<()> {
    let searcher = reader.get_or_insert_with(made);
    let searched = searcher.search_reader(matcher, &mut content, sink);
    let most = content.given.saturating_mul(MOST_DECODED);
    if !searcher.multi_line() && most >= LINE_BUFFER_BYTES {
        // Its buffer may have grown, and how far a NUL byte is seen ahead depends on its size. Every file gets the
        // same, whatever this thread came across before.
        *reader = None;
    }
    searched
}

/// ripgrep's searcher, set up as `rg` sets it up, which holds so many bytes.
fn searcher(request: &GrepRequest, is_named: bool, held: usize) -> Searcher {
    let binary = if request.text {
        BinaryDetection::none()
    } else if is_named {
        BinaryDetection::convert(0)
    } else {
        BinaryDetection::quit(0)
    };
    let line_end = if request.pattern.uses_crlf() {
        LineTerminator::crlf()
    } else {
        LineTerminator::byte(b'\n')
    };
    let per_file = request.max_per_file.map_or(u64::MAX, |most| most as u64);
    let most = request.bound().min(per_file);
    let mut builder = SearcherBuilder::new();
    builder
        .line_terminator(line_end)
        .line_number(request.mode == GrepMode::Lines || request.lines.is_some())
        .multi_line(request.pattern.multiline)
        .invert_match(request.invert)
        .binary_detection(binary)
        .heap_limit(Some(held))
        .max_matches((most < u64::MAX).then_some(most));
    if request.shows_context() {
        builder
            .before_context(request.before)
            .after_context(request.after);
    }
    builder.build()
}

/// Whether the content can be searched where it lies: not to be decoded, and without the NUL bytes
/// for which ripgrep has its rule.
fn is_plain(content: &[u8], nul_is_text: bool) -> bool {
    !has_mark(content) && (nul_is_text || memchr(0, content).is_none())
}

/// Whether the content begins with a byte order mark.
fn has_mark(content: &[u8]) -> bool {
    const MARKS: [&[u8]; 3] = [b"\xEF\xBB\xBF", b"\xFF\xFE", b"\xFE\xFF"];
    MARKS.iter().any(|mark| content.starts_with(mark))
}

/// The content of a file: what was read of it already and the rest. Ends with an error when the call
/// must end.
struct Content<'a> {
    first: &'a [u8],
    file: File,
    control: &'a Control<'a>,
    /// How much was read of it.
    given: usize,
}

impl Content<'_> {
    fn read_on(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.file.read(buffer) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => return read,
            }
        }
    }
}

impl Read for Content<'_> {
    /// Gives as much as the file itself would have given: the binary rule looks at one buffer after
    /// another, and must see the same ones as in ripgrep.
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.control.halt().is_some() {
            return Err(io::Error::other("the call ends"));
        }
        let mut read = self.first.read(buffer)?;
        if let Some(rest) = buffer.get_mut(read..).filter(|rest| !rest.is_empty()) {
            read += self.read_on(rest)?;
        }
        self.given += read;
        Ok(read)
    }
}
