//! The sessions of one toolkit, by name.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use tenon_contract::{CommandClaim, limits};

use super::{CommandSession, SessionEvent, SessionObserver, name};
use crate::{ProcessError, RunningCommand};

/// The commands that run in the background, and those that did a while ago.
///
/// Cheap to clone; clones are the same table. It starts and ends nothing by itself: commands come
/// from [`Processes`](crate::Processes) and end with it.
#[derive(Debug, Clone, Default)]
pub struct CommandSessions(Arc<Mutex<Table>>);

#[derive(Default)]
struct Table {
    entries: Vec<Entry>,
    /// Hears what becomes of them.
    observer: Option<Arc<dyn SessionObserver>>,
    /// Rooms that were given away for commands that are being started.
    coming: usize,
}

impl fmt::Debug for Table {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Table")
            .field("entries", &self.entries)
            .field("coming", &self.coming)
            .finish_non_exhaustive()
    }
}

/// The room of one command that is being started; it is free again when this is dropped.
#[derive(Debug)]
#[must_use = "dropped, it is no room"]
pub struct Room(CommandSessions);

impl Drop for Room {
    fn drop(&mut self) {
        let mut table = self.0.table();
        table.coming = table.coming.saturating_sub(1);
    }
}

#[derive(Debug)]
struct Entry {
    session: Arc<CommandSession>,
    /// When it was first seen to be over.
    over_since: Option<Instant>,
}

impl CommandSessions {
    /// Room for one more. Hold it until the command is kept, so that of many that are started at once only as many run
    /// as may.
    ///
    /// # Errors
    /// [`ProcessError::TooManySessions`].
    pub fn room(&self) -> Result<Room, ProcessError> {
        let mut table = self.table();
        tidy(&mut table.entries);
        let is_running = |entry: &&Entry| !entry.session.state().is_over();
        let running = table.entries.iter().filter(is_running).count() + table.coming;
        if running >= limits::SESSIONS_MAX_RUNNING {
            return Err(ProcessError::TooManySessions { running });
        }
        table.coming += 1;
        drop(table);
        Ok(Room(self.clone()))
    }

    /// Keeps a started command under a new name, also one whose shell has ended and whose processes
    /// were adopted: then with the `result` that it answered. Needs a tokio runtime.
    pub fn keep(
        &self,
        command: RunningCommand,
        claim: CommandClaim,
        result: Option<crate::CommandResult>,
    ) -> Arc<CommandSession> {
        let mut table = self.table();
        tidy(&mut table.entries);
        let taken = |name: &str| table.entries.iter().any(|entry| entry.session.id() == name);
        let id = name::unused(taken);
        let session = Arc::new(CommandSession::new(id, claim, &command));
        table.entries.push(Entry {
            session: Arc::clone(&session),
            over_since: None,
        });
        let observer = table.observer.clone();
        drop(table);
        let watched = Arc::clone(&session);
        if let Some(result) = &result {
            // What was answered with the result is not new any more.
            drop(watched.read());
            watched.note_leftovers(result);
        }
        if let Some(observer) = &observer {
            observer.observe(&session, SessionEvent::Started);
            session.follow(observer);
        }
        drop(tokio::spawn(async move {
            let session = Arc::clone(&watched);
            match result {
                None => watched.watch(command).await,
                Some(result) => watched.shell_ended(&command, result).await,
            }
            if let Some(observer) = observer {
                session.followed().await;
                observer.observe(&session, SessionEvent::Exited);
            }
        }));
        session
    }

    /// Has this observer hear of every command that is kept from now on.
    pub fn observed_by(&self, observer: Arc<dyn SessionObserver>) {
        self.table().observer = Some(observer);
    }

    /// Follows the output of those that run already, once their observer has become interested. Needs a tokio runtime.
    pub fn follow(&self) {
        let Some(observer) = self.table().observer.clone() else {
            return;
        };
        for session in self.list() {
            session.follow(&observer);
        }
    }

    /// All of them, in the order in which they were started.
    #[must_use]
    pub fn list(&self) -> Vec<Arc<CommandSession>> {
        let mut table = self.table();
        tidy(&mut table.entries);
        let entries = table.entries.iter();
        entries.map(|entry| Arc::clone(&entry.session)).collect()
    }

    /// The session of this name.
    #[must_use]
    pub fn find(&self, id: &str) -> Option<Arc<CommandSession>> {
        self.list().into_iter().find(|session| session.id() == id)
    }

    /// Forgets a session. What runs, runs on.
    pub fn forget(&self, id: &str) {
        let mut table = self.table();
        table.entries.retain(|entry| entry.session.id() != id);
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Forgets what was over long ago, and the oldest of too many. No timer does it; looking does.
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
