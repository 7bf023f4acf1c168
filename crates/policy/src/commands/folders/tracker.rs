//! Follows the folders through the findings of one text.

use std::collections::HashMap;
use std::path::PathBuf;
use std::rc::Rc;

use tenon_shell::{ExaminedText, FindingKind, FolderChange, ScopeId, Script, folder_change};

use super::{MAX_CANDIDATES, Move, State, go, invocation_of};
use crate::paths::PathResolver;

/// Commands joined by `&&`: a later one runs only after the earlier ones succeeded.
pub(super) struct Chain {
    process: ScopeId,
    end: usize,
    state: State,
}

/// Follows the folders through one text.
pub(super) struct Tracker<'t> {
    pub(super) text: &'t ExaminedText,
    pub(super) index: usize,
    pub(super) paths: &'t dyn PathResolver,
    pub(super) changing: Option<&'t Vec<usize>>,
    pub(super) processes: HashMap<ScopeId, State>,
    /// The folder that is not known, the same one wherever that is so.
    pub(super) unknown: State,
    pub(super) chain: Option<Chain>,
}

impl Tracker<'_> {
    pub(super) fn run(
        mut self,
        start: State,
        moves: &mut HashMap<(usize, usize), Move>,
    ) -> Vec<State> {
        let script = &self.text.script;
        self.processes.insert(ScopeId::ROOT, start);
        let unsettled = self.unsettled();
        let mut states = Vec::with_capacity(script.findings.len());
        for (index, finding) in script.findings.iter().enumerate() {
            let process = script.process_of(finding.scope);
            if unsettled.contains(&index) {
                self.processes.insert(process, self.unknown.clone());
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
            _ => self.unknown.clone(),
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
            self.processes.insert(process, self.unknown.clone());
            return self.unknown.clone();
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
                _ => self.unknown.clone(),
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
