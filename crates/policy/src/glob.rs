//! Path patterns (POLICY.md P1, P4): `*` and `?` stay inside one name, `**` crosses folders, names that begin
//! with a dot are names like any other. Nothing is decoded or folded: a pattern compares characters.

mod parse;
mod tokens;

pub(crate) use parse::class;
pub(crate) use tokens::{Token, token_lists_overlap, tokens_match};

use std::borrow::Cow;

use smallvec::{SmallVec, smallvec};

/// Why a text is no path pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct GlobError {
    /// Offset of the fault in the pattern, in bytes.
    pub(crate) at: usize,
    /// What is wrong and what to write instead, to follow the rule in a sentence.
    pub(crate) problem: String,
}

/// One part of a pattern, between slashes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Segment {
    /// `**`: any number of folders, none included.
    AnyDepth,
    /// One name.
    Name(Vec<Token>),
}

/// How far a pattern without a slash, or a pattern that names a folder, reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// As a deny or ask rule: at any depth where there is no slash, and everything below a folder it names.
    Wide,
    /// As an allow rule: at the root only, and only what it names.
    Narrow,
}

/// A compiled pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PathGlob {
    /// Several after `{a,b}`.
    relative: Vec<Vec<Segment>>,
    /// Set for a pattern that begins with `/`: it is also compared with absolute paths.
    absolute: Option<Vec<Vec<Segment>>>,
    /// Whether it was written with `/**` at its end: what is below a folder, where the folder's own name is no secret.
    below_only: bool,
}

/// The parts of a path.
pub(crate) type Parts<'p> = SmallVec<[Cow<'p, str>; 8]>;

/// A path split for comparison.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Place<'p> {
    /// The parts of the absolute path.
    pub(crate) absolute: Parts<'p>,
    /// How many of them are those of the workspace root; `None` when it lies elsewhere.
    pub(crate) below: Option<usize>,
}

impl<'p> Place<'p> {
    /// The parts below the workspace root; `None` when it lies elsewhere.
    pub(crate) fn relative(&self) -> Option<&[Cow<'p, str>]> {
        self.absolute.get(self.below?..)
    }
}

impl PathGlob {
    /// Compiles a pattern.
    pub(crate) fn new(text: &str, reach: Reach) -> Result<Self, GlobError> {
        parse::compile(text, reach)
    }

    /// Whether the pattern covers this place.
    pub(crate) fn matches(&self, place: &Place<'_>) -> bool {
        self.any(place, |segments, parts| {
            walk(segments, parts) == Walk::Matched
        })
    }

    /// Whether the name of this place itself is covered: not that of a folder of which only the content is.
    pub(crate) fn matches_name(&self, place: &Place<'_>) -> bool {
        if !self.below_only {
            return self.matches(place);
        }
        let below = |segments: &[Segment], parts: &[Cow<'_, str>]| {
            let folder = segments
                .strip_suffix(&[Segment::AnyDepth])
                .unwrap_or(segments);
            let something = [Segment::Name(vec![Token::AnyRun]), Segment::AnyDepth];
            walk(&[folder, &something].concat(), parts) == Walk::Matched
        };
        self.any(place, below)
    }

    /// Whether something below this folder could be covered, or the folder itself is.
    pub(crate) fn may_match_below(&self, place: &Place<'_>) -> bool {
        self.any(place, |segments, parts| walk(segments, parts) != Walk::Dead)
    }

    /// Whether a path of this form could be covered: `form` are the names below the workspace root.
    pub(crate) fn overlaps(&self, form: &[Segment]) -> bool {
        self.relative
            .iter()
            .any(|segments| segments_overlap(segments, form))
    }

    /// Whether everything that `other` covers is covered by this one. Cautious: `false` when it cannot be told.
    pub(crate) fn covers(&self, other: &Self) -> bool {
        self == other
            || other.relative.iter().all(|theirs| {
                self.relative.iter().any(|own| match own.as_slice() {
                    [Segment::AnyDepth] => true,
                    [head @ .., Segment::AnyDepth] => theirs.starts_with(head),
                    _ => own == theirs,
                })
            })
    }

    /// Whether it covers every path.
    pub(crate) fn is_everything(&self) -> bool {
        self.relative
            .iter()
            .any(|segments| segments.as_slice() == [Segment::AnyDepth])
    }

    fn any(&self, place: &Place<'_>, test: impl Fn(&[Segment], &[Cow<'_, str>]) -> bool) -> bool {
        let below = match place.relative() {
            Some(parts) => self.relative.iter().any(|segments| test(segments, parts)),
            // In an additional folder only patterns that hold at any depth can mean a place.
            None => self
                .relative
                .iter()
                .filter(|segments| segments.first() == Some(&Segment::AnyDepth))
                .any(|segments| test(segments, &place.absolute)),
        };
        let anchored = self.absolute.iter().flatten();
        below
            || anchored
                .into_iter()
                .any(|segments| test(segments, &place.absolute))
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Walk {
    Matched,
    /// No match, but more names could make one.
    Open,
    Dead,
}

/// Which positions of a pattern are possible.
type Positions = SmallVec<[bool; 24]>;

/// Goes through the names with every position of the pattern that is still possible.
fn walk(segments: &[Segment], parts: &[Cow<'_, str>]) -> Walk {
    if segments == [Segment::AnyDepth] {
        return Walk::Matched;
    }
    let mut open: Positions = smallvec![false; segments.len() + 1];
    mark(&mut open, segments, 0);
    for part in parts {
        let mut next: Positions = smallvec![false; segments.len() + 1];
        for (index, segment) in segments.iter().enumerate() {
            if !open.get(index).copied().unwrap_or_default() {
                continue;
            }
            match segment {
                Segment::AnyDepth => mark(&mut next, segments, index),
                Segment::Name(tokens) if tokens_match(tokens, part) => {
                    mark(&mut next, segments, index + 1)
                }
                Segment::Name(_) => {}
            }
        }
        open = next;
    }
    match open.split_last() {
        Some((true, _)) => Walk::Matched,
        Some((false, rest)) if rest.contains(&true) => Walk::Open,
        _ => Walk::Dead,
    }
}

/// Opens a position, and those behind `**`, which may stand for nothing.
fn mark(open: &mut [bool], segments: &[Segment], mut index: usize) {
    loop {
        if let Some(place) = open.get_mut(index) {
            *place = true;
        }
        if segments.get(index) != Some(&Segment::AnyDepth) {
            return;
        }
        index += 1;
    }
}

/// Whether one path can have both forms.
fn segments_overlap(left: &[Segment], right: &[Segment]) -> bool {
    let width = right.len() + 1;
    let mut seen = vec![false; (left.len() + 1) * width];
    let mut todo = vec![(0, 0)];
    while let Some((row, column)) = todo.pop() {
        match seen.get_mut(row * width + column) {
            Some(visited) if !*visited => *visited = true,
            _ => continue,
        }
        match (left.get(row), right.get(column)) {
            (None, None) => return true,
            (Some(Segment::AnyDepth), other) => {
                todo.push((row + 1, column));
                if other.is_some() {
                    todo.push((row, column + 1));
                }
            }
            (other, Some(Segment::AnyDepth)) => {
                todo.push((row, column + 1));
                if other.is_some() {
                    todo.push((row + 1, column));
                }
            }
            (Some(Segment::Name(one)), Some(Segment::Name(other)))
                if token_lists_overlap(one, other) =>
            {
                todo.push((row + 1, column + 1));
            }
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(text: &str) -> Place<'_> {
        fn parts(text: &str) -> Parts<'_> {
            let parts = text.split('/').filter(|part| !part.is_empty());
            parts.map(Cow::Borrowed).collect()
        }
        if text.starts_with('/') {
            return Place {
                absolute: parts(text),
                below: None,
            };
        }
        let mut absolute = parts("/home/work");
        absolute.extend(parts(text));
        Place {
            absolute,
            below: Some(2),
        }
    }

    fn matches(pattern: &str, reach: Reach, path: &str) -> bool {
        PathGlob::new(pattern, reach).unwrap().matches(&place(path))
    }

    #[test]
    fn stars_stay_in_a_name_and_double_stars_cross_folders() {
        for (pattern, path, expected) in [
            ("src/*.rs", "src/a.rs", true),
            ("src/*.rs", "src/b/a.rs", false),
            ("src/**", "src/b/a.rs", true),
            ("src/**", "src", true),
            ("src/**", "srcs/a", false),
            ("**/a.rs", "a.rs", true),
            ("**/a.rs", "x/y/a.rs", true),
            ("src/**/a.rs", "src/a.rs", true),
            ("src/?.rs", "src/.rs", false),
            ("*", ".env", true),
            ("{src,lib}/*.rs", "lib/a.rs", true),
            ("[a-c]x", "bx", true),
            ("[!a-c]x", "bx", false),
            ("/src/*", "src/a", true),
            ("/home/work/src/*", "src/a", true),
            ("./src/a", "src/a", true),
            ("a\\*b", "a*b", true),
            ("a\\*b", "axb", false),
        ] {
            assert_eq!(
                matches(pattern, Reach::Narrow, path),
                expected,
                "{pattern} on {path}"
            );
        }
    }

    #[test]
    fn without_a_slash_a_wide_pattern_holds_at_any_depth_and_below() {
        assert!(matches(".env", Reach::Wide, "a/b/.env"));
        assert!(matches("secrets", Reach::Wide, "a/secrets/key"));
        assert!(matches("config/secrets", Reach::Wide, "config/secrets/key"));
        assert!(!matches(
            "config/secrets",
            Reach::Wide,
            "x/config/secrets/key"
        ));
        assert!(!matches(".env", Reach::Narrow, "a/.env"));
        assert!(!matches("secrets", Reach::Narrow, "secrets/key"));
        assert!(matches(".env", Reach::Wide, "/elsewhere/.env"));
    }

    #[test]
    fn folders_that_may_hold_something_covered_are_told() {
        let glob = PathGlob::new("config/secrets", Reach::Wide).unwrap();
        let below = |path: &str| glob.may_match_below(&place(path));
        assert_eq!(
            [
                below(""),
                below("config"),
                below("src"),
                below("config/secrets/x")
            ],
            [true, true, false, true]
        );
    }

    #[test]
    fn forms_overlap_when_one_path_can_have_both() {
        let glob = |text: &str| PathGlob::new(text, Reach::Wide).unwrap();
        for (pattern, shell, expected) in [
            (".env", ".e*", true),
            (".env", "*.md", false),
            (".env", "*", false),
            (".env", "src/.en?", true),
            ("secrets/**", "*/key", true),
            ("secrets/**", "src/*", false),
            ("*.pem", "*.p[a-f]m", true),
        ] {
            let script = tenon_shell::read(shell, tenon_shell::Dialect::Dash).unwrap();
            let word = script.commands().next().unwrap().words[0].clone();
            let form = crate::shell_pattern::form(&[], &word).unwrap();
            assert_eq!(
                glob(pattern).overlaps(&form),
                expected,
                "{pattern} and {shell}"
            );
        }
    }

    #[test]
    fn faults_are_named_with_their_place() {
        let fault = |text: &str| {
            PathGlob::new(text, Reach::Wide)
                .map_err(|error| error.at)
                .unwrap_err()
        };
        assert_eq!(
            [
                fault(""),
                fault("a/[b"),
                fault("a/{b"),
                fault("a/../b"),
                fault("~/x"),
                fault("a\0"),
                fault("a/x**")
            ],
            [0, 2, 2, 2, 0, 1, 3]
        );
    }
}
