//! Reads the kernel's table of processes (`/proc`, Linux).

use std::fs;
use std::time::Duration;

use crate::starting::environment::MARK;

/// One process. The start time distinguishes it from a later one with the same number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) pid: i32,
    pub(crate) parent: i32,
    pub(crate) group: i32,
    pub(crate) session: i32,
    /// In clock ticks since the machine started.
    pub(crate) started: u64,
    /// A zombie has ended already and only waits for its parent to ask.
    pub(crate) ended: bool,
}

/// The row of one process, or `None` when there is none of that number.
pub(crate) fn row(pid: i32) -> Option<Row> {
    parse(pid, &fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

fn parse(pid: i32, stat: &str) -> Option<Row> {
    // The name, in parentheses, may hold anything, parentheses and spaces included.
    let (_, rest) = stat.rsplit_once(") ")?;
    let mut fields = rest.split(' ');
    let state = fields.next()?;
    let mut number = || fields.next()?.parse().ok();
    let (parent, group, session) = (number()?, number()?, number()?);
    // Fields 7 to 21 of proc_pid_stat(5) lie between the session and the start time.
    let started = fields.nth(15)?.parse().ok()?;
    Some(Row {
        pid,
        parent,
        group,
        session,
        started,
        ended: matches!(state, "Z" | "X" | "x"),
    })
}

/// The numbers of all processes that this one can see.
pub(crate) fn pids() -> Vec<i32> {
    let Ok(entries) = fs::read_dir("/proc") else {
        return Vec::new();
    };
    entries
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .collect()
}

/// The number that was given to a process or thread last.
pub(crate) fn last_pid() -> Option<i32> {
    let load = fs::read_to_string("/proc/loadavg").ok()?;
    load.split_whitespace().nth(4)?.parse().ok()
}

/// A process that is alive, and the command it was started under.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MarkedProcess {
    pub(crate) row: Row,
    /// The mark in the environment it was started with.
    pub(crate) mark: Option<String>,
}

/// Those of the processes that are alive and were not started before `since`, this one excepted.
pub(crate) fn seen(pids: impl IntoIterator<Item = i32>, since: u64) -> Vec<MarkedProcess> {
    let mut patience = PATIENCE;
    rows(pids, since)
        .map(|row| MarkedProcess {
            row,
            mark: mark(row.pid, &mut patience),
        })
        .collect()
}

/// The same without a look at their environments, which costs most of the time.
pub(crate) fn seen_unmarked(pids: impl IntoIterator<Item = i32>, since: u64) -> Vec<MarkedProcess> {
    rows(pids, since)
        .map(|row| MarkedProcess { row, mark: None })
        .collect()
}

fn rows(pids: impl IntoIterator<Item = i32>, since: u64) -> impl Iterator<Item = Row> {
    let own = i32::try_from(std::process::id()).unwrap_or(0);
    pids.into_iter()
        .filter(move |pid| *pid != own)
        .filter_map(row)
        .filter(move |row| !row.ended && row.started >= since)
}

/// Whether this very process still lives.
pub(crate) fn lives(known: &Row) -> bool {
    row(known.pid).is_some_and(|now| now.started == known.started && !now.ended)
}

/// How often in one walk an environment is read once more because it was empty.
const PATIENCE: u32 = 16;

/// The mark in the environment that the process was started with.
fn mark(pid: i32, patience: &mut u32) -> Option<String> {
    let environment = environment(pid, patience);
    let value = environment
        .split(|byte| *byte == 0)
        .find_map(|entry| entry.strip_prefix(MARK.as_bytes())?.strip_prefix(b"="))?;
    String::from_utf8(value.to_vec()).ok()
}

/// The environment, read again if it is empty: between the moment when a program is loaded and the
/// one when its stack is laid out, the kernel shows none. Empty too if it cannot be read.
fn environment(pid: i32, patience: &mut u32) -> Vec<u8> {
    for _ in 0..3 {
        match fs::read(format!("/proc/{pid}/environ")) {
            Ok(environment) if environment.is_empty() && *patience > 0 => {
                *patience -= 1;
                std::thread::sleep(Duration::from_micros(200));
            }
            Ok(environment) => return environment,
            Err(_) => break,
        }
    }
    Vec::new()
}

/// The children of a process's first thread.
pub(crate) fn children(pid: i32) -> Vec<i32> {
    fs::read_to_string(format!("/proc/{pid}/task/{pid}/children"))
        .map(|list| {
            list.split_whitespace()
                .filter_map(|child| child.parse().ok())
                .collect()
        })
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_read_whatever_the_name_of_the_process() {
        let stat = "42 (a) b (c)) S 7 40 39 34816 42 4194304 1 2 3 4 5 6 7 8 20 0 1 0 98765 1 2 3";
        assert_eq!(
            parse(42, stat),
            Some(Row {
                pid: 42,
                parent: 7,
                group: 40,
                session: 39,
                started: 98765,
                ended: false
            })
        );
        assert_eq!(
            parse(42, &stat.replace(" S ", " Z ")).map(|row| row.ended),
            Some(true)
        );
        assert_eq!(parse(42, "42 (cut"), None);
        assert_eq!(parse(42, "42 (cut) S 7 40"), None);
    }

    #[test]
    fn this_process_is_in_the_table() {
        let own = i32::try_from(std::process::id()).unwrap();
        assert!(pids().contains(&own));
        assert_eq!(row(own).map(|row| (row.pid, row.ended)), Some((own, false)));
        assert!(last_pid().is_some_and(|last| last > 0));
        assert_eq!(row(i32::MAX), None);
    }

    #[test]
    fn a_process_is_seen_with_the_mark_it_was_started_with() {
        let start = |name: &str| {
            std::process::Command::new("/bin/sleep")
                .arg("30")
                .env_clear()
                .env("A", "b")
                .env(name, "abc-12")
                .spawn()
                .unwrap()
        };
        let mut children = [start(MARK), start("OTHER_TENON_COMMAND")];
        let pids = children
            .each_ref()
            .map(|child| i32::try_from(child.id()).unwrap());
        let own = i32::try_from(std::process::id()).unwrap();
        let found = seen(pids.into_iter().chain([own, i32::MAX]), 0);
        let late = seen(pids, u64::MAX);
        let alive = found.iter().all(|seen| lives(&seen.row));
        for child in &mut children {
            child.kill().unwrap();
            child.wait().unwrap();
        }
        let marks: Vec<_> = found
            .iter()
            .map(|seen| (seen.row.pid, seen.mark.as_deref()))
            .collect();
        assert_eq!(marks, [(pids[0], Some("abc-12")), (pids[1], None)]);
        assert_eq!((alive, late), (true, vec![]));
        assert!(!found.iter().any(|seen| lives(&seen.row)));
    }
}
