//! Keeps the processes of a command by the helper program, which is the sub-reaper above them.

use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ExitStatus};
use std::sync::Arc;
use std::time::Duration;

use tenon_helper::{Order, Report, StartStep};
use tokio::time::{sleep, timeout};

use crate::ending::helper_link::HelperLink;
use crate::ending::host_keeper::KILL_ROUNDS;
use crate::ending::root::Root;
use crate::ending::shell_process::Exit;
use crate::ending::signal::{self, Push};
use crate::ending::tree::Tree;
use crate::registry::Registry;
use crate::sandbox::{self, SandboxWatch};
use crate::starting::spawn::{StartedHelper, Target};
use crate::{CommandLimit, EndedProcesses, ProcessError, SandboxReport};

/// How much longer than the grace an ending may take before the helper counts as unable.
const END_MARGIN: Duration = Duration::from_secs(10);

/// The helper of one command, and what it has said so far.
#[derive(Debug)]
pub(crate) struct HelperKeeper {
    link: Arc<HelperLink>,
    child: Child,
    mark: String,
    /// What should have started, for the error that says it was not.
    target: Target,
    /// The number of the process that becomes the shell.
    forked: Option<u32>,
    exit: Option<Exit>,
    /// How many lived when the helper last said so.
    living: usize,
    /// Whether nothing of the command lives any more, by the word of the helper.
    is_over: bool,
    /// Whether the helper has said its last.
    is_gone: bool,
    /// Whether the helper was killed or does not answer: then the host does what it can.
    is_lost: bool,
    ended: Option<EndedProcesses>,
    has_counted: bool,
    limit: Option<CommandLimit>,
    watch: SandboxWatch,
    is_reaped: bool,
    registry: Arc<Registry>,
}

impl HelperKeeper {
    /// Needs a running tokio runtime.
    pub(crate) fn new(
        started: StartedHelper,
        mark: &str,
        registry: Arc<Registry>,
        watch: SandboxWatch,
    ) -> io::Result<Self> {
        let StartedHelper {
            child,
            host_end,
            target,
        } = started;
        // On failure the socket is closed, and the helper ends everything.
        let link = HelperLink::new(host_end, child.id())?;
        Ok(Self {
            link: Arc::new(link),
            child,
            mark: mark.into(),
            target,
            forked: None,
            exit: None,
            living: 1,
            is_over: false,
            is_gone: false,
            is_lost: false,
            ended: None,
            has_counted: false,
            limit: None,
            watch,
            is_reaped: false,
            registry,
        })
    }

    pub(crate) fn root(&self) -> Root {
        Root::Helper(Arc::clone(&self.link))
    }

    pub(crate) async fn shell_ended(&mut self) -> Result<(), ProcessError> {
        while self.exit.is_none() {
            self.hear().await?;
        }
        Ok(())
    }

    pub(crate) async fn living_count(&mut self) -> usize {
        if !self.is_over && !self.is_lost {
            self.resume_helper();
            self.link.order(Order::Count);
            self.has_counted = false;
            while !self.has_counted && !self.is_over && !self.is_lost {
                // There was a shell, so there is nothing that could have failed to start.
                let _ = self.hear().await;
            }
        }
        if self.is_over {
            0
        } else if self.is_lost {
            self.tree()
                .members(&self.registry.snapshot.fresh().await)
                .len()
        } else {
            self.living
        }
    }

    pub(crate) async fn emptied(&mut self) {
        while !self.is_over && !self.is_lost {
            // As above.
            let _ = self.hear().await;
        }
    }

    pub(crate) async fn end(&mut self, grace: Duration) -> Result<EndedProcesses, ProcessError> {
        if self.is_over {
            return Ok(EndedProcesses::default());
        }
        self.resume_helper();
        let grace_ms = u32::try_from(grace.as_millis()).unwrap_or(u32::MAX);
        self.link.order(Order::End { grace_ms });
        let reported = timeout(grace + END_MARGIN, self.reported_end()).await;
        if reported.is_err() {
            self.is_lost = true;
        } else if let Ok(Err(error)) = reported {
            return Err(error);
        }
        if self.is_lost {
            return Ok(self.end_without_helper().await);
        }
        Ok(self.ended.take().unwrap_or_default())
    }

    async fn reported_end(&mut self) -> Result<(), ProcessError> {
        while self.ended.is_none() && !self.is_gone {
            self.hear().await?;
        }
        Ok(())
    }

    /// Whether the helper was killed, so that nobody but the host can end what it left.
    pub(crate) const fn is_lost(&self) -> bool {
        self.is_lost
    }

    pub(crate) const fn limit(&self) -> Option<CommandLimit> {
        self.limit
    }

    pub(crate) fn exit(&self) -> Exit {
        self.exit.clone().unwrap_or_default()
    }

    pub(crate) fn kill_now(&self) {
        let tree = self.tree();
        let living = tree.living();
        self.root().order_kill();
        tree.push(Push::Kill, &living);
    }

    pub(crate) async fn leave(&mut self) {
        // The end of its socket is among the last things that a process leaves behind.
        if self.is_over && !self.is_lost {
            while self.link.next(|_, _| ()).await.is_some() {}
            self.is_reaped = self.child.wait().is_ok();
        }
    }

    /// Takes in what the helper says next.
    async fn hear(&mut self) -> Result<(), ProcessError> {
        let (target, link) = (&self.target, &self.link);
        let (exit, living, is_over) = (&mut self.exit, &mut self.living, &mut self.is_over);
        let (ended, has_counted) = (&mut self.ended, &mut self.has_counted);
        let (exceeded, watch) = (&mut self.limit, &self.watch);
        let forked = &mut self.forked;
        let received = self.link.next(|report, descriptor| {
            match report {
                Report::Forked { pid } => *forked = Some(pid),
                Report::Started { pid } => link.shell().set(pid),
                Report::Failed { step, errno } => {
                    *is_over = true;
                    return Err(not_started(target, step, errno));
                }
                Report::Exited { status, left } => {
                    *exit = Some(exit_of(status));
                    *living = size(left);
                    *is_over = left == 0;
                }
                Report::Emptied => *is_over = true,
                Report::Living { count } => {
                    *living = size(count);
                    *has_counted = true;
                }
                Report::Sandboxed {
                    level,
                    step,
                    errno,
                    landlock,
                } => watch.reported(SandboxReport::reported(level, step, errno, landlock)),
                Report::Listening => {
                    if let Some(listener) = descriptor {
                        watch.listening(listener);
                    }
                }
                Report::Limit { limit } => *exceeded = Some(limit.into()),
                Report::Ended {
                    found,
                    killed,
                    survivors,
                    numbers,
                } => {
                    *is_over = survivors == 0;
                    *ended = Some(EndedProcesses {
                        found: size(found),
                        killed: size(killed),
                        survivors: numbers.iter().collect(),
                    });
                }
            }
            Ok(())
        });
        match received.await {
            Some(received) => received,
            None => self.gone(),
        }
    }

    /// The helper has gone. If that was too early, it was killed, and with it the shell.
    fn gone(&mut self) -> Result<(), ProcessError> {
        self.is_gone = true;
        if self.is_over {
            return Ok(());
        }
        self.is_lost = true;
        match self.forked {
            // The shell was quicker to kill it than it was to report the shell.
            Some(pid) => self.link.shell().set(pid),
            None => {
                let source = io::Error::other("it ended before it could start the shell");
                return Err(ProcessError::io("Starting the helper program")(source));
            }
        }
        self.exit.get_or_insert_with(|| Exit {
            code: None,
            signal: Some(signal::name(Push::Kill.signal().as_raw())),
        });
        Ok(())
    }

    /// A command may have stopped its helper; it cannot keep the host from letting it continue.
    fn resume_helper(&self) {
        if let Some(pid) = rustix::process::Pid::from_raw(self.child.id().cast_signed()) {
            // Not reaped yet, its number is still its own.
            let _ = rustix::process::kill_process(pid, Push::Resume.signal());
        }
    }

    /// What can be found of the command without asking the helper.
    fn tree(&self) -> Tree {
        Tree::new(&self.root(), &self.mark)
    }

    /// Kills what can be found, the helper too, which does not answer if it lives at all.
    async fn end_without_helper(&mut self) -> EndedProcesses {
        let mut ended = EndedProcesses::default();
        let tree = self.tree();
        for round in 0..KILL_ROUNDS {
            let living = tree.members(&self.registry.snapshot.fresh().await);
            if living.is_empty() {
                break;
            }
            if round == 0 {
                ended.found = living.len();
                ended.killed = living.len();
            }
            tree.push(Push::Stop, &living);
            let living = tree.members(&self.registry.snapshot.fresh().await);
            tree.push(Push::Kill, &living);
            sleep(Duration::from_millis(u64::from(round).clamp(1, 25))).await;
        }
        // If it lives and is merely stopped, it is of no use any more.
        let _ = self.child.kill();
        self.is_reaped = self.child.wait().is_ok();
        let living = tree.members(&self.registry.snapshot.fresh().await);
        ended.survivors = living
            .iter()
            .filter_map(|row| u32::try_from(row.pid).ok())
            .collect();
        self.is_over = ended.survivors.is_empty();
        ended
    }
}

impl Drop for HelperKeeper {
    fn drop(&mut self) {
        self.watch.over.cancel();
        if self.is_reaped || matches!(self.child.try_wait(), Ok(Some(_))) {
            return;
        }
        // The socket closes with this value, the helper ends everything and then itself. Should
        // there be no thread to have, it stays a zombie until the host ends.
        if let Some(pid) = rustix::process::Pid::from_raw(self.child.id().cast_signed()) {
            use rustix::process::{WaitId, WaitIdOptions, waitid};
            let _ = std::thread::Builder::new()
                .name("tenon-reaper".into())
                .spawn(move || waitid(WaitId::Pid(pid), WaitIdOptions::EXITED));
        }
    }
}

fn size(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

fn exit_of(status: u32) -> Exit {
    let status = ExitStatus::from_raw(status.cast_signed());
    Exit {
        code: status.code(),
        signal: status.signal().map(signal::name),
    }
}

fn not_started(target: &Target, step: StartStep, errno: u32) -> ProcessError {
    let source = io::Error::from_raw_os_error(errno.cast_signed());
    if step.is_of_sandbox() {
        return ProcessError::Sandbox {
            what: sandbox::failure(step, errno).to_string(),
        };
    }
    let what = match step {
        StartStep::Execute => return target.not_started(source),
        StartStep::Options | StartStep::Prepare => "Preparing the helper program",
        StartStep::Fork => "Making a process for the shell",
        StartStep::Input => "Preparing the input of the command",
        _ => "Changing to the directory of the command in its sandbox",
    };
    ProcessError::io(what)(source)
}
