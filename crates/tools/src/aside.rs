//! Work of a call that other threads do while the call goes on, and the call itself where none came to it.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use tokio::runtime::Handle;

use crate::blocking::{on_thread, processors};

type Work<T> = Box<dyn FnOnce() -> T + Send>;

/// Pieces of work that are given one by one and answered together. Dropped, those that nobody began are not done.
pub(crate) struct Aside<T> {
    shared: Arc<Shared<T>>,
    given: usize,
}

struct Shared<T> {
    state: Mutex<State<T>>,
    /// Notified when a thread is done with a piece.
    settled: Condvar,
}

struct State<T> {
    /// Each with its number, in the order in which they were given.
    waiting: VecDeque<(usize, Work<T>)>,
    answers: Vec<(usize, thread::Result<T>)>,
    /// Pieces that other threads are at.
    running: usize,
    helpers: usize,
}

impl<T: Send + 'static> Aside<T> {
    pub(crate) fn new() -> Self {
        let state = State {
            waiting: VecDeque::new(),
            answers: Vec::new(),
            running: 0,
            helpers: 0,
        };
        Self {
            shared: Arc::new(Shared {
                state: Mutex::new(state),
                settled: Condvar::new(),
            }),
            given: 0,
        }
    }

    /// Adds a piece. Only for what takes longer than waking a thread another one is asked to help.
    pub(crate) fn give(&mut self, is_long: bool, work: impl FnOnce() -> T + Send + 'static) {
        let mut state = self.shared.lock();
        state.waiting.push_back((self.given, Box::new(work)));
        self.given += 1;
        let helps = is_long && state.helpers < processors();
        let Some(executor) = Handle::try_current().ok().filter(|_| helps) else {
            return;
        };
        state.helpers += 1;
        drop(state);
        let shared = Arc::clone(&self.shared);
        if on_thread(&executor, move || shared.help()).is_err() {
            self.shared.lock().helpers -= 1;
        }
    }

    /// All answers, in the order in which the work was given. A panic of one goes on here.
    pub(crate) fn answers(&mut self) -> Vec<T> {
        while let Some((number, work)) = self.shared.next() {
            let answer = work();
            self.shared.lock().answers.push((number, Ok(answer)));
        }
        let mut state = self.shared.lock();
        while state.running > 0 {
            let settled = self.shared.settled.wait(state);
            state = settled.unwrap_or_else(PoisonError::into_inner);
        }
        let mut answers = std::mem::take(&mut state.answers);
        drop(state);
        answers.sort_by_key(|(number, _)| *number);
        let answers = answers.into_iter().map(|(_, answer)| answer);
        answers
            .map(|answer| answer.unwrap_or_else(|panic| resume_unwind(panic)))
            .collect()
    }
}

impl<T> Drop for Aside<T> {
    fn drop(&mut self) {
        self.shared.lock().waiting.clear();
    }
}

impl<T> Shared<T> {
    /// No thread panics while it holds this, so a poisoned one is sound.
    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn next(&self) -> Option<(usize, Work<T>)> {
        self.lock().waiting.pop_front()
    }

    /// Does what waits, until nothing does.
    fn help(&self) {
        let mut state = self.lock();
        while let Some((number, work)) = state.waiting.pop_front() {
            state.running += 1;
            drop(state);
            let answer = catch_unwind(AssertUnwindSafe(work));
            state = self.lock();
            state.answers.push((number, answer));
            state.running -= 1;
            self.settled.notify_all();
        }
        state.helpers -= 1;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::time::Duration;

    use super::*;

    #[test]
    fn without_an_executor_the_call_does_the_work_itself() {
        let mut aside = Aside::new();
        for number in 0..3 {
            aside.give(true, move || (number, thread::current().id()));
        }
        let here = thread::current().id();
        assert_eq!(aside.answers(), [(0, here), (1, here), (2, here)]);
    }

    #[tokio::test]
    async fn another_thread_does_the_work_while_the_call_goes_on() {
        let mut aside = Aside::new();
        let (done, is_done) = mpsc::channel();
        aside.give(true, move || {
            done.send(()).unwrap();
            thread::current().id()
        });
        // The call is at something else.
        is_done.recv_timeout(Duration::from_secs(60)).unwrap();
        let answers = aside.answers();
        assert_eq!(answers.len(), 1);
        assert_ne!(answers, [thread::current().id()]);
    }

    #[tokio::test]
    async fn answers_come_in_the_order_of_the_work() {
        let mut aside = Aside::new();
        for number in 0..100 {
            aside.give(true, move || number);
        }
        assert_eq!(aside.answers(), (0..100).collect::<Vec<_>>());
    }

    #[tokio::test]
    #[should_panic(expected = "as it says")]
    async fn a_panic_of_the_work_is_the_callers() {
        let mut aside = Aside::<()>::new();
        let (begun, is_begun) = mpsc::channel();
        aside.give(true, move || {
            begun.send(()).unwrap();
            panic!("as it says")
        });
        is_begun.recv_timeout(Duration::from_secs(60)).unwrap();
        aside.answers();
    }

    #[test]
    fn work_that_nobody_wants_any_more_is_not_done() {
        let (done, is_done) = mpsc::channel();
        let mut aside = Aside::new();
        aside.give(true, move || done.send(()));
        drop(aside);
        assert_eq!(is_done.try_recv(), Err(mpsc::TryRecvError::Disconnected));
    }
}
