//! What stands in the place of a secret: `[redacted: GitHub token, 40 characters]`.

use std::fmt;
use std::ops::Range;

/// How a mark begins.
const START: &str = "[redacted: ";
/// The longest mark that is recognised, in bytes.
const LONGEST: usize = 200;
/// The letters of a tag: 6,760 tags of a letter, a digit and a letter.
const LETTERS: u64 = 26;
const DIGITS: u64 = 10;

/// A mark, by what it says.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Mark {
    pub(crate) kind: String,
    pub(crate) characters: usize,
    /// What depends on the secret itself, where marks may outlive those who know what they stand for.
    pub(crate) tag: Option<String>,
    /// Which of those of its kind, its length and its tag; the first is 1 and does not say so.
    pub(crate) number: usize,
}

impl fmt::Display for Mark {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            kind,
            characters,
            tag,
            number,
        } = self;
        let noun = if *characters == 1 {
            "character"
        } else {
            "characters"
        };
        write!(to, "{START}{kind}, {characters} {noun}")?;
        if let Some(tag) = tag {
            write!(to, ", {tag}")?;
        }
        if *number > 1 {
            write!(to, ", #{number}")?;
        }
        write!(to, "]")
    }
}

/// The tag of a number: `k7x`.
pub(crate) fn tag(number: u64) -> String {
    let letter =
        |number: u64| char::from_digit(u32::try_from(number % LETTERS).unwrap_or(0) + 10, 36);
    let digit = char::from_digit(u32::try_from(number / LETTERS % DIGITS).unwrap_or(0), 10);
    let tag = [letter(number), digit, letter(number / LETTERS / DIGITS)];
    tag.into_iter().flatten().collect()
}

fn is_tag(text: &str) -> bool {
    matches!(text.as_bytes(), [first, digit, last] if first.is_ascii_lowercase() && digit.is_ascii_digit() && last.is_ascii_lowercase())
}

/// All marks of a text, in their order.
pub(crate) fn find(text: &str) -> Vec<(Range<usize>, Mark)> {
    let starts = text.match_indices(START);
    starts
        .filter_map(|(at, _)| {
            let rest = text.get(at..)?;
            let end = rest.find(']').filter(|end| *end < LONGEST)?;
            let mark = read(rest.get(START.len()..end)?)?;
            Some((at..at + end + 1, mark))
        })
        .collect()
}

/// `GitHub token, 40 characters, k7x, #2`
fn read(inside: &str) -> Option<Mark> {
    let (rest, number) = match inside.rsplit_once(", #") {
        Some((rest, number)) => (rest, number.parse().ok()?),
        None => (inside, 1),
    };
    let (rest, tag) = match rest.rsplit_once(", ") {
        Some((rest, tag)) if is_tag(tag) => (rest, Some(tag.to_owned())),
        _ => (rest, None),
    };
    let (kind, length) = rest.rsplit_once(", ")?;
    let count = length
        .strip_suffix(" characters")
        .or_else(|| length.strip_suffix(" character"))?;
    Some(Mark {
        kind: kind.to_owned(),
        characters: count.parse().ok()?,
        tag,
        number,
    })
}
