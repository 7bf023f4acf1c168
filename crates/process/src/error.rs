//! Why a command could not be run, and how that is shown to a model.

use std::io;
use std::path::PathBuf;

use tenon_contract::{ErrorCode, ToolError, reason, shortage};

/// A command that was not started, or whose answer could not be collected.
///
/// An exit code other than zero, a signal, a time-out and a cancellation while the command runs
/// are no errors: [`CommandResult`](crate::CommandResult) reports them.
#[derive(Debug, thiserror::Error)]
pub enum ProcessError {
    /// The call had been aborted before anything was started.
    #[error("The command was not started: the call was already aborted.")]
    Cancelled,
    /// The table of processes was closed.
    #[error(
        "The command was not started: this toolkit has been closed. Create a new toolkit to run commands."
    )]
    Closed,
    /// A NUL byte, which no argument, variable or path of a process can hold.
    #[error(
        "{what} contains a NUL byte, which cannot be passed to a process. Remove it, or write the data to a file and pass its name."
    )]
    Nul {
        /// Such as `the command` or ``the variable `A` ``.
        what: String,
    },
    /// A variable that loads or chooses code, set by the call.
    #[error(
        "The variable `{name}` cannot be set by a call, because it makes programs load or run other code. Leave it out."
    )]
    RefusedVariable {
        /// Its name as given.
        name: String,
    },
    /// A variable whose name no shell could use.
    #[error(
        "`{name}` is not the name of an environment variable. Use letters, digits and `_`, and do not begin with a digit."
    )]
    InvalidVariableName {
        /// Its name as given.
        name: String,
    },
    /// A variable longer than the system takes in one piece.
    #[error(
        "The variable `{name}` is too long: {bytes} bytes with its name, and the limit is {max}. Write the value to a file and pass its name."
    )]
    VariableTooLong {
        /// Its name.
        name: String,
        /// Length of `name=value`.
        bytes: usize,
        /// Most that is taken.
        max: usize,
    },
    /// All variables together are more than the system takes.
    #[error(
        "The command was not started: its environment variables exceed the size limit of the system. Pass fewer or shorter ones."
    )]
    EnvironmentTooLarge,
    /// The directory to start in cannot be used.
    #[error("Cannot run a command in `{}`: {source}. Use an existing directory.", path.display())]
    Directory {
        /// The directory as given.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The shell could not be started.
    #[error("The shell `{}` could not be started: {source}. Name another one in the `shell` option.", path.display())]
    Shell {
        /// The program.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A service could not be started.
    #[error("`{}` could not be started: {source}.", path.display())]
    Service {
        /// The program.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// More commands run in the background than are allowed to.
    #[error(
        "The command was not started: {running} commands are already running in the background. Kill one first, or run it in the foreground."
    )]
    TooManySessions {
        /// How many do.
        running: usize,
    },
    /// The helper program could not be started.
    #[error("The helper program `{}` of this package could not be started: {source}. Install the package again; it must be an executable file.", path.display())]
    Helper {
        /// The program.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The system has no process, descriptor or memory for it.
    #[error("The command was not started: {what} ({source}).")]
    Shortage {
        /// Which limit is reached, and what to do.
        what: &'static str,
        /// What the system said.
        source: io::Error,
    },
    /// There is no way to give the command a terminal on this system.
    #[error(
        "The command was not started: a terminal (`pty`) needs the program `setsid` of util-linux or busybox, which was not found in `/usr/bin` or `/bin`. Run it without a terminal."
    )]
    NoTerminal,
    /// Limits that nobody here could keep.
    #[error(
        "The command was not started: limits per command (`limits.command`) are kept by the helper program, which this system does not have. `npx tenon doctor` says why; the host can leave the limits out."
    )]
    LimitsNeedHelper,
    /// The sandbox that is required cannot be had.
    #[error(
        "The command was not started: its sandbox is required and could not be made here: {what}. `npx tenon doctor` says what this system offers; the host can accept less with `sandbox: {{ require: 'best-effort' }}`."
    )]
    Sandbox {
        /// What is missing.
        what: String,
    },
    /// A pipe, a private file or the wait for the process failed.
    #[error("{what} failed: {}.", reason(source))]
    Io {
        /// Such as `Creating a pipe`.
        what: &'static str,
        /// What the system said.
        source: io::Error,
    },
    /// The asynchronous runtime ended while the command was running; the command was killed.
    #[error("The command was killed because the runtime that watched it was shut down.")]
    RuntimeGone,
}

impl ProcessError {
    pub(crate) fn io(what: &'static str) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io { what, source }
    }

    /// The error of a lack, if it is one.
    pub(crate) fn short(source: io::Error) -> Result<Self, io::Error> {
        match shortage(&source) {
            Some(what) => Ok(Self::Shortage { what, source }),
            None => Err(source),
        }
    }

    /// The kind of it in the words of the contract.
    #[must_use]
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Cancelled | Self::Closed => ErrorCode::Cancelled,
            Self::Nul { .. } | Self::InvalidVariableName { .. } => ErrorCode::InvalidParams,
            Self::VariableTooLong { .. } | Self::EnvironmentTooLarge => ErrorCode::TooLarge,
            Self::RefusedVariable { .. } => ErrorCode::PolicyDenied,
            Self::Directory { source, .. } => match source.kind() {
                io::ErrorKind::NotFound => ErrorCode::NotFound,
                io::ErrorKind::NotADirectory => ErrorCode::NotADirectory,
                io::ErrorKind::PermissionDenied => ErrorCode::AccessDenied,
                _ => ErrorCode::Io,
            },
            Self::Shell { source, .. } | Self::Service { source, .. }
                if source.kind() == io::ErrorKind::NotFound =>
            {
                ErrorCode::Unavailable
            }
            Self::Shell { .. } | Self::Service { .. } | Self::RuntimeGone => {
                ErrorCode::ProcessFailed
            }
            Self::NoTerminal
            | Self::TooManySessions { .. }
            | Self::LimitsNeedHelper
            | Self::Sandbox { .. }
            | Self::Shortage { .. }
            | Self::Helper { .. } => ErrorCode::Unavailable,
            Self::Io { source, .. } if shortage(source).is_some() => ErrorCode::Unavailable,
            Self::Io { .. } => ErrorCode::Io,
        }
    }
}

impl From<ProcessError> for ToolError {
    fn from(error: ProcessError) -> Self {
        let reported = Self::new(error.code(), error.to_string());
        let reported = match &error {
            ProcessError::RefusedVariable { name }
            | ProcessError::InvalidVariableName { name }
            | ProcessError::VariableTooLong { name, .. } => {
                reported.with("variable", name.as_str())
            }
            ProcessError::Directory { path, .. } => {
                reported.with("path", path.to_string_lossy().into_owned())
            }
            ProcessError::Shell { path, .. } => {
                reported.with("shell", path.to_string_lossy().into_owned())
            }
            ProcessError::Service { path, .. } => {
                reported.with("program", path.to_string_lossy().into_owned())
            }
            _ => reported,
        };
        reported.caused_by(error)
    }
}
