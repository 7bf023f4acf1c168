//! What is known of a file without its content.

use std::time::SystemTime;

use schemars::JsonSchema;
use serde::Serialize;

/// What stands at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FileKind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link.
    Link,
    /// A named pipe.
    Fifo,
    /// A socket.
    Socket,
    /// A character device.
    CharacterDevice,
    /// A block device.
    BlockDevice,
    /// Something this table does not know.
    Other,
}

impl FileKind {
    /// As it stands in details.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Directory => "directory",
            Self::Link => "link",
            Self::Fifo => "fifo",
            Self::Socket => "socket",
            Self::CharacterDevice => "character_device",
            Self::BlockDevice => "block_device",
            Self::Other => "other",
        }
    }

    /// In a sentence, with its article.
    #[must_use]
    pub const fn describe(self) -> &'static str {
        match self {
            Self::File => "a regular file",
            Self::Directory => "a directory",
            Self::Link => "a symbolic link",
            Self::Fifo => "a named pipe (FIFO)",
            Self::Socket => "a socket",
            Self::CharacterDevice => "a character device",
            Self::BlockDevice => "a block device",
            Self::Other => "a special file",
        }
    }
}

/// Kind, size, times and identity of what stands at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Metadata {
    /// What it is.
    pub kind: FileKind,
    /// Length in bytes.
    pub size: u64,
    /// When its content last changed, where the system reports it.
    pub modified: Option<SystemTime>,
    /// When its content or what is known of it last changed (`st_ctime`), where the system reports it.
    pub(crate) touched: Option<SystemTime>,
    /// Permission bits (`0o7777`). On systems without them `0o444` or `0o666`.
    pub mode: u32,
    /// Number of names (hard links) of this file.
    pub links: u64,
    /// Number of the device, 0 where there is none.
    pub device: u64,
    /// Number of the file on its device, 0 where there is none.
    pub inode: u64,
    /// Number of the owner, 0 where there is none.
    pub(crate) owner: u32,
    /// Number of the group, 0 where there is none.
    pub(crate) group: u32,
}

impl Metadata {
    /// Whether both are of one and the same file (not: of equal content). Always true where the
    /// system numbers no files.
    #[must_use]
    pub const fn is_same_file(&self, other: &Self) -> bool {
        self.device == other.device && self.inode == other.inode
    }
}
