//! The files in which sessions are kept: one store for each, however many toolkits of this process use it, and closed when the last
//! of them is.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, PoisonError, Weak};

use tenon_store::{SqliteOptions, SqliteStore};

/// The name of the file in the state directory.
pub(crate) const FILE: &str = "state.db";

static FILES: LazyLock<Mutex<HashMap<PathBuf, Known>>> = LazyLock::new(Mutex::default);

struct Known {
    store: Weak<SqliteStore>,
    /// Counts the toolkits that are not closed.
    users: Weak<()>,
}

/// The store in this file. Nothing is opened before it is used.
pub(crate) fn file(path: PathBuf) -> Arc<SqliteStore> {
    let mut files = FILES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(open) = files.get(&path).and_then(|known| known.store.upgrade()) {
        return open;
    }
    files.retain(|_, known| known.store.strong_count() > 0);
    let store = Arc::new(SqliteStore::new(SqliteOptions::new(&path)));
    let known = Known {
        store: Arc::downgrade(&store),
        users: Weak::new(),
    };
    files.insert(path, known);
    store
}

/// That a toolkit uses the file of a store. Its parts may keep the store for longer.
#[derive(Clone)]
pub(crate) struct FileUse(Arc<Used>);

struct Used {
    store: Arc<SqliteStore>,
    users: Mutex<Option<Arc<()>>>,
}

impl FileUse {
    /// The use of this file; nothing where no store was made for it.
    pub(crate) fn of(path: &Path) -> Option<Self> {
        let mut files = FILES.lock().unwrap_or_else(PoisonError::into_inner);
        let known = files.get_mut(path)?;
        let store = known.store.upgrade()?;
        let users = known.users.upgrade().unwrap_or_default();
        known.users = Arc::downgrade(&users);
        Some(Self(Arc::new(Used {
            store,
            users: Mutex::new(Some(users)),
        })))
    }

    /// Ends the use. The last one closes the file: a host may copy or remove it then. Who comes later opens it again.
    pub(crate) async fn end(&self) {
        let users = {
            let mut users = self.0.users.lock().unwrap_or_else(PoisonError::into_inner);
            users.take()
        };
        if users.and_then(Arc::into_inner).is_some() {
            self.0.store.release().await;
        }
    }
}
