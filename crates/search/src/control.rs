//! Cancellation, deadline and listener of one call.

use std::fmt;
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

use crate::{Facts, FileMatches, Totals};

/// Shortest time between two calls of the listener.
pub(crate) const PROGRESS_INTERVAL: Duration = Duration::from_millis(50);

/// How a call can be ended and followed from outside. The default is not at all.
#[derive(Clone, Default)]
pub struct Control<'a> {
    /// Ends the call with [`SearchError::Cancelled`](crate::SearchError::Cancelled). Looked at
    /// before every file and directory and, within a larger file, at least every MiB.
    pub cancellation: Option<CancellationToken>,
    /// From here on the call answers what it has, marked
    /// [`Stopped::Deadline`](crate::Stopped::Deadline). Looked at as often as the cancellation.
    pub deadline: Option<Instant>,
    /// Receives what is known so far, at most every 50 milliseconds, from whichever thread has it.
    /// The search waits while it runs, so it must be quick.
    pub progress: Option<&'a (dyn Fn(&Progress<'_>) + Sync)>,
}

/// What is known of a running call: the whole of it, never a delta.
#[derive(Debug, Clone, Copy)]
pub struct Progress<'a> {
    /// Matches that are final, in path order. Empty for [`find`](crate::find()).
    pub files: &'a [FileMatches],
    /// How much was found so far; never exact.
    pub totals: Totals,
    /// What was looked at so far.
    pub facts: Facts,
}

/// Why work must end now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Halt {
    Cancelled,
    Deadline,
}

impl Control<'_> {
    /// Whether the call must end now.
    pub(crate) fn halt(&self) -> Option<Halt> {
        if self
            .cancellation
            .as_ref()
            .is_some_and(CancellationToken::is_cancelled)
        {
            return Some(Halt::Cancelled);
        }
        self.deadline
            .is_some_and(|deadline| Instant::now() >= deadline)
            .then_some(Halt::Deadline)
    }
}

impl fmt::Debug for Control<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Control")
            .field("halt", &self.halt())
            .field("deadline", &self.deadline)
            .field("listened", &self.progress.is_some())
            .finish()
    }
}
