//! The threads that read.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::Receiver;

use rusqlite::types::{Type, Value};
use rusqlite::{Connection, OptionalExtension, params, params_from_iter};
use serde::de::IgnoredAny;
use tenon_contract::limits;

use super::file::{Fault, Opened, is_undecodable, open_to_read};
use super::lane::{self, Lane};
use super::shared::{Shared, gone};
use crate::query::{behind_prefix, order_mark, read_order_mark};
use crate::{Entry, Json, Key, Millis, Page, Query, Range, Row, StoreError, Version};

/// One question.
pub(super) type Question = Box<dyn FnOnce(&mut Opening<'_>) + Send>;

/// The reading side of the file, opened when it is first needed and again when the file is another one.
pub(super) struct Opening<'s> {
    shared: &'s Shared,
    opened: Option<Opened>,
}

/// What a question is put to.
pub(super) struct Reader<'c> {
    pub(super) connection: &'c Connection,
    now: Millis,
}

pub(super) fn run(shared: &Shared, questions: &Receiver<Question>) {
    let mut opening = Opening {
        shared,
        opened: None,
    };
    while let Ok(question) = questions.recv() {
        question(&mut opening);
    }
}

impl Opening<'_> {
    fn read<T>(&mut self, work: impl Fn(&Reader<'_>) -> Result<T, Fault>) -> Result<T, Fault> {
        let read = self.reader().and_then(|reader| work(&reader));
        if read.is_err() {
            self.opened = None;
        }
        read
    }

    /// The file as it is now. Apart from what is read, so that the code of it is there once.
    fn reader(&mut self) -> Result<Reader<'_>, Fault> {
        let path = &self.shared.path;
        let opened = match self.opened.take().filter(|opened| opened.is_current(path)) {
            Some(opened) => opened,
            None => open_to_read(path)?,
        };
        let opened = self.opened.insert(opened);
        Ok(Reader {
            connection: &opened.connection,
            now: self.shared.clock.now(),
        })
    }
}

/// Two threads; the second is started when the first is busy.
pub(super) struct Readers {
    lanes: [(Lane<Question>, Arc<AtomicUsize>); 2],
}

impl Readers {
    pub(super) fn new(run: impl Fn(Receiver<Question>) + Clone + Send + Sync + 'static) -> Self {
        let lane = |name| (Lane::new(name, run.clone()), Arc::new(AtomicUsize::new(0)));
        Self {
            lanes: [lane("tenon-store-read-1"), lane("tenon-store-read-2")],
        }
    }

    /// Puts a question to the thread that has less to do.
    pub(super) async fn ask<T: Send + 'static>(
        &self,
        work: impl Fn(&Reader<'_>) -> Result<T, Fault> + Send + 'static,
    ) -> Result<Result<T, Fault>, StoreError> {
        let [first, second] = &self.lanes;
        let waiting = |lane: &(Lane<Question>, Arc<AtomicUsize>)| lane.1.load(Ordering::Relaxed);
        let (lane, count) = if waiting(first) <= waiting(second) {
            first
        } else {
            second
        };
        let (reply, answer) = lane::reply();
        count.fetch_add(1, Ordering::Relaxed);
        let counted = Arc::clone(count);
        let question: Question = Box::new(move |opening| {
            let read = opening.read(work);
            counted.fetch_sub(1, Ordering::Relaxed);
            // A caller that gave up waiting needs no answer.
            let _ = reply.send(Ok(read));
        });
        if let Err(error) = lane.send(question) {
            count.fetch_sub(1, Ordering::Relaxed);
            return Err(error);
        }
        answer.await.map_err(|_| gone())?
    }

    /// Waits until both have ended.
    pub(super) async fn end(&self) {
        for (lane, _) in &self.lanes {
            lane.end().await;
        }
    }
}

impl Reader<'_> {
    /// The latest time that a commit has seen.
    pub(super) fn clock(&self) -> Result<Millis, Fault> {
        Ok(self
            .connection
            .query_row("SELECT clock FROM counters", [], |row| row.get(0))?)
    }

    pub(super) fn rows(&self, keys: &[Key]) -> Result<Vec<Option<Row>>, Fault> {
        // One look at the store: all rows are of one moment.
        let transaction = self.connection.unchecked_transaction()?;
        let rows = {
            let sql = "SELECT key, value, version, ord, updated_at FROM rows
                WHERE space = ?1 AND key = ?2 AND (expires_at IS NULL OR expires_at > ?3)";
            let mut statement = transaction.prepare_cached(sql)?;
            let rows = keys.iter().map(|key| {
                let row = statement
                    .query_row(params![key.space, key.key, self.now], row_of)
                    .optional();
                Ok(readable(row)?.flatten())
            });
            rows.collect::<Result<Vec<_>, Fault>>()?
        };
        transaction.commit()?;
        Ok(rows)
    }

    pub(super) fn page(&self, query: &Query, limit: usize) -> Result<Page, Fault> {
        match query {
            Query::Space {
                space,
                prefix,
                order,
                after,
                ..
            } => {
                let prefix = prefix.as_deref().unwrap_or_default();
                self.space(space, prefix, *order, after.as_deref(), limit)
            }
            Query::Log {
                log, after, before, ..
            } => self.log(log, *after, *before, limit),
        }
    }

    fn space(
        &self,
        space: &str,
        prefix: &str,
        order: Option<Range>,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Page, Fault> {
        let mut sql = "SELECT key, value, version, ord, updated_at FROM rows
            WHERE space = ? AND (expires_at IS NULL OR expires_at > ?)"
            .to_owned();
        let mut values: Vec<Value> = vec![space.to_owned().into(), self.now.into()];
        let mut also = |condition: &str, more: Vec<Value>| {
            sql.push_str(" AND ");
            sql.push_str(condition);
            values.extend(more);
        };
        if !prefix.is_empty() {
            also("key >= ?", vec![prefix.to_owned().into()]);
            if let Some(end) = behind_prefix(prefix) {
                also("key < ?", vec![end.into()]);
            }
        }
        match (order, after) {
            (None, None) => {}
            (None, Some(after)) => also("key > ?", vec![after.to_owned().into()]),
            (Some(range), after) => {
                also("ord IS NOT NULL", Vec::new());
                if let Some(from) = range.from {
                    also("ord >= ?", vec![from.into()]);
                }
                if let Some(to) = range.to {
                    also("ord <= ?", vec![to.into()]);
                }
                if let Some((number, key)) = after.map(read_order_mark).transpose()? {
                    also(
                        "(ord, key) > (?, ?)",
                        vec![number.into(), key.to_owned().into()],
                    );
                }
            }
        }
        sql.push_str(if order.is_some() {
            " ORDER BY ord, key"
        } else {
            " ORDER BY key"
        });
        let mut statement = self.connection.prepare_cached(&sql)?;
        let found = statement.query_map(params_from_iter(values), row_of)?;
        let (rows, has_more) = page_of(found, limit, |row: &Row| row.value.as_str().len())?;
        let next = rows
            .last()
            .filter(|_| has_more)
            .map(|row| match (order, row.order) {
                (Some(_), Some(number)) => order_mark(number, &row.key),
                _ => row.key.clone(),
            });
        Ok(Page::Rows { rows, next })
    }

    fn log(
        &self,
        log: &str,
        after: Option<Version>,
        before: Option<Version>,
        limit: usize,
    ) -> Result<Page, Fault> {
        let is_backwards = before.is_some() && after.is_none();
        let direction = if is_backwards { "DESC" } else { "ASC" };
        let sql = format!(
            "SELECT seq, id, value, at FROM entries WHERE log = ?1 AND seq > ?2 AND seq < ?3 ORDER BY seq {direction}"
        );
        let mut statement = self.connection.prepare_cached(&sql)?;
        let bound = |number: Version| i64::try_from(number).unwrap_or(i64::MAX);
        let range = (
            bound(after.unwrap_or(0)),
            bound(before.unwrap_or(Version::MAX)),
        );
        let found = statement.query_map(params![log, range.0, range.1], entry_of)?;
        let (mut entries, has_more) =
            page_of(found, limit, |entry: &Entry| entry.value.as_str().len())?;
        let next = entries
            .last()
            .filter(|_| has_more)
            .map(|entry| entry.seq.to_string());
        if is_backwards {
            entries.reverse();
        }
        Ok(Page::Entries { entries, next })
    }
}

/// What fits in a page, and whether there is more.
fn page_of<T>(
    found: impl Iterator<Item = rusqlite::Result<T>>,
    limit: usize,
    bytes: impl Fn(&T) -> usize,
) -> Result<(Vec<T>, bool), Fault> {
    let mut page = Vec::new();
    let mut size = 0;
    for row in found {
        let Some(row) = readable(row)? else {
            continue;
        };
        size += bytes(&row);
        if page.len() == limit || (size > limits::STORE_PAGE_MAX_BYTES && !page.is_empty()) {
            return Ok((page, true));
        }
        page.push(row);
    }
    Ok((page, false))
}

/// What was read; `None` for a row whose bytes were damaged: the others are worth having without it.
pub(super) fn readable<T>(read: rusqlite::Result<T>) -> Result<Option<T>, Fault> {
    match read {
        Ok(read) => Ok(Some(read)),
        Err(error) if is_undecodable(&error) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

pub(super) fn json_of(row: &rusqlite::Row<'_>, column: usize) -> rusqlite::Result<Json> {
    let text: String = row.get(column)?;
    serde_json::from_str::<IgnoredAny>(&text).map_err(|error| {
        rusqlite::Error::FromSqlConversionFailure(column, Type::Text, Box::new(error))
    })?;
    Ok(Json::kept(text))
}

pub(super) fn row_of(row: &rusqlite::Row<'_>) -> rusqlite::Result<Row> {
    Ok(Row {
        key: row.get(0)?,
        value: json_of(row, 1)?,
        version: row.get(2)?,
        order: row.get(3)?,
        updated_at: row.get(4)?,
    })
}

fn entry_of(row: &rusqlite::Row<'_>) -> rusqlite::Result<Entry> {
    Ok(Entry {
        seq: row.get(0)?,
        id: row.get(1)?,
        value: json_of(row, 2)?,
        at: row.get(3)?,
    })
}
