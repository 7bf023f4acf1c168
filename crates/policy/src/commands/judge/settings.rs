//! Variables by which a program may be led to other settings, code or programs, of whatever name: their value is a path, or
//! their name says that it is a file, a directory or a program.
//!
//! A program that is there to run the code of the project may be pointed at what lies in the workspace.

use std::path::Path;

use tenon_contract::{GivenVariable, posix_path_text};
use tenon_programs::words::variables::{ENDINGS, OUTPUTS, WITHOUT_CONSEQUENCE};
use tenon_programs::{CommandTraits, Traits};
use tenon_shell::{
    Assignment, AssignmentKind, Inner, Invocation, ParameterOperation, Part, Span, Word,
};

use crate::commands::judge::TextJudge;
use crate::commands::resolve::WorkingDirs;
use crate::commands::words::NameSet;
use crate::decision::PartKind;
use crate::paths::is_rooted;

/// Variables of which the value is of no consequence.
static HARMLESS: NameSet = NameSet::new(|| WITHOUT_CONSEQUENCE.iter().copied().collect());

/// Where the value of a variable leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Leads {
    /// It is no path.
    Nowhere,
    /// It is a name or a word, which can be that of a file.
    Word,
    /// Into the workspace.
    Inside,
    /// Elsewhere, or it cannot be determined.
    Elsewhere,
}

/// Whether it only runs commands that are looked at by themselves.
fn passes_on(command: &Invocation) -> bool {
    let is_command = |inner: &Inner| matches!(inner, Inner::Command(_));
    !command.inner.is_empty() && command.inner.iter().all(is_command)
}

/// Whether the command runs nothing but code of the project, or what finds no settings by variables.
fn runs_the_project(invocation: &Invocation) -> bool {
    invocation.chain().iter().all(|command| {
        let written = command.words.first().and_then(Word::literal);
        let is_path = written.is_some_and(|written| written.contains('/'));
        let has_text = command
            .inner
            .iter()
            .any(|inner| matches!(inner, Inner::Text(_)));
        let runs = is_path || command.is(Traits::PROJECT_TOOL.with(Traits::NO_SETTINGS));
        passes_on(command) || (runs && !has_text)
    })
}

/// What is run by commands that a variable is given to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Running {
    /// Nothing but code of the project, or what finds no settings by variables.
    Project,
    /// The same, of which some removes what a program keeps, wherever a variable says that it does.
    Clearing,
    /// Something else.
    Others,
}

impl Running {
    fn of(invocation: &Invocation) -> Self {
        Self::of_all(&mut std::iter::once(invocation))
    }

    fn of_all(commands: &mut dyn Iterator<Item = &Invocation>) -> Self {
        let mut clears = false;
        for command in commands {
            if !runs_the_project(command) {
                return Self::Others;
            }
            let chain = command.chain();
            let mut inner = chain.iter().filter_map(|command| command.command());
            clears |= inner.any(|(command, _)| command.is(CommandTraits::CLEARS));
        }
        if clears {
            Self::Clearing
        } else {
            Self::Project
        }
    }
}

/// Whether the command finds no settings by variables.
fn is_plain(invocation: &Invocation) -> bool {
    invocation.chain().iter().all(|command| {
        passes_on(command) || (command.is(Traits::NO_SETTINGS) && command.inner.is_empty())
    })
}

/// Variables that say where code of the project is, and what the programs are that they may point at what lies in the workspace.
const POINTING: &[(&str, Traits)] = &[
    ("BUNDLE_GEMFILE", Traits::PROJECT_TOOL),
    ("NODE_PATH", Traits::PROJECT_TOOL),
    ("PYTHONPATH", Traits::PYTHON_CODE),
];

/// Whether a variable says where code of the project is, so that it is judged beside the commands that get it.
pub(crate) fn is_pointing(name: &str) -> bool {
    POINTING.iter().any(|(pointing, _)| *pointing == name)
}

/// The paths of a list, where nothing but the list as it was and the working directory are put in.
fn pieces(variable: &str, value: &Word) -> Option<Vec<String>> {
    if value.expansion.globs || value.expansion.braces || value.expansion.tilde {
        return None;
    }
    let mut text = String::new();
    for part in &value.parts {
        match part {
            Part::Text { value, .. } => text.push_str(value),
            Part::Parameter {
                name, operation, ..
            } if name == "PWD" && *operation == ParameterOperation::Value => text.push('.'),
            Part::Parameter {
                name, operation, ..
            } if name == variable
                && (text.is_empty() || text.ends_with(':'))
                && *operation == ParameterOperation::Value =>
            {
                text.push('.')
            }
            _ => return None,
        }
    }
    Some(text.split(':').map(str::to_owned).collect())
}

/// Whether all that this runs is one of these programs, or a module of Python that no row is about.
fn runs_only(command: &Invocation, programs: Traits) -> bool {
    let chain = command.chain();
    let before = std::iter::once(None).chain(chain.iter().map(Some));
    let mut pairs = chain.iter().zip(before);
    pairs.all(|(command, before)| {
        let is_module = before.is_some_and(|before| before.is(Traits::PYTHON_CODE));
        passes_on(command)
            || command.is(programs)
            || is_module && command.program().is_none() && programs.has(Traits::PYTHON_CODE)
    })
}

/// Whether the name says that its value is a file, a directory or a program.
fn says_path(name: &str) -> bool {
    ENDINGS
        .iter()
        .any(|ending| name.len() > ending.len() && name.ends_with(ending))
}

impl<'e> TextJudge<'_, 'e, '_> {
    /// Whether this says where code of the project is, inside of the workspace, to what runs that.
    pub(crate) fn points_at_the_project(
        &self,
        index: usize,
        assignment: &Assignment,
        command: &Invocation,
    ) -> bool {
        let ([value], true) = (assignment.values.as_slice(), is_pointing(&assignment.name)) else {
            return false;
        };
        let is_exported = command.base_name() == Some("export");
        let at = self.at(index);
        let points = |value: &Word| match assignment.kind {
            AssignmentKind::Prefix => self.points((&assignment.name, value), at.dirs, command),
            AssignmentKind::Declaration if is_exported => {
                self.points_for_all((&assignment.name, value))
            }
            _ => false,
        };
        match self.judge.loop_values(value, at) {
            Some(values) => values.iter().all(points),
            None => points(value),
        }
    }

    /// Whether `export` does nothing but to say where code of the project is.
    pub(crate) fn exports_places_of_the_project(
        &self,
        index: usize,
        (assignments, command): (&[Assignment], &Invocation),
    ) -> bool {
        let mut each = assignments.iter();
        !assignments.is_empty()
            && assignments.len() + 1 == command.words.len()
            && each.all(|assignment| self.points_at_the_project(index, assignment, command))
    }

    /// The same for all commands of the text, each where it runs.
    fn points_for_all(&self, named: (&str, &Word)) -> bool {
        let commands = self.text.invocations.iter();
        let mut given = commands
            .filter(|(_, command)| command.base_name() != Some("export") && !is_plain(command))
            .peekable();
        let mut points = given.peek().is_some();
        points &= given.all(|(index, command)| self.points(named, self.at(*index).dirs, command));
        points && self.text.error.is_none()
    }

    fn points(
        &self,
        (variable, value): (&str, &Word),
        directories: WorkingDirs,
        command: &Invocation,
    ) -> bool {
        let pointing = POINTING.iter().find(|(name, _)| *name == variable);
        let Some((_, programs)) = pointing else {
            return false;
        };
        let stays = |piece: &str| {
            let path = if piece.is_empty() { "." } else { piece };
            let directories = self
                .judge
                .path_table
                .candidates(directories)
                .into_iter()
                .flatten();
            let mut directories = directories.peekable();
            directories.peek().is_some()
                && directories.all(|directory| {
                    let name = self.judge.path_table.follow(directory, path);
                    name.inside().is_some()
                })
        };
        runs_only(command, *programs)
            && self.reading.facts.links.is_empty()
            && pieces(variable, value).is_some_and(|pieces| pieces.iter().all(|piece| stays(piece)))
    }

    /// A variable that is set for this command.
    pub(crate) fn setting(&mut self, assignment: &Assignment, command: &Invocation) {
        if self.judge.open || HARMLESS.contains(&assignment.name) || is_plain(command) {
            return;
        }
        if !crate::commands::judge::variables::is_harmless(assignment)
            && self.leads_elsewhere(&assignment.name, &assignment.values, Running::of(command))
        {
            let program = command.written_name().unwrap_or("it");
            self.led(&assignment.name, "The command", program);
        }
    }

    /// The variables that the call gives to its commands, as if each were written before every one of them.
    pub(crate) fn given_settings(&mut self) {
        if self.judge.open {
            return;
        }
        for given in &self.judge.claim.environment {
            self.pattern_in(given);
            let value = Word::synthetic(&given.value, Span::new(0, 0));
            let start = self.at(0).in_dirs(self.reading.directories.start());
            self.judge.named_in_variable(&given.name, &value, start);
            if is_pointing(&given.name) {
                self.given_pointing(given);
                continue;
            }
            if HARMLESS.contains(&given.name) || given.is_plain() {
                continue;
            }
            let value = [Word::synthetic(&given.value, Span::new(0, 0))];
            let invocations = self.text.invocations.iter();
            let mut chain = invocations.flat_map(|(_, invocation)| invocation.chain());
            let led = chain.find(|command| {
                !is_plain(command)
                    && self.leads_elsewhere(&given.name, &value, Running::of(command))
            });
            if let Some(command) = led {
                let program = command.written_name().unwrap_or("it");
                self.led(&given.name, "The call", program);
            }
        }
    }

    /// Where code of the project is, for every command.
    fn given_pointing(&mut self, given: &GivenVariable) {
        let value = Word::synthetic(&given.value, Span::new(0, 0));
        let mut commands = self.text.invocations.iter();
        let start = self.reading.directories.start();
        let named = (given.name.as_str(), &value);
        let points =
            commands.all(|(_, command)| is_plain(command) || self.points(named, start, command));
        if !points || self.text.error.is_some() {
            self.judge.ask_about(&given.name, "The call");
        }
    }

    /// A pattern in such a variable, which the shell expands where it is used.
    fn pattern_in(&mut self, given: &GivenVariable) {
        let used = format!("${}", given.name);
        let in_braces = format!("${{{}", given.name);
        if self.text.text.contains(&used) || self.text.text.contains(&in_braces) {
            let value = [Word::synthetic(&given.value, Span::new(0, 0))];
            let start = self.at(0).in_dirs(self.reading.directories.start());
            self.judge.values_as_options(&value, start);
        }
    }

    /// A variable that is set for all that follows.
    pub(crate) fn exported(&mut self, assignment: &Assignment) {
        let exports = match assignment.kind {
            AssignmentKind::Declaration => true,
            AssignmentKind::Alone => *self.exports.get_or_init(|| {
                let marks = ["export", "set -", "declare", "typeset", "allexport"];
                marks.iter().any(|mark| self.text.text.contains(mark))
            }),
            _ => false,
        };
        if self.judge.open || !exports || HARMLESS.contains(&assignment.name) {
            return;
        }
        let runs = *self.running.get_or_init(|| {
            let mut commands = self
                .text
                .invocations
                .iter()
                .map(|(_, invocation)| invocation);
            Running::of_all(&mut commands)
        });
        if !crate::commands::judge::variables::is_harmless(assignment)
            && self.leads_elsewhere(&assignment.name, &assignment.values, runs)
        {
            let program = "a command behind it";
            self.led(&assignment.name, "The command", program);
        }
    }

    /// Whether a variable of these values may lead programs elsewhere.
    fn leads_elsewhere(&self, name: &str, values: &[Word], running: Running) -> bool {
        let is_of_project = running != Running::Others;
        if OUTPUTS.contains(&name) && values.iter().all(|value| self.is_temporary(value)) {
            return !is_of_project;
        }
        let leads = values.iter().map(|value| self.leads(value)).max();
        match (leads.unwrap_or(Leads::Nowhere), running) {
            (Leads::Nowhere, _) => false,
            (_, Running::Clearing) => true,
            (Leads::Word, _) => says_path(name) && !is_of_project,
            (Leads::Inside, _) => !is_of_project,
            (Leads::Elsewhere, _) => true,
        }
    }

    /// Whether this is a place in a directory for temporary files, links followed.
    fn is_temporary(&self, value: &Word) -> bool {
        let path = value
            .literal()
            .filter(|text| is_rooted(text))
            .map(|text| posix_path_text(text));
        let resolver = self.judge.path_table.resolver();
        let real = path.and_then(|path| resolver.real(Path::new(&*path)));
        let mut temporary = self.judge.engine.temporary().iter();
        real.is_some_and(|real| temporary.any(|above| real.starts_with(above) && real != *above))
    }

    fn led(&mut self, name: &str, who: &str, program: &str) {
        let reason = format!(
            "{who} sets `{name}`, by which `{program}` may be led to other settings, code or programs."
        );
        self.judge.ask(PartKind::Variable, name, reason);
    }

    fn leads(&self, value: &Word) -> Leads {
        let Some(text) = value.literal() else {
            let first = value.parts.first();
            let is_here = matches!(first, Some(Part::Parameter { name, .. }) if name == "PWD");
            let mut paths = value.parts.iter().filter_map(|part| match part {
                Part::Text { value, .. } if value.contains('/') && !value.contains("://") => {
                    Some(value)
                }
                _ => None,
            });
            return match paths.next() {
                None => Leads::Word,
                Some(text) if is_here && !text.contains("..") => Leads::Inside,
                Some(_) => Leads::Elsewhere,
            };
        };
        let is_said = ["", "true", "false", "yes", "no", "on", "off"].contains(&text);
        if is_said || text.bytes().all(|byte| byte.is_ascii_digit()) {
            return Leads::Nowhere;
        }
        let pieces = text
            .split([':', ',', ' ', '='])
            .filter(|piece| !piece.is_empty());
        let is_address = text.contains("://") && !text.contains("file://");
        let leads = pieces
            .filter(|_| !is_address)
            .map(|piece| self.piece_leads(piece));
        leads.max().unwrap_or(Leads::Nowhere)
    }

    fn piece_leads(&self, piece: &str) -> Leads {
        let piece = &*posix_path_text(piece);
        if piece == "/dev/null" {
            return Leads::Nowhere;
        }
        if piece.starts_with('~') || piece.split('/').any(|part| part == "..") {
            return Leads::Elsewhere;
        }
        if piece.starts_with('/') {
            let root = self.judge.engine.root.to_str();
            let below = root.and_then(|root| piece.strip_prefix(root));
            let inside = below.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
            return if inside {
                Leads::Inside
            } else {
                Leads::Elsewhere
            };
        }
        if piece.contains('/') {
            Leads::Inside
        } else {
            Leads::Word
        }
    }
}
