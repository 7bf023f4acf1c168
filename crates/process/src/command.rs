//! What to run, and how.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tenon_contract::limits;

use crate::{CommandLimits, Sandbox, Shell, TerminalSize};

/// One command: its text, where it starts, what it may use and how it is watched.
#[derive(Debug, Clone)]
pub struct CommandSpec {
    /// The text that the shell is given. Of any length; without NUL.
    pub script: String,
    /// The directory it starts in. It must exist; the caller has resolved it beneath the workspace.
    pub directory: PathBuf,
    /// The shell. Default: [`Shell::default_shell`].
    pub shell: Shell,
    /// Variables given by the call. What [`check_given`](crate::check_given) says of them is refused. Default: none.
    pub environment: BTreeMap<String, String>,
    /// Where its standard input comes from. Default: [`CommandInput::Closed`].
    pub input: CommandInput,
    /// How the two outputs are collected. Default: [`Streams::Merged`]. A terminal is one stream:
    /// whatever is written to it counts as merged.
    pub streams: Streams,
    /// How much of each output is kept in memory. Default: 50 KiB, half from each end.
    pub keep: Keep,
    /// Whether an output that exceeds `keep` is written whole to a private file. Default: `true`.
    pub spill: bool,
    /// After this time the command is ended. Default: `None`, no limit.
    pub timeout: Option<Duration>,
    /// Time between TERM and KILL. Default: 2 s.
    pub grace: Duration,
    /// What happens to processes that the shell leaves behind. Default: [`Leftovers::End`].
    pub leftovers: Leftovers,
    /// What its processes together may use. Default: no limits.
    pub limits: CommandLimits,
    /// What it may do to the system. Default: whatever its user may.
    pub sandbox: Option<Arc<Sandbox>>,
    /// Shortest time between two calls of the listener. Default: 50 ms.
    pub progress_every: Duration,
}

impl CommandSpec {
    /// `script` in `directory`, everything else by default.
    #[must_use]
    pub fn new(script: impl Into<String>, directory: impl Into<PathBuf>) -> Self {
        Self {
            script: script.into(),
            directory: directory.into(),
            shell: Shell::default_shell(),
            environment: BTreeMap::new(),
            input: CommandInput::Closed,
            streams: Streams::Merged,
            keep: Keep::ends(limits::EXECUTE_OUTPUT_MAX_BYTES),
            spill: true,
            timeout: None,
            grace: limits::EXECUTE_KILL_GRACE,
            leftovers: Leftovers::End,
            limits: CommandLimits::default(),
            sandbox: None,
            progress_every: limits::UPDATE_INTERVAL,
        }
    }
}

/// Where the standard input of a command comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CommandInput {
    /// `/dev/null`: reading gives the end of the file at once.
    #[default]
    Closed,
    /// A pipe, written by [`CommandWriter`](crate::CommandWriter).
    Pipe,
    /// A pseudo-terminal of this size for input and both outputs, the controlling terminal of the
    /// command's session. Needs a system with `setsid` (util-linux or busybox).
    Terminal(TerminalSize),
}

impl CommandInput {
    pub(crate) const fn is_terminal(self) -> bool {
        matches!(self, Self::Terminal(_))
    }
}

/// How standard output and standard error are collected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Streams {
    /// Both into one pipe, in the order in which they were written.
    #[default]
    Merged,
    /// One pipe each.
    Apart,
    /// One pipe each, and a third capture of both in the order in which the pieces arrived. That
    /// order is close to the order of writing but not bound to it; only [`Merged`](Self::Merged) is.
    Both,
}

/// How many bytes of an output stay in memory, from its start and from its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Keep {
    /// From the start.
    pub head_bytes: usize,
    /// From the end.
    pub tail_bytes: usize,
}

impl Keep {
    /// `bytes` in all, half from each end.
    #[must_use]
    pub const fn ends(bytes: usize) -> Self {
        Self {
            head_bytes: bytes - bytes / 2,
            tail_bytes: bytes / 2,
        }
    }

    /// The first `bytes`.
    #[must_use]
    pub const fn head(bytes: usize) -> Self {
        Self {
            head_bytes: bytes,
            tail_bytes: 0,
        }
    }

    /// The last `bytes`.
    #[must_use]
    pub const fn tail(bytes: usize) -> Self {
        Self {
            head_bytes: 0,
            tail_bytes: bytes,
        }
    }
}

/// What happens to processes that still run when the shell has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Leftovers {
    /// They are ended, and the result says how many.
    #[default]
    End,
    /// They live on under this table of processes, which continues reading their output and ends
    /// them when it is closed. The result says how many.
    Adopt,
}
