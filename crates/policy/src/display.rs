//! Texts as they are shown to users.

use std::borrow::Cow;

use compact_str::CompactString;
use tenon_contract::{is_hidden, is_joining};

/// A text for people, whole: characters that control a terminal, cannot be seen or turn the direction of what
/// follows are escaped. Line feeds and tabs stay.
#[must_use]
pub fn escaped<'t>(text: impl Into<Cow<'t, str>>) -> String {
    let text = text.into();
    // Most are, and one that is owned is not even copied then.
    if is_plain(&text) {
        return text.into_owned();
    }
    let mut shown = String::with_capacity(text.len());
    for letter in text.chars() {
        if matches!(letter, '\n' | '\t') || !is_unseen(letter) {
            shown.push(letter);
        } else {
            shown.extend(letter.escape_unicode());
        }
    }
    shown
}

/// Whether a text is of letters of ASCII that can be seen, line feeds and tabs: nothing in it is escaped.
pub(crate) fn is_plain(text: &str) -> bool {
    let mut bytes = text.bytes();
    bytes.all(|byte| matches!(byte, b' '..=b'~' | b'\n' | b'\t'))
}

/// Besides what is hidden anywhere: what joins letters, breaks words or looks like a blank without parting words, for
/// which a command has no use but to look like another.
fn is_unseen(letter: char) -> bool {
    let looks_blank = matches!(
        letter,
        '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{2800}'
    );
    is_hidden(letter)
        || is_joining(letter)
        || looks_blank
        || matches!(letter, '\t' | '\n' | '\u{ad}')
}

/// The start of a text for people, on one line.
pub(crate) fn shown(text: &str) -> CompactString {
    let text = text.trim_matches([' ', '\t', '\n']);
    // A letter has a byte at least.
    if text.len() <= 200 && text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return text.into();
    }
    let mut shown = String::with_capacity(text.len().min(800));
    for (count, letter) in text.chars().enumerate() {
        if count == 200 {
            shown.push('…');
            break;
        }
        match letter {
            '\n' | '\t' => shown.extend(letter.escape_default()),
            letter if is_unseen(letter) => shown.extend(letter.escape_unicode()),
            letter => shown.push(letter),
        }
    }
    shown.into()
}

pub(crate) fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters
        .next()
        .map(|first| first.to_uppercase().chain(letters).collect())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_invisible_or_looks_like_a_space_is_written_out() {
        let unseen = "\u{1b}\u{202e}\u{200b}\u{200d}\u{ad}\u{fe0f}\u{34f}\u{115f}\u{3164}\u{ffa0}\u{e0041}\u{e0100}\u{a0}\u{2003}\u{202f}\u{2800}";
        for letter in unseen.chars() {
            let written = format!("rm -r{}a", letter.escape_unicode());
            assert_eq!(escaped(format!("rm -r{letter}a")), written);
            assert_eq!(shown(&format!("rm -r{letter}a")), written);
        }
        assert_eq!(
            escaped("größe 日本\u{3000}語\n\tx"),
            "größe 日本\u{3000}語\n\tx"
        );
        assert_eq!(shown("a\n\tb"), "a\\n\\tb");
    }
}
