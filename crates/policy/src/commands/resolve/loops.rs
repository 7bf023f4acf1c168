//! What the variable of a `for` loop can be.

use smallvec::SmallVec;
use tenon_contract::GivenVariable;
use tenon_shell::{
    AssignmentKind, Command, Examination, FindingKind, HOME, Invocation, ParameterOperation, Part,
    ScopeId, Script, Span, Word,
};

use crate::commands::resolve::command_places::Place;
use crate::commands::words::texts::in_braces;
use tenon_shell::is_one_word;

/// How many loops are distinguished: the variables of the others are not known.
const MOST: usize = 64;

/// The last place of a variable that the call gives.
const GIVEN: usize = usize::MAX - 1;

/// A variable that has the values of its loop wherever the loop's commands use it.
pub(crate) struct Variable {
    text: usize,
    name: String,
    values: Vec<Word>,
    /// The findings of the loop.
    first: usize,
    last: usize,
}

/// All such variables of a text.
#[derive(Default)]
pub(crate) struct Loops(Vec<Variable>);

impl Loops {
    pub(crate) fn find(examination: &Examination, given: &[GivenVariable]) -> Self {
        let mut loops = Self::default();
        loops.given(given, examination);
        for (text, examined) in examination.texts.iter().enumerate() {
            let script = &examined.script;
            for (place, finding) in script.findings.iter().enumerate() {
                if let FindingKind::Command(command) = &finding.kind
                    && command.words.is_empty()
                {
                    loops.assigned(text, place, finding.scope, command, script);
                }
                if let FindingKind::Assignment(assignment) = &finding.kind
                    && assignment.kind == AssignmentKind::For
                    && !assignment.values.is_empty()
                    && loops.0.len() < MOST
                    && assignment
                        .values
                        .iter()
                        .all(|word| word.pattern().is_some() || substitution(word).is_some())
                {
                    let lists = |word: &Word| in_braces(word).unwrap_or_else(|| vec![word.clone()]);
                    loops.0.push(Variable {
                        text,
                        name: assignment.name.clone(),
                        values: assignment.values.iter().flat_map(lists).collect(),
                        first: place,
                        last: last_of(script, finding.scope, place),
                    });
                }
            }
            loops.working_directory(text, &examined.text, examination);
        }
        if !loops.0.is_empty() {
            loops.keep_certain(examination);
        }
        loops
    }

    /// What the call itself gives holds in all of its text.
    fn given(&mut self, given: &[GivenVariable], examination: &Examination) {
        let texts = 0..examination.texts.len();
        for (text, given) in texts.flat_map(|text| given.iter().map(move |given| (text, given))) {
            if self.0.len() < MOST {
                self.0.push(Variable {
                    text,
                    name: given.name.clone(),
                    values: vec![Word::synthetic(&given.value, Span::new(0, 0))],
                    first: 0,
                    last: GIVEN,
                });
            }
        }
    }

    /// `"$PWD/x"` is `./x`, as long as no program goes into another directory by itself before it uses the name.
    fn working_directory(&mut self, text: usize, written: &str, examination: &Examination) {
        if !written.contains("$PWD") && !written.contains("${PWD}") {
            return;
        }
        let goes_elsewhere = |command: &Invocation| {
            let leads = |word: &Word| matches!(word.literal(), Some("-execdir" | "-okdir"));
            let mut chain = command.chain().into_iter();
            chain.any(|command| !command.directories.is_empty() || command.words.iter().any(leads))
        };
        if self.0.len() < MOST && !examination.commands().any(goes_elsewhere) {
            self.0.push(Variable {
                text,
                name: WORKING_DIRECTORY.to_owned(),
                values: vec![Word::synthetic(".", Span::new(0, 0))],
                first: 0,
                last: usize::MAX,
            });
        }
    }

    /// `file=src/a.ts` holds for what comes behind it.
    fn assigned(
        &mut self,
        text: usize,
        place: usize,
        scope: ScopeId,
        command: &Command,
        script: &Script,
    ) {
        for assignment in &command.assignments {
            let [value] = assignment.values.as_slice() else {
                continue;
            };
            let is_known =
                value.literal().is_some() || substitution(value).is_some() || begins_at_home(value);
            let plain = assignment.kind == AssignmentKind::Alone
                && !assignment.append
                && assignment.subscript.is_none();
            if is_known && plain && self.0.len() < MOST {
                self.0.push(Variable {
                    text,
                    name: assignment.name.clone(),
                    values: vec![value.clone()],
                    first: place + 1,
                    last: last_of(script, scope, place),
                });
            }
        }
    }

    /// Keeps the variables that nothing else can set.
    fn keep_certain(&mut self, examination: &Examination) {
        let mut set: Vec<&str> = Vec::new();
        for text in &examination.texts {
            set.extend(
                text.script
                    .assignments()
                    .map(|assignment| assignment.name.as_str()),
            );
        }
        let mut unknown = false;
        let mut others: Vec<String> = Vec::new();
        for command in examination.commands() {
            for name in command.assigned_names() {
                match name {
                    Some(name) => others.push(name.into_owned()),
                    None => unknown = true,
                }
            }
            unknown |= may_set_others(&command.words);
        }
        self.0.retain(|variable| {
            let sets = set.iter().filter(|name| **name == variable.name).count();
            if variable.name == WORKING_DIRECTORY {
                return !unknown && sets == 0 && !others.contains(&variable.name);
            }
            // The call sets it before the text does.
            let own = usize::from(variable.last != GIVEN);
            !unknown
                && !is_set_by_shells(&variable.name)
                && sets == own
                && !others.contains(&variable.name)
        });
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The commands of which this variable has the words here.
    pub(crate) fn substitution(&self, name: &str, here: Place) -> Option<ScopeId> {
        let variable = self.at(name, here)?;
        match variable.values.as_slice() {
            [value] => substitution(value),
            _ => None,
        }
    }

    /// The one value of a variable, as the text gives it.
    pub(crate) fn text_value(&self, name: &str, here: Place) -> Option<&Word> {
        // The working directory is known as a place only.
        let variable = self.at(name, here).filter(|_| name != WORKING_DIRECTORY)?;
        match variable.values.as_slice() {
            [value] => Some(value),
            _ => None,
        }
    }

    /// The variable of this name at this place of the text.
    fn at(&self, name: &str, here: Place) -> Option<&Variable> {
        self.0.iter().find(|variable| {
            variable.name == name
                && variable.text == here.0
                && (variable.first..=variable.last).contains(&here.1)
        })
    }

    /// The variable whose values this word can have at this place of the text.
    pub(crate) fn variable(&self, word: &Word, here: Place) -> Option<&Variable> {
        let expansion = word.expansion;
        if self.0.is_empty() || expansion.globs || expansion.braces || expansion.tilde {
            return None;
        }
        let mut found = word.parts.iter().filter_map(|part| match part {
            Part::Parameter { name, .. } => Some(name),
            _ => None,
        });
        let name = found.next().filter(|_| found.next().is_none())?;
        if name == WORKING_DIRECTORY && !begins_with_directory(word) {
            return None;
        }
        self.at(name, here)
    }
}

impl Variable {
    /// How many values it has.
    pub(crate) fn count(&self) -> usize {
        self.values.len()
    }

    /// The same where the word is nothing but the variable, whose values can be patterns then: `$package` of `packages/*`.
    pub(crate) fn values_of(&self, word: &Word) -> Option<Vec<Word>> {
        match word.parts.as_slice() {
            [
                Part::Parameter {
                    operation: ParameterOperation::Value,
                    ..
                },
            ] if self.values.iter().any(|value| value.expansion.globs) => Some(self.values.clone()),
            _ => self.values(word),
        }
    }

    /// The words that this one can stand for; `None` when that cannot be determined.
    pub(crate) fn values(&self, word: &Word) -> Option<Vec<Word>> {
        // Without quotes a value can become several words, and a pattern its files.
        let is_whole = |value: &Word| value.literal().is_some_and(is_one_word);
        if word.expansion.splits && !self.values.iter().all(is_whole) {
            return None;
        }
        let values = self.values.iter().map(|value| {
            let mut parts = SmallVec::with_capacity(word.parts.len());
            for part in &word.parts {
                match part {
                    Part::Text { .. } => parts.push(part.clone()),
                    Part::Parameter {
                        operation: ParameterOperation::Value,
                        ..
                    } => {
                        parts.extend(value.parts.iter().cloned());
                    }
                    _ => return None,
                }
            }
            Some(Word::of_parts(parts, value.expansion, word.span))
        });
        values.collect()
    }
}

/// The variable with the working directory.
const WORKING_DIRECTORY: &str = "PWD";

/// Whether the word is the value of a variable in quotes, alone or with a slash behind it.
pub(crate) fn begins_with_directory(word: &Word) -> bool {
    let mut parts = word.parts.iter();
    let is_value = |part: &Part| {
        matches!(
            part,
            Part::Parameter {
                quoted: true,
                operation: ParameterOperation::Value,
                ..
            }
        )
    };
    let first = parts.next().is_some_and(is_value);
    let goes_on = match parts.next() {
        None => true,
        Some(Part::Text { value, .. }) => value.starts_with('/'),
        Some(_) => false,
    };
    first && goes_on && !word.expansion.splits
}

/// Whether the word may be a name below the home directory: `~/x`, `"$HOME/x"`.
fn begins_at_home(word: &Word) -> bool {
    let mut parts = word.parts.iter();
    let first = match parts.next() {
        Some(Part::Text { .. }) => word.expansion.tilde,
        Some(Part::Parameter { name, .. }) => name == HOME,
        _ => false,
    };
    first && parts.all(|part| matches!(part, Part::Text { .. }))
}

/// The scope of a word that is nothing but `$(…)`.
fn substitution(word: &Word) -> Option<ScopeId> {
    match word.parts.as_slice() {
        [Part::CommandSubstitution { scope, .. }] => Some(*scope),
        _ => None,
    }
}

/// Variables to which shells give values by themselves.
const OF_SHELLS: &[&str] = &[
    "_",
    "PWD",
    "OLDPWD",
    "REPLY",
    "MAPFILE",
    "RANDOM",
    "SRANDOM",
    "SECONDS",
    "LINENO",
    "OPTARG",
    "OPTIND",
    "PIPESTATUS",
    "DIRSTACK",
    "FUNCNAME",
    "GROUPS",
    "HISTCMD",
    "COLUMNS",
    "LINES",
    "COPROC",
    "UID",
    "EUID",
    "PPID",
    "SHLVL",
    "HOSTNAME",
    "HOSTTYPE",
    "MACHTYPE",
    "OSTYPE",
];

/// Whether a shell gives this variable values by itself.
fn is_set_by_shells(name: &str) -> bool {
    OF_SHELLS.contains(&name)
        || ["BASH", "EPOCH", "COMP_", "READLINE"]
            .iter()
            .any(|start| name.starts_with(start))
}

/// Whether a command can set variables that it does not name.
pub(crate) fn may_set_others(words: &[Word]) -> bool {
    let name = words.first().and_then(Word::literal).unwrap_or_default();
    match name {
        "source" | "." | "eval" | "getopts" => true,
        "declare" | "typeset" | "local" | "export" | "readonly" => {
            words.iter().skip(1).any(|word| {
                let text = word.prefix();
                word.is_opaque() || (text.starts_with('-') && text.contains('n'))
            })
        }
        _ => false,
    }
}

/// The last finding in this scope or in one inside of it.
pub(crate) fn last_of(script: &Script, scope: ScopeId, first: usize) -> usize {
    // Of the scopes from this one on whether they lie inside of it: a parent comes before its children.
    let mut known: Vec<bool> = Vec::new();
    let mut inside = |id: ScopeId| {
        let place = id.index().checked_sub(scope.index())?;
        while known.len() <= place {
            let parent = script
                .scopes
                .get(scope.index() + known.len())
                .and_then(|scope| scope.parent)
                .and_then(|parent| {
                    known
                        .get(parent.index().checked_sub(scope.index())?)
                        .copied()
                });
            known.push(known.is_empty() || parent.unwrap_or_default());
        }
        known.get(place).copied()
    };
    let behind = script.findings.iter().enumerate().skip(first);
    behind
        .take_while(|(_, finding)| inside(finding.scope) == Some(true))
        .last()
        .map_or(first, |(place, _)| place)
}
