//! Path patterns (docs/policy.md, "Rules"): `*` and `?` stay inside one name, `**` crosses directories, names that begin
//! with a dot are names like any other. Nothing is decoded or folded: a pattern compares characters.

mod overlap;
mod parse;
mod tokens;

pub(crate) use parse::class;
pub(crate) use tokens::fold;
pub(crate) use tokens::{Token, token_lists_overlap, tokens_match};

use std::borrow::Cow;

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
    /// `**`: any number of directories, none included.
    AnyDepth,
    /// Exactly this name.
    Literal(Box<str>),
    /// One name of this form, which is not one name alone.
    Name(Vec<Token>),
}

impl Segment {
    /// One name of this form.
    pub(crate) fn name(tokens: Vec<Token>) -> Self {
        let literal: Option<String> = tokens.iter().map(Token::character).collect();
        literal.map_or_else(|| Self::Name(tokens), |name| Self::Literal(name.into()))
    }

    /// The form for names in small letters.
    pub(crate) fn folded(&self) -> Self {
        match self {
            Self::AnyDepth => Self::AnyDepth,
            Self::Literal(name) => Self::Literal(name.chars().map(fold).collect::<String>().into()),
            Self::Name(tokens) => Self::Name(tokens.iter().map(Token::folded).collect()),
        }
    }

    /// Whether one name can have both forms.
    pub(crate) fn meets(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::AnyDepth, _) | (_, Self::AnyDepth) => true,
            (Self::Literal(one), Self::Literal(other)) => one == other,
            (Self::Literal(name), Self::Name(tokens))
            | (Self::Name(tokens), Self::Literal(name)) => {
                !(name.starts_with('.') && matches!(tokens.first(), Some(Token::ShellRun)))
                    && tokens_match(tokens, name)
            }
            (Self::Name(one), Self::Name(other)) => token_lists_overlap(one, other),
        }
    }

    /// The letters that every name of this form holds.
    fn letters(&self) -> u64 {
        match self {
            Self::AnyDepth => 0,
            Self::Literal(name) => letters(name),
            Self::Name(tokens) => tokens
                .iter()
                .filter_map(Token::character)
                .fold(0, |all, letter| {
                    all | letters(letter.encode_utf8(&mut [0; 4]))
                }),
        }
    }
}

/// One bit for each byte that occurs, as a coarse filter: a text without one of the bits of a piece does not
/// hold the piece.
pub(crate) fn letters(text: &str) -> u64 {
    text.bytes()
        .fold(0, |letters, byte| letters | 1 << (byte & 63))
}

/// Names as disks that ignore case compare them.
pub(crate) fn in_small_letters(names: &str) -> Cow<'_, str> {
    match names.chars().all(|letter| fold(letter) == letter) {
        true => Cow::Borrowed(names),
        false => Cow::Owned(names.chars().map(fold).collect()),
    }
}

/// How far a pattern without a slash, or a pattern that names a directory, reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum GlobExtent {
    /// As a deny or ask rule: at any depth where there is no slash, and everything below a directory it names.
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
    /// Whether it was written with `/**` at its end: what is below a directory, where the directory's own name is no secret.
    below_only: bool,
    /// The letters without which no path is covered: most paths are excluded by this filter.
    letters: u64,
    /// Whether places are compared in small letters, in which the pattern is written then.
    ignores_case: bool,
}

/// A path as it is compared: names with one slash between each two, without `.` and `..`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Place<'p> {
    /// The names down to the workspace root; all of them where the path lies elsewhere.
    above: Cow<'p, str>,
    /// The names below the workspace root; `None` when the path lies elsewhere.
    relative: Option<Cow<'p, str>>,
    letters: u64,
}

impl<'p> Place<'p> {
    /// The place of the path of these names below the workspace root of those names.
    pub(crate) fn inside(root: impl Into<Cow<'p, str>>, relative: impl Into<Cow<'p, str>>) -> Self {
        let (above, relative) = (root.into(), relative.into());
        Self {
            letters: letters(&above) | letters(&relative),
            above,
            relative: Some(relative),
        }
    }

    /// The place of an absolute path elsewhere.
    pub(crate) fn elsewhere(names: impl Into<Cow<'p, str>>) -> Self {
        let above = names.into();
        Self {
            letters: letters(&above),
            above,
            relative: None,
        }
    }

    /// The names below the workspace root; `None` when the path lies elsewhere.
    pub(crate) fn relative(&self) -> Option<&str> {
        self.relative.as_deref()
    }

    /// The names below the workspace root, or of the absolute path where it lies elsewhere.
    pub(crate) fn nearest(&self) -> &str {
        self.relative.as_deref().unwrap_or(&self.above)
    }

    /// The same place in small letters.
    fn small(&self) -> Place<'_> {
        let above = in_small_letters(&self.above);
        match self.relative.as_deref().map(in_small_letters) {
            Some(relative) => Place::inside(above, relative),
            None => Place::elsewhere(above),
        }
    }

    /// All names, those above the workspace root first.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.absolute()
    }

    fn absolute(&self) -> Names<'_> {
        Names {
            first: &self.above,
            rest: self.relative().unwrap_or_default(),
        }
    }
}

/// The names of two texts with one slash between each two.
#[derive(Debug, Clone, Copy)]
struct Names<'p> {
    first: &'p str,
    rest: &'p str,
}

impl<'p> Names<'p> {
    fn of(names: &'p str) -> Self {
        Self {
            first: names,
            rest: "",
        }
    }

    fn is_empty(self) -> bool {
        self.first.is_empty() && self.rest.is_empty()
    }
}

impl<'p> Iterator for Names<'p> {
    type Item = &'p str;

    fn next(&mut self) -> Option<&'p str> {
        if self.first.is_empty() {
            self.first = std::mem::take(&mut self.rest);
            if self.first.is_empty() {
                return None;
            }
        }
        // A slash is never a part of a letter.
        let end = self.first.bytes().position(|byte| byte == b'/');
        let name = self.first.get(..end.unwrap_or(self.first.len()))?;
        let behind = end.and_then(|end| self.first.get(end + 1..));
        self.first = behind.unwrap_or_default();
        Some(name)
    }
}

impl PathGlob {
    /// Whether it is compared with absolute paths as well.
    pub(crate) const fn is_absolute(&self) -> bool {
        self.absolute.is_some()
    }

    /// Compiles a pattern.
    pub(crate) fn new(text: &str, reach: GlobExtent) -> Result<Self, GlobError> {
        parse::compile(text, reach)
    }

    /// The pattern for disks that ignore case: it covers all that this one covers, in any case.
    pub(crate) fn ignoring_case(&self) -> Self {
        let folded = |forms: &[Vec<Segment>]| -> Vec<Vec<Segment>> {
            let form = |segments: &Vec<Segment>| segments.iter().map(Segment::folded).collect();
            forms.iter().map(form).collect()
        };
        let relative = folded(&self.relative);
        let letters = relative.iter().map(|segments| parse::letters_of(segments));
        Self {
            letters: letters.reduce(|all, own| all & own).unwrap_or_default(),
            absolute: self.absolute.as_deref().map(folded),
            relative,
            below_only: self.below_only,
            ignores_case: true,
        }
    }

    /// Whether it covers names in any case.
    pub(crate) const fn ignores_case(&self) -> bool {
        self.ignores_case
    }

    /// Whether the pattern covers this place.
    pub(crate) fn matches(&self, place: &Place<'_>) -> bool {
        let place = &*self.compared(place);
        self.letters & !place.letters == 0
            && self.any(place, |segments, names| {
                walk(segments, names) == Walk::Matched
            })
    }

    /// The place as it is compared.
    fn compared<'a>(&self, place: &'a Place<'_>) -> Cow<'a, Place<'a>> {
        match self.ignores_case {
            true => Cow::Owned(place.small()),
            false => Cow::Borrowed(place),
        }
    }

    /// Whether the two have the same names in the same case.
    pub(crate) fn is_written_as(&self, other: &Self) -> bool {
        self.relative == other.relative && self.absolute == other.absolute
    }

    /// Whether the name of this place itself is covered: not that of a directory of which only the content is.
    pub(crate) fn matches_name(&self, place: &Place<'_>) -> bool {
        if !self.below_only {
            return self.matches(place);
        }
        let below = |segments: &[Segment], names: Names<'_>| {
            let directory = segments
                .strip_suffix(&[Segment::AnyDepth])
                .unwrap_or(segments);
            let something = [Segment::Name(vec![Token::AnyRun]), Segment::AnyDepth];
            walk(&[directory, &something].concat(), names) == Walk::Matched
        };
        self.any(&self.compared(place), below)
    }

    /// Whether something below this directory could be covered, or the directory itself is.
    pub(crate) fn may_match_below(&self, place: &Place<'_>) -> bool {
        let place = &*self.compared(place);
        self.any(place, |segments, names| walk(segments, names) != Walk::Dead)
    }

    /// The same, by its absolute form alone.
    pub(crate) fn may_match_anchored_below(&self, place: &Place<'_>) -> bool {
        let place = self.compared(place);
        let names = place.absolute();
        let mut anchored = self.absolute.iter().flatten();
        anchored.any(|segments| walk(segments, names) != Walk::Dead)
    }

    /// Whether a path of this form could be covered: `form` are the names below the workspace root.
    pub(crate) fn overlaps(&self, form: &[Segment]) -> bool {
        if self.ignores_case {
            let small: Vec<Segment> = form.iter().map(Segment::folded).collect();
            return self.overlaps_small(&small);
        }
        self.overlaps_small(form)
    }

    fn overlaps_small(&self, form: &[Segment]) -> bool {
        self.relative
            .iter()
            .any(|segments| segments_overlap(segments, form))
    }

    /// Whether every path of this form is covered. Cautious: `false` when it cannot be determined.
    pub(crate) fn covers_form(&self, form: &[Segment]) -> bool {
        self.relative.iter().any(|own| match own.as_slice() {
            [head @ .., Segment::AnyDepth] => {
                let is_name = |segment: &Segment| matches!(segment, Segment::Literal(_));
                head.iter().all(is_name) && form.len() > head.len() && form.starts_with(head)
            }
            _ => false,
        })
    }

    /// The paths that it names without a pattern: relative to the workspace root, or absolute. Below each everything is
    /// meant.
    pub(crate) fn literal_paths(&self) -> impl Iterator<Item = String> {
        let relative = self.relative.iter().map(|segments| ("", segments));
        let anchored = self.absolute.iter().flatten();
        let anchored = anchored.map(|segments| ("/", segments));
        relative.chain(anchored).filter_map(|(start, segments)| {
            let names = segments
                .strip_prefix(&[Segment::AnyDepth])
                .unwrap_or(segments);
            let names = names.strip_suffix(&[Segment::AnyDepth]).unwrap_or(names);
            let names: Option<Vec<&str>> = names
                .iter()
                .map(|segment| match segment {
                    Segment::Literal(name) => Some(&**name),
                    Segment::AnyDepth | Segment::Name(_) => None,
                })
                .collect();
            let names = names.filter(|names| !names.is_empty())?;
            Some(format!("{start}{}", names.join("/")))
        })
    }

    /// Whether everything that `other` covers is covered by this one. Cautious: `false` when it cannot be determined.
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

    /// Of each alternative the names that stand in every path that it covers.
    pub(crate) fn written_names(&self) -> impl Iterator<Item = Vec<&str>> {
        // What is anchored is there in its relative form too.
        self.relative.iter().map(|segments| {
            let names = segments.iter().filter_map(|segment| match segment {
                Segment::Literal(name) => Some(&**name),
                Segment::AnyDepth | Segment::Name(_) => None,
            });
            names.collect()
        })
    }

    /// Whether it covers every path.
    pub(crate) fn is_everything(&self) -> bool {
        self.relative
            .iter()
            .any(|segments| segments.as_slice() == [Segment::AnyDepth])
    }

    fn any(&self, place: &Place<'_>, test: impl Fn(&[Segment], Names<'_>) -> bool) -> bool {
        let absolute = place.absolute();
        let below = match place.relative() {
            Some(relative) => self
                .relative
                .iter()
                .any(|segments| test(segments, Names::of(relative))),
            // In an additional directory only patterns that hold at any depth can mean a place.
            None => self
                .relative
                .iter()
                .filter(|segments| segments.first() == Some(&Segment::AnyDepth))
                .any(|segments| test(segments, absolute)),
        };
        let mut anchored = self.absolute.iter().flatten();
        below || anchored.any(|segments| test(segments, absolute))
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Walk {
    Matched,
    /// No match, but more names could make one.
    Open,
    Dead,
}

/// Goes through the names. Behind `**` the rest of the pattern is tried at each further name; the last `**` is enough
/// for that, since what stood before it has been found already.
fn walk(segments: &[Segment], names: Names<'_>) -> Walk {
    let mut rest = names;
    let mut at = 0;
    let mut star: Option<(usize, Names<'_>)> = None;
    loop {
        let mut ahead = rest;
        match segments.get(at) {
            None if rest.is_empty() => return Walk::Matched,
            Some(Segment::AnyDepth) => {
                at += 1;
                if at == segments.len() {
                    return Walk::Matched;
                }
                star = Some((at, rest));
                continue;
            }
            Some(segment) => match ahead.next() {
                None => return Walk::Open,
                Some(name) if takes(segment, name) => {
                    at += 1;
                    rest = ahead;
                    continue;
                }
                Some(_) => {}
            },
            None => {}
        }
        let Some((behind, from)) = &mut star else {
            return Walk::Dead;
        };
        if from.next().is_none() {
            return Walk::Open;
        }
        at = *behind;
        rest = *from;
    }
}

fn takes(segment: &Segment, name: &str) -> bool {
    match segment {
        Segment::AnyDepth => true,
        Segment::Literal(own) => **own == *name,
        Segment::Name(tokens) => tokens_match(tokens, name),
    }
}

/// Whether one path can have both forms.
fn segments_overlap(left: &[Segment], right: &[Segment]) -> bool {
    let is_run = |segment: &Segment| matches!(segment, Segment::AnyDepth);
    overlap::forms_overlap(left, right, is_run, Segment::meets)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(text: &str) -> Place<'_> {
        const ROOT: &str = "home/work";
        match text.strip_prefix('/') {
            Some(absolute) => Place::elsewhere(absolute),
            None => Place::inside(ROOT, text),
        }
    }

    fn matches(pattern: &str, reach: GlobExtent, path: &str) -> bool {
        PathGlob::new(pattern, reach).unwrap().matches(&place(path))
    }

    #[test]
    fn stars_stay_in_a_name_and_double_stars_cross_directories() {
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
                matches(pattern, GlobExtent::Narrow, path),
                expected,
                "{pattern} on {path}"
            );
        }
    }

    #[test]
    fn sequences_in_braces_are_those_of_bash() {
        for (pattern, names) in [
            ("a{1..3}", &["a1", "a2", "a3"][..]),
            ("{3..1}.key", &["3.key", "2.key", "1.key"]),
            ("{08..11}", &["08", "09", "10", "11"]),
            ("{a..e..2}/x", &["a/x", "c/x", "e/x"]),
            ("{-1..1}", &["-1", "0", "1"]),
            ("{x,{1..2}}", &["x", "1", "2"]),
            // What is no sequence is the text itself.
            ("v{1..}", &["v1.."]),
            ("v{a..3}", &["va..3"]),
            ("{1..2,5}", &["1..2", "5"]),
        ] {
            for name in [
                "a1", "a2", "a3", "a4", "a0", "4.key", "8", "12", "b/x", "2", "v1", "va",
            ]
            .iter()
            .chain(names)
            {
                let expected = names.contains(name);
                assert_eq!(
                    matches(pattern, GlobExtent::Narrow, name),
                    expected,
                    "{pattern} on {name}"
                );
            }
        }
        let many = PathGlob::new("{1..9999999999}", GlobExtent::Wide).unwrap_err();
        assert!(
            many.problem.contains("more than 64 patterns"),
            "{}",
            many.problem
        );
    }

    #[test]
    fn without_a_slash_a_wide_pattern_holds_at_any_depth_and_below() {
        assert!(matches(".env", GlobExtent::Wide, "a/b/.env"));
        assert!(matches("secrets", GlobExtent::Wide, "a/secrets/key"));
        assert!(matches(
            "config/secrets",
            GlobExtent::Wide,
            "config/secrets/key"
        ));
        assert!(!matches(
            "config/secrets",
            GlobExtent::Wide,
            "x/config/secrets/key"
        ));
        assert!(!matches(".env", GlobExtent::Narrow, "a/.env"));
        assert!(!matches("secrets", GlobExtent::Narrow, "secrets/key"));
        assert!(matches(".env", GlobExtent::Wide, "/elsewhere/.env"));
    }

    #[test]
    fn directories_that_may_hold_something_covered_are_reported() {
        let glob = PathGlob::new("config/secrets", GlobExtent::Wide).unwrap();
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
        let glob = |text: &str| PathGlob::new(text, GlobExtent::Wide).unwrap();
        for (pattern, shell, expected) in [
            (".env", ".e*", true),
            (".env", "*.md", false),
            (".env", "*", false),
            (".env", "src/.en?", true),
            ("secrets/**", "*/key", true),
            ("secrets/**", "src/*", false),
            ("*.pem", "*.p[a-f]m", true),
        ] {
            let script = tenon_shell::read(shell, tenon_shell::ShellGrammar::Dash).unwrap();
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
    fn the_last_double_star_is_tried_at_every_name() {
        for (pattern, path, expected) in [
            ("**/a/b/**/c", "x/a/a/b/y/c/c", true),
            ("**/a/b/**/c", "x/a/c/b/c", false),
            ("a/**/b/**", "a/x/b", true),
            ("a/**/b", "a/b/x", false),
        ] {
            assert_eq!(
                matches(pattern, GlobExtent::Narrow, path),
                expected,
                "{pattern} on {path}"
            );
        }
    }

    #[test]
    fn faults_are_named_with_their_place() {
        let fault = |text: &str| {
            PathGlob::new(text, GlobExtent::Wide)
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
