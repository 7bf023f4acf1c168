//! Which encoding a text is in that has no byte order mark and is not valid UTF-8.

use chardetng::EncodingDetector;

use super::encoding::{Certainty, TextEncoding};
use super::readings::{READINGS_BYTES, Readings};

/// How many bytes after the first one outside ASCII are shown to the detector. Its tables settle
/// long before.
const SAMPLE_BYTES: usize = 1024 * 1024;

/// Collects what is needed for a guess from a file that comes in blocks. The outcome does not
/// depend on where the blocks are cut, so that a page and a whole text are read alike.
pub(crate) struct Guess {
    detector: EncodingDetector,
    /// Bytes the detector may still see, once the first byte outside ASCII was met.
    sample_left: Option<usize>,
    /// Characters of two or more bytes that are valid UTF-8.
    utf8_characters: usize,
    /// Bytes that are not.
    other_bytes: usize,
    /// What is looked at beside the detector, from the first byte outside ASCII on.
    sample: Vec<u8>,
}

impl Guess {
    pub(crate) fn new() -> Self {
        Self {
            detector: EncodingDetector::new(),
            sample_left: None,
            utf8_characters: 0,
            other_bytes: 0,
            sample: Vec::new(),
        }
    }

    /// Takes the next block; answers how many of its last bytes must be given again at the start
    /// of the next one.
    pub(crate) fn feed(&mut self, block: &[u8], is_last: bool) -> usize {
        let kept = if is_last { 0 } else { incomplete_tail(block) };
        let block = block.get(..block.len() - kept).unwrap_or(block);
        for chunk in block.utf8_chunks() {
            let valid = chunk.valid();
            if !valid.is_ascii() {
                self.utf8_characters += valid.chars().filter(|it| !it.is_ascii()).count();
            }
            self.other_bytes += chunk.invalid().len();
        }
        self.show(block);
        kept
    }

    fn show(&mut self, block: &[u8]) {
        let left = match self.sample_left {
            Some(left) => left,
            None => match block.iter().position(|byte| !byte.is_ascii()) {
                Some(first) => first.saturating_add(SAMPLE_BYTES),
                None => {
                    self.detector.feed(block, false);
                    return;
                }
            },
        };
        let shown = block.get(..left).unwrap_or(block);
        if !shown.is_empty() {
            self.detector.feed(shown, false);
        }
        let begins = if self.sample.is_empty() {
            block.iter().position(|byte| !byte.is_ascii())
        } else {
            Some(0)
        };
        let room = READINGS_BYTES - self.sample.len();
        let more = block
            .get(begins.unwrap_or(block.len())..)
            .unwrap_or_default();
        self.sample.extend(more.iter().take(room));
        self.sample_left = Some(left - shown.len());
    }

    /// UTF-8 with damaged places when most of what is outside ASCII is valid; else what the
    /// detector of browsers takes it for.
    pub(crate) fn finish(self) -> TextEncoding {
        let mostly_utf8 = self.utf8_characters >= self.other_bytes.saturating_mul(2);
        if mostly_utf8 {
            return TextEncoding {
                damaged: self.other_bytes > 0,
                ..TextEncoding::UTF_8
            };
        }
        let (detected, is_likely) = self.detector.guess_assess(None, false);
        let readings = Readings::of(&self.sample);
        let encoding = readings.better_than(detected);
        let certainty = if encoding == detected && is_likely && readings.settle(detected) {
            Certainty::Guessed
        } else {
            Certainty::Doubtful
        };
        TextEncoding {
            certainty,
            ..TextEncoding::without_bom(encoding)
        }
    }
}

/// How many bytes at the end of `block` begin a UTF-8 character that is not complete yet.
pub(crate) fn incomplete_tail(block: &[u8]) -> usize {
    let longest = block.len().min(3);
    for length in 1..=longest {
        let Some(tail) = block.get(block.len() - length..) else {
            return 0;
        };
        let Some(first) = tail.first() else {
            return 0;
        };
        if first & 0xC0 == 0x80 {
            continue;
        }
        return match std::str::from_utf8(tail) {
            Err(error) if error.error_len().is_none() && error.valid_up_to() == 0 => length,
            _ => 0,
        };
    }
    0
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn guess(blocks: &[&[u8]]) -> TextEncoding {
        let mut guess = Guess::new();
        let mut kept = Vec::new();
        for (index, block) in blocks.iter().enumerate() {
            let block = [&kept[..], block].concat();
            let again = guess.feed(&block, index + 1 == blocks.len());
            kept = block[block.len() - again..].to_vec();
        }
        guess.finish()
    }

    proptest! {
        #[test]
        fn the_guess_does_not_depend_on_where_blocks_are_cut(
            bytes in prop::collection::vec(prop_oneof![2 => 0x20_u8..0x7F, 3 => 0x80_u8..=0xFE, 1 => Just(b'\n')], 1..200),
            cuts in any::<(prop::sample::Index, prop::sample::Index)>(),
        ) {
            let (one, other) = (cuts.0.index(bytes.len()), cuts.1.index(bytes.len()));
            let (first, second) = (one.min(other), one.max(other));
            let cut = guess(&[&bytes[..first], &bytes[first..second], &bytes[second..]]);
            prop_assert_eq!(cut, guess(&[&bytes]));
        }

        #[test]
        fn a_tail_is_incomplete_exactly_when_more_bytes_could_complete_it(
            text in "[aé漢😀]{0,4}",
            cut in any::<prop::sample::Index>(),
        ) {
            let cut = cut.index(text.len() + 1);
            let expected = cut - text.floor_char_boundary(cut);
            prop_assert_eq!(incomplete_tail(&text.as_bytes()[..cut]), expected);
        }
    }
}
