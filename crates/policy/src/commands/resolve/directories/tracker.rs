//! Follows the directories through the findings of one text.

use tenon_shell::{
    DirectoryChange, ExaminedText, FindingKind, HOME, Invocation, ParameterOperation, Part,
    Redirection, ScopeId, Script, Span, Word, below_home,
};

use crate::commands::resolve::directories::removals::Removals;
use crate::commands::resolve::directories::round_trips::{RoundTrip, round_trips};
use crate::commands::resolve::directories::{MAX_CANDIDATES, Move, Reached, go};
use crate::commands::resolve::loops::begins_with_directory;
use crate::commands::resolve::{Candidates, Loops, PathTable, WorkingDirs};
use crate::paths::ListedKind;

/// Commands joined by `&&`: a later one runs only after the earlier ones succeeded.
struct Chain {
    process: ScopeId,
    end: usize,
    state: WorkingDirs,
}

/// What the names of directories in one text can stand for.
#[derive(Clone, Copy)]
pub(crate) struct Around<'t> {
    pub(crate) path_table: &'t PathTable<'t>,
    pub(crate) loops: &'t Loops,
    /// The number of the text.
    pub(crate) number: usize,
}

/// Follows the directories through one text.
pub(crate) struct Tracker<'t> {
    text: &'t ExaminedText,
    around: Around<'t>,
    /// Findings that change the directory of their process, in order.
    changing: &'t [usize],
    /// Of each scope the process that it runs in.
    processes: Vec<ScopeId>,
    /// Of each scope that is a process the directory, once a command in it was met.
    directories: Vec<Option<WorkingDirs>>,
    chain: Option<Chain>,
    moves: Vec<(usize, Move)>,
    /// Loops whose turns end where they begin, if no change of the directory fails.
    round_trips: Vec<RoundTrip>,
    /// Of each that is begun and cannot fail the findings that go there and back, and the directory where it began.
    returns: Vec<(usize, usize, WorkingDirs)>,
}

impl<'t> Tracker<'t> {
    pub(crate) fn new(
        text: &'t ExaminedText,
        around: Around<'t>,
        changing: &'t [usize],
        start: WorkingDirs,
    ) -> Self {
        let mut directories = vec![None; text.script.scopes.len()];
        if let Some(root) = directories.first_mut() {
            *root = Some(start);
        }
        Self {
            text,
            around,
            changing,
            processes: text.script.processes(),
            directories,
            chain: None,
            moves: Vec::new(),
            round_trips: round_trips(text, around, changing),
            returns: Vec::new(),
        }
    }

    /// Where each finding runs, and what those that change the directory do.
    pub(crate) fn run(mut self, removals: &Removals<'_>) -> (Vec<WorkingDirs>, Vec<(usize, Move)>) {
        let (script, number) = (&self.text.script, self.around.number);
        let unsettled = self.unsettled();
        let mut states = Vec::with_capacity(script.findings.len());
        for (index, finding) in script.findings.iter().enumerate() {
            let process = self.process_of(finding.scope);
            if unsettled.binary_search(&index).is_ok() {
                self.set(process, WorkingDirs::UNKNOWN);
            }
            // What a later turn takes away is gone for the next one.
            let is_gone = |directory: &str| removals.may_hold(number, usize::MAX, directory);
            self.begin_round_trip(index, process, is_gone);
            let state = self.state(process);
            let Some(command) = finding.kind.command() else {
                states.push(state);
                continue;
            };
            let joined = self.joined(process, command.span.start);
            let state = joined.unwrap_or(state);
            states.push(state);
            let mut after = state;
            if self.changing.binary_search(&index).is_ok() {
                let stays = |directory: &str| !removals.may_hold(number, index, directory);
                let returns = self.returns.iter().find(|(_, back, _)| *back == index);
                after = match returns.copied() {
                    Some((_, _, start)) => self.go_back(index, process, start),
                    None => self.change(index, (process, finding.scope), state, stays),
                };
            }
            self.link(
                process,
                command.span.start,
                command.span.end,
                after,
                joined.is_some(),
            );
        }
        (states, self.moves)
    }

    /// Notes where a turn of a loop begins that ends there again. Where it may not, its second one begins elsewhere.
    fn begin_round_trip(&mut self, index: usize, process: ScopeId, is_gone: impl Fn(&str) -> bool) {
        let trip = self.round_trips.iter().find(|trip| trip.there == index);
        let Some(trip) = trip else { return };
        let (there, back) = (trip.there, trip.back);
        let (directories, up) = (trip.directories.clone(), trip.up.clone());
        let state = self.state(process);
        let path_table = self.around.path_table;
        let surely = |state: WorkingDirs, path: &str| {
            let word = Word::synthetic(path, Span::new(0, 0));
            let (movement, reached) = go(state, &word, path_table);
            let reached = reached.filter(|reached| movement == Move::Free && reached.certain)?;
            Some(path_table.working_dirs(reached.directories))
        };
        let returns = |directory: &String| {
            let inside = surely(state, directory).filter(|_| !is_gone(directory));
            inside.and_then(|inside| surely(inside, &up)) == Some(state)
        };
        match directories.len() <= MAX_CANDIDATES && directories.iter().all(returns) {
            true => self.returns.push((there, back, state)),
            false => self.set(process, WorkingDirs::UNKNOWN),
        }
    }

    /// Ends a turn of a loop where it began.
    fn go_back(&mut self, index: usize, process: ScopeId, start: WorkingDirs) -> WorkingDirs {
        self.moves.push((index, Move::Free));
        self.set(process, start);
        start
    }

    fn process_of(&self, scope: ScopeId) -> ScopeId {
        let known = self.processes.get(scope.index());
        known.copied().unwrap_or(ScopeId::ROOT)
    }

    /// The process around this one.
    fn outer(&self, process: ScopeId) -> Option<ScopeId> {
        let scope = self.text.script.scope(process)?;
        scope.parent.map(|parent| self.process_of(parent))
    }

    fn set(&mut self, process: ScopeId, state: WorkingDirs) {
        if let Some(known) = self.directories.get_mut(process.index()) {
            *known = Some(state);
        }
    }

    /// The directory of a process; a new one starts where its parent is.
    fn state(&mut self, process: ScopeId) -> WorkingDirs {
        if let Some(state) = self.directories.get(process.index()).copied().flatten() {
            return state;
        }
        let state = match self.outer(process) {
            Some(parent) if parent != process => self.state(parent),
            _ => WorkingDirs::UNKNOWN,
        };
        self.set(process, state);
        state
    }

    /// The directory behind the commands that must have succeeded for this one to run.
    fn joined(&self, process: ScopeId, start: usize) -> Option<WorkingDirs> {
        let chain = self.chain.as_ref()?;
        let gap = self.text.text.get(chain.end..start)?;
        let near = chain.process == process || self.outer(process) == Some(chain.process);
        (near && matches!(gap.trim(), "&&" | "|")).then_some(chain.state)
    }

    fn link(
        &mut self,
        process: ScopeId,
        start: usize,
        end: usize,
        state: WorkingDirs,
        joined: bool,
    ) {
        if joined {
            if let Some(chain) = &mut self.chain {
                chain.end = end;
                if chain.process == process {
                    chain.state = state;
                }
            }
            return;
        }
        // Commands of a substitution come before the command that holds them: they do not end a chain.
        if self.chain.as_ref().is_some_and(|chain| {
            chain.process != process && self.text.script.is_within(process, chain.process)
        }) {
            return;
        }
        let before = self.text.text.get(..start).unwrap_or_default().trim_end();
        let conditional = ["||", "&&", "!", "|"]
            .iter()
            .any(|operator| before.ends_with(operator));
        self.chain = (!conditional).then_some(Chain {
            process,
            end,
            state,
        });
    }

    /// Where the word of this finding leads from here: each of the values that a variable of a loop has.
    fn go(&self, state: WorkingDirs, word: &Word, index: usize) -> (Move, Option<Reached>) {
        // What runs an inner text may have another home directory.
        let home = self.around.path_table.home();
        let home = home.filter(|_| self.text.origin.is_none());
        let to = |word: &Word| {
            let named =
                home.and_then(|home| below_home(word, home).or_else(|| at_home(word, home)));
            let named = named.or_else(|| self.below_here(word));
            go(
                state,
                named.as_ref().unwrap_or(word),
                self.around.path_table,
            )
        };
        let here = (self.around.number, index);
        let values = self.around.loops.variable(word, here);
        let values = values.filter(|variable| variable.count() <= MAX_CANDIDATES);
        let values = values.and_then(|variable| variable.values_of(word));
        match values.filter(|values| !values.is_empty()) {
            Some(values) => joined(values.iter().map(|value| {
                // `cd ""` stays where it is.
                let here = Word::synthetic(".", value.span);
                let value = if value.literal() == Some("") {
                    &here
                } else {
                    value
                };
                let below = self.any_below(state, value);
                below.map_or_else(|| to(value), |why| (why, None))
            })),
            None => to(word),
        }
    }

    /// `cd` alone.
    fn go_home(
        &self,
        state: WorkingDirs,
        invocation: Option<&Invocation>,
        index: usize,
    ) -> (Move, Option<Reached>) {
        let name = invocation.and_then(|invocation| invocation.words.first());
        match (self.around.path_table.home(), name) {
            (Some(home), Some(name)) if self.text.origin.is_none() => {
                self.go(state, &Word::synthetic(home, name.span), index)
            }
            _ => (Move::Leaves("it leads to the home directory"), None),
        }
    }

    /// `"$PWD/x"` is `./x`.
    fn below_here(&self, word: &Word) -> Option<Word> {
        let mut assigned = self.text.script.assignments();
        let [Part::Parameter { name, .. }, behind @ ..] = word.parts.as_slice() else {
            return None;
        };
        if name != "PWD" || assigned.any(|assigned| assigned.name == "PWD") {
            return None;
        }
        let rest = Word::of_parts(behind.iter().cloned().collect(), word.expansion, word.span);
        let rest = rest
            .literal()
            .filter(|rest| rest.is_empty() || rest.starts_with('/'))?;
        begins_with_directory(word).then(|| Word::synthetic(&format!(".{rest}"), word.span))
    }

    /// What entering each directory of a pattern like `packages/*` does: it is free where none of them is a link. Which one it is
    /// is not known, and one that the text makes may be among them.
    fn any_below(&self, state: WorkingDirs, word: &Word) -> Option<Move> {
        let pattern = word.pattern().filter(|_| word.expansion.globs)?;
        let pattern = pattern.trim_end_matches('/');
        let (above, last) = pattern.rsplit_once('/').unwrap_or((".", pattern));
        let expands = |text: &str| text.contains(['*', '?', '[', '(', '{', '\\']);
        if expands(above) || last.starts_with('.') || word.expansion.tilde || word.expansion.braces
        {
            return None;
        }
        let path_table = self.around.path_table;
        let above = Word::synthetic(above, word.span);
        let (movement, reached) = go(state, &above, path_table);
        let is_free = reached.filter(|_| movement == Move::Free)?;
        let mut directories = is_free.directories.iter();
        // `cd -P` goes elsewhere.
        let is_option = |name: &str| !pattern.contains('/') && name.starts_with('-');
        let holds_no_link = directories.all(|directory| {
            let path = path_table.path(*directory);
            let listed = path_table.links(path_table.target_of(&path).as_deref().unwrap_or(&path));
            listed.is_some_and(|listed| {
                let mut listed = listed.iter();
                listed.all(|entry| entry.kind != ListedKind::Link && !is_option(&entry.name))
            })
        });
        holds_no_link.then_some(Move::Free)
    }

    fn change(
        &mut self,
        index: usize,
        (process, scope): (ScopeId, ScopeId),
        state: WorkingDirs,
        stays: impl Fn(&str) -> bool,
    ) -> WorkingDirs {
        let invocation = self.text.invocation(index);
        let chain = invocation.map(tenon_shell::Invocation::chain);
        let change = chain
            .iter()
            .flatten()
            .find_map(|command| command.directory_change());
        let (movement, reached) = match change {
            Some(DirectoryChange::To(word)) => self.go(state, word, index),
            Some(DirectoryChange::Home) => self.go_home(state, invocation, index),
            // Nothing comes behind it: `cd src && ls && cd -`.
            Some(DirectoryChange::Unknown) if self.goes_back_at_the_end(index, scope) => {
                (Move::Free, None)
            }
            Some(DirectoryChange::Unknown) => (Move::Leaves("its target is not known"), None),
            // Through `eval`: the inner text says what applies to it.
            None => (Move::Free, None),
        };
        self.moves.push((index, movement));
        let Some(reached) = reached else {
            self.set(process, WorkingDirs::UNKNOWN);
            return WorkingDirs::UNKNOWN;
        };
        let success = self.settle(reached.directories);
        let skippable = self
            .text
            .script
            .ancestry(scope)
            .take_while(|kind| !kind.is_separate_process())
            .any(|kind| kind.may_be_skipped());
        let stays = match change {
            Some(DirectoryChange::To(word)) => word.literal().is_some_and(stays),
            _ => true,
        };
        let is_round_trip = self.returns.iter().any(|(there, _, _)| *there == index);
        let is_certain = reached.certain && stays && !skippable && !self.may_not_run(index);
        let later = if is_round_trip || is_certain {
            success
        } else {
            let current = self.state(process);
            match (
                self.around.path_table.candidates(current),
                self.around.path_table.candidates(success),
            ) {
                (Some(mut current), Some(success)) => {
                    current.extend(success);
                    self.settle(current)
                }
                _ => WorkingDirs::UNKNOWN,
            }
        };
        self.set(process, later);
        success
    }

    /// Whether the command of this finding may not run since a redirection of it, or of the group around it, fails.
    fn may_not_run(&self, index: usize) -> bool {
        let findings = &self.text.script.findings;
        let Some(command) = self.text.script.command_at(index) else {
            return true;
        };
        // A group ends before its redirections, which are found before what is in it.
        let closes = |from: usize, to: usize| {
            let between = self.text.text.get(from..to);
            from < to && between.is_none_or(|between| between.contains('}'))
        };
        let mut of_groups = findings.iter().filter_map(|finding| match &finding.kind {
            FindingKind::Redirection(redirection) => Some(redirection),
            _ => None,
        });
        command.redirections.iter().any(Redirection::may_fail)
            || of_groups.any(|redirection| {
                redirection.may_fail() && closes(command.span.end, redirection.span.start)
            })
    }

    /// Whether this is `cd -` or `popd`, and the last that the text does.
    fn goes_back_at_the_end(&self, index: usize, scope: ScopeId) -> bool {
        let script = &self.text.script;
        let words = self
            .text
            .invocation(index)
            .map(|invocation| &invocation.words);
        let literals = words.map(|words| words.iter().map(Word::literal).collect::<Vec<_>>());
        let back = literals.is_some_and(|words| {
            matches!(words.as_slice(), [Some("cd"), Some("-")] | [Some("popd")])
        });
        back && self.text.origin.is_none()
            && index + 1 == script.findings.len()
            && repeated_scopes(script, scope).is_empty()
    }

    fn settle(&self, mut directories: Candidates) -> WorkingDirs {
        directories.dedup();
        if directories.len() > MAX_CANDIDATES {
            return WorkingDirs::UNKNOWN;
        }
        self.around.path_table.working_dirs(directories)
    }

    /// Findings with which a loop or a function body begins that changes the directory, in order.
    fn unsettled(&self) -> Vec<usize> {
        if self.changing.is_empty() {
            return Vec::new();
        }
        let script = &self.text.script;
        let mut scopes: Vec<ScopeId> = Vec::new();
        for index in self.changing {
            if let Some(finding) = script.findings.get(*index) {
                scopes.extend(repeated_scopes(script, finding.scope));
            }
        }
        let trips = &self.round_trips;
        scopes.retain(|scope| !trips.iter().any(|trip| trip.scope == *scope));
        scopes.sort_unstable();
        scopes.dedup();
        let first = first_findings(script);
        let mut found: Vec<usize> = scopes
            .iter()
            .filter_map(|scope| first.get(scope.index()).copied().flatten())
            .collect();
        found.sort_unstable();
        found
    }
}

/// One of several moves is made: the directories of all, and the strictest of what is said of them.
fn joined(moves: impl Iterator<Item = (Move, Option<Reached>)>) -> (Move, Option<Reached>) {
    let mut movement = Move::Free;
    let mut all = Reached {
        directories: Candidates::new(),
        certain: true,
    };
    for (one, reached) in moves {
        let Some(reached) = reached else {
            return (one, None);
        };
        if one != Move::Free {
            movement = one;
        }
        all.certain &= reached.certain;
        for directory in reached.directories {
            if !all.directories.contains(&directory) {
                all.directories.push(directory);
            }
        }
    }
    (movement, Some(all))
}

/// Of each scope the first finding in it or in a scope inside of it.
fn first_findings(script: &Script) -> Vec<Option<usize>> {
    let mut first: Vec<Option<usize>> = vec![None; script.scopes.len()];
    for (index, finding) in script.findings.iter().enumerate() {
        for (id, _) in script.enclosing(finding.scope) {
            // The scopes around one that is known are known.
            let Some(known @ None) = first.get_mut(id.index()) else {
                break;
            };
            *known = Some(index);
        }
    }
    first
}

/// The scopes around this one that may run again, as far as the process reaches.
fn repeated_scopes(script: &Script, scope: ScopeId) -> Vec<ScopeId> {
    let mut found = Vec::new();
    for (id, scope) in script.enclosing(scope) {
        if scope.kind.may_repeat() {
            found.push(id);
        }
        if scope.kind.is_separate_process() {
            break;
        }
    }
    found
}

/// The home directory itself, as `~` and `"$HOME"`.
fn at_home(word: &Word, home: &str) -> Option<Word> {
    let is_home = match word.parts.as_slice() {
        [
            Part::Text {
                value,
                quoted: false,
            },
        ] => word.expansion.tilde && value == "~",
        [
            Part::Parameter {
                name,
                operation: ParameterOperation::Value,
                ..
            },
        ] => name == HOME && !word.expansion.splits,
        _ => false,
    };
    is_home.then(|| Word::synthetic(home, word.span))
}
