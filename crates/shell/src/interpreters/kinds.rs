//! What kind of variable the names of a text are, and whether anything is evaluated at all.

use hashbrown::HashSet;

use super::builtins::{is_option, option_has};
use crate::command::Assignment;
use crate::examine::Examination;
use crate::script::FindingKind;
use crate::unwrap::invocation::Invocation;
use crate::word::Word;

/// Variables whose value bash evaluates when they are assigned.
const NUMBERS: &[&str] = &[
    "RANDOM",
    "SRANDOM",
    "SECONDS",
    "OPTIND",
    "LINENO",
    "HISTCMD",
    "BASHPID",
    "EPOCHSECONDS",
    "EPOCHREALTIME",
    "PPID",
    "UID",
    "EUID",
];

/// The kinds of names.
#[derive(Debug, Default)]
pub(super) struct Kinds<'e> {
    /// Declared as numbers.
    numbers: HashSet<&'e str>,
    /// Lists.
    pub(super) arrays: HashSet<&'e str>,
    /// References to other names.
    pub(super) references: HashSet<&'e str>,
    /// Whether some array has other subscripts than numbers.
    pub(super) named_subscripts: bool,
    /// Whether some text evaluates something.
    pub(super) evaluates: bool,
}

impl<'e> Kinds<'e> {
    pub(super) fn of(examination: &'e Examination) -> Self {
        let mut kinds = Self::default();
        for text in &examination.texts {
            for finding in &text.script.findings {
                match &finding.kind {
                    FindingKind::Evaluated(_) => kinds.evaluates = true,
                    FindingKind::Conditional(conditional) => {
                        kinds.evaluates |= conditional.words.iter().any(is_evaluating_operator);
                    }
                    FindingKind::Assignment(assignment) => kinds.assignment(assignment),
                    FindingKind::Command(command) => {
                        let assignments = command.assignments.iter();
                        assignments.for_each(|assignment| kinds.assignment(assignment));
                    }
                    _ => {}
                }
            }
            for (_, invocation) in &text.invocations {
                for inner in invocation.chain() {
                    kinds.invocation(inner);
                }
            }
        }
        kinds
    }

    /// Whether bash evaluates what is assigned to this name.
    pub(super) fn is_number(&self, name: &str) -> bool {
        self.numbers.contains(name) || NUMBERS.contains(&name)
    }

    fn assignment(&mut self, assignment: &'e Assignment) {
        let is_list = match assignment.values.as_slice() {
            [value] => value.span.end < assignment.span.end,
            _ => true,
        };
        if assignment.subscript.is_some() || is_list {
            self.arrays.insert(&assignment.name);
        }
        self.evaluates |= NUMBERS.contains(&assignment.name.as_str());
    }

    fn invocation(&mut self, invocation: &'e Invocation) {
        let Some(name) = invocation.words.first().and_then(Word::literal) else {
            return;
        };
        let arguments = invocation.words.get(1..).unwrap_or_default();
        match name {
            "declare" | "typeset" | "local" | "export" | "readonly" => {
                self.declaration(name, arguments);
            }
            "read" | "mapfile" | "readarray" => {
                self.evaluates = true;
                let literals = arguments.iter().filter_map(Word::literal);
                self.arrays.extend(literals);
            }
            "let" | "unset" | "wait" => self.evaluates = true,
            "test" | "[" | "printf" => self.evaluates |= !arguments.is_empty(),
            "getopts" => self.evaluates = true,
            _ => {}
        }
    }

    fn declaration(&mut self, name: &str, arguments: &'e [Word]) {
        let has = |letters: &[char]| arguments.iter().any(|word| option_has(word, letters));
        let declares = !matches!(name, "export" | "readonly");
        let number = declares && has(&['i']);
        let (list, reference) = (has(&['a', 'A']), declares && has(&['n']));
        self.evaluates = true;
        self.named_subscripts |= has(&['A']);
        if !(number || list || reference) {
            return;
        }
        for word in arguments.iter().filter(|word| !is_option(word)) {
            let Some(crate::word::Part::Text { value, .. }) = word.parts.first() else {
                continue;
            };
            let end = value.find(['=', '[', '+']).unwrap_or(value.len());
            let name = value.get(..end).unwrap_or_default();
            if number {
                self.numbers.insert(name);
            }
            if list {
                self.arrays.insert(name);
            }
            if reference {
                self.references.insert(name);
            }
        }
    }
}

fn is_evaluating_operator(word: &Word) -> bool {
    matches!(
        word.literal(),
        Some("-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge" | "-v" | "-R")
    )
}
