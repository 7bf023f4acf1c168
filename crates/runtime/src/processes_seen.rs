//! Reports to the stream of a toolkit what becomes of its background commands.

use std::sync::Arc;

use tenon_process::{CommandSession, SessionEvent, SessionObserver, SessionStatus, strip_escapes};

use crate::events::{EventKind, Events, ProcessSubject, beginning, end, millis};

/// Hears of the background commands of a toolkit.
pub(crate) struct ProcessesSeen(Events);

impl ProcessesSeen {
    pub(crate) fn new(events: Events) -> Arc<Self> {
        Arc::new(Self(events))
    }
}

impl SessionObserver for ProcessesSeen {
    fn is_interested(&self) -> bool {
        self.0.have_listener()
    }

    fn observe(&self, session: &CommandSession, event: SessionEvent) {
        self.0.emit(|| reported(session, event));
    }
}

fn reported(session: &CommandSession, event: SessionEvent) -> EventKind {
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
            let (text, cut) = end(&strip_escapes(&text));
            EventKind::ProcessOutput {
                process,
                text,
                omitted_bytes: omitted + u64::try_from(cut).unwrap_or(u64::MAX),
            }
        }
        SessionEvent::Waiting => {
            let last = session.last(2_000);
            let text = strip_escapes(&last);
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
