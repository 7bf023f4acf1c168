//! Runs a call step by step, wherever it is cheapest.
//!
//! Waking another thread and being woken by it costs several times what an empty call does. So the
//! first step of a call (parsing, validation, policy) is taken on the JavaScript thread that asks
//! for it, and what answers without waiting is answered there. Each later step is taken when what
//! the call waits for has happened, on a thread of the blocking pool of the executor: one exact
//! wake-up, where the workers of the executor would wake each other. Tools keep their side of this:
//! whatever may take long is behind an `await` (`spawn_blocking`). The thread that did such work goes on with the call
//! itself.

use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use futures_util::task::{ArcWake, waker_ref};
use tenon_runtime::{follow_up, on_thread};
use tokio::runtime::Handle;

type Work<T> = Pin<Box<dyn Future<Output = T> + Send>>;
type Later<T> = Box<dyn FnOnce(T) + Send>;

/// Takes the first step of `work` on this thread and gives what it made, if that was all. Else
/// `later` is given what it makes, on another thread.
///
/// `work` must not panic.
pub(crate) fn start<T: Send + 'static>(
    executor: &Handle,
    work: Work<T>,
    later: impl FnOnce(T) + Send + 'static,
) -> Option<T> {
    let task = Arc::new(Task {
        executor: executor.clone(),
        state: Mutex::new(State::Stepping { is_woken: false }),
    });
    let _entered = executor.enter();
    task.step(work, Box::new(later)).map(|(made, _)| made)
}

/// The same without a first step on this thread.
pub(crate) fn start_elsewhere<T: Send + 'static>(
    executor: &Handle,
    work: Work<T>,
    later: impl FnOnce(T) + Send + 'static,
) {
    let state = Mutex::new(State::Waiting {
        work,
        later: Box::new(later),
    });
    ArcWake::wake(Arc::new(Task {
        executor: executor.clone(),
        state,
    }));
}

struct Task<T> {
    executor: Handle,
    state: Mutex<State<T>>,
}

enum State<T> {
    /// A step is being taken; woken meanwhile, another follows.
    Stepping { is_woken: bool },
    /// Something else has to happen first.
    Waiting { work: Work<T>, later: Later<T> },
    /// Made.
    Done,
}

impl<T: Send + 'static> Task<T> {
    /// Takes one step, and as many as it was woken for meanwhile.
    fn step(self: &Arc<Self>, mut work: Work<T>, later: Later<T>) -> Option<(T, Later<T>)> {
        loop {
            if let Poll::Ready(made) = work
                .as_mut()
                .poll(&mut Context::from_waker(&waker_ref(self)))
            {
                *self.lock() = State::Done;
                return Some((made, later));
            }
            let mut state = self.lock();
            if matches!(*state, State::Stepping { is_woken: true }) {
                *state = State::Stepping { is_woken: false };
            } else {
                *state = State::Waiting { work, later };
                return None;
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T: Send + 'static> ArcWake for Task<T> {
    fn wake_by_ref(task: &Arc<Self>) {
        let mut state = task.lock();
        match std::mem::replace(&mut *state, State::Done) {
            State::Done => {}
            State::Stepping { .. } => *state = State::Stepping { is_woken: true },
            State::Waiting { work, later } => {
                *state = State::Stepping { is_woken: false };
                let task = Arc::clone(task);
                let executor = task.executor.clone();
                let step = Box::new(move || {
                    if let Some((made, later)) = task.step(work, later) {
                        later(made);
                    }
                });
                // The thread that did what the call waited for is awake and has nothing else to do.
                let Err(step) = follow_up(step) else { return };
                if let Err(step) = on_thread(&executor, step) {
                    // The system has no thread for it: one of those that never end does it.
                    executor.spawn(async move { step() });
                }
            }
        }
    }
}
