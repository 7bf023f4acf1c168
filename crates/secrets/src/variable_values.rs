//! The values of files of variables, wherever they stand in what a call shows of these files.

use std::ops::Range;

use aho_corasick::{AhoCorasick, MatchKind};

use crate::variables::{each_value, looks_like_secret};

/// Most values that are looked for.
const VALUES_MAX: usize = 5_000;
/// From so many bytes on a value counts wherever its word begins and ends; a shorter one only where nothing else is.
const FREE_MIN_BYTES: usize = 4;
/// From so many bytes on a value of a name that announces a secret counts within a word too.
const WITHIN_MIN_BYTES: usize = 8;

/// The values of files that a call reads or may read, which are found in any text in one pass.
///
/// ```
/// let values = tenon_secrets::VariableValues::of(["DB_PASS=firstword\nMODE=production\n"], []);
/// let found: Vec<_> = values.places("got firstword, in production\nproduction\n");
/// assert_eq!(found, [4..13, 29..39]);
/// ```
#[derive(Debug, Default)]
pub struct VariableValues {
    search: Option<AhoCorasick>,
    values: Vec<Wanted>,
}

/// A value, and where it counts.
#[derive(Debug, PartialEq, Eq)]
struct Wanted {
    text: String,
    /// Its name announces a secret, or it looks like one.
    is_secret: bool,
    /// It is a word that may stand in any text.
    is_word: bool,
}

impl VariableValues {
    /// Those of files that are read, and those that look like secrets of files that may be read, by what the files say.
    pub fn of<'t>(
        read: impl IntoIterator<Item = &'t str>,
        may_be_read: impl IntoIterator<Item = &'t str>,
    ) -> Self {
        let mut values: Vec<Wanted> = Vec::new();
        for content in read {
            values.extend(wanted(content));
        }
        for content in may_be_read {
            values.extend(wanted(content).filter(|value| {
                value.is_secret && !value.is_word && value.text.len() >= FREE_MIN_BYTES
            }));
        }
        values
            .sort_by(|one, other| (&one.text, other.is_secret).cmp(&(&other.text, one.is_secret)));
        values.dedup_by(|one, other| one.text == other.text);
        values.truncate(VALUES_MAX);
        let search = (!values.is_empty()).then(|| {
            let builder = &mut AhoCorasick::builder();
            let builder = builder.match_kind(MatchKind::Standard);
            builder.build(values.iter().map(|value| &value.text)).ok()
        });
        Self {
            search: search.flatten(),
            values,
        }
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Where they stand in a text, in order.
    #[must_use]
    pub fn places(&self, text: &str) -> Vec<Range<usize>> {
        let Some(search) = &self.search else {
            return Vec::new();
        };
        let hits = search.find_overlapping_iter(text);
        let mut places: Vec<Range<usize>> = hits
            .filter(|hit| {
                let value = self.values.get(hit.pattern().as_usize());
                value.is_some_and(|value| value.counts(text, &hit.range()))
            })
            .map(|hit| hit.range())
            .collect();
        places.sort_by_key(|place| (place.start, std::cmp::Reverse(place.end)));
        places
    }

    /// Whether a text is a part of one of them, as a search for a part of a line shows it.
    #[must_use]
    pub fn has_part(&self, text: &str) -> bool {
        let mut values = self.values.iter();
        !text.is_empty() && values.any(|value| value.text.contains(text))
    }
}

impl Wanted {
    fn of(text: &str, is_secret: bool) -> Self {
        Self {
            is_secret: is_secret || looks_like_secret(text, is_secret),
            is_word: !is_secret && text.bytes().all(|byte| byte.is_ascii_alphabetic()),
            text: text.to_owned(),
        }
    }

    fn counts(&self, text: &str, place: &Range<usize>) -> bool {
        let before = text.get(..place.start).unwrap_or_default();
        let behind = text.get(place.end..).unwrap_or_default();
        let is_apart = |edge: Option<char>, other: Option<char>| {
            let is_letter = |letter: Option<char>| {
                letter.is_some_and(|letter| letter.is_alphanumeric() || letter == '_')
            };
            !is_letter(edge) || !is_letter(other)
        };
        let is_whole = is_apart(self.text.chars().next(), before.chars().next_back())
            && is_apart(self.text.chars().next_back(), behind.chars().next());
        if self.is_word || self.text.len() < FREE_MIN_BYTES {
            return is_whole && fills_field(before, behind);
        }
        is_whole || self.is_secret && self.text.len() >= WITHIN_MIN_BYTES
    }
}

/// Whether nothing stands beside a value but its name: at the start of a line, the numbers and signs of a listing aside, or behind
/// `=` and `:`; and up to the end of the line.
fn fills_field(before: &str, behind: &str) -> bool {
    let quotes = ['"', '\'', '`'];
    let line = before.rsplit('\n').next().unwrap_or_default();
    let line = line.trim_end_matches(quotes).trim_end_matches([' ', '\t']);
    let listed = |letter: char| letter.is_ascii_digit() || " +-<>→\t:|".contains(letter);
    let is_start = line.ends_with(['=', ':']) || line.chars().all(listed);
    let rest = behind.split('\n').next().unwrap_or_default();
    let rest = rest.trim_start_matches(quotes).trim_start_matches(',');
    is_start && rest.trim().is_empty()
}

/// The values of a file as they are written, without their quotes, and without a comment behind them.
fn wanted(content: &str) -> impl Iterator<Item = Wanted> {
    let found = each_value(content).into_iter();
    found.flat_map(|value| {
        let quotes = ['"', '\'', '`'];
        let written = content.get(value.range.clone()).unwrap_or_default();
        let text = written.trim().trim_matches(quotes);
        let bare = text
            .split_once(" #")
            .map(|(bare, _)| bare.trim_end().trim_matches(quotes));
        let texts = std::iter::once(text).chain(bare);
        let texts = texts.filter(|text| !text.is_empty());
        texts
            .map(move |text| Wanted::of(text, value.is_secret))
            .collect::<Vec<_>>()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(file: &str, text: &str) -> String {
        let mut out = text.to_owned();
        let values = VariableValues::of([file], []);
        for place in values.places(text).into_iter().rev() {
            // A place within one that was replaced is gone.
            if out.get(place.clone()) == text.get(place.clone()) {
                out.replace_range(place, "#");
            }
        }
        out
    }

    #[test]
    fn values_are_found_without_their_names_and_words_only_where_nothing_else_stands() {
        let file = "DB_PASS=firstword\nMULTI=\"line one\nthirdword here\"\nMODE=production\nX=a\nPORT=8080\nURL=http://localhost:3000/api # x\n";
        for (text, expected) in [
            ("firstword\nline one\nthirdword here\"\n", "#\n#\n#\"\n"),
            ("< DB_PASS=firstword\n> hi\n", "< DB_PASS=#\n> hi\n"),
            ("xfirstwordx", "x#x"),
            (
                "{ production: a }\nin production mode\n",
                "{ production: a }\nin production mode\n",
            ),
            ("production\na\n8080\n", "#\n#\n8080\n"),
            ("MODE=production\nX='a'\n", "MODE=#\nX='#'\n"),
            ("at http://localhost:3000/api now", "at # now"),
            (
                "[2 more lines. Use offset=2 to continue.]",
                "[2 more lines. Use offset=2 to continue.]",
            ),
        ] {
            assert_eq!(shown(file, text), expected);
        }
    }

    #[test]
    fn of_a_file_that_may_be_read_only_what_looks_like_a_secret_is_found() {
        let file = "DB_PASS=hunter2\nMODE=production\nURL=http://localhost:3000/api\nDIR=/srv/a\n";
        let values = VariableValues::of([], [file]);
        let text = "hunter2\nproduction\nhttp://localhost:3000/api\n/srv/a\n";
        assert_eq!(
            values.places(text),
            vec![std::ops::Range { start: 0, end: 7 }]
        );
        assert!(values.has_part("unter") && !values.has_part("prod") && !values.has_part(""));
    }
}
