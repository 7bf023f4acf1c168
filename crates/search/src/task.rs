//! Pieces of work and what comes of them, each at its place in path order.

use std::cmp::Ordering;
use std::sync::Arc;

use crate::Facts;
use crate::directory::{Directory, DirectoryReference};
use crate::entries::{Entries, Kind};
use crate::rules::Rules;

/// A piece of work.
///
/// The key is the path relative to the root with NUL instead of `/`, for a directory to be listed with
/// one more NUL at its end. Bytewise comparison of such keys is path order by components (NUL is
/// lower than any byte of a name), the key of a directory comes before those of everything in it, and
/// everything that a task creates comes after the task and before whatever came after it.
#[derive(Debug)]
pub(crate) struct Task {
    pub(crate) key: Vec<u8>,
    pub(crate) work: Work,
}

#[derive(Debug)]
pub(crate) enum Work {
    /// List the root.
    Root {
        directory: Arc<Directory>,
        rules: Option<Rules>,
    },
    /// List the directory `name` of `parent`, in which `rules` hold.
    List {
        parent: DirectoryReference,
        name: Vec<u8>,
        rules: Option<Rules>,
    },
    /// Visit files below the root, by their paths, that an index holds for candidates.
    #[cfg(all(target_os = "linux", not(feature = "portable")))]
    Kept {
        root: Arc<Directory>,
        paths: Entries,
    },
    /// Visit entries of `directory` that were already found to be seen.
    Visit {
        directory: DirectoryReference,
        entries: Entries,
    },
}

impl Ord for Task {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key.cmp(&other.key)
    }
}

impl PartialOrd for Task {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Task {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

impl Eq for Task {}

/// What was found in one place.
#[derive(Debug)]
pub(crate) struct Batch<F> {
    pub(crate) facts: Facts,
    pub(crate) found: Vec<F>,
    /// How much this is in the unit of the request's limit.
    pub(crate) weight: u64,
    /// The place in path order from which on the visit was cut short by the end of the call.
    pub(crate) cut: Option<Vec<u8>>,
}

impl<F> Batch<F> {
    /// Notes that nothing from this place on was looked at.
    pub(crate) fn cut_at(&mut self, key: Vec<u8>) {
        self.cut = Some(key);
    }
}

impl<F> Default for Batch<F> {
    fn default() -> Self {
        Self {
            facts: Facts::default(),
            found: Vec::new(),
            weight: 0,
            cut: None,
        }
    }
}

/// What a task comes to: finds at their places, and further tasks.
#[derive(Debug)]
pub(crate) struct Outcome<F> {
    pub(crate) batches: Vec<(Vec<u8>, Batch<F>)>,
    pub(crate) tasks: Vec<Task>,
}

/// Looks at the entries that are seen. Shared by all threads.
pub(crate) trait Visitor: Sync {
    /// What a thread keeps from one visit to the next.
    type Worker;
    /// One find.
    type Found: Send;

    /// State for one more thread.
    fn worker(&self) -> Self::Worker;

    /// Whether the entry may be worth a visit (a directory: or a listing), asked before ignore files
    /// are.
    fn wants(&self, directory: &Directory, name: &[u8], kind: Kind) -> bool;

    /// Whether the directory `name` of `directory` may hold something worth a visit.
    fn enters(&self, directory: &Directory, name: &[u8]) -> bool;

    /// How many entries one visit may hold for the work to spread well over threads; more are
    /// split into tasks of their own. `None` when a visit costs so little that it is done at once.
    fn visit_length(&self) -> Option<usize>;

    /// Looks at entries of `directory` in path order.
    fn visit<'e>(
        &self,
        worker: &mut Self::Worker,
        directory: &Directory,
        entries: impl Iterator<Item = (&'e [u8], Kind)>,
        batch: &mut Batch<Self::Found>,
    );
}
