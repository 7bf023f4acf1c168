//! Limits of calls and commands, and what is told of commands.

use schemars::JsonSchema;
use serde::Deserialize;
use tenon_process::CommandLimits;

/// What is reported of commands.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ExecOptions {
    /// Whether a result reports which files of the workspace were created, changed or deleted while the command ran, by
    /// comparing them before and after (at most 100000 that searches see, at most 2 seconds each time). From the first
    /// checkpoint on they are copied beforehand too, so that `rollback` takes back what commands did: at most 50000 files
    /// and 256 MiB, 16 MiB each, 2 seconds for what is new. What is not restorable is named. Default: false.
    #[serde(default)]
    pub changes: bool,
}

/// Limits of every call.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LimitOptions {
    /// Longest time of one call in milliseconds; commands may name their own. Default: 120000.
    #[schemars(range(min = 1))]
    pub timeout_ms: Option<u64>,
    /// Bytes of the output of a command that a result keeps, half from its start and half from its end; of
    /// standard output and standard error each where they are separate. Default: 51200.
    #[serde(alias = "output_limit_bytes")]
    #[schemars(range(min = 1, max = 1_048_576))]
    pub output_limit_bytes: Option<usize>,
    /// What the processes of one command together may use. Kept by the helper program (Linux); where there is none,
    /// commands are refused as long as a limit is set. Default: no limits.
    #[serde(default)]
    pub command: CommandLimitOptions,
}

/// What the processes of one command together may use, measured 40 times a second. A command that exceeds a limit is
/// killed with all its processes, and its result says which limit that was.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CommandLimitOptions {
    /// Memory in bytes; what processes share counts once. Default: no limit.
    #[schemars(range(min = 1_048_576))]
    pub memory_bytes: Option<u64>,
    /// Processor time in seconds, that of processes included that have ended. Default: no limit.
    #[schemars(range(min = 1))]
    pub cpu_seconds: Option<u64>,
    /// How many processes may live at a time, the shell included. Default: no limit.
    #[schemars(range(min = 1))]
    pub processes: Option<u64>,
    /// Size in bytes of the largest file that may be written; the system refuses more. Default: no limit.
    #[schemars(range(min = 1))]
    pub file_bytes: Option<u64>,
}

impl CommandLimitOptions {
    /// Smallest limit of memory: with less than this, no shell starts.
    const MEMORY_MIN_BYTES: u64 = 1 << 20;

    pub(super) const fn limits(self) -> CommandLimits {
        CommandLimits {
            memory_bytes: self.memory_bytes,
            cpu_seconds: self.cpu_seconds,
            processes: self.processes,
            file_bytes: self.file_bytes,
        }
    }

    /// The first one that is too small, and the least that it can be.
    pub(super) fn too_small(self) -> Option<(&'static str, u64)> {
        [
            ("memoryBytes", self.memory_bytes, Self::MEMORY_MIN_BYTES),
            ("cpuSeconds", self.cpu_seconds, 1),
            ("processes", self.processes, 1),
            ("fileBytes", self.file_bytes, 1),
        ]
        .into_iter()
        .find(|(_, value, least)| value.is_some_and(|value| value < *least))
        .map(|(name, _, least)| (name, least))
    }
}
