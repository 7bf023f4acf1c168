//! Steps that wait for the disk, several at once: the system brings together what is waited for at the same time.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use super::staged::Staged;
use crate::Error;

/// Most threads that wait.
const WAITING_MAX: usize = 4;
/// With fewer steps for each thread, starting it takes longer than it saves: those that wait for the disk, and those that free what
/// files had.
const WAITS_FOR_THREAD: usize = 4;
const REMOVALS_FOR_THREAD: usize = 16;

/// Waits until the new content of these steps is on the disk, and does something else first while others wait.
pub(super) fn settle(steps: &mut [Staged], meanwhile: impl FnOnce()) -> Result<(), Error> {
    let written = steps.iter_mut().filter(|step| step.written.is_some());
    let failed = Mutex::new(None);
    let settle = |step: &mut Staged| {
        // What is left after a failure is not waited for: all of it goes.
        if held(&failed).is_none()
            && let Err(error) = step.settle()
        {
            held(&failed).get_or_insert(error);
        }
    };
    let steps: Vec<_> = written.collect();
    let threads = steps.len() / WAITS_FOR_THREAD;
    together(steps, threads, &settle, meanwhile, &mut |_| ());
    let failed = failed.into_inner().unwrap_or_else(PoisonError::into_inner);
    failed.map_or(Ok(()), Err)
}

/// Removes what exists only for the commit of these steps: to free what a file had takes the disk, too. Of the steps that this thread
/// does, `look` hears before.
pub(super) fn discard(steps: &mut [Staged], look: &mut dyn FnMut(&Staged)) {
    let threads = steps.len() / REMOVALS_FOR_THREAD;
    together(
        steps.iter_mut().collect(),
        threads,
        &Staged::discard,
        || (),
        look,
    );
}

fn together(
    steps: Vec<&mut Staged>,
    threads: usize,
    work: &(dyn Fn(&mut Staged) + Sync),
    meanwhile: impl FnOnce(),
    look: &mut dyn FnMut(&Staged),
) {
    let threads = threads.clamp(1, WAITING_MAX);
    let steps = Mutex::new(steps.into_iter());
    let next = || held(&steps).next();
    let all = || {
        while let Some(step) = next() {
            work(step);
        }
    };
    thread::scope(|scope| {
        for _ in 1..threads {
            // Where the system has no thread for it, the others do all.
            let _ = thread::Builder::new().spawn_scoped(scope, all);
        }
        meanwhile();
        while let Some(step) = next() {
            look(step);
            work(step);
        }
    });
}

/// No thread panics while it holds one of these, so a poisoned one is sound.
fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
