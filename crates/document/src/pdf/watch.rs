//! Whether the work on a document goes on.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether the work goes on. What hayro calls has no way to say no, so the thread unwinds.
#[derive(Debug, Clone, Default)]
pub(super) struct Watch(Arc<AtomicBool>);

/// What a thread that was asked to end unwinds with.
pub(super) struct EndRequest;

impl Watch {
    /// Has the work end at the next look.
    pub(super) fn end(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    pub(super) fn is_over(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Ends the thread when it should not go on.
    pub(super) fn check(&self) {
        if self.is_over() {
            std::panic::resume_unwind(Box::new(EndRequest));
        }
    }
}
