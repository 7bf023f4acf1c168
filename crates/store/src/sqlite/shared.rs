//! What the threads of a store share.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::watchers::Watchers;
use crate::{Clock, StoreError};

/// How much of a log is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Retention {
    /// Logs whose names begin with this; empty for all.
    pub logs: String,
    /// The newest entries that are kept.
    pub max_entries: Option<u64>,
    /// How long an entry is kept.
    pub max_age: Option<Duration>,
}

/// What the threads of a store share.
pub(super) struct Shared {
    pub(super) path: PathBuf,
    pub(super) retention: Vec<Retention>,
    pub(super) clock: Clock,
    /// Whether this process has opened the file, and with it checked it and brought it up to date.
    pub(super) is_open: AtomicBool,
    pub(super) is_closed: AtomicBool,
    pub(super) notices: Mutex<Vec<String>>,
    pub(super) watchers: Arc<Mutex<Watchers>>,
    /// Whether a thread looks for changes of other processes.
    pub(super) is_watching: AtomicBool,
}

impl Shared {
    pub(super) fn notice(&self, notice: String) {
        let mut notices = self.notices.lock().unwrap_or_else(PoisonError::into_inner);
        if !notices.contains(&notice) {
            notices.push(notice);
        }
    }

    pub(super) fn check_open(&self) -> Result<(), StoreError> {
        if self.is_closed.load(Ordering::Acquire) {
            Err(StoreError::Closed)
        } else {
            Ok(())
        }
    }
}

pub(super) fn gone() -> StoreError {
    StoreError::Failed("The thread of the store has ended".to_owned())
}
