//! Removes terminal control sequences (ECMA-48) from text.

use std::borrow::Cow;
use std::ops::Range;

const ESCAPE: char = '\u{1B}';

/// The text without its escape sequences: colours, cursor movements, titles, links, images.
///
/// Known are the sequences of ECMA-48 in their 7-bit form (`ESC [`) and their 8-bit form (U+009B):
/// control sequences (CSI), command strings (OSC, DCS, SOS, PM, APC) up to their terminator (ST, or
/// BEL), and plain escapes with intermediates (`ESC ( B`). A command string that is never ended
/// loses its introducer only, so that no text is swallowed; a control sequence that is broken off
/// by a control character ends there. Other control characters stay.
#[must_use]
pub fn strip_escapes(text: &str) -> Cow<'_, str> {
    strip_escapes_counted(text).0
}

/// As [`strip_escapes`], and how many sequences there were.
#[must_use]
pub fn strip_escapes_counted(text: &str) -> (Cow<'_, str>, usize) {
    if !may_introduce(text) {
        return (Cow::Borrowed(text), 0);
    }
    let mut plain = String::with_capacity(text.len());
    let count = each_plain_part(text, |part| {
        plain.push_str(text.get(part).unwrap_or_default());
    });
    (Cow::Owned(plain), count)
}

/// Where the text stands that [`strip_escapes`] leaves, part by part; nothing where it leaves all of it.
#[must_use]
pub fn plain_parts(text: &str) -> Option<Vec<Range<usize>>> {
    if !may_introduce(text) {
        return None;
    }
    let mut parts = Vec::new();
    each_plain_part(text, |part| {
        if !part.is_empty() {
            parts.push(part);
        }
    });
    Some(parts)
}

/// Takes every part between two sequences, those that are empty too, and says how many sequences there were.
fn each_plain_part(text: &str, mut take: impl FnMut(Range<usize>)) -> usize {
    let (mut rest, mut count) = (text, 0);
    let mut ends = Ends::default();
    loop {
        let start = text.len() - rest.len();
        let Some(place) = rest.find(introduces) else {
            take(start..text.len());
            return count;
        };
        take(start..start + place);
        rest = ends.after_sequence(rest.get(place..).unwrap_or_default());
        count += 1;
    }
}

/// Whether a sequence may begin anywhere in the text, by its bytes: all others that introduce one begin with the byte 0xC2 in UTF-8.
fn may_introduce(text: &str) -> bool {
    memchr::memchr2(0x1b, 0xc2, text.as_bytes()).is_some()
}

fn introduces(letter: char) -> bool {
    letter == ESCAPE || matches!(letter, '\u{90}' | '\u{98}' | '\u{9B}' | '\u{9D}'..='\u{9F}')
}

/// What follows the sequence that `text` begins with.
#[must_use]
pub fn after_escape(text: &str) -> &str {
    Ends::default().after_sequence(text)
}

/// Where the next command string ends, by the bytes behind it; 0 where none does. Kept from sequence to sequence: else a
/// text of nothing but introducers would be searched to its end for each of them.
#[derive(Default)]
struct Ends {
    bell: Option<usize>,
    other: Option<usize>,
}

impl Ends {
    fn find(&mut self, body: &str, bell: bool) -> Option<usize> {
        let known = if bell {
            &mut self.bell
        } else {
            &mut self.other
        };
        let behind = match *known {
            Some(behind) if behind <= body.len() => behind,
            _ => {
                let ends = |letter: char| match letter {
                    ESCAPE | '\u{9C}' | '\u{18}' | '\u{1A}' => true,
                    '\u{7}' => bell,
                    // Titles and links have one line: more means that the end is missing.
                    '\n' => bell,
                    _ => false,
                };
                body.find(ends).map_or(0, |place| body.len() - place)
            }
        };
        *known = Some(behind);
        (behind > 0).then(|| body.len() - behind)
    }

    fn after_sequence<'t>(&mut self, text: &'t str) -> &'t str {
        let mut letters = text.chars();
        let kind = match letters.next() {
            // The 8-bit form of `ESC x` is x + 0x40.
            Some(first) if first != ESCAPE => {
                u32::from(first).checked_sub(0x40).and_then(char::from_u32)
            }
            _ => letters.next(),
        };
        let body = letters.as_str();
        match kind {
            Some('[') => after_control_sequence(body),
            Some(']') => self.after_string(body, true),
            Some('P' | 'X' | '^' | '_') => self.after_string(body, false),
            Some(' '..='/') => after_intermediates(body),
            Some('0'..='~') => body,
            // Not a sequence: only the escape character goes.
            _ => text.strip_prefix(ESCAPE).unwrap_or(body),
        }
    }

    /// Up to ST (`ESC \` or U+009C), where `bell` allows also BEL. CAN and SUB break it off.
    fn after_string<'t>(&mut self, body: &'t str, bell: bool) -> &'t str {
        let Some((_, end)) = self
            .find(body, bell)
            .and_then(|place| body.split_at_checked(place))
        else {
            return body;
        };
        if let Some(rest) = end.strip_prefix("\u{1B}\\") {
            return rest;
        }
        match end.chars().next() {
            // Another sequence begins: it ends this one, as in terminals.
            Some(ESCAPE) => end,
            Some('\n') | None => body,
            Some(last) => end.strip_prefix(last).unwrap_or(end),
        }
    }
}

/// Parameters, intermediates, one final byte.
fn after_control_sequence(body: &str) -> &str {
    let body = body.trim_start_matches(|letter| matches!(letter, '0'..='?'));
    let body = body.trim_start_matches(|letter| matches!(letter, ' '..='/'));
    body.strip_prefix(|letter| matches!(letter, '@'..='~'))
        .unwrap_or(body)
}

fn after_intermediates(body: &str) -> &str {
    let body = body.trim_start_matches(|letter| matches!(letter, ' '..='/'));
    body.strip_prefix(|letter| matches!(letter, '0'..='~'))
        .unwrap_or(body)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn sequences_go_and_text_stays() {
        let table = [
            ("plain\ttext\n", "plain\ttext\n"),
            ("\u{1B}[1;31mred\u{1B}[0m", "red"),
            ("\u{1B}[38:2::1:2:3mx\u{1B}[?25l\u{1B}[2K\u{1B}[1 q", "x"),
            (
                "\u{1B}]0;title\u{7}a\u{1B}]8;;http://x\u{1B}\\link\u{1B}]8;;\u{1B}\\",
                "alink",
            ),
            ("\u{1B}Pq#0;2;0\u{1B}\\after", "after"),
            ("\u{1B}(Ba\u{1B}=b\u{1B}7c\u{1B}cd", "abcd"),
            ("\u{9B}31mred\u{9B}0m \u{9D}0;t\u{9C}x", "red x"),
            ("é\u{1B}[1mü\u{1B}[m😀", "éü😀"),
        ];
        for (text, expected) in table {
            assert_eq!(strip_escapes(text), expected, "{text:?}");
        }
        assert!(matches!(strip_escapes("plain"), Cow::Borrowed(_)));
    }

    #[test]
    fn a_text_of_nothing_but_introducers_is_read_once() {
        for introducer in ["\u{90}", "\u{9D}", "\u{1B}P", "\u{1B}]"] {
            let text = introducer.repeat(500_000) + "\n";
            let begun = std::time::Instant::now();
            let (plain, count) = strip_escapes_counted(&text);
            assert_eq!((plain.as_ref(), count), ("\n", 500_000), "{introducer:?}");
            assert!(begun.elapsed().as_secs() < 10, "{introducer:?}");
        }
    }

    #[test]
    fn broken_sequences_swallow_no_text() {
        let table = [
            ("a\u{1B}", "a"),
            ("a\u{1B}[", "a"),
            ("a\u{1B}[31", "a"),
            ("a\u{1B}[3\nb", "a\nb"),
            ("a\u{1B}]0;never ended\nb\n", "a0;never ended\nb\n"),
            ("a\u{1B}Pnever ended", "anever ended"),
            ("a\u{1B}\u{1B}[1mb", "ab"),
            ("a\u{1B}éb", "aéb"),
            ("a\u{1B}\nb", "a\nb"),
        ];
        for (text, expected) in table {
            assert_eq!(strip_escapes(text), expected, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn nothing_is_added_and_no_escape_is_left(text in "[\u{1B}\u{9B}\u{9D}\\[\\]P;m0-9a-cé\n\u{7}\\\\]{0,60}") {
            let plain = strip_escapes(&text).into_owned();
            prop_assert!(!plain.contains(introduces));
            let parts = plain_parts(&text).map(|parts| parts.into_iter().map(|part| &text[part]).collect::<String>());
            prop_assert_eq!(parts.unwrap_or_else(|| text.clone()), plain.clone());
            let mut letters = text.chars();
            prop_assert!(plain.chars().all(|letter| letters.any(|other| other == letter)));
        }
    }
}
