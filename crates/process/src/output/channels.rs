//! The standard descriptors of a command: where it reads from and where it writes to.

use std::io::{self, PipeReader, PipeWriter};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::{CommandInput, CommandSpec, ProcessError, Streams, TerminalSize};

/// Both ends of everything.
#[derive(Debug)]
pub(crate) struct Channels {
    /// Nothing for `/dev/null`.
    pub(crate) stdin: Option<PipeReader>,
    pub(crate) stdout: Stdio,
    pub(crate) stderr: Stdio,
    pub(crate) host: HostEnds,
}

/// The ends that the host keeps.
#[derive(Debug)]
pub(crate) struct HostEnds {
    pub(crate) outputs: Outputs,
    /// What the command reads from, if anything.
    pub(crate) input: Option<PipeWriter>,
}

/// What is read from.
#[derive(Debug)]
pub(crate) enum Outputs {
    Merged(PipeReader),
    Apart {
        stdout: PipeReader,
        stderr: PipeReader,
    },
    /// The host's side of a pseudo-terminal.
    Terminal(PipeReader),
}

impl Channels {
    pub(crate) fn new(spec: &CommandSpec) -> Result<Self, ProcessError> {
        let input = match spec.input {
            CommandInput::Terminal(size) => {
                return terminal(size).map_err(ProcessError::io("Opening a pseudo-terminal"));
            }
            CommandInput::Closed => None,
            CommandInput::Pipe => Some(()),
        };
        pipes(spec.streams, input.is_some()).map_err(ProcessError::io("Making a pipe"))
    }
}

fn pipes(streams: Streams, with_input: bool) -> io::Result<Channels> {
    let (stdin, input) = if with_input {
        let (reader, writer) = io::pipe()?;
        (Some(reader), Some(writer))
    } else {
        (None, None)
    };
    let (stdout, stdout_writer) = io::pipe()?;
    let (outputs, stderr_writer) = if streams == Streams::Merged {
        (Outputs::Merged(stdout), stdout_writer.try_clone()?)
    } else {
        let (stderr, stderr_writer) = io::pipe()?;
        (Outputs::Apart { stdout, stderr }, stderr_writer)
    };
    Ok(Channels {
        stdin,
        stdout: stdout_writer.into(),
        stderr: stderr_writer.into(),
        host: HostEnds { outputs, input },
    })
}

/// A pseudo-terminal in its usual state, for characters in UTF-8.
#[cfg(unix)]
fn terminal(size: TerminalSize) -> io::Result<Channels> {
    use rustix::pty::{OpenptFlags, grantpt, openpt, unlockpt};
    use rustix::termios::{
        InputModes, OptionalActions, Winsize, tcgetattr, tcsetattr, tcsetwinsize,
    };

    let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY;
    #[cfg(target_os = "linux")]
    let flags = flags | OpenptFlags::CLOEXEC;
    let host = openpt(flags)?;
    grantpt(&host)?;
    unlockpt(&host)?;
    let command = other_side(&host, flags)?;
    let mut modes = tcgetattr(&command)?;
    // So that erasing takes whole characters.
    modes.input_modes |= InputModes::IUTF8;
    tcsetattr(&command, OptionalActions::Now, &modes)?;
    let window = Winsize {
        ws_row: size.rows.get(),
        ws_col: size.columns.get(),
        ws_xpixel: 0,
        ws_ypixel: 0,
    };
    tcsetwinsize(&command, window)?;
    Ok(Channels {
        stdin: Some(command.try_clone()?.into()),
        stdout: command.try_clone()?.into(),
        stderr: command.into(),
        host: HostEnds {
            input: Some(host.try_clone()?.into()),
            outputs: Outputs::Terminal(host.into()),
        },
    })
}

/// The command's side, by its handle: a path could lead elsewhere in another mount namespace.
#[cfg(target_os = "linux")]
fn other_side(
    host: &std::os::fd::OwnedFd,
    flags: rustix::pty::OpenptFlags,
) -> io::Result<std::os::fd::OwnedFd> {
    Ok(rustix::pty::ioctl_tiocgptpeer(host, flags)?)
}

#[cfg(all(unix, not(target_os = "linux")))]
fn other_side(
    host: &std::os::fd::OwnedFd,
    _flags: rustix::pty::OpenptFlags,
) -> io::Result<std::os::fd::OwnedFd> {
    use rustix::fs::{Mode, OFlags, open};
    let name = rustix::pty::ptsname(host, Vec::new())?;
    let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
    Ok(open(name.as_c_str(), flags, Mode::empty())?)
}

#[cfg(windows)]
fn terminal(_size: TerminalSize) -> io::Result<Channels> {
    Err(io::ErrorKind::Unsupported.into())
}

/// A command that makes its standard input the controlling terminal of a new session and then
/// becomes `program`.
///
/// Only the process itself can do that, and no code of ours may run between fork and exec, so a
/// small program of the system does it.
pub(crate) fn with_terminal(program: &Path) -> Result<Command, ProcessError> {
    let setsid = setsid_program().ok_or(ProcessError::NoTerminal)?;
    let mut command = Command::new(setsid);
    // Not a leader of a group, so that `setsid` need not fork: its process is the shell.
    command.arg("-c").arg(program);
    Ok(command)
}

/// The program that begins a new session, where the system has one.
pub(crate) fn setsid_program() -> Option<PathBuf> {
    ["/usr/bin/setsid", "/bin/setsid"]
        .into_iter()
        .map(PathBuf::from)
        .find(|path| path.is_file())
}
