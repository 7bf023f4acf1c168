//! One level of string escapes or of HTML entities.

use crate::error::Unclear;
use crate::matcher::unwrap::Variant;
use crate::plan::{Decoration, MatchLevel, Replacement};

/// A sort of escape: how it is written, and what it stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Sort {
    written: &'static str,
    meant: &'static str,
}

const ESCAPES: [Sort; 7] = [
    Sort {
        written: "\\\\",
        meant: "\\",
    },
    Sort {
        written: "\\n",
        meant: "\n",
    },
    Sort {
        written: "\\t",
        meant: "\t",
    },
    Sort {
        written: "\\r",
        meant: "\r",
    },
    Sort {
        written: "\\\"",
        meant: "\"",
    },
    Sort {
        written: "\\'",
        meant: "'",
    },
    Sort {
        written: "\\/",
        meant: "/",
    },
];

const ENTITIES: [Sort; 7] = [
    Sort {
        written: "&amp;",
        meant: "&",
    },
    Sort {
        written: "&lt;",
        meant: "<",
    },
    Sort {
        written: "&gt;",
        meant: ">",
    },
    Sort {
        written: "&quot;",
        meant: "\"",
    },
    Sort {
        written: "&#39;",
        meant: "'",
    },
    Sort {
        written: "&apos;",
        meant: "'",
    },
    Sort {
        written: "&nbsp;",
        meant: "\u{a0}",
    },
];

/// The ways to take escapes or entities off an edit: every choice of the sorts that occur.
pub(crate) fn variants(edit: &Replacement<'_>) -> Vec<Variant> {
    let mut variants = decoded(edit, &ESCAPES, Decoration::Escapes);
    variants.extend(decoded(edit, &ENTITIES, Decoration::Entities));
    variants
}

fn decoded(edit: &Replacement<'_>, all: &'static [Sort], decoration: Decoration) -> Vec<Variant> {
    let pieces = split(edit.old, all);
    let present: Vec<Sort> = all
        .iter()
        .copied()
        .filter(|sort| has(&pieces, *sort))
        .collect();
    choices(&present)
        .into_iter()
        .filter(|chosen| !mixes(&pieces, chosen))
        .map(|chosen| Variant {
            decoration,
            old: join(&pieces, &chosen),
            new: new_text(edit, all, &present, &chosen),
            weakest: MatchLevel::BlankLines,
            line: None,
            whole_lines: false,
        })
        .collect()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Piece<'a> {
    Plain(&'a str),
    Escape(Sort),
}

/// Cuts a text into escapes and what stands between them, from left to right: in `\\n` the
/// first two characters belong together.
fn split<'a>(text: &'a str, all: &[Sort]) -> Vec<Piece<'a>> {
    let mut pieces = Vec::new();
    let (mut start, mut at) = (0, 0);
    while let Some(rest) = text.get(at..) {
        if let Some(sort) = all.iter().find(|sort| rest.starts_with(sort.written)) {
            pieces.push(Piece::Plain(text.get(start..at).unwrap_or_default()));
            pieces.push(Piece::Escape(*sort));
            at += sort.written.len();
            start = at;
        } else if let Some(next) = rest.chars().next() {
            at += next.len_utf8();
        } else {
            break;
        }
    }
    pieces.push(Piece::Plain(text.get(start..).unwrap_or_default()));
    pieces
}

fn has(pieces: &[Piece<'_>], sort: Sort) -> bool {
    pieces.contains(&Piece::Escape(sort))
}

/// All non-empty selections, the largest first.
fn choices(present: &[Sort]) -> Vec<Vec<Sort>> {
    let count = 1_usize << present.len().min(7);
    let mut choices: Vec<Vec<Sort>> = (1..count)
        .map(|bits| {
            present
                .iter()
                .enumerate()
                .filter(|(at, _)| bits >> at & 1 == 1)
                .map(|(_, sort)| *sort)
                .collect()
        })
        .collect();
    choices.sort_by_key(|chosen| std::cmp::Reverse(chosen.len()));
    choices
}

/// Whether the text has a chosen character also without its escape: then it is not escaped as a
/// whole, and the escapes are its own.
fn mixes(pieces: &[Piece<'_>], chosen: &[Sort]) -> bool {
    pieces.iter().any(|piece| match piece {
        Piece::Plain(text) => chosen.iter().any(|sort| text.contains(sort.meant)),
        Piece::Escape(_) => false,
    })
}

fn join(pieces: &[Piece<'_>], chosen: &[Sort]) -> String {
    pieces
        .iter()
        .map(|piece| match piece {
            Piece::Plain(text) => *text,
            Piece::Escape(sort) if chosen.contains(sort) => sort.meant,
            Piece::Escape(sort) => sort.written,
        })
        .collect()
}

/// The new text with the chosen sorts taken off. It is not clear where the new text has sorts
/// that the old one lacks, is escaped in part, or does not repeat any escape of the old one:
/// then it may be the old text alone that was escaped.
fn new_text(
    edit: &Replacement<'_>,
    all: &[Sort],
    present: &[Sort],
    chosen: &[Sort],
) -> Result<String, Unclear> {
    let pieces = split(edit.new, all);
    let has_chosen = chosen.iter().any(|sort| has(&pieces, *sort));
    let has_unknown = all
        .iter()
        .any(|sort| has(&pieces, *sort) && !present.contains(sort));
    if !has_chosen {
        return if has_unknown {
            Err(Unclear::Decoration)
        } else {
            Ok(edit.new.to_owned())
        };
    }
    if has_unknown || mixes(&pieces, chosen) || !repeats_escape(edit, all, chosen) {
        return Err(Unclear::Decoration);
    }
    Ok(join(&pieces, chosen))
}

/// Whether an escape stands in what old and new text have in common at their two ends.
fn repeats_escape(edit: &Replacement<'_>, all: &[Sort], chosen: &[Sort]) -> bool {
    let (old, new) = (split(edit.old, all), split(edit.new, all));
    let is_chosen =
        |piece: &Piece<'_>| matches!(piece, Piece::Escape(sort) if chosen.contains(sort));
    let head = old.iter().zip(&new).take_while(|(a, b)| a == b);
    let tail = old
        .iter()
        .rev()
        .zip(new.iter().rev())
        .take_while(|(a, b)| a == b);
    head.chain(tail).any(|(piece, _)| is_chosen(piece))
}

/// The sorts that were taken off a text.
#[derive(Debug)]
pub(crate) struct Taken {
    all: &'static [Sort],
    taken: Vec<Sort>,
}

impl Taken {
    /// What of `old` the file has as it is meant; `None` if that is nothing.
    pub(crate) fn from(old: &str, file: &str, decoration: Decoration) -> Option<Self> {
        let all: &[Sort] = if decoration == Decoration::Entities {
            &ENTITIES
        } else {
            &ESCAPES
        };
        let (old, file) = (split(old, all), split(file, all));
        let is_taken = |sort: &Sort| count(&old, *sort) > count(&file, *sort);
        let taken: Vec<Sort> = all.iter().copied().filter(is_taken).collect();
        (!taken.is_empty()).then_some(Self { all, taken })
    }

    /// An escape that the new text adds. A text that also has a character bare that was escaped there, or the one that
    /// the escape stands for, is not escaped as a whole.
    pub(crate) fn sign_in(&self, edit: &Replacement<'_>) -> Option<&'static str> {
        let (old, new) = (split(edit.old, self.all), split(edit.new, self.all));
        if mixes(&old, &self.taken) || mixes(&new, &self.taken) {
            return None;
        }
        let is_added = |sort: &&Sort| {
            count(&new, **sort) > count(&old, **sort)
                && !mixes(&old, &[**sort])
                && !mixes(&new, &[**sort])
        };
        self.all.iter().find(is_added).map(|sort| sort.written)
    }
}

fn count(pieces: &[Piece<'_>], sort: Sort) -> usize {
    let is_sort = |piece: &&Piece<'_>| **piece == Piece::Escape(sort);
    pieces.iter().filter(is_sort).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn news(old: &str, new: &str) -> Vec<(String, Result<String, Unclear>)> {
        variants(&Replacement { old, new })
            .into_iter()
            .map(|variant| (variant.old, variant.new))
            .collect()
    }

    #[test]
    fn quotes_are_unescaped_in_both_texts() {
        assert_eq!(
            news(r#"say(\"a\")"#, r#"say(\"b\")"#),
            [(r#"say("a")"#.to_owned(), Ok(r#"say("b")"#.to_owned()))]
        );
    }

    #[test]
    fn a_text_that_has_the_character_bare_is_not_escaped_as_a_whole() {
        assert_eq!(news(r#"say("a", \"b\")"#, "x"), []);
    }

    #[test]
    fn a_new_text_with_other_escapes_is_unclear() {
        assert_eq!(
            news(r#"say(\"a\")"#, r#"say(\"a\n\")"#),
            [(r#"say("a")"#.to_owned(), Err(Unclear::Decoration))]
        );
    }

    #[test]
    fn every_choice_of_sorts_is_a_variant_of_its_own() {
        let olds: Vec<String> = news(r#"a(\"x\\n\")"#, "")
            .into_iter()
            .map(|it| it.0)
            .collect();
        assert_eq!(olds, [r#"a("x\n")"#, r#"a(\"x\n\")"#, r#"a("x\\n")"#]);
    }
}
