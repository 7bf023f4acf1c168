//! Answering from a kept tree: the files that may match, in path order, go through the same search as
//! any other.

use std::sync::Arc;

use super::files::FileId;
use super::indexed_tree::{IndexedTree, NONE, Node, join_key};
use super::place::Stamp;
use crate::directory::{Directory, DirectoryReference, Handle, join, relative_key, to_bytes};
use crate::entries::{Entries, Kind};
use crate::filter::{Filter, Verdict};
use crate::index::prefilter::NgramQuery;
use crate::index::signature::Candidates;
use crate::listing::is_before;
use crate::rules::IgnoreMatch;
use crate::task::{Task, Work};
use crate::{Facts, Scope, SearchError};

/// Files of one task.
pub(crate) const GREP_RUN: usize = 16;

/// Names of one task.
pub(crate) const FIND_RUN: usize = 4096;

/// What is to be looked at.
pub(crate) struct Selection {
    pub(crate) tasks: Vec<Task>,
    /// What was seen of the rest.
    pub(crate) facts: Facts,
    /// Whether it is everything; otherwise it is what comes first in path order.
    pub(crate) is_whole: bool,
}

/// How much is chosen for an answer that a limit ends.
///
/// Where candidates are dense, the first few hold all that is reported, and the rest of the tree need not be gone through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ResultBudget {
    /// Files.
    chosen: usize,
    /// Entries among which they must be: choosing from more takes as long as choosing from all by their tallies.
    passed: usize,
}

impl ResultBudget {
    /// Everything.
    pub(crate) const ALL: Self = Self {
        chosen: usize::MAX,
        passed: usize::MAX,
    };

    /// Limits above this are those of callers who want everything.
    const MOST_WANTED: u64 = 2048;

    /// What should do for so many matches: most candidates have one.
    pub(crate) fn of(wanted: u64) -> Option<Self> {
        let wanted = usize::try_from(wanted)
            .ok()
            .filter(|_| wanted <= Self::MOST_WANTED)?;
        let chosen = wanted + wanted / 2 + GREP_RUN;
        Some(Self {
            chosen,
            passed: chosen * 32,
        })
    }
}

/// Which entries are asked for.
pub(crate) trait Choice {
    /// As [`Visitor::wants`](crate::task::Visitor::wants).
    fn wants(&self, key: &[u8], depth: usize, name: &[u8], kind: Kind) -> bool;
    /// As [`Visitor::enters`](crate::task::Visitor::enters).
    fn enters(&self, depth: usize, name: &[u8]) -> bool;
}

/// What is seen of an entry when nothing but ignore files decides.
pub(crate) fn plain_verdict(name: &[u8], ruling: IgnoreMatch) -> Verdict {
    match ruling {
        _ if name == b".git" => Verdict::GitDirectory,
        IgnoreMatch::Ignored => Verdict::Ignored,
        IgnoreMatch::Kept | IgnoreMatch::Silent => Verdict::Seen,
    }
}

/// Chooses from a kept tree.
pub(crate) struct Selector<'a, C> {
    pub(crate) kept: &'a IndexedTree,
    pub(crate) scope: &'a Scope,
    /// Of the scope.
    pub(crate) filter: Filter,
    pub(crate) choice: &'a C,
    /// What the contents must have; nothing when names alone are asked for.
    pub(crate) content: Option<(&'a NgramQuery, Candidates<'a>)>,
    /// Whether contents are asked for of which binary files have none.
    pub(crate) skips_binary: bool,
    /// By number, the directories with files that must be looked at, and those that these are in: the others are counted by
    /// their tallies. Nothing when the entries of every directory must be gone through.
    pub(crate) marked: Option<Vec<bool>>,
    pub(crate) run: usize,
    pub(crate) share: ResultBudget,
}

struct Selecting {
    left: ResultBudget,
    is_plain: bool,
    from: Option<Vec<u8>>,
    root: Arc<Directory>,
    root_path: Vec<u8>,
    /// Bytes of a key, and directories, above the root of the search.
    above: (usize, usize),
    max_depth: usize,
    run: Entries,
    tasks: Vec<Task>,
    facts: Facts,
}

impl<C: Choice> Selector<'_, C> {
    /// What is to be looked at below the directory `id`; nothing when the tree does not know, or when what is wanted at
    /// first is not among the first entries.
    pub(crate) fn select(&self, id: u32) -> Result<Option<Selection>, SearchError> {
        let Some(node) = self.kept.node(id) else {
            return Ok(None);
        };
        let path = super::indexed_tree::relative(&node.key);
        let Ok(handle) = self.kept.handle.directory_beneath(&path) else {
            return Ok(None);
        };
        let mut state = Selecting {
            left: self.share,
            is_plain: self.filter.is_plain() && self.scope.max_depth.is_none(),
            from: self.scope.start_key(),
            root: Arc::new(root_directory(handle, self.scope)),
            root_path: to_bytes(&self.scope.root),
            above: (node.key.len(), node.depth),
            max_depth: self.scope.max_depth.unwrap_or(usize::MAX),
            run: Entries::default(),
            tasks: Vec::new(),
            facts: Facts::default(),
        };
        if let Some(tally) = self.tally(id) {
            return Ok(Some(Selection {
                tasks: Vec::new(),
                facts: tally,
                is_whole: true,
            }));
        }
        // Directories that are open, with the entry to go on at.
        let mut open: Vec<(&Node, usize)> = Vec::new();
        state.facts.directories += 1;
        open.push((node, 0));
        while let Some((node, at)) = open.pop().filter(|_| !state.is_full()) {
            let Some(next) = self.scan(&mut state, node, at) else {
                return Ok(None);
            };
            if let Some((child, after)) = next {
                open.push((node, after));
                open.push((child, 0));
            }
        }
        if state.left.passed == 0 {
            return Ok(None);
        }
        state.end_run();
        Ok(Some(Selection {
            is_whole: !state.is_full(),
            tasks: state.tasks,
            facts: state.facts,
        }))
    }

    /// Looks at the entries of a directory from `at` on, up to the next directory to enter. Nothing when
    /// a directory is not kept that would have to be entered.
    fn scan<'n>(
        &'n self,
        state: &mut Selecting,
        node: &'n Node,
        at: usize,
    ) -> Option<Option<(&'n Node, usize)>> {
        if at == 0 {
            state.facts.unreadable += node.lost;
        }
        let key = node.key.get(state.above.0..).unwrap_or_default();
        let depth = node.depth - state.above.1;
        let entries = node.entries.iter_from(at).zip(node.rulings.iter().skip(at));
        for (index, ((name, kind), ruling)) in (at..).zip(entries) {
            if state.is_full() {
                break;
            }
            state.left.passed -= 1;
            if is_before(state.from.as_deref(), key, name, kind) {
                continue;
            }
            if !self.choice.wants(key, depth, name, kind) {
                state.count_unwanted(kind);
                continue;
            }
            let verdict = self.judge(state, key, name, kind, *ruling);
            let is_directory = kind == Kind::Directory;
            if !self.is_wanted(verdict, is_directory, &mut state.facts) {
                continue;
            }
            let id = node.ids.get(index).copied().unwrap_or(NONE);
            if !is_directory {
                if self.is_candidate(state, node, name, id) {
                    state.add(&join_key(key, name), kind, self.run);
                }
                continue;
            }
            if depth + 1 >= state.max_depth || !self.choice.enters(depth, name) {
                continue;
            }
            if verdict == Verdict::Ignored {
                state.add_listing(join_key(key, name));
                continue;
            }
            if let Some(tally) = self.tally(id) {
                state.facts += tally;
                continue;
            }
            // A directory that ignore files hide, but a glob names.
            let child = self.kept.node(id).filter(|_| id != NONE)?;
            if !child.is_open {
                state.facts.unreadable += 1;
                continue;
            }
            state.facts.directories += 1;
            return Some(Some((child, index + 1)));
        }
        Some(None)
    }

    fn judge(
        &self,
        state: &Selecting,
        key: &[u8],
        name: &[u8],
        kind: Kind,
        ruling: IgnoreMatch,
    ) -> Verdict {
        if state.is_plain {
            return plain_verdict(name, ruling);
        }
        let path = join(&state.root_path, &join_key(key, name));
        self.filter
            .judge_ruled(|| ruling, &path, name, kind == Kind::Directory)
    }

    /// What is seen in a directory and below when none of the files must be looked at.
    fn tally(&self, id: u32) -> Option<Facts> {
        let marked = self.marked.as_ref()?;
        let is_marked = marked.get(id as usize).copied().unwrap_or(true);
        (!is_marked).then(|| self.kept.tallies.get(id)).flatten()
    }

    /// Whether an entry is visited, or may hold something that is; counts it if not.
    fn is_wanted(&self, verdict: Verdict, is_directory: bool, facts: &mut Facts) -> bool {
        if self.scope.only_ignored {
            return verdict.is_on_the_way_to_ignored(is_directory);
        }
        verdict.count(is_directory, facts);
        verdict == Verdict::Seen
    }

    /// Whether the content of a file must be looked at. If not, it counts as searched.
    fn is_candidate(&self, state: &mut Selecting, node: &Node, name: &[u8], id: u32) -> bool {
        let files = &self.kept.files;
        if id == NONE {
            return true;
        }
        let is_binary = self.skips_binary && files.is_binary(id);
        if !is_binary && !self.is_ruled_out(id) {
            return true;
        }
        let size = files.size(FileId(id).0);
        if self.scope.max_file_bytes.is_some_and(|most| size > most) {
            return true;
        }
        if let Some(stamp) = files.linked_stamp(id) {
            let status = self.kept.handle.status(&join_key(&node.key, name));
            if status.map(|status| Stamp::of_status(&status)).ok() != Some(stamp) {
                return true;
            }
        }
        files.count_left_out(id, &mut state.facts);
        false
    }

    /// Whether the signature of a file says that nothing in it matches.
    fn is_ruled_out(&self, id: u32) -> bool {
        let Some((need, answer)) = &self.content else {
            return false;
        };
        let slot = self.kept.files.slot(id, need.folds);
        slot.is_some_and(|slot| !answer.may_match(slot))
    }
}

impl Selecting {
    const fn is_full(&self) -> bool {
        self.left.chosen == 0 || self.left.passed == 0
    }

    /// An entry whose name or kind is not asked for.
    const fn count_unwanted(&mut self, kind: Kind) {
        match kind {
            Kind::Link => self.facts.links += 1,
            Kind::Special => self.facts.special += 1,
            Kind::File => self.facts.files_searched += 1,
            Kind::Directory => {}
        }
    }

    fn add(&mut self, path: &[u8], kind: Kind, most: usize) {
        self.left.chosen = self.left.chosen.saturating_sub(1);
        self.run.push(path, kind);
        if self.run.len() >= most {
            self.end_run();
        }
    }

    /// A directory that ignore files hide, with all that is in it. The tree does not keep it.
    fn add_listing(&mut self, path: Vec<u8>) {
        self.end_run();
        let mut key = relative_key(&path);
        key.push(0);
        self.tasks.push(Task {
            key,
            work: Work::List {
                parent: DirectoryReference::new(&self.root),
                name: path,
                rules: None,
            },
        });
    }

    fn end_run(&mut self) {
        let Some((first, _)) = self.run.iter().next() else {
            return;
        };
        self.tasks.push(Task {
            key: relative_key(first),
            work: Work::Kept {
                root: Arc::clone(&self.root),
                paths: std::mem::take(&mut self.run),
            },
        });
    }
}

fn root_directory(handle: Handle, scope: &Scope) -> Directory {
    Directory {
        handle,
        path: to_bytes(&scope.root),
        key: Vec::new(),
        depth: 0,
    }
}
