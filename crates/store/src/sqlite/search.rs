//! Searches in logs: by words, and by parts of words where there are none to be seen, as in Chinese and Japanese.

use std::collections::HashSet;

use rusqlite::{Connection, TransactionBehavior, params};
use tenon_contract::limits;

use super::file::Fault;
use super::reader::{Reader, json_of, readable};
use super::schema;
use crate::query::behind_prefix;
use crate::text::{folded, holds, snippet, text_of, words};
use crate::{Hit, SearchQuery};

/// Letters of one entry of the index: of words that are shorter, it knows nothing.
const GRAM: usize = 3;
/// Most bytes of one entry that are searched.
const TEXT_MAX_BYTES: usize = 64 * 1024;

/// Takes everything into the index that was appended since the last time.
pub(super) fn index(connection: &mut Connection) -> Result<(), Fault> {
    loop {
        let done = index_some(connection);
        match done {
            Ok(true) => return Ok(()),
            Ok(false) => {}
            // Only the index is damaged, or the next look at the file finds more.
            Err(fault) if fault.may_be_damage() => {
                connection.execute_batch(schema::SEARCH_AGAIN)?;
                index_some(connection)?;
            }
            Err(fault) => return Err(fault),
        }
    }
}

/// Whether nothing is left to do.
fn index_some(connection: &mut Connection) -> Result<bool, Fault> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let last = {
        let sql = "SELECT seq, value FROM entries WHERE seq > (SELECT indexed FROM counters) ORDER BY seq LIMIT ?1";
        let mut statement = transaction.prepare_cached(sql)?;
        let mut words =
            transaction.prepare_cached("INSERT INTO words (rowid, text) VALUES (?1, ?2)")?;
        let mut grams =
            transaction.prepare_cached("INSERT INTO grams (rowid, text) VALUES (?1, ?2)")?;
        let mut rows = statement.query([limits::STORE_INDEX_BATCH])?;
        let (mut last, mut count) = (None, 0);
        while let Some(row) = rows.next()? {
            let seq: i64 = row.get(0)?;
            if let Some(value) = readable(json_of(row, 1))? {
                let text = bounded(text_of(&value));
                words.execute(params![seq, text])?;
                grams.execute(params![seq, text])?;
            }
            last = Some(seq);
            count += 1;
        }
        last.map(|last| (last, count))
    };
    let Some((last, count)) = last else {
        return Ok(true);
    };
    transaction.execute("UPDATE counters SET indexed = ?1", [last])?;
    transaction.commit()?;
    Ok(count < limits::STORE_INDEX_BATCH)
}

fn bounded(mut text: String) -> String {
    text.truncate(text.floor_char_boundary(TEXT_MAX_BYTES));
    text
}

/// An entry that may be a hit.
struct Found {
    log: String,
    seq: i64,
    id: String,
    text: String,
}

impl Reader<'_> {
    pub(super) fn search(&self, query: &SearchQuery) -> Result<Vec<Hit>, Fault> {
        let plain = words(&query.text);
        let folded: Vec<String> = plain.iter().map(|word| folded(word)).collect();
        let limit = query.limit.min(limits::STORE_HITS_MAX);
        if plain.is_empty() || limit == 0 {
            return Ok(Vec::new());
        }
        let long: Vec<&String> = plain
            .iter()
            .filter(|word| word.chars().count() >= GRAM)
            .collect();
        let mut hits = Hits {
            found: Vec::new(),
            known: HashSet::new(),
            limit,
        };
        self.matching("words", &phrases(plain.iter()), &query.logs, |found| {
            hits.take(found, &folded)
        })?;
        if !long.is_empty() {
            self.matching("grams", &phrases(long.into_iter()), &query.logs, |found| {
                if holds(&found.text, &folded) {
                    hits.take(found, &folded)
                } else {
                    true
                }
            })?;
        } else {
            self.newest(&query.logs, |found| {
                if holds(&found.text, &folded) {
                    hits.take(found, &folded)
                } else {
                    true
                }
            })?;
        }
        Ok(hits.found)
    }

    /// Calls `take` with what matches, best first, until it returns false.
    fn matching(
        &self,
        table: &str,
        phrases: &str,
        logs: &str,
        mut take: impl FnMut(Found) -> bool,
    ) -> Result<(), Fault> {
        let sql = format!(
            "SELECT e.log, e.seq, e.id, e.value FROM {table} JOIN entries e ON e.seq = {table}.rowid
             WHERE {table} MATCH ?1 AND e.log >= ?2 AND (?3 IS NULL OR e.log < ?3) ORDER BY {table}.rank"
        );
        let mut statement = self.connection.prepare_cached(&sql)?;
        let mut rows = statement.query(params![phrases, logs, behind_prefix(logs)])?;
        while let Some(row) = rows.next()? {
            if let Some(found) = readable(found(row))?
                && !take(found)
            {
                break;
            }
        }
        Ok(())
    }

    /// Calls `take` with the newest entries, until it returns false.
    fn newest(&self, logs: &str, mut take: impl FnMut(Found) -> bool) -> Result<(), Fault> {
        let sql = "SELECT log, seq, id, value FROM entries
            WHERE log >= ?1 AND (?2 IS NULL OR log < ?2) ORDER BY seq DESC LIMIT ?3";
        let mut statement = self.connection.prepare_cached(sql)?;
        let mut rows = statement.query(params![
            logs,
            behind_prefix(logs),
            limits::STORE_SEARCH_SCAN_MAX
        ])?;
        while let Some(row) = rows.next()? {
            if let Some(found) = readable(found(row))?
                && !take(found)
            {
                break;
            }
        }
        Ok(())
    }
}

struct Hits {
    found: Vec<Hit>,
    known: HashSet<i64>,
    limit: usize,
}

impl Hits {
    /// Takes a hit, unless it is known; whether there is room for more.
    fn take(&mut self, found: Found, words: &[String]) -> bool {
        if self.known.insert(found.seq) {
            let Found { log, seq, id, text } = found;
            let snippet = snippet(&text, words);
            self.found.push(Hit {
                log,
                seq: seq.unsigned_abs(),
                id,
                snippet,
            });
        }
        self.found.len() < self.limit
    }
}

fn found(row: &rusqlite::Row<'_>) -> rusqlite::Result<Found> {
    let text = bounded(text_of(&json_of(row, 3)?));
    Ok(Found {
        log: row.get(0)?,
        seq: row.get(1)?,
        id: row.get(2)?,
        text,
    })
}

/// Words as FTS5 takes them: every one of them, and nothing in them is an operator.
fn phrases<'w>(words: impl Iterator<Item = &'w String>) -> String {
    let quoted = words.map(|word| format!("\"{}\"", word.replace('"', "\"\"")));
    quoted.collect::<Vec<_>>().join(" ")
}
