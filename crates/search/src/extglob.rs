//! Globs with bash's extended patterns: `@(a|b)`, `?(a|b)`, `*(a|b)`, `+(a|b)` and `!(a|b)`, and all in which a character
//! counts: `?`, `[…]` and letters beyond ASCII.
//!
//! The glob engine does not know the former, and compares bytes. So such a glob is matched here, name by name: the set
//! of places that a piece can lead to is followed from place to place, so that no pattern takes
//! more than polynomial time.

mod parse;

use std::ops::RangeInclusive;

use parse::{class_end, closing, expand, segments};

/// A compiled glob.
#[derive(Debug)]
pub(crate) struct ExtGlob {
    /// One for each combination of what braces offer; each a list of names.
    alternatives: Vec<Vec<Segment>>,
    case_insensitive: bool,
}

#[derive(Debug)]
enum Segment {
    /// `**`: any number of directories; at the end at least one name.
    AnyDepth,
    Name(Vec<Piece>),
}

/// Whether a character is of a kind, such as `[:alpha:]`.
type CharacterKind = fn(char) -> bool;

#[derive(Debug)]
enum Piece {
    Literal(char),
    One,
    Any,
    Class {
        negated: bool,
        ranges: Vec<RangeInclusive<char>>,
        kinds: Vec<CharacterKind>,
    },
    Group {
        kind: GroupKind,
        alternatives: Vec<Vec<Piece>>,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum GroupKind {
    Once,
    Optional,
    Many,
    Some,
    Not,
}

impl GroupKind {
    fn of(sign: char) -> Option<Self> {
        match sign {
            '@' => Some(Self::Once),
            '?' => Some(Self::Optional),
            '*' => Some(Self::Many),
            '+' => Some(Self::Some),
            '!' => Some(Self::Not),
            _ => None,
        }
    }

    const fn costs(self) -> bool {
        matches!(self, Self::Many | Self::Some | Self::Not)
    }
}

impl ExtGlob {
    /// Whether bytes do not decide on `glob`, or the glob engine does not know all of it.
    pub(crate) fn is_better(glob: &str) -> bool {
        glob.contains(['?', '[']) || !glob.is_ascii() || Self::is_needed(glob)
    }

    /// Whether `glob` has an extended pattern.
    pub(crate) fn is_needed(glob: &str) -> bool {
        let characters: Vec<char> = glob.chars().collect();
        let mut at = 0;
        while at < characters.len() {
            match characters.get(at) {
                Some('\\') => at += 1,
                Some('[') => at = class_end(&characters, at).unwrap_or(at),
                Some(sign)
                    if GroupKind::of(*sign).is_some()
                        && characters.get(at + 1) == Some(&'(')
                        && closing(&characters, at + 1).is_some() =>
                {
                    return true;
                }
                _ => {}
            }
            at += 1;
        }
        false
    }

    /// Compiles `glob`. The error is a reason without full stop.
    pub(crate) fn new(glob: &str, case_insensitive: bool) -> Result<Self, String> {
        let characters: Vec<char> = if case_insensitive {
            let glob: String = glob.chars().flat_map(char::to_lowercase).collect();
            // So are the names that are compared.
            glob.replace("[:upper:]", "[:lower:]").chars().collect()
        } else {
            glob.chars().collect()
        };
        let mut expanded = Vec::new();
        expand(characters, &mut expanded)?;
        let alternatives = expanded
            .iter()
            .map(|glob| segments(glob))
            .collect::<Result<_, _>>()?;
        Ok(Self {
            alternatives,
            case_insensitive,
        })
    }

    /// Whether the path, with `/` between its names, matches.
    pub(crate) fn is_match(&self, path: &str) -> bool {
        let names: Vec<Vec<char>> = path
            .split('/')
            .map(|name| {
                if self.case_insensitive {
                    name.chars().flat_map(char::to_lowercase).collect()
                } else {
                    name.chars().collect()
                }
            })
            .collect();
        self.alternatives
            .iter()
            .any(|segments| path_matches(segments, &names))
    }
}

/// Whether all names are matched by all segments.
fn path_matches(segments: &[Segment], names: &[Vec<char>]) -> bool {
    // Which numbers of names the segments so far can have taken.
    let mut taken = vec![false; names.len() + 1];
    if let Some(start) = taken.first_mut() {
        *start = true;
    }
    for (index, segment) in segments.iter().enumerate() {
        let is_last = index + 1 == segments.len();
        let mut next = vec![false; names.len() + 1];
        for from in (0..=names.len()).filter(|from| taken.get(*from) == Some(&true)) {
            match segment {
                Segment::AnyDepth => {
                    let first = from + usize::from(is_last);
                    next.iter_mut().skip(first).for_each(|place| *place = true);
                }
                Segment::Name(pieces) => {
                    if let (Some(name), Some(place)) = (names.get(from), next.get_mut(from + 1)) {
                        *place |= name_matches(pieces, name);
                    }
                }
            }
        }
        taken = next;
    }
    taken.last() == Some(&true)
}

fn name_matches(pieces: &[Piece], name: &[char]) -> bool {
    let mut from = vec![false; name.len() + 1];
    if let Some(start) = from.first_mut() {
        *start = true;
    }
    ends(pieces, name, from).last() == Some(&true)
}

/// Where `pieces` can end when they begin at one of the places.
fn ends(pieces: &[Piece], name: &[char], mut places: Vec<bool>) -> Vec<bool> {
    for piece in pieces {
        places = match piece {
            Piece::Literal(literal) => step(&places, name, |found| found == *literal),
            Piece::One => step(&places, name, |_| true),
            Piece::Class {
                negated,
                ranges,
                kinds,
            } => step(&places, name, |found| {
                let is_listed = ranges.iter().any(|range| range.contains(&found))
                    || kinds.iter().any(|is_of_kind| is_of_kind(found));
                is_listed != *negated
            }),
            Piece::Any => {
                let first = places.iter().position(|place| *place);
                let first = first.unwrap_or(places.len());
                (0..places.len()).map(|place| place >= first).collect()
            }
            Piece::Group { kind, alternatives } => group_ends(*kind, alternatives, name, places),
        };
    }
    places
}

/// One character further, where `wanted` has it.
fn step(places: &[bool], name: &[char], wanted: impl Fn(char) -> bool) -> Vec<bool> {
    let mut next = vec![false; places.len()];
    for ((place, found), next) in places.iter().zip(name).zip(next.iter_mut().skip(1)) {
        *next = *place && wanted(*found);
    }
    next
}

fn group_ends(
    kind: GroupKind,
    alternatives: &[Vec<Piece>],
    name: &[char],
    places: Vec<bool>,
) -> Vec<bool> {
    let once = |from: &[bool]| {
        let mut all = vec![false; from.len()];
        for alternative in alternatives {
            merge(&mut all, &ends(alternative, name, from.to_vec()));
        }
        all
    };
    match kind {
        GroupKind::Once => once(&places),
        GroupKind::Optional => {
            let mut all = once(&places);
            merge(&mut all, &places);
            all
        }
        GroupKind::Many | GroupKind::Some => {
            let mut all = if kind == GroupKind::Many {
                places.clone()
            } else {
                vec![false; places.len()]
            };
            let mut from = places;
            loop {
                from = once(&from);
                if !merge(&mut all, &from) {
                    return all;
                }
            }
        }
        GroupKind::Not => {
            let mut all = vec![false; places.len()];
            for start in (0..places.len()).filter(|start| places.get(*start) == Some(&true)) {
                let from: Vec<bool> = (0..places.len()).map(|place| place == start).collect();
                let matched = once(&from);
                let others: Vec<bool> = (0..)
                    .zip(&matched)
                    .map(|(place, matched)| place >= start && !matched)
                    .collect();
                merge(&mut all, &others);
            }
            all
        }
    }
}

/// Adds places. Whether there was a new one.
fn merge(all: &mut [bool], more: &[bool]) -> bool {
    let mut grew = false;
    for (place, more) in all.iter_mut().zip(more) {
        grew |= *more && !*place;
        *place |= *more;
    }
    grew
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matching<'a>(glob: &str, paths: &[&'a str]) -> Vec<&'a str> {
        assert!(ExtGlob::is_better(glob), "{glob}");
        let glob = ExtGlob::new(glob, false).unwrap();
        let paths = paths.iter().copied();
        paths.filter(|path| glob.is_match(path)).collect()
    }

    #[test]
    fn groups_mean_what_they_mean_in_bash() {
        let names = ["", "a", "b", "ab", "aba", "abc", "c"];
        assert_eq!(matching("@(a|b)", &names), ["a", "b"]);
        assert_eq!(matching("?(a|b)", &names), ["", "a", "b"]);
        assert_eq!(matching("*(a|b)", &names), ["", "a", "b", "ab", "aba"]);
        assert_eq!(matching("+(a|b)", &names), ["a", "b", "ab", "aba"]);
        assert_eq!(matching("!(a|b)", &names), ["", "ab", "aba", "abc", "c"]);
        assert_eq!(matching("a!(b)", &names), ["a", "aba", "abc"]);
        assert_eq!(matching("a@(b?(c)|x)", &names), ["ab", "abc"]);
    }

    #[test]
    fn a_name_without_certain_endings_is_what_people_use_it_for() {
        let names = ["x.ts", "x.test.ts", "x.spec.ts", "x.js", "test.ts"];
        assert_eq!(matching("!(*.test|*.spec).ts", &names), ["x.ts", "test.ts"]);
        assert_eq!(matching("*.@(js|[jt]s)", &names), names);
    }

    #[test]
    fn groups_stand_among_directories_braces_and_stars() {
        let paths = [
            "src/a.ts",
            "src/x/b.tsx",
            "lib/core/c.ts",
            "lib/d.js",
            "docs/e.md",
        ];
        assert_eq!(
            matching("{src,lib}/**/*.ts?(x)", &paths),
            ["src/a.ts", "src/x/b.tsx", "lib/core/c.ts"]
        );
        assert_eq!(
            matching("@(src|lib/core)/*.ts", &paths),
            ["src/a.ts", "lib/core/c.ts"]
        );
        assert_eq!(matching("!(src)/**", &paths), paths[2..]);
        assert_eq!(matching("**/!(*.ts?(x))", &paths), paths[3..]);
    }

    /// By bytes, `?` was half a letter.
    #[test]
    fn a_question_mark_and_a_class_are_one_character() {
        let names = ["a", "é", "日", "aé", "/", "7", "_"];
        assert_eq!(matching("?", &names), ["a", "é", "日", "7", "_"]);
        assert_eq!(matching("[é]", &names), ["é"]);
        assert_eq!(matching("?[é]", &names), ["aé"]);
        assert_eq!(matching("[!a]", &names), ["é", "日", "7", "_"]);
        assert_eq!(matching("[à-ÿ7]", &names), ["é", "7"]);
        assert_eq!(matching("[[:alpha:]]", &names), ["a", "é", "日"]);
        assert_eq!(matching("[^[:alpha:]_]", &names), ["7"]);
        assert_eq!(matching("[]_]", &names), ["_"]);
        let any_case = ExtGlob::new("[[:upper:]]É", true).unwrap();
        assert!(any_case.is_match("aé"));
    }

    #[test]
    fn a_class_never_matches_a_slash() {
        let paths = ["src/a/x.js", "src/abx.js"];
        assert_eq!(matching("src/a[!q]x.js", &paths), ["src/abx.js"]);
    }

    #[test]
    fn signs_that_open_no_group_stand_for_themselves() {
        for plain in [
            "app/(auth)/x",
            r"\@(a)",
            "[@(a)]",
            "a@b",
            "@types/**",
            "!(a",
        ] {
            assert!(!ExtGlob::is_needed(plain), "{plain}");
        }
        assert_eq!(matching(r"+(\(|\|)x", &["((x", "(|x", "x"]), ["((x", "(|x"]);
    }

    #[test]
    fn what_cannot_be_meant_is_refused_with_the_reason() {
        let reason = |glob: &str| ExtGlob::new(glob, false).unwrap_err();
        assert_eq!(reason("!(a/b)"), "`/` cannot stand inside `!(…)`");
        assert_eq!(reason("!(!(!(!(a))))"), "its groups are nested too deeply");
        assert_eq!(reason("[z-a]"), "`z-a` is not a range of characters");
        assert_eq!(reason("[[:x:]]"), "`[:x:]` is not a kind of characters");
        assert_eq!(reason("[[:alpha:]"), "a `[` is not closed");
        let braces = "{a,b}".repeat(20) + "@(x)";
        assert!(reason(&braces).contains("too many alternatives"));
    }

    proptest::proptest! {
        #[test]
        fn no_glob_and_no_name_makes_it_panic(glob in "[ab@!*+?(|)/\\[\\]{},\\\\-]{0,24}", name in "[ab/]{0,12}") {
            if let Ok(glob) = ExtGlob::new(&glob, false) {
                glob.is_match(&name);
            }
        }

        /// Where the glob engine knows the same under another name, both agree.
        #[test]
        fn alternatives_are_braces(one in "[ab*?]{0,4}", other in "[ab*?]{1,4}", rest in "[ab*/]{0,5}", name in "[ab/]{1,10}") {
            proptest::prop_assume!(!rest.contains("**") && !format!("{one}{other}{rest}").contains("**"));
            let joined = |glob: String| globset::GlobBuilder::new(&glob)
                .literal_separator(true).empty_alternates(true).build().unwrap().compile_matcher();
            let ours = ExtGlob::new(&format!("@({one}|{other}){rest}"), false).unwrap();
            let theirs = joined(format!("{{{one},{other}}}{rest}"));
            proptest::prop_assert_eq!(ours.is_match(&name), theirs.is_match(&name));
        }
    }
}
