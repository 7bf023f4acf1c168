//! Where some lines of large files begin, so that a later page is found without reading all that is before it.
//!
//! The first page of a file is read together with the rest of the file, because its lines are counted. On that way a
//! mark is left every [`SPACING_BYTES`]. The next page starts at the mark before it and ends where it ends.
//!
//! A mark counts only for the very file it was made of: same number, size, time of change and time of the last touch
//! (`st_ctime`, which no program can set back). A file that was touched within the last [`SETTLED`] is not marked, for
//! a change in the same tick of the clock would leave no trace. A change through a mapping of memory that was not
//! brought to the disk leaves none either; the same is true of every tool that goes by the times of files.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use super::encoding::TextEncoding;
use super::line_ending::LineEndCount;
use crate::Metadata;

/// Bytes between two marks, at first.
const SPACING_BYTES: u64 = 256 * 1024;

/// Most marks of one file (16 bytes each); a larger file has them further apart.
const MARKS_MAX: usize = 16 * 1024;

/// Files that are remembered.
const FILES_MAX: usize = 32;

/// Older than the coarsest clock of a file system in use (FAT: 2 s).
const SETTLED: Duration = Duration::from_secs(3);

/// What is remembered of the files of one session. Clones share it.
#[derive(Debug, Clone, Default)]
pub struct LineMarks(Arc<Mutex<Vec<Marked>>>);

/// One file; the last used is the last of the list.
#[derive(Debug)]
struct Marked {
    identity: Identity,
    outline: Arc<Outline>,
}

/// Distinguishes a file, as it was, from every other and from itself after a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Identity {
    device: u64,
    inode: u64,
    size: u64,
    modified: SystemTime,
    touched: SystemTime,
}

impl Identity {
    /// Nothing where the system does not report enough, or the file was touched just now.
    pub(crate) fn of(metadata: &Metadata) -> Option<Self> {
        let (modified, touched) = (metadata.modified?, metadata.touched?);
        let settled = SystemTime::now().checked_sub(SETTLED)?;
        (metadata.inode != 0 && modified < settled && touched < settled).then_some(Self {
            device: metadata.device,
            inode: metadata.inode,
            size: metadata.size,
            modified,
            touched,
        })
    }
}

/// The marks of one file of UTF-8, and what is known of it as a whole.
#[derive(Debug)]
pub(crate) struct Outline {
    marks: Vec<Mark>,
    /// How it is written; gives the length of its byte order mark.
    pub(crate) encoding: TextEncoding,
    /// Of the whole file.
    pub(crate) ends: LineEndCount,
    /// Of the whole file, in bytes.
    pub(crate) size: u64,
}

/// A place between two characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Mark {
    /// Bytes before it.
    pub(crate) offset: u64,
    /// Line ends before it.
    pub(crate) newlines: u64,
}

impl Outline {
    /// From where to read to find the line that `newlines` line ends come before.
    pub(crate) fn mark_before(&self, newlines: u64) -> Mark {
        // A mark with as many line ends before it lies behind the start of that line.
        let after = self.marks.partition_point(|mark| mark.newlines < newlines);
        let start = Mark {
            offset: super::stream::bom_length(self.encoding),
            newlines: 0,
        };
        after
            .checked_sub(1)
            .and_then(|before| self.marks.get(before).copied())
            .unwrap_or(start)
    }
}

/// Leaves marks on the way through a file.
#[derive(Debug)]
pub(crate) struct Marker {
    marks: Vec<Mark>,
    spacing: u64,
    next: u64,
}

impl Default for Marker {
    fn default() -> Self {
        Self {
            marks: Vec::new(),
            spacing: SPACING_BYTES,
            next: SPACING_BYTES,
        }
    }
}

impl Marker {
    /// At a place between two characters.
    pub(crate) fn pass(&mut self, mark: Mark) {
        if mark.offset < self.next {
            return;
        }
        self.marks.push(mark);
        if self.marks.len() == MARKS_MAX {
            let mut is_odd = false;
            self.marks.retain(|_| {
                is_odd = !is_odd;
                !is_odd
            });
            self.spacing *= 2;
        }
        self.next = mark.offset + self.spacing;
    }

    /// At the end of the file.
    pub(crate) fn finish(
        self,
        encoding: TextEncoding,
        ends: LineEndCount,
        size: u64,
    ) -> Option<Outline> {
        (!self.marks.is_empty()).then_some(Outline {
            marks: self.marks,
            encoding,
            ends,
            size,
        })
    }
}

impl LineMarks {
    /// What is known of this very file.
    pub(crate) fn of(&self, identity: &Identity) -> Option<Arc<Outline>> {
        let mut files = self.lock();
        let at = files.iter().position(|file| file.identity == *identity)?;
        let file = files.remove(at);
        let outline = Arc::clone(&file.outline);
        files.push(file);
        Some(outline)
    }

    /// Remembers a file, in the place of what was known of it.
    pub(crate) fn keep(&self, identity: Identity, outline: Outline) {
        let mut files = self.lock();
        files.retain(|file| {
            (file.identity.device, file.identity.inode) != (identity.device, identity.inode)
        });
        if files.len() == FILES_MAX {
            files.remove(0);
        }
        files.push(Marked {
            identity,
            outline: Arc::new(outline),
        });
    }

    /// No thread panics while it holds this, so a poisoned one is sound.
    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Marked>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
#[path = "line_marks_tests.rs"]
mod tests;
