//! How an index is kept, and what it has of a tree.

use std::path::PathBuf;
use std::time::Duration;

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
    /// Where indexes are kept for the next process. Default: nowhere.
    pub store: Option<IndexStore>,
}

/// Where and how indexes are kept between processes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexStore {
    /// A directory that only this user can enter. Files in it that are not indexes are left alone.
    pub directory: PathBuf,
    /// The content of a file that changed less than this before it was read is not kept: what is written through a mapping
    /// shows in no time of the file until the system has written it to the disk.
    pub least_age: Duration,
    /// The least time between two writes of an index.
    pub pause: Duration,
}

impl IndexStore {
    /// In this directory, as a product wants it.
    #[must_use]
    pub const fn new(directory: PathBuf) -> Self {
        Self {
            directory,
            least_age: Duration::from_secs(60),
            pause: Duration::from_secs(60),
        }
    }
}

impl Default for IndexOptions {
    fn default() -> Self {
        Self {
            least_files: 200,
            idle: Duration::from_secs(600),
            max_bytes: 64 * 1024 * 1024,
            max_trees: 4,
            store: None,
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

/// The index is not sure; the plain search answers.
#[cfg(all(target_os = "linux", not(feature = "portable")))]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Doubt;
