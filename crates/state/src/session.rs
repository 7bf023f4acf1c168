//! What one session keeps in a store.

use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tenon_contract::limits;
use tenon_store::{Commit, Expect, Json, Key, Operation, Query, Store, StoreError, Version};

use crate::{Todo, redacted};

/// A session: two toolkits with the same key share what it knows.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SessionKey {
    /// The workspace, by its absolute path without links: the same name elsewhere is another session.
    pub workspace: String,
    /// The name of the session.
    pub id: String,
}

/// Hears what the host should know, a sentence each.
pub type Warn = Arc<dyn Fn(String) + Send + Sync>;

/// What one session keeps in a store: its task list, its calls, what was approved. Cheap to clone.
///
/// A store that fails never takes work away: task lists are then kept here and calls are not, with a warning. An approval
/// that cannot be read is no approval.
#[derive(Clone)]
pub struct SessionRecords(Arc<Inner>);

struct Inner {
    store: Arc<dyn Store>,
    session: SessionKey,
    /// The session in names of rows and logs: both of its parts may be longer than a name.
    name: String,
    warn: Option<Warn>,
    /// The task list that the store did not take.
    unsaved: Mutex<Option<Vec<Todo>>>,
    /// The task list as it was last read or stored, for when the store cannot be read.
    known: Mutex<Option<Vec<Todo>>>,
}

/// One call of a session, as it was stored.
#[derive(Debug, Clone, PartialEq)]
pub struct PastCall {
    /// Its number in the log.
    pub seq: Version,
    /// When it ended, in milliseconds since 1970.
    pub at: i64,
    /// What was stored of it.
    pub call: Value,
}

/// The row of a task list.
#[derive(Serialize, Deserialize)]
struct Todos {
    #[serde(flatten)]
    of: Owner,
    todos: Vec<Todo>,
}

/// Whose row it is, for people who look into the store.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Owner {
    workspace: String,
    session: String,
}

/// The row of what a session has been allowed or refused for good.
#[derive(Serialize, Deserialize)]
struct Approvals {
    #[serde(flatten)]
    of: Owner,
    /// By the hash of what was asked: whether it was granted.
    answers: BTreeMap<String, bool>,
}

/// The spaces in which a session has one row.
const SPACES: [&str; 3] = ["todos", "approvals", crate::sources::SPACE];
/// The spaces in which it has rows below its name: what it has sent, its changes of files, what was in them, and its calls.
const SPACES_BELOW: [&str; 4] = ["messages", "changes", "contents", crate::claims::SPACE];

/// What was warned of: the same sentence comes once in a process.
static WARNED: LazyLock<Mutex<HashSet<String>>> = LazyLock::new(Mutex::default);

impl SessionRecords {
    /// What this session keeps in this store.
    #[must_use]
    pub fn new(store: Arc<dyn Store>, session: SessionKey, warn: Option<Warn>) -> Self {
        let name = hash(&[&session.workspace, &session.id]);
        Self(Arc::new(Inner {
            store,
            session,
            name,
            warn,
            unsaved: Mutex::default(),
            known: Mutex::default(),
        }))
    }

    /// What another session keeps in the same store.
    #[must_use]
    pub fn of(&self, session: SessionKey) -> Self {
        Self::new(Arc::clone(&self.0.store), session, self.0.warn.clone())
    }

    /// Where it is kept.
    #[must_use]
    pub fn store(&self) -> Arc<dyn Store> {
        Arc::clone(&self.0.store)
    }

    /// The store, and what rows of this session are called in it.
    #[must_use]
    pub fn shared(&self) -> (Arc<dyn Store>, &str) {
        (Arc::clone(&self.0.store), &self.0.name)
    }

    /// The session.
    #[must_use]
    pub fn session(&self) -> &SessionKey {
        &self.0.session
    }

    /// The task list; empty for a session that has none. Where the store cannot be read, as it was last known here.
    pub async fn todos(&self) -> Vec<Todo> {
        if let Some(unsaved) = self.unsaved().clone() {
            return unsaved;
        }
        let read = async {
            let row = self.row("todos").await?;
            row.map_or(Ok(Vec::new()), |(todos, _): (Todos, _)| Ok(todos.todos))
        };
        let read: Result<Vec<Todo>, StoreError> = read.await;
        self.warn_of_notices();
        let mut known = { self.0.known.lock() }.unwrap_or_else(PoisonError::into_inner);
        match read {
            Ok(todos) => known.insert(todos).clone(),
            Err(error) => {
                let what_counts = match *known {
                    Some(_) => "is taken as it was last known",
                    None => "begins empty",
                };
                self.warn(&format!(
                    "The task list could not be read, and {what_counts}: {error}"
                ));
                known.clone().unwrap_or_default()
            }
        }
    }

    /// Puts another list in the place of the task list.
    pub async fn replace_todos(&self, todos: &[Todo]) {
        let row = Todos {
            of: self.owner(),
            todos: todos.to_vec(),
        };
        let written = async {
            let put = Operation::put(self.key("todos"), Json::of(&row)?);
            self.0.store.commit(vec![put]).await
        };
        let written = written.await;
        self.warn_of_notices();
        match written {
            Ok(_) => {
                *self.unsaved() = None;
                *{ self.0.known.lock() }.unwrap_or_else(PoisonError::into_inner) =
                    Some(todos.to_vec());
            }
            Err(error) => {
                *self.unsaved() = Some(todos.to_vec());
                self.warn(&format!(
                    "The task list could not be stored, and is kept in memory: {error}"
                ));
            }
        }
    }

    /// Appends a finished call under an id that no other call has. Secrets are taken out.
    pub async fn record_call(&self, id: String, call: Value) {
        let appended = async {
            let append = Operation::append(self.log(), id, Json::of(&redacted(call))?);
            self.0.store.commit(vec![append]).await
        };
        let appended: Result<Commit, StoreError> = appended.await;
        self.warn_of_notices();
        if let Err(error) = appended {
            self.warn(&format!("The history could not be stored: {error}"));
        }
    }

    /// The last calls, those of earlier toolkits too, oldest first; with `before`, the last ones before that number.
    ///
    /// # Errors
    /// Why the store did not return them.
    pub async fn calls(
        &self,
        before: Option<Version>,
        limit: usize,
    ) -> Result<Vec<PastCall>, StoreError> {
        let query = match (Query::last(self.log(), limit), before) {
            (
                Query::Log {
                    log, after, limit, ..
                },
                Some(_),
            ) => Query::Log {
                log,
                after,
                before,
                limit,
            },
            (query, _) => query,
        };
        let (entries, _) = self.0.store.scan(query).await?.into_entries()?;
        let calls = entries.into_iter().map(|entry| {
            Ok(PastCall {
                seq: entry.seq,
                at: entry.at,
                call: entry.value.read()?,
            })
        });
        calls.collect()
    }

    /// What was answered for good to these questions. Where the store fails nothing was: they are asked again.
    pub async fn answers(&self, questions: &[&str]) -> Vec<Option<bool>> {
        let row = self.row::<Approvals>("approvals").await;
        self.warn_of_notices();
        let known = row.unwrap_or_else(|error| {
            self.warn(&format!(
                "Remembered approvals could not be read, so approval is requested again: {error}"
            ));
            None
        });
        let answer = |question: &&str| known.as_ref()?.0.answers.get(&hash(&[question])).copied();
        questions.iter().map(answer).collect()
    }

    /// Keeps answers for good. Only hashes of the questions are stored, which may hold anything.
    pub async fn remember(&self, answers: &[(String, bool)]) {
        let written = self.remember_or_fail(answers).await;
        self.warn_of_notices();
        if let Err(error) = written {
            self.warn(&format!(
                "An approval could not be stored, and will be asked again: {error}"
            ));
        }
    }

    async fn remember_or_fail(&self, answers: &[(String, bool)]) -> Result<(), StoreError> {
        for _ in 0..limits::STORE_SWAP_ATTEMPTS {
            let found = self.row::<Approvals>("approvals").await?;
            let expect = found
                .as_ref()
                .map_or(Expect::Absent, |(_, version)| Expect::Version(*version));
            let mut row = found.map_or_else(
                || Approvals {
                    of: self.owner(),
                    answers: BTreeMap::new(),
                },
                |found| found.0,
            );
            row.answers.extend(
                answers
                    .iter()
                    .map(|(question, answer)| (hash(&[question]), *answer)),
            );
            let put = Operation::put(self.key("approvals"), Json::of(&row)?).expecting(expect);
            if let Commit::Done { .. } = self.0.store.commit(vec![put]).await? {
                return Ok(());
            }
        }
        Err(StoreError::Failed(
            "Others changed the row each time".to_owned(),
        ))
    }

    /// Removes everything that is kept of this session, with what the tools have kept under its name. Whether there was
    /// anything. Once more finishes what a store that failed has begun.
    ///
    /// # Errors
    /// Why the store did not remove it. Nothing was removed where it cannot remove a log.
    pub async fn forget(&self) -> Result<bool, StoreError> {
        let had_calls = self.0.store.clear(self.log()).await?;
        let own = SPACES.iter().map(|space| self.key(space)).collect();
        let rows = self.0.store.get(own).await?;
        let found = SPACES.iter().zip(rows);
        let found =
            found.filter_map(|(space, row)| row.map(|_| Operation::delete(self.key(space))));
        let found: Vec<Operation> = found.collect();
        let mut had_rows = !found.is_empty();
        if had_rows {
            self.0.store.commit(found).await?;
        }
        for space in SPACES_BELOW {
            had_rows |= self.forget_below(space).await?;
        }
        let had_unsaved = self.unsaved().take().is_some();
        Ok(had_calls || had_rows || had_unsaved)
    }

    /// Removes the rows of a space whose keys are in the directory of this session.
    async fn forget_below(&self, space: &str) -> Result<bool, StoreError> {
        let mut had_rows = false;
        loop {
            let page = self.0.store.scan(Query::Space {
                space: space.to_owned(),
                prefix: Some(format!("{}/", self.0.name)),
                order: None,
                after: None,
                limit: limits::STORE_OPERATIONS_MAX,
            });
            let (rows, next) = page.await?.into_rows()?;
            if rows.is_empty() {
                return Ok(had_rows);
            }
            had_rows = true;
            let deletes = rows
                .into_iter()
                .map(|row| Operation::delete(Key::new(space, row.key)));
            self.0.store.commit(deletes.collect()).await?;
            if next.is_none() {
                return Ok(had_rows);
            }
        }
    }

    pub(crate) async fn row<T: serde::de::DeserializeOwned>(
        &self,
        space: &str,
    ) -> Result<Option<(T, Version)>, StoreError> {
        let rows = self.0.store.get(vec![self.key(space)]).await?;
        let row = rows.into_iter().next().flatten();
        row.map(|row| Ok((row.value.read()?, row.version)))
            .transpose()
    }

    pub(crate) fn key(&self, space: &str) -> Key {
        Key::new(space, self.0.name.as_str())
    }

    fn log(&self) -> String {
        format!("history/{}", self.0.name)
    }

    pub(crate) fn owner(&self) -> Owner {
        let SessionKey { workspace, id } = self.0.session.clone();
        Owner {
            workspace,
            session: id,
        }
    }

    fn unsaved(&self) -> MutexGuard<'_, Option<Vec<Todo>>> {
        self.0
            .unsaved
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn warn_of_notices(&self) {
        self.0
            .store
            .notices()
            .iter()
            .for_each(|notice| self.warn(notice));
    }

    /// Notifies the host something that it should know; the same sentence once in a process.
    pub fn warn(&self, sentence: &str) {
        let Some(warn) = &self.0.warn else { return };
        let mut warned = WARNED.lock().unwrap_or_else(PoisonError::into_inner);
        if warned.insert(sentence.to_owned()) {
            drop(warned);
            warn(sentence.to_owned());
        }
    }
}

/// A name for texts of any length.
pub(crate) fn hash(parts: &[&str]) -> String {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(&u64::try_from(part.len()).unwrap_or(u64::MAX).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    let mut name = hasher.finalize().to_hex().to_string();
    name.truncate(32);
    name
}

#[cfg(test)]
#[path = "session_tests.rs"]
mod tests;
