//! The table of processes of one toolkit: starts commands and ends them all.

use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::sync::oneshot;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::ending::keeper::Keeper;
use crate::ending::supervisor::{Pumps, Supervisor};
use crate::output::channels::{HostEnds, Outputs};
use crate::output::live::Live;
use crate::output::private_directory::PrivateDirectory;
use crate::output::pump::{Pump, Source};
use crate::output::spill::SpillWriter;
use crate::registry::Registry;
use crate::running::RunningCommand;
use crate::sandbox::{SandboxWatch, confine};
use crate::starting::environment::BaseEnvironment;
use crate::starting::isolation::Isolation;
use crate::starting::script::Delivery;
use crate::starting::spawn::{self, Spawned};
use crate::{
    CommandResult, CommandSpec, CommandWriter, EndedProcesses, EnvironmentRules, LiveOutput,
    Openers, OutputGuard, ProcessError, Spill, SpillLimits,
};

/// What holds for all commands of a toolkit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProcessOptions {
    /// What the host wants changed about the environment. Default: nothing.
    pub environment: EnvironmentRules,
    /// How much output may lie on disk, and where.
    pub spill: SpillLimits,
    /// Which tools open such an output by its address. Default: none.
    pub openers: Openers,
    /// The helper program of the platform package, by absolute path (Linux; of no use elsewhere).
    /// With it nothing of a command can survive it, nor the death of the host. Default: none, and
    /// the host ends what it can find.
    pub helper: Option<PathBuf>,
}

/// Starts commands, knows those that run, and ends them all when it is closed or dropped.
///
/// Cheap to clone; clones are the same table. Its methods that start something need a tokio runtime
/// with time and I/O enabled.
#[derive(Debug, Clone)]
pub struct Processes(Arc<Table>);

#[derive(Debug)]
pub(crate) struct Table {
    pub(crate) environment: BaseEnvironment,
    pub(crate) isolation: Isolation,
    pub(crate) directory: Arc<PrivateDirectory>,
    pub(crate) registry: Arc<Registry>,
}

impl Drop for Table {
    fn drop(&mut self) {
        self.registry.end_now();
        // Nobody is left to hear about a directory that cannot be removed.
        let _ = self.directory.remove();
    }
}

impl Processes {
    /// An empty table. The host's environment is read here, once.
    #[must_use]
    pub fn new(options: ProcessOptions) -> Self {
        let isolation = Isolation::of_this_host(options.helper.as_deref());
        Self::with_isolation(options, isolation)
    }

    pub(crate) fn with_isolation(options: ProcessOptions, isolation: Isolation) -> Self {
        Self(Arc::new(Table {
            environment: BaseEnvironment::of_this_process(&options.environment),
            isolation,
            directory: Arc::new(PrivateDirectory::new(options.spill, options.openers)),
            registry: Arc::new(Registry::new()),
        }))
    }

    pub(crate) fn table(&self) -> &Table {
        &self.0
    }

    /// Runs a command to its end.
    ///
    /// `on_output` is called when there is something new, at most every
    /// [`progress_every`](CommandSpec::progress_every), and gets a look at all of the output so far;
    /// it costs nothing unless it takes a snapshot. Dropping the future ends the command in the
    /// background: TERM, 250 ms, KILL.
    ///
    /// # Errors
    /// When nothing could be started, or the output could not be read. What the command itself
    /// does, its time-out and its cancellation included, is part of the result.
    pub async fn run(
        &self,
        spec: CommandSpec,
        cancellation: &CancellationToken,
        mut on_output: impl FnMut(&LiveOutput<'_>) + Send,
    ) -> Result<CommandResult, ProcessError> {
        let every = spec.progress_every;
        let mut command = self.start(spec, cancellation)?;
        let live = Arc::clone(&command.live);
        let mut changes = command.changes();
        loop {
            tokio::select! {
                biased;
                result = command.finished() => return result,
                () = changes.next() => on_output(&LiveOutput(&live)),
            }
            tokio::select! {
                biased;
                result = command.finished() => return result,
                () = sleep(every) => {}
            }
        }
    }

    /// Starts a command and returns at once.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn start(
        &self,
        spec: CommandSpec,
        cancellation: &CancellationToken,
    ) -> Result<RunningCommand, ProcessError> {
        let table = &self.0;
        if cancellation.is_cancelled() {
            return Err(ProcessError::Cancelled);
        }
        let (id, mark) = table.registry.announce()?;
        let isolation = table.isolation.usable();
        let mut environment =
            table
                .environment
                .for_command(&spec.environment, &mark, spec.input.is_terminal())?;
        let delivery = Delivery::new(&spec.script, &spec.shell, &table.directory)?;
        let live = Arc::new(Live::new(&spec, &table.directory));
        let confined = confine(
            spec.sandbox.as_deref(),
            &spec.directory,
            &isolation,
            &table.directory,
            &mut environment,
        )?;
        let spawned = spawn::spawn(&spec, &delivery, &environment, &isolation, &confined)?;
        let sandbox = confined.watch;
        let (keeper, pumps, writer) =
            watched(spawned, &live, &mark, &table.registry, sandbox.clone())?;
        let root = keeper.root();
        let orders = table.registry.add(id, &root, &mark);
        let (answer, result) = oneshot::channel();
        let supervisor = Supervisor {
            id,
            keeper,
            live: Arc::clone(&live),
            pumps,
            script: delivery.file,
            timeout: spec.timeout,
            grace: spec.grace,
            leftovers: spec.leftovers,
            limits: spec.limits,
            sandbox: sandbox.clone(),
            cancellation: cancellation.clone(),
            orders: orders.subscribe(),
            registry: Arc::clone(&table.registry),
            answer: Some(answer),
            released: false,
        };
        tokio::spawn(supervisor.run());
        Ok(RunningCommand {
            id,
            shell: root.shell(),
            live,
            writer,
            orders,
            result,
            sandbox,
            over: false,
        })
    }

    /// How many commands run, those included that live on as adopted processes.
    #[must_use]
    pub fn running(&self) -> usize {
        self.0.registry.running()
    }

    /// Ends everything and removes the files: no command can be started afterwards. Waits until
    /// nothing is left, and says what it took.
    ///
    /// # Errors
    /// When the private directory could not be removed. The processes are ended all the same.
    pub async fn close(&self) -> Result<EndedProcesses, ProcessError> {
        let ended = self.0.registry.close().await;
        let directory = &self.0.directory;
        directory
            .remove()
            .map_err(ProcessError::io("Removing the files with command output"))?;
        Ok(ended)
    }

    /// Kills everything at once, without waiting, and says how many processes that were: for the
    /// moment when the host's process ends. No command can be started afterwards.
    pub fn end_now(&self) -> usize {
        let killed = self.0.registry.end_now();
        // The host is about to end; a directory that cannot be removed now stays in any case.
        let _ = self.0.directory.remove();
        killed
    }

    /// Keeps a text that is not the output of a command as if it were: whole, in a private file, under an address. A file
    /// that could not be made is part of its state.
    pub async fn keep_output(&self, text: &[u8]) -> Spill {
        let directory = Arc::clone(&self.0.directory);
        let mut writer = SpillWriter::create(directory, "output");
        writer.write(text).await;
        writer.finish().await;
        writer.state()
    }

    /// Has the outputs of commands that start from now on pass this guard. The first one stays.
    pub fn guard_outputs(&self, guard: Arc<dyn OutputGuard>) {
        self.0.directory.guard_by(guard);
    }

    /// All of an output that is in a file, if it can be read.
    pub async fn read_output(&self, spill: &Spill) -> Option<Vec<u8>> {
        let path = spill.path.clone();
        let read = tokio::task::spawn_blocking(move || std::fs::read(path)).await;
        read.ok()?.ok()
    }

    /// The first and the last `bytes` of an output that is in a file, if they can be read.
    pub async fn read_output_ends(
        &self,
        spill: &Spill,
        bytes: usize,
    ) -> Option<(Vec<u8>, Vec<u8>)> {
        let path = spill.path.clone();
        let read = tokio::task::spawn_blocking(move || ends_of(&path, bytes)).await;
        read.ok()?.ok()
    }

    /// The file with the whole output of this [number](crate::Spill::number), until the table is closed.
    #[must_use]
    pub fn output(&self, number: u64) -> Option<PathBuf> {
        self.0.directory.output(number)
    }

    /// The numbers of the whole outputs that are kept in files, oldest first.
    #[must_use]
    pub fn outputs(&self) -> Vec<u64> {
        self.0.directory.output_numbers()
    }

    /// Why the last output for which no file could be made has none.
    #[must_use]
    pub fn output_failure(&self) -> Option<String> {
        self.0.directory.output_failure()
    }

    /// The private directory with whole outputs, once there is one.
    #[must_use]
    pub fn spill_directory(&self) -> Option<PathBuf> {
        self.0.directory.path()
    }
}

fn ends_of(path: &Path, bytes: usize) -> std::io::Result<(Vec<u8>, Vec<u8>)> {
    let mut file = std::fs::File::open(path)?;
    let (length, most) = (file.metadata()?.len(), bytes as u64);
    let (mut head, mut tail) = (Vec::new(), Vec::new());
    file.by_ref().take(most).read_to_end(&mut head)?;
    file.seek(SeekFrom::Start(
        length.saturating_sub(most).max(head.len() as u64),
    ))?;
    file.take(most).read_to_end(&mut tail)?;
    Ok((head, tail))
}

/// Takes charge of a started command. A failure here must not leave it running.
fn watched(
    Spawned { started, ends }: Spawned,
    live: &Arc<Live>,
    mark: &str,
    registry: &Arc<Registry>,
    sandbox: SandboxWatch,
) -> Result<(Keeper, Pumps, Option<CommandWriter>), ProcessError> {
    let keeper = Keeper::new(started, mark, registry, sandbox)
        .map_err(ProcessError::io("Preparing to wait for the command"))?;
    match taken(ends, live) {
        Ok((pumps, writer)) => Ok((keeper, pumps, writer)),
        Err(source) => {
            keeper.kill_now();
            Err(ProcessError::io("Preparing the input and output")(source))
        }
    }
}

fn taken(ends: HostEnds, live: &Arc<Live>) -> io::Result<(Pumps, Option<CommandWriter>)> {
    let is_terminal = matches!(ends.outputs, Outputs::Terminal(_));
    let writer = ends
        .input
        .map(|input| CommandWriter::new(input, is_terminal))
        .transpose()?;
    let pumps = match ends.outputs {
        Outputs::Merged(pipe) => vec![Pump::new(pipe, Source::Merged, live)?],
        Outputs::Apart { stdout, stderr } => vec![
            Pump::new(stdout, Source::Stdout, live)?,
            Pump::new(stderr, Source::Stderr, live)?,
        ],
        Outputs::Terminal(side) => {
            let source = writer.clone().map_or(Source::Merged, Source::Terminal);
            vec![Pump::new(side, source, live)?]
        }
    };
    Ok((Pumps::new(pumps), writer))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::time::{Duration, Instant};

    #[tokio::test(flavor = "multi_thread")]
    async fn under_a_terminal_a_command_gets_a_session_of_its_own_and_ends_like_any_other() {
        let processes =
            Processes::with_isolation(ProcessOptions::default(), Isolation::with_session());
        let mut spec = CommandSpec::new(
            "set -- $(cat /proc/$$/stat); echo $(($5 - $1)) $(($6 - $1)) $7; trap '' TERM; sleep 60; :",
            "/",
        );
        spec.timeout = Some(Duration::from_millis(200));
        spec.grace = Duration::from_millis(100);
        let start = Instant::now();
        let result = processes
            .run(spec, &CancellationToken::new(), |_| {})
            .await
            .unwrap();
        assert!(start.elapsed() < Duration::from_secs(3));
        assert_eq!(result.output.merged.unwrap().head, "0 0 0\n");
        assert_eq!(
            result.ended,
            EndedProcesses {
                found: 2,
                killed: 2,
                survivors: vec![]
            }
        );
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_missing_shell_is_reported_under_a_terminal_too() {
        let processes =
            Processes::with_isolation(ProcessOptions::default(), Isolation::with_session());
        let mut spec = CommandSpec::new("true", "/");
        spec.shell = crate::Shell::new("/no/such/shell", ["-c"]);
        let error = processes
            .run(spec, &CancellationToken::new(), |_| {})
            .await
            .unwrap_err();
        assert_eq!(
            error.to_string(),
            "The shell `/no/such/shell` could not be started: No such file or directory (os error 2). Name another one in the `shell` option."
        );
    }
}
