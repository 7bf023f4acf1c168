//! What gives values to variables anywhere in a text: gone through once, then looked up by name.

use hashbrown::{HashMap, HashSet};
use tenon_shell::{Assignment, Examination, ExaminedText, FindingKind, Invocation, Word};

/// Where an assignment stands: its text, the finding there, and its own place in the finding.
type Place = (usize, usize, usize);

/// What gives values to the variables of a text and of those inside of it.
#[derive(Debug, Default)]
pub(crate) struct Variables {
    /// How many findings there are.
    pub(crate) findings: usize,
    /// Whether a text is run that is not there to be read and can set variables.
    pub(crate) may_be_read: bool,
    /// Whether there are functions, which have positional parameters of their own.
    pub(crate) of_functions: bool,
    /// Whether a `set` can give the positional parameters other values.
    pub(crate) are_reset: bool,
    given: HashMap<String, Vec<Place>>,
    /// Those that commands such as `read` set.
    named: HashSet<String>,
    /// Whether such a command can set any.
    any: bool,
}

impl Variables {
    pub(crate) fn of(examination: &Examination) -> Self {
        let mut variables = Self::default();
        for (text, examined) in examination.texts.iter().enumerate() {
            variables.findings += examined.script.findings.len();
            for (finding, found) in examined.script.findings.iter().enumerate() {
                variables.of_functions |= matches!(found.kind, FindingKind::Function(_));
                for (number, assignment) in found.kind.assignments().iter().enumerate() {
                    let list = variables.given.entry_ref(assignment.name.as_str());
                    list.or_default().push((text, finding, number));
                }
            }
        }
        for command in examination.commands() {
            variables.command(command);
        }
        variables
    }

    fn command(&mut self, command: &Invocation) {
        let words = &command.words;
        let first = words.first().and_then(Word::literal).unwrap_or_default();
        self.may_be_read |= matches!(first, "source" | "." | "eval" | "getopts");
        self.are_reset |= first == "set";
        self.any |= first == "eval";
        let refers = || {
            words.iter().any(|word| {
                let text = word.prefix();
                text.starts_with('-') && text.contains('n')
            })
        };
        let declares = ["export", "readonly", "declare", "typeset", "local"];
        if declares.contains(&first) && !refers() {
            return;
        }
        for name in command.assigned_names() {
            match name {
                Some(name) => drop(self.named.get_or_insert_with(&*name, str::to_owned)),
                None => self.any = true,
            }
        }
    }

    /// The assignments to this variable, each with its text.
    pub(crate) fn given_to<'e>(
        &self,
        name: &str,
        examination: &'e Examination,
    ) -> impl Iterator<Item = (&'e ExaminedText, &'e Assignment)> {
        let places = self.given.get(name).into_iter().flatten();
        places.filter_map(|(text, finding, number)| {
            let text = examination.texts.get(*text)?;
            let found = text.script.findings.get(*finding)?;
            Some((text, found.kind.assignments().get(*number)?))
        })
    }

    /// Whether a command such as `read` sets this one.
    pub(crate) fn are_set_otherwise(&self, name: &str) -> bool {
        self.any || self.named.contains(name)
    }
}
