//! A page of a text file: some of its lines, and the facts about the rest.

use super::encoding::TextEncoding;
use super::line_ending::LineEnding;
use super::line_marks::{Mark, Marker, Outline};
use super::page_builder::PageBuilder;
use super::stream::{Source, StreamFault, bom_length, decoded_pieces, guess_encoding, utf8_pieces};
use crate::truncate::wide;
use crate::{TruncatedBy, TruncationResult};

/// Which lines are wanted, and how much of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageRequest {
    /// The first line, counted from 1; 0 is taken as 1.
    pub first_line: u64,
    /// The character that the first line is shown from, counted from 1; 0 is taken as 1.
    pub first_character: u64,
    /// Most lines.
    pub max_lines: usize,
    /// Most bytes of the text in UTF-8, a newline between two lines counted.
    pub max_bytes: usize,
    /// A longer line is cut, in bytes of UTF-8. `usize::MAX` cuts none; then the page ends before
    /// a line that would take it over `max_bytes`.
    pub max_line_bytes: usize,
}

/// Some lines of a file, and the facts about the rest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// The lines with `\n` between them, without the last line end, a CR before an LF, and the byte
    /// order mark.
    pub text: String,
    /// The first line that was asked for, counted from 1.
    pub first_line: u64,
    /// The last line of the page; one less than `first_line` when the page holds none.
    pub last_line: u64,
    /// Lines of the whole file. A newline at its end opens no line; an empty file has none.
    pub total_lines: u64,
    /// Bytes of the whole file as stored.
    pub total_bytes: u64,
    /// Bytes in UTF-8 from the start of the first line to the end of the file, with line ends.
    pub selected_bytes: u64,
    /// The limit that ended the page; `None` when it reaches the end of the file.
    pub stopped_by: Option<TruncatedBy>,
    /// Whether the first line alone is over `max_bytes`, so that the page holds none.
    pub first_line_exceeds_limit: bool,
    /// Bytes in UTF-8 of the whole first line without its end.
    pub first_line_bytes: u64,
    /// The lines of the page that were cut at `max_line_bytes`.
    pub cut_lines: Vec<CutLine>,
    /// Whether the file ends in a line end.
    pub final_newline: bool,
    /// How the file is written.
    pub encoding: TextEncoding,
    /// How the lines of the whole file end.
    pub line_ending: LineEnding,
}

/// A line of a page that was cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CutLine {
    /// Its number in the file, counted from 1.
    pub line: u64,
    /// Its whole length in bytes of UTF-8.
    pub bytes: u64,
    /// Where the cut is: so many bytes of UTF-8 come before it, whether they are shown or were skipped.
    pub cut_bytes: u64,
    /// The same in characters.
    pub cut_characters: u64,
}

impl Page {
    /// Lines of the page.
    #[must_use]
    pub const fn line_count(&self) -> u64 {
        (self.last_line + 1).saturating_sub(self.first_line)
    }

    /// The lines of the page, one by one.
    pub fn lines(&self) -> impl Iterator<Item = &str> {
        let count = usize::try_from(self.line_count()).unwrap_or(usize::MAX);
        self.text.split('\n').take(count)
    }

    /// Whether lines follow the page.
    #[must_use]
    pub const fn has_more(&self) -> bool {
        self.stopped_by.is_some()
    }

    /// The facts in pi's form, where the text is everything from the first line on; `None` when the
    /// page reaches the end of the file. Its content is `text`.
    #[must_use]
    pub fn truncation(&self, request: &PageRequest) -> Option<TruncationResult> {
        let by = self.stopped_by?;
        Some(TruncationResult {
            content: self.text.clone(),
            truncated: true,
            truncated_by: Some(by),
            total_lines: (self.total_lines + 1).saturating_sub(self.first_line),
            total_bytes: self.selected_bytes,
            output_lines: self.line_count(),
            output_bytes: wide(self.text.len()),
            last_line_partial: false,
            first_line_exceeds_limit: self.first_line_exceeds_limit,
            max_lines: wide(request.max_lines),
            max_bytes: wide(request.max_bytes),
        })
    }
}

/// Reads a page of a file that starts with the byte order mark `bom`, if any, and the whole file with it. Answers the
/// outline of a file that is large enough to have one.
pub(crate) fn read(
    source: Source<'_>,
    bom: Option<TextEncoding>,
    request: &PageRequest,
    cancelled: &dyn Fn() -> bool,
) -> Result<(Page, Option<Outline>), StreamFault> {
    let supposed = bom.unwrap_or(TextEncoding::UTF_8);
    let mut encoding = supposed;
    if supposed.encoding == encoding_rs::UTF_8 {
        let mut builder = PageBuilder::new(request);
        let mut marker = Marker::default();
        let mut offset = bom_length(supposed);
        let size = utf8_pieces(source, offset, cancelled, |piece| {
            marker.pass(Mark {
                offset,
                newlines: builder.newlines(),
            });
            offset += wide(piece.len());
            builder.feed(piece);
            true
        })?;
        if let Some(size) = size {
            let outline = marker.finish(supposed, builder.ends().clone(), size);
            return Ok((builder.finish(size, supposed), outline));
        }
        if bom.is_none() {
            encoding = guess_encoding(source, cancelled)?;
        }
    }
    let mut builder = PageBuilder::new(request);
    let (size, damaged) = decoded_pieces(source, encoding, cancelled, |piece| builder.feed(piece))?;
    let encoding = TextEncoding {
        damaged,
        ..encoding
    };
    Ok((builder.finish(size, encoding), None))
}

/// Reads a page of a file that the outline is of, and no more than that takes. Nothing when the file is another by now.
pub(crate) fn read_on(
    source: Source<'_>,
    outline: &Outline,
    request: &PageRequest,
    cancelled: &dyn Fn() -> bool,
) -> Result<Option<Page>, StreamFault> {
    let mark = outline.mark_before(request.first_line.max(1) - 1);
    let mut builder = PageBuilder::after(mark, request);
    let end = utf8_pieces(source, mark.offset, cancelled, |piece| {
        builder.feed(piece);
        !builder.is_full()
    })?;
    let is_whole = end.is_some_and(|end| builder.is_full() || end == outline.size);
    Ok(is_whole.then(|| builder.finish_after(mark, outline)))
}

#[cfg(test)]
#[path = "page_tests.rs"]
mod tests;
