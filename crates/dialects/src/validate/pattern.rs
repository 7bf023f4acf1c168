//! Regular expressions of JSON Schema, which are those of ECMAScript.

use fancy_regex::{Regex, RegexBuilder};

/// Most steps that a pattern may take back before it counts as not matching.
const MAX_BACKTRACKS: usize = 1_000_000;

/// A compiled pattern. It need not match the whole text, as JSON Schema has it.
#[derive(Debug, Clone)]
pub(crate) struct Pattern(Regex);

impl Pattern {
    /// Compiles a pattern; nothing when it uses what the engine does not know.
    pub(crate) fn new(source: &str) -> Option<Self> {
        let mut builder = RegexBuilder::new(&translate(source));
        builder
            .backtrack_limit(MAX_BACKTRACKS)
            .build()
            .ok()
            .map(Self)
    }

    /// Whether the pattern occurs in a text. A pattern that would take too long does not.
    pub(crate) fn is_match(&self, text: &str) -> bool {
        self.0.is_match(text).unwrap_or(false)
    }
}

/// ECMAScript's classes are of ASCII, and inside of brackets a bracket is a letter like others.
fn translate(source: &str) -> String {
    let mut translated = String::with_capacity(source.len());
    let mut letters = source.chars();
    let mut in_class = false;
    while let Some(letter) = letters.next() {
        match (letter, in_class) {
            ('\\', _) => match (letters.next(), in_class) {
                (Some('d'), false) => translated.push_str("[0-9]"),
                (Some('w'), false) => translated.push_str("[A-Za-z0-9_]"),
                (Some('d'), true) => translated.push_str("0-9"),
                (Some('w'), true) => translated.push_str("A-Za-z0-9_"),
                (Some('D'), _) => translated.push_str("[^0-9]"),
                (Some('W'), _) => translated.push_str("[^A-Za-z0-9_]"),
                (Some('/'), _) => translated.push('/'),
                (Some(other), _) => translated.extend(['\\', other]),
                (None, _) => translated.push('\\'),
            },
            ('[', false) => {
                in_class = true;
                translated.push('[');
            }
            (']', true) => {
                in_class = false;
                translated.push(']');
            }
            ('[' | '&' | '~', true) => translated.extend(['\\', letter]),
            _ => translated.push(letter),
        }
    }
    translated
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_mean_what_they_mean_in_ecmascript() {
        let matches =
            |source: &str, text: &str| Pattern::new(source).map(|pattern| pattern.is_match(text));
        let cases = [
            (r"^\d+$", "123", true),
            (r"^\d+$", "١٢٣", false),
            (r"^\w+$", "größe", false),
            (r"^[\w.-]+@[\w.-]+$", "a.b@c-d.e", true),
            (r"^[^[\]]+$", "a]", false),
            (r"^(?=.*\d)(?=.*[a-z]).{4,}$", "abc1", true),
            (r"^(?=.*\d)(?=.*[a-z]).{4,}$", "abcd", false),
            (r"^https?:\/\/", "https://x", true),
            (r"^(\w)\1$", "aa", true),
            ("b", "abc", true),
            ("^[&~]+$", "&&~~", true),
            (r"^\u00e4$", "ä", true),
            (r"^\p{Lu}", "Ä", true),
        ];
        for (source, text, expected) in cases {
            assert_eq!(matches(source, text), Some(expected), "{source} {text}");
        }
    }

    #[test]
    fn a_pattern_that_would_take_for_ever_ends() {
        let pattern = Pattern::new(r"^(a+)+\1$").unwrap();
        assert!(!pattern.is_match(&format!("{}b", "a".repeat(60))));
    }

    #[test]
    fn a_pattern_that_does_not_parse_is_none() {
        assert!(Pattern::new("(").is_none());
    }
}
