//! The store that lives as long as the process.

mod state;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tenon_contract::limits;

use crate::operation::check_name;
use crate::text::{folded, holds, snippet, text_of, words};
use crate::watchers::{Watchers, name_of, notify};
use crate::{
    Changed, Clock, Commit, Entry, Hit, Key, Millis, Operation, Page, Query, Row, SearchQuery,
    Store, StoreError, StoreFuture, SystemClock, Watch, check_keys, check_operations,
};
use state::{State, by_key, by_order};

/// Keeps everything in memory.
#[derive(Default)]
pub struct MemoryStore {
    clock: Clock,
    /// Most rows, and most logs; the one that was used longest ago is forgotten first.
    most: Option<usize>,
    state: Mutex<State>,
    watchers: Arc<Mutex<Watchers>>,
}

impl MemoryStore {
    /// A store that forgets what was used longest ago, beyond so many rows and as many logs.
    #[must_use]
    pub fn bounded(most: usize) -> Self {
        Self {
            most: Some(most),
            ..Self::default()
        }
    }

    /// A store with another clock.
    #[must_use]
    pub fn with_clock(system: SystemClock) -> Self {
        Self {
            clock: Clock::new(system),
            ..Self::default()
        }
    }

    fn open(&self) -> Result<MutexGuard<'_, State>, StoreError> {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.is_closed {
            Err(StoreError::Closed)
        } else {
            Ok(state)
        }
    }

    fn apply(&self, operations: Vec<Operation>) -> Result<Commit, StoreError> {
        check_operations(&operations)?;
        let names: Vec<String> = operations
            .iter()
            .map(|operation| name_of(operation).to_owned())
            .collect();
        let commit = {
            let mut state = self.open()?;
            let now = self.clock.now();
            if let Some(index) = operations
                .iter()
                .position(|operation| !state.holds(operation, now))
            {
                return Ok(Commit::Conflict { index });
            }
            state.version += 1;
            let versions = operations
                .into_iter()
                .map(|operation| state.write(operation, now))
                .collect();
            if let Some(most) = self.most {
                state.forget(most);
            }
            Commit::Done { versions }
        };
        notify(&self.watchers, &names);
        Ok(commit)
    }

    fn read(&self, keys: Vec<Key>) -> Result<Vec<Option<Row>>, StoreError> {
        check_keys(&keys)?;
        let mut state = self.open()?;
        let now = self.clock.now();
        state.uses += 1;
        let used = state.uses;
        let rows = keys.into_iter().map(|key| {
            let kept = state.rows.get_mut(&(key.space, key.key))?;
            kept.used = used;
            kept.is_there(now).then(|| kept.row.clone())
        });
        Ok(rows.collect())
    }

    fn page(&self, query: Query) -> Result<Page, StoreError> {
        let limit = query.check()?;
        let mut state = self.open()?;
        match query {
            Query::Space {
                space,
                prefix,
                order,
                after,
                ..
            } => {
                let prefix = prefix.unwrap_or_default();
                let now = self.clock.now();
                let rows = state.in_space(&space, &prefix, now);
                match order {
                    None => Ok(by_key(rows, after.as_deref(), limit)),
                    Some(range) => by_order(rows, range, after.as_deref(), limit),
                }
            }
            Query::Log {
                log, after, before, ..
            } => Ok(state.entries(&log, after, before, limit)),
        }
    }

    fn find(&self, query: &SearchQuery) -> Result<Vec<Hit>, StoreError> {
        let words: Vec<String> = words(&query.text).iter().map(|word| folded(word)).collect();
        let state = self.open()?;
        let logs = state
            .logs
            .iter()
            .filter(|(name, _)| name.starts_with(&query.logs));
        let mut entries: Vec<(&String, &Entry)> = logs
            .flat_map(|(name, log)| log.entries.values().map(move |entry| (name, entry)))
            .collect();
        entries.sort_by_key(|(_, entry)| std::cmp::Reverse(entry.seq));
        if words.is_empty() {
            return Ok(Vec::new());
        }
        let found = entries
            .into_iter()
            .take(limits::STORE_SEARCH_SCAN_MAX)
            .filter_map(|(log, entry)| {
                let text = text_of(&entry.value);
                holds(&text, &words).then(|| Hit {
                    log: log.clone(),
                    seq: entry.seq,
                    id: entry.id.clone(),
                    snippet: snippet(&text, &words),
                })
            });
        Ok(found
            .take(query.limit.min(limits::STORE_HITS_MAX))
            .collect())
    }
}

impl Store for MemoryStore {
    fn commit(&self, operations: Vec<Operation>) -> StoreFuture<'_, Commit> {
        Box::pin(async move { self.apply(operations) })
    }

    fn get(&self, keys: Vec<Key>) -> StoreFuture<'_, Vec<Option<Row>>> {
        Box::pin(async move { self.read(keys) })
    }

    fn scan(&self, query: Query) -> StoreFuture<'_, Page> {
        Box::pin(async move { self.page(query) })
    }

    fn now(&self) -> StoreFuture<'_, Millis> {
        Box::pin(async move { self.open().map(|_| self.clock.now()) })
    }

    fn watch(&self, names: Vec<String>, changed: Changed) -> Option<Watch> {
        Some(Watchers::add(&self.watchers, names, changed))
    }

    fn search(&self, query: SearchQuery) -> StoreFuture<'_, Vec<Hit>> {
        Box::pin(async move { self.find(&query) })
    }

    fn clear(&self, log: String) -> StoreFuture<'_, bool> {
        Box::pin(async move {
            check_name("log", &log)?;
            let removed = self.open()?.logs.remove(&log).is_some();
            if removed {
                notify(&self.watchers, &[log]);
            }
            Ok(removed)
        })
    }

    fn close(&self) -> StoreFuture<'_, ()> {
        Box::pin(async move {
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            *state = State {
                is_closed: true,
                ..State::default()
            };
            Ok(())
        })
    }
}

impl std::fmt::Debug for MemoryStore {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("MemoryStore")
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;
    use crate::Json;

    #[test]
    fn the_row_and_the_log_that_were_used_longest_ago_are_forgotten_first() {
        let store = MemoryStore::bounded(2);
        let value = || Json::from_text("1").unwrap();
        let key = |name: &str| Key::new("a", name);
        let commit = |operation| {
            store
                .commit(vec![operation])
                .now_or_never()
                .unwrap()
                .unwrap()
        };
        let there =
            |name: &str| store.get(vec![key(name)]).now_or_never().unwrap().unwrap()[0].is_some();
        commit(Operation::put(key("old"), value()));
        commit(Operation::put(key("used"), value()));
        commit(Operation::append("first", "1", value()));
        commit(Operation::append("second", "1", value()));
        assert!(there("old"));
        commit(Operation::put(key("new"), value()));
        commit(Operation::append("third", "1", value()));
        assert_eq!(
            (there("old"), there("used"), there("new")),
            (true, false, true)
        );
        let logs: Vec<String> = store.open().unwrap().logs.keys().cloned().collect();
        assert_eq!(logs, ["second", "third"]);
    }
}
