//! When new content is on the disk.

/// Whether a commit waits until the new content is on the disk.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Durability {
    /// It does (fsync): after a crash of the machine every file is as before or as planned. A change of several files is on
    /// the disk when it is done; one of a single file may be taken back by a crash of the machine within seconds.
    #[default]
    Synced,
    /// It does not: after a crash of the machine a file may be empty. Much faster for small files.
    Unsynced,
}
