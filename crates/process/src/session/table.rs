//! The sessions of one toolkit, by name.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use tenon_contract::{CommandClaim, limits};

use super::{Session, name};
use crate::{ProcessError, RunningCommand};

/// The commands that run in the background, and those that did a while ago.
///
/// Cheap to clone; clones are the same table. It starts and ends nothing by itself: commands come
/// from [`Processes`](crate::Processes) and end with it.
#[derive(Debug, Clone, Default)]
pub struct Sessions(Arc<Mutex<Vec<Entry>>>);

#[derive(Debug)]
struct Entry {
    session: Arc<Session>,
    /// When it was first seen to be over.
    over_since: Option<Instant>,
}

impl Sessions {
    /// Whether one more may run.
    ///
    /// # Errors
    /// [`ProcessError::TooManySessions`].
    pub fn check_room(&self) -> Result<(), ProcessError> {
        let running = self
            .list()
            .iter()
            .filter(|session| !session.state().is_over())
            .count();
        if running < limits::SESSIONS_MAX_RUNNING {
            Ok(())
        } else {
            Err(ProcessError::TooManySessions { running })
        }
    }

    /// Keeps a started command under a new name, also one whose shell has ended and whose processes
    /// were adopted: then with the `result` that it answered. Needs a tokio runtime.
    pub fn keep(
        &self,
        command: RunningCommand,
        claim: CommandClaim,
        result: Option<crate::CommandResult>,
    ) -> Arc<Session> {
        let mut entries = self.entries();
        tidy(&mut entries);
        let id = name::unused(|name| entries.iter().any(|entry| entry.session.id() == name));
        let session = Arc::new(Session::new(id, claim, &command));
        entries.push(Entry {
            session: Arc::clone(&session),
            over_since: None,
        });
        drop(entries);
        let watched = Arc::clone(&session);
        match result {
            None => drop(tokio::spawn(watched.watch(command))),
            Some(result) => {
                // What was answered with the result is not new any more.
                drop(watched.read());
                watched.note_leftovers(&result);
                drop(tokio::spawn(async move {
                    watched.shell_ended(&command, result).await;
                }));
            }
        }
        session
    }

    /// All of them, in the order in which they were started.
    #[must_use]
    pub fn list(&self) -> Vec<Arc<Session>> {
        let mut entries = self.entries();
        tidy(&mut entries);
        entries
            .iter()
            .map(|entry| Arc::clone(&entry.session))
            .collect()
    }

    /// The session of this name.
    #[must_use]
    pub fn find(&self, id: &str) -> Option<Arc<Session>> {
        self.list().into_iter().find(|session| session.id() == id)
    }

    /// Forgets a session. What runs, runs on.
    pub fn forget(&self, id: &str) {
        self.entries().retain(|entry| entry.session.id() != id);
    }

    fn entries(&self) -> MutexGuard<'_, Vec<Entry>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Forgets what was over long ago, and the oldest of too many. No timer does it: whoever looks does.
fn tidy(entries: &mut Vec<Entry>) {
    let now = Instant::now();
    for entry in entries.iter_mut() {
        if entry.over_since.is_none() && entry.session.state().is_over() {
            entry.over_since = Some(now);
        }
    }
    let long = |since: &Instant| now.duration_since(*since) > limits::SESSION_KEEP_FINISHED;
    entries.retain(|entry| !entry.over_since.as_ref().is_some_and(long));
    let over = entries
        .iter()
        .filter(|entry| entry.over_since.is_some())
        .count();
    let mut surplus = over.saturating_sub(limits::SESSIONS_MAX_FINISHED);
    entries.retain(|entry| {
        let goes = surplus > 0 && entry.over_since.is_some();
        surplus -= usize::from(goes);
        !goes
    });
}
