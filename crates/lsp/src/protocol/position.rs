//! Places in a text, and how servers count them.
//!
//! LSP counts lines from 0 and characters in units of an encoding that client and server agree on. This is the only
//! place where units are converted.

use std::ops::Range;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// A line and a character, both from 0, the character in units of some [`Encoding`] (LSP `Position`).
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
pub struct Position {
    /// The line, from 0.
    #[serde(deserialize_with = "saturating")]
    pub line: u32,
    /// Units before it on the line.
    #[serde(deserialize_with = "saturating")]
    pub character: u32,
}

/// From a position to one behind the end (LSP `Range`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct Span {
    /// Where it begins.
    pub start: Position,
    /// Behind its end.
    pub end: Position,
}

/// Some servers answer -1, or a number beyond all lines for "to the end".
fn saturating<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    let number = serde_json::Number::deserialize(deserializer)?;
    Ok(match (number.as_u64(), number.as_f64()) {
        (Some(value), _) => u32::try_from(value).unwrap_or(u32::MAX),
        // Saturating by the language's rules: what is negative is 0.
        (None, Some(value)) => value as u32,
        (None, None) => 0,
    })
}

/// In which units characters are counted (LSP `PositionEncodingKind`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Encoding {
    /// Bytes of UTF-8.
    Utf8,
    /// Code units of UTF-16: what holds unless a server says otherwise, and what answers use.
    #[default]
    Utf16,
    /// Characters (code points).
    Utf32,
    /// Code units of UTF-16 on the lines of JavaScript, which U+2028 and U+2029 end as well. No server says so: those that hand
    /// positions on to a tsserver count so.
    JavaScript,
}

impl Encoding {
    /// The encoding of this name in the protocol.
    pub(crate) fn named(name: &str) -> Option<Self> {
        match name {
            "utf-8" => Some(Self::Utf8),
            "utf-16" => Some(Self::Utf16),
            "utf-32" => Some(Self::Utf32),
            _ => None,
        }
    }

    fn units(self, letter: char) -> usize {
        match self {
            Self::Utf8 => letter.len_utf8(),
            Self::Utf16 | Self::JavaScript => letter.len_utf16(),
            Self::Utf32 => 1,
        }
    }
}

/// A text and where its lines begin. Cheap to clone.
///
/// Lines end at `\n`, `\r\n` and `\r`, as the protocol has it.
#[derive(Debug, Clone)]
pub struct LineText {
    text: Arc<str>,
    /// Where each line begins, in bytes; never empty.
    starts: Arc<[usize]>,
    /// The same for [`Encoding::JavaScript`], where that differs.
    of_javascript: Option<Arc<[usize]>>,
}

/// What ends lines in JavaScript alone.
const SEPARATORS: [char; 2] = ['\u{2028}', '\u{2029}'];

impl LineText {
    /// Looks at a text once.
    #[must_use]
    pub fn new(text: impl Into<Arc<str>>) -> Self {
        let text = text.into();
        let bytes = text.as_bytes();
        let ends = (0..bytes.len()).filter(|at| match bytes.get(*at) {
            Some(b'\n') => true,
            Some(b'\r') => bytes.get(at + 1) != Some(&b'\n'),
            _ => false,
        });
        let starts: Arc<[usize]> = std::iter::once(0).chain(ends.map(|at| at + 1)).collect();
        let of_javascript = text.contains(SEPARATORS).then(|| {
            let separators = text.match_indices(SEPARATORS);
            let behind = separators.map(|(at, separator)| at + separator.len());
            let mut all: Vec<usize> = starts.iter().copied().chain(behind).collect();
            all.sort_unstable();
            all.into()
        });
        Self {
            text,
            starts,
            of_javascript,
        }
    }

    /// Where lines begin for those who count so.
    fn starts(&self, encoding: Encoding) -> &[usize] {
        match (&self.of_javascript, encoding) {
            (Some(starts), Encoding::JavaScript) => starts,
            _ => &self.starts,
        }
    }

    /// The whole text.
    #[must_use]
    pub fn text(&self) -> &Arc<str> {
        &self.text
    }

    /// How many lines there are; a text that ends in a line end has an empty last one.
    #[must_use]
    pub fn lines(&self) -> u32 {
        u32::try_from(self.starts.len()).unwrap_or(u32::MAX)
    }

    /// A line, from 0, without its end; `None` behind the last.
    #[must_use]
    pub fn line(&self, line: u32) -> Option<&str> {
        self.counted_line(line, Encoding::default())
            .map(|(_, line)| line)
    }

    /// Whether there is a line of this number, from 0, for those who count so.
    #[must_use]
    pub fn has_line(&self, line: u32, encoding: Encoding) -> bool {
        self.counted_line(line, encoding).is_some()
    }

    /// A line without its end, for those who count so, and where it begins.
    fn counted_line(&self, line: u32, encoding: Encoding) -> Option<(usize, &str)> {
        let index = usize::try_from(line).ok()?;
        let starts = self.starts(encoding);
        let start = *starts.get(index)?;
        let end = starts.get(index + 1).copied();
        let whole = self.text.get(start..end.unwrap_or(self.text.len()))?;
        let line = whole.trim_end_matches(['\n', '\r']);
        let line = match encoding {
            Encoding::JavaScript => line.trim_end_matches(SEPARATORS),
            _ => line,
        };
        Some((start, line))
    }

    /// The byte at a position. Behind the end of a line it is that end, behind the last line the end of the text, and
    /// within a character its beginning.
    #[must_use]
    pub fn offset(&self, position: Position, encoding: Encoding) -> usize {
        let Some((start, line)) = self.counted_line(position.line, encoding) else {
            return self.text.len();
        };
        let wanted = usize::try_from(position.character).unwrap_or(usize::MAX);
        let mut units = 0;
        for (at, letter) in line.char_indices() {
            units += encoding.units(letter);
            if units > wanted {
                return start + at;
            }
        }
        start + line.len()
    }

    /// The position of a byte; within a character that of its beginning, behind the end of the text the end.
    #[must_use]
    pub fn position(&self, offset: usize, encoding: Encoding) -> Position {
        let offset = offset.min(self.text.len());
        let starts = self.starts(encoding);
        let line = starts
            .partition_point(|start| *start <= offset)
            .saturating_sub(1);
        let line = u32::try_from(line).unwrap_or(u32::MAX);
        let (start, text) = self.counted_line(line, encoding).unwrap_or_default();
        let units: usize = text
            .char_indices()
            .take_while(|(at, letter)| start + at + letter.len_utf8() <= offset)
            .map(|(_, letter)| encoding.units(letter))
            .sum();
        Position {
            line,
            character: u32::try_from(units).unwrap_or(u32::MAX),
        }
    }

    /// The bytes of a span; empty where it ends before it begins.
    #[must_use]
    pub fn range(&self, span: Span, encoding: Encoding) -> Range<usize> {
        let start = self.offset(span.start, encoding);
        start..self.offset(span.end, encoding).max(start)
    }

    /// The span of these bytes.
    #[must_use]
    pub fn span(&self, range: &Range<usize>, encoding: Encoding) -> Span {
        Span {
            start: self.position(range.start, encoding),
            end: self.position(range.end, encoding),
        }
    }

    /// The same place counted in another encoding. Within the text it stays the same place; behind the end of a line
    /// it becomes that end.
    #[must_use]
    pub fn convert(&self, span: Span, from: Encoding, to: Encoding) -> Span {
        let one = |position| self.position(self.offset(position, from), to);
        Span {
            start: one(span.start),
            end: one(span.end),
        }
    }

    /// The span of the whole text.
    #[must_use]
    pub fn whole(&self, encoding: Encoding) -> Span {
        self.span(&(0..self.text.len()), encoding)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const fn at(line: u32, character: u32) -> Position {
        Position { line, character }
    }

    #[test]
    fn lines_of_javascript_end_at_separators_too() {
        let text = LineText::new("a\u{2028}bä c\nd\u{2029}\ne");
        let offset = |letter| text.text().find(letter).unwrap();
        let places =
            |encoding| ['a', 'c', 'd', 'e'].map(|letter| text.position(offset(letter), encoding));
        assert_eq!(
            places(Encoding::Utf16),
            [at(0, 0), at(0, 5), at(1, 0), at(2, 0)]
        );
        assert_eq!(
            places(Encoding::JavaScript),
            [at(0, 0), at(1, 3), at(2, 0), at(4, 0)]
        );
        for letter in ['a', 'b', 'c', 'd', 'e'] {
            let place = text.position(offset(letter), Encoding::JavaScript);
            assert_eq!(
                text.offset(place, Encoding::JavaScript),
                offset(letter),
                "{letter}"
            );
        }
        let whole = text.convert(
            text.whole(Encoding::JavaScript),
            Encoding::JavaScript,
            Encoding::Utf16,
        );
        assert_eq!(whole, text.whole(Encoding::Utf16));
        assert_eq!((text.lines(), text.line(1)), (3, Some("d\u{2029}")));
    }

    #[test]
    fn units_differ_behind_characters_that_are_not_ascii() {
        let text = LineText::new("let ä = \"🦀\"; x\r\nnext");
        let x = text.text().find('x').unwrap();
        let found = [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32]
            .map(|encoding| text.position(x, encoding).character);
        assert_eq!(found, [17, 14, 13]);
        for encoding in [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32] {
            assert_eq!(text.offset(text.position(x, encoding), encoding), x);
        }
        assert_eq!(text.line(0), Some("let ä = \"🦀\"; x"));
        assert_eq!(
            text.offset(at(1, 2), Encoding::Utf16),
            text.text().find("xt").unwrap()
        );
    }

    #[test]
    fn places_outside_the_text_become_the_nearest_end() {
        let text = LineText::new("ab\n\ncd");
        assert_eq!(text.lines(), 3);
        assert_eq!(text.offset(at(0, 99), Encoding::Utf16), 2);
        assert_eq!(text.offset(at(1, 5), Encoding::Utf16), 3);
        assert_eq!(text.offset(at(9, 0), Encoding::Utf16), 6);
        assert_eq!(text.position(99, Encoding::Utf8), at(2, 2));
        assert_eq!((text.line(2), text.line(3)), (Some("cd"), None));
    }

    #[test]
    fn within_a_character_it_is_its_beginning() {
        let text = LineText::new("🦀b");
        assert_eq!(text.offset(at(0, 1), Encoding::Utf16), 0);
        assert_eq!(text.offset(at(0, 2), Encoding::Utf8), 0);
        assert_eq!(text.position(2, Encoding::Utf16), at(0, 0));
    }

    #[test]
    fn every_kind_of_line_end_counts() {
        let text = LineText::new("a\rb\r\nc\nd\r");
        let lines: Vec<_> = (0..5).filter_map(|line| text.line(line)).collect();
        assert_eq!(lines, ["a", "b", "c", "d", ""]);
        assert_eq!(LineText::new("").lines(), 1);
    }

    #[test]
    fn odd_numbers_of_servers_saturate() {
        let span: Span = serde_json::from_str(
            r#"{"start":{"line":-1,"character":0},"end":{"line":18446744073709551615,"character":2.0}}"#,
        ).unwrap();
        assert_eq!(
            span,
            Span {
                start: at(0, 0),
                end: at(u32::MAX, 2)
            }
        );
    }

    proptest! {
        #[test]
        fn every_character_is_found_again_in_every_encoding(
            text in "[a-z\\r\\nä🦀\\u{301}\\t]{0,40}", from in 0_usize..3, to in 0_usize..3,
        ) {
            let encodings = [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32];
            let (from, to) = (encodings[from], encodings[to]);
            let text = LineText::new(text);
            for (offset, letter) in text.text().char_indices() {
                let position = text.position(offset, from);
                let back = text.offset(position, from);
                // The second half of a line end is no place of its own.
                let is_line_end = matches!(letter, '\n' | '\r');
                prop_assert!(back == offset || is_line_end);
                let span = Span { start: position, end: position };
                prop_assert_eq!(text.convert(text.convert(span, from, to), to, from), span);
            }
        }

        #[test]
        fn no_position_panics(text in "\\PC{0,20}", line in any::<u32>(), character in any::<u32>(), offset in any::<usize>()) {
            let text = LineText::new(text);
            for encoding in [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32] {
                let offset = text.offset(at(line, character), encoding).min(offset);
                prop_assert!(text.text().is_char_boundary(text.offset(at(line, character), encoding)));
                let _ = text.position(offset, encoding);
            }
        }
    }
}
