//! One writer for each real path, in this process and among those of the same user; and one question at a time about
//! what becomes of it, so that the answer is for the file as it then is.
//!
//! The table of locks is shared by all workspaces of the process. Who asks first gets the lock
//! first; an entry is gone as soon as nobody holds it or waits for it. Several paths are locked in
//! one order by everybody, so two calls cannot wait for each other. A call that is made within another one, by the handler
//! of a tool of the host, does not wait for that: the paths are free for it, one at a time among those within the same call.

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

/// How often a blocked thread looks whether its call was aborted.
const CHECK_INTERVAL: Duration = Duration::from_millis(20);

/// A path is in the table while it is locked; its queue holds those that wait.
static TABLE: LazyLock<Mutex<HashMap<Key, VecDeque<Arc<Ticket>>>>> = LazyLock::new(Mutex::default);

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
    /// The waiting call is gone.
    Abandoned,
}

/// The place of one call in a queue.
#[derive(Debug)]
struct Ticket(Mutex<Turn>);

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
    _outer: Vec<Arc<Held>>,
}

impl Held {
    fn new(outer: Vec<Arc<Self>>) -> Self {
        Self {
            number: LAST.fetch_add(1, Ordering::Relaxed),
            keys: Mutex::default(),
            _outer: outer,
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

impl Drop for Held {
    fn drop(&mut self) {
        while let Some(key) = held(&self.keys).pop() {
            release(&key);
        }
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
pub async fn lock_paths(targets: impl IntoIterator<Item = PathBuf>) -> PathGuard {
    lock_paths_within("", targets).await
}

/// The same for a call of this lineage: the names of the calls within which it is made, outermost first, and its own behind
/// them, separated by `/`. What those hold is free for it, and calls within it may have what it holds.
pub async fn lock_paths_within(
    lineage: &str,
    targets: impl IntoIterator<Item = PathBuf>,
) -> PathGuard {
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
    let taken = Arc::new(lock(Held::new(outer), keys).await);
    let name = lineage.rsplit('/').next().filter(|name| !name.is_empty());
    if let Some(name) = name {
        held(&OUTER).insert(name.into(), Arc::downgrade(&taken));
    }
    PathGuard {
        processes: None,
        held: taken,
        name: name.map(Box::from),
    }
}

/// Waits for the turn to ask about changes of these paths, in the order of arrival. It keeps nobody from changing them:
/// who was allowed to does not wait for a user who thinks.
pub async fn lock_for_question(targets: impl IntoIterator<Item = PathBuf>) -> QuestionGuard {
    let keys = sorted(targets).into_iter();
    let keys = keys.map(|path| (Purpose::Question, path)).collect();
    QuestionGuard(lock(Held::new(Vec::new()), keys).await)
}

async fn lock(taken: Held, keys: Vec<Key>) -> Held {
    for key in keys {
        Acquire::new(key.clone()).await;
        held(&taken.keys).push(key);
    }
    taken
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
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut context = Context::from_waker(&waker);
    let mut future = pin!(lock_paths(targets));
    loop {
        if let Poll::Ready(mut guard) = future.as_mut().poll(&mut context) {
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
    while let Some(ticket) = table.get_mut(key).and_then(VecDeque::pop_front) {
        let mut turn = held(&ticket.0);
        if matches!(*turn, Turn::Waiting(_)) {
            let turn = std::mem::replace(&mut *turn, Turn::Granted);
            drop(table);
            if let Turn::Waiting(waker) = turn {
                waker.wake();
            }
            return;
        }
    }
    table.remove(key);
}

/// Waits for the lock of one path.
struct Acquire {
    key: Key,
    ticket: Option<Arc<Ticket>>,
    finished: bool,
}

impl Acquire {
    const fn new(key: Key) -> Self {
        Self {
            key,
            ticket: None,
            finished: false,
        }
    }

    /// Takes the lock if it is free, else a place in the queue.
    fn queue(&mut self, waker: &Waker) -> Poll<()> {
        let mut table = held(&TABLE);
        if let Some(queue) = table.get_mut(&self.key) {
            let ticket = Arc::new(Ticket(Mutex::new(Turn::Waiting(waker.clone()))));
            queue.push_back(Arc::clone(&ticket));
            self.ticket = Some(ticket);
            Poll::Pending
        } else {
            table.insert(self.key.clone(), VecDeque::new());
            self.finished = true;
            Poll::Ready(())
        }
    }
}

impl Future for Acquire {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if self.finished {
            return Poll::Ready(());
        }
        let Some(ticket) = self.ticket.clone() else {
            return self.queue(context.waker());
        };
        let mut turn = held(&ticket.0);
        if let Turn::Waiting(waker) = &mut *turn {
            waker.clone_from(context.waker());
            return Poll::Pending;
        }
        self.finished = true;
        Poll::Ready(())
    }
}

impl Drop for Acquire {
    fn drop(&mut self) {
        let Some(ticket) = self.ticket.take().filter(|_| !self.finished) else {
            return;
        };
        let turn = std::mem::replace(&mut *held(&ticket.0), Turn::Abandoned);
        // The lock came between the wake and the end of this call: pass it on.
        if matches!(turn, Turn::Granted) {
            release(&self.key);
        }
    }
}

#[cfg(test)]
#[path = "locks_tests.rs"]
mod tests;
