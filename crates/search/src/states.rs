//! How files stand, to tell later what became of them.

use std::collections::BTreeMap;
use std::fs::Metadata;
use std::time::SystemTime;

use crate::find::{FindRequest, Kinds, find};
use crate::{Control, Scope, SearchError};

/// How a file stands, without its content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileState {
    /// Length in bytes.
    pub size: u64,
    /// When its content was changed last.
    pub modified: Option<SystemTime>,
    /// Which file it is, and its mode: another file of the same name has another number. Zeros where
    /// the system has none.
    pub identity: (u64, u32),
}

/// The files of a scope as they stood at one time.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileStates {
    /// By path, as searches answer it.
    pub files: BTreeMap<String, FileState>,
    /// Whether these are all that are seen in the scope.
    pub complete: bool,
}

/// Looks how the files and links of a scope stand, at most `limit` of them. Blocks.
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
        ..Kinds::FILES
    };
    request.limit = Some(limit);
    let found = find(&request, control)?;
    let mut states = FileStates {
        files: BTreeMap::new(),
        complete: found.stopped.is_none(),
    };
    for entry in found.entries {
        if control.halt().is_some() {
            states.complete = false;
            break;
        }
        // One that vanished meanwhile is not there.
        if let Ok(metadata) = std::fs::symlink_metadata(scope.base.join(&entry.path)) {
            states.files.insert(entry.path, state(&metadata));
        }
    }
    Ok(states)
}

fn state(metadata: &Metadata) -> FileState {
    FileState {
        size: metadata.len(),
        modified: metadata.modified().ok(),
        identity: identity(metadata),
    }
}

#[cfg(unix)]
fn identity(metadata: &Metadata) -> (u64, u32) {
    use std::os::unix::fs::MetadataExt;
    (metadata.ino(), metadata.mode())
}

#[cfg(not(unix))]
fn identity(_metadata: &Metadata) -> (u64, u32) {
    (0, 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_seen_is_told_with_its_state_and_a_limit_shows() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
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
}
