//! The thread that makes an index and keeps it: in idle time, at the lowest priority.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::files::{FileId, Signed, Turn};
use super::hidden::Filters;
use super::indexed_tree::IndexedTree;
use super::place::{Stamp, delay_of_mapped_writes, now};
use super::store;
use crate::file_search::LINE_BUFFER_BYTES;
use crate::index::budget::Budget;
use crate::index::options::{Doubt, IndexOptions, IndexStore};
use crate::index::signature::{Sign, Signer, is_binary};

/// Files that are signed before what happened meanwhile is taken.
const BATCH: usize = 256;

/// Threads that sign.
const THREADS: usize = 2;

/// Larger files are searched every time, in bytes.
const MAX_SIGNED_BYTES: u64 = 256 * 1024 * 1024;

/// How often events are taken while nothing else happens, so that their queue does not run over.
const TICK: Duration = Duration::from_millis(500);

/// How long nothing is made after the first search: the one who searches once and goes away pays for no index.
const DELAY: Duration = Duration::from_millis(50);

/// How long the system lets what was stored into a mapping wait, unless it is set otherwise. Such as [`IndexStore`] reckons with.
const EXPECTED_DELAY: Duration = Duration::from_secs(35);

/// What an index was made of when it was written: changes of the tree, and rules.
type Written = (u64, usize);

/// Searches that run in this process, no matter who makes them.
pub(crate) static SEARCHING: AtomicUsize = AtomicUsize::new(0);

/// How long the thread waits for a search to end before it looks again.
const PAUSE: Duration = Duration::from_millis(2);

/// One tree in an index.
#[derive(Debug)]
pub(crate) struct IndexedPlace {
    pub(crate) base: PathBuf,
    pub(crate) root: PathBuf,
    pub(crate) state: Mutex<IndexState>,
    pub(crate) wake: Condvar,
    pub(crate) closed: AtomicBool,
    /// Whether the tree is being listed again, which may take a while: searches do not wait for it.
    pub(crate) is_busy: AtomicBool,
    pub(crate) options: IndexOptions,
    /// What searches of it must not see.
    pub(crate) filters: Mutex<Filters>,
}

/// How far an index is.
#[derive(Debug)]
pub(crate) enum IndexState {
    /// Being listed for the first time.
    Listing,
    Ready {
        kept: Box<IndexedTree>,
        asked: Instant,
        /// Whether everything that can be signed is.
        is_settled: bool,
    },
    /// It cannot be kept, or nobody asked for long.
    Gone,
}

impl IndexedPlace {
    pub(crate) fn lock(&self) -> MutexGuard<'_, IndexState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn filters(&self) -> MutexGuard<'_, Filters> {
        self.filters.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Relaxed)
    }

    /// Starts the thread.
    pub(crate) fn start(place: &Arc<Self>) {
        let keeper = Arc::clone(place);
        let started = thread::Builder::new()
            .name("tenon-index".to_owned())
            .spawn(move || {
                // The thread alone, on Linux (setpriority(2), notes).
                let _ = rustix::process::nice(19);
                // Whatever ends the keeping, nothing is served from then on.
                let _ = keeper.keep();
                *keeper.lock() = IndexState::Gone;
                keeper.wake.notify_all();
            });
        if started.is_err() {
            *place.lock() = IndexState::Gone;
        }
    }

    fn keep(&self) -> Result<(), Doubt> {
        let is_known = matches!(&*self.lock(), IndexState::Ready { .. });
        if !is_known {
            self.make()?;
        }
        // One that comes from the disk was written under rules that are not known here.
        let mut stored = is_known.then(|| (Written::default(), Instant::now()));
        loop {
            let signed_some = self.step()?;
            if self.is_closed() {
                return Ok(());
            }
            if !signed_some {
                if self.look_on() {
                    continue;
                }
                self.store(&mut stored);
                let state = self.lock();
                let waited = self.wake.wait_timeout(state, TICK);
                drop(waited.unwrap_or_else(PoisonError::into_inner));
            }
        }
    }

    /// Looks at some files that nobody reported, while no search runs. Whether one was changed.
    fn look_on(&self) -> bool {
        if SEARCHING.load(Ordering::Relaxed) > 0 {
            return false;
        }
        match &mut *self.lock() {
            IndexState::Ready { kept, .. } => kept.look_on(),
            IndexState::Listing | IndexState::Gone => false,
        }
    }

    /// Lists the tree.
    fn make(&self) -> Result<(), Doubt> {
        if self.is_closed_within(DELAY) {
            return Err(Doubt);
        }
        let goes_on = || {
            self.pause();
            !self.is_closed()
        };
        let kept = IndexedTree::new(&self.base, &self.root, &goes_on)?;
        *self.lock() = IndexState::Ready {
            kept: Box::new(kept),
            asked: Instant::now(),
            is_settled: false,
        };
        Ok(())
    }

    /// Writes the index for the next process, if it has changed since the last time, which is in `stored`.
    fn store(&self, stored: &mut Option<(Written, Instant)>) {
        let Some(store) = &self.options.store else {
            return;
        };
        // In itself it would be a change to be written.
        if self.has_within(&store.directory) {
            return;
        }
        let (changes, content) = {
            let mut state = self.lock();
            let IndexState::Ready { kept, .. } = &mut *state else {
                return;
            };
            let filters = self.filters();
            let changes = (kept.files.changes, filters.count());
            let is_due =
                |(of, at): (Written, Instant)| of != changes && at.elapsed() >= store.pause;
            if SEARCHING.load(Ordering::Relaxed) > 0 || !stored.is_none_or(is_due) {
                return;
            }
            let at = now();
            if kept.drain().is_err() {
                // It is not reported again: the next step ends the keeping.
                *state = IndexState::Gone;
                return;
            }
            // What is not certain yet is written later.
            let content = filters
                .are_known()
                .then(|| kept.stored(&filters, at, least_age(Some(store))));
            let Some(content) = content.flatten() else {
                return;
            };
            (changes, content)
        };
        *stored = Some((changes, Instant::now()));
        let _ = store::save(&store.directory, &self.base, &self.root, &content);
    }

    /// Whether this directory is in the tree.
    fn has_within(&self, directory: &Path) -> bool {
        let real = directory.canonicalize();
        directory.starts_with(&self.root) || real.is_ok_and(|real| real.starts_with(&self.root))
    }

    /// Takes what happened, lists what is stale, signs a batch of files. Whether there were some.
    fn step(&self) -> Result<bool, Doubt> {
        self.pause();
        let batch = {
            let mut state = self.lock();
            let IndexState::Ready {
                kept,
                asked,
                is_settled,
            } = &mut *state
            else {
                return Err(Doubt);
            };
            if asked.elapsed() > self.options.idle {
                return Err(Doubt);
            }
            kept.drain()?;
            self.is_busy.store(true, Ordering::Relaxed);
            let refreshed = kept.refresh(&|| !self.is_closed());
            self.is_busy.store(false, Ordering::Relaxed);
            refreshed?;
            if !kept.files.is_waiting() {
                kept.files.retry_refused(self.budget(kept));
            }
            let batch = next_batch(kept);
            *is_settled = batch.is_empty() && !kept.files.is_waiting();
            batch
        };
        if batch.is_empty() {
            self.wake.notify_all();
            return Ok(false);
        }
        let signed = self.sign(&batch);
        let mut state = self.lock();
        if let IndexState::Ready { kept, .. } = &mut *state {
            kept.drain()?;
            let budget = self.budget(kept);
            for ((file, turn, _), signed) in batch.iter().zip(signed) {
                if let Some(signed) = signed {
                    kept.files.install(*file, *turn, &signed, budget);
                }
            }
        }
        Ok(true)
    }

    fn budget(&self, kept: &IndexedTree) -> Budget {
        Budget {
            max_bytes: self.options.max_bytes,
            listed: kept.bytes(),
        }
    }

    fn sign(&self, batch: &[(FileId, Turn, Vec<u8>)]) -> Vec<Option<Signed>> {
        let root = {
            let state = self.lock();
            match &*state {
                IndexState::Ready { kept, .. } => kept.handle.directory_beneath(b"").ok(),
                _ => None,
            }
        };
        let Some(root) = root else { return Vec::new() };
        let share = batch.len().div_ceil(THREADS).max(1);
        let least_age = least_age(self.options.store.as_ref());
        thread::scope(|scope| {
            let threads: Vec<_> = batch
                .chunks(share)
                .filter_map(|part| {
                    let root = &root;
                    let signing = move || {
                        let _ = rustix::process::nice(19);
                        let mut signer = Signer::new();
                        let mut buffer = vec![0; LINE_BUFFER_BYTES];
                        part.iter()
                            .map(|(_, _, path)| {
                                self.pause();
                                sign(root, path, &mut signer, &mut buffer, least_age)
                            })
                            .collect::<Vec<_>>()
                    };
                    // What has no signature is searched.
                    thread::Builder::new().spawn_scoped(scope, signing).ok()
                })
                .collect();
            threads
                .into_iter()
                .flat_map(|thread| thread.join().unwrap_or_default())
                .collect()
        })
    }

    /// Whether it is let go in this time.
    fn is_closed_within(&self, time: Duration) -> bool {
        let until = Instant::now() + time;
        let mut state = self.lock();
        while !self.is_closed() {
            let Some(left) = until.checked_duration_since(Instant::now()) else {
                return false;
            };
            let waited = self.wake.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        true
    }

    /// Lets searches that run go first.
    fn pause(&self) {
        while SEARCHING.load(Ordering::Relaxed) > 0 && !self.is_closed() {
            thread::sleep(PAUSE);
        }
    }
}

/// How long ago a file must have changed for its content to be kept: what was stored into a mapping must have been written.
fn least_age(store: Option<&IndexStore>) -> Duration {
    let delays = store.zip(delay_of_mapped_writes());
    delays.map_or(Duration::MAX, |(store, delay)| {
        let beyond = delay.saturating_sub(EXPECTED_DELAY);
        store.least_age.saturating_add(beyond)
    })
}

fn next_batch(kept: &mut IndexedTree) -> Vec<(FileId, Turn, Vec<u8>)> {
    let mut batch = Vec::new();
    while batch.len() < BATCH
        && let Some((file, turn)) = kept.files.next_unsigned()
    {
        if let Some(path) = kept.path_of(file) {
            batch.push((file, turn, path));
        }
    }
    batch
}

/// Reads a file and finds out what it has. Nothing for one that has to be searched every time.
fn sign(
    root: &crate::directory::Handle,
    path: &[u8],
    signer: &mut Signer,
    buffer: &mut [u8],
    least_age: Duration,
) -> Option<Signed> {
    let mut file = root.open_file(path, b"").ok()?;
    let status = rustix::fs::fstat(&file).ok()?;
    let size = u64::try_from(status.st_size).ok()?;
    if size > MAX_SIGNED_BYTES {
        return None;
    }
    let stamp = Stamp::of_status(&status);
    let is_linked = status.st_nlink > 1;
    let is_settled = stamp.is_settled();
    let is_old = is_settled && stamp.is_older_than(least_age);
    if is_linked && !is_settled {
        return None;
    }
    let mut is_whole = true;
    let mut is_first = true;
    loop {
        match file.read(buffer) {
            Ok(0) => break,
            Ok(read) => {
                let part = buffer.get(..read).unwrap_or_default();
                if std::mem::take(&mut is_first) && is_binary(part) {
                    return Some(Signed {
                        sign: Sign::of_binary(size),
                        stamp,
                        is_settled,
                        is_linked,
                        is_old,
                    });
                }
                signer.take(part);
            }
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(_) => {
                is_whole = false;
                break;
            }
        }
    }
    let sign = signer.finish();
    is_whole.then_some(Signed {
        sign,
        stamp,
        is_settled,
        is_linked,
        is_old,
    })
}
