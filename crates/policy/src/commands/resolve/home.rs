//! Names below the home directory: `~/x`, `"$HOME"/x`.

use std::path::Path;

use smallvec::smallvec;
use tenon_contract::CommandClaim;
use tenon_shell::{ParameterOperation, Part, Word};

use crate::commands::words::texts::is_one_word;

/// The variable with the home directory.
const NAME: &str = "HOME";

/// The home directory of a call; `None` where it can be something else: the call gives the variable, or the text has
/// its name other than as `$HOME`.
pub(crate) fn home_of<'q>(claim: &CommandClaim, home: Option<&'q Path>) -> Option<&'q str> {
    let text = &claim.text;
    let is_of_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let is_use = |start: usize| {
        let before = text.get(..start).unwrap_or_default();
        let behind = text.get(start + NAME.len()..).unwrap_or_default();
        let alone = before.ends_with('$') && !behind.starts_with(is_of_name);
        alone || (before.ends_with("${") && behind.starts_with('}'))
    };
    let is_given = claim.environment.iter().any(|given| given.name == NAME);
    let mut found = text.match_indices(NAME);
    let is_known = !is_given && found.all(|(start, _)| is_use(start));
    home?.to_str().filter(|_| is_known)
}

/// The word with this home directory in it, where it begins with one and the rest is text.
pub(crate) fn below_home(word: &Word, home: &str) -> Option<Word> {
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
        } if name == NAME && !expansion.tilde && rest.first().is_some_and(goes_on) => {
            // Without quotes it can become several words.
            if !quoted && !is_one_word(home) {
                return None;
            }
            expansion.splits = false;
            ""
        }
        _ => return None,
    };
    let text = |value: &str, quoted| Part::Text {
        value: value.into(),
        quoted,
    };
    let mut parts = smallvec![text(home, true)];
    if !behind.is_empty() {
        parts.push(text(behind, false));
    }
    parts.extend(rest.iter().cloned());
    Some(Word::of_parts(parts, expansion, word.span))
}
