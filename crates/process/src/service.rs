//! A program that runs for long and is spoken with over its standard streams, such as a language
//! server. It stands in the same table as commands: in a process group of its own, marked, and
//! ended with everything it started when it is dropped, when the table is closed, and when that goes.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io::{self, PipeReader, PipeWriter};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio::process::{ChildStderr, ChildStdin, ChildStdout};
use tokio::sync::{oneshot, watch};
use tokio_util::sync::CancellationToken;

use crate::ending::keeper::Keeper;
use crate::ending::root::ShellNumber;
use crate::ending::supervisor::{Pumps, Supervisor};
use crate::output::live::Live;
use crate::processes::{Processes, Table};
use crate::registry::Order;
use crate::sandbox::confine;
use crate::{
    CommandResult, CommandSpec, Leftovers, ProcessError, Sandbox, starting::program,
    starting::spawn,
};

/// A program to be started and kept running.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServiceSpec {
    /// The program, by absolute path; see [`Processes::find_program`].
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// The directory it starts in.
    pub directory: PathBuf,
    /// Variables that the host sets for it, over the environment of commands. Not for what a call
    /// gives: nothing is refused here.
    pub environment: BTreeMap<String, OsString>,
    /// Time between the polite and the final signal.
    pub grace: Duration,
}

/// A running service. Dropping it ends the program: TERM, 250 ms at most, KILL.
#[derive(Debug)]
pub struct Service {
    /// What the program reads. Closing it is how most are asked to end.
    pub stdin: ChildStdin,
    /// What it writes.
    pub stdout: ChildStdout,
    /// What it complains about. Must be read: a full pipe stops the program.
    pub stderr: ChildStderr,
    /// The process itself.
    pub process: ServiceProcess,
}

/// The process of a [`Service`], without its streams. Dropping it ends the program.
#[derive(Debug)]
pub struct ServiceProcess {
    shell: ShellNumber,
    orders: watch::Sender<Order>,
    result: oneshot::Receiver<Result<CommandResult, ProcessError>>,
    end: Option<ServiceEnd>,
}

/// How a service ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ServiceEnd {
    /// What it answered, or `None` when a signal ended it.
    pub exit_code: Option<i32>,
    /// Name of the signal that ended it, such as `SIGKILL`.
    pub signal: Option<String>,
}

impl ServiceProcess {
    /// The number of the process, which is that of its group; nothing as long as it has not been
    /// started.
    #[must_use]
    pub fn id(&self) -> Option<u32> {
        self.shell.get()
    }

    /// Asks it to end: TERM, its grace, KILL, with everything it started.
    pub fn end(&self) {
        self.orders.send_replace(Order::End);
    }

    /// Waits until the program and what it started have ended. May be dropped and called again.
    pub async fn ended(&mut self) -> ServiceEnd {
        if let Some(end) = &self.end {
            return end.clone();
        }
        let end = match (&mut self.result).await {
            Ok(Ok(result)) => ServiceEnd {
                exit_code: result.exit_code,
                signal: result.signal,
            },
            // Nothing is known of how it ended; that it did is what counts.
            Ok(Err(_)) | Err(_) => ServiceEnd::default(),
        };
        self.end = Some(end.clone());
        end
    }
}

impl Drop for ServiceProcess {
    fn drop(&mut self) {
        if self.end.is_none() {
            self.orders.send_replace(Order::Abandon);
        }
    }
}

impl Processes {
    /// Starts a service. Needs a running tokio runtime.
    ///
    /// # Errors
    /// When it cannot be started, or the table was closed.
    pub fn start_service(&self, spec: &ServiceSpec) -> Result<Service, ProcessError> {
        self.start_service_as(spec, None)
    }

    /// Starts a service as another user, who is his own group and gains no privileges by any file. Only root can; on
    /// systems other than Linux the user is not changed.
    ///
    /// # Errors
    /// As [`start_service`](Self::start_service).
    pub fn start_service_as(
        &self,
        spec: &ServiceSpec,
        user: Option<u32>,
    ) -> Result<Service, ProcessError> {
        self.start_service_with(spec, user, None)
    }

    /// Starts a service in a sandbox.
    ///
    /// # Errors
    /// As [`start_service`](Self::start_service), and where the sandbox that is required cannot be made.
    pub fn start_service_in(
        &self,
        spec: &ServiceSpec,
        sandbox: &Sandbox,
    ) -> Result<Service, ProcessError> {
        self.start_service_with(spec, None, Some(sandbox))
    }

    fn start_service_with(
        &self,
        spec: &ServiceSpec,
        user: Option<u32>,
        sandbox: Option<&Sandbox>,
    ) -> Result<Service, ProcessError> {
        let table = self.table();
        let (id, mark) = table.registry.announce()?;
        let mut environment = table.environment.for_service(&spec.environment, &mark);
        let isolation = table.isolation.usable();
        let directory = &table.directory;
        let confined = confine(
            sandbox,
            &spec.directory,
            &isolation,
            directory,
            &mut environment,
        )?;
        let spawned = spawn::spawn_service(spec, &environment, &isolation, &confined, user)?;
        let live = no_output(table, &spec.directory);
        let pumps = Pumps::new(Vec::new());
        let sandbox = confined.watch;
        let keeper = Keeper::new(spawned.started, &mark, &table.registry, sandbox.clone())
            .map_err(ProcessError::io("Preparing to wait for the service"))?;
        let root = keeper.root();
        let orders = table.registry.add(id, &root, &mark);
        let (answer, result) = oneshot::channel();
        let supervisor = Supervisor {
            id,
            keeper,
            live,
            pumps,
            script: None,
            timeout: None,
            grace: spec.grace,
            leftovers: Leftovers::End,
            limits: crate::CommandLimits::default(),
            sandbox,
            cancellation: CancellationToken::new(),
            orders: orders.subscribe(),
            registry: Arc::clone(&table.registry),
            answer: Some(answer),
            released: false,
        };
        tokio::spawn(supervisor.run());
        let process = ServiceProcess {
            shell: root.shell(),
            orders,
            result,
            end: None,
        };
        let streams = streams(spawned.pipes);
        let (stdin, stdout, stderr) = streams.map_err(ProcessError::io("Preparing its pipes"))?;
        Ok(Service {
            stdin,
            stdout,
            stderr,
            process,
        })
    }

    /// The executable file that this name means in the environment of commands, by its `PATH`.
    ///
    /// Relative directories of `PATH` are passed over, and finds whose real path `is_refused`. A name
    /// with a separator must be an absolute path; it is not asked about.
    #[must_use]
    pub fn find_program(
        &self,
        name: impl AsRef<OsStr>,
        is_refused: impl Fn(&Path) -> bool,
    ) -> Option<PathBuf> {
        let search_path = self.table().environment.variable("PATH")?;
        program::find(name.as_ref(), search_path, &is_refused)
    }

    /// The number of the host's own process, which services are asked to watch.
    #[must_use]
    pub fn host_process_id(&self) -> u32 {
        std::process::id()
    }
}

/// A service's output goes to the one who speaks with it; nothing is captured.
fn no_output(table: &Table, directory: &Path) -> Arc<Live> {
    Arc::new(Live::new(
        &CommandSpec::new("", directory),
        &table.directory,
    ))
}

/// The host's ends of the three pipes.
#[derive(Debug)]
pub(crate) struct ServicePipes {
    pub(crate) stdin: PipeWriter,
    pub(crate) stdout: PipeReader,
    pub(crate) stderr: PipeReader,
}

fn streams(pipes: ServicePipes) -> io::Result<(ChildStdin, ChildStdout, ChildStderr)> {
    #[cfg(unix)]
    use std::os::fd::OwnedFd as Owned;
    #[cfg(windows)]
    use std::os::windows::io::OwnedHandle as Owned;
    let stdin = std::process::ChildStdin::from(Owned::from(pipes.stdin));
    let stdout = std::process::ChildStdout::from(Owned::from(pipes.stdout));
    let stderr = std::process::ChildStderr::from(Owned::from(pipes.stderr));
    Ok((
        ChildStdin::from_std(stdin)?,
        ChildStdout::from_std(stdout)?,
        ChildStderr::from_std(stderr)?,
    ))
}
