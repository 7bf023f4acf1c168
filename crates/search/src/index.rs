//! A warm index: the files of a tree with signatures of their contents, made after a first search
//! and kept fresh by what the kernel reports, so that later searches read only what may match.
//!
//! Answers are those of [`grep()`](crate::grep()) and [`find()`](crate::find()) at that moment: before
//! an answer, everything that has happened is taken; candidates are searched as always; and whatever
//! the index is not sure of, it leaves to the plain search. Linux only; elsewhere every search is a
//! plain one. Why and how: `docs/decisions/0011-search-index.md`.

#[cfg(any(test, all(target_os = "linux", not(feature = "portable"))))]
mod budget;
#[cfg(any(
    test,
    feature = "fuzz",
    all(target_os = "linux", not(feature = "portable"))
))]
#[cfg_attr(
    not(all(target_os = "linux", not(feature = "portable"))),
    allow(
        dead_code,
        unused_imports,
        reason = "only tests and a fuzzer use it there"
    )
)]
mod disk;
#[cfg(all(target_os = "linux", not(feature = "portable")))]
mod linux;
mod options;
#[cfg(any(test, all(target_os = "linux", not(feature = "portable"))))]
mod prefilter;
#[cfg(any(test, all(target_os = "linux", not(feature = "portable"))))]
#[cfg_attr(
    not(all(target_os = "linux", not(feature = "portable"))),
    allow(
        dead_code,
        unused_imports,
        reason = "only tests and a fuzzer use it there"
    )
)]
mod signature;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

#[cfg(feature = "fuzz")]
pub use disk::try_to_read;
#[cfg(not(all(target_os = "linux", not(feature = "portable"))))]
use elsewhere::Places;
#[cfg(all(target_os = "linux", not(feature = "portable")))]
use linux::Places;
pub use options::{IndexOptions, IndexStatus, IndexStore};

use crate::{Control, FindOutput, FindRequest, GrepOutput, GrepRequest, SearchError};

/// The index of a toolkit. Cheap to clone; the last clone lets everything go.
#[derive(Debug, Clone, Default)]
pub struct Index(Option<Arc<Places>>);

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

/// What stands in where the kernel says nothing.
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
