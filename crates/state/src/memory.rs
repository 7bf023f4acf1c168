//! The store that lives as long as the process.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tenon_contract::limits;

use crate::{SessionKey, Store, StoreFuture, Todo};

/// Keeps what sessions know in memory: that of the sessions that were used last, up to
/// [`limits::STORE_MAX_SESSIONS`].
#[derive(Debug, Default)]
pub struct MemoryStore(Mutex<Sessions>);

#[derive(Debug, Default)]
struct Sessions {
    /// Counts uses: the smallest number is the session that was used longest ago.
    uses: u64,
    known: HashMap<SessionKey, Known>,
}

#[derive(Debug)]
struct Known {
    used: u64,
    todos: Vec<Todo>,
}

impl MemoryStore {
    fn lock(&self) -> MutexGuard<'_, Sessions> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Sessions {
    fn read(&mut self, session: &SessionKey) -> Vec<Todo> {
        self.uses += 1;
        let used = self.uses;
        self.known.get_mut(session).map_or_else(Vec::new, |known| {
            known.used = used;
            known.todos.clone()
        })
    }

    fn replace(&mut self, session: &SessionKey, todos: Vec<Todo>) {
        self.uses += 1;
        let used = self.uses;
        self.known.insert(session.clone(), Known { used, todos });
        if self.known.len() > limits::STORE_MAX_SESSIONS {
            let oldest = self.known.iter().min_by_key(|(_, known)| known.used);
            if let Some(oldest) = oldest.map(|(session, _)| session.clone()) {
                self.known.remove(&oldest);
            }
        }
    }
}

impl Store for MemoryStore {
    fn todos<'a>(&'a self, session: &'a SessionKey) -> StoreFuture<'a, Vec<Todo>> {
        Box::pin(async move { Ok(self.lock().read(session)) })
    }

    fn replace_todos<'a>(
        &'a self,
        session: &'a SessionKey,
        todos: Vec<Todo>,
    ) -> StoreFuture<'a, ()> {
        Box::pin(async move {
            self.lock().replace(session, todos);
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;
    use crate::TodoStatus;

    fn key(workspace: &str, id: &str) -> SessionKey {
        SessionKey {
            workspace: workspace.to_owned(),
            id: id.to_owned(),
        }
    }

    fn list(content: &str) -> Vec<Todo> {
        vec![Todo {
            id: None,
            content: content.to_owned(),
            status: TodoStatus::Pending,
            priority: None,
            active_form: None,
        }]
    }

    fn read(store: &MemoryStore, key: &SessionKey) -> Vec<Todo> {
        store.todos(key).now_or_never().unwrap().unwrap()
    }

    fn write(store: &MemoryStore, key: &SessionKey, todos: Vec<Todo>) {
        let replaced = store.replace_todos(key, todos).now_or_never();
        replaced.unwrap().unwrap();
    }

    #[test]
    fn each_session_of_each_workspace_has_a_list_of_its_own() {
        let store = MemoryStore::default();
        write(&store, &key("/a", "1"), list("first"));
        write(&store, &key("/a", "1"), list("second"));
        assert_eq!(read(&store, &key("/a", "1")), list("second"));
        assert_eq!(read(&store, &key("/a", "2")), vec![]);
        assert_eq!(read(&store, &key("/b", "1")), vec![]);
    }

    #[test]
    fn the_session_that_was_used_longest_ago_is_forgotten_first() {
        let store = MemoryStore::default();
        for id in 0..limits::STORE_MAX_SESSIONS {
            write(&store, &key("/a", &id.to_string()), list("x"));
        }
        read(&store, &key("/a", "0"));
        write(&store, &key("/a", "new"), list("y"));
        assert_eq!(read(&store, &key("/a", "0")), list("x"));
        assert_eq!(read(&store, &key("/a", "1")), vec![]);
        assert_eq!(read(&store, &key("/a", "new")), list("y"));
    }
}
