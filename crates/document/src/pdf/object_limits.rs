//! How much chained data of a document unfold to, by the codings that their description names.
//!
//! [`decompression_limit`](super::decompression_limit) looks at what bytes show, since descriptions lie. Two things do not show: run lengths, which any
//! bytes can be, and codings behind a predictor, which shuffles the bytes. The reader of the format obeys the
//! description, so once it has found the objects, chains are counted as it would unfold them. Those that it unfolds
//! while it looks for objects are held to what writers of documents do.

use std::io::{self, BufRead, BufReader, Read};

use flate2::read::DeflateDecoder;
use hayro_interpret::hayro_syntax::object::{Array, Dict, Name, Object, Stream};
use hayro_interpret::hayro_syntax::{Filter, Pdf};
use memchr::memmem;
use tenon_contract::limits;

use super::PdfError;
use super::decompression_limit::{Coding, CountingReader, unescaped};
use super::watch::Watch;

/// Most bytes before a stream that are looked at for its description.
const DESCRIPTION_MAX_BYTES: usize = 64 * 1024;

/// Refuses a document with chained streams that unfold to more than is taken.
pub(super) fn check(pdf: &Pdf, watch: &Watch) -> Result<(), PdfError> {
    let mut total = 0;
    for object in pdf.objects() {
        watch.check();
        if let Object::Stream(stream) = object
            && needs_counting(&stream.filters())
        {
            total += count(&stream, watch)?;
            if total > limits::PDF_STREAMS_MAX_BYTES {
                return Err(PdfError::TooLarge);
            }
        }
    }
    Ok(())
}

/// One coding alone shows in its bytes, unless it is the one that does not.
fn needs_counting(filters: &[Filter]) -> bool {
    filters.len() > 1 || filters.contains(&Filter::RunLengthDecode)
}

/// Bytes that come out of all codings of a stream together.
fn count(stream: &Stream<'_>, watch: &Watch) -> Result<u64, PdfError> {
    let data = stream.raw_data();
    let mut source: Box<dyn Read + '_> = Box::new(data.as_ref());
    let mut is_shuffled = false;
    for (filter, params) in stream.filters().iter().zip(params_of(stream.dict())) {
        let coded = BufReader::new(source);
        let unfolds = matches!(
            filter,
            Filter::FlateDecode | Filter::LzwDecode | Filter::RunLengthDecode
        );
        // No writer does that, and what it unfolds to is known only to who undoes the predictor.
        if unfolds && is_shuffled {
            return Err(PdfError::TooLarge);
        }
        source = match filter {
            Filter::AsciiHexDecode => Coding::Hex.over(coded),
            Filter::Ascii85Decode => Coding::Ascii85.over(coded),
            Filter::FlateDecode => flate(coded),
            Filter::LzwDecode => Coding::Lzw.over(coded),
            Filter::RunLengthDecode => Box::new(RunLengths::new(coded)),
            Filter::Crypt => Box::new(coded),
            // Pictures, which are not drawn.
            _ => {
                source = Box::new(coded);
                break;
            }
        };
        source = Box::new(CountingReader::new(source, watch));
        is_shuffled |= unfolds
            && params
                .get::<u8>("Predictor")
                .is_some_and(|number| number > 1);
    }
    match io::copy(&mut source, &mut io::sink()) {
        Err(error) if error.kind() == io::ErrorKind::OutOfMemory => Err(PdfError::TooLarge),
        Err(_) => Ok(0),
        Ok(bytes) => Ok(bytes),
    }
}

/// The parameters of each coding, as the reader of the format finds them.
fn params_of<'d>(dict: &Dict<'d>) -> Vec<Dict<'d>> {
    let one = dict
        .get::<Dict<'_>>("DP")
        .or_else(|| dict.get("DecodeParms"));
    let many = dict
        .get::<Array<'_>>("DP")
        .or_else(|| dict.get("DecodeParms"));
    let is_single = dict
        .get::<Name<'_>>("F")
        .or_else(|| dict.get::<Name<'_>>("Filter"))
        .is_some();
    let mut params: Vec<Dict<'d>> = match (is_single, many) {
        (false, Some(many)) => many
            .iter::<Object<'_>>()
            .map(|params| params.into_dict().unwrap_or_default())
            .collect(),
        _ => one.into_iter().collect(),
    };
    params.resize_with(limits::PDF_CODINGS_MAX.max(params.len()), Dict::default);
    params
}

/// Data with or without the two bytes before them, and whatever their check sum says.
fn flate<'r>(mut source: impl BufRead + 'r) -> Box<dyn Read + 'r> {
    let head = source.fill_buf().unwrap_or_default();
    if let [method, flags, ..] = head
        && method & 0x0f == 8
        && u16::from_be_bytes([*method, *flags]) % 31 == 0
    {
        source.consume(2);
    }
    Box::new(DeflateDecoder::new(source))
}

/// Undoes run lengths: a length and as many bytes, or a length and the byte that it repeats.
struct RunLengths<R> {
    source: R,
    /// Bytes that are copied.
    copied: usize,
    /// A byte and how often it comes.
    repeated: (u8, usize),
}

impl<R: BufRead> RunLengths<R> {
    fn new(source: R) -> Self {
        Self {
            source,
            copied: 0,
            repeated: (0, 0),
        }
    }

    fn byte(&mut self) -> io::Result<Option<u8>> {
        let mut byte = [0];
        Ok((self.source.read(&mut byte)? == 1).then_some(byte[0]))
    }
}

impl<R: BufRead> Read for RunLengths<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.copied == 0 && self.repeated.1 == 0 {
            match self.byte()? {
                None | Some(128) => return Ok(0),
                Some(length @ 0..=127) => self.copied = usize::from(length) + 1,
                Some(length) => {
                    let Some(byte) = self.byte()? else {
                        return Ok(0);
                    };
                    self.repeated = (byte, 257 - usize::from(length));
                }
            }
        }
        if self.copied > 0 {
            let most = buffer.len().min(self.copied);
            let count = self
                .source
                .read(buffer.get_mut(..most).unwrap_or_default())?;
            // What is cut off ends here.
            self.copied = if count == 0 { 0 } else { self.copied - count };
            return Ok(count);
        }
        let (byte, left) = self.repeated;
        let count = buffer.len().min(left);
        buffer
            .iter_mut()
            .take(count)
            .for_each(|place| *place = byte);
        self.repeated = (byte, left - count);
        Ok(count)
    }
}

/// Whether what stands before a stream describes a table of objects (which the reader unfolds before anything can be
/// counted by its description) in a way that no writer of documents uses and that would not be counted by its bytes.
pub(super) fn is_odd_table(before: &[u8]) -> bool {
    let from = before.len().saturating_sub(DESCRIPTION_MAX_BYTES);
    let before = before.get(from..).unwrap_or_default();
    let from = memmem::rfind(before, b"endobj").unwrap_or_default();
    let text = unescaped(before.get(from..).unwrap_or_default());
    let names = names(&text);
    let has = |wanted: &[u8]| names.iter().any(|(name, _)| *name == wanted);
    // `First`: a stream of objects; `W`: a table of cross references.
    if !has(b"First") && !has(b"W") {
        return false;
    }
    let is_elsewhere = names.iter().any(|(name, after)| {
        matches!(
            *name,
            b"Filter" | b"F" | b"DecodeParms" | b"DP" | b"Predictor"
        ) && is_reference(after)
    });
    let codings = names
        .iter()
        .filter(|(name, _)| matches!(*name, b"FlateDecode" | b"Fl" | b"LZWDecode" | b"LZW"))
        .count();
    is_elsewhere || has(b"RunLengthDecode") || has(b"RL") || (codings > 1 && has(b"Predictor"))
}

/// The names of a description, and what follows each.
fn names(text: &[u8]) -> Vec<(&[u8], &[u8])> {
    let is_regular = |byte: &u8| !byte.is_ascii_whitespace() && !b"\0/<>[](){}%".contains(byte);
    memchr::memchr_iter(b'/', text)
        .filter_map(|at| {
            let rest = text.get(at + 1..)?;
            let end = rest
                .iter()
                .position(|byte| !is_regular(byte))
                .unwrap_or(rest.len());
            rest.split_at_checked(end)
        })
        .collect()
}

/// Whether a value stands in another object: `9 0 R`, also within a list.
fn is_reference(after: &[u8]) -> bool {
    let until = after
        .iter()
        .position(|byte| matches!(byte, b'/' | b'>' | b'<'));
    let value = after
        .get(..until.unwrap_or(after.len()))
        .unwrap_or_default();
    value.contains(&b'R')
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn run_lengths_are_undone_as_the_format_has_them() {
        let undone = |data: &'static [u8]| {
            let mut bytes = Vec::new();
            RunLengths::new(data).read_to_end(&mut bytes).unwrap();
            bytes
        };
        assert_eq!(undone(b"\x02abc\xfed\x80never"), b"abcddd");
        assert_eq!(undone(b"\x05ab"), b"ab");
        assert_eq!(undone(b"\xfe"), b"");
        assert_eq!(undone(b"\x81x").len(), 128);
    }

    #[test]
    fn tables_are_described_in_the_usual_way_or_refused() {
        for usual in [
            "1 0 obj <</Type/XRef/W[1 2 1]/Filter/FlateDecode/DecodeParms<</Columns 4/Predictor 12>>/Length 9>>",
            "<</Type /ObjStm /N 3 /First 20 /Filter /FlateDecode /Length 8 0 R>>",
            "<</Type /ObjStm /N 3 /First 20 /Filter [/ASCII85Decode /FlateDecode]>>",
            "1 0 obj <</W [1 2 1]>> stream endstream endobj 2 0 obj <</Filter [/RL /Fl] /Length 3>>",
        ] {
            assert!(!is_odd_table(usual.as_bytes()), "{usual}");
        }
        for odd in [
            "<</N 3/First 20/Filter 9 0 R>>",
            "<</N 3/First 20/Filter[9 0 R]>>",
            "<</N 3/Fi#72st 20/Filter/FlateDecode/DecodeParms 4 0 R>>",
            "<</W[1 2 1]/Filter[/FlateDecode/FlateDecode]/DecodeParms[<</Predictor 12>>null]>>",
            "<</W[1 2 1]/F/RL>>",
            "<</First 1/Filter[/FlateDecode/R#75nLengthDecode]>>",
        ] {
            assert!(is_odd_table(odd.as_bytes()), "{odd}");
        }
    }
}
