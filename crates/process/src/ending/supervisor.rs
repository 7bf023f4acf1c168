//! Watches one command from its start to its end, in a task of its own.
//!
//! So time-outs, aborts and kills happen whether or not anybody polls the future that waits for the
//! result, and whatever the host's own event loop is doing.

use std::convert::Infallible;
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tenon_contract::limits;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use crate::ending::keeper::Keeper;
use crate::ending::shell_process::Exit;
use crate::output::live::{Live, Quiet};
use crate::output::pump::Pump;
use crate::registry::{Order, Registry};
use crate::sandbox::SandboxWatch;
use crate::starting::script::ScriptFile;
use crate::{CommandLimits, CommandResult, EndedProcesses, Leftovers, ProcessError};

/// Longest wait for output of others after the shell has ended.
const DRAIN_MAX: Duration = Duration::from_secs(2);
/// Grace for a command that nobody waits for.
const ABANDON_GRACE: Duration = Duration::from_millis(250);
/// Grace for processes that the shell left behind.
const LEFTOVER_GRACE: Duration = Duration::from_millis(500);
/// Longest wait for a sandbox to be cleared away after its last process has ended.
const CLEAR_MAX: Duration = Duration::from_secs(2);
/// When the processes below the shell are looked at first, and how far apart the looks grow.
const FIRST_LOOK: Duration = Duration::from_millis(20);
const LATEST_LOOK: Duration = Duration::from_secs(2);

/// The readers of a command's pipes.
pub(crate) struct Pumps {
    /// Those that have not started, each with what it drops when it is done.
    waiting: Vec<(Pump, mpsc::Sender<Infallible>)>,
    tasks: Vec<JoinHandle<io::Result<()>>>,
    quiet: Vec<Arc<Quiet>>,
    /// Closed when every reader is done.
    done: mpsc::Receiver<Infallible>,
    stop: CancellationToken,
}

impl Pumps {
    pub(crate) fn new(pumps: Vec<Pump>) -> Self {
        // Closed at once where there is no reader to wait for.
        let (running, done) = mpsc::channel(1);
        let quiet = pumps.iter().map(Pump::quiet).collect();
        let waiting = pumps.into_iter().map(|pump| (pump, running.clone()));
        Self {
            waiting: waiting.collect(),
            tasks: Vec::new(),
            quiet,
            done,
            stop: CancellationToken::new(),
        }
    }

    /// Starts the readers. Done by the task that watches the command: the thread that runs it goes on with them, and no other one is
    /// woken.
    fn start(&mut self) {
        for (pump, running) in self.waiting.drain(..) {
            let stop = self.stop.clone();
            self.tasks.push(tokio::spawn(async move {
                let read = pump.run(stop).await;
                drop(running);
                read
            }));
        }
    }
}

/// All that belongs to one running command.
pub(crate) struct Supervisor {
    pub(crate) id: u64,
    pub(crate) keeper: Keeper,
    pub(crate) live: Arc<Live>,
    pub(crate) pumps: Pumps,
    pub(crate) script: Option<ScriptFile>,
    pub(crate) timeout: Option<Duration>,
    pub(crate) grace: Duration,
    pub(crate) leftovers: Leftovers,
    pub(crate) limits: CommandLimits,
    pub(crate) sandbox: SandboxWatch,
    pub(crate) cancellation: CancellationToken,
    pub(crate) orders: watch::Receiver<Order>,
    pub(crate) registry: Arc<Registry>,
    pub(crate) answer: Option<oneshot::Sender<Result<CommandResult, ProcessError>>>,
    /// Whether it was taken off the registry.
    pub(crate) released: bool,
}

/// Why the watching stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Exited,
    TimedOut,
    Cancelled,
}

impl Supervisor {
    /// Sees the command through and answers.
    pub(crate) async fn run(mut self) {
        self.pumps.start();
        let result = self.see_through().await;
        self.end_lost().await;
        let adopted = result.as_ref().is_ok_and(|result| result.adopted > 0);
        if !adopted {
            self.clear_sandbox().await;
            self.release(
                result
                    .as_ref()
                    .map_or_else(|_| EndedProcesses::default(), |result| result.ended.clone()),
            );
        }
        if let Some(answer) = self.answer.take() {
            // Nobody may be waiting any more.
            let _ = answer.send(result);
        }
        if adopted {
            let ended = self.watch_adopted().await;
            self.clear_sandbox().await;
            self.release(ended);
        }
        self.keeper.leave().await;
    }

    /// Waits until what was mounted over missing names is gone too, so that it is when the command counts as over: for
    /// the one who waits for it, and for the end of the toolkit.
    async fn clear_sandbox(&mut self) {
        if self.sandbox.is_wanted {
            // A helper that does not come to its end must not hold up others.
            let _ = timeout(CLEAR_MAX, self.keeper.leave()).await;
        }
    }

    async fn see_through(&mut self) -> Result<CommandResult, ProcessError> {
        let mut verdict = self.watch().await?;
        let mut ended = EndedProcesses::default();
        if verdict != Verdict::Exited {
            ended = self.keeper.end(self.grace()).await?;
        }
        let duration = self.live.elapsed();
        if self.drain().await && verdict == Verdict::Exited {
            verdict = Verdict::Cancelled;
        }
        let left = self.keeper.living().await;
        let adopts = self.leftovers == Leftovers::Adopt
            && verdict == Verdict::Exited
            && left > 0
            && !self.keeper.is_lost();
        if left > 0 && !adopts && ended == EndedProcesses::default() {
            ended = self.keeper.end(self.grace().min(LEFTOVER_GRACE)).await?;
        }
        if !adopts {
            self.stop_pumps().await?;
        }
        let Exit { code, signal } = self.keeper.exit()?;
        let exceeded = self.keeper.limit();
        let limit = exceeded
            .and_then(|limit| self.limits.reached(limit))
            .or_else(|| self.limits.file_reached(code, signal.as_deref()));
        Ok(CommandResult {
            limit,
            sandbox: self.sandbox.report.get().cloned(),
            exit_code: code,
            signal,
            timed_out: verdict == Verdict::TimedOut,
            cancelled: verdict == Verdict::Cancelled,
            duration,
            output: self.live.output(!adopts),
            ended,
            adopted: if adopts { left } else { 0 },
        })
    }

    /// Waits for the end of the shell, or for a reason to end it.
    async fn watch(&mut self) -> Result<Verdict, ProcessError> {
        let mut deadline = pin!(sleep_for(self.timeout));
        let mut look = FIRST_LOOK;
        loop {
            tokio::select! {
                biased;
                ended = self.keeper.shell_ended() => return ended.map(|()| Verdict::Exited),
                () = self.cancellation.cancelled() => return Ok(Verdict::Cancelled),
                () = ordered(&mut self.orders) => return Ok(Verdict::Cancelled),
                () = &mut deadline => {
                    if *self.orders.borrow() == Order::Run {
                        return Ok(Verdict::TimedOut);
                    }
                    deadline.set(sleep_for(None));
                }
                () = sleep(look), if self.keeper.looks() => {
                    self.keeper.record();
                    look = (look * 2).min(LATEST_LOOK);
                }
            }
        }
    }

    /// After the shell: lets its pipes run empty. The end of a pipe is not awaited, since a
    /// background process may hold it for ever; a short silence is enough. Answers whether the
    /// call was aborted meanwhile.
    async fn drain(&mut self) -> bool {
        let start = Instant::now();
        loop {
            let quiet = self
                .pumps
                .quiet
                .iter()
                .map(|quiet| quiet.since(start))
                .min()
                .unwrap_or_default();
            let rest = limits::EXECUTE_DRAIN.saturating_sub(quiet);
            if rest.is_zero() || start.elapsed() >= DRAIN_MAX {
                return false;
            }
            tokio::select! {
                biased;
                _ = self.pumps.done.recv() => return false,
                () = self.cancellation.cancelled() => return true,
                () = ordered(&mut self.orders) => return true,
                () = sleep(rest.max(Duration::from_millis(1))) => {}
            }
        }
    }

    async fn stop_pumps(&mut self) -> Result<(), ProcessError> {
        self.pumps.stop.cancel();
        for task in self.pumps.tasks.drain(..) {
            task.await
                .map_err(io::Error::other)
                .flatten()
                .map_err(ProcessError::io("Reading the output of the command"))?;
        }
        self.live.finish().await;
        Ok(())
    }

    fn grace(&self) -> Duration {
        if *self.orders.borrow() == Order::Abandon {
            self.grace.min(ABANDON_GRACE)
        } else {
            self.grace
        }
    }

    async fn watch_adopted(&mut self) -> EndedProcesses {
        let ended = tokio::select! {
            biased;
            () = ordered(&mut self.orders) => {
                let grace = self.grace();
                self.keeper.end(grace).await.unwrap_or_default()
            }
            () = self.keeper.emptied() => self.end_lost().await,
        };
        // The result was given long ago; what the readers say now concerns nobody.
        let _ = self.stop_pumps().await;
        ended
    }

    /// Ends what a helper that was killed has left. Does nothing where that was done, or where the helper lives.
    async fn end_lost(&mut self) -> EndedProcesses {
        if !self.keeper.is_lost() {
            return EndedProcesses::default();
        }
        self.keeper.end(Duration::ZERO).await.unwrap_or_default()
    }

    fn release(&mut self, ended: EndedProcesses) {
        let keeper = &mut self.keeper;
        self.registry.release(self.id, &ended, || keeper.reap());
        self.released = true;
        self.script = None;
    }
}

impl Drop for Supervisor {
    /// The runtime was shut down under the command: nothing can be awaited any more.
    fn drop(&mut self) {
        if !self.released {
            self.keeper.kill_now();
            self.registry
                .release(self.id, &EndedProcesses::default(), || ());
        }
    }
}

async fn sleep_for(time: Option<Duration>) {
    match time {
        Some(time) => sleep(time).await,
        None => std::future::pending().await,
    }
}

/// Resolves when there is an order to end.
async fn ordered(orders: &mut watch::Receiver<Order>) {
    if orders.wait_for(|order| *order >= Order::End).await.is_err() {
        // The registry and the handle are gone; they would have given the order before.
        std::future::pending().await
    }
}
