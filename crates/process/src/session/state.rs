//! How a session stands.

use std::time::Duration;

use crate::{CommandResult, LimitReached};

/// How a session stands, truthfully: what the shell answered, and who ended it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionState {
    /// In a word.
    pub status: SessionStatus,
    /// What the shell answered, once it did. Nothing if a signal ended it.
    pub exit_code: Option<i32>,
    /// The signal that ended the shell, such as `SIGKILL`.
    pub signal: Option<String>,
    /// What ended it, once it is over.
    pub ended_by: Option<EndedBy>,
    /// Processes that the shell left running when it ended, while they are not known to be gone.
    pub left_running: usize,
    /// Processes that could not be ended. Only those of another user can be.
    pub survivors: Vec<u32>,
    /// The limit that it reached, once it is over.
    pub limit: Option<LimitReached>,
    /// From the start to the end, once it is over.
    pub duration: Option<Duration>,
    /// Why nothing better is known: the output could not be read, or the runtime went away.
    pub failure: Option<String>,
}

/// How a session stands, in a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionStatus {
    /// Something of it runs.
    Running,
    /// It ended by itself with code 0.
    Completed,
    /// It ended by itself with another code, or nothing is known of its end.
    Failed,
    /// It was ended because its time was up.
    TimedOut,
    /// It was ended from outside.
    Killed,
}

/// What ended a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndedBy {
    /// The command itself.
    Exit,
    /// A signal that did not come from here.
    Signal,
    /// Its time limit.
    TimeLimit,
    /// A limit of what it may use ([`SessionState::limit`]).
    Limit,
    /// [`Session::end`](crate::CommandSession::end).
    Kill,
    /// The end of the table of processes.
    Close,
}

impl SessionState {
    /// The state from the start on.
    #[must_use]
    pub const fn running() -> Self {
        Self {
            status: SessionStatus::Running,
            exit_code: None,
            signal: None,
            ended_by: None,
            left_running: 0,
            survivors: Vec::new(),
            limit: None,
            duration: None,
            failure: None,
        }
    }

    /// The state after the end. `reported` is whether the session was asked to end.
    pub(super) fn over(result: &CommandResult, reported: bool) -> Self {
        let (status, ended_by) = if result.timed_out {
            (SessionStatus::TimedOut, EndedBy::TimeLimit)
        } else if result.cancelled {
            let by = if reported {
                EndedBy::Kill
            } else {
                EndedBy::Close
            };
            (SessionStatus::Killed, by)
        } else if result.limit_killed() {
            (SessionStatus::Killed, EndedBy::Limit)
        } else {
            match result.exit_code {
                Some(0) => (SessionStatus::Completed, EndedBy::Exit),
                Some(_) => (SessionStatus::Failed, EndedBy::Exit),
                None => (SessionStatus::Killed, EndedBy::Signal),
            }
        };
        Self {
            status,
            exit_code: result.exit_code,
            signal: result.signal.clone(),
            ended_by: Some(ended_by),
            survivors: result.ended.survivors.clone(),
            limit: result.limit,
            duration: Some(result.duration),
            ..Self::running()
        }
    }

    /// Whether nothing of it runs any more.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.status != SessionStatus::Running
    }
}
