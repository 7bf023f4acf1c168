//! Built-ins that evaluate their arguments, or give variables a value.

use super::graph::Class;
use super::words::Outputs;
use super::{Pass, is_plain_name, programs};
use crate::builtins::assigned_words;
use crate::command::Command;
use crate::word::{Part, Word};

/// The built-ins that [`Pass::builtin`] knows.
pub(super) const EVALUATING: &[&str] = &[
    "test",
    "[",
    "let",
    "declare",
    "typeset",
    "local",
    "export",
    "readonly",
    "read",
    "mapfile",
    "readarray",
    "printf",
    "getopts",
    "unset",
    "wait",
    "set",
];

impl Pass<'_> {
    /// One of [`EVALUATING`].
    pub(super) fn builtin(
        &mut self,
        text: usize,
        command: &Command,
        name: &str,
        words: &[Word],
        outputs: &Outputs<'_>,
    ) {
        let arguments = words.get(1..).unwrap_or_default();
        for word in assigned_words(words) {
            if !is_plain_name(word) {
                self.subscript_site(text, word, outputs);
            }
        }
        match name {
            "test" | "[" => self.test(text, arguments, outputs),
            "let" => {
                for word in arguments {
                    if word.expansion.globs {
                        self.found.unknown.push((text, word.span));
                    }
                    self.site(text, word.span, word, outputs);
                }
                self.unwritten(text, words, Class::Number);
            }
            "read" | "getopts" => self.unwritten(text, words, Class::Unknown),
            "mapfile" | "readarray" => {
                // What `-C` names is run.
                let calls = |word: &&Word| option_has(word, &['C']);
                if let Some(word) = arguments.iter().find(calls) {
                    self.found.unknown.push((text, word.span));
                }
                self.unwritten(text, words, Class::Unknown);
            }
            "printf" => {
                let numbers = programs::prints_numbers(arguments);
                let class = if numbers {
                    Class::Number
                } else {
                    Class::Unknown
                };
                self.unwritten(text, words, class);
            }
            "wait" => self.unwritten(text, words, Class::Number),
            "set" => {
                let all = self.graph.name("@");
                for word in arguments {
                    self.graph.value(all, word, outputs);
                }
            }
            "declare" | "typeset" | "local" | "export" | "readonly" => {
                self.declaration(text, command, words, outputs);
            }
            _ => {}
        }
    }

    /// `test` and `[`: only `-v` evaluates, but an argument can become it.
    fn test(&mut self, text: usize, arguments: &[Word], outputs: &Outputs<'_>) {
        for (place, word) in arguments.iter().enumerate() {
            let becomes_several = word.expansion.splits
                || (word.expansion.globs
                    && word
                        .prefix()
                        .chars()
                        .all(|letter| "*?[]-v".contains(letter)));
            if becomes_several {
                self.value_site(text, word, outputs);
            }
            let may_be_option = match word.literal() {
                Some(literal) => literal == "-v",
                None => matches!(word.prefix().as_ref(), "" | "-" | "-v"),
            };
            let next = arguments.get(place + 1).filter(|_| may_be_option);
            if let Some(next) = next.filter(|next| !is_plain_name(next)) {
                self.subscript_site(text, next, outputs);
            }
        }
    }

    /// `declare` and its relatives.
    fn declaration(
        &mut self,
        text: usize,
        command: &Command,
        words: &[Word],
        outputs: &Outputs<'_>,
    ) {
        let arguments = words.get(1..).unwrap_or_default();
        let arrays = arguments.iter().any(|word| option_has(word, &['a', 'A']));
        for word in arguments.iter().filter(|word| !is_option(word)) {
            let prefix = word.prefix();
            let name = prefix.split(['=', '[', '+']).next().unwrap_or_default();
            let assignments = &command.assignments;
            let place = assignments.binary_search_by_key(&word.span.start, |own| own.span.start);
            let read = place.ok().and_then(|place| assignments.get(place));
            let is_list = read.is_some_and(|own| {
                let [value] = own.values.as_slice() else {
                    return true;
                };
                value.span.end < own.span.end
            });
            let assigns = word.is_opaque() || prefix.contains('=');
            if assigns && !is_list && (arrays || self.kinds.arrays.contains(name)) {
                // A value in parentheses is read as a list, with all that is in it.
                self.value_site(text, word, outputs);
            }
            if assigns && read.is_none() && !name.is_empty() {
                if prefix.contains('[') {
                    self.subscript_site(text, word, outputs);
                }
                let node = self.graph.assigned(name);
                self.graph.value(node, word, outputs);
                if self.kinds.references.contains(name) {
                    self.found.unknown.push((text, word.span));
                }
            }
            if self.kinds.is_number(name) {
                self.name_site(text, word.span, name);
            }
        }
    }
}

/// Whether an argument is an option.
pub(super) fn is_option(word: &Word) -> bool {
    let text = word.prefix();
    text.starts_with(['-', '+']) && matches!(word.parts.first(), Some(Part::Text { .. }))
}

/// Whether an argument is an option with one of these letters.
pub(super) fn option_has(word: &Word, letters: &[char]) -> bool {
    is_option(word) && (word.is_opaque() || word.prefix().contains(letters))
}
