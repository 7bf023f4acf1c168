//! Keeps the processes of a command from within the host: as well as that can be done without the
//! helper.

use std::collections::BTreeSet;
use std::io;
use std::process::Child;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::time::{sleep, timeout};

use crate::ending::process_table::{self, Row};
use crate::ending::root::Root;
use crate::ending::shell_process::{Exit, ShellProcess};
use crate::ending::signal::Push;
use crate::ending::tree::Tree;
use crate::registry::Registry;
use crate::{EndedProcesses, ProcessError};

/// Rounds of killing. A storm of new processes needs a few; only a process of another user all.
pub(crate) const KILL_ROUNDS: u32 = 40;
/// Rounds of killing when nothing can be waited for.
const KILL_NOW_ROUNDS: u32 = 6;
/// How often it is asked whether processes that the shell left still run.
const LEFT_LOOK: Duration = Duration::from_millis(500);

/// A shell that is a child of the host, and what can be found of its processes.
#[derive(Debug)]
pub(crate) struct HostKeeper {
    leader: ShellProcess,
    tree: Tree,
    registry: Arc<Registry>,
}

impl HostKeeper {
    pub(crate) fn new(child: Child, mark: &str, registry: Arc<Registry>) -> io::Result<Self> {
        let tree = Tree::new(&Root::Itself(child.id()), mark);
        match ShellProcess::new(child) {
            Ok(leader) => Ok(Self {
                leader,
                tree,
                registry,
            }),
            Err(source) => {
                tree.push(Push::Kill, &tree.living());
                Err(source)
            }
        }
    }

    pub(crate) fn root(&self) -> Root {
        Root::Itself(self.leader.id())
    }

    pub(crate) async fn shell_ended(&mut self) -> Result<(), ProcessError> {
        self.leader.ended().await.map_err(waiting())
    }

    pub(crate) fn record(&mut self) {
        self.tree.record();
    }

    pub(crate) async fn living_count(&self) -> usize {
        let living = self.living().await.len();
        if living == 0 && self.tree.is_blind() {
            // Nobody can be counted, but the group can be ended.
            self.tree.push(Push::Kill, &[]);
        }
        living
    }

    pub(crate) async fn emptied(&self) {
        while !self.living().await.is_empty() {
            sleep(LEFT_LOOK).await;
        }
    }

    pub(crate) fn exit(&mut self) -> Result<Exit, ProcessError> {
        self.leader.exit().map_err(waiting())
    }

    /// Kills without waiting. Looks again for who was born meanwhile, or was just becoming another program and so
    /// could not be distinguished from a stranger.
    pub(crate) fn kill_now(&self) {
        for _ in 0..KILL_NOW_ROUNDS {
            let living = self.tree.living();
            self.tree.push(Push::Kill, &living);
            if living.is_empty() {
                break;
            }
        }
    }

    pub(crate) fn reap(&mut self) {
        // It has been waited for; only a shell that cannot be killed is not there yet.
        let _ = self.leader.reap();
    }

    /// The processes of the command that are alive.
    async fn living(&self) -> Vec<Row> {
        match self.tree.living_nearby() {
            Some(living) => living,
            None => self.tree.members(&self.registry.snapshot.fresh().await),
        }
    }

    /// Ends all processes of the command: TERM, `grace`, KILL until none is left.
    pub(crate) async fn end(&mut self, grace: Duration) -> Result<EndedProcesses, ProcessError> {
        self.tree.record();
        let mut living = self.living().await;
        let mut ended = EndedProcesses {
            found: living.len().max(usize::from(!self.leader.has_ended())),
            ..EndedProcesses::default()
        };
        self.tree.push(Push::Terminate, &living);
        self.tree.push(Push::Resume, &living);
        let begun = Instant::now();
        let mut pause = Duration::from_millis(1);
        while begun.elapsed() < grace {
            if self
                .all_ended(&mut living, pause)
                .await
                .map_err(waiting())?
            {
                return Ok(ended);
            }
            pause = (pause * 2).min(Duration::from_millis(25));
        }
        ended.killed = self.kill(&mut living).await.map_err(waiting())?;
        ended.survivors = living
            .iter()
            .filter_map(|row| u32::try_from(row.pid).ok())
            .collect();
        Ok(ended)
    }

    /// Whether nothing of the command lives, now or after `pause`. As long as one of the `living`
    /// does, nobody else is looked for; then they are counted again.
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
}

fn waiting() -> impl FnOnce(io::Error) -> ProcessError {
    ProcessError::io("Waiting for the command")
}
