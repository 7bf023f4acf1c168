//! The entries of one folder.

use std::ffi::OsString;

use crate::platform::Folder;
use crate::{Error, FileKind, Located};

/// How many names are read between two looks at the cancellation.
const CHECK_EVERY: usize = 1024;

/// The entries of one folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FolderListing {
    /// Sorted by name without regard to case, then by bytes.
    pub entries: Vec<FolderEntry>,
    /// Entries in the folder, shown or not.
    pub total: usize,
    /// Whether there are more than the limit let through.
    pub truncated: bool,
}

/// One entry of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FolderEntry {
    /// Its name. What is no UTF-8 in it stands as U+FFFD; such an entry cannot be asked for.
    pub name: String,
    /// What it is; of a link that leads inside, what it leads to, else [`FileKind::Link`].
    pub kind: FileKind,
    /// Whether it is a link.
    pub is_link: bool,
    /// Length in bytes; of a link that leads inside, of its target.
    pub size: u64,
}

pub(crate) fn list(
    place: &Located,
    folder: &Folder,
    limit: usize,
    cancelled: &dyn Fn() -> bool,
) -> Result<FolderListing, Error> {
    let mut names: Vec<(String, OsString)> = Vec::new();
    let mut stopped = false;
    folder
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
        .filter_map(|(_, name)| entry(place, folder, &name))
        .collect();
    Ok(FolderListing {
        entries,
        total,
        truncated: total > limit,
    })
}

/// `None` for what was removed since the names were read.
fn entry(place: &Located, folder: &Folder, name: &OsString) -> Option<FolderEntry> {
    let shown = name.to_string_lossy().into_owned();
    let found = match folder.metadata(name) {
        Ok(found) => found,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return None,
        Err(_) => {
            return Some(FolderEntry {
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
    let told = target.unwrap_or(found);
    Some(FolderEntry {
        name: shown,
        kind: told.kind,
        is_link,
        size: told.size,
    })
}
