//! What stands for a process where there is no `/proc`.

/// A process, or a whole group by its leader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) pid: i32,
}
