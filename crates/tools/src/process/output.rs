//! What was found out about background commands, or done with them.

use std::time::{Duration, SystemTime};

use tenon_contract::{Condensation, Output};
use tenon_process::{
    CommandSession, LogPage, Screen, SessionState, Waited, strip_escapes, terminal_text,
};

use crate::execute::{ExecuteStatus, ShownOutput, StreamOutput, status_of};

/// Bytes of output that a list shows of each command.
const TAIL_BYTES: usize = 2_000;
/// Longest name that is made of a command, in characters.
const NAME_CHARACTERS: usize = 60;

/// What an action answers.
#[derive(Debug)]
pub enum ProcessOutput {
    /// All background commands, in the order of their start.
    List(Vec<SessionView>),
    /// New output of one.
    Poll(Box<PolledSession>),
    /// Lines of the output of one.
    Log(Box<LoggedSession>),
    /// Something was typed.
    Sent(Box<SentInput>),
    /// It was asked to end, and how it stands now.
    Killed(SessionView),
    /// It had ended before.
    Over(SessionView),
    /// It was forgotten.
    Cleared(SessionView),
    /// It was ended if it ran, and forgotten.
    Removed(SessionView),
}

impl Output for ProcessOutput {
    fn condensed(&self) -> Option<Condensation> {
        let polled = match self {
            Self::Poll(polled) => Some(polled),
            Self::Sent(sent) => sent.news.as_ref(),
            _ => None,
        };
        Some(polled?.shown.as_ref()?.condensation.clone())
    }
}

impl ProcessOutput {
    /// The one command that it is about; nothing for a list.
    #[must_use]
    pub fn view(&self) -> Option<&SessionView> {
        match self {
            Self::List(_) => None,
            Self::Poll(polled) => Some(&polled.view),
            Self::Log(logged) => Some(&logged.view),
            Self::Sent(sent) => Some(&sent.view),
            Self::Killed(view) | Self::Over(view) | Self::Cleared(view) | Self::Removed(view) => {
                Some(view)
            }
        }
    }
}

/// One background command as it stands.
#[derive(Debug, Clone)]
pub struct SessionView {
    /// Its id.
    pub id: String,
    /// The command.
    pub command: String,
    /// The program and what it is about, in a few words.
    pub name: String,
    /// The directory, as answers name it.
    pub directory: String,
    /// The number of its shell's process.
    pub process_id: u32,
    /// When it was started.
    pub started: SystemTime,
    /// How long it has run, or ran.
    pub duration: Duration,
    /// How it stands.
    pub state: SessionState,
    /// Whether it has a terminal.
    pub has_terminal: bool,
    /// Whether something can be written to it.
    pub writable: bool,
    /// Whether it seems to wait for input.
    pub waiting_for_input: bool,
    /// How long it has been silent.
    pub idle: Duration,
    /// The end of its output.
    pub tail: String,
}

/// New output of a command.
#[derive(Debug)]
pub struct PolledSession {
    /// The command.
    pub view: SessionView,
    /// What is new.
    pub output: StreamOutput,
    /// Everything that is kept of its output.
    pub aggregated: String,
    /// What its terminal shows, if it has one.
    pub screen: Option<Screen>,
    /// What the waiting ended with, if something was waited for.
    pub waited: Option<Waited>,
    /// The expression that lines had to match to be shown.
    pub filter: Option<String>,
    /// What of the new output is shown, where that is not all of it.
    pub shown: Option<ShownOutput>,
}

/// Lines of the output of a command.
#[derive(Debug)]
pub struct LoggedSession {
    /// The command.
    pub view: SessionView,
    /// The lines.
    pub page: LogPage,
    /// Whether neither offset nor limit were given, so that the last lines are shown.
    pub by_default: bool,
}

/// Something that was typed.
#[derive(Debug)]
pub struct SentInput {
    /// The command.
    pub view: SessionView,
    /// In what way.
    pub kind: SentKind,
    /// Bytes that were to be sent.
    pub bytes: usize,
    /// Bytes that the command took, when it did not take all.
    pub taken: Option<usize>,
    /// What it wrote afterwards, if that was waited for.
    pub news: Option<Box<PolledSession>>,
}

/// In what way something was typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SentKind {
    /// As data, and whether the input was closed afterwards.
    Written {
        /// Whether it was.
        closed: bool,
    },
    /// As keys.
    Keys,
    /// Followed by Enter.
    Submitted,
    /// As a paste of so many characters.
    Pasted {
        /// How many.
        characters: usize,
    },
}

impl SessionView {
    pub(crate) fn of(session: &CommandSession) -> Self {
        let state = session.state();
        let claim = session.claim();
        let tail = session.last(TAIL_BYTES);
        Self {
            id: session.id().to_owned(),
            name: name_of(&claim.text),
            command: claim.text.clone(),
            directory: claim.directory.name.clone(),
            process_id: session.process_id(),
            started: session.started(),
            duration: session.duration(),
            has_terminal: session.screen().is_some(),
            writable: session.writer().is_some() && !state.is_over(),
            waiting_for_input: session.seems_to_wait_for_input(),
            idle: session.idle(),
            tail: strip_escapes(&tail).into_owned(),
            state,
        }
    }
}

impl SessionView {
    /// How it stands, in the words of commands.
    #[must_use]
    pub fn status(&self) -> ExecuteStatus {
        status_of(self.state.status)
    }
}

impl PolledSession {
    /// The new output as it is shown: of a terminal as a user would read it; only lines that
    /// match, if the call asked for that.
    #[must_use]
    pub fn text(&self) -> String {
        let text = self.output.text();
        match &self.screen {
            Some(screen) => terminal_text(&text, screen),
            None => text,
        }
    }
}

/// `npm run dev -- --port 3000` is `npm run`, `cat notes.txt` is `cat notes.txt`: the program and
/// the first word after it that is no option.
fn name_of(command: &str) -> String {
    let plain = |word: &str| word.trim_matches(['"', '\'']).to_owned();
    let mut words = command.split_whitespace().map(plain);
    let Some(program) = words.next() else {
        return String::new();
    };
    let others: Vec<String> = words.collect();
    let about = others
        .iter()
        .find(|word| !word.starts_with('-'))
        .or(others.first());
    let name = match about {
        Some(about) => format!("{program} {about}"),
        None => program,
    };
    if name.chars().count() > NAME_CHARACTERS {
        let cut: String = name.chars().take(NAME_CHARACTERS - 1).collect();
        return format!("{cut}…");
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_named_by_its_program_and_what_it_is_about() {
        let table = [
            ("echo hello", "echo hello"),
            ("npm run dev -- --port 3000", "npm run"),
            ("tail -f \"my.log\"", "tail my.log"),
            ("ls -la", "ls -la"),
            ("top", "top"),
            ("  ", ""),
        ];
        for (command, name) in table {
            assert_eq!(name_of(command), name);
        }
        assert_eq!(name_of(&"é".repeat(100)).chars().count(), 60);
    }
}
