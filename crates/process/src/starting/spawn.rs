//! Starts a shell on the fast path: `posix_spawn`, no code of ours between fork and exec.
//!
//! A `pre_exec` closure would make the standard library fork the whole host (20 to 60 ms in a large
//! one), so everything is expressed by what `posix_spawn` can do: a process group of its own, the
//! directory, the three standard descriptors.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{self, PipeReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::output::channels::{Channels, HostEnds};
use crate::sandbox::Confined;
use crate::service::{ServicePipes, ServiceSpec};
use crate::starting::isolation::Isolation;
use crate::starting::script::Delivery;
use crate::{CommandSpec, ProcessError};

/// A started command and the ends of its channels that the host keeps.
#[derive(Debug)]
pub(crate) struct Spawned {
    pub(crate) started: Started,
    pub(crate) ends: HostEnds,
}

/// The child of the host.
#[derive(Debug)]
pub(crate) enum Started {
    /// The shell or service itself.
    Itself(Child),
    /// The helper, which starts it.
    #[cfg(target_os = "linux")]
    Helper(StartedHelper),
}

/// A helper that was started.
#[cfg(target_os = "linux")]
#[derive(Debug)]
pub(crate) struct StartedHelper {
    pub(crate) child: Child,
    /// The host's end of the socket to it.
    pub(crate) host_end: std::os::fd::OwnedFd,
    pub(crate) target: Target,
}

/// What starts in the end.
#[derive(Debug, Clone)]
pub(crate) struct Target {
    program: PathBuf,
    failure: fn(PathBuf, io::Error) -> ProcessError,
}

impl Target {
    /// The error that says that it could not be started.
    pub(crate) fn not_started(&self, source: io::Error) -> ProcessError {
        match source.kind() {
            io::ErrorKind::ArgumentListTooLong => ProcessError::EnvironmentTooLarge,
            _ => ProcessError::short(source)
                .unwrap_or_else(|source| (self.failure)(self.program.clone(), source)),
        }
    }
}

/// Starts the shell of `spec`. `isolation` is usable.
pub(crate) fn spawn(
    spec: &CommandSpec,
    delivery: &Delivery,
    environment: &BTreeMap<OsString, OsString>,
    isolation: &Isolation,
    confined: &Confined,
) -> Result<Spawned, ProcessError> {
    check_directory(&spec.directory)?;
    if spec.limits.any() && !isolation.has_helper() {
        return Err(ProcessError::LimitsNeedHelper);
    }
    let channels = Channels::new(spec)?;
    let program = spec.shell.program();
    let target = Target {
        program: program.clone(),
        failure: |path, source| ProcessError::Shell { path, source },
    };
    let wrapper = confined.wrapper.as_ref();
    let is_terminal = spec.input.is_terminal();
    if is_terminal || !matches!(isolation, Isolation::Group) {
        // `setsid` would answer with an exit code that looks like the command's own, the helper late.
        std::fs::metadata(&program).map_err(|source| target.not_started(source))?;
    }
    let mut command = if is_terminal && !isolation.has_helper() {
        crate::output::channels::with_terminal(wrapper.map_or(&*program, |(wrapper, _)| *wrapper))?
    } else {
        let mut options = spec.limits.options();
        options.extend_from_slice(&confined.options);
        isolation.command(wrapper.map_or(&*program, |(wrapper, _)| *wrapper), &options)
    };
    if let Some((_, arguments)) = wrapper {
        command.args(arguments).arg(&program);
    }
    add_arguments(&mut command, spec, delivery);
    command
        .env_clear()
        .envs(environment)
        .current_dir(&spec.directory)
        .stdout(channels.stdout)
        .stderr(channels.stderr);
    // The command's ends go with `command`, so that the end of the output can be seen.
    let start = Start {
        command,
        target,
        input: channels.stdin,
        is_terminal,
        user: None,
    };
    Ok(Spawned {
        started: start.by(isolation)?,
        ends: channels.host,
    })
}

/// All that is needed to start something.
struct Start {
    /// Complete but for its standard input.
    command: Command,
    target: Target,
    /// Nothing for `/dev/null`.
    input: Option<PipeReader>,
    is_terminal: bool,
    /// Another user to become, where there is no helper that does it.
    user: Option<u32>,
}

impl Start {
    fn by(mut self, isolation: &Isolation) -> Result<Started, ProcessError> {
        keep_descriptors_from_children();
        #[cfg(target_os = "linux")]
        if let Isolation::Helper(helper) = isolation {
            return self.by_helper(helper.path());
        }
        self.command
            .stdin(self.input.map_or_else(Stdio::null, Stdio::from));
        let spawned = match self.user {
            None => self.command.spawn(),
            Some(user) => spawn_as(self.command, user),
        };
        let child = spawned.map_err(|source| self.target.not_started(source))?;
        Ok(Started::Itself(child))
    }

    /// Starts the helper with a socket to this host as its standard input.
    #[cfg(target_os = "linux")]
    fn by_helper(mut self, helper: &Path) -> Result<Started, ProcessError> {
        use crate::ending::helper_link::{pair, send_start};
        use std::os::fd::AsFd;
        let talking = || ProcessError::io("Making a socket to the helper program");
        let (host_end, helper_end) = pair().map_err(talking())?;
        let input = self.input.as_ref().map(AsFd::as_fd);
        send_start(&host_end, self.is_terminal, input).map_err(talking())?;
        self.command.stdin(helper_end);
        let child = self.command.spawn().map_err(|source| match source.kind() {
            io::ErrorKind::ArgumentListTooLong => ProcessError::EnvironmentTooLarge,
            _ => ProcessError::short(source).unwrap_or_else(|source| ProcessError::Helper {
                path: helper.into(),
                source,
            }),
        })?;
        Ok(Started::Helper(StartedHelper {
            child,
            host_end,
            target: self.target,
        }))
    }
}

/// A started service and the host's ends of its pipes.
#[derive(Debug)]
pub(crate) struct SpawnedService {
    pub(crate) started: Started,
    pub(crate) pipes: ServicePipes,
}

/// Starts the program of `spec`. `isolation` is usable.
pub(crate) fn spawn_service(
    spec: &ServiceSpec,
    environment: &BTreeMap<OsString, OsString>,
    isolation: &Isolation,
    confined: &Confined,
    user: Option<u32>,
) -> Result<SpawnedService, ProcessError> {
    check_directory(&spec.directory)?;
    let target = Target {
        program: spec.program.clone(),
        failure: |path, source| ProcessError::Service { path, source },
    };
    if !matches!(isolation, Isolation::Group) {
        std::fs::metadata(&spec.program).map_err(|source| target.not_started(source))?;
    }
    let pipe = || io::pipe().map_err(ProcessError::io("Making a pipe"));
    let ((stdin, stdin_writer), (stdout, stdout_writer), (stderr, stderr_writer)) =
        (pipe()?, pipe()?, pipe()?);
    let mut options = confined.options.clone();
    options.extend(user.map(|user| OsString::from(format!("user={user}"))));
    let wrapper = confined.wrapper.as_ref();
    let mut command = isolation.command(
        wrapper.map_or(&*spec.program, |(wrapper, _)| *wrapper),
        &options,
    );
    if let Some((_, arguments)) = wrapper {
        command.args(arguments).arg(&spec.program);
    }
    command
        .args(&spec.arguments)
        .env_clear()
        .envs(environment)
        .current_dir(&spec.directory)
        .stdout(stdout_writer)
        .stderr(stderr_writer);
    let start = Start {
        command,
        target,
        input: Some(stdin),
        is_terminal: false,
        user: user.filter(|_| !isolation.has_helper()),
    };
    let started = start.by(isolation)?;
    let pipes = ServicePipes {
        stdin: stdin_writer,
        stdout,
        stderr,
    };
    Ok(SpawnedService { started, pipes })
}

/// Starts a program as another user, without a helper.
#[cfg(target_os = "linux")]
fn spawn_as(mut command: Command, user: u32) -> io::Result<Child> {
    use std::os::unix::process::CommandExt;
    command.uid(user).gid(user);
    // The attribute is one of the thread, and children inherit it: so this thread does nothing else.
    let spawning = std::thread::Builder::new()
        .name("tenon-spawn".to_owned())
        .spawn(move || {
            rustix::thread::set_no_new_privs(true)?;
            command.spawn()
        })?;
    let failed = |_| io::Error::other("the thread that starts it has failed");
    spawning.join().map_err(failed)?
}

#[cfg(not(target_os = "linux"))]
fn spawn_as(mut command: Command, _user: u32) -> io::Result<Child> {
    command.spawn()
}

fn check_directory(directory: &Path) -> Result<(), ProcessError> {
    if directory.as_os_str().as_encoded_bytes().contains(&0) {
        return Err(ProcessError::Nul {
            what: "The directory".into(),
        });
    }
    let found = std::fs::metadata(directory).and_then(|metadata| {
        if metadata.is_dir() {
            // Of a directory that may not be entered the system reports all but what is in it.
            std::fs::metadata(directory.join(".")).map(|_| ())
        } else {
            Err(io::ErrorKind::NotADirectory.into())
        }
    });
    found.map_err(|source| ProcessError::Directory {
        path: directory.into(),
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
    if spec.shell.family() == crate::starting::shell::ShellFamily::Cmd {
        // With `/S`, cmd takes off the outer quotes and leaves the rest as it is written.
        let mut quoted = OsString::from("\"");
        quoted.push(&delivery.argument);
        quoted.push("\"");
        command.raw_arg(quoted);
    } else {
        command.arg(&delivery.argument);
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
