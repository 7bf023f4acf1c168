//! Keeps the processes of a command until none is left.

use core::iter;

use linux_raw_sys::general::{SIGCONT, SIGKILL, SIGSTOP, SIGTERM};

use crate::limits::{LOOK_MS, Limits};
use crate::options::Options;
use crate::protocol::{Numbers, Order, PACKET_MAX_BYTES, Report};
use crate::shell::StartedShell;
use crate::system::{
    Descriptor, Errno, Pid, PollFor, milliseconds, poll, read, receive, reserve, send,
    send_signal_to_group, wait_any,
};
use crate::table::Table;

/// Grace for a command whose host has gone.
const ORPHAN_GRACE_MS: u64 = 250;
/// How often it is looked whether those who were asked to end multiply instead.
const STORM_LOOK_MS: u64 = 50;
/// They do when there are so many more than at first: then the rest of the grace is not granted.
const STORM_GROWTH: usize = 64;
/// Rounds of killing. A storm of new processes needs a few; only a process of another user all.
const KILL_ROUNDS: u64 = 40;
/// Longest pause between two of them.
const KILL_PAUSE_MAX_MS: u64 = 25;
/// Processes beyond this many are killed without being distinguished in the count.
const COUNTED_MAX: usize = 4096;

/// Waits for the shell, reads from the host, and ends what has to end.
#[derive(Debug)]
pub(crate) struct Supervisor {
    shell: Pid,
    /// Its number in the namespace of the host.
    outside: u32,
    /// How the shell ended.
    status: Option<u32>,
    /// How many the host last reported as alive, once it was reported how the shell ended.
    reported_left: Option<u32>,
    /// Whether there is no child any more, and so nothing of the command.
    is_empty: bool,
    children: Descriptor,
    table: Table,
    counted: &'static mut [u32],
    limits: Limits,
    page_bytes: u64,
    /// When it is measured next, if anything is.
    next_measure: Option<u64>,
}

/// What came from the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Received {
    Order(Order),
    /// It has gone, or talks nonsense.
    Gone,
    Nothing,
}

/// What an ending took.
#[derive(Debug, Clone, Copy, Default)]
struct KillStats {
    found: usize,
    killed: usize,
}

impl Supervisor {
    pub(crate) fn new(
        shell: StartedShell,
        children: Descriptor,
        table: Table,
        options: &Options,
    ) -> Self {
        let limits = options.limits;
        Self {
            shell: shell.pid,
            outside: shell.outside,
            status: None,
            reported_left: None,
            is_empty: false,
            children,
            table,
            counted: reserve(COUNTED_MAX).unwrap_or_default(),
            limits,
            page_bytes: options.arguments.page_bytes(),
            next_measure: limits.are_measured().then(|| milliseconds() + LOOK_MS),
        }
    }

    /// Until nothing is left. The exit code.
    pub(crate) fn keep(mut self) -> i32 {
        self.report(Report::Started { pid: self.outside });
        loop {
            self.reap();
            if self.is_empty {
                if self.reported_left != Some(0) {
                    self.report(Report::Emptied);
                }
                return 0;
            }
            let rest = self
                .next_measure
                .map(|at| at.saturating_sub(milliseconds()));
            match self.listen(rest) {
                Received::Nothing => self.measure(),
                Received::Order(Order::End { grace_ms }) => self.end(u64::from(grace_ms)),
                Received::Order(Order::Count) => {
                    let count = self.count();
                    self.report(Report::Living { count });
                }
                Received::Order(Order::Start { .. }) | Received::Gone => {
                    self.end(ORPHAN_GRACE_MS);
                    // What is left cannot be ended from here.
                    return i32::from(!self.is_empty);
                }
            }
        }
    }

    /// Kills everything when it exceeds a limit, if it is time to look.
    fn measure(&mut self) {
        let now = milliseconds();
        if self.next_measure.is_none_or(|at| now < at) {
            return;
        }
        self.next_measure = Some(now + LOOK_MS);
        // Without `/proc` nothing can be measured, and nothing is reported.
        if self.table.look().is_err() {
            return;
        }
        if let Some(limit) = self.limits.exceeded(&self.table, self.page_bytes) {
            self.next_measure = None;
            self.report(Report::Limit { limit });
            self.kill(&mut KillStats::default());
        }
    }

    /// Takes leave of all children that have ended, and reports on the shell and the last one.
    fn reap(&mut self) {
        loop {
            match wait_any() {
                Ok(Some(ended)) if ended.pid == self.shell => self.status = Some(ended.status),
                Ok(Some(_)) => {}
                Ok(None) => break,
                Err(errno) => {
                    self.is_empty = errno == Errno::NO_CHILD;
                    break;
                }
            }
        }
        if let (Some(status), None) = (self.status, self.reported_left) {
            // Not empty, and yet nobody to be seen: one that is being born or about to be reaped.
            let left = if self.is_empty {
                0
            } else {
                self.count().max(1)
            };
            self.reported_left = Some(left);
            self.report(Report::Exited { status, left });
        }
    }

    /// How many live; 0 when `/proc` cannot be read.
    fn count(&mut self) -> u32 {
        // Without `/proc` nobody is seen; the kernel still says whether there is anybody.
        let _ = self.table.look();
        u32::try_from(self.table.below().len()).unwrap_or(u32::MAX)
    }

    fn report(&self, report: Report<'_>) {
        self.report_with(report, iter::empty());
    }

    fn report_with(&self, report: Report<'_>, survivors: impl Iterator<Item = u32>) {
        // A host that has gone is noticed when it is listened to.
        let _ = send(Descriptor::CONTROL, report.packet(survivors).bytes());
    }

    /// Waits for a child to end or for the host to speak, at most so long.
    fn listen(&self, at_most_ms: Option<u64>) -> Received {
        let wanted = [PollFor(Descriptor::CONTROL), PollFor(self.children)];
        let Ok([host, child]) = poll(wanted, at_most_ms) else {
            // Cannot happen; without ears, it is better to end than to keep for ever.
            return Received::Gone;
        };
        if child {
            // Nothing in it is news: children are waited for one by one.
            let _ = read(self.children, &mut [0; 128]);
        }
        if host { hear() } else { Received::Nothing }
    }

    /// Ends everything: TERM, `grace_ms`, KILL until none is left. Notifies the host what it took.
    fn end(&mut self, grace_ms: u64) {
        let mut stats = KillStats {
            found: self.push(SIGTERM),
            killed: 0,
        };
        self.push(SIGCONT);
        let mut deadline = milliseconds() + grace_ms;
        let mut next_look = milliseconds() + STORM_LOOK_MS;
        loop {
            self.reap();
            let now = milliseconds();
            if self.is_empty || now >= deadline {
                break;
            }
            if now >= next_look {
                next_look = now + STORM_LOOK_MS;
                if self.count() as usize > stats.found + STORM_GROWTH {
                    break;
                }
            }
            match self.listen(Some(deadline.min(next_look) - now)) {
                Received::Order(Order::End { grace_ms }) => {
                    deadline = deadline.min(now + u64::from(grace_ms));
                }
                Received::Gone => {
                    self.wait_alone(deadline.min(now + ORPHAN_GRACE_MS));
                    break;
                }
                Received::Order(_) | Received::Nothing => {}
            }
        }
        if !self.is_empty {
            self.kill(&mut stats);
        }
        self.report_end(stats);
    }

    /// Waits without a host, whose closed socket would always have something to say. Whether all ended.
    fn wait_alone(&mut self, deadline: u64) -> bool {
        loop {
            self.reap();
            let now = milliseconds();
            if self.is_empty || now >= deadline {
                return self.is_empty;
            }
            if poll([PollFor(self.children)], Some(deadline - now)).is_ok() {
                let _ = read(self.children, &mut [0; 128]);
            }
        }
    }

    /// Stops all, so that none begins anything new, then kills all, and again for those that were
    /// born in between.
    fn kill(&mut self, stats: &mut KillStats) {
        for round in 0..KILL_ROUNDS {
            self.push(SIGSTOP);
            self.push(SIGKILL);
            stats.killed = stats.killed.max(self.count_killed());
            if self.wait_alone(milliseconds() + round.clamp(1, KILL_PAUSE_MAX_MS)) {
                return;
            }
        }
    }

    /// Signals everyone who lives, and says how many that were.
    ///
    /// The group of the shell hears it at once: `a; b` must not begin `b` because `a` received it first.
    fn push(&mut self, signal: u32) -> usize {
        let shell_lives = self.status.is_none();
        if self.table.look().is_err() {
            // Nobody can be seen. As long as the shell is not reaped, its group is certainly ours.
            if shell_lives {
                // It may just have ended.
                let _ = send_signal_to_group(self.shell, signal);
            }
            return usize::from(shell_lives);
        }
        let below = self.table.below();
        if below.iter().any(|row| row.group == self.shell) {
            // They may just have ended.
            let _ = send_signal_to_group(self.shell, signal);
        }
        for row in below.iter().filter(|row| row.group != self.shell) {
            self.table.signal(row, signal);
        }
        below.len()
    }

    /// Adds those who were just killed to those before, and says how many they are together.
    fn count_killed(&mut self) -> usize {
        for row in self.table.below() {
            let known = self.counted.iter().take_while(|pid| **pid != 0).count();
            let is_new = !self
                .counted
                .iter()
                .any(|pid| *pid == row.pid.unsigned_abs());
            if let Some(place) = self.counted.get_mut(known).filter(|_| is_new) {
                *place = row.pid.unsigned_abs();
            }
        }
        self.counted.iter().take_while(|pid| **pid != 0).count()
    }

    fn report_end(&mut self, stats: KillStats) {
        let survivors = if self.is_empty {
            0
        } else {
            self.count().max(1)
        };
        let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let report = Report::Ended {
            found: number(stats.found),
            killed: number(stats.killed),
            survivors,
            numbers: Numbers::default(),
        };
        if survivors == 0 {
            self.reported_left = Some(0);
        }
        let pids = self.table.below().iter().map(|row| row.pid.unsigned_abs());
        let named = usize::try_from(survivors).unwrap_or(usize::MAX);
        self.report_with(report, pids.take(named));
    }
}

fn hear() -> Received {
    let mut buffer = [0; PACKET_MAX_BYTES];
    match receive(Descriptor::CONTROL, &mut buffer, false) {
        Ok((packet, _)) => Order::parse(packet).map_or(Received::Gone, Received::Order),
        Err(Errno::AGAIN) => Received::Nothing,
        Err(_) => Received::Gone,
    }
}
