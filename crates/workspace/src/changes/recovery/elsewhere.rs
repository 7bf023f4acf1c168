//! Records of other workspaces: read once in a process, not for each toolkit, and removed when nothing of them is left.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::SystemTime;

use tenon_contract::limits;

use super::log::Log;
use crate::Workspace;
use crate::changes::record::{Copy, copy_path};

/// What says that a record is still the one that was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Stamp {
    modified: SystemTime,
    bytes: u64,
}

impl Stamp {
    pub(super) fn of(record: &Path) -> Option<Self> {
        let found = fs::symlink_metadata(record).ok()?;
        Some(Self {
            modified: found.modified().ok()?,
            bytes: found.len(),
        })
    }
}

/// Records by their paths, each with the files and directories that it is about.
type Records = HashMap<PathBuf, (Stamp, Vec<PathBuf>)>;

static KNOWN: LazyLock<Mutex<Records>> = LazyLock::new(Mutex::default);

/// Whether a record was read before and is about nothing in this workspace.
pub(super) fn is_known(workspace: &Workspace, record: &Path, stamp: Option<Stamp>) -> bool {
    let known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    known.get(record).is_some_and(|(then, paths)| {
        Some(*then) == stamp
            && !paths
                .iter()
                .any(|path| workspace.roots().any(|root| path.starts_with(root)))
    })
}

/// Keeps in mind what a record of another workspace is about. Removes it when it is old and nothing of it is there.
pub(super) fn keep(record: &Path, stamp: Option<Stamp>, log: &Log) {
    let Some(stamp) = stamp else { return };
    let targets = log.steps.iter().map(|step| &step.line.target);
    let paths: Vec<PathBuf> = targets.chain(&log.directories).map(PathBuf::from).collect();
    let is_old = stamp
        .modified
        .elapsed()
        .is_ok_and(|age| age > limits::RECORD_OF_NOTHING_KEPT);
    if is_old && paths.iter().all(|path| is_gone(path)) {
        for index in 0..log.steps.len() {
            for copy in [Copy::Old, Copy::New] {
                // Most steps have none.
                let _ = fs::remove_file(copy_path(record, index, copy));
            }
        }
        // Anyone who is left reads it again.
        let _ = fs::remove_file(record);
        return;
    }
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    known.insert(record.to_owned(), (stamp, paths));
}

/// Whether not even the directory of this file is there. One that may not be looked at is.
fn is_gone(path: &Path) -> bool {
    path.parent().is_some_and(|directory| {
        fs::symlink_metadata(directory)
            .is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound)
    })
}
