//! Files that come in and go out of a session.

use std::sync::{Mutex, MutexGuard, PoisonError};

use tempfile::TempDir;
use tokio::sync::watch;

/// What comes in and goes out of a session.
#[derive(Default)]
pub(crate) struct Transfers {
    state: Mutex<State>,
    pub(crate) changed: watch::Sender<u64>,
}

#[derive(Default)]
pub(crate) struct State {
    /// Copies that pages may still read.
    pub(crate) uploads: Vec<TempDir>,
    /// Whether the next download is wanted.
    pub(crate) is_wanted: bool,
    /// The one that was wanted.
    pub(crate) current: Option<Current>,
}

#[derive(Clone)]
pub(crate) struct Current {
    pub(crate) number: String,
    pub(crate) url: String,
    pub(crate) name: String,
    pub(crate) received: u64,
    pub(crate) end: Option<bool>,
}

impl Transfers {
    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn wake(&self) {
        self.changed.send_modify(|count| *count += 1);
    }
}
