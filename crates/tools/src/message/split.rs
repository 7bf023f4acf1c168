//! Long texts in parts that a channel takes.

use unicode_segmentation::UnicodeSegmentation;

/// The text in parts of at most `most` UTF-16 units, which together are the text, but for parts of nothing but white space, which
/// channels refuse. A part ends behind a line, else behind a word, and never inside what a reader takes for one character, unless
/// that alone is too long.
pub(super) fn parts(text: &str, most: usize) -> Vec<String> {
    let most = most.max(2);
    let mut parts = Vec::new();
    let mut rest = text;
    while units(rest) > most {
        let end = end_of_part(rest, most);
        let (part, more) = rest.split_at(end);
        parts.push(part.to_owned());
        rest = more;
    }
    parts.push(rest.to_owned());
    let is_blank = |part: &String| part.trim().is_empty();
    if !parts.iter().all(is_blank) {
        parts.retain(|part| !is_blank(part));
    }
    parts
}

fn units(text: &str) -> usize {
    text.encode_utf16().count()
}

/// Where the first part of a text ends that is too long.
fn end_of_part(text: &str, most: usize) -> usize {
    let mut used = 0;
    let mut end = 0;
    let mut line = None;
    let mut word = None;
    for (start, character) in text.grapheme_indices(true) {
        used += units(character);
        if used > most {
            break;
        }
        end = start + character.len();
        // A break in the first half would waste too much of the part.
        if used * 2 >= most {
            if character.ends_with('\n') {
                line = Some(end);
            } else if character.chars().all(char::is_whitespace) {
                word = Some(end);
            }
        }
    }
    match line.or(word) {
        Some(end) => end,
        None if end > 0 => end,
        None => inside(text, most),
    }
}

/// A character that alone is too long is divided between its code points.
fn inside(text: &str, most: usize) -> usize {
    let mut used = 0;
    let mut end = 0;
    for (start, letter) in text.char_indices() {
        used += letter.len_utf16();
        if used > most {
            break;
        }
        end = start + letter.len_utf8();
    }
    end
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_emoji_at_the_limit_goes_to_the_next_part_whole() {
        let family = "👨‍👩‍👧‍👦";
        let text = format!("{}{family}!", "x".repeat(4090));
        let parts = parts(&text, 4096);
        assert_eq!(parts, ["x".repeat(4090), format!("{family}!")]);
        let flags = "🇩🇪".repeat(3);
        assert_eq!(super::parts(&flags, 5), ["🇩🇪", "🇩🇪", "🇩🇪"]);
    }

    #[test]
    fn a_part_ends_behind_a_line_or_a_word() {
        assert_eq!(parts("one two three", 9), ["one two ", "three"]);
        assert_eq!(
            parts("one two\nthree four", 12),
            ["one two\n", "three four"]
        );
        assert_eq!(parts("short", 10), ["short"]);
        assert_eq!(parts("", 10), [""]);
    }

    #[test]
    fn no_part_is_white_space_alone() {
        assert_eq!(parts("xxxxxxxxxx\n", 10), ["xxxxxxxxxx"]);
        assert_eq!(
            parts("one two      \n     three", 7),
            ["one ", "two    ", " three"]
        );
        assert_eq!(parts("   \n", 2), ["  ", " \n"]);
    }

    proptest! {
        #[test]
        fn parts_are_the_text_and_none_is_too_long(text in "\\PC{0,200}|[ae\\u{301}\\u{200d}👩🇩 \\n]{0,200}", most in 2_usize..40) {
            let parts = parts(&text, most);
            let visible = |text: &str| text.split_whitespace().collect::<String>();
            prop_assert_eq!(visible(&parts.concat()), visible(&text));
            prop_assert!(parts.iter().all(|part| units(part) <= most));
            prop_assert!(parts.len() == 1 || parts.iter().all(|part| !part.is_empty()));
        }
    }
}
