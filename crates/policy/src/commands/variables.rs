//! Variables that load or choose code (B8).

use tenon_contract::variables::{chooses_code, chooses_code_in_calls, is_plain_value};
use tenon_shell::{Assignment, AssignmentKind, Command, Word, assigned_names};

use crate::commands::Context;
use crate::decision::{Judgement, PartKind, Why};

impl<'e> Context<'e, '_> {
    /// Adds a part for a variable of the call's own environment that can load or choose code. Windows reads names in
    /// any case, and so do some programs.
    pub(crate) fn given_variable(&self, name: &str, judgement: &mut Judgement<'e>) {
        if !self.open && chooses_code_in_calls(name) {
            self.ask_about(name, "The call", judgement);
        }
    }

    /// Adds a part for an assignment that can load or choose code.
    pub(crate) fn assigned(&self, assignment: &Assignment, judgement: &mut Judgement<'e>) {
        if !is_harmless(assignment) {
            self.variable(&assignment.name, "The command", judgement);
        }
    }

    /// Adds a part for a variable that can load or choose code, whatever its value.
    pub(crate) fn variable(&self, name: &str, who: &str, judgement: &mut Judgement<'e>) {
        if !self.open && chooses_code(name) {
            self.ask_about(name, who, judgement);
        }
    }

    /// Adds parts for the variables that a command names to set them.
    pub(crate) fn named(&self, words: &[Word], whole: &str, judgement: &mut Judgement<'e>) {
        for name in assigned_names(words) {
            match name {
                Some(name) if is_harmless_word(words, &name) => {}
                Some(name) => self.variable(&name, "The command", judgement),
                None => self.unknown_variable(whole, judgement),
            }
        }
    }

    fn ask_about(&self, name: &str, who: &str, judgement: &mut Judgement<'e>) {
        let reason = format!("{who} sets `{name}`, which can load or choose code.");
        judgement.add(self.floor(PartKind::Variable, name, Why::sentence(reason)));
    }

    /// Adds a part for a variable whose name is not known.
    pub(crate) fn unknown_variable(&self, subject: &str, judgement: &mut Judgement<'e>) {
        if !self.open {
            let reason = "The name of the variable that is set cannot be told from the text.";
            judgement.add(self.floor(PartKind::Variable, subject, Why::sentence(reason)));
        }
    }
}

/// Whether the assignment gives a value of no consequence, as `CC=clang`.
pub(super) fn is_harmless(assignment: &Assignment) -> bool {
    !assignment.append
        && assignment.subscript.is_none()
        && !assignment.values.is_empty()
        && assignment.values.iter().all(|value| {
            value
                .literal()
                .is_some_and(|value| is_plain_value(&assignment.name, value))
        })
}

/// Whether a word of `export` such as `CC=clang` gives a value of no consequence.
pub(super) fn is_harmless_word(words: &[Word], name: &str) -> bool {
    let declares = ["export", "readonly", "declare", "typeset", "local"];
    if !words
        .first()
        .and_then(Word::literal)
        .is_some_and(|first| declares.contains(&first))
    {
        return false;
    }
    let mut values = words
        .iter()
        .filter_map(Word::literal)
        .filter_map(|word| word.strip_prefix(name)?.strip_prefix('='))
        .peekable();
    values.peek().is_some() && values.all(|value| is_plain_value(name, value))
}

/// `IFS= read -r line`: it holds for this one `read`.
pub(super) fn splits_one_line(assignment: &Assignment, command: &Command) -> bool {
    let name = command.words.first().and_then(Word::literal);
    assignment.kind == AssignmentKind::Prefix && assignment.name == "IFS" && name == Some("read")
}
