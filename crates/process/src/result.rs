//! What a command did.

use std::borrow::Cow;
use std::ops::Range;
use std::path::PathBuf;
use std::time::Duration;

use tenon_contract::counted;

use crate::{CommandLimit, LimitReached, SandboxReport};

/// The end of a command and its output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandResult {
    /// What the shell answered, or `None` when a signal ended it.
    pub exit_code: Option<i32>,
    /// Name of the signal that ended the shell, such as `SIGKILL`.
    pub signal: Option<String>,
    /// Whether the time limit was reached.
    pub timed_out: bool,
    /// Whether the call was aborted, or its toolkit closed.
    pub cancelled: bool,
    /// From the start of the shell to its end, in wall-clock time.
    pub duration: Duration,
    /// What was written, as [`Streams`](crate::Streams) asked for it.
    pub output: Output,
    /// What had to be ended.
    pub ended: EndedProcesses,
    /// The limit that it reached. But for that of files, everything was killed then.
    pub limit: Option<LimitReached>,
    /// The sandbox that it ran in, if one was asked for.
    pub sandbox: Option<SandboxReport>,
    /// How many processes the shell left running under [`Leftovers::Adopt`](crate::Leftovers::Adopt).
    pub adopted: usize,
}

impl CommandResult {
    /// Whether everything was killed because a limit was exceeded.
    #[must_use]
    pub fn limit_killed(&self) -> bool {
        self.limit
            .is_some_and(|reached| reached.limit != CommandLimit::FileBytes)
    }
}

/// What it took to end the processes of a command.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EndedProcesses {
    /// Processes that were alive when the ending began, the shell included if it was one of them.
    pub found: usize,
    /// Of those, and of any started meanwhile: how many did not obey TERM and were killed.
    pub killed: usize,
    /// Processes that live on all the same. Only a process of another user can.
    pub survivors: Vec<u32>,
}

impl EndedProcesses {
    pub(crate) fn add(&mut self, other: Self) {
        self.found += other.found;
        self.killed += other.killed;
        self.survivors.extend(other.survivors);
    }
}

/// The captures that were asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Output {
    /// Standard output, unless the streams are merged.
    pub stdout: Option<Capture>,
    /// Standard error, unless the streams are merged.
    pub stderr: Option<Capture>,
    /// Both, unless the streams are apart.
    pub merged: Option<Capture>,
}

/// One output: its two ends, and figures about the whole.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Capture {
    /// The start, or all of it when nothing is omitted. Bytes that are not UTF-8 became U+FFFD.
    pub head: String,
    /// The end; empty when nothing is omitted.
    pub tail: String,
    /// Which bytes of the output are in neither, or `None` when all are kept.
    pub omitted: Option<Range<u64>>,
    /// Length of the whole, in bytes as written.
    pub total_bytes: u64,
    /// Lines of the whole; a last line without its newline counts.
    pub total_lines: u64,
    /// The file with the whole, once it exceeded what is kept.
    pub spill: Option<Spill>,
}

impl Capture {
    /// Whether something is omitted.
    #[must_use]
    pub fn truncated(&self) -> bool {
        self.omitted.is_some()
    }

    /// Head and tail with `notice` between them if something is omitted there, else all of it.
    #[must_use]
    pub fn text(&self, notice: &str) -> Cow<'_, str> {
        if self.truncated() {
            Cow::Owned([&self.head, notice, &self.tail].concat())
        } else {
            Cow::Borrowed(&self.head)
        }
    }
}

/// The private file that holds a whole output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spill {
    /// Its number in the table of processes; the first is 1. 0 when it could not be made.
    pub number: u64,
    /// Where it is. It goes when the table of processes is closed.
    pub path: PathBuf,
    /// Bytes handed to it so far.
    pub bytes: u64,
    /// Whether it holds all that was written so far: neither was a quota reached nor a write refused.
    pub complete: bool,
    /// Why it is not complete.
    pub failure: Option<String>,
    /// What opens it by its address.
    pub openers: Openers,
}

/// Which tools open a whole output by its address. Default: none, and it is named by its path.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Openers {
    /// Whether one reads it.
    pub read: bool,
    /// Whether one searches it.
    pub search: bool,
}

/// What the address of a whole output begins with; its [number](Spill::number) follows.
pub const OUTPUT_SCHEME: &str = "output://";

impl Spill {
    /// The address by which tools open it: `output://1`. Nothing when there is no file.
    #[must_use]
    pub fn address(&self) -> Option<String> {
        (self.number > 0).then(|| format!("{OUTPUT_SCHEME}{}", self.number))
    }

    /// Where the whole is, in a sentence: by its address where a tool opens that, else by its path. Without a file: why
    /// there is none.
    #[must_use]
    pub fn sentence(&self) -> Option<String> {
        let Some(address) = self.address() else {
            let failure = self.failure.as_ref()?;
            return Some(format!("The rest was not kept. {failure}"));
        };
        let part = match &self.failure {
            Some(failure) => {
                let bytes = counted(self.bytes, "byte", "bytes");
                format!(
                    " (only its first {bytes}: {})",
                    failure.trim_end_matches('.')
                )
            }
            None => String::new(),
        };
        let path = self.path.display();
        Some(match (self.openers.read, self.openers.search) {
            (true, true) => format!("Full output: `{address}`{part}; read or grep it."),
            (true, false) => format!("Full output: `{address}`{part}; read it."),
            (false, true) => format!("Full output: `{address}`{part}; grep it."),
            (false, false) => format!("Full output: `{path}`{part}."),
        })
    }
}
