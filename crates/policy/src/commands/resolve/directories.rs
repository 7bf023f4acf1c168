//! In which directory each command of a text runs (docs/policy.md, "Commands").
//!
//! Processes have one directory each. Where a text leaves open which one it is (a `cd` that may fail or be skipped)
//! several are kept, and every one must be right; in loops and functions that change it, it is not known.

pub(crate) mod removals;
pub(crate) mod round_trips;
pub(crate) mod tracker;

use std::path::{Component, Path};

use smallvec::smallvec;
use tenon_contract::CommandClaim;
use tenon_shell::{Examination, Invocation, Word};

use crate::commands::resolve::directories::removals::Removals;
use crate::commands::resolve::directories::tracker::{Around, Tracker};
use crate::commands::resolve::path_table::{Name, Step};
use crate::commands::resolve::{Candidates, DirId, Loops, PathTable, WorkingDirs};
use crate::paths::{depth, go_on, lexical, within};

/// How many directories are kept before they count as not known.
const MAX_CANDIDATES: usize = 8;

/// How deep a directory may lie: a text of nothing but `cd x` must not take long.
const MAX_DIRECTORIES: usize = 128;

/// What a `cd` does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Move {
    /// To a literal directory inside, however it is written: free.
    Free,
    /// To a literal directory outside of the workspace, with no link on the way: asked where not everything is allowed.
    Out(&'static str),
    /// Elsewhere, or it cannot be determined: at least asked.
    Leaves(&'static str),
}

/// The directories of all commands of all texts.
pub(crate) struct Directories {
    /// Where the text itself begins.
    start: WorkingDirs,
    states: Vec<Vec<WorkingDirs>>,
    /// Of each text the findings that change the directory, in order, and what they do.
    moves: Vec<Vec<(usize, Move)>>,
}

impl Directories {
    pub(crate) fn track(
        examination: &Examination,
        claim: &CommandClaim,
        path_table: &PathTable<'_>,
        loops: &Loops,
    ) -> Self {
        let changing = changing(examination);
        let removals = Removals::of(examination, &changing);
        let start = path_table.working_dirs(smallvec![
            path_table.directory(&lexical(&claim.directory.target))
        ]);
        let mut directories = Self {
            start,
            states: Vec::new(),
            moves: Vec::new(),
        };
        for (index, text) in examination.texts.iter().enumerate() {
            let start = match &text.origin {
                None => start,
                Some(origin) => {
                    let outer = directories.at(origin.text, origin.finding);
                    let text = examination.texts.get(origin.text);
                    let command = text.and_then(|outer| outer.invocation(origin.finding));
                    command.map_or(outer, |command| inside(outer, command, path_table))
                }
            };
            let changing = changing.get(index).map(Vec::as_slice);
            let changing = changing.unwrap_or_default();
            let around = Around {
                path_table,
                loops,
                number: index,
            };
            let (states, moves) = Tracker::new(text, around, changing, start).run(&removals);
            directories.states.push(states);
            directories.moves.push(moves);
        }
        directories
    }

    /// Where the text itself begins.
    pub(crate) const fn start(&self) -> WorkingDirs {
        self.start
    }

    /// Where the command of this finding runs.
    pub(crate) fn at(&self, text: usize, finding: usize) -> WorkingDirs {
        let states = self.states.get(text);
        states
            .and_then(|states| states.get(finding))
            .copied()
            .unwrap_or(WorkingDirs::UNKNOWN)
    }

    /// What this finding does to the directory.
    pub(crate) fn movement(&self, text: usize, finding: usize) -> Option<Move> {
        let moves = self.moves.get(text)?;
        let place = moves.binary_search_by_key(&finding, |(finding, _)| *finding);
        moves.get(place.ok()?).map(|(_, movement)| *movement)
    }
}

/// The directory of what a command runs: `env -C`, `git -C` and their like change it.
pub(crate) fn inside(
    state: WorkingDirs,
    command: &Invocation,
    path_table: &PathTable<'_>,
) -> WorkingDirs {
    let chain = command.chain();
    // Each of several directories: they are not distinguished.
    if chain.iter().any(|command| command.in_each) {
        return WorkingDirs::UNKNOWN;
    }
    chain.iter().fold(state, |state, invocation| {
        own(state, invocation, path_table)
    })
}

/// The directory in which this invocation itself works.
pub(crate) fn own(
    state: WorkingDirs,
    invocation: &Invocation,
    path_table: &PathTable<'_>,
) -> WorkingDirs {
    let directories = invocation.directories.iter();
    directories.fold(state, |state, directory| {
        enter(state, directory, path_table).1
    })
}

/// What the change into a directory is, and where it leads.
fn enter(state: WorkingDirs, directory: &Word, path_table: &PathTable<'_>) -> (Move, WorkingDirs) {
    let (movement, reached) = go(state, directory, path_table);
    let dirs = reached.map_or(WorkingDirs::UNKNOWN, |reached| {
        path_table.working_dirs(reached.directories)
    });
    (movement, dirs)
}

/// Why a program must not simply be let into the directories that its options name (`git -C`, `env -C`, `make -C`): the
/// configuration there is run like that of a directory that `cd` leads to.
pub(crate) fn leaves(
    state: WorkingDirs,
    invocation: &Invocation,
    path_table: &PathTable<'_>,
) -> Option<&'static str> {
    let mut state = state;
    for directory in &invocation.directories {
        match enter(state, directory, path_table) {
            (Move::Leaves(why) | Move::Out(why), _) => return Some(why),
            (Move::Free, reached) => state = reached,
        }
    }
    None
}

/// Why a program must not simply work with what a word names, without changing there (`mvn -f`, `docker build`).
pub(crate) fn beyond(
    state: WorkingDirs,
    word: &Word,
    path_table: &PathTable<'_>,
) -> Option<&'static str> {
    match go(state, word, path_table) {
        (Move::Leaves(why) | Move::Out(why), _) => Some(why),
        (Move::Free, _) => None,
    }
}

/// Where a `cd` leads.
struct Reached {
    directories: Candidates,
    /// Whether every one of them is there.
    certain: bool,
}

fn go(state: WorkingDirs, word: &Word, path_table: &PathTable<'_>) -> (Move, Option<Reached>) {
    let Some(path) = word.literal() else {
        return (
            Move::Leaves("the text does not determine where it leads"),
            None,
        );
    };
    let Some(from) = path_table.candidates(state) else {
        return (Move::Leaves("the directory before it is not known"), None);
    };
    let mut reached = Reached {
        directories: Candidates::new(),
        certain: true,
    };
    let mut out = None;
    for directory in from {
        let name = path_table.follow(directory, path);
        match **name
            .step
            .get_or_init(|| Box::new(step(directory, path, &name, path_table)))
        {
            Step::Leaves(why) => return (Move::Leaves(why), None),
            Step::Out { directory, why } => {
                out = Some(why);
                reached.certain = false;
                if !reached.directories.contains(&directory) {
                    reached.directories.push(directory);
                }
            }
            Step::To { directory, certain } => {
                reached.certain &= certain;
                if !reached.directories.contains(&directory) {
                    reached.directories.push(directory);
                }
            }
        }
    }
    (out.map_or(Move::Free, Move::Out), Some(reached))
}

fn step(directory: DirId, path: &str, name: &Name, path_table: &PathTable<'_>) -> Step {
    let logical = go_on(&path_table.path(directory), path);
    let Some(inside) = name.inside() else {
        const OUT: &str = "it leads out of the workspace";
        // Where no link is on the way, shells and systems go to the same place.
        let is_plain = path_table
            .resolver()
            .led_to(&logical)
            .is_some_and(|real| real == logical);
        let joined = within(&path_table.path(directory), path);
        let same = || {
            path_table
                .resolver()
                .led_to(&joined)
                .is_some_and(|real| real == logical)
        };
        return if is_plain && same() {
            let directory = path_table.directory(&logical);
            Step::Out {
                directory,
                why: OUT,
            }
        } else {
            Step::Leaves(OUT)
        };
    };
    if depth(&logical) > MAX_DIRECTORIES {
        return Step::Leaves("it is too deep");
    }
    // The shell takes `..` off the name, the system off what a link leads to. Where they differ, nothing is known.
    let climbs = path.contains("..")
        && Path::new(path)
            .components()
            .any(|component| component == Component::ParentDir);
    if climbs
        && let Some(target) = inside.target()
        && !path_table.leads_to(&logical, target)
    {
        return Step::Leaves("it crosses a link, which shells resolve differently");
    }
    Step::To {
        directory: path_table.directory(&logical),
        certain: inside.is_directory,
    }
}

/// Which findings of each text change the directory of their process, `eval 'cd x'` included.
fn changing(examination: &Examination) -> Vec<Vec<usize>> {
    let mut changing: Vec<Vec<usize>> = vec![Vec::new(); examination.texts.len()];
    for (index, text) in examination.texts.iter().enumerate().rev() {
        let direct = text.invocations.iter().filter(|(_, invocation)| {
            invocation
                .chain()
                .iter()
                .any(|command| command.directory_change().is_some())
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
