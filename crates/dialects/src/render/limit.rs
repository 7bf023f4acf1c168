//! Limits of commands that were reached.

use schemars::JsonSchema;
use serde::Serialize;
use tenon_process::{CommandLimit, LimitReached};

/// A limit of commands, by the name of its option.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) enum LimitName {
    /// Memory of all its processes together.
    MemoryBytes,
    /// Processor time of all its processes together.
    CpuSeconds,
    /// Processes that live at a time.
    Processes,
    /// The size of a file that it writes.
    FileBytes,
}

impl LimitName {
    pub(crate) const fn of(reached: LimitReached) -> Self {
        match reached.limit {
            CommandLimit::MemoryBytes => Self::MemoryBytes,
            CommandLimit::CpuSeconds => Self::CpuSeconds,
            CommandLimit::Processes => Self::Processes,
            CommandLimit::FileBytes => Self::FileBytes,
        }
    }
}

/// Which limit was reached and what came of it, in sentences.
pub(crate) fn limit_line(reached: LimitReached) -> String {
    let LimitReached { limit, value } = reached;
    match limit {
        CommandLimit::MemoryBytes => format!(
            "Command was killed: it exceeded its memory limit of {}. Do the work in smaller parts.",
            bytes(value)
        ),
        CommandLimit::CpuSeconds => format!(
            "Command was killed: it exceeded its CPU time limit of {value} s. Do the work in smaller parts."
        ),
        CommandLimit::Processes => format!(
            "Command was killed: it exceeded its limit of {value} processes. Run fewer at a time."
        ),
        CommandLimit::FileBytes => format!(
            "The command tried to write a file larger than its limit of {}. Write less, or several files.",
            bytes(value)
        ),
    }
}

/// Whole units where they are exact enough to recognise the option.
fn bytes(count: u64) -> String {
    const UNITS: [(u64, &str); 3] = [(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    UNITS
        .into_iter()
        .find(|(size, _)| count >= *size && count.is_multiple_of(*size))
        .map_or_else(
            || format!("{count} bytes"),
            |(size, unit)| format!("{} {unit}", count / size),
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_is_named_with_its_value() {
        let reported = |limit, value| limit_line(LimitReached { limit, value });
        assert_eq!(
            reported(CommandLimit::MemoryBytes, 256 << 20),
            "Command was killed: it exceeded its memory limit of 256 MiB. Do the work in smaller parts."
        );
        assert_eq!(
            reported(CommandLimit::FileBytes, 1_000_000),
            "The command tried to write a file larger than its limit of 1000000 bytes. Write less, or several files."
        );
    }
}
