//! How files stand, to determine later what became of them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::Metadata;
use std::time::SystemTime;

use crate::find::{EntryKind, FindRequest, Kinds, find};
use crate::{Control, Scope, SearchError};

/// How a file stands, without its content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FileState {
    /// Length in bytes.
    pub size: u64,
    /// When its content was changed last.
    pub modified: Option<SystemTime>,
    /// Which file it is, and its mode: another file of the same name has another number. Zeros where
    /// the system has none.
    pub identity: (u64, u32),
    /// When anything of it was changed last, in seconds and nanoseconds since 1970: unlike `modified`, no program can
    /// set that. Zeros where the system has none.
    pub touched: (i64, i64),
    /// How many names (hard links) it has. A new name is one more thing that sets `touched`.
    pub names: u64,
}

impl FileState {
    /// Whether nothing was done to the file since: another name of it is no change.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        (self.size, self.modified, self.identity) == (other.size, other.modified, other.identity)
            && (self.touched == other.touched || self.names != other.names)
    }
}

/// The files of a scope as they stood at one time.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileStates {
    /// By path, as searches answer it.
    pub files: BTreeMap<String, FileState>,
    /// The directories that are seen, in the same spelling.
    pub directories: BTreeSet<String>,
    /// Whether these are all that are seen in the scope.
    pub complete: bool,
}

/// Looks how the files and links of a scope stand, at most `limit` of them and of its directories. Blocks.
///
/// # Errors
/// As [`find`](crate::find()).
pub fn file_states(
    scope: &Scope,
    limit: usize,
    control: &Control<'_>,
) -> Result<FileStates, SearchError> {
    let mut request = FindRequest::new(scope.clone(), "**");
    request.kinds = Kinds {
        links: true,
        directories: true,
        ..Kinds::FILES
    };
    request.limit = Some(limit);
    let found = find(&request, control)?;
    let mut states = FileStates {
        complete: found.stopped.is_none(),
        ..FileStates::default()
    };
    for entry in found.entries {
        if control.halt().is_some() {
            states.complete = false;
            break;
        }
        if entry.kind == EntryKind::Directory {
            states.directories.insert(entry.path);
            continue;
        }
        // One that vanished meanwhile is not there.
        if let Ok(metadata) = std::fs::symlink_metadata(scope.base.join(&entry.path)) {
            states.files.insert(entry.path, state(&metadata));
        }
    }
    Ok(states)
}

#[cfg(unix)]
fn state(metadata: &Metadata) -> FileState {
    use std::os::unix::fs::MetadataExt;
    FileState {
        size: metadata.len(),
        modified: metadata.modified().ok(),
        identity: (metadata.ino(), metadata.mode()),
        touched: (metadata.ctime(), metadata.ctime_nsec()),
        names: metadata.nlink(),
    }
}

#[cfg(not(unix))]
fn state(metadata: &Metadata) -> FileState {
    FileState {
        size: metadata.len(),
        modified: metadata.modified().ok(),
        identity: (0, 0),
        touched: (0, 0),
        names: 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_seen_is_reported_with_its_state_and_a_limit_shows() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        for name in ["a.txt", "b.txt", "ignored.log"] {
            std::fs::write(root.join(name), name).unwrap();
        }
        std::fs::write(root.join(".gitignore"), "*.log\n").unwrap();
        let scope = Scope::new(&root, &root);
        let all = file_states(&scope, 10, &Control::default()).unwrap();
        let names: Vec<&str> = all.files.keys().map(String::as_str).collect();
        assert_eq!(
            (names, all.complete),
            (vec![".gitignore", "a.txt", "b.txt"], true)
        );
        assert_eq!(all.files["a.txt"].size, 5);
        assert_eq!(file_states(&scope, 10, &Control::default()).unwrap(), all);
        let some = file_states(&scope, 2, &Control::default()).unwrap();
        assert_eq!((some.files.len(), some.complete), (2, false));
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_was_written_is_another_whatever_its_time_says_and_another_name_is_none() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        std::fs::create_dir(root.join("in")).unwrap();
        let path = root.join("in/a");
        std::fs::write(&path, "one").unwrap();
        let scope = Scope::new(&root, &root);
        let look = || file_states(&scope, 10, &Control::default()).unwrap();
        let before = look();
        assert_eq!(before.directories.iter().collect::<Vec<_>>(), ["in"]);
        std::fs::hard_link(&path, root.join("b")).unwrap();
        assert!(before.files["in/a"].is_same(&look().files["in/a"]));
        std::fs::remove_file(root.join("b")).unwrap();
        let before = look();
        std::thread::sleep(std::time::Duration::from_millis(20));
        let time = path.metadata().unwrap().modified().unwrap();
        std::fs::write(&path, "two").unwrap();
        std::fs::File::options()
            .write(true)
            .open(&path)
            .unwrap()
            .set_modified(time)
            .unwrap();
        assert!(!before.files["in/a"].is_same(&look().files["in/a"]));
    }
}
