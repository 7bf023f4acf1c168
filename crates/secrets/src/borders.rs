//! Where a word begins: letters before a secret that only look like part of its word are the end of an escape.

use crate::letters::{DIGITS, HEX, Letters, WORD};

/// What joins a key with a name or a number: `token_ghp_…`.
pub(crate) const JOINTS: Letters = DIGITS.union_of(b"_");
/// The letters of escapes of one letter, in strings of JSON, C, Python and shells: `\n`.
const ESCAPE_LETTERS: &[u8] = b"abefnrtv";
/// What stands between `[` and `m` of a colour of terminals that is written out: `\u001b[0;31m`.
const COLOUR: Letters = DIGITS.union_of(b";");
/// The most digits of an escape: `\U0001f512`.
const DIGITS_MAX: usize = 8;

/// Whether a word that begins before this place goes on here: a key that begins here is then a part of something else.
pub(crate) fn is_inside_word(text: &str, at: usize) -> bool {
    is_behind(text, at, WORD)
}

/// The same where a word is of these letters.
pub(crate) fn is_behind(text: &str, at: usize, letters: Letters) -> bool {
    let before = text.as_bytes().get(..at).unwrap_or_default();
    let last = before.last().copied();
    last.is_some_and(|last| letters.has(last)) && !ends_with_escape(before)
}

/// Whether a text ends with an escape: `\n`, `\x0a`, `\u000a`, `\012`, `%0A`, `%250A`, `=3D`, `\u001b[31m`. Written several times,
/// as in JSON within JSON, there are more backslashes before it.
fn ends_with_escape(text: &[u8]) -> bool {
    ends_with_letter_escape(text)
        || ends_with_number_escape(text)
        || ends_with_percent_code(text)
        || ends_with_colour(text)
}

fn ends_with_letter_escape(text: &[u8]) -> bool {
    matches!(text, [.., b'\\', letter] if ESCAPE_LETTERS.contains(letter))
}

fn ends_with_number_escape(text: &[u8]) -> bool {
    let digits = |set: Letters| {
        let last = text.iter().rev().take(DIGITS_MAX);
        last.take_while(|&&byte| set.has(byte)).count()
    };
    let before = |count: usize| text.get(..text.len() - count).unwrap_or_default();
    // `\x` and `\u` say how many digits follow, of which the first letters of a word behind may be none.
    let has_length =
        |mark: &[u8], count: usize| digits(HEX) >= count && before(count).ends_with(mark);
    has_length(b"\\x", 2)
        || has_length(b"\\u", 4)
        || has_length(b"\\U", 8)
        || (1..=3).any(|count| digits(DIGITS) >= count && before(count).ends_with(b"\\"))
}

/// RFC 3986, and RFC 2045 of `=`; `%25` is a percent sign that was encoded once more.
fn ends_with_percent_code(text: &[u8]) -> bool {
    let [before @ .., first, second] = text else {
        return false;
    };
    if !HEX.has(*first) || !HEX.has(*second) {
        return false;
    }
    if before.ends_with(b"=") {
        return [*first, *second] == *b"3D";
    }
    let mut sign = before;
    while let Some(rest) = sign.strip_suffix(b"25") {
        sign = rest;
    }
    sign.ends_with(b"%")
}

fn ends_with_colour(text: &[u8]) -> bool {
    let Some(mut before) = text.strip_suffix(b"m") else {
        return false;
    };
    while let [rest @ .., last] = before
        && COLOUR.has(*last)
        && text.len() - rest.len() < 24
    {
        before = rest;
    }
    before.ends_with(b"[")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_begins_behind_an_escape() {
        for before in [
            "",
            " ",
            "=",
            "\"",
            "é",
            r"x\n",
            r"x\r\n",
            r"x\\n",
            r"\t",
            r"\x0a",
            r"\u000a",
            r"\U0000000a",
            r"\0",
            r"\012",
            "?a%3D",
            "?a%3d",
            "%253D",
            "%25253D",
            "a=3D",
            r"\u001b[31m",
            r"\033[0;1;31m",
            "\u{1b}[m",
        ] {
            assert!(!is_inside_word(before, before.len()), "{before}");
        }
        for before in [
            "x", "_", "7", "nn", "%zz", "3D", "=3A", "25", "31m", "\\q", "u000a", "x0a",
        ] {
            assert!(is_inside_word(before, before.len()), "{before}");
        }
    }
}
