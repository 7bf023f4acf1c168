//! Replacements in the bytes of a file by ranges of its text.

use std::ops::Range;

use super::snapshot::TextFile;
use super::units::raw_offsets;
use crate::Error;

/// One replacement in a text.
struct Splice<'t> {
    /// Bytes of the UTF-8 text that go; empty to insert.
    range: Range<usize>,
    /// What comes in their place, literally.
    text: &'t str,
}

impl TextFile {
    /// The bytes of the file after ranges (bytes) of [`text`](Self::text) were replaced, in the encoding of
    /// the file. Every byte outside the ranges stays as it is, also where the text shows it as
    /// damaged. Touching ranges are put in the order in which they are given.
    ///
    /// # Errors
    /// [`Error::Unencodable`] names a character that the encoding has no form for;
    /// [`Error::BadSplice`] when ranges overlap, lie outside or split a character.
    pub fn splice<T: AsRef<str>>(&self, splices: &[(Range<usize>, T)]) -> Result<Vec<u8>, Error> {
        let splices = splices.iter().map(|(range, text)| Splice {
            range: range.clone(),
            text: text.as_ref(),
        });
        apply(self, splices.collect())
    }

    /// The bytes of the file for a whole new text: byte order mark and encoding are kept, line ends
    /// are those of `text`. A mark at the start of `text` is not doubled.
    ///
    /// # Errors
    /// [`Error::Unencodable`] names a character that the encoding has no form for.
    pub fn replace(&self, text: &str) -> Result<Vec<u8>, Error> {
        let body = if self.encoding().bom {
            text.strip_prefix('\u{FEFF}').unwrap_or(text)
        } else {
            text
        };
        let mut bytes = self.encoding().bom_bytes().to_vec();
        bytes.append(&mut encode(self, body)?);
        Ok(bytes)
    }
}

/// The bytes of `file` after all `splices`.
fn apply(file: &TextFile, mut sorted: Vec<Splice<'_>>) -> Result<Vec<u8>, Error> {
    // Stable: insertions at one place stay in the order given, and come before what is replaced
    // from there on.
    sorted.sort_by_key(|splice| (splice.range.start, splice.range.end));
    check(file, &sorted)?;
    let bytes = file.snapshot().bytes();
    let start = file.encoding().bom_bytes().len();
    let places = places(file, &sorted)?;
    let mut result = Vec::with_capacity(bytes.len());
    let mut kept_to = 0;
    for (splice, range) in sorted.iter().zip(places) {
        result.extend_from_slice(bytes.get(kept_to..start + range.start).unwrap_or_default());
        result.append(&mut encode(file, splice.text)?);
        kept_to = start + range.end;
    }
    result.extend_from_slice(bytes.get(kept_to..).unwrap_or_default());
    check_reading(file, &sorted, &result)?;
    Ok(result)
}

/// Beside damaged bytes new ones may take part in their meaning: the result must be read as the text
/// that was wanted.
fn check_reading(file: &TextFile, sorted: &[Splice<'_>], result: &[u8]) -> Result<(), Error> {
    let encoding = file.encoding();
    if encoding.encoding == encoding_rs::UTF_8 && !encoding.damaged {
        return Ok(());
    }
    let text = file.text();
    let mut wanted = String::with_capacity(text.len());
    let mut kept_to = 0;
    for splice in sorted {
        wanted.push_str(text.get(kept_to..splice.range.start).unwrap_or_default());
        wanted.push_str(splice.text);
        kept_to = splice.range.end;
    }
    wanted.push_str(text.get(kept_to..).unwrap_or_default());
    let body = result.get(encoding.bom_bytes().len()..).unwrap_or_default();
    let (read, _) = encoding.encoding.decode_without_bom_handling(body);
    if read == wanted {
        return Ok(());
    }
    Err(Error::Damaged {
        path: file.snapshot().located().name().to_owned(),
        encoding: encoding.name(),
    })
}

/// `text` in the encoding of `file`.
fn encode(file: &TextFile, text: &str) -> Result<Vec<u8>, Error> {
    file.encoding()
        .encode(text)
        .map_err(|character| Error::Unencodable {
            path: file.snapshot().located().name().to_owned(),
            encoding: file.encoding().name(),
            character,
        })
}

fn check(file: &TextFile, sorted: &[Splice<'_>]) -> Result<(), Error> {
    let text = file.text();
    let mut end = 0;
    for splice in sorted {
        let Range { start, end: after } = splice.range;
        if start > after || after > text.len() {
            return Err(bad(file, splice, "lies outside the text"));
        }
        if !text.is_char_boundary(start) || !text.is_char_boundary(after) {
            return Err(bad(file, splice, "splits a character"));
        }
        if start < end {
            return Err(bad(file, splice, "overlaps another one"));
        }
        end = after;
    }
    Ok(())
}

/// The ranges of the bytes, from behind the byte order mark, that the ranges of the text stand for.
fn places(file: &TextFile, sorted: &[Splice<'_>]) -> Result<Vec<Range<usize>>, Error> {
    let encoding = file.encoding();
    if encoding.encoding == encoding_rs::UTF_8 && !encoding.damaged {
        return Ok(sorted.iter().map(|splice| splice.range.clone()).collect());
    }
    let bytes = file.snapshot().bytes();
    let body = bytes.get(encoding.bom_bytes().len()..).unwrap_or_default();
    let wanted = sorted
        .iter()
        .flat_map(|splice| [splice.range.start, splice.range.end]);
    let offsets = raw_offsets(encoding.encoding, body, wanted);
    sorted
        .iter()
        .zip(offsets.chunks_exact(2))
        .map(|(splice, offsets)| match offsets {
            [Some(start), Some(end)] => Ok(*start..*end),
            _ => Err(bad(
                file,
                splice,
                "splits characters that share their bytes",
            )),
        })
        .collect()
}

fn bad(file: &TextFile, splice: &Splice<'_>, fault: &'static str) -> Error {
    Error::BadSplice {
        path: file.snapshot().located().name().to_owned(),
        start: splice.range.start,
        end: splice.range.end,
        fault,
    }
}

#[cfg(test)]
#[path = "splice_tests.rs"]
mod tests;
