//! The processes of one command, found through `/proc` and signalled (Linux).
//!
//! A process belongs to the command when it is in the shell's group or session, descends from a
//! process that does, was seen below the shell while that lived, or carries the command's mark in
//! its environment. A process that leaves the group, loses its parents *and* clears its environment
//! within the first moments is not found: to exclude that needs a sub-reaper or a PID namespace,
//! which a host process cannot be.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use rustix::process::{
    Pid, PidfdFlags, kill_process, kill_process_group, pidfd_open, pidfd_send_signal,
};

use crate::environment::MARK;
use crate::process_table::{self, Row};
use crate::signal::Push;

/// Up to here new process numbers are looked at one by one instead of walking the whole table.
const RANGE_MAX: i32 = 256;
/// A command that ran longer may have seen the process numbers wrap around.
const RANGE_TIME: Duration = Duration::from_secs(5);
/// Rounds of looking for processes that were started meanwhile.
const MARKED_ROUNDS: usize = 20;

/// What is known of a command's processes.
#[derive(Debug)]
pub(crate) struct Tree {
    leader: i32,
    leader_started: u64,
    mark: String,
    born: Instant,
    recorded: BTreeMap<i32, u64>,
}

impl Tree {
    /// The tree of a shell that was just started with `mark` in its environment.
    pub(crate) fn new(leader: u32, mark: &str) -> Self {
        let leader = i32::try_from(leader).unwrap_or(0);
        Self {
            leader,
            leader_started: process_table::row(leader).map_or(0, |row| row.started),
            mark: format!("{MARK}={mark}"),
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

    /// The processes that are alive, the shell included. Zombies are not.
    pub(crate) fn living(&self) -> Vec<Row> {
        let own = i32::try_from(std::process::id()).unwrap_or(0);
        let rows: Vec<Row> = self
            .candidates()
            .into_iter()
            .filter(|pid| *pid != own)
            .filter_map(process_table::row)
            .filter(|row| !row.ended && row.started >= self.leader_started)
            .collect();
        let mut members: BTreeSet<i32> = rows
            .iter()
            .filter(|row| self.belongs(row))
            .map(|row| row.pid)
            .collect();
        loop {
            let before = members.len();
            for row in &rows {
                if members.contains(&row.parent) {
                    members.insert(row.pid);
                }
            }
            if members.len() == before {
                break;
            }
        }
        rows.into_iter()
            .filter(|row| members.contains(&row.pid))
            .collect()
    }

    fn belongs(&self, row: &Row) -> bool {
        row.pid == self.leader
            || row.group == self.leader
            || row.session == self.leader
            || self.recorded.get(&row.pid) == Some(&row.started)
            || process_table::was_given(row.pid, &self.mark)
    }

    /// The numbers that a process of this command can have. Numbers are given in ascending order,
    /// so that after a short command only the few since its start need a look.
    fn candidates(&self) -> Vec<i32> {
        let last = process_table::last_pid().unwrap_or(0);
        let range = self.leader..=last;
        if self.born.elapsed() < RANGE_TIME && (0..RANGE_MAX).contains(&(last - self.leader)) {
            range.collect()
        } else {
            process_table::pids()
        }
    }

    /// Pushes the group of the shell and those `members` that left it.
    ///
    /// The shell must not have been reaped yet: its number, which is the group's, could be
    /// somebody else's then.
    pub(crate) fn push(&self, push: Push, members: &[Row]) {
        if let Some(group) = Pid::from_raw(self.leader) {
            // Without a member left in the group there is nobody to tell.
            let _ = kill_process_group(group, push.signal());
        }
        for row in members.iter().filter(|row| row.group != self.leader) {
            send(row, push);
        }
    }
}

/// Kills every process that carries a mark beginning with `prefix`, and says which those were.
pub(crate) fn kill_marked(prefix: &str) -> BTreeSet<i32> {
    let entry = format!("{MARK}={prefix}*");
    let own = i32::try_from(std::process::id()).unwrap_or(0);
    let mut killed = BTreeSet::new();
    // What is started while the table is read is seen in the next round.
    for _ in 0..MARKED_ROUNDS {
        let before = killed.len();
        let found = process_table::pids()
            .into_iter()
            .filter(|pid| *pid != own && process_table::was_given(*pid, &entry))
            .filter_map(process_table::row)
            .filter(|row| !row.ended);
        for row in found {
            send(&row, Push::Kill);
            killed.insert(row.pid);
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
    let is_the_same = || process_table::row(row.pid).is_some_and(|now| now.started == row.started);
    match pidfd_open(pid, PidfdFlags::empty()) {
        Ok(handle) if is_the_same() => {
            // It may have ended since; then there is nothing left to do.
            let _ = pidfd_send_signal(&handle, push.signal());
        }
        Err(rustix::io::Errno::NOSYS) if is_the_same() => {
            let _ = kill_process(pid, push.signal());
        }
        Ok(_) | Err(_) => {}
    }
}
