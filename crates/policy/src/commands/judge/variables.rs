//! Variables that load or choose code (docs/policy.md, "Commands").

use hashbrown::HashMap;
use tenon_contract::GivenVariable;
use tenon_contract::variables::{chooses_code, chooses_code_in_calls, is_plain_value};
use tenon_shell::{Assignment, AssignmentKind, Command, Invocation, Word};

use crate::commands::judge::CommandJudge;
use crate::commands::judge::settings::is_pointing;
use crate::decision::PartKind;

impl<'e> CommandJudge<'e, '_> {
    /// Adds a part for a variable of the call's own environment that can load or choose code. Windows reads names in
    /// any case, and so do some programs.
    pub(crate) fn given_variable(&mut self, given: &GivenVariable) {
        // That one is judged beside the commands to which it is given.
        self.host_of_variable(&given.name, &given.value);
        let is_judged = is_pointing(&given.name);
        if !is_judged && !self.open && !given.is_plain() && chooses_code_in_calls(&given.name) {
            self.ask_about(&given.name, "The call");
        }
    }

    /// Adds a part for an assignment that can load or choose code.
    pub(crate) fn assigned(&mut self, assignment: &Assignment) {
        for value in &assignment.values {
            self.host_of_variable(&assignment.name, &value.prefix());
        }
        if !is_harmless(assignment) {
            self.variable(&assignment.name, "The command");
        }
    }

    /// Adds a part for a variable that can load or choose code, whatever its value.
    pub(crate) fn variable(&mut self, name: &str, who: &str) {
        if self.counts(name) {
            self.ask_about(name, who);
        }
    }

    /// Adds parts for the variables that a command names to set them.
    pub(crate) fn named(&mut self, command: &Invocation, whole: &str) {
        let names = command.assigned_names();
        if names.is_empty() {
            return;
        }
        let words = &command.words;
        let (mut values, mut unknown) = (Values::default(), false);
        for name in names {
            match name {
                Some(name) if !self.counts(&name) => {}
                Some(name) if values.are_harmless(words, &name) => {}
                Some(name) => self.variable(&name, "The command"),
                // Of several the first one says it for all.
                None if unknown => {}
                None => {
                    unknown = true;
                    self.unknown_variable(whole);
                }
            }
        }
    }

    /// Whether it matters that this variable is set.
    fn counts(&self, name: &str) -> bool {
        !self.open && chooses_code(name)
    }

    pub(crate) fn ask_about(&mut self, name: &str, who: &str) {
        let what = match name.to_ascii_lowercase().ends_with("_proxy") {
            true => "through which connections go to another host",
            false => "which can load or select code",
        };
        let reason = format!("{who} sets `{name}`, {what}.");
        self.ask(PartKind::Variable, name, reason);
    }

    /// Adds a part for a variable whose name is not known.
    pub(crate) fn unknown_variable(&mut self, subject: &str) {
        if !self.open {
            let reason = "The name of the variable that is set is not known from the text.";
            self.ask(PartKind::Variable, subject, reason);
        }
    }
}

/// Whether the assignment gives a value of no consequence, as `CC=clang`.
pub(crate) fn is_harmless(assignment: &Assignment) -> bool {
    !assignment.append
        && assignment.subscript.is_none()
        && !assignment.values.is_empty()
        && assignment.values.iter().all(|value| {
            value
                .literal()
                .is_some_and(|value| is_plain_value(&assignment.name, value))
        })
}

/// The values that the words of `export` and its relatives give, such as `CC=clang`, once one is asked for.
#[derive(Default)]
struct Values<'w>(Option<HashMap<&'w str, bool>>);

impl<'w> Values<'w> {
    /// Whether these words give this variable only values of no consequence.
    fn are_harmless(&mut self, words: &'w [Word], name: &str) -> bool {
        let values = self.0.get_or_insert_with(|| plain_values(words));
        values.get(name).copied().unwrap_or_default()
    }
}

/// The names to which the words of `export` and its relatives give values, and whether all of these are plain.
fn plain_values(words: &[Word]) -> HashMap<&str, bool> {
    let mut values = HashMap::new();
    let declares = ["export", "readonly", "declare", "typeset", "local"];
    let first = words.first().and_then(Word::literal);
    if first.is_some_and(|first| declares.contains(&first)) {
        for word in words.iter().filter_map(Word::literal) {
            if let Some((name, value)) = word.split_once('=') {
                *values.entry(name).or_insert(true) &= is_plain_value(name, value);
            }
        }
    }
    values
}

/// `IFS= read -r line`: it holds for this one `read`.
pub(crate) fn splits_one_line(assignment: &Assignment, command: &Command) -> bool {
    let name = command.words.first().and_then(Word::literal);
    assignment.kind == AssignmentKind::Prefix && assignment.name == "IFS" && name == Some("read")
}
