//! A warm index: the files of a tree with signatures of their contents, made after a first search
//! and kept fresh by what the kernel tells, so that later searches read only what may match.
//!
//! Answers are those of [`grep()`](crate::grep()) and [`find()`](crate::find()) at that moment: before
//! an answer, everything that has happened is taken; candidates are searched as always; and whatever
//! the index is not sure of, it leaves to the plain search. Linux only; elsewhere every search is a
//! plain one. Why and how: `docs/decisions/0011-search-index.md`.

#[cfg(any(test, all(target_os = "linux", not(feature = "portable"))))]
mod budget;
#[cfg(all(target_os = "linux", not(feature = "portable")))]
mod files;
#[cfg(all(target_os = "linux", not(feature = "portable")))]
mod indexed_tree;
#[cfg(all(target_os = "linux", not(feature = "portable")))]
mod keeper;
#[cfg(all(target_os = "linux", not(feature = "portable")))]
mod names;
#[cfg(all(target_os = "linux", not(feature = "portable")))]
mod place;
#[cfg(all(target_os = "linux", not(feature = "portable")))]
mod places;
#[cfg(any(test, all(target_os = "linux", not(feature = "portable"))))]
mod prefilter;
#[cfg(all(target_os = "linux", not(feature = "portable")))]
mod serve;
#[cfg(any(test, all(target_os = "linux", not(feature = "portable"))))]
mod signature;
#[cfg(all(target_os = "linux", not(feature = "portable")))]
mod tally;
#[cfg(all(target_os = "linux", not(feature = "portable")))]
mod watch;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

#[cfg(not(all(target_os = "linux", not(feature = "portable"))))]
use elsewhere as places;
use places::Places;

use crate::{Control, FindOutput, FindRequest, GrepOutput, GrepRequest, SearchError};

/// How an index is kept. [`IndexOptions::default`] is what a product wants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexOptions {
    /// Trees with fewer files are not kept. Default: 200.
    pub least_files: u64,
    /// A tree that nobody searched for this long is let go. Default: 10 minutes.
    pub idle: Duration,
    /// Most bytes that the index of one tree takes; beside that at most a twentieth of the text in it, but
    /// for signatures at least 2 MiB. Files beyond are searched every time. Default: 64 MiB.
    pub max_bytes: usize,
    /// Most trees. Default: 4.
    pub max_trees: usize,
}

impl Default for IndexOptions {
    fn default() -> Self {
        Self {
            least_files: 200,
            idle: Duration::from_secs(600),
            max_bytes: 64 * 1024 * 1024,
            max_trees: 4,
        }
    }
}

/// What an index has of a tree.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct IndexStatus {
    /// Files that searches see.
    pub files: usize,
    /// Files with a signature; the others are searched every time.
    pub signed: usize,
    /// Directories that are watched.
    pub directories: usize,
    /// Bytes of memory.
    pub bytes: usize,
    /// Bytes of the files with a signature.
    pub covered: u64,
}

/// The index of a toolkit. Cheap to clone; the last clone lets everything go.
#[derive(Debug, Clone, Default)]
pub struct Index(Option<Arc<Places>>);

/// The index is not sure; the plain search answers.
#[cfg(all(target_os = "linux", not(feature = "portable")))]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Doubt;

impl Index {
    /// No index: every search is a plain one.
    #[must_use]
    pub const fn off() -> Self {
        Self(None)
    }

    /// An index of every tree that is searched and large enough.
    #[must_use]
    pub fn new(options: IndexOptions) -> Self {
        Self(Some(Arc::new(Places::new(options))))
    }

    /// The same as [`grep()`](crate::grep()).
    ///
    /// # Errors
    /// The same.
    pub fn grep(
        &self,
        request: &GrepRequest,
        control: &Control<'_>,
    ) -> Result<GrepOutput, SearchError> {
        match &self.0 {
            Some(places) => places.grep(request, control),
            None => crate::grep(request, control),
        }
    }

    /// The same as [`find()`](crate::find()).
    ///
    /// # Errors
    /// The same.
    pub fn find(
        &self,
        request: &FindRequest,
        control: &Control<'_>,
    ) -> Result<FindOutput, SearchError> {
        match &self.0 {
            Some(places) => places.find(request, control),
            None => crate::find(request, control),
        }
    }

    /// Waits until the index of the tree at `root` is complete, for at most `patience`; what it has
    /// then. Nothing when there is none.
    #[must_use]
    pub fn settle(&self, root: &Path, patience: Duration) -> Option<IndexStatus> {
        self.0.as_ref()?.settle(root, patience)
    }

    /// How many searches were answered from the index.
    #[must_use]
    pub fn served(&self) -> u64 {
        self.0.as_ref().map_or(0, |places| places.served())
    }

    /// Ends the threads and lets everything go. Later searches are plain ones.
    pub fn close(&self) {
        if let Some(places) = &self.0 {
            places.close();
        }
    }
}

/// What stands in where the kernel tells nothing.
#[cfg(not(all(target_os = "linux", not(feature = "portable"))))]
mod elsewhere {
    use std::path::Path;
    use std::time::Duration;

    use super::{IndexOptions, IndexStatus};
    use crate::{Control, FindOutput, FindRequest, GrepOutput, GrepRequest, SearchError};

    #[derive(Debug)]
    pub(super) struct Places;

    impl Places {
        pub(super) fn new(_options: IndexOptions) -> Self {
            Self
        }

        pub(super) fn grep(
            &self,
            request: &GrepRequest,
            control: &Control<'_>,
        ) -> Result<GrepOutput, SearchError> {
            crate::grep(request, control)
        }

        pub(super) fn find(
            &self,
            request: &FindRequest,
            control: &Control<'_>,
        ) -> Result<FindOutput, SearchError> {
            crate::find(request, control)
        }

        pub(super) fn settle(&self, _root: &Path, _patience: Duration) -> Option<IndexStatus> {
            None
        }

        pub(super) const fn served(&self) -> u64 {
            0
        }

        pub(super) const fn close(&self) {}
    }
}
