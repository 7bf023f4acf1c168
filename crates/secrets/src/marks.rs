//! What stands in the place of a secret: `[redacted: GitHub token, 40 characters]`.

use std::fmt;
use std::ops::Range;

/// How a mark begins.
const START: &str = "[redacted: ";
/// The longest mark that is recognised, in bytes.
const LONGEST: usize = 200;

/// A mark, by what it says.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Mark {
    pub(crate) kind: String,
    pub(crate) characters: usize,
    /// Which of those of its kind and its length; the first is 1 and does not say so.
    pub(crate) number: usize,
}

impl fmt::Display for Mark {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            kind,
            characters,
            number,
        } = self;
        let noun = if *characters == 1 {
            "character"
        } else {
            "characters"
        };
        write!(to, "{START}{kind}, {characters} {noun}")?;
        if *number > 1 {
            write!(to, ", #{number}")?;
        }
        write!(to, "]")
    }
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

/// `GitHub token, 40 characters, #2`
fn read(inside: &str) -> Option<Mark> {
    let (rest, number) = match inside.rsplit_once(", #") {
        Some((rest, number)) => (rest, number.parse().ok()?),
        None => (inside, 1),
    };
    let (kind, length) = rest.rsplit_once(", ")?;
    let count = length
        .strip_suffix(" characters")
        .or_else(|| length.strip_suffix(" character"))?;
    Some(Mark {
        kind: kind.to_owned(),
        characters: count.parse().ok()?,
        number,
    })
}
