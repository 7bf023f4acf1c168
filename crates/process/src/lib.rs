//! Commands: shells, environments, bounded output, whole process trees ended.
//!
//! - [`Processes`]: the table of one toolkit. It starts commands and ends them all when it goes.
//! - [`CommandSpec`]: what to run: the script, its directory, shell, environment and limits.
//! - [`CommandResult`]: what came of it: exit code or signal, output, what had to be ended.
//! - [`Capture`]: one output: head, tail, totals, and the file with the whole.
//! - [`LiveOutput`]: a look at the output while the command runs.
//! - [`Service`]: a program that is kept running and spoken with, under the same care.
//! - [`CommandSessions`]: the commands that run in the background, by name.
//! - [`CommandWriter`]: the standard input of a command that was given one, terminals included.
//!
//! What holds for every command:
//!
//! - It is started by `posix_spawn`, in a process group of its own, with `/dev/null` as standard
//!   input unless something else is asked for, no terminal of the host, no other descriptor of the
//!   host, and an environment by allow list.
//! - It is over when its shell has ended and its pipes were silent for 100 ms, never later because
//!   a background process holds a pipe.
//! - On time-out, abort and close its processes get TERM, a grace time, then KILL. Under the helper
//!   program ([`ProcessOptions::helper`], Linux) that is all of them, whatever they did to get away,
//!   and they end with the host too, even if that is killed. Without it the host ends what it finds:
//!   the group, descendants that were seen below the shell, and on Linux every process with the
//!   command's mark in its environment. A process that leaves its group and session, clears its
//!   environment and loses its parents at once can escape then.
//! - Memory is bounded by what is kept of its output, whatever it writes.
//!
//! ```
//! use tenon_process::{CommandSpec, ProcessOptions, Processes};
//! # use tokio_util::sync::CancellationToken;
//! # let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
//! # runtime.block_on(async {
//! let processes = Processes::new(ProcessOptions::default());
//! let spec = CommandSpec::new("echo hello; exit 3", std::env::temp_dir());
//! let result = processes.run(spec, &CancellationToken::new(), |_live| {}).await.unwrap();
//! assert_eq!(result.exit_code, Some(3));
//! assert_eq!(result.output.merged.unwrap().head, "hello\n");
//! # });
//! ```

mod command;
mod ending;
mod error;
mod input;
mod limits;
mod output;
mod processes;
mod registry;
mod result;
mod running;
mod sandbox;
mod service;
mod session;
mod starting;

pub use command::{CommandInput, CommandSpec, Keep, Leftovers, Streams};
pub use ending::identity::ProcessIdentity;
pub use error::ProcessError;
pub use input::keys::UnknownKey;
pub use input::terminal::{Screen, TerminalSize, terminal_text};
pub use input::writer::{CommandWriter, WriteOutcome};
pub use limits::{CommandLimit, CommandLimits, LimitReached};
pub use output::fold::fold_progress;
pub use output::guard::{OutputFilter, OutputGuard};
pub use output::live::LiveOutput;
pub use output::private_directory::SpillLimits;
pub use output::temporary::{in_temporary_directory, seen_temporary_directory};
pub use processes::{ProcessOptions, Processes};
pub use result::{Capture, CommandResult, EndedProcesses, OUTPUT_SCHEME, Openers, Output, Spill};
pub use running::{Changes, RunningCommand};
pub use sandbox::{
    PROXY_PORT, ProtectedNames, ProxyListener, ProxyPort, Sandbox, SandboxFailure, SandboxLevel,
    SandboxNetwork, SandboxReport, SeatbeltProfile, seatbelt_profile,
};
pub use service::{Service, ServiceEnd, ServiceProcess, ServiceSpec};
pub use session::{
    CommandSession, CommandSessions, EndedBy, LogPage, LogRequest, Readiness, Room, SessionEvent,
    SessionObserver, SessionState, SessionStatus, Unread, Waited,
};
pub use starting::environment::{EnvironmentRules, check_given};
pub use starting::environment_table::refused_in_calls;
pub use starting::program::file_beside;
pub use starting::shell::Shell;
pub use tenon_contract::strip_escapes;
/// The pipes of a [`ServiceProcess`].
pub use tokio::process::{ChildStdin, ChildStdout};
