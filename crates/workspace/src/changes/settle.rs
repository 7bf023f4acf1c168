//! Waiting until files are on the disk, for several at once: the system brings together what is waited for at the same time.

use std::slice::IterMut;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use super::staged::Staged;
use crate::Error;

/// Most threads that wait.
const WAITING_MAX: usize = 4;
/// With fewer files for each thread, starting it takes longer than it saves.
const FILES_FOR_THREAD: usize = 4;

/// Waits until the new content of these steps is on the disk, and does something else first while others wait.
pub(super) fn settle(steps: &mut [Staged], meanwhile: impl FnOnce()) -> Result<(), Error> {
    let written = steps.iter().filter(|step| step.written.is_some()).count();
    let threads = (written / FILES_FOR_THREAD).clamp(1, WAITING_MAX);
    let waiting = Waiting {
        steps: Mutex::new(steps.iter_mut()),
        failed: Mutex::new(None),
    };
    thread::scope(|scope| {
        for _ in 1..threads {
            // Where the system has no thread for it, the others wait for all.
            let _ = thread::Builder::new().spawn_scoped(scope, || waiting.work());
        }
        meanwhile();
        waiting.work();
    });
    let failed = waiting.failed.into_inner();
    failed
        .unwrap_or_else(PoisonError::into_inner)
        .map_or(Ok(()), Err)
}

struct Waiting<'a> {
    steps: Mutex<IterMut<'a, Staged>>,
    failed: Mutex<Option<Error>>,
}

impl<'a> Waiting<'a> {
    /// Waits for one step after the other, until none is left or one failed.
    fn work(&self) {
        while let Some(step) = self.next() {
            if let Err(error) = step.settle() {
                held(&self.failed).get_or_insert(error);
            }
        }
    }

    fn next(&self) -> Option<&'a mut Staged> {
        if held(&self.failed).is_some() {
            return None;
        }
        held(&self.steps).next()
    }
}

/// No thread panics while it holds one of these, so a poisoned one is sound.
fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
