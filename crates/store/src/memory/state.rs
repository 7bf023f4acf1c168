//! What the store in memory holds.

use std::collections::{BTreeMap, HashMap};
use std::ops::Bound;

use tenon_contract::limits;

use crate::query::{order_mark, read_order_mark};
use crate::{
    Append, Delete, Entry, Expect, Json, Key, Millis, Operation, Page, Put, Range, Row, StoreError,
    Version,
};

#[derive(Default)]
pub(super) struct State {
    pub(super) is_closed: bool,
    /// Counts commits: the version of what they write.
    pub(super) version: Version,
    /// Counts uses: the smallest number is that of what was used longest ago.
    pub(super) uses: u64,
    pub(super) rows: BTreeMap<(String, String), StoredRow>,
    pub(super) logs: BTreeMap<String, Log>,
    /// When something of a session was used, by its name.
    pub(super) sessions: HashMap<String, u64>,
    /// The bytes of all values.
    pub(super) bytes: usize,
}

pub(super) struct StoredRow {
    pub(super) used: u64,
    pub(super) row: Row,
    pub(super) expires_at: Option<Millis>,
}

#[derive(Default)]
pub(super) struct Log {
    pub(super) used: u64,
    pub(super) entries: BTreeMap<Version, Entry>,
    pub(super) ids: HashMap<String, Version>,
}

impl StoredRow {
    pub(super) fn is_there(&self, now: Millis) -> bool {
        self.expires_at.is_none_or(|end| end > now)
    }
}

impl State {
    pub(super) fn version_of(&self, key: &Key, now: Millis) -> Option<Version> {
        let kept = self.rows.get(&(key.space.clone(), key.key.clone()))?;
        kept.is_there(now).then_some(kept.row.version)
    }

    pub(super) fn holds(&self, operation: &Operation, now: Millis) -> bool {
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

    /// Notes that a session is used.
    pub(super) fn touch(&mut self, session: &str) {
        let used = self.uses;
        if let Some(last) = self.sessions.get_mut(session) {
            *last = used;
        }
    }

    /// Notes that something of a session is written.
    fn enter(&mut self, session: &str) {
        if self.sessions.contains_key(session) {
            self.touch(session);
        } else {
            self.sessions.insert(session.to_owned(), self.uses);
        }
    }

    pub(super) fn write(&mut self, operation: Operation, now: Millis) -> Version {
        self.uses += 1;
        match &operation {
            Operation::Put(put) => self.enter(session_of_key(&put.key.key)),
            Operation::Append(append) => self.enter(session_of_log(&append.log)),
            Operation::Delete(_) => {}
        }
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
                self.bytes += size(&row.value);
                let kept = StoredRow {
                    used: self.uses,
                    row,
                    expires_at,
                };
                let before = self.rows.insert((space, key), kept);
                self.freed(before.as_ref());
                self.version
            }
            Operation::Delete(Delete {
                key: Key { space, key },
                ..
            }) => {
                let before = self.rows.remove(&(space, key));
                self.freed(before.as_ref());
                0
            }
            Operation::Append(Append { log, id, value }) => self.append(log, id, value, now),
        }
    }

    fn freed(&mut self, row: Option<&StoredRow>) {
        self.bytes -= row.map_or(0, |kept| size(&kept.row.value));
    }

    pub(super) fn append(&mut self, log: String, id: String, value: Json, at: Millis) -> Version {
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
        self.bytes += size(&value);
        log.entries.insert(seq, Entry { seq, id, value, at });
        let most = usize::try_from(limits::STORE_HISTORY_MAX_ENTRIES).unwrap_or(usize::MAX);
        if log.entries.len() > most
            && let Some((_, oldest)) = log.entries.pop_first()
        {
            log.ids.remove(&oldest.id);
            self.bytes -= size(&oldest.value);
        }
        seq
    }

    pub(super) fn in_space(&mut self, space: &str, prefix: &str, now: Millis) -> Vec<Row> {
        let from = (space.to_owned(), prefix.to_owned());
        let range = self.rows.range((Bound::Included(from), Bound::Unbounded));
        let range = range.take_while(|((of, key), _)| of == space && key.starts_with(prefix));
        range
            .filter(|(_, kept)| kept.is_there(now))
            .map(|(_, kept)| kept.row.clone())
            .collect()
    }

    pub(super) fn entries(
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

    /// Forgets the rows and the logs that were used longest ago. Rows that have ended go first.
    pub(super) fn forget_rows(&mut self, most: usize, now: Millis) {
        while self.rows.len() > most {
            let rows = self.rows.iter();
            let oldest = rows.min_by_key(|(_, kept)| (kept.is_there(now), kept.used));
            let Some(key) = oldest.map(|(key, _)| key.clone()) else {
                return;
            };
            let before = self.rows.remove(&key);
            self.freed(before.as_ref());
        }
        while self.logs.len() > most {
            let oldest = self.logs.iter().min_by_key(|(_, log)| log.used);
            let Some(name) = oldest.map(|(name, _)| name.clone()) else {
                return;
            };
            self.remove_log(&name);
        }
    }

    /// Forgets the sessions that were used longest ago, but not the one that is used now.
    pub(super) fn forget_sessions(&mut self, most: usize, max_bytes: usize) {
        while self.sessions.len() > 1 && (self.sessions.len() > most || self.bytes > max_bytes) {
            let oldest = self.sessions.iter().min_by_key(|(_, used)| **used);
            let Some(session) = oldest.map(|(session, _)| session.clone()) else {
                return;
            };
            self.sessions.remove(&session);
            self.rows
                .retain(|(_, key), _| session_of_key(key) != session);
            self.logs.retain(|log, _| session_of_log(log) != session);
            let rows = self.rows.values().map(|kept| size(&kept.row.value));
            let logs = self.logs.values().flat_map(|log| log.entries.values());
            self.bytes = rows.chain(logs.map(|entry| size(&entry.value))).sum();
        }
    }

    pub(super) fn remove_log(&mut self, log: &str) -> bool {
        let removed = self.logs.remove(log);
        let entries = removed.iter().flat_map(|log| log.entries.values());
        self.bytes -= entries.map(|entry| size(&entry.value)).sum::<usize>();
        removed.is_some()
    }
}

/// What a value takes.
fn size(value: &Json) -> usize {
    value.as_str().len()
}

/// The session of a row, by its name.
pub(super) fn session_of_key(key: &str) -> &str {
    key.split('/').next().unwrap_or(key)
}

/// The session of a log, by its name.
pub(super) fn session_of_log(log: &str) -> &str {
    log.split('/').nth(1).unwrap_or(log)
}

pub(super) fn by_key(rows: Vec<Row>, after: Option<&str>, limit: usize) -> Page {
    let behind = rows
        .into_iter()
        .filter(|row| after.is_none_or(|after| row.key.as_str() > after));
    let mut rows: Vec<Row> = behind.take(limit + 1).collect();
    let has_more = rows.len() > limit;
    rows.truncate(limit);
    let next = rows.last().filter(|_| has_more).map(|row| row.key.clone());
    Page::Rows { rows, next }
}

pub(super) fn by_order(
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
