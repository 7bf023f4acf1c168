//! One command that runs on by itself: looked at, written to and ended by its name.

mod name;
mod observer;
mod page;
mod port;
mod state;
mod table;
mod wait;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use tenon_contract::{CommandClaim, limits};
use tokio::sync::watch;
use tokio::task::JoinHandle;

pub use observer::{SessionEvent, SessionObserver};
pub use page::{LogPage, LogRequest};
pub use state::{EndedBy, SessionState, SessionStatus};
pub use table::{CommandSessions, Room};
pub use wait::{Readiness, Waited};

use crate::ending::root::ShellNumber;
use crate::input::keys::{pasted, sent_by};
use crate::output::live::{Channel, Live};
use crate::registry::Order;
use crate::{Capture, CommandResult, CommandWriter, RunningCommand, Screen, UnknownKey};

/// A command that runs in the background, or what is left of one that ran.
#[derive(Debug)]
pub struct CommandSession {
    id: String,
    claim: CommandClaim,
    shell: ShellNumber,
    started: SystemTime,
    live: Arc<Live>,
    writer: Option<CommandWriter>,
    orders: watch::Sender<Order>,
    state: watch::Sender<SessionState>,
    read: Mutex<Places>,
    network: port::Network,
    /// Whether it was asked to end by [`end`](Self::end).
    reported_to_end: AtomicBool,
    /// What passes its output on to an observer.
    follower: Mutex<Option<JoinHandle<()>>>,
}

/// Up to where each output was read.
#[derive(Debug, Clone, Copy, Default)]
struct Places {
    stdout: u64,
    stderr: u64,
    merged: u64,
}

/// What was written since the last look. The totals of each capture are those of the whole output.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Unread {
    /// Of standard output, if the streams are apart.
    pub stdout: Option<Capture>,
    /// Of standard error, if the streams are apart.
    pub stderr: Option<Capture>,
    /// Of both, if they are merged.
    pub merged: Option<Capture>,
}

impl Unread {
    /// Whether nothing was written.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.captures()
            .all(|capture| capture.head.is_empty() && capture.omitted.is_none())
    }

    /// The captures that there are: both streams as one, or standard output and standard error.
    pub fn captures(&self) -> impl Iterator<Item = &Capture> {
        [&self.merged, &self.stdout, &self.stderr]
            .into_iter()
            .flatten()
    }
}

impl CommandSession {
    fn new(id: String, claim: CommandClaim, command: &RunningCommand) -> Self {
        let age = command.live.elapsed();
        Self {
            id,
            claim,
            shell: command.shell.clone(),
            started: SystemTime::now() - age,
            live: Arc::clone(&command.live),
            writer: command.writer().cloned(),
            orders: command.orders.clone(),
            state: watch::Sender::new(SessionState::running()),
            read: Mutex::default(),
            network: match command.process_id() {
                Some(process) if command.sandbox.is_wanted => port::Network::of(process),
                _ => port::Network::Host,
            },
            reported_to_end: AtomicBool::new(false),
            follower: Mutex::default(),
        }
    }

    /// Its name, unique in its table.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The command as it was judged before it ran.
    #[must_use]
    pub fn claim(&self) -> &CommandClaim {
        &self.claim
    }

    /// The number of its shell's process; 0 in the moment before that is started.
    #[must_use]
    pub fn process_id(&self) -> u32 {
        self.shell.get_or_none()
    }

    /// When it was started.
    #[must_use]
    pub fn started(&self) -> SystemTime {
        self.started
    }

    /// How it stands.
    #[must_use]
    pub fn state(&self) -> SessionState {
        self.state.borrow().clone()
    }

    /// How long it has run, or ran until it was over.
    #[must_use]
    pub fn duration(&self) -> Duration {
        self.state().duration.unwrap_or_else(|| self.live.elapsed())
    }

    /// Its standard input, if it was given one.
    #[must_use]
    pub fn writer(&self) -> Option<&CommandWriter> {
        self.writer.as_ref()
    }

    /// What these keys send to its terminal; see [`RunningCommand::keys`].
    ///
    /// # Errors
    /// Modifiers with something that is no key.
    pub fn keys(&self, keys: &[String]) -> Result<String, UnknownKey> {
        sent_by(keys, self.live.modes())
    }

    /// What pasting this text sends; see [`RunningCommand::pasted`].
    #[must_use]
    pub fn pasted(&self, text: &str, bracketed: Option<bool>) -> String {
        pasted(text, bracketed.unwrap_or(self.live.modes().bracketed_paste))
    }

    /// What its terminal shows, if it has one.
    #[must_use]
    pub fn screen(&self) -> Option<Screen> {
        self.live.screen()
    }

    /// How long nothing was written.
    #[must_use]
    pub fn idle(&self) -> Duration {
        self.live.idle()
    }

    /// Whether it seems to wait for somebody to write to it: it could read, and either it has been
    /// silent for 15 s, or for 1 s after a line that was begun like a prompt. A guess, never certain.
    #[must_use]
    pub fn seems_to_wait_for_input(&self) -> bool {
        if self.writer.is_none() || self.state().is_over() {
            return false;
        }
        let idle = self.idle();
        idle >= limits::SESSION_INPUT_IDLE
            || (idle >= limits::SESSION_PROMPT_IDLE && ends_in_prompt(&self.last(200)))
    }

    /// The last bytes of its output, at most `count`.
    #[must_use]
    pub fn last(&self, count: usize) -> String {
        self.main()
            .map(|channel| channel.lock().last(count))
            .unwrap_or_default()
    }

    /// Waits until the files with whole outputs hold all that was written so far.
    pub async fn flush(&self) {
        self.live.flush().await;
    }

    /// What was written since it was last [read](Self::read), which stays unread.
    #[must_use]
    pub fn unread(&self) -> Unread {
        let places = *self.places();
        self.news(&places, self.state().is_over()).0
    }

    /// The same with the last word, which may not be whole yet: to look for something, not to be shown.
    pub(crate) fn unread_to_the_end(&self) -> Unread {
        let places = *self.places();
        self.news(&places, true).0
    }

    /// What was written since it was last read. It counts as read from now on, so that nothing is
    /// answered twice.
    pub fn read(&self) -> Unread {
        let mut places = self.places();
        let (unread, next) = self.news(&places, self.state().is_over());
        *places = next;
        unread
    }

    /// All output that is kept, read or not.
    #[must_use]
    pub fn kept(&self) -> Unread {
        self.news(&Places::default(), self.state().is_over()).0
    }

    fn news(&self, places: &Places, finished: bool) -> (Unread, Places) {
        let mut next = *places;
        let since = |channel: &Option<Channel>, place: &mut u64| {
            channel.as_ref().map(|channel| {
                let news = channel.lock().since(*place, finished);
                *place = news.next;
                news.capture
            })
        };
        let unread = Unread {
            stdout: since(&self.live.stdout, &mut next.stdout),
            stderr: since(&self.live.stderr, &mut next.stderr),
            merged: since(&self.live.merged, &mut next.merged),
        };
        (unread, next)
    }

    /// Asks it to end, as [`RunningCommand::end`] does. Processes that it left running end too.
    pub fn end(&self) {
        self.reported_to_end.store(true, Ordering::Release);
        self.orders.send_replace(Order::End);
    }

    /// Waits until nothing of it runs.
    pub async fn over(&self) {
        let mut states = self.state.subscribe();
        // Fails only when the sender is gone, and that is this very value.
        let _ = states.wait_for(SessionState::is_over).await;
    }

    /// Sees the command through to its end.
    async fn watch(self: Arc<Self>, mut command: RunningCommand) {
        match command.finished().await {
            Ok(result) => self.shell_ended(&command, result).await,
            Err(error) => {
                self.release_input().await;
                self.state.send_replace(SessionState {
                    status: SessionStatus::Failed,
                    failure: Some(error.to_string()),
                    duration: Some(self.live.elapsed()),
                    ..SessionState::running()
                });
            }
        }
    }

    /// The shell has ended. Processes that it left running belong to the session.
    async fn shell_ended(&self, command: &RunningCommand, result: CommandResult) {
        if result.adopted > 0 {
            self.note_leftovers(&result);
            command.gone().await;
        }
        self.release_input().await;
        let reported = self.reported_to_end.load(Ordering::Acquire);
        let mut state = SessionState::over(&result, reported);
        if result.adopted > 0 {
            state.duration = Some(self.live.elapsed());
            if reported {
                state.status = SessionStatus::Killed;
                state.ended_by = Some(EndedBy::Kill);
            }
        }
        self.state.send_replace(state);
    }

    async fn release_input(&self) {
        if let Some(writer) = &self.writer {
            writer.release().await;
        }
    }

    /// What the shell answered is known; what it left running runs.
    fn note_leftovers(&self, result: &CommandResult) {
        self.state.send_replace(SessionState {
            exit_code: result.exit_code,
            signal: result.signal.clone(),
            left_running: result.adopted,
            ..SessionState::running()
        });
    }

    /// The output that counts as the command's own: both streams, or standard output.
    fn main(&self) -> Option<&Channel> {
        self.live.merged.as_ref().or(self.live.stdout.as_ref())
    }

    fn places(&self) -> std::sync::MutexGuard<'_, Places> {
        self.read.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether the text stops in the middle of a line, behind something that prompts end in.
fn ends_in_prompt(text: &str) -> bool {
    let text = crate::strip_escapes(text);
    let last = text.rsplit(['\n', '\r']).next().unwrap_or("");
    last.trim_end()
        .ends_with([':', '?', '>', '$', '#', ']', '%', ')'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prompts_end_in_the_middle_of_a_line() {
        for prompt in [
            "Password: ",
            "a\nContinue? [y/N] ",
            ">>> ",
            "user@host:~$ ",
            "\u{1B}[1mName:\u{1B}[0m ",
        ] {
            assert!(ends_in_prompt(prompt), "{prompt:?}");
        }
        for text in ["", "done\n", "Listening on: 80\n", "50% done, please wait"] {
            assert!(!ends_in_prompt(text), "{text:?}");
        }
    }
}
