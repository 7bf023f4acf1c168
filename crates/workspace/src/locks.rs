//! One writer for each real path, in this process and among those of the same user; and one question at a time about
//! what becomes of it, so that the answer is for the file as it then is.
//!
//! The table of locks is shared by all workspaces of the process. Who asks first gets the lock
//! first; an entry is gone as soon as nobody holds it or waits for it. Several paths are locked in
//! one order by everybody, so two calls cannot wait for each other. A call that is made within another one, by the handler
//! of a tool of the host, does not wait for that: the paths are free for it, one at a time among those within the same call.
//! Two calls whose handlers want what the other one holds would wait for ever: the one that comes last is refused.

mod cycle;

use std::collections::{HashMap, VecDeque};
use std::future::Future;
use std::path::{Path, PathBuf};
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError, Weak};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::Duration;

use crate::Error;
use crate::process_locks::ProcessLocks;
use cycle::{Claimant, Queue, Way, way};

/// How often a blocked thread looks whether its call was aborted.
const CHECK_INTERVAL: Duration = Duration::from_millis(20);

/// A path is in the table while it is locked; its queue holds those that wait.
static TABLE: LazyLock<Mutex<HashMap<Key, Queue>>> = LazyLock::new(Mutex::default);

/// Calls that may have others made within them, by their names, while they hold their paths.
static OUTER: LazyLock<Mutex<HashMap<Box<str>, Weak<Held>>>> = LazyLock::new(Mutex::default);

/// Numbers of what is held.
static LAST: AtomicU64 = AtomicU64::new(0);

/// A path, and for what it is locked.
type Key = (Purpose, PathBuf);

/// Locks for one purpose do not hold up those for another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Purpose {
    Change,
    Question,
    /// A change within the call that holds the path, by the number of what it holds.
    Within(u64),
}

#[derive(Debug)]
enum Turn {
    Waiting(Waker),
    Granted,
    /// Others wait for what it has already: it must give that back and ask again.
    GiveBack,
    /// The waiting call is gone.
    Abandoned,
}

/// The place of one call in a queue.
#[derive(Debug)]
struct Ticket {
    turn: Mutex<Turn>,
    claimant: Claimant,
}

impl Ticket {
    /// Ends the wait in this way, if it still lasts.
    fn end(&self, turn: Turn) -> bool {
        let mut now = held(&self.turn);
        if !matches!(*now, Turn::Waiting(_)) {
            return false;
        }
        let before = std::mem::replace(&mut *now, turn);
        drop(now);
        if let Turn::Waiting(waker) = before {
            waker.wake();
        }
        true
    }
}

/// No thread panics while it holds one of these, so a poisoned one is sound.
fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Locks of some paths, given back when nobody needs them any more.
#[derive(Debug)]
struct Held {
    number: u64,
    keys: Mutex<Vec<Key>>,
    /// Those within which these were taken. They stay locked as long.
    outer: Vec<Arc<Held>>,
}

impl Held {
    fn new(outer: Vec<Arc<Self>>) -> Self {
        Self {
            number: LAST.fetch_add(1, Ordering::Relaxed),
            keys: Mutex::default(),
            outer,
        }
    }

    fn has(&self, path: &Path) -> bool {
        held(&self.keys).iter().any(|(_, own)| own == path)
    }

    /// The paths that were taken for this purpose.
    fn paths(&self, purpose: Purpose) -> Vec<PathBuf> {
        let keys = held(&self.keys);
        let taken = keys.iter().filter(|(own, _)| *own == purpose);
        taken.map(|(_, path)| path.clone()).collect()
    }
}

impl Held {
    fn give_back(&self) {
        while let Some(key) = held(&self.keys).pop() {
            release(&key);
        }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.give_back();
    }
}

/// Holds the locks of some paths until it is dropped, and until those are that were taken within it.
#[derive(Debug)]
#[must_use = "the paths are free again when the guard is dropped"]
pub struct PathGuard {
    /// Given back before the paths are: the locks of this process come first and go last.
    processes: Option<ProcessLocks>,
    held: Arc<Held>,
    /// By which it is known to calls within.
    name: Option<Box<str>>,
}

/// Holds the turn to ask about changes of some paths until it is dropped.
#[derive(Debug)]
#[must_use = "it is the turn of the next when the guard is dropped"]
pub struct QuestionGuard(Held);

impl QuestionGuard {
    /// Whether it is for exactly these paths.
    #[must_use]
    pub fn is_for(&self, targets: impl IntoIterator<Item = PathBuf>) -> bool {
        self.0.paths(Purpose::Question) == sorted(targets)
    }
}

impl PathGuard {
    /// Takes the same paths against the other processes of this user as well, if nobody has them.
    /// Answers whether it did; `true` also where the system offers no place for such locks.
    pub fn try_share(&mut self) -> bool {
        if self.processes.is_none() {
            self.processes = ProcessLocks::try_take(&self.held.paths(Purpose::Change));
        }
        self.processes.is_some()
    }

    /// The same, waiting until the others are done.
    ///
    /// # Errors
    /// [`Error::Cancelled`] within 20 ms after `cancelled` answers `true`; [`Error::Busy`] after
    /// [`PROCESS_LOCK_WAIT`](tenon_contract::limits::PROCESS_LOCK_WAIT).
    pub fn share(&mut self, cancelled: &dyn Fn() -> bool) -> Result<(), Error> {
        if self.processes.is_none() {
            let paths = self.held.paths(Purpose::Change);
            self.processes = Some(ProcessLocks::take(&paths, cancelled)?);
        }
        Ok(())
    }
}

impl Drop for PathGuard {
    fn drop(&mut self) {
        self.processes = None;
        if let Some(name) = self.name.take() {
            held(&OUTER).remove(&name);
        }
    }
}

/// Waits for the locks of these paths ([`Located::target`](crate::Located::target)) in this process;
/// [`PathGuard::share`] takes them among processes. Works in any runtime; dropping the future gives
/// up what it holds and its places in the queues.
///
/// `lineage` has the names of the calls within which it is made, outermost first, and its own behind
/// them, separated by `/`. What those hold is free for it, and calls within it may have what it holds. `name` is what it is
/// called in the errors of others.
///
/// # Errors
/// [`Error::Deadlock`] where it would wait for ever: who has a path waits for one that the calls have within which this one is
/// made.
pub async fn lock_paths_within(
    lineage: &str,
    name: &str,
    targets: impl IntoIterator<Item = PathBuf>,
) -> Result<PathGuard, Error> {
    let outer: Vec<Arc<Held>> = {
        let known = held(&OUTER);
        let names = lineage.rsplit('/').skip(1);
        names
            .filter_map(|name| known.get(name)?.upgrade())
            .collect()
    };
    let purpose = |path: &Path| {
        // The innermost one holds it within the others.
        let holder = outer.iter().find(|holder| holder.has(path));
        holder.map_or(Purpose::Change, |holder| Purpose::Within(holder.number))
    };
    let targets = sorted(targets).into_iter();
    let keys: Vec<Key> = targets.map(|path| (purpose(&path), path)).collect();
    let taken = Arc::new(lock(outer, name, keys).await?);
    let own = lineage.rsplit('/').next().filter(|name| !name.is_empty());
    if let Some(own) = own {
        held(&OUTER).insert(own.into(), Arc::downgrade(&taken));
    }
    Ok(PathGuard {
        processes: None,
        held: taken,
        name: own.map(Box::from),
    })
}

/// Waits for the turn to ask about changes of these paths, in the order of arrival. It keeps nobody from changing them:
/// who was allowed to does not wait for a user who thinks.
pub async fn lock_for_question(targets: impl IntoIterator<Item = PathBuf>) -> QuestionGuard {
    let keys = sorted(targets).into_iter();
    let keys: Vec<Key> = keys.map(|path| (Purpose::Question, path)).collect();
    loop {
        // Refused is only who is made within a call.
        if let Ok(taken) = lock(Vec::new(), "a question", keys.clone()).await {
            return QuestionGuard(taken);
        }
    }
}

async fn lock(outer: Vec<Arc<Held>>, name: &str, keys: Vec<Key>) -> Result<Held, Error> {
    let taken = Held::new(outer);
    let claimant = Claimant::of(&taken, &taken.outer, name);
    let mut left = keys.iter();
    while let Some(key) = left.next() {
        match Acquire::new(key.clone(), claimant.clone()).await {
            Ok(()) => held(&taken.keys).push(key.clone()),
            Err(Refused::GiveBack) => {
                taken.give_back();
                left = keys.iter();
            }
            Err(Refused::HeldBy(holder)) => {
                return Err(Error::Deadlock {
                    path: key.1.display().to_string(),
                    holder: holder.to_string(),
                });
            }
        }
    }
    Ok(taken)
}

/// In the order in which everybody locks them.
fn sorted(targets: impl IntoIterator<Item = PathBuf>) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = targets.into_iter().collect();
    paths.sort_unstable();
    paths.dedup();
    paths
}

/// Waits for the locks of these paths in this process and among those of this user, on a thread
/// that may block.
///
/// # Errors
/// As [`PathGuard::share`].
pub fn lock_paths_blocking(
    targets: impl IntoIterator<Item = PathBuf>,
    cancelled: &dyn Fn() -> bool,
) -> Result<PathGuard, Error> {
    lock_paths_blocking_within("", targets, cancelled)
}

/// The same within calls, see [`lock_paths_within`].
///
/// # Errors
/// As [`PathGuard::share`] and [`lock_paths_within`].
pub fn lock_paths_blocking_within(
    lineage: &str,
    targets: impl IntoIterator<Item = PathBuf>,
    cancelled: &dyn Fn() -> bool,
) -> Result<PathGuard, Error> {
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut context = Context::from_waker(&waker);
    let name = "a call that is being undone";
    let mut future = pin!(lock_paths_within(lineage, name, targets));
    loop {
        if let Poll::Ready(guard) = future.as_mut().poll(&mut context) {
            let mut guard = guard?;
            guard.share(cancelled)?;
            return Ok(guard);
        }
        if cancelled() {
            return Err(Error::Cancelled);
        }
        thread::park_timeout(CHECK_INTERVAL);
    }
}

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Gives the lock to the next in the queue that still waits.
fn release(key: &Key) {
    let mut table = held(&TABLE);
    while let Some(queue) = table.get_mut(key)
        && let Some(ticket) = queue.waiting.pop_front()
    {
        if ticket.end(Turn::Granted) {
            queue.holder = ticket.claimant.clone();
            return;
        }
    }
    table.remove(key);
}

/// Why somebody does not wait for a path.
enum Refused {
    /// Others wait for what it has already.
    GiveBack,
    /// Who has the path waits for what the calls have within which this one is made.
    HeldBy(Arc<str>),
}

/// Waits for the lock of one path.
struct Acquire {
    key: Key,
    claimant: Claimant,
    ticket: Option<Arc<Ticket>>,
    finished: bool,
}

impl Acquire {
    const fn new(key: Key, claimant: Claimant) -> Self {
        Self {
            key,
            claimant,
            ticket: None,
            finished: false,
        }
    }

    /// Takes the lock if it is free, else a place in the queue.
    fn queue(&mut self, waker: &Waker) -> Poll<Result<(), Refused>> {
        let mut table = held(&TABLE);
        let way = way(&table, &self.key, &self.claimant);
        let Some(queue) = table.get_mut(&self.key) else {
            let queue = Queue {
                holder: self.claimant.clone(),
                waiting: VecDeque::new(),
            };
            table.insert(self.key.clone(), queue);
            self.finished = true;
            return Poll::Ready(Ok(()));
        };
        match way {
            Way::Never => Poll::Ready(Err(Refused::HeldBy(Arc::clone(&queue.holder.name)))),
            Way::GiveBack => Poll::Ready(Err(Refused::GiveBack)),
            Way::Wait => {
                let ticket = Arc::new(Ticket {
                    turn: Mutex::new(Turn::Waiting(waker.clone())),
                    claimant: self.claimant.clone(),
                });
                queue.waiting.push_back(Arc::clone(&ticket));
                self.ticket = Some(ticket);
                Poll::Pending
            }
        }
    }
}

impl Future for Acquire {
    type Output = Result<(), Refused>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        if self.finished {
            return Poll::Ready(Ok(()));
        }
        let Some(ticket) = self.ticket.clone() else {
            return self.queue(context.waker());
        };
        let mut turn = held(&ticket.turn);
        match &mut *turn {
            Turn::Waiting(waker) => {
                waker.clone_from(context.waker());
                return Poll::Pending;
            }
            Turn::GiveBack => return Poll::Ready(Err(Refused::GiveBack)),
            Turn::Granted | Turn::Abandoned => {}
        }
        self.finished = true;
        Poll::Ready(Ok(()))
    }
}

impl Drop for Acquire {
    fn drop(&mut self) {
        let Some(ticket) = self.ticket.take().filter(|_| !self.finished) else {
            return;
        };
        let turn = std::mem::replace(&mut *held(&ticket.turn), Turn::Abandoned);
        // The lock came between the wake and the end of this call: pass it on.
        if matches!(turn, Turn::Granted) {
            release(&self.key);
        }
    }
}

#[cfg(test)]
#[path = "locks_tests.rs"]
mod tests;
