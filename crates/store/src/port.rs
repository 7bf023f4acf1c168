//! The port that every store fills.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use crate::{Commit, Hit, Key, Operation, Page, Query, Row, SearchQuery};

/// A time in milliseconds since 1970, UTC.
pub type Millis = i64;
/// The version of a row, or the number of an entry: at least 1.
pub type Version = u64;
/// What a store returns, later.
pub type StoreFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;
/// Called after something may have changed. It must return at once and may be called too often.
pub type Changed = Arc<dyn Fn() + Send + Sync>;

/// Why a store did not do what it was asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// The request itself is wrong, whichever store it goes to.
    #[error("{0}.")]
    Invalid(String),
    /// The store cannot be used now: the disk is full, the file is locked, the host's function failed.
    #[error("{0}.")]
    Failed(String),
    /// A newer tenon has written the file, and only a newer one reads it.
    #[error("{0}.")]
    TooNew(String),
    /// The store was closed.
    #[error("The store was closed.")]
    Closed,
    /// The store does not have this method.
    #[error("This store has no `{0}`.")]
    Unsupported(&'static str),
}

/// Ends a watch when it is dropped.
pub struct Watch(Option<Box<dyn FnOnce() + Send + Sync>>);

impl Watch {
    /// A watch that is ended by `end`.
    #[must_use]
    pub fn new(end: impl FnOnce() + Send + Sync + 'static) -> Self {
        Self(Some(Box::new(end)))
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        if let Some(end) = self.0.take() {
            end();
        }
    }
}

impl std::fmt::Debug for Watch {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Watch")
    }
}

/// Keeps rows and logs. The rules are in the documentation of this crate; `tests/conformance` checks them.
///
/// No method blocks the thread that calls it or polls its future.
pub trait Store: Send + Sync + 'static {
    /// Applies all operations or none.
    ///
    /// A dropped future does not take the commit back.
    fn commit(&self, operations: Vec<Operation>) -> StoreFuture<'_, Commit>;

    /// The rows of these keys, in their order; `None` for each that does not exist.
    fn get(&self, keys: Vec<Key>) -> StoreFuture<'_, Vec<Option<Row>>>;

    /// One page of the rows of a space, or of the entries of a log.
    fn scan(&self, query: Query) -> StoreFuture<'_, Page>;

    /// The store's clock, which all who share the store see. It never goes back.
    fn now(&self) -> StoreFuture<'_, Millis>;

    /// Calls `changed` after commits that touch one of these spaces or logs, until the watch is dropped. `None` where the
    /// store cannot watch: then it has to be polled.
    fn watch(&self, _names: Vec<String>, _changed: Changed) -> Option<Watch> {
        None
    }

    /// The entries that hold all words of a text, best first.
    fn search(&self, _query: SearchQuery) -> StoreFuture<'_, Vec<Hit>> {
        Box::pin(async { Err(StoreError::Unsupported("search")) })
    }

    /// Removes a log with all its entries. Whether there was one.
    fn clear(&self, _log: String) -> StoreFuture<'_, bool> {
        Box::pin(async { Err(StoreError::Unsupported("clear")) })
    }

    /// What the host should know, a sentence each, such as that a damaged file was set aside.
    fn notices(&self) -> Vec<String> {
        Vec::new()
    }

    /// Waits for what was begun and gives everything back. Later calls fail with [`StoreError::Closed`].
    fn close(&self) -> StoreFuture<'_, ()> {
        Box::pin(async { Ok(()) })
    }
}
