//! Which bytes of a file stand for which bytes of its text.

use encoding_rs::{Decoder, DecoderResult, Encoding};

/// The smallest piece of a file whose text is known by itself, mostly one character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Unit {
    /// Bytes in the file.
    pub(crate) raw: usize,
    /// Bytes in the text.
    pub(crate) text: usize,
}

/// Walks through the bytes of a file unit by unit, in the way in which they are decoded.
pub(crate) struct Units<'a> {
    decoder: Decoder,
    bytes: &'a [u8],
    /// Bytes given to the decoder.
    at: usize,
    /// Bytes that belong to units already reported.
    reported: usize,
    /// Bytes of text of a unit whose end is not reached: gb18030 finds out up to three bytes late
    /// that a sequence is damaged, and what follows cannot be distinguished from it.
    pending: usize,
    finished: bool,
}

impl<'a> Units<'a> {
    /// Over `bytes` without their byte order mark.
    pub(crate) fn new(encoding: &'static Encoding, bytes: &'a [u8]) -> Self {
        Self {
            decoder: encoding.new_decoder_without_bom_handling(),
            bytes,
            at: 0,
            reported: 0,
            pending: 0,
            finished: false,
        }
    }

    /// Skips up to `most` bytes of ASCII at once, which stand for themselves; answers how many.
    fn skip_ascii(&mut self, most: usize) -> usize {
        if self.reported != self.at
            || self.pending > 0
            || !self.decoder.encoding().is_ascii_compatible()
        {
            return 0;
        }
        let ahead = self.bytes.get(self.at..).unwrap_or_default();
        let ahead = ahead.get(..most).unwrap_or(ahead);
        let run = Encoding::ascii_valid_up_to(ahead);
        self.at += run;
        self.reported += run;
        run
    }

    /// The unit that ends where the decoder is.
    fn report(&mut self) -> Option<Unit> {
        let raw = self.at - self.reported;
        self.reported = self.at;
        let text = std::mem::take(&mut self.pending);
        (raw > 0 || text > 0).then_some(Unit { raw, text })
    }
}

impl Iterator for Units<'_> {
    type Item = Unit;

    fn next(&mut self) -> Option<Unit> {
        // Room for the two characters that one sequence of Big5 can stand for.
        let mut text = [0; 16];
        while !self.finished {
            let byte = self.bytes.get(self.at..=self.at).unwrap_or_default();
            let is_last = byte.is_empty();
            let (result, read, written) = self
                .decoder
                .decode_to_utf8_without_replacement(byte, &mut text, is_last);
            self.at += read;
            self.pending += written;
            match result {
                DecoderResult::InputEmpty if is_last => {
                    self.finished = true;
                    return self.report();
                }
                DecoderResult::InputEmpty | DecoderResult::OutputFull if written > 0 => {
                    return self.report();
                }
                DecoderResult::InputEmpty | DecoderResult::OutputFull => {}
                DecoderResult::Malformed(_, after) => {
                    self.pending += char::REPLACEMENT_CHARACTER.len_utf8();
                    if after == 0 {
                        return self.report();
                    }
                }
            }
        }
        None
    }
}

/// Where the places `wanted` of the text (sorted) lie in the bytes of the file; `None` for a place
/// inside a unit.
pub(crate) fn raw_offsets(
    encoding: &'static Encoding,
    bytes: &[u8],
    wanted: impl IntoIterator<Item = usize>,
) -> Vec<Option<usize>> {
    let mut units = Units::new(encoding, bytes);
    let (mut raw, mut text) = (0, 0);
    wanted
        .into_iter()
        .map(|place| {
            while text < place {
                let skipped = units.skip_ascii(place - text);
                if skipped > 0 {
                    raw += skipped;
                    text += skipped;
                    continue;
                }
                let unit = units.next()?;
                raw += unit.raw;
                text += unit.text;
            }
            (text == place).then_some(raw)
        })
        .collect()
}
