//! Watches one command from its start to its end, in a task of its own.
//!
//! So time-outs, aborts and kills happen whether or not anybody polls the future that waits for the
//! result, and whatever the host's own event loop is doing.

use std::collections::BTreeSet;
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

use crate::leader::{Exit, Leader};
use crate::live::{Live, Quiet};
use crate::process_table::{self, Row};
use crate::registry::{Order, Registry};
use crate::script::ScriptFile;
use crate::signal::Push;
use crate::tree::Tree;
use crate::{CommandResult, Ended, Leftovers, ProcessError};

/// Longest wait for output of others after the shell has ended.
const DRAIN_MAX: Duration = Duration::from_secs(2);
/// Grace for a command that nobody waits for.
const ABANDON_GRACE: Duration = Duration::from_millis(250);
/// Grace for processes that the shell left behind.
const LEFTOVER_GRACE: Duration = Duration::from_millis(500);
/// When the processes below the shell are looked at first, and how far apart the looks grow.
const FIRST_LOOK: Duration = Duration::from_millis(20);
const LATEST_LOOK: Duration = Duration::from_secs(2);
/// Rounds of killing. A storm of new processes needs a few; only a process of another user all.
const KILL_ROUNDS: u32 = 40;
/// How often it is asked whether adopted processes still run.
const ADOPTED_LOOK: Duration = Duration::from_millis(500);

/// The readers of a command's pipes.
pub(crate) struct Pumps {
    pub(crate) tasks: Vec<JoinHandle<io::Result<()>>>,
    pub(crate) quiet: Vec<Arc<Quiet>>,
    /// Closed when every reader is done.
    pub(crate) done: mpsc::Receiver<Infallible>,
    pub(crate) stop: CancellationToken,
}

/// All that belongs to one running command.
pub(crate) struct Supervisor {
    pub(crate) id: u64,
    pub(crate) leader: Leader,
    pub(crate) tree: Tree,
    pub(crate) live: Arc<Live>,
    pub(crate) pumps: Pumps,
    pub(crate) script: Option<ScriptFile>,
    pub(crate) timeout: Option<Duration>,
    pub(crate) grace: Duration,
    pub(crate) leftovers: Leftovers,
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
        let result = self.see_through().await;
        let adopted = result.as_ref().is_ok_and(|result| result.adopted > 0);
        if !adopted {
            self.release(
                result
                    .as_ref()
                    .map_or_else(|_| Ended::default(), |result| result.ended.clone()),
            );
        }
        if let Some(answer) = self.answer.take() {
            // Nobody may be waiting any more.
            let _ = answer.send(result);
        }
        if adopted {
            let ended = self.watch_adopted().await;
            self.release(ended);
        }
    }

    async fn see_through(&mut self) -> Result<CommandResult, ProcessError> {
        let waiting = || ProcessError::io("Waiting for the command");
        let mut verdict = self.watch().await.map_err(waiting())?;
        let mut ended = Ended::default();
        if verdict != Verdict::Exited {
            ended = self.end(self.grace()).await.map_err(waiting())?;
        }
        let duration = self.live.elapsed();
        if self.drain().await && verdict == Verdict::Exited {
            verdict = Verdict::Cancelled;
        }
        let left = self.living().await.len();
        if left == 0 && self.tree.is_blind() {
            // Nobody can be counted, but the group can be ended.
            self.tree.push(Push::Kill, &[]);
        }
        let adopts = self.leftovers == Leftovers::Adopt && verdict == Verdict::Exited && left > 0;
        if left > 0 && !adopts && ended == Ended::default() {
            let grace = self.grace().min(LEFTOVER_GRACE);
            ended = self.end(grace).await.map_err(waiting())?;
        }
        if !adopts {
            self.stop_pumps().await?;
        }
        let Exit { code, signal } = self.leader.exit().map_err(waiting())?;
        Ok(CommandResult {
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
    async fn watch(&mut self) -> io::Result<Verdict> {
        let mut deadline = pin!(sleep_for(self.timeout));
        let mut look = FIRST_LOOK;
        loop {
            tokio::select! {
                biased;
                ended = self.leader.ended() => return ended.map(|()| Verdict::Exited),
                () = self.cancellation.cancelled() => return Ok(Verdict::Cancelled),
                () = ordered(&mut self.orders) => return Ok(Verdict::Cancelled),
                () = &mut deadline => return Ok(Verdict::TimedOut),
                () = sleep(look) => {
                    self.tree.record();
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
        self.live.flush().await;
        Ok(())
    }

    fn grace(&self) -> Duration {
        if *self.orders.borrow() == Order::Abandon {
            self.grace.min(ABANDON_GRACE)
        } else {
            self.grace
        }
    }

    /// The processes of the command that are alive.
    async fn living(&self) -> Vec<Row> {
        match self.tree.living_nearby() {
            Some(living) => living,
            None => self.tree.members(&self.registry.census.fresh().await),
        }
    }

    /// Ends all processes of the command: TERM, `grace`, KILL until none is left.
    async fn end(&mut self, grace: Duration) -> io::Result<Ended> {
        self.tree.record();
        let mut living = self.living().await;
        let mut ended = Ended {
            found: living.len().max(usize::from(!self.leader.has_ended())),
            ..Ended::default()
        };
        self.tree.push(Push::Terminate, &living);
        self.tree.push(Push::Resume, &living);
        let begun = Instant::now();
        let mut pause = Duration::from_millis(1);
        while begun.elapsed() < grace {
            if self.all_ended(&mut living, pause).await? {
                return Ok(ended);
            }
            pause = (pause * 2).min(Duration::from_millis(25));
        }
        ended.killed = self.kill(&mut living).await?;
        ended.survivors = living
            .iter()
            .filter_map(|row| u32::try_from(row.pid).ok())
            .collect();
        Ok(ended)
    }

    /// Whether nothing of the command lives, now or after `pause`. As long as one of the `living`
    /// does, nobody else is looked for; then they are counted anew.
    async fn all_ended(&mut self, living: &mut Vec<Row>, pause: Duration) -> io::Result<bool> {
        if self.leader.has_ended() {
            sleep(pause).await;
        } else if let Ok(result) = timeout(pause, self.leader.ended()).await {
            result?;
        }
        if living.iter().any(process_table::lives) {
            return Ok(false);
        }
        *living = self.living().await;
        Ok(self.leader.has_ended() && living.is_empty())
    }

    /// Stops all, so that none begins anything new, then kills all, and again for those that were
    /// born in between.
    async fn kill(&mut self, living: &mut Vec<Row>) -> io::Result<usize> {
        let mut killed = BTreeSet::new();
        for round in 0..KILL_ROUNDS {
            *living = self.living().await;
            self.tree.push(Push::Stop, living);
            *living = self.living().await;
            self.tree.push(Push::Kill, living);
            killed.extend(living.iter().map(|row| row.pid));
            let pause = Duration::from_millis(u64::from(round).clamp(1, 25));
            if self.all_ended(living, pause).await? {
                break;
            }
        }
        Ok(killed.len())
    }

    async fn watch_adopted(&mut self) -> Ended {
        loop {
            tokio::select! {
                biased;
                () = ordered(&mut self.orders) => {
                    let grace = self.grace();
                    let ended = self.end(grace).await.unwrap_or_default();
                    // The result was given long ago; what the readers say now concerns nobody.
                    let _ = self.stop_pumps().await;
                    return ended;
                }
                () = sleep(ADOPTED_LOOK) => {
                    if self.living().await.is_empty() {
                        let _ = self.stop_pumps().await;
                        return Ended::default();
                    }
                }
            }
        }
    }

    fn release(&mut self, ended: Ended) {
        self.registry.release(self.id, &ended);
        self.released = true;
        self.script = None;
        // It has been waited for; only a shell that cannot be killed is not there yet.
        let _ = self.leader.reap();
    }
}

impl Drop for Supervisor {
    /// The runtime was shut down under the command: nothing can be awaited any more.
    fn drop(&mut self) {
        if !self.released {
            let living = self.tree.living();
            self.tree.push(Push::Kill, &living);
            self.registry.release(self.id, &Ended::default());
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
    if orders.wait_for(|order| *order != Order::Run).await.is_err() {
        // The registry and the handle are gone; they would have given the order before.
        std::future::pending().await
    }
}
