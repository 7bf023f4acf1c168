//! Reading a file block by block with constant memory.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

use encoding_rs::{CoderResult, Encoding};

use super::encoding::TextEncoding;
use super::guess::{Guess, incomplete_tail};

/// Fits the second-level cache, so that looking at a block twice costs little.
pub(crate) const BLOCK_BYTES: usize = 256 * 1024;

/// Much more than the few bytes that are given again.
const LEAST_BUFFER_BYTES: usize = 1024;

/// Why a stream ended early.
#[derive(Debug)]
pub(crate) enum StreamFault {
    Cancelled,
    Io(io::Error),
}

impl From<io::Error> for StreamFault {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// Where bytes come from.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Source<'a> {
    /// An open file.
    File(&'a File),
    /// All of a small file.
    Held(&'a [u8]),
}

/// What to do after a block.
pub(crate) enum Next {
    /// Go on, and give the last so many bytes again.
    Keep(usize),
    /// That was enough.
    Stop,
}

/// Gives the bytes of `source` from `start` on in blocks, the last one marked. Answers the position
/// after the last byte that was read.
pub(crate) fn blocks(
    source: Source<'_>,
    start: u64,
    cancelled: &dyn Fn() -> bool,
    mut take: impl FnMut(&[u8], bool) -> Next,
) -> Result<u64, StreamFault> {
    let mut file = match source {
        Source::File(file) => file,
        Source::Held(_) if cancelled() => return Err(StreamFault::Cancelled),
        Source::Held(bytes) => {
            let start = usize::try_from(start).unwrap_or(usize::MAX);
            take(bytes.get(start..).unwrap_or_default(), true);
            return Ok(crate::truncate::wide(bytes.len()));
        }
    };
    file.seek(SeekFrom::Start(start))?;
    let mut position = start;
    let mut buffer = vec![0; buffer_bytes(file)?];
    let mut kept = 0;
    loop {
        if cancelled() {
            return Err(StreamFault::Cancelled);
        }
        let filled = fill(file, &mut buffer, kept)?;
        position += crate::truncate::wide(filled - kept);
        let is_last = filled < buffer.len();
        let block = buffer.get(..filled).unwrap_or_default();
        match take(block, is_last) {
            Next::Stop => return Ok(position),
            Next::Keep(_) if is_last => return Ok(position),
            Next::Keep(count) => {
                buffer.copy_within(filled.saturating_sub(count)..filled, 0);
                kept = count;
            }
        }
    }
}

/// A small file needs no large buffer. Files of /proc and /sys report no size.
fn buffer_bytes(file: &File) -> io::Result<usize> {
    let size = file.metadata()?.len();
    Ok(match usize::try_from(size) {
        // One more, to see the end; and room to go on if the file grows meanwhile.
        Ok(size @ 1..BLOCK_BYTES) => (size + 1).max(LEAST_BUFFER_BYTES),
        _ => BLOCK_BYTES,
    })
}

/// Reads until the buffer is full or the file ends; answers how much of the buffer is filled.
fn fill(mut file: &File, buffer: &mut [u8], kept: usize) -> io::Result<usize> {
    let mut filled = kept;
    while let Some(room) = buffer.get_mut(filled..).filter(|room| !room.is_empty()) {
        match file.read(room) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

/// Gives the text of a file that may be UTF-8 from `start` on, which lies between two characters, in pieces that end
/// between characters, until `take` wants no more. Answers the position after the last byte that was read, or `None`
/// when that is not valid UTF-8.
pub(crate) fn utf8_pieces(
    source: Source<'_>,
    start: u64,
    cancelled: &dyn Fn() -> bool,
    mut take: impl FnMut(&[u8]) -> bool,
) -> Result<Option<u64>, StreamFault> {
    let mut valid = true;
    let size = blocks(source, start, cancelled, |block, is_last| {
        let kept = if is_last { 0 } else { incomplete_tail(block) };
        let piece = block.get(..block.len() - kept).unwrap_or(block);
        valid = Encoding::utf8_valid_up_to(piece) == piece.len();
        if !valid {
            return Next::Stop;
        }
        if take(piece) {
            Next::Keep(kept)
        } else {
            Next::Stop
        }
    })?;
    Ok(valid.then_some(size))
}

/// Which encoding a file is in that has no byte order mark and is not valid UTF-8.
pub(crate) fn guess_encoding(
    source: Source<'_>,
    cancelled: &dyn Fn() -> bool,
) -> Result<TextEncoding, StreamFault> {
    let mut guess = Guess::new();
    blocks(source, 0, cancelled, |block, is_last| {
        Next::Keep(guess.feed(block, is_last))
    })?;
    Ok(guess.finish())
}

/// Gives the text of a file in a known encoding, in pieces that end between characters. Answers
/// the size of the file and whether some bytes were not valid.
pub(crate) fn decoded_pieces(
    source: Source<'_>,
    encoding: TextEncoding,
    cancelled: &dyn Fn() -> bool,
    mut take: impl FnMut(&[u8]),
) -> Result<(u64, bool), StreamFault> {
    let mut decoder = encoding.encoding.new_decoder_without_bom_handling();
    let mut text = vec![0; BLOCK_BYTES];
    let mut damaged = false;
    let size = blocks(source, bom_length(encoding), cancelled, |block, is_last| {
        let mut rest = block;
        loop {
            let (result, read, written, had_errors) =
                decoder.decode_to_utf8(rest, &mut text, is_last);
            damaged |= had_errors;
            take(text.get(..written).unwrap_or_default());
            rest = rest.get(read..).unwrap_or_default();
            if result == CoderResult::InputEmpty {
                return Next::Keep(0);
            }
        }
    })?;
    Ok((size, damaged))
}

/// Bytes of the byte order mark.
pub(crate) fn bom_length(encoding: TextEncoding) -> u64 {
    crate::truncate::wide(encoding.bom_bytes().len())
}
