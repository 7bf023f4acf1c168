//! Which process this is, and whether another one still is.

use std::sync::LazyLock;

#[cfg(target_os = "linux")]
use crate::ending::process_table::row;

/// A process, also after another one has got its number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcessIdentity {
    /// The machine, since its start; empty where that cannot be found out.
    pub machine: String,
    /// Its number.
    pub pid: u32,
    /// When it was started, in the units of the system.
    pub started: u64,
}

static OWN: LazyLock<ProcessIdentity> = LazyLock::new(|| {
    let pid = std::process::id();
    ProcessIdentity {
        machine: machine(),
        pid,
        started: started(pid).unwrap_or_default(),
    }
});

impl ProcessIdentity {
    /// This process.
    #[must_use]
    pub fn own() -> Self {
        OWN.clone()
    }

    /// Whether this process is known to have ended: on this machine, where no such process is left.
    #[must_use]
    pub fn is_gone(&self) -> bool {
        !self.machine.is_empty()
            && self.machine == OWN.machine
            && started(self.pid) != Some(self.started)
    }
}

/// Elsewhere the machine is not known either, and leases alone decide.
#[cfg(not(target_os = "linux"))]
fn started(_: u32) -> Option<u64> {
    None
}

#[cfg(not(target_os = "linux"))]
const fn machine() -> String {
    String::new()
}

#[cfg(target_os = "linux")]
fn machine() -> String {
    let Ok(machine) = std::fs::read_to_string("/proc/sys/kernel/random/boot_id") else {
        return String::new();
    };
    // Numbers of processes are those of a namespace: the same number in another container is another process.
    let names = std::fs::read_link("/proc/self/ns/pid").unwrap_or_default();
    format!("{}/{}", machine.trim(), names.display())
}

#[cfg(target_os = "linux")]
fn started(pid: u32) -> Option<u64> {
    let row = row(i32::try_from(pid).ok()?)?;
    (!row.ended).then_some(row.started)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_is_there_and_one_that_was_started_at_another_time_is_not() {
        let own = ProcessIdentity::own();
        assert!(!own.is_gone());
        let other = ProcessIdentity {
            started: own.started + 1,
            ..own.clone()
        };
        assert_eq!(other.is_gone(), !own.machine.is_empty());
        let elsewhere = ProcessIdentity {
            machine: "other".to_owned(),
            started: 1,
            ..own
        };
        assert!(!elsewhere.is_gone());
    }
}
