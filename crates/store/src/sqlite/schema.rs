//! The tables, and the way to them from every earlier version.

use rusqlite::{Connection, OptionalExtension, TransactionBehavior};

use super::file::Fault;

/// `tnon`: says whose file it is.
pub(super) const APPLICATION_ID: i32 = 0x746e_6f6e;

/// One step. The version of a file is the number of the steps that it has seen.
struct Migration {
    sql: &'static str,
    /// The lowest version whose readers understand the file afterwards. A step that is additive, as it should be, leaves
    /// it at 1. One that raises it makes a copy of the file first.
    min_reader: i64,
}

const MIGRATIONS: &[Migration] = &[
    Migration {
        min_reader: 1,
        sql: "
            CREATE TABLE meta (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
            INSERT INTO meta VALUES ('min_reader', 1);
            -- `version` counts commits; `clock` is the latest time that anyone has seen.
            CREATE TABLE counters (
                id INTEGER PRIMARY KEY CHECK (id = 1), version INTEGER NOT NULL, clock INTEGER NOT NULL);
            INSERT INTO counters VALUES (1, 0, 0);
            CREATE TABLE rows (
                space TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, version INTEGER NOT NULL,
                ord INTEGER, expires_at INTEGER, updated_at INTEGER NOT NULL);
            CREATE UNIQUE INDEX rows_by_key ON rows (space, key);
            CREATE INDEX rows_by_order ON rows (space, ord, key) WHERE ord IS NOT NULL;
            CREATE INDEX rows_by_end ON rows (expires_at) WHERE expires_at IS NOT NULL;
            CREATE TABLE entries (
                seq INTEGER PRIMARY KEY AUTOINCREMENT, log TEXT NOT NULL, id TEXT NOT NULL,
                value TEXT NOT NULL, at INTEGER NOT NULL);
            CREATE UNIQUE INDEX entries_by_id ON entries (log, id);
            CREATE INDEX entries_by_log ON entries (log, seq);
            CREATE INDEX entries_by_time ON entries (at);",
    },
    Migration { min_reader: 1, sql: SEARCH },
];

/// Words find words; trigrams find what has no words, such as Chinese and Japanese. Neither keeps the texts again.
const SEARCH: &str = "
    ALTER TABLE counters ADD COLUMN indexed INTEGER NOT NULL DEFAULT 0;
    CREATE VIRTUAL TABLE words USING fts5(
        text, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2');
    CREATE VIRTUAL TABLE grams USING fts5(
        text, content = '', contentless_delete = 1, tokenize = 'trigram remove_diacritics 1');
    CREATE TRIGGER entries_leave_index AFTER DELETE ON entries
        WHEN old.seq <= (SELECT indexed FROM counters) BEGIN
        DELETE FROM words WHERE rowid = old.seq;
        DELETE FROM grams WHERE rowid = old.seq;
    END;";

/// Makes the search index again, empty.
pub(super) const SEARCH_AGAIN: &str = "
    INSERT INTO words (words) VALUES ('delete-all');
    INSERT INTO grams (grams) VALUES ('delete-all');
    UPDATE counters SET indexed = 0;";

/// Brings a file up to date, or finds that only a newer program reads it.
pub(super) fn migrate(connection: &mut Connection) -> Result<(), Fault> {
    apply(connection, MIGRATIONS)
}

fn apply(connection: &mut Connection, migrations: &[Migration]) -> Result<(), Fault> {
    let current = i64::try_from(migrations.len()).unwrap_or(i64::MAX);
    loop {
        let version = version(connection)?;
        let next = usize::try_from(version)
            .ok()
            .and_then(|version| migrations.get(version));
        let Some(next) = next else {
            let needed = min_reader(connection)?;
            return if needed > current {
                Err(Fault::TooNew { needed, current })
            } else {
                Ok(())
            };
        };
        if next.min_reader > 1 && version > 0 {
            keep_copy(connection, version)?;
        }
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        // Another process may have taken the step meanwhile.
        if self::version(&transaction)? != version {
            continue;
        }
        transaction.execute_batch(next.sql)?;
        transaction.execute(
            "UPDATE meta SET value = max(value, ?1) WHERE name = 'min_reader'",
            [next.min_reader],
        )?;
        transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
        transaction.pragma_update(None, "user_version", version + 1)?;
        transaction.commit()?;
    }
}

fn version(connection: &Connection) -> Result<i64, Fault> {
    Ok(connection.query_row("PRAGMA user_version", [], |row| row.get(0))?)
}

fn min_reader(connection: &Connection) -> Result<i64, Fault> {
    let sql = "SELECT value FROM meta WHERE name = 'min_reader'";
    let found = connection.query_row(sql, [], |row| row.get(0)).optional()?;
    Ok(found.unwrap_or(1))
}

/// A copy of the file as it is, beside it, for going back to an older program.
fn keep_copy(connection: &Connection, version: i64) -> Result<(), Fault> {
    let Some(path) = connection.path() else {
        return Ok(());
    };
    let copy = format!("{path}.version-{version}");
    if super::file::exists(copy.as_ref()) {
        return Ok(());
    }
    connection.execute("VACUUM INTO ?1", [&copy])?;
    super::file::make_private(copy.as_ref());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_that_older_readers_do_not_understand_makes_a_copy_first() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("state.db");
        let mut connection = Connection::open(&path).unwrap();
        migrate(&mut connection).unwrap();
        let sql = "INSERT INTO rows VALUES ('a', 'b', '1', 1, NULL, NULL, 0)";
        connection.execute(sql, []).unwrap();
        let further = [
            Migration {
                sql: MIGRATIONS[0].sql,
                min_reader: 1,
            },
            Migration {
                sql: MIGRATIONS[1].sql,
                min_reader: 1,
            },
            Migration {
                sql: "DROP TABLE rows",
                min_reader: 3,
            },
        ];
        apply(&mut connection, &further).unwrap();
        assert_eq!(version(&connection).unwrap(), 3);
        assert!(matches!(
            migrate(&mut connection),
            Err(Fault::TooNew {
                needed: 3,
                current: 2
            })
        ));
        let copy = Connection::open(directory.path().join("state.db.version-2")).unwrap();
        let kept: String = copy
            .query_row("SELECT key FROM rows", [], |row| row.get(0))
            .unwrap();
        assert_eq!(kept, "b");
    }

    #[test]
    fn a_newer_file_that_says_so_is_read_on() {
        let mut connection = Connection::open_in_memory().unwrap();
        migrate(&mut connection).unwrap();
        connection.pragma_update(None, "user_version", 99).unwrap();
        migrate(&mut connection).unwrap();
        assert_eq!(version(&connection).unwrap(), 99);
    }
}
