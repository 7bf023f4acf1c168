//! The time that a fetch may still take. It stands still while a user is asked.

use std::future::Future;
use std::time::{Duration, Instant};

/// A budget of time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Clock {
    limit: Duration,
    left: Duration,
}

impl Clock {
    pub(crate) fn new(limit: Duration) -> Self {
        Self { limit, left: limit }
    }

    /// The whole budget, in milliseconds.
    pub(crate) fn limit_ms(&self) -> u64 {
        u64::try_from(self.limit.as_millis()).unwrap_or(u64::MAX)
    }

    /// What is left of it.
    pub(crate) fn left(&self) -> Duration {
        self.left
    }

    /// Runs work on the clock; `None` when the time ran out.
    pub(crate) async fn run<T>(&mut self, work: impl Future<Output = T>) -> Option<T> {
        let started = Instant::now();
        let done = tokio::time::timeout(self.left, work).await;
        self.left = self.left.saturating_sub(started.elapsed());
        done.ok()
    }
}
