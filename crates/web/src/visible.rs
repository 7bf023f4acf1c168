//! Makes visible what a reader could not see: control characters, direction marks, invisible letters.

use tenon_contract::{is_hidden, is_joining};

/// Longest run of joining characters that writing needs.
const JOINING_MAX: usize = 2;

/// The text with every hidden character as `\u{…}`: controls, direction marks, invisible letters, runs of joiners. Tabs
/// and line feeds stay.
#[must_use]
pub fn escaped(text: &str) -> String {
    if !text.contains(|letter| is_hidden(letter) || is_joining(letter)) {
        return text.to_owned();
    }
    let mut shown = String::with_capacity(text.len() + 16);
    let mut joining = String::new();
    for letter in text.chars() {
        if is_joining(letter) {
            joining.push(letter);
            continue;
        }
        flush(&mut joining, &mut shown);
        if is_hidden(letter) {
            shown.extend(letter.escape_unicode());
        } else {
            shown.push(letter);
        }
    }
    flush(&mut joining, &mut shown);
    shown
}

/// Writes a run of joining characters, as it is when writing may need it.
fn flush(joining: &mut String, shown: &mut String) {
    if joining.chars().count() <= JOINING_MAX {
        shown.push_str(joining);
    } else {
        shown.extend(joining.chars().flat_map(char::escape_unicode));
    }
    joining.clear();
}

/// One line for an error: escaped, line breaks too, and cut to `most` characters.
pub(crate) fn line(text: &str, most: usize) -> String {
    let mut shown = String::new();
    for (count, letter) in text.chars().enumerate() {
        if count == most {
            shown.push('…');
            break;
        }
        if is_hidden(letter) || matches!(letter, '\n' | '\t') {
            shown.extend(letter.escape_default());
        } else {
            shown.push(letter);
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_seen_is_written_out_and_the_rest_stays() {
        let text = "a\u{202e}b\tc\nd\u{e0041}\u{0}é👩\u{200d}🔬";
        assert_eq!(
            escaped(text),
            "a\\u{202e}b\tc\nd\\u{e0041}\\u{0}é👩\u{200d}🔬"
        );
        // Joiners in Persian and in emoji are writing; a run of them is a hidden alphabet.
        let written = "می\u{200c}خواهم ❤\u{fe0f}\u{200d}🔥";
        assert_eq!(escaped(written), written);
        assert_eq!(
            escaped("a\u{200c}\u{200d}\u{200c}b\u{fe01}\u{fe02}\u{fe03}"),
            "a\\u{200c}\\u{200d}\\u{200c}b\\u{fe01}\\u{fe02}\\u{fe03}"
        );
        assert_eq!(line("a\nb\u{1b}", 10), "a\\nb\\u{1b}");
        assert_eq!(line("abcdef", 3), "abc…");
    }
}
