//! The entries of one directory.

use std::ffi::OsString;
use std::path::Path;
use std::{fs, io};

use crate::platform::Directory;
use crate::workspace::name_text;
use crate::{Error, FileKind, Located};

/// How many names are read between two looks at the cancellation.
const CHECK_EVERY: usize = 1024;

/// The entries of one directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DirectoryListing {
    /// Sorted by name without regard to case, then by bytes.
    pub entries: Vec<DirectoryEntry>,
    /// Entries in the directory, shown or not.
    pub total: usize,
    /// Whether there are more than the limit let through.
    pub truncated: bool,
}

/// One entry of a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DirectoryEntry {
    /// Its name; one that is not Unicode in quotes, by its bytes.
    pub name: String,
    /// What it is; of a link that leads inside, what it leads to, else [`FileKind::Link`].
    pub kind: FileKind,
    /// Whether it is a link.
    pub is_link: bool,
    /// Length in bytes; of a link that leads inside, of its target.
    pub size: u64,
}

/// The names in an absolute directory and what they are, links not followed, in any order; what is no UTF-8 in a name
/// stands as U+FFFD. `None` when there are more than `most`. For looking ahead: nothing is opened but the directory.
///
/// # Errors
///
/// The directory cannot be read.
pub fn entry_kinds(directory: &Path, most: usize) -> io::Result<Option<Vec<(String, FileKind)>>> {
    // Not through a link that came into its place.
    if !fs::symlink_metadata(directory)?.is_dir() {
        return Err(io::ErrorKind::NotADirectory.into());
    }
    let mut found = Vec::new();
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        if found.len() == most {
            return Ok(None);
        }
        let kind = entry.file_type()?;
        let kind = if kind.is_symlink() {
            FileKind::Link
        } else if kind.is_dir() {
            FileKind::Directory
        } else if kind.is_file() {
            FileKind::File
        } else {
            FileKind::Other
        };
        found.push((entry.file_name().to_string_lossy().into_owned(), kind));
    }
    Ok(Some(found))
}

/// Files that say what searches leave out.
const IGNORE_FILES: &[&str] = &[
    ".gitignore",
    ".ignore",
    ".rgignore",
    ".fdignore",
    ".git/info/exclude",
];

/// The longest of them that is looked into, in bytes.
const LONGEST_IGNORE_FILE: u64 = 1 << 20;

/// Whether a file in this absolute directory that says what searches leave out makes an exception (a line that begins
/// with `!`). What cannot be read counts as one.
#[must_use]
pub fn ignore_files_make_exceptions(directory: &Path) -> bool {
    IGNORE_FILES.iter().any(|name| {
        let path = directory.join(name);
        let Ok(metadata) = fs::metadata(&path) else {
            // A link that leads nowhere says nothing, neither does what is missing.
            return false;
        };
        if !metadata.is_file() || metadata.len() > LONGEST_IGNORE_FILE {
            return !metadata.is_dir();
        }
        fs::read(&path).map_or(true, |bytes| {
            bytes
                .split(|byte| *byte == b'\n')
                .any(|line| line.trim_ascii_start().starts_with(b"!"))
        })
    })
}

impl Located {
    /// The first `limit` entries of this directory by name, without those of its directories.
    ///
    /// # Errors
    /// [`Error::NotADirectory`], [`Error::NotFound`], [`Error::Cancelled`], what the system refuses.
    pub fn list(
        &self,
        limit: usize,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<DirectoryListing, Error> {
        let directory = self
            .open_as_directory()
            .map_err(|error| self.fault("list", error))?;
        list(self, &directory, limit, cancelled)
    }
}

fn list(
    place: &Located,
    directory: &Directory,
    limit: usize,
    cancelled: &dyn Fn() -> bool,
) -> Result<DirectoryListing, Error> {
    let mut names: Vec<(String, OsString)> = Vec::new();
    let mut stopped = false;
    directory
        .names(&mut |name| {
            names.push((name.to_string_lossy().to_lowercase(), name));
            stopped = names.len().is_multiple_of(CHECK_EVERY) && cancelled();
            !stopped
        })
        .map_err(|error| place.fault("list", error))?;
    if stopped || cancelled() {
        return Err(Error::Cancelled);
    }
    names.sort_unstable();
    let total = names.len();
    let entries = names
        .into_iter()
        .take(limit)
        .filter_map(|(_, name)| entry(place, directory, &name))
        .collect();
    Ok(DirectoryListing {
        entries,
        total,
        truncated: total > limit,
    })
}

/// `None` for what was removed since the names were read.
fn entry(place: &Located, directory: &Directory, name: &OsString) -> Option<DirectoryEntry> {
    let shown = name_text(name);
    let found = match directory.metadata(name) {
        Ok(found) => found,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return None,
        Err(_) => {
            return Some(DirectoryEntry {
                name: shown,
                kind: FileKind::Other,
                is_link: false,
                size: 0,
            });
        }
    };
    let is_link = found.kind == FileKind::Link;
    let target = if is_link {
        place
            .child(&shown)
            .and_then(|target| target.metadata())
            .ok()
    } else {
        None
    };
    let reported = target.unwrap_or(found);
    Some(DirectoryEntry {
        name: shown,
        kind: reported.kind,
        is_link,
        size: reported.size,
    })
}
