//! The processes of one command where there is no `/proc`: the process group (Unix) or what
//! `taskkill /T` finds (Windows). Processes that leave the group are not found.

use std::collections::BTreeSet;

use crate::ending::process_table::{MarkedProcess, Row};
use crate::ending::root::Root;
use crate::ending::signal::Push;

/// What is known of a command's processes: its group.
#[derive(Debug)]
pub(crate) struct Tree {
    leader: i32,
}

impl Tree {
    pub(crate) fn new(root: &Root, _mark: &str) -> Self {
        Self {
            leader: i32::try_from(root.first()).unwrap_or(0),
        }
    }

    pub(crate) fn record(&mut self) {}

    /// Nothing is known from a table.
    pub(crate) fn members(&self, _seen: &[MarkedProcess]) -> Vec<Row> {
        self.living()
    }

    pub(crate) fn living_nearby(&self) -> Option<Vec<Row>> {
        Some(self.living())
    }

    /// One row for the whole group as long as one of it is alive.
    pub(crate) fn living(&self) -> Vec<Row> {
        // Zombies do not count here on macOS and the BSDs: the call fails when there are only those.
        #[cfg(unix)]
        return rustix::process::Pid::from_raw(self.leader)
            .filter(|group| rustix::process::test_kill_process_group(*group).is_ok())
            .map(|_| Row { pid: self.leader })
            .into_iter()
            .collect();
        #[cfg(not(unix))]
        Vec::new()
    }

    pub(crate) fn is_blind(&self) -> bool {
        false
    }

    #[cfg(unix)]
    pub(crate) fn push(&self, push: Push, _members: &[Row]) {
        if let Some(group) = rustix::process::Pid::from_raw(self.leader) {
            // Without a member left in the group there is nobody to inform.
            let _ = rustix::process::kill_process_group(group, push.signal());
        }
    }

    #[cfg(not(unix))]
    pub(crate) fn push(&self, push: Push, _members: &[Row]) {
        if matches!(push, Push::Terminate | Push::Kill) {
            // It may have ended since; then there is nothing left to do.
            let _ = std::process::Command::new("taskkill")
                .args(["/T", "/F", "/PID", &self.leader.to_string()])
                .stdin(std::process::Stdio::null())
                .stdout(std::process::Stdio::null())
                .stderr(std::process::Stdio::null())
                .status();
        }
    }
}

/// Finds nobody: groups are ended one by one.
pub(crate) fn kill_marked(_prefix: &str) -> BTreeSet<i32> {
    BTreeSet::new()
}
