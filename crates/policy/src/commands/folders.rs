//! In which folder each command of a text runs (B10).
//!
//! Processes have one folder each. Where a text leaves open which one it is (a `cd` that may fail or be skipped)
//! several are kept, and every one must be right; in loops and functions that change it, it is not known.

use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;

use tenon_contract::CommandClaim;
use tenon_shell::{
    Examination, ExaminedText, FindingKind, FolderChange, Invocation, ScopeId, Script, Word,
    folder_change,
};

use crate::paths::{PathResolver, Resolved};

/// How many folders are kept before they count as not known.
const MAX_CANDIDATES: usize = 4;

/// How deep a folder may lie: a text of nothing but `cd x` must not take long.
const MAX_FOLDERS: usize = 128;

/// Where a command may run. `None`: not known. Never empty.
pub(crate) type State = Rc<Option<Vec<PathBuf>>>;

/// What a `cd` does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Move {
    /// To a literal relative folder inside: free.
    Free,
    /// To a literal absolute folder inside: a command like any other.
    Absolute,
    /// Elsewhere, or it cannot be told: at least asked.
    Leaves(&'static str),
}

/// The folders of all commands of all texts.
pub(crate) struct Folders {
    states: Vec<Vec<State>>,
    moves: HashMap<(usize, usize), Move>,
}

impl Folders {
    pub(crate) fn track(
        examination: &Examination,
        claim: &CommandClaim,
        paths: &dyn PathResolver,
    ) -> Self {
        let changing = changing(examination);
        let start: State = Rc::new(Some(vec![claim.folder.target.clone()]));
        let mut folders = Self {
            states: Vec::new(),
            moves: HashMap::new(),
        };
        for (index, text) in examination.texts.iter().enumerate() {
            let start = match &text.origin {
                None => start.clone(),
                Some(origin) => {
                    let outer = folders.at(origin.text, origin.finding);
                    let command = examination
                        .texts
                        .get(origin.text)
                        .and_then(|outer| invocation_of(outer, origin.finding));
                    command.map_or(outer.clone(), |command| inside(&outer, command, paths))
                }
            };
            let tracker = Tracker {
                text,
                index,
                paths,
                changing: changing.get(index),
                processes: HashMap::new(),
                chain: None,
            };
            let states = tracker.run(start, &mut folders.moves);
            folders.states.push(states);
        }
        folders
    }

    /// Where the command of this finding runs.
    pub(crate) fn at(&self, text: usize, finding: usize) -> State {
        let states = self.states.get(text);
        states
            .and_then(|states| states.get(finding))
            .cloned()
            .unwrap_or_else(|| Rc::new(None))
    }

    /// What this finding does to the folder.
    pub(crate) fn movement(&self, text: usize, finding: usize) -> Option<&Move> {
        self.moves.get(&(text, finding))
    }
}

/// The folder of what a command runs: `env -C`, `git -C` and their like change it.
pub(crate) fn inside(state: &State, command: &Invocation, paths: &dyn PathResolver) -> State {
    let mut state = state.clone();
    for invocation in command.chain() {
        state = own(&state, invocation, paths);
    }
    state
}

/// The folder in which this invocation itself works.
pub(crate) fn own(state: &State, invocation: &Invocation, paths: &dyn PathResolver) -> State {
    let mut state = state.clone();
    for folder in &invocation.folders {
        state = Rc::new(go(&state, folder, paths).1.map(|reached| reached.folders));
    }
    state
}

/// Where a `cd` leads.
struct Reached {
    folders: Vec<PathBuf>,
    /// Whether every one of them is there.
    certain: bool,
}

fn go(state: &State, word: &Word, paths: &dyn PathResolver) -> (Move, Option<Reached>) {
    let Some(path) = word.literal() else {
        return (
            Move::Leaves("it cannot be told from the text where it leads"),
            None,
        );
    };
    let Some(from) = state.as_ref() else {
        return (Move::Leaves("the folder before it is not known"), None);
    };
    let outside = (Move::Leaves("it leads out of the workspace"), None);
    let mut reached = Reached {
        folders: Vec::new(),
        certain: true,
    };
    for folder in from {
        let Resolved::Inside { claim, is_folder } = paths.resolve(folder, path) else {
            return outside;
        };
        // The shell takes `..` off the name, the system off what a link leads to. Where they differ, nothing is told.
        let logical = lexical(&folder.join(path));
        if logical.components().count() > MAX_FOLDERS {
            return (Move::Leaves("it lies too deep"), None);
        }
        let same = matches!(paths.resolve(Path::new("/"), &logical.to_string_lossy()),
            Resolved::Inside { claim: other, .. } if other.target == claim.target);
        if !same {
            return (
                Move::Leaves("it passes a link in a way that shells read differently"),
                None,
            );
        }
        reached.certain &= is_folder;
        if !reached.folders.contains(&logical) {
            reached.folders.push(logical);
        }
    }
    let kind = if path.starts_with('/') {
        Move::Absolute
    } else {
        Move::Free
    };
    (kind, Some(reached))
}

fn lexical(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => drop(plain.pop()),
            Component::CurDir => {}
            other => plain.push(other),
        }
    }
    plain
}

fn invocation_of(text: &ExaminedText, finding: usize) -> Option<&Invocation> {
    let index = text
        .invocations
        .binary_search_by_key(&finding, |(finding, _)| *finding)
        .ok()?;
    text.invocations
        .get(index)
        .map(|(_, invocation)| invocation)
}

/// Which findings of each text change the folder of their process, `eval 'cd x'` included.
fn changing(examination: &Examination) -> Vec<Vec<usize>> {
    let mut changing: Vec<Vec<usize>> = vec![Vec::new(); examination.texts.len()];
    for (index, text) in examination.texts.iter().enumerate().rev() {
        let direct = text.invocations.iter().filter(|(_, invocation)| {
            invocation
                .chain()
                .iter()
                .any(|command| folder_change(&command.words).is_some())
        });
        let found: Vec<usize> = direct.map(|(finding, _)| *finding).collect();
        let own = changing.get_mut(index);
        let Some(own) = own else { continue };
        own.extend(found);
        own.sort_unstable();
        own.dedup();
        if own.is_empty() {
            continue;
        }
        if let Some(origin) = text.origin.filter(|origin| origin.same_shell)
            && let Some(outer) = changing.get_mut(origin.text)
        {
            outer.push(origin.finding);
        }
    }
    changing
}

/// Commands joined by `&&`: a later one runs only after the earlier ones succeeded.
struct Chain {
    process: ScopeId,
    end: usize,
    state: State,
}

/// Follows the folders through one text.
struct Tracker<'t> {
    text: &'t ExaminedText,
    index: usize,
    paths: &'t dyn PathResolver,
    changing: Option<&'t Vec<usize>>,
    processes: HashMap<ScopeId, State>,
    chain: Option<Chain>,
}

impl Tracker<'_> {
    fn run(mut self, start: State, moves: &mut HashMap<(usize, usize), Move>) -> Vec<State> {
        let script = &self.text.script;
        self.processes.insert(ScopeId::ROOT, start);
        let unsettled = self.unsettled();
        let mut states = Vec::with_capacity(script.findings.len());
        for (index, finding) in script.findings.iter().enumerate() {
            let process = script.process_of(finding.scope);
            if unsettled.contains(&index) {
                self.processes.insert(process, Rc::new(None));
            }
            let state = self.state(process);
            let FindingKind::Command(command) = &finding.kind else {
                states.push(state);
                continue;
            };
            let joined = self.joined(process, command.span.start);
            let state = joined.unwrap_or(state);
            states.push(state.clone());
            let mut after = state.clone();
            if self
                .changing
                .is_some_and(|changing| changing.binary_search(&index).is_ok())
            {
                after = self.change(index, process, finding.scope, &state, moves);
            }
            self.link(process, command.span.start, command.span.end, after);
        }
        states
    }

    /// The folder of a process; a new one starts where its parent is.
    fn state(&mut self, process: ScopeId) -> State {
        if let Some(state) = self.processes.get(&process) {
            return state.clone();
        }
        let script = &self.text.script;
        let parent = script
            .scope(process)
            .and_then(|scope| scope.parent)
            .map(|parent| script.process_of(parent));
        let state = match parent {
            Some(parent) if parent != process => self.state(parent),
            _ => Rc::new(None),
        };
        self.processes.insert(process, state.clone());
        state
    }

    /// The folder behind the commands that must have succeeded for this one to run.
    fn joined(&self, process: ScopeId, start: usize) -> Option<State> {
        let chain = self.chain.as_ref()?;
        let gap = self.text.text.get(chain.end..start)?;
        let script = &self.text.script;
        let parent = || {
            script
                .scope(process)
                .and_then(|scope| scope.parent)
                .map(|parent| script.process_of(parent))
        };
        let near = chain.process == process || parent() == Some(chain.process);
        (near && matches!(gap.trim(), "&&" | "|")).then(|| chain.state.clone())
    }

    fn link(&mut self, process: ScopeId, start: usize, end: usize, state: State) {
        let joined = self.joined(process, start).is_some();
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
            chain.process != process && within(&self.text.script, process, chain.process)
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

    fn change(
        &mut self,
        index: usize,
        process: ScopeId,
        scope: ScopeId,
        state: &State,
        moves: &mut HashMap<(usize, usize), Move>,
    ) -> State {
        let change = invocation_of(self.text, index).and_then(|invocation| {
            invocation
                .chain()
                .into_iter()
                .find_map(|command| folder_change(&command.words))
        });
        let (movement, reached) = match change {
            Some(FolderChange::To(word)) => go(state, &word, self.paths),
            Some(FolderChange::Home) => (Move::Leaves("it leads to the home folder"), None),
            Some(FolderChange::Unknown) => (Move::Leaves("it cannot be told where it leads"), None),
            // Through `eval`: the inner text tells what holds for it.
            None => (Move::Free, None),
        };
        moves.insert((self.index, index), movement);
        let Some(reached) = reached else {
            let unknown: State = Rc::new(None);
            self.processes.insert(process, unknown.clone());
            return unknown;
        };
        let success = settle(reached.folders.clone());
        let skippable = self
            .text
            .script
            .ancestry(scope)
            .take_while(|kind| !kind.is_separate_process())
            .any(|kind| kind.may_be_skipped());
        let later = if reached.certain && !skippable {
            success.clone()
        } else {
            let current = self.state(process);
            match (current.as_ref(), success.as_ref()) {
                (Some(current), Some(success)) => {
                    settle(current.iter().chain(success).cloned().collect())
                }
                _ => Rc::new(None),
            }
        };
        self.processes.insert(process, later);
        success
    }

    /// Findings with which a loop or a function body begins that changes the folder.
    fn unsettled(&self) -> Vec<usize> {
        let script = &self.text.script;
        let mut scopes: Vec<ScopeId> = Vec::new();
        for index in self.changing.into_iter().flatten() {
            if let Some(finding) = script.findings.get(*index) {
                scopes.extend(repeated_scopes(script, finding.scope));
            }
        }
        scopes.sort_unstable();
        scopes.dedup();
        let first = |scope: &ScopeId| {
            script
                .findings
                .iter()
                .position(|finding| within(script, finding.scope, *scope))
        };
        scopes.iter().filter_map(first).collect()
    }
}

fn settle(mut folders: Vec<PathBuf>) -> State {
    folders.dedup();
    Rc::new((folders.len() <= MAX_CANDIDATES).then_some(folders))
}

/// The scopes around this one that may run again, as far as the process reaches.
fn repeated_scopes(script: &Script, scope: ScopeId) -> Vec<ScopeId> {
    let mut found = Vec::new();
    let mut current = Some(scope);
    while let Some(id) = current {
        let Some(scope) = script.scope(id) else { break };
        if scope.kind.may_repeat() {
            found.push(id);
        }
        if scope.kind.is_separate_process() {
            break;
        }
        current = scope.parent;
    }
    found
}

fn within(script: &Script, scope: ScopeId, outer: ScopeId) -> bool {
    std::iter::successors(Some(scope), |id| {
        script.scope(*id).and_then(|scope| scope.parent)
    })
    .any(|id| id == outer)
}
