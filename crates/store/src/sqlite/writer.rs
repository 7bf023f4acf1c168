//! The thread that writes.
//!
//! What was put or deleted is on the disk before its commit is reported (`synchronous = FULL`), each commit for itself.
//! Appends, which nobody decides by, are collected while more of them are queued, and survive a crash of the process but
//! perhaps not one of the machine (`NORMAL`).

use std::collections::HashSet;
use std::sync::atomic::Ordering;
use std::sync::mpsc::Receiver;
use std::time::Instant;

use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params};
use tenon_contract::limits;

use super::file::{Fault, Opened, is_undecodable, open_to_write, set_aside};
use super::lane::Reply;
use super::reader::row_of;
use super::search;
use super::shared::Shared;
use crate::clock::millis;
use crate::watchers::{name_of, notify};
use crate::{Append, Commit, Expect, Key, Millis, Operation, Put, StoreError, Version};

/// What the thread is asked to do.
pub(super) enum Job {
    Commit {
        operations: Vec<Operation>,
        reply: Reply<Commit>,
    },
    /// Open the file, bring it up to date.
    Open { reply: Reply<()> },
    /// Somebody has found the file damaged or gone.
    Heal { reply: Reply<()> },
    /// Take what was appended into the search index.
    Index { reply: Reply<()> },
    /// Remove a log.
    Clear { log: String, reply: Reply<bool> },
    /// Say that everything before is done.
    Flush { reply: Reply<()> },
}

/// Appends of several commits that share a transaction.
type Batch = Vec<(Vec<Operation>, Reply<Commit>)>;

pub(super) fn run(shared: &Shared, jobs: &Receiver<Job>) {
    let mut writer = Writer {
        shared,
        opened: None,
        is_full: true,
        unswept: 0,
        touched: HashSet::new(),
    };
    let mut next = None;
    while let Some(job) = next.take().or_else(|| jobs.recv().ok()) {
        match job {
            Job::Commit { operations, reply } => {
                let is_log = only_appends(&operations);
                let mut batch = vec![(operations, reply)];
                if is_log {
                    next = collect(jobs, &mut batch);
                }
                writer.commit(batch, !is_log);
            }
            // A caller that gave up waiting needs no answer.
            Job::Open { reply } => _ = reply.send(writer.run(|_| Ok(()))),
            Job::Heal { reply } => _ = reply.send(writer.heal()),
            Job::Index { reply } => _ = reply.send(writer.run(search::index)),
            Job::Clear { log, reply } => _ = reply.send(writer.clear(&log)),
            Job::Flush { reply } => _ = reply.send(Ok(())),
        }
    }
}

fn only_appends(operations: &[Operation]) -> bool {
    operations
        .iter()
        .all(|operation| matches!(operation, Operation::Append(_)))
}

/// Takes more appends that wait already. Returns the job that is none.
fn collect(jobs: &Receiver<Job>, batch: &mut Batch) -> Option<Job> {
    let started = Instant::now();
    while batch.len() < limits::STORE_OPERATIONS_MAX && started.elapsed() < limits::STORE_BATCH_TIME
    {
        match jobs.try_recv() {
            Ok(Job::Commit { operations, reply }) if only_appends(&operations) => {
                batch.push((operations, reply));
            }
            Ok(other) => return Some(other),
            Err(_) => return None,
        }
    }
    None
}

struct Writer<'s> {
    shared: &'s Shared,
    opened: Option<Opened>,
    /// Whether `synchronous` is `FULL` now.
    is_full: bool,
    /// Commits since what is too old was last removed.
    unswept: u64,
    /// Logs that have grown since.
    touched: HashSet<String>,
}

impl Writer<'_> {
    fn commit(&mut self, batch: Batch, is_full: bool) {
        let (operations, replies): (Vec<_>, Vec<_>) = batch.into_iter().unzip();
        let shared = self.shared;
        let written = self.run_as(is_full, |connection| write(shared, connection, &operations));
        match written {
            Ok(commits) => {
                let names: Vec<String> = operations
                    .iter()
                    .flatten()
                    .map(|operation| name_of(operation).to_owned())
                    .collect();
                for (commit, reply) in commits.into_iter().zip(replies) {
                    // A caller that gave up waiting needs no answer.
                    let _ = reply.send(Ok(commit));
                }
                notify(&shared.watchers, &names);
                self.sweep(&operations);
            }
            Err(error) => {
                for reply in replies {
                    let _ = reply.send(Err(error.clone()));
                }
            }
        }
    }

    fn run<T>(
        &mut self,
        work: impl Fn(&mut Connection) -> Result<T, Fault>,
    ) -> Result<T, StoreError> {
        self.run_as(self.is_full, work)
    }

    /// Works with the connection, with `synchronous` set as `is_full` says. A file that is found damaged is set aside, and the work is tried once more.
    fn run_as<T>(
        &mut self,
        is_full: bool,
        work: impl Fn(&mut Connection) -> Result<T, Fault>,
    ) -> Result<T, StoreError> {
        let mut done = self.connection(is_full).and_then(&work);
        if let Err(fault) = &done
            && self.is_made_usable(fault)
        {
            done = self.connection(is_full).and_then(&work);
        }
        done.map_err(|fault| {
            self.opened = None;
            fault.into_error(&self.shared.path, "write")
        })
    }

    /// Whether the work is worth another try with the file opened again, or with a new one in its place.
    fn is_made_usable(&mut self, fault: &Fault) -> bool {
        if !fault.needs_opening() {
            return false;
        }
        self.opened = None;
        // Its head may be sound, so that it opens.
        !fault.may_be_damage() || set_aside(self.shared).is_ok()
    }

    /// The connection to the file that is there now, with `synchronous` set as `is_full` says.
    fn connection(&mut self, is_full: bool) -> Result<&mut Connection, Fault> {
        let shared = self.shared;
        if self
            .opened
            .as_ref()
            .is_some_and(|opened| !opened.is_current(&shared.path))
        {
            self.opened = None;
        }
        let opened = match self.opened.take() {
            Some(opened) => opened,
            None => {
                self.is_full = true;
                open_to_write(shared)?
            }
        };
        let opened = self.opened.insert(opened);
        shared.is_open.store(true, Ordering::Release);
        if self.is_full != is_full {
            let mode = if is_full { "FULL" } else { "NORMAL" };
            opened.connection.pragma_update(None, "synchronous", mode)?;
            self.is_full = is_full;
        }
        Ok(&mut opened.connection)
    }

    /// Opens the file again. One that is damaged beyond its head is found by looking at all of it.
    fn heal(&mut self) -> Result<(), StoreError> {
        self.opened = None;
        self.run(|connection| {
            let found: String =
                connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
            if found == "ok" {
                return Ok(());
            }
            let code = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_CORRUPT);
            Err(Fault::Sqlite(rusqlite::Error::SqliteFailure(
                code,
                Some(found),
            )))
        })
    }

    /// Removes a log, and says so to those who watch it.
    fn clear(&mut self, log: &str) -> Result<bool, StoreError> {
        let removed = self.run_as(true, |connection| {
            Ok(connection.execute("DELETE FROM entries WHERE log = ?1", [log])? > 0)
        })?;
        if removed {
            notify(&self.shared.watchers, &[log.to_owned()]);
        }
        Ok(removed)
    }

    /// Removes what is too old, now and then.
    fn sweep(&mut self, operations: &[Vec<Operation>]) {
        for operation in operations.iter().flatten() {
            if let Operation::Append(append) = operation {
                self.touched.insert(append.log.clone());
            }
        }
        // The first commit of a process sweeps: short-lived ones would never come to it.
        if self.unswept == 0 {
            let touched = std::mem::take(&mut self.touched);
            let shared = self.shared;
            // What is not removed now is removed next time: nobody waits for it.
            let _ = self.run_as(false, |connection| sweep(shared, connection, &touched));
        }
        self.unswept = (self.unswept + 1) % limits::STORE_RETENTION_INTERVAL;
    }
}

/// Writes several commits in one transaction. Only a commit that is alone may have expectations.
fn write(
    shared: &Shared,
    connection: &mut Connection,
    batch: &[Vec<Operation>],
) -> Result<Vec<Commit>, Fault> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let (version, now) = tick(shared, &transaction)?;
    let mut commits = Vec::with_capacity(batch.len());
    for operations in batch {
        for (index, operation) in operations.iter().enumerate() {
            if !holds(&transaction, operation, now)? {
                return Ok(vec![Commit::Conflict { index }]);
            }
        }
        let versions = operations
            .iter()
            .map(|operation| apply(&transaction, operation, version, now));
        commits.push(Commit::Done {
            versions: versions.collect::<Result<_, _>>()?,
        });
    }
    transaction.commit()?;
    Ok(commits)
}

/// The version of this transaction, and its time, which is not before that of any earlier one.
fn tick(shared: &Shared, transaction: &Transaction<'_>) -> Result<(Version, Millis), Fault> {
    let sql = "UPDATE counters SET version = version + 1,
            clock = CASE WHEN clock > ?1 + ?2 THEN ?1 ELSE max(clock, ?1) END
        RETURNING version, clock";
    let mut statement = transaction.prepare_cached(sql)?;
    let ahead = millis(limits::STORE_CLOCK_MAX_AHEAD);
    let (version, clock) = statement.query_row([shared.clock.now(), ahead], |row| {
        Ok((row.get(0)?, row.get(1)?))
    })?;
    Ok((version, shared.clock.now_after(clock)))
}

fn version_of(
    transaction: &Transaction<'_>,
    key: &Key,
    now: Millis,
) -> Result<Option<Version>, Fault> {
    let sql = "SELECT version FROM rows
        WHERE space = ?1 AND key = ?2 AND (expires_at IS NULL OR expires_at > ?3)";
    let mut statement = transaction.prepare_cached(sql)?;
    Ok(statement
        .query_row(params![key.space, key.key, now], |row| row.get(0))
        .optional()?)
}

fn holds(transaction: &Transaction<'_>, operation: &Operation, now: Millis) -> Result<bool, Fault> {
    let (key, expected) = match operation {
        Operation::Put(Put {
            key,
            expect: Expect::Absent,
            ..
        }) => (key, None),
        Operation::Put(Put {
            key,
            expect: Expect::Version(version),
            ..
        }) => (key, Some(*version)),
        Operation::Delete(delete) => match delete.expect {
            Some(version) => (&delete.key, Some(version)),
            None => return Ok(true),
        },
        Operation::Put(_) | Operation::Append(_) => return Ok(true),
    };
    let found = version_of(transaction, key, now)?;
    let is_useless = expected.is_none() && found.is_some() && !is_readable(transaction, key)?;
    Ok(found == expected || is_useless)
}

/// Whether a row can be read: one that cannot is missing for those who read.
fn is_readable(transaction: &Transaction<'_>, key: &Key) -> Result<bool, Fault> {
    let sql = "SELECT key, value, version, ord, updated_at FROM rows WHERE space = ?1 AND key = ?2";
    let mut statement = transaction.prepare_cached(sql)?;
    match statement.query_row(params![key.space, key.key], row_of) {
        Ok(_) => Ok(true),
        Err(error) if is_undecodable(&error) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

fn apply(
    transaction: &Transaction<'_>,
    operation: &Operation,
    version: Version,
    now: Millis,
) -> Result<Version, Fault> {
    match operation {
        Operation::Put(Put {
            key,
            value,
            order,
            expires_at,
            ..
        }) => {
            let sql = "INSERT INTO rows (space, key, value, version, ord, expires_at, updated_at)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
                ON CONFLICT (space, key) DO UPDATE SET value = excluded.value, version = excluded.version,
                    ord = excluded.ord, expires_at = excluded.expires_at, updated_at = excluded.updated_at";
            let mut statement = transaction.prepare_cached(sql)?;
            statement.execute(params![
                key.space,
                key.key,
                value.as_str(),
                version,
                order,
                expires_at,
                now
            ])?;
            Ok(version)
        }
        Operation::Delete(delete) => {
            let mut statement =
                transaction.prepare_cached("DELETE FROM rows WHERE space = ?1 AND key = ?2")?;
            statement.execute(params![delete.key.space, delete.key.key])?;
            Ok(0)
        }
        Operation::Append(append) => self::append(transaction, append, now),
    }
}

fn append(transaction: &Transaction<'_>, append: &Append, now: Millis) -> Result<Version, Fault> {
    let Append { log, id, value } = append;
    let sql = "INSERT INTO entries (log, id, value, at) VALUES (?1, ?2, ?3, ?4)
        ON CONFLICT (log, id) DO NOTHING RETURNING seq";
    let mut statement = transaction.prepare_cached(sql)?;
    let params = params![log, id, value.as_str(), now];
    if let Some(seq) = statement.query_row(params, |row| row.get(0)).optional()? {
        return Ok(seq);
    }
    let mut statement =
        transaction.prepare_cached("SELECT seq FROM entries WHERE log = ?1 AND id = ?2")?;
    Ok(statement.query_row([log, id], |row| row.get(0))?)
}

/// Removes rows that have ended, and entries that are beyond what is kept.
fn sweep(
    shared: &Shared,
    connection: &mut Connection,
    touched: &HashSet<String>,
) -> Result<(), Fault> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let now = shared.clock.now();
    transaction.execute("DELETE FROM rows WHERE expires_at <= ?1", [now])?;
    for rule in &shared.retention {
        if let Some(age) = rule.max_age {
            let sql = "DELETE FROM entries WHERE at < ?1 AND substr(log, 1, length(?2)) = ?2";
            transaction.execute(sql, params![now.saturating_sub(millis(age)), rule.logs])?;
        }
        let Some(most) = rule.max_entries else {
            continue;
        };
        for log in touched.iter().filter(|log| log.starts_with(&rule.logs)) {
            let sql = "DELETE FROM entries WHERE log = ?1 AND seq <= (
                SELECT seq FROM entries WHERE log = ?1 ORDER BY seq DESC LIMIT 1 OFFSET ?2)";
            transaction.execute(sql, params![log, most])?;
        }
    }
    transaction.commit()?;
    Ok(())
}
