//! Taking what was found, in path order.

use std::ops::ControlFlow;

use crate::Progress;
use crate::task::Batch;

/// Takes batches in path order, one thread at a time.
pub(crate) trait Collector: Send {
    /// One find.
    type Found: Send;

    /// Takes the next batch. Breaks when no later one can change the answer.
    fn take(&mut self, batch: Batch<Self::Found>) -> ControlFlow<()>;

    /// How much weight is still wanted. Threads do not work further ahead than that.
    fn wanted(&self) -> u64;

    /// What is known so far.
    fn progress(&self) -> Progress<'_>;
}
