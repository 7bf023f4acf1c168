//! Options of which only some matter: those that make a program run another one.

use crate::{Span, Word};

/// The options of a program or sub-command, as its manual lists them. The value of an option that is a word of its own
/// is looked at as if it were an option: that errs on the side of asking.
#[derive(Debug, Clone, Copy)]
pub(super) struct Options {
    /// Letters without a value.
    pub(super) flags: &'static str,
    /// Letters with a value, in the same word or the next one; those with an optional one in the same word.
    pub(super) values: &'static str,
    /// Letters that run something.
    pub(super) running: &'static str,
    /// Long options that run nothing, without dashes.
    pub(super) long: &'static [&'static str],
    /// Long options that run something.
    pub(super) long_running: &'static [&'static str],
}

impl Options {
    /// The first word that runs something, or may do so: an option that is not known, one whose name is not literal.
    pub(super) fn find(&self, words: &[Word]) -> Option<Span> {
        words
            .iter()
            .find(|word| self.runs(word))
            .map(|word| word.span)
    }

    fn runs(&self, word: &Word) -> bool {
        let text = word.prefix();
        let open = word.is_opaque();
        if open && word.expansion.braces && text.starts_with('{') {
            return true;
        }
        if let Some(long) = text.strip_prefix("--") {
            return match long.split_once('=') {
                Some((name, _)) => self.long_runs(name),
                None => open || (!long.is_empty() && self.long_runs(long)),
            };
        }
        let Some(letters) = text.strip_prefix('-') else {
            return false;
        };
        for letter in letters.chars() {
            if self.running.contains(letter) {
                return true;
            }
            if self.values.contains(letter) {
                return false;
            }
            if !self.flags.contains(letter) {
                return true;
            }
        }
        open
    }

    /// Programs that take abbreviations prefer an option of exactly this name.
    fn long_runs(&self, name: &str) -> bool {
        if self.long.contains(&name) {
            return false;
        }
        let begins =
            |options: &[&str], name: &str| options.iter().any(|option| option.starts_with(name));
        if begins(self.long_running, name) {
            return true;
        }
        let negated = name.strip_prefix("no-").unwrap_or(name);
        !begins(self.long, name)
            && !begins(self.long, negated)
            && !begins(self.long_running, negated)
    }
}
