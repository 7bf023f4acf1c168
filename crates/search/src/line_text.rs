//! The text of one line: valid, without its line end, and not longer than wanted.

use std::borrow::Cow;
use std::ops::Range;

/// Which part of a line is kept when it is longer than the request's `max_columns`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum LongLines {
    /// Its first characters.
    #[default]
    Head,
    /// Its first characters if the first match lies among them, else a part around the match, as
    /// for minified code.
    AroundMatch,
}

/// A line made ready to be reported.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct LineText<'a> {
    pub(crate) text: Cow<'a, str>,
    /// 1-based place of the first match in characters.
    pub(crate) column: Option<u32>,
    /// The first match, in bytes of `text`.
    pub(crate) matched: Option<Range<u32>>,
    pub(crate) omitted_before: u32,
    pub(crate) omitted_after: u32,
}

/// Takes the line end off: `\n`, `\r\n`, or a `\r` that ends the file.
pub(crate) fn without_line_end(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// Makes `line`, which has no line end, ready. `matched` is a byte range in it.
pub(crate) fn prepare<'a>(
    line: &'a [u8],
    matched: Option<Range<usize>>,
    max_columns: Option<usize>,
    long_lines: LongLines,
) -> LineText<'a> {
    let matched = matched.map(|range| {
        let end = range.end.min(line.len());
        range.start.min(end)..end
    });
    let (text, matched) = decode(line, matched);
    let column = matched
        .as_ref()
        .map(|range| count(&text, 0, range.start) + 1);
    let window = match max_columns {
        // A line has at most as many characters as bytes.
        Some(most) if text.len() > most => window(&text, matched.as_ref(), most, long_lines),
        _ => 0..text.len(),
    };
    let omitted_before = count(&text, 0, window.start);
    let omitted_after = count(&text, window.end, text.len());
    let matched = matched.map(|range| {
        let clamp = |place: usize| to_u32(place.clamp(window.start, window.end) - window.start);
        clamp(range.start)..clamp(range.end)
    });
    let text = if window == (0..text.len()) {
        text
    } else {
        Cow::Owned(text.get(window).unwrap_or_default().to_owned())
    };
    LineText {
        text,
        column,
        matched,
        omitted_before,
        omitted_after,
    }
}

/// The line as text, with the match where it then is. Bytes that are not UTF-8 become U+FFFD.
fn decode(line: &[u8], matched: Option<Range<usize>>) -> (Cow<'_, str>, Option<Range<usize>>) {
    match std::str::from_utf8(line) {
        // A pattern can match within a character only if Unicode is off (`(?-u:\xC3)`).
        Ok(text) => {
            let matched = matched.map(|range| {
                text.floor_char_boundary(range.start)..text.ceil_char_boundary(range.end)
            });
            (Cow::Borrowed(text), matched)
        }
        Err(_) => {
            let part =
                |range: Range<usize>| String::from_utf8_lossy(line.get(range).unwrap_or_default());
            match matched {
                None => (part(0..line.len()), None),
                Some(range) => {
                    let mut text = part(0..range.start).into_owned();
                    let start = text.len();
                    text.push_str(&part(range.clone()));
                    let end = text.len();
                    text.push_str(&part(range.end..line.len()));
                    (Cow::Owned(text), Some(start..end))
                }
            }
        }
    }
}

/// The part of `text` to keep, in bytes, `most` characters long at most.
fn window(
    text: &str,
    matched: Option<&Range<usize>>,
    most: usize,
    long_lines: LongLines,
) -> Range<usize> {
    let head = after_characters(text, 0, most);
    let Some(matched) = matched.filter(|range| {
        long_lines == LongLines::AroundMatch && range.end > head && head < text.len()
    }) else {
        return 0..head;
    };
    // Half of what the match leaves goes before it; what the end of the line leaves over, too.
    let match_length = text
        .get(matched.clone())
        .map_or(0, |part| part.chars().count());
    let lead = most.saturating_sub(match_length) / 2;
    let mut start = before_characters(text, matched.start, lead);
    let mut end = after_characters(text, start, most);
    if end == text.len() {
        start = before_characters(text, end, most);
        end = text.len();
    }
    after_cut_word(text, start, matched.start)..end
}

/// Where the first whole word begins, if one is cut at `start`: the end of a key says nothing of what it is, and a
/// filter of secrets that reads the line would not know it. `start` where there is none before `end`.
fn after_cut_word(text: &str, start: usize, end: usize) -> usize {
    let is_inside = |letter: char| {
        letter.is_alphanumeric() || matches!(letter, '_' | '-' | '.' | '+' | '/' | '=' | '~' | '%')
    };
    let before = text
        .get(..start)
        .and_then(|before| before.chars().next_back());
    let part = text.get(start..end).unwrap_or_default();
    let border = part.find(|letter: char| !is_inside(letter));
    match (before, border) {
        (Some(before), Some(border)) if is_inside(before) => start + border,
        _ => start,
    }
}

/// The byte `characters` characters after the byte `from`, or the end.
fn after_characters(text: &str, from: usize, characters: usize) -> usize {
    text.get(from..)
        .and_then(|rest| rest.char_indices().nth(characters))
        .map_or(text.len(), |(offset, _)| from + offset)
}

/// The byte `characters` characters before the byte `from`, or the start.
fn before_characters(text: &str, from: usize, characters: usize) -> usize {
    if characters == 0 {
        return from;
    }
    text.get(..from)
        .and_then(|rest| rest.char_indices().rev().nth(characters - 1))
        .map_or(0, |(offset, _)| offset)
}

/// Characters in a byte range that begins and ends between characters.
fn count(text: &str, start: usize, end: usize) -> u32 {
    to_u32(text.get(start..end).map_or(0, |part| part.chars().count()))
}

fn to_u32(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(line: &str, matched: Range<usize>, most: usize, how: LongLines) -> LineText<'_> {
        prepare(line.as_bytes(), Some(matched), Some(most), how)
    }

    #[test]
    fn a_short_line_is_whole_and_its_column_counts_characters() {
        assert_eq!(
            cut("äöü match", 7..12, 9, LongLines::Head),
            LineText {
                text: "äöü match".into(),
                column: Some(5),
                matched: Some(7..12),
                omitted_before: 0,
                omitted_after: 0,
            }
        );
    }

    #[test]
    fn a_long_line_is_cut_between_characters_and_says_how_many_are_missing() {
        assert_eq!(
            cut("😀😀😀x", 12..13, 2, LongLines::Head),
            LineText {
                text: "😀😀".into(),
                column: Some(4),
                matched: Some(8..8),
                omitted_before: 0,
                omitted_after: 2,
            }
        );
    }

    #[test]
    fn a_match_far_out_is_shown_with_what_is_around_it() {
        let line = format!("{}needle{}", "a".repeat(1000), "b".repeat(1000));
        assert_eq!(
            cut(&line, 1000..1006, 10, LongLines::AroundMatch),
            LineText {
                text: "aaneedlebb".into(),
                column: Some(1001),
                matched: Some(2..8),
                omitted_before: 998,
                omitted_after: 998,
            }
        );
    }

    #[test]
    fn a_match_at_the_far_end_fills_the_window_from_before() {
        let line = format!("{}needle", "a".repeat(1000));
        assert_eq!(
            cut(&line, 1000..1006, 10, LongLines::AroundMatch),
            LineText {
                text: "aaaaneedle".into(),
                column: Some(1001),
                matched: Some(4..10),
                omitted_before: 996,
                omitted_after: 0,
            }
        );
    }

    #[test]
    fn a_word_that_would_be_cut_at_the_start_is_left_out() {
        let line = format!("key=\"{}\" needle {}", "k".repeat(40), "b".repeat(100));
        assert_eq!(
            cut(&line, 47..53, 30, LongLines::AroundMatch),
            LineText {
                text: "\" needle bbbbbbbbbbb".into(),
                column: Some(48),
                matched: Some(2..8),
                omitted_before: 45,
                omitted_after: 89,
            }
        );
    }

    #[test]
    fn bytes_that_are_not_utf_8_are_replaced_and_the_match_stays_in_place() {
        assert_eq!(
            prepare(b"\xff\xffab", Some(2..4), None, LongLines::Head),
            LineText {
                text: "\u{fffd}\u{fffd}ab".into(),
                column: Some(3),
                matched: Some(6..8),
                omitted_before: 0,
                omitted_after: 0,
            }
        );
    }

    #[test]
    fn line_ends_of_every_kind_are_taken_off() {
        let ends: Vec<_> = [&b"a\n"[..], b"a\r\n", b"a\r", b"a", b"\n", b""]
            .map(without_line_end)
            .to_vec();
        assert_eq!(ends, [&b"a"[..], b"a", b"a", b"a", b"", b""]);
    }

    proptest::proptest! {
        #[test]
        fn whatever_the_line_the_parts_add_up(
            line in proptest::collection::vec(proptest::num::u8::ANY, 0..60),
            start in 0_usize..60,
            length in 0_usize..20,
            most in 0_usize..40,
            around: bool,
        ) {
            let how = if around { LongLines::AroundMatch } else { LongLines::Head };
            let whole = prepare(&line, Some(start..start + length), None, how);
            let cut = prepare(&line, Some(start..start + length), Some(most), how);
            let kept = cut.text.chars().count();
            assert!(kept <= most || cut.text == whole.text);
            assert_eq!(
                cut.omitted_before as usize + kept + cut.omitted_after as usize,
                whole.text.chars().count()
            );
            let rest: String = whole.text.chars().skip(cut.omitted_before as usize).take(kept).collect();
            assert_eq!(rest, cut.text);
            let range = cut.matched.unwrap();
            assert!(cut.text.get(range.start as usize..range.end as usize).is_some());
            assert_eq!(cut.column, whole.column);
        }
    }
}
