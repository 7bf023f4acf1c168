//! What one commit found and left.

use std::path::PathBuf;
use std::sync::Arc;

pub(super) use super::file_state::FileState;
use crate::changes::change::Change;
use crate::{ContentHash, FileSnapshot, Located};

/// One path that a commit touched.
#[derive(Debug)]
pub(super) struct Touched {
    pub(super) place: Located,
    pub(super) before: FileState,
    pub(super) after: FileState,
}

impl Touched {
    fn new(place: &Located, old: Option<&FileSnapshot>, new: Option<&[u8]>) -> Self {
        Self {
            place: place.clone(),
            before: FileState::of(old),
            after: new.map_or(FileState::Absent, |bytes| FileState::File {
                hash: ContentHash::of(bytes),
                mode: 0,
            }),
        }
    }

    /// The change from what this one left to what it found.
    pub(super) fn opposite(&self) -> Self {
        Self {
            place: self.place.clone(),
            before: self.after,
            after: self.before,
        }
    }

    /// The permission bits that the system gave. The content is the one that was committed:
    /// what somebody else writes from now on must not pass for it.
    pub(super) fn take_mode(&mut self) {
        if let FileState::File { mode, .. } = &mut self.after {
            match self.place.metadata() {
                Ok(metadata) => *mode = metadata.mode,
                Err(_) => self.after = FileState::Unknown,
            }
        }
    }

    /// What stands there after a commit whose end nobody has recorded. False when it is what stood there before.
    fn take_outcome(&mut self) -> bool {
        let (planned, before) = (self.after, self.before);
        self.take_state();
        if self.after == before {
            return false;
        }
        let is_planned = self.after.hash() == planned.hash()
            && (self.after == FileState::Absent) == (planned == FileState::Absent);
        if !is_planned {
            // Somebody else has changed it since, and must not pass for the commit.
            self.after = planned;
        }
        true
    }

    /// What stands there after a commit that failed half way.
    pub(super) fn take_state(&mut self) {
        self.after = FileState::at(&self.place);
    }
}

/// Who makes changes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct By {
    /// The run, after those that have started it; empty for nobody's run.
    pub(super) runs: Arc<[String]>,
    /// The call, as its caller names it, and its number, since names come again.
    pub(super) call: Option<(Arc<str>, u32)>,
}

/// One commit.
#[derive(Debug)]
pub(super) struct Entry {
    /// What no other entry is called: the journal that made it, `-` and a number.
    pub(super) key: String,
    /// When, in milliseconds since 1970.
    pub(super) at: i64,
    pub(super) by: By,
    /// The entries that it took back, by their keys.
    pub(super) undoes: Vec<String>,
    pub(super) files: Vec<Touched>,
    /// Old and new path of each move.
    pub(super) moves: Vec<(PathBuf, PathBuf)>,
    /// Directories that it made, the outer before the inner.
    pub(super) directories: Vec<Located>,
    /// Directories that it removed, with their permission bits.
    pub(super) gone_directories: Vec<(Located, u32)>,
}

impl Entry {
    /// What these changes find and will leave. To be asked before they are committed.
    pub(super) fn of(changes: &[Change], key: String, by: &By) -> Self {
        let mut entry = Self::empty(key, by);
        for change in changes {
            entry.add(change);
        }
        entry
    }

    /// One of no change yet.
    pub(super) fn empty(key: String, by: &By) -> Self {
        Self {
            key,
            at: now(),
            by: by.clone(),
            undoes: Vec::new(),
            files: Vec::new(),
            moves: Vec::new(),
            directories: Vec::new(),
            gone_directories: Vec::new(),
        }
    }

    /// What came of changes of which only the beginning was kept: their process has ended, or is not that far yet. False when
    /// none of them was made.
    pub(super) fn take_outcome(&mut self) -> bool {
        let mut is_done = false;
        for file in &mut self.files {
            is_done |= file.take_outcome();
        }
        is_done
    }

    /// Whether it is a way back to a checkpoint: others are of no call.
    pub(super) const fn is_way_back_to_checkpoint(&self) -> bool {
        !self.undoes.is_empty() && self.by.call.is_some()
    }

    /// Whether the same call made both.
    pub(super) fn is_of_call_of(&self, other: &Self) -> bool {
        let journal = |entry: &Self| {
            entry
                .key
                .rsplit_once('-')
                .map(|(made_by, _)| made_by.to_owned())
        };
        self.by == other.by && journal(self) == journal(other)
    }

    /// Whether a run made it, or one that this run has started.
    pub(super) fn is_of_run(&self, run: &str) -> bool {
        self.by.runs.iter().any(|other| other == run)
    }

    fn add(&mut self, change: &Change) {
        let planned = change.planned();
        match change {
            Change::Create { to, .. } => {
                self.add_directories(to);
                self.files.push(Touched::new(to, None, planned.new));
            }
            Change::Update { old, .. } | Change::Delete { old } => {
                self.files
                    .push(Touched::new(old.located(), Some(old), planned.new));
            }
            Change::Move { old, to, .. } => {
                self.add_directories(to);
                let from = old.located();
                self.files.push(Touched::new(from, Some(old), None));
                self.files.push(Touched::new(to, None, planned.new));
                self.moves
                    .push((from.target().to_owned(), to.target().to_owned()));
            }
        }
    }

    fn add_directories(&mut self, to: &Located) {
        // When they cannot be made out, the commit itself will say so.
        let missing = to
            .open_existing_parent()
            .map_or(0, |(_, names)| names.len());
        let mut directories: Vec<_> = to.target().ancestors().skip(1).take(missing).collect();
        directories.reverse();
        for directory in directories {
            // By their bytes, of which the lengths come first: there may be very many, one in the other.
            let is_known = self
                .directories
                .iter()
                .any(|known| known.target().as_os_str() == directory.as_os_str());
            if is_known {
                continue;
            }
            let place = to.workspace().place(
                directory,
                directory.to_owned(),
                /*directory_only*/ true,
            );
            self.directories.extend(place);
        }
    }
}

/// The present time in milliseconds since 1970.
pub(super) fn now() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(0, |since| {
        i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
    })
}
