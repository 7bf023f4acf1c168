//! How files stand, to determine later what became of them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::find::{EntryKind, FindRequest, Kinds, find};
use crate::{Control, Scope, SearchError};

/// How a file stands, without its content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FileState {
    /// Length in bytes.
    pub size: u64,
    /// When its content was changed last.
    pub modified: Option<SystemTime>,
    /// When it was made, under whatever name. `None` where the system does not know.
    pub born: Option<SystemTime>,
    /// Which file it is, and its mode: another file of the same name has another number. Zeros where
    /// the system has none.
    pub identity: (u64, u32),
    /// When anything of it was changed last, in seconds and nanoseconds since 1970: unlike `modified`, no program can
    /// set that. Zeros where the system has none.
    pub touched: (i64, i64),
    /// How many names (hard links) it has. A new name is one more thing that sets `touched`.
    pub names: u64,
    /// What it is.
    pub kind: StateKind,
}

/// What stands at a path.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum StateKind {
    /// A regular file.
    #[default]
    File,
    /// A directory.
    Directory,
    /// A symbolic link.
    Link,
    /// A FIFO, a socket or a device.
    Special,
}

impl FileState {
    /// Whether nothing is known to have been done to the file since: another name of it is no change. Where it has another
    /// name, it may have been written to all the same.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        let is_renamed = self.names != other.names && self.is_alike(other);
        is_renamed || self.is_untouched(other)
    }

    /// Whether nothing was done to the file since, and it got no other name either.
    #[must_use]
    pub fn is_untouched(&self, other: &Self) -> bool {
        self.is_alike(other) && self.touched == other.touched
    }

    fn is_alike(&self, other: &Self) -> bool {
        (self.size, self.modified, self.identity) == (other.size, other.modified, other.identity)
    }

    /// Whether nothing was done to it since then. The directory that it is in may have been moved.
    #[must_use]
    pub fn is_untouched_since(&self, moment: SystemTime) -> bool {
        match self.touched {
            (0, 0) => {
                is_before(self.modified, moment)
                    && self.born.is_none_or(|_| self.was_made_before(moment))
            }
            (seconds, nanoseconds) => {
                let since = |part: i64| u64::try_from(part).unwrap_or_default();
                let touched =
                    Duration::from_secs(since(seconds)) + Duration::from_nanos(since(nanoseconds));
                is_before(Some(SystemTime::UNIX_EPOCH + touched), moment)
            }
        }
    }

    /// Whether it was made before then; by the time of its content where the system does not know.
    #[must_use]
    pub fn was_made_before(&self, moment: SystemTime) -> bool {
        is_before(self.born.or(self.modified), moment)
    }

    /// Whether it or its content may be older: a file that was moved from another disk is a new one with an old time.
    #[must_use]
    pub fn may_be_older_than(&self, moment: SystemTime) -> bool {
        self.was_made_before(moment) || is_before(self.modified, moment)
    }
}

/// Some file systems only know whole seconds.
fn is_before(time: Option<SystemTime>, moment: SystemTime) -> bool {
    let since = |time: SystemTime| {
        time.duration_since(SystemTime::UNIX_EPOCH)
            .unwrap_or_default()
    };
    let (Some(time), moment) = (time.map(since), since(moment)) else {
        return false;
    };
    if time.subsec_nanos() == 0 {
        time.as_secs() < moment.as_secs()
    } else {
        time < moment
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
        if let Ok(metadata) = std::fs::symlink_metadata(place(&scope.base, &entry.path)) {
            states.files.insert(entry.path, state(&metadata));
        }
    }
    Ok(states)
}

/// Where a path leads that a search has answered.
fn place(base: &Path, path: &str) -> PathBuf {
    base.join(tenon_edit::path_of_name(path))
}

/// How one file or link stands, which is not followed.
///
/// # Errors
/// What the system says.
pub fn file_state(path: &Path) -> std::io::Result<FileState> {
    Ok(state(&std::fs::symlink_metadata(path)?))
}

/// What stands in the directories that are seen and is not seen itself, such as what ignore files hide, in the same spelling.
/// What is in such a directory is not looked at. A directory that cannot be read is one of them. Blocks.
#[must_use]
pub fn unseen(
    base: &Path,
    states: &FileStates,
    control: &Control<'_>,
) -> BTreeMap<String, FileState> {
    let mut found = BTreeMap::new();
    for directory in std::iter::once("").chain(states.directories.iter().map(String::as_str)) {
        if control.halt().is_some() {
            break;
        }
        let path_of_directory = tenon_edit::path_of_name(directory);
        let above = base.join(&path_of_directory);
        let Ok(entries) = std::fs::read_dir(&above) else {
            let state = file_state(&above);
            found.extend(state.map(|state| (directory.to_owned(), state)));
            continue;
        };
        for entry in entries.flatten() {
            let path = path_of_directory.join(entry.file_name());
            let path = tenon_edit::name_of_bytes(path.as_os_str().as_encoded_bytes());
            let path = path.replace(std::path::MAIN_SEPARATOR, "/");
            let is_seen = states.files.contains_key(&path) || states.directories.contains(&path);
            if let (false, Ok(metadata)) = (is_seen, entry.metadata()) {
                found.insert(path, state(&metadata));
            }
        }
    }
    found
}

#[cfg(unix)]
fn state(metadata: &Metadata) -> FileState {
    use std::os::unix::fs::MetadataExt;
    FileState {
        size: metadata.len(),
        modified: metadata.modified().ok(),
        born: metadata.created().ok(),
        identity: (metadata.ino(), metadata.mode()),
        touched: (metadata.ctime(), metadata.ctime_nsec()),
        names: metadata.nlink(),
        kind: kind(metadata),
    }
}

#[cfg(not(unix))]
fn state(metadata: &Metadata) -> FileState {
    FileState {
        size: metadata.len(),
        modified: metadata.modified().ok(),
        born: metadata.created().ok(),
        identity: (0, 0),
        touched: (0, 0),
        names: 1,
        kind: kind(metadata),
    }
}

fn kind(metadata: &Metadata) -> StateKind {
    if metadata.is_file() {
        StateKind::File
    } else if metadata.is_dir() {
        StateKind::Directory
    } else if metadata.is_symlink() {
        StateKind::Link
    } else {
        StateKind::Special
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

    #[test]
    fn what_is_not_seen_is_found_beside_what_is_and_not_below() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        for name in ["dist", "in"] {
            std::fs::create_dir(root.join(name)).unwrap();
        }
        for name in ["a.txt", "b.log", "dist/o.js", "in/c.log", "in/d.txt"] {
            std::fs::write(root.join(name), name).unwrap();
        }
        std::fs::write(root.join(".gitignore"), "*.log\ndist/\n").unwrap();
        let scope = Scope::new(&root, &root);
        let seen = file_states(&scope, 10, &Control::default()).unwrap();
        let hidden = unseen(&root, &seen, &Control::default());
        let names: Vec<&str> = hidden.keys().map(String::as_str).collect();
        assert_eq!(names, ["b.log", "dist", "in/c.log"]);
        assert_eq!(hidden["b.log"], file_state(&root.join("b.log")).unwrap());
    }

    #[test]
    fn a_file_is_older_than_a_moment_by_its_making_or_its_content() {
        let at = |milliseconds| SystemTime::UNIX_EPOCH + Duration::from_millis(milliseconds);
        let file = |born: Option<u64>, modified: u64| FileState {
            size: 0,
            modified: Some(at(modified)),
            born: born.map(at),
            identity: (0, 0),
            touched: (0, 0),
            names: 1,
            kind: StateKind::File,
        };
        let answers = |file: FileState| {
            let moment = at(5_500);
            (
                file.was_made_before(moment),
                file.may_be_older_than(moment),
                file.is_untouched_since(moment),
            )
        };
        assert_eq!(answers(file(Some(5_600), 5_700)), (false, false, false));
        assert_eq!(answers(file(Some(5_400), 5_400)), (true, true, true));
        assert_eq!(answers(file(Some(5_400), 5_700)), (true, true, false));
        assert_eq!(answers(file(Some(5_600), 1_400)), (false, true, false));
        assert_eq!(answers(file(None, 5_400)), (true, true, true));
        // A file system that knows whole seconds only.
        assert_eq!(answers(file(None, 5_000)), (false, false, false));
        assert_eq!(answers(file(None, 4_000)), (true, true, true));
        let renamed = FileState {
            touched: (5, 600_000_000),
            ..file(Some(1_000), 1_000)
        };
        assert_eq!(answers(renamed), (true, true, false));
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
        // The time is that of the new name, or of a write whose other time was put back.
        assert!(!before.files["in/a"].is_untouched(&look().files["in/a"]));
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
    #[cfg(unix)]
    #[test]
    fn a_name_that_is_not_unicode_has_a_state_seen_or_not() {
        use std::os::unix::ffi::OsStrExt;
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        let path = |bytes: &[u8]| root.join(std::ffi::OsStr::from_bytes(bytes));
        std::fs::create_dir(path(b"d\xfe")).unwrap();
        for name in [b"a\xff".as_slice(), b"d\xfe/in", b"d\xfe/b\xff.log"] {
            std::fs::write(path(name), "x").unwrap();
        }
        std::fs::write(root.join(".gitignore"), "*.log\n").unwrap();
        let scope = Scope::new(&root, &root);
        let seen = file_states(&scope, 10, &Control::default()).unwrap();
        let names: Vec<&str> = seen.files.keys().map(String::as_str).collect();
        assert_eq!(names, [r#""a\377""#, r#""d\376/in""#, ".gitignore"]);
        let hidden = unseen(&root, &seen, &Control::default());
        let names: Vec<&str> = hidden.keys().map(String::as_str).collect();
        assert_eq!(names, [r#""d\376/b\377.log""#]);
    }
}
