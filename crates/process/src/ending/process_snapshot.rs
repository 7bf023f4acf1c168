//! One walk through the process table for all who need one at the same time.
//!
//! When many commands are ended together, each looks for its processes again and again. Walks of
//! their own would cost the square of their number.

use std::sync::Arc;
use std::time::Instant;

use tokio::sync::Mutex;

use crate::ending::process_table::{self, MarkedProcess};

/// The latest walk, shared.
#[derive(Debug, Default)]
pub(crate) struct ProcessSnapshot {
    latest: Mutex<Option<TreeWalk>>,
}

#[derive(Debug)]
struct TreeWalk {
    begun: Instant,
    seen: Arc<Vec<MarkedProcess>>,
}

impl ProcessSnapshot {
    /// The processes that are alive, from a walk that begins after this call.
    pub(crate) async fn fresh(&self) -> Arc<Vec<MarkedProcess>> {
        let asked = Instant::now();
        let mut latest = self.latest.lock().await;
        // Begun while this call waited for the lock: everything that it has to see was there.
        if let Some(walk) = latest.as_ref().filter(|walk| walk.begun >= asked) {
            return Arc::clone(&walk.seen);
        }
        let begun = Instant::now();
        let walk = || process_table::seen(process_table::pids(), 0);
        // The runtime refuses only while it shuts down.
        let seen = tokio::task::spawn_blocking(walk)
            .await
            .unwrap_or_else(|_| walk());
        let seen = Arc::new(seen);
        *latest = Some(TreeWalk {
            begun,
            seen: Arc::clone(&seen),
        });
        seen
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[tokio::test]
    async fn calls_at_the_same_time_share_a_walk_and_later_ones_do_not() {
        let snapshot = ProcessSnapshot::default();
        let (first, second, third) =
            tokio::join!(snapshot.fresh(), snapshot.fresh(), snapshot.fresh());
        assert!(Arc::ptr_eq(&second, &third));
        assert!(!Arc::ptr_eq(&first, &second));
        assert!(!Arc::ptr_eq(&third, &snapshot.fresh().await));
    }
}
