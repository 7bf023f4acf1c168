//! Makes visible what a reader could not see: control characters, direction marks, invisible letters.

/// Whether a character is shown as its number: controls other than tab and line feed, marks that turn the reading
/// direction, zero-width letters, tags and other things that carry text nobody sees.
pub(crate) fn is_hidden(letter: char) -> bool {
    matches!(letter,
        '\u{00}'..='\u{08}' | '\u{0b}'..='\u{1f}' | '\u{7f}'..='\u{9f}'
        | '\u{061c}' | '\u{115f}' | '\u{1160}' | '\u{180e}'
        | '\u{200b}' | '\u{200e}' | '\u{200f}'
        | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{3164}' | '\u{fdd0}'..='\u{fdef}' | '\u{feff}' | '\u{ffa0}'
        | '\u{fff9}'..='\u{fffb}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// The text with every hidden character as `\u{…}`: controls, direction marks, invisible letters. Tabs and line feeds
/// stay.
#[must_use]
pub fn escaped(text: &str) -> String {
    if !text.contains(is_hidden) {
        return text.to_owned();
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for letter in text.chars() {
        if is_hidden(letter) {
            shown.extend(letter.escape_unicode());
        } else {
            shown.push(letter);
        }
    }
    shown
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
        assert_eq!(line("a\nb\u{1b}", 10), "a\\nb\\u{1b}");
        assert_eq!(line("abcdef", 3), "abc…");
    }
}
