//! The handle of a command that was started.

use std::sync::Arc;

use tokio::sync::{oneshot, watch};

use crate::UnknownKey;
use crate::ending::root::ShellNumber;
use crate::input::keys::{pasted, sent_by};
use crate::output::live::Live;
use crate::registry::Order;
use crate::sandbox::SandboxWatch;
use crate::{CommandResult, CommandWriter, LiveOutput, ProcessError, SandboxReport};

/// How often it is looked whether a shell was started.
const STARTED_LOOK: std::time::Duration = std::time::Duration::from_millis(1);

/// A command that was started. Dropping it ends the command, unless that is over or its processes
/// were adopted.
#[derive(Debug)]
pub struct RunningCommand {
    pub(crate) id: u64,
    pub(crate) shell: ShellNumber,
    pub(crate) live: Arc<Live>,
    pub(crate) writer: Option<CommandWriter>,
    pub(crate) orders: watch::Sender<Order>,
    pub(crate) result: oneshot::Receiver<Result<CommandResult, ProcessError>>,
    pub(crate) sandbox: SandboxWatch,
    pub(crate) over: bool,
}

/// Hears of new output, from its making on.
#[derive(Debug)]
pub struct Changes(watch::Receiver<()>);

impl Changes {
    /// Waits for output that came since it was last called. May be dropped and called again. Once
    /// there is nobody left to write, it waits for ever.
    pub async fn next(&mut self) {
        if self.0.changed().await.is_err() {
            std::future::pending().await
        }
    }
}

impl RunningCommand {
    /// Its number in this table, counted from 1.
    #[must_use]
    pub fn id(&self) -> u64 {
        self.id
    }

    /// The number of the shell's process, which is that of its group; nothing as long as it has
    /// not been started.
    #[must_use]
    pub fn process_id(&self) -> Option<u32> {
        self.shell.get()
    }

    /// A look at the output so far.
    #[must_use]
    pub fn output(&self) -> LiveOutput<'_> {
        LiveOutput(&self.live)
    }

    /// Its standard input, unless that is closed from the start.
    #[must_use]
    pub fn writer(&self) -> Option<&CommandWriter> {
        self.writer.as_ref()
    }

    /// What these keys send to its terminal, named as tmux does: `Enter`, `C-c`, `Up`, `F1`; what
    /// names no key is typed. Depends on what the program in the terminal asked for last.
    ///
    /// # Errors
    /// Modifiers with something that is no key.
    pub fn keys(&self, keys: &[String]) -> Result<String, UnknownKey> {
        sent_by(keys, self.live.modes())
    }

    /// What pasting this text sends to its terminal: between marks if `bracketed` says so, or by
    /// default if the program asked for marks.
    #[must_use]
    pub fn pasted(&self, text: &str, bracketed: Option<bool>) -> String {
        pasted(text, bracketed.unwrap_or(self.live.modes().bracketed_paste))
    }

    /// Asks the command to end: TERM, its grace, KILL. Its result says `cancelled`. Processes that
    /// were adopted end in the same way.
    pub fn end(&self) {
        self.orders.send_replace(Order::End);
    }

    /// Lifts the time limit that it was started with.
    pub fn run_on(&self) {
        self.orders.send_if_modified(|order| {
            let is_free = *order == Order::Run;
            if is_free {
                *order = Order::RunOn;
            }
            is_free
        });
    }

    /// A listener for new output. What was written before counts as new to it.
    #[must_use]
    pub fn changes(&self) -> Changes {
        let mut changes = self.live.changes();
        if self.output().total_bytes() > 0 {
            changes.mark_changed();
        }
        Changes(changes)
    }

    /// The sandbox that it runs in, once that is known: when its shell was [started](Self::started).
    #[must_use]
    pub fn sandbox(&self) -> Option<SandboxReport> {
        self.sandbox.report.get().cloned()
    }

    /// Waits until its shell was started, from when on it has a number.
    ///
    /// # Errors
    /// Why it was not.
    pub async fn started(&mut self) -> Result<(), ProcessError> {
        while self.shell.get().is_none() && !self.over {
            tokio::select! {
                biased;
                result = &mut self.result => {
                    self.over = true;
                    let result = result.unwrap_or(Err(ProcessError::RuntimeGone))?;
                    // It ended before anybody looked.
                    let (answer, again) = oneshot::channel();
                    let _ = answer.send(Ok(result));
                    self.result = again;
                    self.over = false;
                    return Ok(());
                }
                () = tokio::time::sleep(STARTED_LOOK) => {}
            }
        }
        Ok(())
    }

    /// Waits for the result. May be dropped and called again, until it has answered.
    ///
    /// # Errors
    /// When the output could not be read, or the runtime was shut down.
    pub async fn finished(&mut self) -> Result<CommandResult, ProcessError> {
        let result = (&mut self.result).await;
        self.over = true;
        result.unwrap_or(Err(ProcessError::RuntimeGone))
    }

    /// Ends the command as dropping it does, and waits until nothing of it is left.
    pub async fn abandon(self) {
        self.orders.send_replace(Order::Abandon);
        self.gone().await;
    }

    /// Waits until nothing of the command is left: right after [`finished`](Self::finished), unless
    /// processes were adopted. May be dropped and called again.
    pub async fn gone(&self) {
        // Its supervisor listens for orders for as long as there is something to order.
        self.orders.closed().await;
    }
}

impl Drop for RunningCommand {
    fn drop(&mut self) {
        if !self.over {
            self.orders.send_replace(Order::Abandon);
        }
    }
}
