//! What the processes of a command together may use, and how that is measured.
//!
//! The kernel's own limits count per process or per user, and what they count is seldom what a
//! user means by "memory" (an address space is not, and runtimes reserve much of it). So this
//! program adds up what the processes use, several times a second, and kills them all when it is
//! too much. Only the size of a file is left to the kernel, which refuses the write that exceeds it.

use crate::protocol::Limit;
use crate::system::{Errno, Resource, processor_milliseconds_of_children, set_limit};
use crate::table::Table;

/// How often it is measured.
pub(crate) const LOOK_MS: u64 = 25;
/// Looks at the memory that have to agree that it is too much.
const MEMORY_LOOKS: usize = 3;
/// Of `/proc/PID/stat`: `USER_HZ`, which is part of the kernel's interface.
const MS_PER_TICK: u64 = 10;

/// Limits of one command. What is not given is not limited.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Limits {
    /// Bytes of memory of all processes; what they share counts once.
    pub(crate) memory_bytes: Option<u64>,
    /// Seconds of processor time of all processes, those included that have ended.
    pub(crate) processor_seconds: Option<u64>,
    /// How many processes may live at a time.
    pub(crate) processes: Option<u64>,
    /// Size of the largest file that a process may write.
    pub(crate) file_bytes: Option<u64>,
}

impl Limits {
    /// Whether anything has to be measured.
    pub(crate) const fn are_measured(&self) -> bool {
        self.memory_bytes.is_some() || self.processor_seconds.is_some() || self.processes.is_some()
    }

    /// What the kernel looks after, for this process and those below it.
    pub(crate) fn bind(&self) -> Result<(), Errno> {
        if let Some(bytes) = self.file_bytes {
            set_limit(Resource::FileBytes, bytes)?;
        }
        if let Some(seconds) = self.processor_seconds {
            // For a process that hides how long it ran: far enough above that it is never the one
            // that is reported.
            set_limit(
                Resource::ProcessorSeconds,
                seconds.saturating_mul(2).saturating_add(1),
            )?;
        }
        Ok(())
    }

    /// Which limit the processes that were last seen exceed.
    pub(crate) fn exceeded(&self, table: &Table, page_bytes: u64) -> Option<Limit> {
        let below = table.below();
        if self.processes.is_some_and(|most| below.len() as u64 > most) {
            return Some(Limit::Processes);
        }
        if let Some(seconds) = self.processor_seconds {
            let ticks = below
                .iter()
                .map(|row| row.ticks)
                .fold(0, u64::saturating_add);
            let used = ticks
                .saturating_mul(MS_PER_TICK)
                .saturating_add(processor_milliseconds_of_children());
            if used > seconds.saturating_mul(1000) {
                return Some(Limit::ProcessorTime);
            }
        }
        let most = self.memory_bytes?;
        let at_most = |bytes: u64, more: u64| bytes.saturating_add(more);
        let resident = |pages: u64| pages.saturating_mul(page_bytes);
        let all = below.iter().map(|row| resident(row.pages)).fold(0, at_most);
        if all <= most {
            return None;
        }
        // What is shared was counted several times. To count it once takes longer, so it is only
        // done when it matters, and again: one that forks between two looks is counted for both.
        let exceeds = || {
            // One that ended since the look uses nothing any more.
            let shares = below.iter().map(|row| {
                let share = table.memory_share(row);
                share.unwrap_or_else(|| resident(table.pages_now(row)))
            });
            shares.fold(0, at_most) > most
        };
        (0..MEMORY_LOOKS)
            .all(|_| exceeds())
            .then_some(Limit::Memory)
    }
}
