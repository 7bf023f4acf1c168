//! The store that lives as long as the process.

use std::collections::{BTreeMap, HashMap};
use std::ops::Bound;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tenon_contract::limits;

use crate::query::{order_mark, read_order_mark};
use crate::text::{folded, holds, snippet, text_of, words};
use crate::{
    Append, Changed, Clock, Commit, Delete, Entry, Expect, Hit, Json, Key, Millis, Operation, Page,
    Put, Query, Range, Row, SearchQuery, Store, StoreError, StoreFuture, SystemClock, Version,
    Watch, check_keys, check_operations,
};

/// Keeps everything in memory.
#[derive(Default)]
pub struct MemoryStore {
    clock: Clock,
    /// Most rows, and most logs; the one that was used longest ago is forgotten first.
    most: Option<usize>,
    state: Mutex<State>,
    watchers: Arc<Mutex<Watchers>>,
}

#[derive(Default)]
struct State {
    is_closed: bool,
    /// Counts commits: the version of what they write.
    version: Version,
    /// Counts uses: the smallest number is that of what was used longest ago.
    uses: u64,
    rows: BTreeMap<(String, String), Kept>,
    logs: BTreeMap<String, Log>,
}

struct Kept {
    used: u64,
    row: Row,
    expires_at: Option<Millis>,
}

#[derive(Default)]
struct Log {
    used: u64,
    entries: BTreeMap<Version, Entry>,
    ids: HashMap<String, Version>,
}

#[derive(Default)]
pub(crate) struct Watchers {
    last: u64,
    watchers: HashMap<u64, (Vec<String>, Changed)>,
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

impl Kept {
    fn is_there(&self, now: Millis) -> bool {
        self.expires_at.is_none_or(|end| end > now)
    }
}

impl State {
    fn version_of(&self, key: &Key, now: Millis) -> Option<Version> {
        let kept = self.rows.get(&(key.space.clone(), key.key.clone()))?;
        kept.is_there(now).then_some(kept.row.version)
    }

    fn holds(&self, operation: &Operation, now: Millis) -> bool {
        match operation {
            Operation::Put(put) => match put.expect {
                Expect::Any => true,
                Expect::Absent => self.version_of(&put.key, now).is_none(),
                Expect::Version(version) => self.version_of(&put.key, now) == Some(version),
            },
            Operation::Delete(delete) => delete
                .expect
                .is_none_or(|version| self.version_of(&delete.key, now) == Some(version)),
            Operation::Append(_) => true,
        }
    }

    fn write(&mut self, operation: Operation, now: Millis) -> Version {
        self.uses += 1;
        match operation {
            Operation::Put(Put {
                key: Key { space, key },
                value,
                order,
                expires_at,
                ..
            }) => {
                let row = Row {
                    key: key.clone(),
                    value,
                    version: self.version,
                    order,
                    updated_at: now,
                };
                self.rows.insert(
                    (space, key),
                    Kept {
                        used: self.uses,
                        row,
                        expires_at,
                    },
                );
                self.version
            }
            Operation::Delete(Delete {
                key: Key { space, key },
                ..
            }) => {
                self.rows.remove(&(space, key));
                0
            }
            Operation::Append(Append { log, id, value }) => self.append(log, id, value, now),
        }
    }

    fn append(&mut self, log: String, id: String, value: Json, at: Millis) -> Version {
        let log = self.logs.entry(log).or_default();
        log.used = self.uses;
        if let Some(seq) = log.ids.get(&id) {
            return *seq;
        }
        // Several entries of one commit follow each other.
        let last = log.entries.last_key_value().map_or(0, |(seq, _)| *seq);
        let seq = self.version.max(last + 1);
        self.version = seq;
        log.ids.insert(id.clone(), seq);
        log.entries.insert(seq, Entry { seq, id, value, at });
        let most = usize::try_from(limits::STORE_HISTORY_MAX_ENTRIES).unwrap_or(usize::MAX);
        if log.entries.len() > most
            && let Some((_, oldest)) = log.entries.pop_first()
        {
            log.ids.remove(&oldest.id);
        }
        seq
    }

    fn in_space(&mut self, space: &str, prefix: &str, now: Millis) -> Vec<Row> {
        let from = (space.to_owned(), prefix.to_owned());
        let range = self.rows.range((Bound::Included(from), Bound::Unbounded));
        let range = range.take_while(|((of, key), _)| of == space && key.starts_with(prefix));
        range
            .filter(|(_, kept)| kept.is_there(now))
            .map(|(_, kept)| kept.row.clone())
            .collect()
    }

    fn entries(
        &mut self,
        log: &str,
        after: Option<Version>,
        before: Option<Version>,
        limit: usize,
    ) -> Page {
        self.uses += 1;
        let used = self.uses;
        let none = Page::Entries {
            entries: Vec::new(),
            next: None,
        };
        let Some(log) = self.logs.get_mut(log) else {
            return none;
        };
        log.used = used;
        let from = after.map_or(Bound::Unbounded, Bound::Excluded);
        if let (Some(after), Some(before)) = (after, before)
            && after >= before
        {
            return none;
        }
        let range = log
            .entries
            .range((from, before.map_or(Bound::Unbounded, Bound::Excluded)));
        let is_backwards = before.is_some() && after.is_none();
        let mut entries: Vec<Entry> = if is_backwards {
            range
                .rev()
                .take(limit + 1)
                .map(|(_, entry)| entry.clone())
                .collect()
        } else {
            range
                .take(limit + 1)
                .map(|(_, entry)| entry.clone())
                .collect()
        };
        let has_more = entries.len() > limit;
        entries.truncate(limit);
        let next = entries
            .last()
            .filter(|_| has_more)
            .map(|entry| entry.seq.to_string());
        if is_backwards {
            entries.reverse();
        }
        Page::Entries { entries, next }
    }

    /// Forgets what was used longest ago. Rows that have ended go first.
    fn forget(&mut self, most: usize) {
        if self.rows.len() > most {
            let oldest = self.rows.iter().min_by_key(|(_, kept)| kept.used);
            if let Some(key) = oldest.map(|(key, _)| key.clone()) {
                self.rows.remove(&key);
            }
        }
        if self.logs.len() > most {
            let oldest = self.logs.iter().min_by_key(|(_, log)| log.used);
            if let Some(name) = oldest.map(|(name, _)| name.clone()) {
                self.logs.remove(&name);
            }
        }
    }
}

fn by_key(rows: Vec<Row>, after: Option<&str>, limit: usize) -> Page {
    let behind = rows
        .into_iter()
        .filter(|row| after.is_none_or(|after| row.key.as_str() > after));
    let mut rows: Vec<Row> = behind.take(limit + 1).collect();
    let has_more = rows.len() > limit;
    rows.truncate(limit);
    let next = rows.last().filter(|_| has_more).map(|row| row.key.clone());
    Page::Rows { rows, next }
}

fn by_order(
    rows: Vec<Row>,
    range: Range,
    after: Option<&str>,
    limit: usize,
) -> Result<Page, StoreError> {
    let after = after.map(read_order_mark).transpose()?;
    let numbered = rows.into_iter().filter_map(|row| Some((row.order?, row)));
    let mut rows: Vec<(i64, Row)> = numbered
        .filter(|(order, _)| range.from.is_none_or(|from| *order >= from))
        .filter(|(order, _)| range.to.is_none_or(|to| *order <= to))
        .filter(|(order, row)| after.is_none_or(|after| (*order, row.key.as_str()) > after))
        .collect();
    rows.sort_by(|(one, first), (other, second)| (one, &first.key).cmp(&(other, &second.key)));
    let has_more = rows.len() > limit;
    rows.truncate(limit);
    let next = rows
        .last()
        .filter(|_| has_more)
        .map(|(order, row)| order_mark(*order, &row.key));
    Ok(Page::Rows {
        rows: rows.into_iter().map(|(_, row)| row).collect(),
        next,
    })
}

/// What a watcher of an operation has named: its space or its log.
pub(crate) fn name_of(operation: &Operation) -> &str {
    match operation {
        Operation::Put(put) => &put.key.space,
        Operation::Delete(delete) => &delete.key.space,
        Operation::Append(append) => &append.log,
    }
}

/// Calls everyone who watches one of these names.
pub(crate) fn notify(watchers: &Mutex<Watchers>, names: &[String]) {
    let touched: Vec<Changed> = {
        let watchers = watchers.lock().unwrap_or_else(PoisonError::into_inner);
        let all = watchers.watchers.values();
        let touched = all.filter(|(watched, _)| watched.iter().any(|name| names.contains(name)));
        touched.map(|(_, changed)| Arc::clone(changed)).collect()
    };
    touched.iter().for_each(|changed| changed());
}

impl Watchers {
    /// Calls of all, whatever they watch.
    pub(crate) fn all(&self) -> Vec<Changed> {
        self.watchers
            .values()
            .map(|(_, changed)| Arc::clone(changed))
            .collect()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.watchers.is_empty()
    }

    pub(crate) fn add(watchers: &Arc<Mutex<Self>>, names: Vec<String>, changed: Changed) -> Watch {
        let number = {
            let mut open = watchers.lock().unwrap_or_else(PoisonError::into_inner);
            open.last += 1;
            let number = open.last;
            open.watchers.insert(number, (names, changed));
            number
        };
        let watchers = Arc::clone(watchers);
        Watch::new(move || {
            let mut open = watchers.lock().unwrap_or_else(PoisonError::into_inner);
            open.watchers.remove(&number);
        })
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
