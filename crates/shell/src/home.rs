//! Names below the home directory: `~/x`, `"$HOME"/x`.

use smallvec::smallvec;

use crate::word::{ParameterOperation, Part, Word};
use crate::words::Words;

/// The variable with the home directory.
pub const HOME: &str = "HOME";

/// The word with this home directory in it, where it begins with one and the rest is text.
#[must_use]
pub fn below_home(word: &Word, home: &str) -> Option<Word> {
    let (first, rest) = word.parts.split_first()?;
    let is_text = |part: &Part| matches!(part, Part::Text { .. });
    let goes_on = |part: &Part| matches!(part, Part::Text { value, .. } if value.starts_with('/'));
    if word.expansion.braces || !rest.iter().all(is_text) {
        return None;
    }
    let mut expansion = word.expansion;
    let behind = match first {
        Part::Text {
            value,
            quoted: false,
        } if expansion.tilde && !expansion.splits => {
            expansion.tilde = false;
            value
                .strip_prefix('~')
                .filter(|rest| rest.starts_with('/'))?
        }
        Part::Parameter {
            name,
            operation: ParameterOperation::Value,
            quoted,
        } if name == HOME && !expansion.tilde && rest.first().is_some_and(goes_on) => {
            // Without quotes it can become several words.
            if !quoted && !is_one_word(home) {
                return None;
            }
            expansion.splits = false;
            ""
        }
        _ => return None,
    };
    let mut parts = smallvec![Part::text(home, true)];
    if !behind.is_empty() {
        parts.push(Part::text(behind, false));
    }
    parts.extend(rest.iter().cloned());
    Some(Word::of_parts(parts, expansion, word.span))
}

/// The words of a command whose name is below this home directory, with the name as it will be.
pub(crate) fn named_below_home(words: Words, home: Option<&str>) -> Words {
    let name = home.and_then(|home| below_home(words.first()?, home));
    let Some(name) = name else {
        return words;
    };
    let others = words.iter().skip(1).cloned();
    let named: Vec<Word> = std::iter::once(name).chain(others).collect();
    Words::from(named)
}

/// Whether a name stays one word, and no option, wherever a text of names is taken apart.
#[must_use]
pub fn is_one_word(name: &str) -> bool {
    !name.starts_with('-')
        && !name.chars().any(|letter| {
            letter.is_whitespace()
                || letter.is_control()
                || matches!(letter, '\'' | '"' | '\\' | '*' | '?' | '[' | '\u{fffd}')
        })
}
