//! What is closed where the system refused: which directory or file, and which right this process lacks.

use std::fmt;
use std::io;
use std::path::Path;

use crate::platform::{self, Need};
use crate::{Located, Metadata, Workspace};

/// What stands in the way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Closed {
    /// A right is missing.
    Right {
        /// The file or directory, as answers name it.
        path: String,
        /// What may not be done with it.
        right: Right,
        /// The user as whom this process runs.
        user: u32,
        /// Its owner.
        owner: u32,
        /// Its permission bits.
        mode: u32,
    },
    /// Its file system takes no changes.
    ReadOnlyMount,
}

/// What may be done with a file or a directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Right {
    /// Reach what is in a directory.
    Enter,
    /// See the names in a directory.
    List,
    /// Make, replace and remove names in a directory.
    Change,
    /// Replace or remove what others own in a directory with the sticky bit.
    ChangeOfOthers,
    /// Read a file.
    Read,
    /// Write a file.
    Write,
}

impl Closed {
    /// Looks at the way to a path in the workspace. `source` is what the system answered when `action` was tried there.
    pub(crate) fn at(
        workspace: &Workspace,
        target: &Path,
        action: &str,
        source: &io::Error,
    ) -> Option<Self> {
        let need = match action {
            // What is kept elsewhere, for the way back.
            _ if action.starts_with("keep ") => return None,
            "resolve" | "look at" => Need::Reach,
            "open" | "read" | "list" => Need::Read,
            _ => Need::Change,
        };
        if source.kind() == io::ErrorKind::ReadOnlyFilesystem {
            return Some(Self::ReadOnlyMount);
        }
        let root = workspace.roots().find(|root| target.starts_with(root))?;
        let (path, right, found) = platform::missing_right(root, target, need)?;
        Some(Self::Right {
            path: workspace.name_of(&path)?,
            right,
            user: platform::user(),
            owner: found.owner,
            mode: found.mode & 0o7777,
        })
    }

    /// Why a file that is there may not be written, where that is not only up to its permission bits.
    pub(crate) fn to_write(place: &Located, file: &Metadata) -> Option<Self> {
        if platform::is_read_only_mount(place.target()) {
            return Some(Self::ReadOnlyMount);
        }
        let user = platform::user();
        (user != file.owner).then(|| Self::Right {
            path: place.name().to_owned(),
            right: Right::Write,
            user,
            owner: file.owner,
            mode: file.mode & 0o7777,
        })
    }
}

impl fmt::Display for Closed {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self::Right {
            path,
            right,
            user,
            owner,
            mode,
        } = self
        else {
            return formatter.write_str(
                "Its file system is mounted read-only. Ask the user to mount it for writing, or write elsewhere.",
            );
        };
        let (right, what) = match right {
            Right::Enter => ("enter", "the directory "),
            Right::List => ("list", "the directory "),
            Right::Change => ("make, replace or remove anything in", "the directory "),
            Right::ChangeOfOthers => ("replace or remove files of others in", "the directory "),
            Right::Read => ("read", ""),
            Right::Write => ("write", ""),
        };
        write!(
            formatter,
            "This process (user {user}) may not {right} {what}`{path}` (owner {owner}, mode {mode:o}). \
             Ask the user to change its permissions."
        )
    }
}

/// The same behind a sentence, where it is known.
pub(crate) fn behind(closed: Option<&Closed>) -> String {
    closed.map_or_else(String::new, |closed| format!(" {closed}"))
}
