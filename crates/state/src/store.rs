//! The port behind which sessions keep what they know.

use std::future::Future;
use std::pin::Pin;

use crate::Todo;

/// A session: two toolkits with the same key share what it knows.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SessionKey {
    /// The workspace, by its absolute path without links: the same name elsewhere is another session.
    pub workspace: String,
    /// The name of the session.
    pub id: String,
}

/// Why the store did not answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct StoreError(
    /// Why, in a few words.
    pub String,
);

/// The future of a store's answer.
pub type StoreFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// Keeps what sessions know. A store on disk and one in memory look the same from here.
pub trait Store: Send + Sync + 'static {
    /// The task list of a session; empty for one that has none.
    fn todos<'a>(&'a self, session: &'a SessionKey) -> StoreFuture<'a, Vec<Todo>>;

    /// Puts another list in the place of the task list of a session.
    fn replace_todos<'a>(
        &'a self,
        session: &'a SessionKey,
        todos: Vec<Todo>,
    ) -> StoreFuture<'a, ()>;
}
