//! What stands at a path, as far as a journal has to know it.

use std::path::{Path, PathBuf};

use crate::{ContentHash, Error, FileKind, FileSnapshot, Located};

/// What stands at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileState {
    /// Nothing.
    Absent,
    /// A file.
    File {
        /// Of its content.
        hash: ContentHash,
        /// Its permission bits.
        mode: u32,
    },
    /// A link that a command put in the place of a file or a directory. Only such a one is taken away again.
    Link {
        /// Of where it leads, as it says so itself.
        target: ContentHash,
    },
    /// A directory that a command put in the place of a file.
    Directory,
    /// Something that could not be made out. Equals nothing that is wanted.
    Unknown,
}

impl FileState {
    pub(super) fn of(snapshot: Option<&FileSnapshot>) -> Self {
        snapshot.map_or(Self::Absent, |file| Self::File {
            hash: file.hash(),
            mode: file.metadata().mode,
        })
    }

    /// What stands at a place now.
    pub(super) fn at(place: &Located) -> Self {
        match present(place) {
            Ok(found) => Self::of(found.as_ref()),
            Err(_) => Self::of_link(place)
                .or_else(|| is_directory(place).then_some(Self::Directory))
                .unwrap_or(Self::Unknown),
        }
    }

    /// Of its content, if it is a file.
    pub(super) const fn hash(&self) -> Option<ContentHash> {
        match self {
            Self::File { hash, .. } => Some(*hash),
            Self::Absent | Self::Link { .. } | Self::Directory | Self::Unknown => None,
        }
    }

    /// Of what has to be kept so that it can be made again: the content of a file, where a link leads.
    pub(super) const fn kept_hash(&self) -> Option<ContentHash> {
        match self {
            Self::File { hash, .. } => Some(*hash),
            Self::Link { target } => Some(*target),
            Self::Absent | Self::Directory | Self::Unknown => None,
        }
    }

    /// A link that stands at a place.
    pub(super) fn of_link(place: &Located) -> Option<Self> {
        link_target(place).map(|target| Self::of_target(&target))
    }

    /// A link that leads there.
    pub(super) fn of_target(target: &Path) -> Self {
        Self::Link {
            target: ContentHash::of(target.as_os_str().as_encoded_bytes()),
        }
    }
}

/// Where a link that stands at a place leads, as it says so itself.
pub(super) fn link_target(place: &Located) -> Option<PathBuf> {
    let (directory, name) = place.open_parent().ok()?;
    directory.read_link(Path::new(name)).ok()?
}

/// Whether a directory stands at a place.
pub(super) fn is_directory(place: &Located) -> bool {
    let found = place.peek();
    found.is_ok_and(|found| found.kind == FileKind::Directory)
}

/// What stands at a place now, with its content if it is a file.
pub(super) fn present(place: &Located) -> Result<Option<FileSnapshot>, Error> {
    match crate::read_bytes(place, u64::MAX - 1) {
        Ok(snapshot) => Ok(Some(snapshot)),
        // Where a part of the path is a file, there is nothing below it.
        Err(Error::NotFound { .. } | Error::NotADirectory { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}
