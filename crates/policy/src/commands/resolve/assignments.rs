//! What gives values to variables anywhere in a text: gone through once, then looked up by name.

use std::cell::OnceCell;
use std::sync::Arc;

use hashbrown::HashMap;
use tenon_shell::{Assignment, Examination, FindingKind, Invocation, Word};

/// What a variable can hold.
#[derive(Debug, Clone, Default)]
pub(crate) struct Values {
    pub(crate) texts: Vec<String>,
    /// Whether it can hold something else that is no option.
    pub(crate) plain: bool,
}

/// What assignments give to one variable, if there are some; nothing where that cannot be determined.
pub(crate) type Given = Option<Option<Values>>;

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
    /// Whether a command can set variables that it does not name.
    may_set_others: bool,
    given: HashMap<String, Vec<Place>>,
    named: HashMap<String, Setters>,
    /// Those of variables whose names are not known.
    unknown: Setters,
}

/// Commands that name a variable to set it.
#[derive(Debug, Default)]
struct Setters {
    count: usize,
    /// Whether one of them does more than to declare it, as `read` does.
    otherwise: bool,
}

impl Variables {
    fn of(examination: &Examination) -> Self {
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
        let may_set_any = matches!(first, "source" | "." | "eval" | "getopts");
        self.may_be_read |= may_set_any;
        self.are_reset |= first == "set";
        self.may_set_others |= may_set_others(words);
        self.unknown.otherwise |= first == "eval";
        let otherwise = !DECLARING.contains(&first) || words.iter().any(is_reference);
        for name in command.assigned_names() {
            let setters = match name {
                Some(name) => self.named.entry_ref(&*name).or_default(),
                None => &mut self.unknown,
            };
            setters.count += 1;
            setters.otherwise |= otherwise;
        }
    }

    /// The assignments to this variable, each with its text.
    fn given_to<'t>(
        &'t self,
        name: &str,
        examination: &'t Examination,
    ) -> impl Iterator<Item = (usize, &'t Assignment)> + use<'t> {
        let places = self.given.get(name).into_iter().flatten();
        places.filter_map(|(text, finding, number)| {
            let found = examination
                .texts
                .get(*text)?
                .script
                .findings
                .get(*finding)?;
            Some((*text, found.kind.assignments().get(*number)?))
        })
    }

    /// Whether a command such as `read` sets this one.
    pub(crate) fn are_set_otherwise(&self, name: &str) -> bool {
        self.unknown.otherwise
            || self
                .named
                .get(name)
                .is_some_and(|setters| setters.otherwise)
    }

    /// How many assignments and how many commands set this one; nothing where something may set any.
    pub(crate) fn count(&self, name: &str) -> Option<(usize, usize)> {
        let commands = self.named.get(name).map_or(0, |setters| setters.count);
        let all_are_known = !self.may_set_others && self.unknown.count == 0;
        all_are_known.then(|| (self.given.get(name).map_or(0, Vec::len), commands))
    }
}

/// Built-ins that declare variables.
const DECLARING: [&str; 5] = ["declare", "typeset", "local", "export", "readonly"];

/// Whether this is the option by which a variable is another name of one.
fn is_reference(word: &Word) -> bool {
    let text = word.prefix();
    text.starts_with('-') && text.contains('n')
}

/// Whether a command can set variables that it does not name.
pub(crate) fn may_set_others(words: &[Word]) -> bool {
    let name = words.first().and_then(Word::literal).unwrap_or_default();
    let mut arguments = words.iter().skip(1);
    matches!(name, "source" | "." | "eval" | "getopts")
        || DECLARING.contains(&name) && arguments.any(|it| it.is_opaque() || is_reference(it))
}

/// The variables of a text, gone through when that is needed.
#[derive(Debug)]
pub(crate) struct LazyVariables {
    pub(crate) examination: Arc<Examination>,
    found: OnceCell<Variables>,
}

impl LazyVariables {
    pub(crate) const fn of(examination: Arc<Examination>) -> Self {
        Self {
            examination,
            found: OnceCell::new(),
        }
    }

    pub(crate) fn get(&self) -> &Variables {
        self.found.get_or_init(|| Variables::of(&self.examination))
    }

    /// The assignments to a variable, each with its text.
    pub(crate) fn given_to<'t>(
        &'t self,
        name: &str,
    ) -> impl Iterator<Item = (usize, &'t Assignment)> + use<'t> {
        self.get().given_to(name, &self.examination)
    }
}
