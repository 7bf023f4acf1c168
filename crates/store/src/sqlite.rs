//! The store in one file of SQLite, shared by threads, processes and versions of tenon.
//!
//! Writes go through one thread, reads through at most two, each with a connection of its own; all of them are started by
//! the first operation that needs them and sleep until the next one. Reading a store that nobody has written makes no
//! file.

mod file;
mod lane;
mod reader;
mod schema;
mod search;
mod shared;
mod watch;
mod writer;

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tenon_contract::limits;

use crate::operation::check_name;
use crate::watchers::Watchers;
use crate::{
    Changed, Clock, Commit, Hit, Key, Millis, Operation, Page, Query, Row, SearchQuery, Store,
    StoreError, StoreFuture, SystemClock, Watch, check_keys, check_operations,
};
pub use file::journal_mode;
use lane::Lane;
use reader::{Reader, Readers};
pub use shared::Retention;
use shared::{Shared, gone};
use writer::Job;

/// Where a store is, and how long it keeps what.
#[derive(Clone)]
pub struct SqliteOptions {
    /// The file, by absolute path. Its directory has to exist.
    pub path: PathBuf,
    /// What logs keep. All rules hold whose prefix fits.
    pub retention: Vec<Retention>,
    /// Another clock than the system's.
    pub clock: Option<SystemClock>,
}

impl SqliteOptions {
    /// A store in this file with the usual retention: 10,000 entries of a log, for 30 days.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        let usual = Retention {
            logs: String::new(),
            max_entries: Some(limits::STORE_HISTORY_MAX_ENTRIES),
            max_age: Some(limits::STORE_LOG_MAX_AGE),
        };
        Self {
            path: path.into(),
            retention: vec![usual],
            clock: None,
        }
    }
}

/// Keeps everything in one file.
pub struct SqliteStore {
    shared: Arc<Shared>,
    writer: Lane<Job>,
    readers: Readers,
}

impl SqliteStore {
    /// A store in this file. Opens nothing yet.
    #[must_use]
    pub fn new(options: SqliteOptions) -> Self {
        let SqliteOptions {
            path,
            retention,
            clock,
        } = options;
        let shared = Arc::new(Shared {
            path,
            retention,
            clock: clock.map_or_else(Clock::default, Clock::new),
            is_open: AtomicBool::new(false),
            is_closed: AtomicBool::new(false),
            notices: Mutex::default(),
            watchers: Arc::default(),
            is_watching: AtomicBool::new(false),
        });
        let (writing, reading) = (Arc::clone(&shared), Arc::clone(&shared));
        Self {
            writer: Lane::new("tenon-store-write", move |jobs| {
                writer::run(&writing, &jobs)
            }),
            readers: Readers::new(move |jobs| reader::run(&reading, &jobs)),
            shared,
        }
    }

    /// Waits until everything that was handed in before is written, or has failed.
    ///
    /// # Errors
    /// [`StoreError::Closed`].
    pub async fn flush(&self) -> Result<(), StoreError> {
        if !self.writer.is_started() {
            return Ok(());
        }
        self.write(|reply| Job::Flush { reply }).await
    }

    /// Writes what was handed in, and lets go of the file. It is opened again by the next use.
    pub async fn release(&self) {
        // What could not be written was reported to who handed it in.
        let _ = self.flush().await;
        // One after the other, as in `close`.
        self.readers.end().await;
        self.writer.end().await;
        self.shared.is_open.store(false, Ordering::Release);
    }

    async fn write<T: Send + 'static>(
        &self,
        job: impl FnOnce(lane::Reply<T>) -> Job,
    ) -> Result<T, StoreError> {
        self.shared.check_open()?;
        let (reply, answer) = lane::reply();
        self.writer.send(job(reply))?;
        answer.await.map_err(|_| gone())?
    }

    /// Reads from the file; `none` where there is no file.
    async fn read<T: Send + 'static>(
        &self,
        none: T,
        work: impl Fn(&Reader<'_>) -> Result<T, file::Fault> + Send + Sync + 'static,
    ) -> Result<T, StoreError> {
        let work = Arc::new(work);
        let mut is_second = false;
        while self.has_file().await? {
            let again = Arc::clone(&work);
            match self.readers.ask(move |reader| again(reader)).await? {
                Ok(read) => return Ok(read),
                Err(fault) if fault.needs_opening() && !is_second => {
                    is_second = true;
                    self.write(|reply| Job::Heal { reply }).await?;
                }
                Err(fault) if fault.is_missing() => return Ok(none),
                Err(fault) => return Err(fault.into_error(&self.shared.path, "read")),
            }
        }
        Ok(none)
    }

    /// Whether there is a file; it was opened once then.
    async fn has_file(&self) -> Result<bool, StoreError> {
        self.shared.check_open()?;
        if !self.shared.is_open.load(Ordering::Acquire) {
            if !file::exists(&self.shared.path) {
                return Ok(false);
            }
            self.write(|reply| Job::Open { reply }).await?;
        }
        Ok(true)
    }
}

impl Store for SqliteStore {
    fn commit(&self, operations: Vec<Operation>) -> StoreFuture<'_, Commit> {
        // Handed in at once: a future that is never polled, or dropped, writes all the same.
        let checked = check_operations(&operations).and_then(|()| self.shared.check_open());
        let sent = checked.and_then(|()| {
            let (reply, answer) = lane::reply();
            self.writer.send(Job::Commit { operations, reply })?;
            Ok(answer)
        });
        Box::pin(async move { sent?.await.map_err(|_| gone())? })
    }

    fn get(&self, keys: Vec<Key>) -> StoreFuture<'_, Vec<Option<Row>>> {
        Box::pin(async move {
            check_keys(&keys)?;
            self.read(vec![None; keys.len()], move |reader| reader.rows(&keys))
                .await
        })
    }

    fn scan(&self, query: Query) -> StoreFuture<'_, Page> {
        Box::pin(async move {
            let limit = query.check()?;
            let none = match &query {
                Query::Space { after, order, .. } => {
                    if let (Some(after), Some(_)) = (after, order) {
                        crate::query::read_order_mark(after)?;
                    }
                    Page::Rows {
                        rows: Vec::new(),
                        next: None,
                    }
                }
                Query::Log { .. } => Page::Entries {
                    entries: Vec::new(),
                    next: None,
                },
            };
            self.read(none, move |reader| reader.page(&query, limit))
                .await
        })
    }

    fn now(&self) -> StoreFuture<'_, Millis> {
        Box::pin(async move {
            let known = self.read(Millis::MIN, |reader| reader.clock()).await?;
            Ok(self.shared.clock.now_after(known))
        })
    }

    fn watch(&self, names: Vec<String>, changed: Changed) -> Option<Watch> {
        let watch = Watchers::add(&self.shared.watchers, names, changed);
        watch::start(&self.shared);
        Some(watch)
    }

    fn search(&self, query: SearchQuery) -> StoreFuture<'_, Vec<Hit>> {
        Box::pin(async move {
            if !self.has_file().await? {
                return Ok(Vec::new());
            }
            // A search brings the index up to date: appending costs nothing more.
            self.write(|reply| Job::Index { reply }).await?;
            self.read(Vec::new(), move |reader| reader.search(&query))
                .await
        })
    }

    fn clear(&self, log: String) -> StoreFuture<'_, bool> {
        Box::pin(async move {
            check_name("log", &log)?;
            // Nothing is to be removed from a file that nobody has made.
            if !self.has_file().await? {
                return Ok(false);
            }
            self.write(|reply| Job::Clear { log, reply }).await
        })
    }

    fn notices(&self) -> Vec<String> {
        let notices = &self.shared.notices;
        notices
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    fn close(&self) -> StoreFuture<'_, ()> {
        Box::pin(async move {
            let flushed = self.flush().await;
            self.shared.is_closed.store(true, Ordering::Release);
            // One after the other: of two connections that close at once each takes the other for one that still needs
            // the write-ahead log, and the log stays beside the file.
            self.readers.end().await;
            self.writer.end().await;
            match flushed {
                Err(StoreError::Closed) => Ok(()),
                flushed => flushed,
            }
        })
    }
}

impl Drop for SqliteStore {
    fn drop(&mut self) {
        // The thread that looks for changes of others ends with this.
        self.shared.is_closed.store(true, Ordering::Release);
    }
}

impl std::fmt::Debug for SqliteStore {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("SqliteStore")
            .field("path", &self.shared.path)
            .finish()
    }
}
