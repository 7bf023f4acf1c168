//! What is closed where the system refused: which directory or file, and which right this process lacks.

use std::fmt;

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
    /// An attribute of the file system keeps it as it is, whatever its permission bits, also for root.
    Attribute {
        /// The path of the file or directory, as answers name it.
        path: String,
        /// The letter of `chattr`.
        letter: char,
    },
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

impl fmt::Display for Closed {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (path, right, user, owner, mode) = match self {
            Self::Right {
                path,
                right,
                user,
                owner,
                mode,
            } => (path, right, user, owner, mode),
            Self::Attribute { path, letter } => {
                let kind = if *letter == 'i' {
                    "immutable"
                } else {
                    "append-only"
                };
                return write!(
                    formatter,
                    "`{path}` is {kind} (attribute `{letter}` of its file system), whatever its permissions. \
                     Ask the user to remove that with `chattr -{letter}`."
                );
            }
            Self::ReadOnlyMount => {
                return formatter.write_str(
                    "Its file system is mounted read-only. Ask the user to mount it for writing, or write elsewhere.",
                );
            }
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
