//! The processes of one command, found through `/proc` and signalled (Linux).
//!
//! A process belongs to the command when it is in the shell's group or session, descends from a
//! process that does, was seen below the shell while that lived, or carries the command's mark in
//! its environment. A process that leaves the group, loses its parents *and* clears its environment
//! within the first moments is not found: to exclude that needs a sub-reaper or a PID namespace,
//! which a host process cannot be and the helper is. Under a helper everybody descends from it, so
//! that nobody is missed as long as it lives.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use rustix::process::{
    Pid, PidfdFlags, kill_process, kill_process_group, pidfd_open, pidfd_send_signal,
};

use crate::ending::process_table::{self, MarkedProcess, Row};
use crate::ending::root::Root;
use crate::ending::signal::Push;

/// Up to here new process numbers are looked at one by one instead of walking the whole table.
const RANGE_MAX: i32 = 256;
/// A command that ran longer may have seen the process numbers wrap around.
const RANGE_TIME: Duration = Duration::from_secs(1);
/// Rounds of looking for processes that were started meanwhile.
const MARKED_ROUNDS: usize = 20;

/// What is known of a command's processes.
#[derive(Debug)]
pub(crate) struct Tree {
    /// The shell; 0 as long as it has not been started.
    leader: i32,
    /// The process that all others came after: the shell, or the helper above it.
    first: i32,
    first_started: u64,
    mark: String,
    born: Instant,
    recorded: BTreeMap<i32, u64>,
}

impl Tree {
    /// The tree of a command that was just started with `mark` in its environment.
    pub(crate) fn new(root: &Root, mark: &str) -> Self {
        let number = |pid: u32| i32::try_from(pid).unwrap_or(0);
        let first = number(root.first());
        Self {
            leader: root.shell().get().map_or(0, number),
            first,
            first_started: process_table::row(first).map_or(0, |row| row.started),
            mark: mark.into(),
            born: Instant::now(),
            recorded: BTreeMap::new(),
        }
    }

    /// Remembers who is below the shell now. Afterwards they are known even as orphans.
    pub(crate) fn record(&mut self) {
        let mut found = vec![self.leader];
        while let Some(parent) = found.pop() {
            for child in process_table::children(parent) {
                let Some(row) = process_table::row(child) else {
                    continue;
                };
                if self.recorded.insert(child, row.started) != Some(row.started) {
                    found.push(child);
                }
            }
        }
    }

    /// The processes of this command among those that were seen, the shell included and a helper not.
    pub(crate) fn members(&self, seen: &[MarkedProcess]) -> Vec<Row> {
        let candidates = || {
            seen.iter()
                .filter(|seen| seen.row.started >= self.first_started && !self.is_helper(&seen.row))
        };
        let mut members: BTreeSet<i32> = candidates()
            .filter(|seen| self.belongs(seen))
            .map(|seen| seen.row.pid)
            .collect();
        loop {
            let before = members.len();
            for seen in candidates() {
                if members.contains(&seen.row.parent) || self.is_below_helper(&seen.row) {
                    members.insert(seen.row.pid);
                }
            }
            if members.len() == before {
                break;
            }
        }
        candidates()
            .filter(|seen| members.contains(&seen.row.pid))
            .map(|seen| seen.row)
            .collect()
    }

    /// The processes that are alive, found without a walk through the whole table, or `None` when
    /// that cannot be done. Numbers are given in ascending order, so that after a short command
    /// only the few since its start need a look.
    pub(crate) fn living_nearby(&self) -> Option<Vec<Row>> {
        let last = process_table::last_pid()?;
        let is_near = self.born.elapsed() < RANGE_TIME
            && (0..RANGE_MAX).contains(&last.checked_sub(self.first)?);
        is_near.then(|| {
            let seen = process_table::seen(self.first..=last, self.first_started);
            self.members(&seen)
        })
    }

    /// The processes that are alive, by a walk that blocks for some milliseconds.
    pub(crate) fn living(&self) -> Vec<Row> {
        if let Some(living) = self.living_nearby() {
            return living;
        }
        // Everybody descends from a helper as long as it lives: there is no need of marks.
        let has_helper =
            self.has_helper() && process_table::row(self.first).is_some_and(|helper| !helper.ended);
        let seen = if has_helper {
            process_table::seen_unmarked(process_table::pids(), self.first_started)
        } else {
            process_table::seen(process_table::pids(), self.first_started)
        };
        self.members(&seen)
    }

    /// Whether the kernel's table cannot be read: the shell, which is not reaped yet, is not in it.
    pub(crate) fn is_blind(&self) -> bool {
        process_table::row(self.leader).is_none()
    }

    fn belongs(&self, seen: &MarkedProcess) -> bool {
        let row = &seen.row;
        let is_of_shell =
            row.pid == self.leader || row.group == self.leader || row.session == self.leader;
        (is_of_shell && self.leader != 0)
            || self.recorded.get(&row.pid) == Some(&row.started)
            || seen.mark.as_deref() == Some(&self.mark)
    }

    const fn has_helper(&self) -> bool {
        self.first != self.leader
    }

    const fn is_helper(&self, row: &Row) -> bool {
        self.has_helper() && row.pid == self.first
    }

    const fn is_below_helper(&self, row: &Row) -> bool {
        self.has_helper() && row.parent == self.first
    }

    /// Pushes the group of the shell and those `members` that left it.
    ///
    /// The shell must not have been reaped yet: its number, which is the group's, could be
    /// somebody else's then. Under a helper it may have been; a member shows that the group exists.
    pub(crate) fn push(&self, push: Push, members: &[Row]) {
        let is_ours = !self.has_helper() || members.iter().any(|row| row.group == self.leader);
        if let Some(group) = Pid::from_raw(self.leader).filter(|_| is_ours) {
            // Without a member left in the group there is nobody to inform.
            let _ = kill_process_group(group, push.signal());
        }
        for row in members.iter().filter(|row| row.group != self.leader) {
            send(row, push);
        }
    }
}

/// Kills every process that carries a mark beginning with `prefix`, and says which those were.
pub(crate) fn kill_marked(prefix: &str) -> BTreeSet<i32> {
    let mut killed = BTreeSet::new();
    // What is started while the table is read is seen in the next round.
    for _ in 0..MARKED_ROUNDS {
        let before = killed.len();
        for seen in process_table::seen(process_table::pids(), 0) {
            if seen.mark.is_some_and(|mark| mark.starts_with(prefix)) {
                send(&seen.row, Push::Kill);
                killed.insert(seen.row.pid);
            }
        }
        if killed.len() == before {
            break;
        }
    }
    killed
}

/// Signals exactly this process, not a later one with its number.
fn send(row: &Row, push: Push) {
    let Some(pid) = Pid::from_raw(row.pid) else {
        return;
    };
    match pidfd_open(pid, PidfdFlags::empty()) {
        Ok(handle) if process_table::lives(row) => {
            // It may have ended since; then there is nothing left to do.
            let _ = pidfd_send_signal(&handle, push.signal());
        }
        Err(rustix::io::Errno::NOSYS) if process_table::lives(row) => {
            let _ = kill_process(pid, push.signal());
        }
        Ok(_) | Err(_) => {}
    }
}
