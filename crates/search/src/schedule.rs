//! Many threads, one order.
//!
//! Every task has a key, its place in path order. Threads always take the lowest task there is, so
//! that they work close to each other at the front of the tree; finds wait until no task with a
//! lower key is left and are then taken in order. The lowest task is never held back, therefore the
//! front always moves; a thread that would run further ahead than the answer can want, waits. That
//! makes the first N in path order cheap to have, whatever the size of the tree.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::collect::Collector;
use crate::control::{Halt, PROGRESS_INTERVAL};
use crate::listing::{Buffers, WalkSettings};
use crate::task::{Batch, Outcome, Task, Visitor};
use crate::{Control, SearchError, Stopped};

/// How long a waiting thread sleeps before it looks at cancellation and deadline again.
const WAIT: Duration = Duration::from_millis(10);

/// What a walk came to.
pub(crate) struct Ran<C> {
    pub(crate) collector: C,
    /// Why it ended early, if it did.
    pub(crate) stopped: Option<Stopped>,
    /// After a deadline: the place in path order up to which everything is in the collector, and
    /// nothing beyond.
    pub(crate) front: Option<Vec<u8>>,
}

/// Walks everything and lets `visitor` look at it; what it finds goes to `collector` in path order.
pub(crate) fn run<V, C>(
    walk: &WalkSettings,
    threads: usize,
    visitor: &V,
    collector: C,
    control: &Control<'_>,
) -> Result<Ran<C>, SearchError>
where
    V: Visitor,
    C: Collector<Found = V::Found>,
{
    run_tasks(
        walk,
        vec![walk.first_task()],
        threads,
        visitor,
        collector,
        control,
    )
}

/// The same for these tasks instead of everything.
pub(crate) fn run_tasks<V, C>(
    walk: &WalkSettings,
    tasks: Vec<Task>,
    threads: usize,
    visitor: &V,
    collector: C,
    control: &Control<'_>,
) -> Result<Ran<C>, SearchError>
where
    V: Visitor,
    C: Collector<Found = V::Found>,
{
    let several = tasks.len() > 1;
    let queue: BinaryHeap<Reverse<Task>> = tasks.into_iter().map(Reverse).collect();
    let threads = threads.max(1);
    let schedule = Schedule {
        state: Mutex::new(ScheduleState::new(queue, threads, collector)),
        wake: Condvar::new(),
        control,
    };
    thread::scope(|scope| {
        let start_others = || {
            for index in 1..threads {
                let schedule = &schedule;
                let run = move || Thread::new(schedule, walk, visitor, index).run(None);
                // Those that could be started do all of it, and be it this one alone.
                if thread::Builder::new().spawn_scoped(scope, run).is_err() {
                    return;
                }
            }
        };
        if several {
            start_others();
        }
        let mut thread = Thread::new(&schedule, walk, visitor, 0);
        // A small directory is done before a second thread would have started, and so are those that hold but one another.
        let mut outcome = thread.step(None);
        let left = |outcome: &Option<Outcome<V::Found>>| {
            outcome.as_ref().map_or(0, |outcome| outcome.tasks.len())
        };
        while !several && left(&outcome) == 1 {
            outcome = thread.step(outcome);
        }
        if !several && left(&outcome) > 1 {
            start_others();
        }
        thread.run(outcome);
    });
    let state = schedule
        .state
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner);
    state.finish()
}

/// Why there is nothing more to do although tasks may be left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StopReason {
    /// The collector has all it can want.
    Enough,
    Halted(Halt),
    /// A thread panicked; the scope passes the panic on.
    Panicked,
}

struct Schedule<'a, C: Collector> {
    state: Mutex<ScheduleState<C>>,
    wake: Condvar,
    control: &'a Control<'a>,
}

struct ScheduleState<C: Collector> {
    queue: BinaryHeap<Reverse<Task>>,
    /// The key of the task that each thread is at.
    claims: Vec<Option<Vec<u8>>>,
    /// Finds that wait for something before them.
    done: BTreeMap<Vec<u8>, Batch<C::Found>>,
    /// The weight of `done`.
    ahead: u64,
    waiting: usize,
    ended: Option<StopReason>,
    /// The lowest place from which on a visit was cut short.
    cut: Option<Vec<u8>>,
    collector: C,
    /// When the listener was last notified.
    reported: Instant,
}

impl<C: Collector> ScheduleState<C> {
    fn new(queue: BinaryHeap<Reverse<Task>>, threads: usize, collector: C) -> Self {
        Self {
            queue,
            claims: (0..threads).map(|_| None).collect(),
            done: BTreeMap::new(),
            ahead: 0,
            waiting: 0,
            ended: None,
            cut: None,
            collector,
            reported: Instant::now(),
        }
    }

    /// Puts the outcome of a task in its places, and gives the collector every find that nothing
    /// can come before any more.
    fn settle(&mut self, outcome: Outcome<C::Found>, control: &Control<'_>) {
        self.queue.extend(outcome.tasks.into_iter().map(Reverse));
        for (key, mut batch) in outcome.batches {
            if let Some(cut) = batch.cut.take() {
                self.halt(control);
                self.cut = Some(match self.cut.take() {
                    Some(before) => before.min(cut),
                    None => cut,
                });
            }
            // The thread at the front hands in what can be taken at once.
            if self.ended.is_none() && self.done.is_empty() && self.is_final(&key) {
                self.take(batch);
            } else {
                self.ahead += batch.weight;
                self.done.insert(key, batch);
            }
        }
        while self.ended.is_none()
            && let Some((key, _)) = self.done.first_key_value()
            && self.is_final(key)
            && let Some((_, batch)) = self.done.pop_first()
        {
            self.ahead = self.ahead.saturating_sub(batch.weight);
            self.take(batch);
        }
    }

    /// Ends the walk if the call must end.
    fn halt(&mut self, control: &Control<'_>) {
        if self.ended.is_none()
            && let Some(halt) = control.halt()
        {
            self.ended = Some(StopReason::Halted(halt));
        }
    }

    /// Whether every task that is left comes after `key`.
    fn is_final(&self, key: &[u8]) -> bool {
        self.queue
            .peek()
            .is_none_or(|Reverse(task)| key < task.key.as_slice())
            && self
                .claims
                .iter()
                .flatten()
                .all(|claim| key < claim.as_slice())
    }

    fn take(&mut self, batch: Batch<C::Found>) {
        if self.collector.take(batch).is_break() {
            self.ended = Some(StopReason::Enough);
        }
    }

    /// The next task for a thread: the lowest, unless enough is known ahead of the front.
    fn claim(&mut self, index: usize) -> Option<Task> {
        let front_is_moving = self.claims.iter().any(Option::is_some);
        if front_is_moving && self.ahead >= self.collector.wanted() {
            return None;
        }
        let Reverse(task) = self.queue.pop()?;
        if let Some(claim) = self.claims.get_mut(index) {
            *claim = Some(task.key.clone());
        }
        Some(task)
    }

    fn is_finished(&self) -> bool {
        self.ended.is_some() || (self.queue.is_empty() && self.claims.iter().all(Option::is_none))
    }

    /// Notifies the listener of what is known, if that is due.
    fn report(&mut self, control: &Control<'_>) {
        if let Some(progress) = control.progress
            && self.reported.elapsed() >= PROGRESS_INTERVAL
        {
            progress(&self.collector.progress());
            self.reported = Instant::now();
        }
    }

    fn finish(mut self) -> Result<Ran<C>, SearchError> {
        let (stopped, front) = match self.ended {
            None | Some(StopReason::Panicked) => (None, None),
            Some(StopReason::Enough) => (Some(Stopped::Limit), None),
            Some(StopReason::Halted(Halt::Cancelled)) => return Err(SearchError::Cancelled),
            Some(StopReason::Halted(Halt::Deadline)) => self.finish_at_front(),
        };
        Ok(Ran {
            collector: self.collector,
            stopped,
            front,
        })
    }

    /// Takes what lies before everything that was not done, so that the answer has no gap and can
    /// be taken up where it ends.
    fn finish_at_front(&mut self) -> (Option<Stopped>, Option<Vec<u8>>) {
        let queued = self.queue.peek().map(|Reverse(task)| &task.key);
        let claimed = self.claims.iter().flatten().min();
        let front = [queued, claimed, self.cut.as_ref()]
            .into_iter()
            .flatten()
            .min()
            .cloned();
        let is_before = |key: &[u8]| front.as_deref().is_none_or(|front| key <= front);
        for (key, batch) in std::mem::take(&mut self.done) {
            if !is_before(&key) {
                break;
            }
            if self.collector.take(batch).is_break() {
                return (Some(Stopped::Limit), None);
            }
        }
        match front {
            // Everything was done just in time.
            None => (None, None),
            front => (Some(Stopped::Deadline), front),
        }
    }
}

impl<C: Collector> Schedule<'_, C> {
    fn lock(&self) -> MutexGuard<'_, ScheduleState<C>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Hands in the outcome of a task and gets the next one; `None` when there is none any more.
    fn exchange(&self, index: usize, outcome: Option<Outcome<C::Found>>) -> Option<Task> {
        let mut state = self.lock();
        if let Some(outcome) = outcome {
            if let Some(claim) = state.claims.get_mut(index) {
                *claim = None;
            }
            state.settle(outcome, self.control);
            state.report(self.control);
        }
        loop {
            state.halt(self.control);
            if state.is_finished() {
                self.wake.notify_all();
                return None;
            }
            if let Some(task) = state.claim(index) {
                // Waking costs a system call, so only when there is work for the woken.
                if state.waiting > 0 && !state.queue.is_empty() {
                    self.wake.notify_one();
                }
                return Some(task);
            }
            state.waiting += 1;
            state = self
                .wake
                .wait_timeout(state, WAIT)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
            state.waiting -= 1;
        }
    }
}

/// One thread of a walk.
struct Thread<'a, V: Visitor, C: Collector<Found = V::Found>> {
    schedule: &'a Schedule<'a, C>,
    walk: &'a WalkSettings,
    visitor: &'a V,
    index: usize,
    worker: V::Worker,
    buffers: Buffers,
}

impl<'a, V: Visitor, C: Collector<Found = V::Found>> Thread<'a, V, C> {
    fn new(
        schedule: &'a Schedule<'a, C>,
        walk: &'a WalkSettings,
        visitor: &'a V,
        index: usize,
    ) -> Self {
        Self {
            schedule,
            walk,
            visitor,
            index,
            worker: visitor.worker(),
            buffers: Buffers::new(),
        }
    }

    /// Hands in an outcome, takes one task and does it.
    fn step(&mut self, outcome: Option<Outcome<V::Found>>) -> Option<Outcome<V::Found>> {
        let task = self.schedule.exchange(self.index, outcome)?;
        let outcome = self
            .walk
            .perform(task, self.visitor, &mut self.worker, &mut self.buffers);
        Some(outcome)
    }

    fn run(mut self, outcome: Option<Outcome<V::Found>>) {
        let mut outcome = self.step(outcome);
        while outcome.is_some() {
            outcome = self.step(outcome);
        }
    }
}

impl<V: Visitor, C: Collector<Found = V::Found>> Drop for Thread<'_, V, C> {
    /// Lets the other threads go when this one dies with a task that will never be done.
    fn drop(&mut self) {
        if thread::panicking() {
            self.schedule.lock().ended = Some(StopReason::Panicked);
            self.schedule.wake.notify_all();
        }
    }
}
