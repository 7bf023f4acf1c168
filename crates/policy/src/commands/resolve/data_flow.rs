//! Names that a part of a text finds and another uses: `find … | xargs grep`, `rg -l … | xargs sed`, `find -exec`,
//! `$(find …)`, `for f in $(…)`, `… | while read f`.
//!
//! Which names those are is not in the text, but they lie below the directories of the program that finds them, and have
//! the forms that it was given.

use std::cell::OnceCell;

use hashbrown::HashMap;
use tenon_shell::{
    Command, ExaminedText, FindingKind, Invocation, Part, Redirection, RedirectionOperator,
    ScopeId, ScopeKind, Script, Word, Words,
};

use crate::commands::resolve::{Directories, LazyVariables, Place, WorkingDirs};
use crate::commands::words::outputs::{Filter, filter};
use crate::commands::words::selection::{ends_names_by_zero, lists_names};

/// How many places of each kind are looked at.
const MOST: usize = 32;

/// Programs that find names.
const FINDERS: &[&str] = &["find", "fd", "rg", "grep", "egrep", "fgrep", "git"];

/// A program that finds names.
#[derive(Debug, Clone)]
pub(crate) struct Source {
    pub(crate) words: Words,
    /// Where it runs.
    pub(crate) state: WorkingDirs,
    /// Whether each name ends with a byte that no name holds.
    pub(crate) by_zero: bool,
    /// Whether a filter made that of lines.
    pub(crate) from_lines: bool,
}

/// Where names are used.
enum Taker {
    /// What `xargs` adds in this command.
    Arguments(Place),
    /// `$(…)` of this scope.
    Substitution(usize, ScopeId),
    /// A variable, in the findings from the first to the last.
    Variable {
        text: usize,
        name: String,
        first: usize,
        last: usize,
    },
}

/// All uses of found names in a text.
#[derive(Default)]
pub(crate) struct DataFlow(Vec<(Taker, Source)>);

impl DataFlow {
    pub(crate) fn find(variables: &LazyVariables, directories: &Directories) -> Self {
        let mut feeds = Self::default();
        let examination = &variables.examination;
        let mut commands = examination.commands();
        if !commands.any(|command| {
            command
                .base_name()
                .is_some_and(|name| FINDERS.contains(&name))
        }) {
            return feeds;
        }
        for (index, text) in examination.texts.iter().enumerate() {
            let any = ["xargs", "$(", "`", "read"];
            if !any.iter().any(|mark| text.text.contains(mark)) {
                continue;
            }
            let pipes = Pipes {
                text,
                index,
                directories,
                contents: OnceCell::new(),
            };
            pipes.arguments(&mut feeds.0);
            pipes.substitutions(&mut feeds.0);
            pipes.variables(variables, &mut feeds.0);
        }
        feeds
    }

    /// What feeds the `xargs` of this command.
    pub(crate) fn arguments(&self, at: Place) -> Option<&Source> {
        self.0.iter().find_map(|(taker, source)| {
            matches!(taker, Taker::Arguments(place) if *place == at).then_some(source)
        })
    }

    /// What the commands in this scope find.
    pub(crate) fn substitution(&self, text: usize, scope: ScopeId) -> Option<&Source> {
        self.0.iter().find_map(|(taker, source)| {
            matches!(taker, Taker::Substitution(of, own) if *of == text && *own == scope)
                .then_some(source)
        })
    }

    /// What is read into this variable at this place.
    pub(crate) fn variable(&self, name: &str, here: Place) -> Option<&Source> {
        self.0.iter().find_map(|(taker, source)| match taker {
            Taker::Variable {
                text,
                name: own,
                first,
                last,
            } if own == name && *text == here.0 && (*first..=*last).contains(&here.1) => {
                Some(source)
            }
            _ => None,
        })
    }
}

/// The pipelines of one text.
struct Pipes<'t> {
    text: &'t ExaminedText,
    index: usize,
    directories: &'t Directories,
    /// What lies in each scope, by its number, once that is asked.
    contents: OnceCell<HashMap<usize, ScopeContents>>,
}

/// What lies in a scope and in those inside of it.
struct ScopeContents {
    id: ScopeId,
    /// The last finding.
    last: usize,
    /// How many there are.
    count: usize,
    only_commands: bool,
}

/// What lies in each scope of a script, by its number: gone through once for all substitutions.
fn contents(script: &Script) -> HashMap<usize, ScopeContents> {
    let mut all = HashMap::new();
    for (finding, found) in script.findings.iter().enumerate() {
        for (id, _) in script.enclosing(found.scope) {
            let own = all.entry(id.index()).or_insert(ScopeContents {
                id,
                last: finding,
                count: 0,
                only_commands: true,
            });
            own.last = finding;
            own.count += 1;
            own.only_commands &= matches!(found.kind, FindingKind::Command(_));
        }
    }
    all
}

impl<'t> Pipes<'t> {
    fn command(&self, finding: usize) -> Option<&'t Command> {
        self.text.script.command_at(finding)
    }

    /// The command whose output is the input of what begins here.
    fn before(&self, start: usize) -> Option<usize> {
        self.text.invocations.iter().find_map(|(finding, _)| {
            let end = self.command(*finding)?.span.end;
            let between = self.text.text.get(end..start)?;
            let sign = between.trim_matches([' ', '\t', '\n', '\\']);
            (sign == "|").then_some(*finding)
        })
    }

    /// The program that finds what this command lists, itself or through filters, and how many commands that are.
    fn source(&self, finding: usize) -> Option<(Source, usize)> {
        let mut finding = finding;
        let mut from_lines = false;
        for count in 1..=8 {
            let (command, invocation) = (self.command(finding)?, self.text.invocation(finding)?);
            // Errors among the names can hold anything.
            let mixes = |redirection: &Redirection| {
                redirection.is_input()
                    || redirection.operator == RedirectionOperator::DuplicateOutput
            };
            if !invocation.inner.is_empty() || command.redirections.iter().any(mixes) {
                return None;
            }
            let words = &invocation.words;
            if lists_names(words) {
                let by_zero = ends_names_by_zero(words);
                let source = Source {
                    words: words.clone(),
                    state: self.directories.at(self.index, finding),
                    by_zero: by_zero || from_lines,
                    from_lines,
                };
                // Lines are made of lines only.
                return (!(by_zero && from_lines)).then_some((source, count));
            }
            match filter(words)? {
                Filter::Lines => {}
                Filter::LinesToZero => from_lines = true,
            }
            finding = self.before(command.span.start)?;
        }
        None
    }

    fn arguments(&self, found: &mut Vec<(Taker, Source)>) {
        let uses = |invocation: &Invocation| {
            let chain = invocation.chain();
            let mut names = chain.iter().map(|command| command.base_name());
            names.any(|name| name == Some("xargs"))
        };
        let taking = self
            .text
            .invocations
            .iter()
            .filter(|(_, invocation)| uses(invocation));
        for (finding, _) in taking.take(MOST) {
            let Some(command) = self.command(*finding) else {
                continue;
            };
            if command.redirections.iter().any(Redirection::is_input) {
                continue;
            }
            let source = self
                .before(command.span.start)
                .and_then(|before| self.source(before));
            let taker = Taker::Arguments((self.index, *finding));
            found.extend(source.map(|(source, _)| (taker, source)));
        }
    }

    fn substitutions(&self, found: &mut Vec<(Taker, Source)>) {
        let scopes = self.text.script.scopes.iter().enumerate();
        let substituting = scopes.filter(|(_, scope)| {
            matches!(
                scope.kind,
                ScopeKind::CommandSubstitution | ScopeKind::ProcessSubstitution
            )
        });
        for (number, _) in substituting.take(MOST) {
            let Some((id, source)) = self.of_scope(number) else {
                continue;
            };
            found.push((Taker::Substitution(self.index, id), source));
        }
    }

    /// What the commands of a scope find, if they are one pipeline and nothing else.
    fn of_scope(&self, number: usize) -> Option<(ScopeId, Source)> {
        let all = self.contents.get_or_init(|| contents(&self.text.script));
        let own = all.get(&number).filter(|own| own.only_commands)?;
        let (source, length) = self.source(own.last)?;
        (length == own.count).then_some((own.id, source))
    }

    /// `… | while read -r name`, `while read -r name; … done < <(…)`.
    fn variables(&self, variables: &LazyVariables, found: &mut Vec<(Taker, Source)>) {
        let script = &self.text.script;
        let reads = self
            .text
            .invocations
            .iter()
            .filter_map(|(finding, invocation)| Some((finding, read_variable(&invocation.words)?)));
        for (finding, name) in reads.take(MOST) {
            if variables.get().count(name) != Some((0, 1)) {
                continue;
            }
            let Some(scope) = script.findings.get(*finding).map(|finding| finding.scope) else {
                continue;
            };
            let Some(looping) = script
                .scope(scope)
                .filter(|scope| scope.kind == ScopeKind::Loop)
            else {
                continue;
            };
            let command_feeds = self
                .command(*finding)
                .is_none_or(|command| command.redirections.iter().any(Redirection::is_input));
            let source = looping
                .parent
                .filter(|_| !command_feeds)
                .and_then(|outer| self.input(outer));
            let taker = Taker::Variable {
                text: self.index,
                name: name.to_owned(),
                first: *finding,
                last: crate::commands::resolve::loops::last_of(script, scope, *finding),
            };
            found.extend(source.map(|source| (taker, source)));
        }
    }

    /// What a loop in this scope reads.
    fn input(&self, outer: ScopeId) -> Option<Source> {
        let script = &self.text.script;
        let redirections: Vec<&Redirection> = script
            .findings
            .iter()
            .filter_map(|finding| match &finding.kind {
                FindingKind::Redirection(redirection) if redirection.is_input() => {
                    Some(&**redirection)
                }
                _ => None,
            })
            .collect();
        match redirections.as_slice() {
            [] => {
                let scope = script.scope(outer)?;
                if scope.kind != ScopeKind::PipelineElement {
                    return None;
                }
                let before = self.before(scope.start)?;
                self.source(before).map(|(source, _)| source)
            }
            [one] if one.operator == RedirectionOperator::Read => {
                match one.target.parts.as_slice() {
                    [Part::ProcessSubstitution { scope }] => {
                        self.of_scope(scope.index()).map(|(_, source)| source)
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

/// The variable of `read -r name`.
pub(crate) fn read_variable(words: &Words) -> Option<&str> {
    let mut literals = words.iter().map(Word::literal);
    if literals.next().flatten() != Some("read") {
        return None;
    }
    let mut rest: Vec<&str> = literals.collect::<Option<_>>()?;
    rest.retain(|word| *word != "-r");
    match rest.as_slice() {
        [name] if !name.starts_with('-') => words.iter().rev().find_map(|word| {
            let text = word.literal()?;
            (text == *name).then_some(text)
        }),
        _ => None,
    }
}
