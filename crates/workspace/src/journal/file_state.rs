//! What stands at a path, as far as a journal has to know it.

use std::path::Path;

use crate::{ContentHash, FileSnapshot, Located};

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

    /// Of its content, if it is a file.
    pub(super) const fn hash(&self) -> Option<ContentHash> {
        match self {
            Self::File { hash, .. } => Some(*hash),
            Self::Absent | Self::Link { .. } | Self::Unknown => None,
        }
    }

    /// A link that stands at a place.
    pub(super) fn of_link(place: &Located) -> Option<Self> {
        let (directory, name) = place.open_parent().ok()?;
        let target = directory.read_link(Path::new(name)).ok()??;
        Some(Self::Link {
            target: ContentHash::of(target.as_os_str().as_encoded_bytes()),
        })
    }
}
