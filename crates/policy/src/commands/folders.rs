//! In which folder each command of a text runs (B10).
//!
//! Processes have one folder each. Where a text leaves open which one it is (a `cd` that may fail or be skipped)
//! several are kept, and every one must be right; in loops and functions that change it, it is not known.

mod tracker;

use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;

use tenon_contract::CommandClaim;
use tenon_shell::{Examination, ExaminedText, Invocation, Word, folder_change};

use crate::paths::{PathResolver, Resolved};

/// How many folders are kept before they count as not known.
const MAX_CANDIDATES: usize = 4;

/// How deep a folder may lie: a text of nothing but `cd x` must not take long.
const MAX_FOLDERS: usize = 128;

/// Where a command may run. `None`: not known. Never empty.
pub(crate) type State = Rc<Option<Vec<PathBuf>>>;

/// What a `cd` does.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
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
            let tracker = tracker::Tracker {
                text,
                index,
                paths,
                changing: changing.get(index),
                processes: HashMap::new(),
                unknown: Rc::new(None),
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

/// Why a program must not simply be let into the folders that its options name (`git -C`, `env -C`, `make -C`): the
/// configuration there is run like that of a folder that `cd` leads to.
pub(crate) fn leaves(
    state: &State,
    invocation: &Invocation,
    paths: &dyn PathResolver,
) -> Option<&'static str> {
    let mut state = state.clone();
    for folder in &invocation.folders {
        match go(&state, folder, paths) {
            (Move::Leaves(why), _) => return Some(why),
            (_, reached) => state = Rc::new(reached.map(|reached| reached.folders)),
        }
    }
    None
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
        let logical = lexical(&folder.join(path));
        if logical.components().count() > MAX_FOLDERS {
            return (Move::Leaves("it lies too deep"), None);
        }
        // The shell takes `..` off the name, the system off what a link leads to. Where they differ, nothing is told.
        let climbs = Path::new(path)
            .components()
            .any(|component| component == Component::ParentDir);
        let same = || {
            matches!(paths.resolve(Path::new("/"), &logical.to_string_lossy()),
                Resolved::Inside { claim: other, .. } if other.target == claim.target)
        };
        if climbs && !same() {
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
