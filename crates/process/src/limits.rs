//! What the processes of a command together may use.

use std::ffi::OsString;

/// Limits of one command. What is not given is not limited.
///
/// They are kept by the helper program ([`ProcessOptions::helper`](crate::ProcessOptions::helper)),
/// which measures all processes of the command every 25 ms and kills them all when they exceed one.
/// So a limit is exceeded for a moment before it acts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CommandLimits {
    /// Memory in bytes; what processes share counts once.
    pub memory_bytes: Option<u64>,
    /// Processor time in seconds, that of processes included that have ended.
    pub cpu_seconds: Option<u64>,
    /// How many processes may live at a time, the shell included.
    pub processes: Option<u64>,
    /// Size in bytes of the largest file that may be written. Nothing is killed: the system refuses
    /// the write and sends `SIGXFSZ`, which ends most programs.
    pub file_bytes: Option<u64>,
}

/// A limit that a command reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LimitReached {
    /// Which one.
    pub limit: CommandLimit,
    /// Its value, in the unit of its name.
    pub value: u64,
}

/// The limits by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommandLimit {
    /// [`CommandLimits::memory_bytes`].
    MemoryBytes,
    /// [`CommandLimits::cpu_seconds`].
    CpuSeconds,
    /// [`CommandLimits::processes`].
    Processes,
    /// [`CommandLimits::file_bytes`].
    FileBytes,
}

/// What a shell answers for a command that `SIGXFSZ` ended (signal 25 on Linux).
const ENDED_BY_FILE_SIZE: i32 = 128 + 25;

impl CommandLimits {
    /// Whether there is any.
    #[must_use]
    pub const fn any(&self) -> bool {
        self.memory_bytes.is_some()
            || self.cpu_seconds.is_some()
            || self.processes.is_some()
            || self.file_bytes.is_some()
    }

    /// As options of the helper program.
    pub(crate) fn options(&self) -> Vec<OsString> {
        [
            ("memory-bytes", self.memory_bytes),
            ("processor-seconds", self.cpu_seconds),
            ("processes", self.processes),
            ("file-bytes", self.file_bytes),
        ]
        .into_iter()
        .filter_map(|(name, value)| value.map(|value| format!("{name}={value}").into()))
        .collect()
    }

    /// This limit with its value, if it is set.
    pub(crate) fn reached(&self, limit: CommandLimit) -> Option<LimitReached> {
        let value = match limit {
            CommandLimit::MemoryBytes => self.memory_bytes,
            CommandLimit::CpuSeconds => self.cpu_seconds,
            CommandLimit::Processes => self.processes,
            CommandLimit::FileBytes => self.file_bytes,
        };
        value.map(|value| LimitReached { limit, value })
    }

    /// The limit of files, if the end of a shell shows that it was reached.
    pub(crate) fn file_reached(
        &self,
        exit_code: Option<i32>,
        signal: Option<&str>,
    ) -> Option<LimitReached> {
        let shows = exit_code == Some(ENDED_BY_FILE_SIZE) || signal == Some("SIGXFSZ");
        self.reached(CommandLimit::FileBytes).filter(|_| shows)
    }
}

#[cfg(target_os = "linux")]
impl From<tenon_helper::Limit> for CommandLimit {
    fn from(limit: tenon_helper::Limit) -> Self {
        match limit {
            tenon_helper::Limit::Memory => Self::MemoryBytes,
            tenon_helper::Limit::ProcessorTime => Self::CpuSeconds,
            tenon_helper::Limit::Processes => Self::Processes,
        }
    }
}
