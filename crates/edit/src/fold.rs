//! Views of a text in which differences of one kind are folded away, with the way back.
//!
//! A view is only ever searched, never written. Each place where it departs from the text is
//! recorded, so that an offset in the view leads back to exactly one offset in the text.

use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

use crate::haystack::{Haystack, Occurrences};

/// How much is folded. Each level includes the ones above it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    LineEnds,
    TrailingBlanks,
    Typography,
}

/// Whether the text is a file (whose last line is taken to be ended) or a part of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    File,
    Part,
}

/// A stretch of the text that looks different in the view.
#[derive(Debug, Clone, Copy)]
struct Departure {
    folded: usize,
    folded_length: usize,
    original: usize,
    original_length: usize,
}

/// A folded text and the way back.
#[derive(Debug)]
pub(crate) struct View {
    pub(crate) text: String,
    departures: Vec<Departure>,
    haystack: Haystack,
}

impl View {
    pub(crate) fn new(text: &str, level: Level, extent: Extent) -> Self {
        let mut builder = Builder::new(text);
        if level == Level::LineEnds {
            for end in memchr::memmem::find_iter(text.as_bytes(), b"\r\n") {
                builder.replace(end, end + 2, "\n");
            }
            return builder.finish();
        }
        let mut start = 0;
        while start < text.len() {
            let rest = text.get(start..).unwrap_or_default();
            let newline = memchr::memchr(b'\n', rest.as_bytes());
            let line = rest
                .get(..newline.unwrap_or(rest.len()))
                .unwrap_or_default();
            fold_line(&mut builder, start, line, newline.is_some(), level, extent);
            start += newline.map_or(rest.len(), |end| end + 1);
        }
        builder.finish()
    }

    /// Where another text stands in the view, with overlap.
    pub(crate) fn find(&self, needle: &str) -> Occurrences<'_> {
        self.haystack.find(&self.text, needle)
    }

    /// The offset in the text of an offset in the view; `None` inside a departure.
    pub(crate) fn to_original(&self, folded: usize) -> Option<usize> {
        let after = self
            .departures
            .partition_point(|departure| departure.folded < folded);
        let Some(before) = after
            .checked_sub(1)
            .and_then(|last| self.departures.get(last))
        else {
            return Some(folded);
        };
        let end = before.folded + before.folded_length;
        (folded >= end).then(|| folded - end + before.original + before.original_length)
    }
}

struct Builder<'a> {
    source: &'a str,
    copied: usize,
    view: View,
}

impl<'a> Builder<'a> {
    fn new(source: &'a str) -> Self {
        let view = View {
            text: String::with_capacity(source.len() + 1),
            departures: Vec::new(),
            haystack: Haystack::default(),
        };
        Self {
            source,
            copied: 0,
            view,
        }
    }

    fn replace(&mut self, start: usize, end: usize, with: &str) {
        self.copy_up_to(start);
        self.view.departures.push(Departure {
            folded: self.view.text.len(),
            folded_length: with.len(),
            original: start,
            original_length: end - start,
        });
        self.view.text.push_str(with);
        self.copied = end;
    }

    fn copy_up_to(&mut self, end: usize) {
        self.view
            .text
            .push_str(self.source.get(self.copied..end).unwrap_or_default());
        self.copied = end;
    }

    fn finish(mut self) -> View {
        self.copy_up_to(self.source.len());
        self.view
    }
}

/// Folds one line: the characters first, then the whitespace before its end together with the end.
fn fold_line(
    builder: &mut Builder<'_>,
    start: usize,
    line: &str,
    ended: bool,
    level: Level,
    extent: Extent,
) {
    let body = trim_line_end(line, level);
    if level == Level::Typography && !body.is_ascii() {
        fold_characters(builder, start, body);
    }
    let (from, to) = (start + body.len(), start + line.len());
    if ended {
        if from != to {
            builder.replace(from, to + 1, "\n");
        }
    } else if extent == Extent::File {
        builder.replace(from, to, "\n");
    } else if from != to {
        builder.replace(from, to, "");
    }
}

fn trim_line_end(line: &str, level: Level) -> &str {
    let line = line.strip_suffix('\r').unwrap_or(line);
    trim_blanks_end(line, level)
}

/// The line without the whitespace at its end.
pub(crate) fn trim_blanks_end(line: &str, level: Level) -> &str {
    if level < Level::Typography {
        line.trim_end_matches([' ', '\t'])
    } else {
        line.trim_end_matches(is_blank)
    }
}

/// A space or tab, or a special space that stands for one.
pub(crate) fn is_blank(c: char) -> bool {
    matches!(
        c,
        ' ' | '\t' | '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}'
    )
}

/// A character that stands for one of ASCII or several.
pub(crate) fn is_typographic(c: char) -> bool {
    !c.is_ascii() && plain_form(c).is_some()
}

/// The plain form of a typographic character.
pub(crate) fn plain_form(c: char) -> Option<&'static str> {
    Some(match c {
        '\u{2018}' | '\u{2019}' | '\u{201a}' | '\u{201b}' => "'",
        '\u{201c}' | '\u{201d}' | '\u{201e}' | '\u{201f}' => "\"",
        '\u{2010}'..='\u{2015}' | '\u{2212}' => "-",
        '\u{2026}' => "...",
        '\t' | ' ' => return None,
        c if is_blank(c) => " ",
        _ => return None,
    })
}

/// Folds a character with the marks that belong to it, cluster by cluster.
fn fold_characters(builder: &mut Builder<'_>, start: usize, body: &str) {
    let mut characters = body.char_indices().peekable();
    while let Some((offset, first)) = characters.next() {
        let mut end = offset + first.len_utf8();
        let mut lone = true;
        while let Some(&(next, mark)) = characters.peek() {
            if !(is_combining_mark(mark) || (is_jamo(first) && is_jamo(mark))) {
                break;
            }
            lone = false;
            end = next + mark.len_utf8();
            characters.next();
        }
        if lone && first.is_ascii() {
            continue;
        }
        let cluster = body.get(offset..end).unwrap_or_default();
        if lone && let Some(plain) = plain_form(first) {
            builder.replace(start + offset, start + end, plain);
            continue;
        }
        let composed: String = cluster.nfc().collect();
        if composed != cluster {
            builder.replace(start + offset, start + end, &composed);
        }
    }
}

fn is_jamo(c: char) -> bool {
    matches!(c, '\u{1100}'..='\u{11ff}')
}

/// One line in the form in which typography does not count and whitespace at its end is gone.
pub(crate) fn fold_body(body: &str) -> std::borrow::Cow<'_, str> {
    let trimmed = body.trim_end_matches(is_blank);
    if trimmed.is_ascii() {
        return trimmed.into();
    }
    View::new(trimmed, Level::Typography, Extent::Part)
        .text
        .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view(text: &str, level: Level) -> View {
        View::new(text, level, Extent::File)
    }

    #[test]
    fn line_ends_fold_and_lead_back() {
        let view = view("a\r\nb\nc\r\n", Level::LineEnds);
        assert_eq!(view.text, "a\nb\nc\n");
        let offsets: Vec<_> = (0..=6).map(|at| view.to_original(at)).collect();
        assert_eq!(offsets, [0, 1, 3, 4, 5, 6, 8].map(Some));
    }

    #[test]
    fn blanks_before_a_line_end_fold_into_it() {
        let view = view("a  \r\n \t\nb ", Level::TrailingBlanks);
        assert_eq!(view.text, "a\n\nb\n");
        let offsets: Vec<_> = (0..=5).map(|at| view.to_original(at)).collect();
        assert_eq!(offsets, [0, 1, 5, 8, 9, 10].map(Some));
    }

    #[test]
    fn an_offset_inside_a_folded_character_leads_nowhere() {
        let view = view("a…b\n", Level::Typography);
        assert_eq!(view.text, "a...b\n");
        assert_eq!(view.to_original(1), Some(1));
        assert_eq!(view.to_original(2), None);
        assert_eq!(view.to_original(4), Some(4));
    }

    #[test]
    fn composed_and_decomposed_letters_are_equal_and_fractions_are_not() {
        let decomposed = view("cafe\u{301}\n", Level::Typography);
        assert_eq!(decomposed.text, view("caf\u{e9}\n", Level::Typography).text);
        assert_eq!(view("½ ﬁ ²\n", Level::Typography).text, "½ ﬁ ²\n");
    }
}
