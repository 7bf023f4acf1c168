//! Starts a shell on the fast path: `posix_spawn`, no code of ours between fork and exec.
//!
//! A `pre_exec` closure would make the standard library fork the whole host (20 to 60 ms in a large
//! one), so everything is expressed by what `posix_spawn` can do: a process group of its own, the
//! folder, the three standard descriptors.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};

use crate::channels::{Channels, HostEnds};
use crate::script::Delivery;
use crate::service::{ServicePipes, ServiceSpec};
use crate::{CommandSpec, ProcessError};

/// A started shell and the ends of its channels that the host keeps.
#[derive(Debug)]
pub(crate) struct Spawned {
    pub(crate) child: Child,
    pub(crate) ends: HostEnds,
}

/// Starts the shell of `spec`.
pub(crate) fn spawn(
    spec: &CommandSpec,
    delivery: &Delivery,
    environment: &BTreeMap<OsString, OsString>,
    isolation: &Isolation,
) -> Result<Spawned, ProcessError> {
    check_folder(&spec.folder)?;
    let channels = Channels::new(spec)?;
    let program = spec.shell.program();
    let not_started = |source: io::Error| match source.kind() {
        io::ErrorKind::ArgumentListTooLong => ProcessError::EnvironmentTooLarge,
        _ => ProcessError::Shell {
            path: spec.shell.path.clone(),
            source,
        },
    };
    if matches!(isolation, Isolation::Session(_)) || spec.input.is_terminal() {
        // `setsid` would answer with an exit code that looks like the command's own.
        std::fs::metadata(&program).map_err(not_started)?;
    }
    let mut command = if spec.input.is_terminal() {
        crate::channels::with_terminal(&program)?
    } else {
        isolation.command(&program)
    };
    add_arguments(&mut command, spec, delivery);
    command
        .env_clear()
        .envs(environment)
        .current_dir(&spec.folder)
        .stdin(channels.stdin)
        .stdout(channels.stdout)
        .stderr(channels.stderr);
    keep_descriptors_from_children();
    let child = command.spawn().map_err(not_started)?;
    // The command's ends go with `command`, so that the end of the output can be seen.
    Ok(Spawned {
        child,
        ends: channels.host,
    })
}

/// A started service and the host's ends of its pipes.
#[derive(Debug)]
pub(crate) struct SpawnedService {
    pub(crate) child: Child,
    pub(crate) pipes: ServicePipes,
}

/// Starts the program of `spec`.
pub(crate) fn spawn_service(
    spec: &ServiceSpec,
    environment: &BTreeMap<OsString, OsString>,
    isolation: &Isolation,
) -> Result<SpawnedService, ProcessError> {
    check_folder(&spec.folder)?;
    let not_started = |source: io::Error| ProcessError::Service {
        path: spec.program.clone(),
        source,
    };
    if matches!(isolation, Isolation::Session(_)) {
        std::fs::metadata(&spec.program).map_err(not_started)?;
    }
    let pipe = || io::pipe().map_err(ProcessError::io("Making a pipe"));
    let ((stdin, stdin_writer), (stdout, stdout_writer), (stderr, stderr_writer)) =
        (pipe()?, pipe()?, pipe()?);
    let mut command = isolation.command(&spec.program);
    command
        .args(&spec.arguments)
        .env_clear()
        .envs(environment)
        .current_dir(&spec.folder)
        .stdin(stdin)
        .stdout(stdout_writer)
        .stderr(stderr_writer);
    keep_descriptors_from_children();
    let child = command.spawn().map_err(not_started)?;
    let pipes = ServicePipes {
        stdin: stdin_writer,
        stdout,
        stderr,
    };
    Ok(SpawnedService { child, pipes })
}

fn check_folder(folder: &Path) -> Result<(), ProcessError> {
    if folder.as_os_str().as_encoded_bytes().contains(&0) {
        return Err(ProcessError::Nul {
            what: "The folder".into(),
        });
    }
    let found = std::fs::metadata(folder).and_then(|metadata| {
        if metadata.is_dir() {
            Ok(())
        } else {
            Err(io::ErrorKind::NotADirectory.into())
        }
    });
    found.map_err(|source| ProcessError::Folder {
        path: folder.into(),
        source,
    })
}

#[cfg(unix)]
fn add_arguments(command: &mut Command, spec: &CommandSpec, delivery: &Delivery) {
    command.args(&spec.shell.arguments).arg(&delivery.argument);
}

#[cfg(windows)]
fn add_arguments(command: &mut Command, spec: &CommandSpec, delivery: &Delivery) {
    use std::os::windows::process::CommandExt;
    command.args(&spec.shell.arguments);
    if spec.shell.family() == crate::shell::ShellFamily::Cmd {
        // With `/S`, cmd takes off the outer quotes and leaves the rest as it is written.
        let mut quoted = OsString::from("\"");
        quoted.push(&delivery.argument);
        quoted.push("\"");
        command.raw_arg(quoted);
    } else {
        command.arg(&delivery.argument);
    }
}

/// How commands are kept apart from the terminal and the signals of the host.
#[derive(Debug, Clone)]
pub(crate) enum Isolation {
    /// A process group of its own. Enough where the host has no terminal, since only the leader
    /// of a session can get one.
    Group,
    /// A session of its own, by this `setsid` program: the host has a terminal, and a prompt on
    /// `/dev/tty` would stop the command until its time is up.
    #[cfg_attr(not(unix), expect(dead_code, reason = "there are no sessions"))]
    Session(PathBuf),
}

impl Isolation {
    /// What this host needs. Where it has a terminal but no `setsid` program is found, a process
    /// group has to do.
    pub(crate) fn of_this_host() -> Self {
        #[cfg(unix)]
        if std::fs::File::open("/dev/tty").is_ok() {
            return Self::with_session();
        }
        Self::Group
    }

    #[cfg(unix)]
    pub(crate) fn with_session() -> Self {
        crate::channels::setsid_program().map_or(Self::Group, Self::Session)
    }

    fn command(&self, shell: &Path) -> Command {
        match self {
            Self::Group => {
                let mut command = Command::new(shell);
                #[cfg(unix)]
                std::os::unix::process::CommandExt::process_group(&mut command, 0);
                // No console window.
                #[cfg(windows)]
                std::os::windows::process::CommandExt::creation_flags(&mut command, 0x0800_0000);
                command
            }
            // Not a leader of a group, so that `setsid` need not fork: its process is the shell.
            Self::Session(setsid) => {
                let mut command = Command::new(setsid);
                command.arg(shell);
                command
            }
        }
    }
}

/// Marks every descriptor above the standard three close-on-exec.
///
/// Node and Rust open theirs so, but other addons and libraries in the same process may not, and
/// nothing of the host may reach a command: one system call on Linux 5.11 and later.
fn keep_descriptors_from_children() {
    #[cfg(unix)]
    close_fds::set_fds_cloexec_threadsafe(3, &[]);
}
