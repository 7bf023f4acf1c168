//! Who lives below this process: read from `/proc`.

use core::ffi::CStr;

use crate::system::{
    Descriptor, Errno, OpenFor, Pid, close, directory_entries, open, open_process, own_pid, read,
    reserve, rewind, send_signal, send_signal_by_number,
};

/// As many processes as Linux can number (`PID_MAX_LIMIT`). Memory is taken only for those there are.
const ROWS_MAX: usize = 4 * 1024 * 1024;

/// One process.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) pid: Pid,
    parent: Pid,
    pub(crate) group: Pid,
    is_below: u32,
    /// In clock ticks since the machine started: distinguishes it from a later process of the same number.
    started: u64,
    /// Time of processors in clock ticks, that of its children that it has waited for included.
    pub(crate) ticks: u64,
    /// Pages of memory that it has, those that it shares included.
    pub(crate) pages: u64,
}

/// The processes that this one has to do with.
#[derive(Debug)]
pub(crate) struct Table {
    rows: &'static mut [Row],
    /// How many of them, at the front, live below this process.
    below: usize,
    directory: Option<Descriptor>,
}

impl Table {
    pub(crate) fn new() -> Result<Self, Errno> {
        Ok(Self {
            rows: reserve(ROWS_MAX)?,
            below: 0,
            directory: None,
        })
    }

    /// Looks who lives below this process now. An error when `/proc` cannot be read.
    pub(crate) fn look(&mut self) -> Result<(), Errno> {
        self.below = 0;
        let directory = match self.directory {
            Some(directory) => directory,
            None => open(Descriptor::HERE, c"/proc", OpenFor::Directory)?,
        };
        self.directory = Some(directory);
        rewind(directory)?;
        let mut count = 0;
        let mut buffer = [0; 4096];
        while directory_entries(directory, &mut buffer, |name| {
            if let (Some(row), Some(place)) = (row_named(directory, name), self.rows.get_mut(count))
            {
                *place = row;
                count += 1;
            }
        })? {}
        let rows = self.rows.get_mut(..count).unwrap_or_default();
        // In the order of numbers already, unless the kernel thinks otherwise one day.
        rows.sort_unstable_by_key(|row| row.pid);
        mark_below(rows, own_pid());
        self.below = keep_below(rows);
        Ok(())
    }

    /// Those who lived at the last look.
    pub(crate) fn below(&self) -> &[Row] {
        self.rows.get(..self.below).unwrap_or_default()
    }

    /// Signals exactly this process, not a later one with its number.
    pub(crate) fn signal(&self, row: &Row, signal: u32) {
        let handle = open_process(row.pid);
        let lives = self.lives(row);
        // In every case it may have ended since; then there is nothing left to do.
        match handle {
            Ok(handle) => {
                if lives {
                    let _ = send_signal(handle, signal);
                }
                close(handle);
            }
            // Older than Linux 5.3, or hidden by a filter.
            Err(Errno::UNSUPPORTED | Errno::NOT_PERMITTED) if lives => {
                let _ = send_signal_by_number(row.pid, signal);
            }
            Err(_) => {}
        }
    }

    /// The memory of this process in bytes, where of what it shares only its part counts. Nothing
    /// if the kernel does not say.
    pub(crate) fn memory_share(&self, row: &Row) -> Option<u64> {
        let mut digits = [0; 12];
        let mut buffer = [0; 2048];
        let text = read_of(
            self.directory?,
            decimal(row.pid.unsigned_abs(), &mut digits),
            b"/smaps_rollup\0",
            &mut buffer,
        )?;
        let line = text
            .split(|byte| *byte == b'\n')
            .find(|line| line.starts_with(b"Pss:"))?;
        let mut words = line
            .split(|byte| *byte == b' ')
            .filter(|word| !word.is_empty());
        Some(integer(words.nth(1)?)?.saturating_mul(1024))
    }

    /// The pages that this process holds now; none once it has ended.
    pub(crate) fn pages_now(&self, row: &Row) -> u64 {
        self.now(row).map_or(0, |now| now.pages)
    }

    fn lives(&self, known: &Row) -> bool {
        self.now(known).is_some()
    }

    /// The same process as it is now.
    fn now(&self, known: &Row) -> Option<Row> {
        let mut name = [0; 12];
        let digits = decimal(known.pid.unsigned_abs(), &mut name);
        self.directory
            .and_then(|directory| row_named(directory, digits))
            .filter(|now| now.started == known.started)
    }
}

/// Marks every process that descends from `root`, in as many passes as there are generations out of order.
fn mark_below(rows: &mut [Row], root: Pid) {
    loop {
        let mut found = false;
        for index in 0..rows.len() {
            let Some(&row) = rows.get(index) else { break };
            if row.is_below != 0 || row.pid == root {
                continue;
            }
            let is_below = row.parent == root
                || rows
                    .binary_search_by_key(&row.parent, |row| row.pid)
                    .ok()
                    .and_then(|at| rows.get(at))
                    .is_some_and(|parent| parent.is_below != 0);
            if let Some(row) = rows.get_mut(index).filter(|_| is_below) {
                row.is_below = 1;
                found = true;
            }
        }
        if !found {
            return;
        }
    }
}

/// Moves the marked rows to the front and says how many they are.
fn keep_below(rows: &mut [Row]) -> usize {
    let mut kept = 0;
    for index in 0..rows.len() {
        if rows.get(index).is_some_and(|row| row.is_below != 0) {
            rows.swap(index, kept);
            kept += 1;
        }
    }
    kept
}

/// The row of the process with this number, if it is one and lives.
fn row_named(directory: Descriptor, name: &[u8]) -> Option<Row> {
    if name.is_empty() || !name.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let mut buffer = [0; 1024];
    parse(read_of(directory, name, b"/stat\0", &mut buffer)?)
}

/// The start of the file `name` and `suffix`, which ends in NUL, in this directory.
fn read_of<'a>(
    directory: Descriptor,
    name: &[u8],
    suffix: &[u8],
    buffer: &'a mut [u8],
) -> Option<&'a [u8]> {
    let mut path = [0; 40];
    path.get_mut(..name.len())?.copy_from_slice(name);
    path.get_mut(name.len()..name.len() + suffix.len())?
        .copy_from_slice(suffix);
    let path = CStr::from_bytes_until_nul(&path).ok()?;
    let file = open(directory, path, OpenFor::Reading).ok()?;
    let text = read(file, buffer);
    close(file);
    text.ok()
}

/// A line of `/proc/PID/stat` (proc_pid_stat(5)); nothing for one that has ended already.
fn parse(stat: &[u8]) -> Option<Row> {
    let pid = integer(stat.split(|byte| *byte == b' ').next()?)?;
    // The name, in parentheses, may hold anything, parentheses and spaces included.
    let name_end = stat.iter().rposition(|byte| *byte == b')')?;
    let mut fields = stat.get(name_end + 2..)?.split(|byte| *byte == b' ');
    let state = fields.next()?;
    let parent = integer(fields.next()?)?;
    let group = integer(fields.next()?)?;
    // Fields 6 to 13 lie before the times, 18 and 19 before the number of threads, 21 before the
    // start time, 23 before the pages.
    let mut ticks = integer(fields.nth(8)?)?;
    for _ in 0..3 {
        ticks = ticks.saturating_add(integer(fields.next()?)?);
    }
    let threads = integer(fields.nth(2)?)?;
    let started = integer(fields.nth(1)?)?;
    let pages = integer(fields.nth(1)?)?;
    // The first thread may have ended before the others: then the process lives.
    let lives = !matches!(state, b"Z" | b"X" | b"x") || threads > 1;
    lives.then_some(Row {
        pid: Pid::try_from(pid).ok()?,
        parent: Pid::try_from(parent).ok()?,
        group: Pid::try_from(group).ok()?,
        is_below: 0,
        started,
        ticks,
        pages,
    })
}

fn integer(digits: &[u8]) -> Option<u64> {
    core::str::from_utf8(digits).ok()?.parse().ok()
}

/// A number in decimal digits, at the end of `buffer`.
pub(crate) fn decimal(number: u32, buffer: &mut [u8; 12]) -> &[u8] {
    let mut rest = number;
    let mut first = buffer.len();
    for place in buffer.iter_mut().rev() {
        *place = b'0' + u8::try_from(rest % 10).unwrap_or(0);
        first -= 1;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    buffer.get(first..).unwrap_or_default()
}
