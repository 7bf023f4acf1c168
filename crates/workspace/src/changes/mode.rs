//! Permission bits that a change gives its file.

/// Execute, for everybody.
const EXECUTE: u32 = 0o111;
/// Permission to read, of anybody.
const READ: u32 = 0o444;
/// Every permission bit.
const ALL: u32 = 0o7777;

/// What a change does to the permission bits of its file. Systems without them keep what they have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ModeChange {
    /// Exactly these bits (`0o7777`), whatever the umask.
    Exactly(u32),
    /// What git's modes `100755` (`true`) and `100644` (`false`) mean for a file that has a mode
    /// already: the one who may read it may run it, or nobody may.
    Executable(bool),
}

impl ModeChange {
    /// The bits afterwards of a file that has `mode` now.
    #[must_use]
    pub const fn apply(self, mode: u32) -> u32 {
        match self {
            Self::Exactly(mode) => mode & ALL,
            Self::Executable(true) => mode | ((mode & READ) >> 2),
            Self::Executable(false) => mode & !EXECUTE,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn executable_follows_the_right_to_read() {
        let with = |mode| ModeChange::Executable(true).apply(mode);
        assert_eq!(
            [with(0o644), with(0o600), with(0o640)],
            [0o755, 0o700, 0o750]
        );
        let without = |mode| ModeChange::Executable(false).apply(mode);
        assert_eq!(
            [without(0o755), without(0o700), without(0o600)],
            [0o644, 0o600, 0o600]
        );
        assert_eq!(ModeChange::Exactly(0o100_755).apply(0), 0o755);
    }
}
