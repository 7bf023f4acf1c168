//! Looks at short texts in legacy encodings where a detector made for web pages has too little to go by.

use encoding_rs::{BIG5, EUC_JP, EUC_KR, Encoding, GBK, SHIFT_JIS};

/// How many bytes from the first one outside ASCII on are looked at.
pub(crate) const READINGS_BYTES: usize = 4096;

/// With so many bytes outside ASCII the detector is believed, whatever else would be possible.
const SETTLED_BYTES: usize = 64;

/// Fewer than these say nothing by themselves.
const LEAST_BYTES: usize = 4;

/// What a sample would be in the encodings of East Asia.
#[derive(Debug)]
pub(crate) struct Readings {
    /// Bytes outside ASCII.
    bytes: usize,
    /// Encodings in which all of it is common characters.
    plausible: Vec<&'static Encoding>,
    /// Whether the reading as Shift_JIS has what only Japanese has.
    is_shift_jis: bool,
}

impl Readings {
    pub(crate) fn of(sample: &[u8]) -> Self {
        let bytes = sample.iter().filter(|byte| !byte.is_ascii()).count();
        let read = |encoding: &'static Encoding| common(encoding, sample);
        let plausible = [SHIFT_JIS, EUC_JP, GBK, BIG5, EUC_KR]
            .into_iter()
            .filter(|encoding| read(encoding).is_some())
            .collect();
        // Single ideographs are quotes of Western texts with the letter behind them.
        let is_shift_jis = read(SHIFT_JIS).is_some_and(|text| {
            let mut words = text.split(|letter: char| letter.is_ascii());
            text.chars().any(is_kana)
                || words.all(|word| word.is_empty() || word.chars().nth(1).is_some())
        });
        Self {
            bytes,
            plausible,
            is_shift_jis,
        }
    }

    /// Shift_JIS, where a short sample is that and the detector took it for something else; else what it was taken for.
    pub(crate) fn better_than(&self, detected: &'static Encoding) -> &'static Encoding {
        let is_short = self.bytes <= SETTLED_BYTES;
        if is_short && self.is_shift_jis && detected != SHIFT_JIS {
            SHIFT_JIS
        } else {
            detected
        }
    }

    /// Whether nothing else is as likely as what was detected.
    pub(crate) fn settle(&self, detected: &'static Encoding) -> bool {
        let others = self.plausible.iter().any(|other| *other != detected);
        self.bytes >= SETTLED_BYTES || (self.bytes >= LEAST_BYTES && !others)
    }
}

/// The text of the sample in this encoding, if all of it is characters that are common there.
fn common(encoding: &'static Encoding, sample: &[u8]) -> Option<String> {
    let whole = cut_at_character(sample);
    let (text, damaged) = encoding.decode_without_bom_handling(whole);
    if damaged {
        return None;
    }
    let mut pairs = 0;
    let mut bytes = whole.iter().copied();
    while let Some(first) = bytes.next() {
        if first.is_ascii() {
            continue;
        }
        let second = bytes.next()?;
        if !is_common(encoding, first, second) {
            return None;
        }
        pairs += 1;
    }
    (pairs > 0).then(|| text.into_owned())
}

/// The sample up to its last line, or all of a short one: what was cut off may be half a character.
fn cut_at_character(sample: &[u8]) -> &[u8] {
    if sample.len() < READINGS_BYTES {
        return sample;
    }
    let end = sample.iter().rposition(|byte| *byte == b'\n');
    end.and_then(|end| sample.get(..end)).unwrap_or_default()
}

/// Whether these two bytes are a character of everyday texts: syllables, signs, and the first level of ideographs.
fn is_common(encoding: &'static Encoding, first: u8, second: u8) -> bool {
    let high = second >= 0xA1;
    if encoding == SHIFT_JIS {
        // Signs, kana, ideographs of level 1.
        return matches!(first, 0x81..=0x83 | 0x88..=0x98);
    }
    high && if encoding == EUC_JP {
        matches!(first, 0xA1 | 0xA4 | 0xA5 | 0xB0..=0xCF)
    } else if encoding == GBK {
        matches!(first, 0xA1 | 0xA3 | 0xB0..=0xD7)
    } else if encoding == BIG5 {
        matches!(first, 0xA1 | 0xA4..=0xC6)
    } else {
        matches!(first, 0xA1 | 0xB0..=0xC8)
    }
}

const fn is_kana(letter: char) -> bool {
    matches!(letter, '\u{3041}'..='\u{30ff}')
}

#[cfg(test)]
mod tests {
    use encoding_rs::{KOI8_R, WINDOWS_1251, WINDOWS_1252};

    use super::super::encoding::Certainty;
    use super::super::guess::Guess;
    use super::*;

    fn guessed(encoding: &'static Encoding, text: &str) -> (&'static str, Certainty) {
        let (bytes, _, unmappable) = encoding.encode(text);
        assert!(!unmappable, "{text}");
        let mut guess = Guess::new();
        guess.feed(&bytes, /*is_last*/ true);
        let guessed = guess.finish();
        (guessed.name(), guessed.certainty())
    }

    #[test]
    fn short_shift_jis_is_read_as_such() {
        for text in [
            "こんにちは",
            "// 日本語のコメント\nlet a = 1;\n",
            "設定",
            "テスト",
            "あ",
        ] {
            assert_eq!(guessed(SHIFT_JIS, text).0, "Shift_JIS", "{text}");
        }
    }

    #[test]
    fn short_texts_of_other_encodings_are_left_to_the_detector() {
        let (west, _) = guessed(WINDOWS_1252, "café au lait, naïve, Grüße aus Köln, señor");
        assert_eq!(west, "windows-1252");
        let (east, _) = guessed(
            WINDOWS_1251,
            "Привет, мир! Это комментарий на русском языке.",
        );
        assert_eq!(east, "windows-1251");
        let (other, _) = guessed(KOI8_R, "Привет, мир! Это комментарий на русском языке.");
        assert_eq!(other, "KOI8-U");
        let (quotes, _) = guessed(
            WINDOWS_1252,
            "He said \u{201c}no\u{201d} \u{2013} and left.",
        );
        assert_eq!(quotes, "windows-1252");
        let (apostrophes, _) = guessed(WINDOWS_1252, "We don\u{2019}t and they can\u{2019}t.");
        assert_eq!(apostrophes, "windows-1252");
    }

    #[test]
    fn a_single_byte_outside_ascii_is_a_doubtful_guess_and_a_long_text_is_not() {
        assert_eq!(guessed(WINDOWS_1252, "caf\u{e9}\n").1, Certainty::Doubtful);
        let long = "日本語の文章は、このように十分に長ければ、文字コードをはっきりと見分けることができます。".repeat(2);
        assert_eq!(guessed(SHIFT_JIS, &long), ("Shift_JIS", Certainty::Guessed));
    }
}
