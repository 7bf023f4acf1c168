//! Where the changes of a session are kept that outlives its toolkit: rows in its store, old contents beside it.
//!
//! Beside SQLite the contents are files in the state directory, so that the database stays small. A store of the host has
//! them as rows, in pieces, under a smaller quota: what it keeps has to be found by another machine that has the same
//! workspace.

use std::collections::{BTreeSet, HashMap};
use std::future::Future;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tenon_contract::limits;
use tenon_state::SessionRecords;
use tenon_store::{ContentFiles, Json, Key, Operation, Put, Query, Row, StoreError};
use tenon_workspace::{ContentHash, JournalKeeper, KeptRow, RowChange};

/// The spaces of the store; the keys begin with the name of the session.
const CHANGES: &str = "changes";
const CONTENTS: &str = "contents";
/// The directory beside the file of the store.
const DIRECTORY: &str = "changes";

/// Where old contents are kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ChangesPlace {
    /// Below this private directory.
    Directory(PathBuf),
    /// In the store.
    Store,
    /// In the store of named sessions of this process, which has bounds of its own.
    Memory,
}

impl ChangesPlace {
    /// How much is kept, where the host does not say.
    pub(crate) const fn max_bytes(&self) -> u64 {
        match self {
            Self::Directory(_) => limits::JOURNAL_KEPT_MAX_BYTES,
            Self::Store | Self::Memory => limits::JOURNAL_STORED_MAX_BYTES,
        }
    }

    /// Removes the files of a session that is forgotten; its rows go with the session. Blocks.
    pub(crate) fn forget(&self, records: &SessionRecords) -> io::Result<()> {
        let files = self.files(records, limits::JOURNAL_COLLECT_AFTER);
        files.map_or(Ok(()), |files| files.forget())
    }

    /// The files of a session, where contents are files.
    fn files(&self, records: &SessionRecords, max_age: Duration) -> Option<ContentFiles> {
        let Self::Directory(state) = self else {
            return None;
        };
        let (root, owner) = (state.join(DIRECTORY), records.shared().1);
        let grace = limits::JOURNAL_COLLECT_AFTER;
        Some(ContentFiles::new(root, owner, max_age, grace))
    }
}

/// Keeps the changes of one session.
pub(crate) struct KeptChanges {
    records: SessionRecords,
    /// Where contents are files; else they are rows.
    files: Option<ContentFiles>,
    max_age: Duration,
    /// Contents in the store that this process knows, and since when nothing uses them.
    known: Mutex<HashMap<ContentHash, Option<Instant>>>,
    /// When the store last failed: a call waits for one that is away once, not at each step.
    failed: Mutex<Option<Instant>>,
}

/// How long a store that failed is not asked again.
const PAUSE: Duration = Duration::from_secs(2);

/// The first row of a content in the store; further pieces are plain texts.
#[derive(Serialize, Deserialize)]
struct FirstPiece {
    pieces: usize,
    text: String,
}

impl KeptChanges {
    pub(crate) fn new(records: SessionRecords, place: &ChangesPlace, max_age: Duration) -> Self {
        Self {
            files: place.files(&records, max_age),
            records,
            max_age,
            known: Mutex::default(),
            failed: Mutex::default(),
        }
    }

    fn ask<T: Send>(
        &self,
        work: impl Future<Output = Result<T, StoreError>> + Send,
    ) -> io::Result<T> {
        let failed = || self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        if failed().is_some_and(|failed| failed.elapsed() < PAUSE) {
            return Err(io::Error::other("the store failed a moment ago"));
        }
        let answer = waited(work);
        *failed() = answer.is_err().then(Instant::now);
        answer
    }

    fn key(&self, space: &str, name: &str) -> Key {
        Key::new(space, format!("{}/{name}", self.records.shared().1))
    }

    fn put(&self, key: Key, value: Json) -> Operation {
        let expires = SystemTime::now() + self.max_age;
        let expires = expires.duration_since(SystemTime::UNIX_EPOCH);
        let expires = expires.map_or(0, |since| since.as_millis());
        match Operation::put(key, value) {
            Operation::Put(put) => Operation::Put(Put {
                expires_at: i64::try_from(expires).ok(),
                ..put
            }),
            other => other,
        }
    }

    fn commit(&self, operation: Operation) -> io::Result<()> {
        let store = self.records.store();
        self.ask(async move { store.commit(vec![operation]).await })?;
        Ok(())
    }

    fn row(&self, key: Key) -> io::Result<Option<Row>> {
        let store = self.records.store();
        let rows = self.ask(async move { store.get(vec![key]).await })?;
        Ok(rows.into_iter().next().flatten())
    }

    fn in_store(&self, hash: &ContentHash, bytes: &[u8]) -> io::Result<()> {
        let pieces: Vec<&[u8]> = bytes.chunks(limits::JOURNAL_STORED_CHUNK_BYTES).collect();
        // The first one last: where it is, all are.
        for (index, piece) in pieces.iter().enumerate().skip(1) {
            let key = self.key(CONTENTS, &format!("{hash}/{index}"));
            let value = Json::of(&STANDARD.encode(piece)).map_err(io::Error::other)?;
            self.commit(self.put(key, value))?;
        }
        let first = FirstPiece {
            pieces: pieces.len(),
            text: STANDARD.encode(pieces.first().copied().unwrap_or_default()),
        };
        let value = Json::of(&first).map_err(io::Error::other)?;
        self.commit(self.put(self.key(CONTENTS, &format!("{hash}/0")), value))?;
        self.known().insert(*hash, None);
        Ok(())
    }

    fn read_from_store(&self, hash: &ContentHash) -> io::Result<Vec<u8>> {
        let missing = || io::Error::from(io::ErrorKind::NotFound);
        let decoded = |text: &str| STANDARD.decode(text).map_err(io::Error::other);
        let row = |index: usize| {
            let row = self.row(self.key(CONTENTS, &format!("{hash}/{index}")))?;
            row.ok_or_else(missing)
        };
        let first: FirstPiece = row(0)?.value.read().map_err(io::Error::other)?;
        let mut bytes = decoded(&first.text)?;
        for index in 1..first.pieces {
            let text: String = row(index)?.value.read().map_err(io::Error::other)?;
            bytes.extend(decoded(&text)?);
        }
        Ok(bytes)
    }

    /// Removes what this process has known for a while to be of no use. What others have left behind expires.
    fn collect_in_store(&self, used: &BTreeSet<ContentHash>) -> io::Result<()> {
        let mut useless = Vec::new();
        {
            let mut known = self.known();
            known.extend(used.iter().map(|hash| (*hash, None)));
            for (hash, since) in known.iter_mut() {
                *since = match *since {
                    _ if used.contains(hash) => None,
                    since => since.or_else(|| Some(Instant::now())),
                };
                if since.is_some_and(|since| since.elapsed() >= limits::JOURNAL_COLLECT_AFTER) {
                    useless.push(*hash);
                }
            }
        }
        for hash in useless {
            let key = self.key(CONTENTS, &format!("{hash}/0"));
            let Some(row) = self.row(key.clone())? else {
                self.known().remove(&hash);
                continue;
            };
            let age = i64::try_from(limits::JOURNAL_COLLECT_AFTER.as_millis()).unwrap_or(i64::MAX);
            let store = self.records.store();
            let now = self.ask(async move { store.now().await })?;
            if now - row.updated_at < age {
                // Somebody has just kept it once more.
                continue;
            }
            let pieces = row.value.read().map_or(1, |first: FirstPiece| first.pieces);
            for index in 0..pieces.max(1) {
                let key = self.key(CONTENTS, &format!("{hash}/{index}"));
                self.commit(Operation::delete(key))?;
            }
            self.known().remove(&hash);
        }
        Ok(())
    }

    fn known(&self) -> std::sync::MutexGuard<'_, HashMap<ContentHash, Option<Instant>>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl JournalKeeper for KeptChanges {
    fn keep(&self, hash: &ContentHash, bytes: &[u8]) -> io::Result<()> {
        let kept = match &self.files {
            Some(files) => files.keep(&hash.to_string(), bytes),
            None => self.in_store(hash, bytes),
        };
        if let Err(error) = &kept {
            self.records.warn(&format!(
                "What a change replaces could not be kept, and the change cannot be undone: {error}"
            ));
        }
        kept
    }

    fn content(&self, hash: &ContentHash) -> io::Result<Vec<u8>> {
        match &self.files {
            Some(files) => files.read(&hash.to_string()),
            None => self.read_from_store(hash),
        }
    }

    fn collect(&self, used: &BTreeSet<ContentHash>) -> io::Result<()> {
        let Some(files) = &self.files else {
            return self.collect_in_store(used);
        };
        files.collect(|name| {
            let hash = ContentHash::from_hex(name);
            hash.is_none_or(|hash| used.contains(&hash))
        });
        Ok(())
    }

    fn write(&self, row: &RowChange) -> io::Result<()> {
        let operation = match row {
            RowChange::Put { key, value } => {
                let value = Json::of(value).map_err(io::Error::other)?;
                self.put(self.key(CHANGES, key), value)
            }
            RowChange::Delete { key } => Operation::delete(self.key(CHANGES, key)),
        };
        let written = self.commit(operation);
        if let Err(error) = &written {
            self.records.warn(&format!(
                "A change could not be stored, and cannot be undone before it is: {error}"
            ));
        }
        written
    }

    fn rows(&self) -> io::Result<Vec<KeptRow>> {
        let prefix = format!("{}/", self.records.shared().1);
        let (mut rows, mut after) = (Vec::new(), None);
        loop {
            let query = Query::Space {
                space: CHANGES.to_owned(),
                prefix: Some(prefix.clone()),
                order: None,
                after,
                limit: limits::STORE_PAGE_MAX_ROWS,
            };
            let store = self.records.store();
            let (page, next) = self.ask(async move { store.scan(query).await?.into_rows() })?;
            for row in page {
                let value: Value = row.value.read().map_err(io::Error::other)?;
                let key = row.key.strip_prefix(&prefix).unwrap_or(&row.key).to_owned();
                rows.push(KeptRow {
                    number: row.version,
                    key,
                    value,
                });
            }
            after = next;
            if after.is_none() {
                break;
            }
        }
        rows.sort_by_key(|row| row.number);
        Ok(rows)
    }
}

impl std::fmt::Debug for KeptChanges {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("KeptChanges")
            .field("files", &self.files)
            .finish_non_exhaustive()
    }
}

/// Waits for a store on a thread of its own: this one may belong to an executor, which must not be blocked on itself.
fn waited<T: Send>(work: impl Future<Output = Result<T, StoreError>> + Send) -> io::Result<T> {
    let executor = tokio::runtime::Handle::try_current();
    let answer = std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("tenon-changes".to_owned());
        let waiting = thread.spawn_scoped(scope, move || match executor {
            Ok(executor) => Ok(executor.block_on(work)),
            Err(_) => {
                let mut executor = tokio::runtime::Builder::new_current_thread();
                Ok(executor.enable_time().build()?.block_on(work))
            }
        })?;
        let ended = waiting.join();
        ended.unwrap_or_else(|_| Err(io::Error::other("the store panicked")))
    })?;
    answer.map_err(io::Error::other)
}

/// What a journal is kept by.
pub(crate) fn keeper(
    records: SessionRecords,
    place: ChangesPlace,
    max_age: Duration,
) -> Arc<dyn JournalKeeper> {
    Arc::new(KeptChanges::new(records, &place, max_age))
}
