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
use state::{State, by_key, by_order, session_of_key, session_of_log};

/// Keeps everything in memory.
#[derive(Default)]
pub struct MemoryStore {
    clock: Clock,
    bound: Option<Bound>,
    state: Mutex<State>,
    watchers: Arc<Mutex<Watchers>>,
}

/// How much is kept.
#[derive(Clone, Copy)]
enum Bound {
    /// Most rows, and most logs.
    Rows(usize),
    /// Most sessions, and most bytes of all of them.
    Sessions(usize, usize),
}

impl MemoryStore {
    /// A store that forgets the rows and the logs that were used longest ago, beyond so many of each.
    #[must_use]
    pub fn bounded(most: usize) -> Self {
        Self {
            bound: Some(Bound::Rows(most)),
            ..Self::default()
        }
    }

    /// A store that forgets the session that was used longest ago, beyond so many sessions or so many bytes: all of it,
    /// and nothing of the others. The name of a session is the first part of its keys and the second one of its logs,
    /// between slashes.
    #[must_use]
    pub fn of_sessions(most: usize, max_bytes: usize) -> Self {
        Self {
            bound: Some(Bound::Sessions(most, max_bytes)),
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
            match self.bound {
                Some(Bound::Rows(most)) => state.forget_rows(most, now),
                Some(Bound::Sessions(most, max_bytes)) => state.forget_sessions(most, max_bytes),
                None => {}
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
        for key in &keys {
            state.touch(session_of_key(&key.key));
        }
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
                state.uses += 1;
                state.touch(session_of_key(&prefix));
                let now = self.clock.now();
                let rows = state.in_space(&space, &prefix, now);
                match order {
                    None => Ok(by_key(rows, after.as_deref(), limit)),
                    Some(range) => by_order(rows, range, after.as_deref(), limit),
                }
            }
            Query::Log {
                log, after, before, ..
            } => {
                state.touch(session_of_log(&log));
                Ok(state.entries(&log, after, before, limit))
            }
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
            let removed = self.open()?.remove_log(&log);
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

    #[test]
    fn the_session_that_was_used_longest_ago_is_forgotten_as_a_whole() {
        let store = MemoryStore::of_sessions(2, 100);
        let commit = |operations| store.commit(operations).now_or_never().unwrap().unwrap();
        let put =
            |key: &str, text: &str| Operation::put(Key::new("a", key), Json::of(&text).unwrap());
        let kept = || {
            let state = store.open().unwrap();
            let keys = state.rows.keys().map(|(_, key)| key.clone());
            keys.chain(state.logs.keys().cloned()).collect::<Vec<_>>()
        };
        commit(vec![put("one", ""), put("one/below", "")]);
        commit(vec![
            put("two", ""),
            Operation::append("history/two", "1", Json::of(&"x").unwrap()),
        ]);
        store
            .get(vec![Key::new("a", "one")])
            .now_or_never()
            .unwrap()
            .unwrap();
        commit(vec![put("three", "")]);
        assert_eq!(kept(), ["one", "one/below", "three"]);
        // So many bytes are too many for both, however many sessions there are.
        commit(vec![put("three/large", &"x".repeat(99))]);
        assert_eq!(kept(), ["three", "three/large"]);
        // What was removed or replaced does not count.
        commit(vec![put("three/large", "")]);
        commit(vec![put("four", &"x".repeat(50))]);
        assert_eq!(kept(), ["four", "three", "three/large"]);
        store
            .clear("history/two".to_owned())
            .now_or_never()
            .unwrap()
            .unwrap();
    }

    #[test]
    fn a_commit_of_many_rows_does_not_outgrow_the_bound() {
        let store = MemoryStore::bounded(3);
        let puts = |names: [&str; 3]| {
            let put = |name: &str| Operation::put(Key::new("a", name), Json::of(&"").unwrap());
            names.map(put).to_vec()
        };
        for names in [["a", "b", "c"], ["d", "e", "f"]] {
            store.commit(puts(names)).now_or_never().unwrap().unwrap();
        }
        let keys: Vec<String> = store
            .open()
            .unwrap()
            .rows
            .keys()
            .map(|(_, key)| key.clone())
            .collect();
        assert_eq!(keys, ["d", "e", "f"]);
    }
}
