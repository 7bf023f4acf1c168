//! What stands for processes where there is no `/proc`.

/// A process, or a whole group by its leader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) pid: i32,
}

/// A process in a table that is never read here.
#[derive(Debug)]
pub(crate) struct MarkedProcess;

/// None are known beforehand.
pub(crate) fn pids() -> Vec<i32> {
    Vec::new()
}

/// None are seen.
pub(crate) fn seen(_pids: impl IntoIterator<Item = i32>, _since: u64) -> Vec<MarkedProcess> {
    Vec::new()
}

/// Not known from the table: the group is asked.
pub(crate) fn lives(_known: &Row) -> bool {
    false
}
