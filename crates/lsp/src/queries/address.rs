//! Which name in a file is meant: by line and column, or by the name itself.
//!
//! Models miss columns by a few and lines by one; a name that they write out they rarely miss. So a place that hits no
//! name is moved to the nearest one on its line, and a name is looked for on the lines around, and either is said.

use std::ops::Range;

use crate::protocol::position::{Encoding, LineText, Position};

/// How many lines above and below are searched for a name that the line does not hold.
const NEAR_LINES: u32 = 4;

/// What a caller says of the place, counted from 1, characters in UTF-16.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Address {
    /// The line.
    pub line: Option<u32>,
    /// The character on it.
    pub character: Option<u32>,
    /// A name on the line, or in the file where no line is given. Of `a.b` or `a::b` the last part counts.
    pub symbol: Option<String>,
    /// Where that name is in a file without a line, in bytes, for a caller who knows the syntax. Otherwise its first place
    /// counts, which may be in a comment.
    pub place: Option<usize>,
}

impl Address {
    /// The name alone, where no line is given.
    #[must_use]
    pub fn name_in_file(&self) -> Option<&str> {
        let symbol = self.symbol.as_deref().map(last_part);
        symbol.filter(|name| !name.is_empty() && self.line.is_none())
    }
}

/// A name that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FoundName {
    /// Its bytes.
    pub(crate) range: Range<usize>,
    /// What the caller has to know: it is not where it was said to be.
    pub(crate) note: Option<String>,
}

/// An address that means nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AddressFault {
    /// Neither a line nor a name.
    #[error("Name the symbol: pass `line` and `character`, or `symbol`.")]
    Nothing,
    /// Behind the last line.
    #[error(
        "Line {line} does not exist: the file has {lines} line{}. Read the file again.",
        if *lines == 1 { "" } else { "s" }
    )]
    Line {
        /// As given.
        line: u32,
        /// How many there are.
        lines: u32,
    },
    /// The line holds no name.
    #[error("There is no name on line {line} (`{text}`). Pass the line of a name.")]
    NoName {
        /// As given.
        line: u32,
        /// What it reads.
        text: String,
    },
    /// The name does not occur.
    #[error(
        "`{symbol}` does not occur {place}. Read the file again, or pass `line` and `character`."
    )]
    NoSymbol {
        /// As given.
        symbol: String,
        /// Where it was looked for.
        place: String,
    },
}

/// The name that is meant.
pub(crate) fn resolve(text: &LineText, address: &Address) -> Result<FoundName, AddressFault> {
    let symbol = address
        .symbol
        .as_deref()
        .map(last_part)
        .filter(|symbol| !symbol.is_empty());
    let Some(given) = address.line else {
        let symbol = symbol.ok_or(AddressFault::Nothing)?;
        return in_file(text, symbol, address.place);
    };
    let line = given.saturating_sub(1);
    if given == 0 || line >= text.lines() {
        return Err(AddressFault::Line {
            line: given,
            lines: text.lines(),
        });
    }
    match (symbol, address.character) {
        (Some(symbol), character) => near_line(text, symbol, line, character),
        (None, Some(character)) => at(text, line, character.saturating_sub(1)),
        (None, None) => Err(AddressFault::Nothing),
    }
}

/// The name at a character, or the nearest on the line.
fn at(text: &LineText, line: u32, character: u32) -> Result<FoundName, AddressFault> {
    let offset = text.offset(Position { line, character }, Encoding::Utf16);
    let (start, content) = line_of(text, line);
    let names: Vec<Range<usize>> = names(content)
        .map(|name| name.start + start..name.end + start)
        .collect();
    // The name that begins here wins over the one that ends here.
    if let Some(range) = names
        .iter()
        .find(|name| name.start <= offset && offset < name.end)
    {
        return Ok(FoundName {
            range: range.clone(),
            note: None,
        });
    }
    if let Some(range) = names.iter().find(|name| name.end == offset) {
        return Ok(FoundName {
            range: range.clone(),
            note: None,
        });
    }
    let distance = |name: &Range<usize>| {
        name.start
            .saturating_sub(offset)
            .max(offset.saturating_sub(name.end))
    };
    let nearest = names
        .into_iter()
        .min_by_key(distance)
        .ok_or_else(|| AddressFault::NoName {
            line: line + 1,
            text: content.trim().chars().take(80).collect(),
        })?;
    let name = text.text().get(nearest.clone()).unwrap_or_default();
    let found = text.position(nearest.start, Encoding::Utf16).character + 1;
    let note = format!(
        "No name at line {}, character {}; used `{name}` at character {found}.",
        line + 1,
        character + 1
    );
    Ok(FoundName {
        range: nearest,
        note: Some(note),
    })
}

/// A name on the line, or on the nearest of the lines around it.
fn near_line(
    text: &LineText,
    symbol: &str,
    line: u32,
    character: Option<u32>,
) -> Result<FoundName, AddressFault> {
    for distance in 0..=NEAR_LINES {
        for other in [line.checked_sub(distance), line.checked_add(distance)]
            .into_iter()
            .flatten()
        {
            let (start, content) = line_of(text, other);
            let wanted = character.filter(|_| distance == 0).map(|character| {
                let character = character.saturating_sub(1);
                text.offset(Position { line, character }, Encoding::Utf16)
                    .saturating_sub(start)
            });
            let found = occurrences(content, symbol)
                .min_by_key(|at| wanted.map_or(0, |wanted| wanted.abs_diff(*at)));
            if let Some(at) = found {
                let range = start + at..start + at + symbol.len();
                let note = (distance > 0).then(|| {
                    format!(
                        "`{symbol}` is not on line {}; used the one on line {}.",
                        line + 1,
                        other + 1
                    )
                });
                return Ok(FoundName { range, note });
            }
        }
    }
    let place = format!(
        "on line {} or on the {NEAR_LINES} lines above and below it",
        line + 1
    );
    Err(AddressFault::NoSymbol {
        symbol: symbol.to_owned(),
        place,
    })
}

/// The known place of a name in the file, else its first one.
fn in_file(text: &LineText, symbol: &str, place: Option<usize>) -> Result<FoundName, AddressFault> {
    let whole = text.text();
    let first = occurrences(whole, symbol)
        .next()
        .ok_or_else(|| AddressFault::NoSymbol {
            symbol: symbol.to_owned(),
            place: "in the file".to_owned(),
        })?;
    let is_there = |at: &usize| {
        let rest = whole.get(*at..);
        rest.is_some_and(|rest| rest.starts_with(symbol))
    };
    let start = place.filter(is_there).unwrap_or(first);
    let line = text.position(start, Encoding::Utf16).line + 1;
    let note = if start == first {
        format!("Used the first `{symbol}` in the file, on line {line}.")
    } else {
        format!("Used the `{symbol}` on line {line} of the file.")
    };
    Ok(FoundName {
        range: start..start + symbol.len(),
        note: Some(note),
    })
}

/// Where a line begins, and what it holds.
fn line_of(text: &LineText, line: u32) -> (usize, &str) {
    let start = text.offset(Position { line, character: 0 }, Encoding::Utf8);
    (start, text.line(line).unwrap_or_default())
}

/// Where a name stands as a whole word.
fn occurrences<'t>(text: &'t str, symbol: &'t str) -> impl Iterator<Item = usize> {
    text.match_indices(symbol)
        .map(|(at, _)| at)
        .filter(move |at| {
            let before = text.get(..*at).and_then(|text| text.chars().next_back());
            let after = text
                .get(at + symbol.len()..)
                .and_then(|text| text.chars().next());
            let extends = |inner: Option<char>, outer: Option<char>| {
                inner.is_some_and(is_part) && outer.is_some_and(is_part)
            };
            !extends(symbol.chars().next(), before) && !extends(symbol.chars().next_back(), after)
        })
}

/// The names on a line, by their bytes. A number is none.
fn names(line: &str) -> impl Iterator<Item = Range<usize>> {
    let mut letters = line.char_indices().peekable();
    std::iter::from_fn(move || {
        loop {
            let (start, first) = letters.find(|(_, letter)| is_start(*letter))?;
            let mut end = start + first.len_utf8();
            while let Some((at, letter)) = letters.next_if(|(_, letter)| is_part(*letter)) {
                end = at + letter.len_utf8();
            }
            if !first.is_numeric() {
                return Some(start..end);
            }
        }
    })
}

/// Whether a character can be the first of a name: what joins letters, or emoji, is none.
fn is_start(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '_' | '$')
}

/// Whether a character can be part of a name. Names of all scripts count; combining marks stay with their letter.
fn is_part(letter: char) -> bool {
    is_start(letter) || matches!(letter, '\u{300}'..='\u{36F}' | '\u{200C}' | '\u{200D}')
}

fn last_part(symbol: &str) -> &str {
    let symbol = symbol.trim().trim_end_matches("()");
    symbol.rsplit(['.', ':', '#', '/']).next().unwrap_or(symbol)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "let ä = foo(bar, 42);\n\n  // ---\nuse foo;\nfood foo_2 $x\n";

    fn found(line: u32, character: Option<u32>, symbol: Option<&str>) -> (String, Option<String>) {
        let text = LineText::new(TEXT);
        let address = Address {
            line: Some(line),
            character,
            symbol: symbol.map(str::to_owned),
            place: None,
        };
        match resolve(&text, &address) {
            Ok(found) => (
                format!("{}@{}", &TEXT[found.range.clone()], found.range.start),
                found.note,
            ),
            Err(fault) => (fault.to_string(), None),
        }
    }

    #[test]
    fn a_place_in_or_right_behind_a_name_is_that_name() {
        for character in [9, 10, 12] {
            assert_eq!(
                found(1, Some(character), None),
                ("foo@9".into(), None),
                "{character}"
            );
        }
        assert_eq!(found(1, Some(13), None), ("bar@13".into(), None));
        assert_eq!(found(1, Some(5), None), ("ä@4".into(), None));
        assert_eq!(found(5, Some(12), None), ("$x@53".into(), None));
    }

    #[test]
    fn a_place_beside_all_names_is_moved_and_that_is_said() {
        assert_eq!(
            found(1, Some(200), None),
            (
                "bar@13".into(),
                Some("No name at line 1, character 200; used `bar` at character 13.".into())
            )
        );
        assert_eq!(found(4, Some(0), None).0, "use@33");
        assert_eq!(
            found(3, Some(1), None).0,
            "There is no name on line 3 (`// ---`). Pass the line of a name."
        );
        assert_eq!(
            found(7, Some(1), None).0,
            "Line 7 does not exist: the file has 6 lines. Read the file again."
        );
        assert_eq!(
            found(0, Some(1), None).0,
            "Line 0 does not exist: the file has 6 lines. Read the file again."
        );
    }

    #[test]
    fn what_joins_emoji_is_no_name() {
        let text = LineText::new("/* 👨‍👩‍👧 */ let naïve\n");
        let address = Address {
            line: Some(1),
            character: Some(4),
            ..Address::default()
        };
        let found = resolve(&text, &address).unwrap();
        assert_eq!(&text.text()[found.range], "let");
    }

    #[test]
    fn a_name_is_found_as_a_whole_word_on_the_line_or_near_it() {
        assert_eq!(found(1, None, Some("foo")), ("foo@9".into(), None));
        assert_eq!(found(1, None, Some("a.b.bar()")), ("bar@13".into(), None));
        assert_eq!(
            found(5, None, Some("foo")),
            (
                "foo@37".into(),
                Some("`foo` is not on line 5; used the one on line 4.".into())
            )
        );
        assert_eq!(
            found(1, None, Some("fo")).0,
            "`fo` does not occur on line 1 or on the 4 lines above and below it. Read the file again, or pass `line` and `character`."
        );
        assert_eq!(found(1, None, None).0, AddressFault::Nothing.to_string());
    }

    #[test]
    fn without_a_line_the_first_of_the_file_is_taken() {
        let address = |symbol: &str| Address {
            symbol: Some(symbol.into()),
            ..Address::default()
        };
        let text = LineText::new(TEXT);
        let taken = resolve(&text, &address("food")).unwrap();
        assert_eq!(
            (taken.range, taken.note.as_deref()),
            (
                42..46,
                Some("Used the first `food` in the file, on line 5.")
            )
        );
        let known = Address {
            place: Some(37),
            ..address("foo")
        };
        let taken = resolve(&text, &known).unwrap();
        assert_eq!(
            (taken.range, taken.note.as_deref()),
            (37..40, Some("Used the `foo` on line 4 of the file."))
        );
        // The text has changed meanwhile.
        let stale = Address {
            place: Some(40),
            ..known
        };
        assert_eq!(resolve(&text, &stale).unwrap().range, 9..12);
        assert!(resolve(&text, &address("x y")).is_err());
        assert_eq!(
            resolve(&text, &Address::default()),
            Err(AddressFault::Nothing)
        );
    }
}
