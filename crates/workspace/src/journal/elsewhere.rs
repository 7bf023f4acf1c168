//! What tools of this process changed, whichever toolkit they are of. A command that ran meanwhile did not change it, so the way back of the
//! command leaves it.

use std::collections::{HashMap, VecDeque};
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::file_state::FileState;

/// So many changes are known. A command during which more were made may count some of them as its own.
const MOST: usize = 4096;

static RECENT: Mutex<Recent> = Mutex::new(Recent {
    next: 0,
    changes: VecDeque::new(),
});

#[derive(Debug)]
struct Recent {
    /// The number of the next change.
    next: u64,
    changes: VecDeque<Recorded>,
}

/// How a change left a file.
#[derive(Debug)]
struct Recorded {
    number: u64,
    target: PathBuf,
    after: FileState,
}

/// No thread panics while it holds this, so a poisoned one is sound.
fn recent() -> MutexGuard<'static, Recent> {
    RECENT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The number of the next change.
pub(super) fn mark() -> u64 {
    recent().next
}

/// Notes how these files were left.
pub(super) fn note(files: impl Iterator<Item = (PathBuf, FileState)>) {
    let mut recent = recent();
    for (target, after) in files {
        let number = recent.next;
        recent.next += 1;
        recent.changes.push_back(Recorded {
            number,
            target,
            after,
        });
    }
    let over = recent.changes.len().saturating_sub(MOST);
    recent.changes.drain(..over);
}

/// How the changes since this number left their files.
pub(super) fn left_since(number: u64) -> HashMap<PathBuf, FileState> {
    let recent = recent();
    let since = recent.changes.iter().rev();
    let since = since.take_while(|change| change.number >= number);
    let mut left = HashMap::new();
    for change in since {
        left.entry(change.target.clone()).or_insert(change.after);
    }
    left
}
