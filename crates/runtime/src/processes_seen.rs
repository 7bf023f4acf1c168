//! Reports to the stream of a toolkit what becomes of its background commands.

use std::sync::Arc;

use tenon_process::{CommandSession, SessionEvent, SessionObserver, SessionStatus, strip_escapes};

use crate::events::{EventKind, Events, ProcessSubject, beginning, end, millis};
use crate::redaction::Redaction;

/// Hears of the background commands of a toolkit.
pub(crate) struct ProcessesSeen {
    events: Events,
    redaction: Option<Redaction>,
}

impl ProcessesSeen {
    pub(crate) fn new(events: Events, redaction: Option<Redaction>) -> Arc<Self> {
        Arc::new(Self { events, redaction })
    }

    /// What a command wrote, as calls show it.
    fn shown(&self, session: &CommandSession, text: String) -> String {
        match &self.redaction {
            Some(redaction) => redaction.output(session.id(), &session.claim().text, text),
            None => text,
        }
    }
}

impl SessionObserver for ProcessesSeen {
    fn is_interested(&self) -> bool {
        self.events.have_listener()
    }

    fn observe(&self, session: &CommandSession, event: SessionEvent) {
        let shown = |text| self.shown(session, text);
        self.events.emit(|| reported(session, event, shown));
    }
}

fn reported(
    session: &CommandSession,
    event: SessionEvent,
    shown: impl Fn(String) -> String,
) -> EventKind {
    let process = ProcessSubject {
        session_id: session.id().to_owned(),
        pid: session.process_id(),
        command: beginning(&session.claim().text),
    };
    match event {
        SessionEvent::Started => EventKind::ProcessStarted { process },
        SessionEvent::Output(unread) => {
            let captures = unread.captures();
            let mut omitted: u64 = 0;
            let mut text = String::new();
            for capture in captures {
                let range = capture.omitted.clone();
                omitted += range.map_or(0, |range| range.end - range.start);
                text.push_str(&capture.text("\n"));
            }
            let (text, cut) = end(&shown(strip_escapes(&text).into_owned()));
            EventKind::ProcessOutput {
                process,
                text,
                omitted_bytes: omitted + u64::try_from(cut).unwrap_or(u64::MAX),
            }
        }
        SessionEvent::Waiting => {
            let last = session.last(2_000);
            let text = shown(strip_escapes(&last).into_owned());
            EventKind::ProcessWaiting {
                process,
                text: end(&text).0,
            }
        }
        SessionEvent::Exited => {
            let state = session.state();
            EventKind::ProcessExited {
                process,
                status: word(state.status),
                exit_code: state.exit_code,
                signal: state.signal,
                duration_ms: millis(session.duration()),
            }
        }
    }
}

const fn word(status: SessionStatus) -> &'static str {
    match status {
        SessionStatus::Running => "running",
        SessionStatus::Completed => "completed",
        SessionStatus::Failed => "failed",
        SessionStatus::TimedOut => "timeout",
        SessionStatus::Killed => "killed",
    }
}
