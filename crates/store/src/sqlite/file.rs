//! The file: made for this user alone, opened, and set aside when it is damaged.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode, OpenFlags};
use tenon_contract::limits;

use super::schema;
use super::shared::Shared;
use crate::StoreError;

/// How the database in a file protects its writes: `wal` or `rollback`; `None` for what is no database. Read from its head
/// (bytes 18 and 19 of the file format), so that nothing is opened, locked or made.
///
/// # Errors
/// When the file cannot be read.
pub fn journal_mode(path: &Path) -> io::Result<Option<&'static str>> {
    let mut head = Vec::with_capacity(20);
    io::Read::read_to_end(&mut io::Read::take(File::open(path)?, 20), &mut head)?;
    Ok(match head.strip_prefix(b"SQLite format 3\0") {
        Some([_, _, 2, 2]) => Some("wal"),
        Some([_, _, 1, 1]) => Some("rollback"),
        _ => None,
    })
}

/// Why the file could not be used.
#[derive(Debug)]
pub(super) enum Fault {
    Sqlite(rusqlite::Error),
    Io(io::Error),
    /// The file is not there, or no longer the one that was opened.
    Missing,
    /// Written by a newer program, for newer readers.
    TooNew {
        needed: i64,
        current: i64,
    },
    /// Another program's.
    Foreign,
    /// The request is wrong.
    Store(StoreError),
}

impl From<rusqlite::Error> for Fault {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl Fault {
    fn code(&self) -> Option<ErrorCode> {
        match self {
            Self::Sqlite(error) => error.sqlite_error_code(),
            _ => None,
        }
    }

    /// Whether the file may be damaged, so that all of it is worth a look: not only what SQLite calls so. A table of the
    /// search with empty pages is reported as a wrong statement, for one.
    pub(super) fn may_be_damage(&self) -> bool {
        match (self, self.code()) {
            (Self::Sqlite(error), None) => is_undecodable(error),
            (Self::Sqlite(_), Some(code)) => matches!(
                code,
                ErrorCode::DatabaseCorrupt
                    | ErrorCode::NotADatabase
                    | ErrorCode::InternalMalfunction
                    | ErrorCode::ConstraintViolation
                    | ErrorCode::TypeMismatch
                    | ErrorCode::TooBig
                    | ErrorCode::Unknown
            ),
            _ => false,
        }
    }

    /// Whether a look at all of the file that ended so shows damage: all but what the system, another process or an
    /// unknown extension of a newer program is the reason of.
    fn shows_damage(&self) -> bool {
        let Self::Sqlite(error) = self else {
            return false;
        };
        let is_unknown = error.to_string().contains("no such ");
        let is_elsewhere = matches!(
            self.code(),
            Some(
                ErrorCode::DatabaseBusy
                    | ErrorCode::DatabaseLocked
                    | ErrorCode::SystemIoFailure
                    | ErrorCode::PermissionDenied
                    | ErrorCode::AuthorizationForStatementDenied
                    | ErrorCode::ReadOnly
                    | ErrorCode::CannotOpen
                    | ErrorCode::DiskFull
                    | ErrorCode::OutOfMemory
                    | ErrorCode::OperationAborted
                    | ErrorCode::OperationInterrupted
                    | ErrorCode::FileLockingProtocolFailed
                    | ErrorCode::NoLargeFileSupport
                    | ErrorCode::SchemaChanged
                    | ErrorCode::ApiMisuse
            )
        );
        !is_elsewhere && !is_unknown
    }

    pub(super) const fn is_missing(&self) -> bool {
        matches!(self, Self::Missing)
    }

    /// Whether opening the file again may help.
    pub(super) fn needs_opening(&self) -> bool {
        self.is_missing() || self.may_be_damage()
    }

    /// The error that the caller receives.
    pub(super) fn into_error(self, path: &Path, verb: &str) -> StoreError {
        let file = path.display();
        let may_be_damage = self.may_be_damage();
        let why = match (self.code(), self) {
            (_, Self::Store(error)) => return error,
            (_, Self::TooNew { needed, current }) => {
                return StoreError::TooNew(format!(
                    "The store `{file}` was written by a newer tenon (it needs version {needed}, this is {current}). Update tenon, or set `TENON_STATE_DIR` to another directory"
                ));
            }
            (_, Self::Foreign) => "it is a database of another program".to_owned(),
            (_, Self::Missing) => "it does not exist".to_owned(),
            (_, Self::Io(error)) => error.to_string(),
            (Some(ErrorCode::DiskFull), _) => "the disk is full".to_owned(),
            (Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked), _) => {
                let seconds = limits::STORE_BUSY_TIMEOUT.as_secs();
                format!("another process kept it locked for {seconds} seconds")
            }
            (Some(ErrorCode::ReadOnly), _) => "it may only be read".to_owned(),
            // SQLite has one code for both, of the file and of those beside it.
            (Some(ErrorCode::CannotOpen), _) => {
                "its directory may not be written, or too many files are open".to_owned()
            }
            (_, Self::Sqlite(error)) if may_be_damage => format!(
                "it seems to be damaged ({error}). Move it to another name, then a new one is started"
            ),
            (_, Self::Sqlite(error)) => error.to_string(),
        };
        StoreError::Failed(format!(
            "The store `{file}` cannot be {}: {why}",
            past(verb)
        ))
    }
}

fn past(verb: &str) -> &str {
    match verb {
        "write" => "written",
        verb => verb,
    }
}

/// A connection to the file that was there when it was opened.
pub(super) struct Opened {
    pub(super) connection: Connection,
    identity: Option<(u64, u64)>,
}

impl Opened {
    /// Whether the file is still that one: it may have been deleted, or set aside by another process.
    pub(super) fn is_current(&self, path: &Path) -> bool {
        identity(path) == self.identity
    }
}

#[cfg(unix)]
fn identity(path: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    fs::metadata(path)
        .ok()
        .map(|found| (found.dev(), found.ino()))
}

/// Nothing is asked here: what SQLite has opened can be neither moved nor deleted. To look it up would open and close the file for
/// each operation, of which wine keeps the descriptor as long as somebody has a lock on the file.
#[cfg(not(unix))]
const fn identity(_path: &Path) -> Option<(u64, u64)> {
    None
}

pub(super) fn exists(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

/// A connection for reading, to a file that was checked before.
pub(super) fn open_to_read(path: &Path) -> Result<Opened, Fault> {
    if !exists(path) {
        return Err(Fault::Missing);
    }
    let opened = connect(path)?;
    opened.connection.pragma_update(None, "query_only", true)?;
    Ok(opened)
}

/// The connection for writing: makes the file if it is missing, brings it up to date, sets a damaged one aside.
pub(super) fn open_to_write(shared: &Shared) -> Result<Opened, Fault> {
    match prepare(shared) {
        Err(fault) if fault.may_be_damage() => {
            set_aside(shared)?;
            prepare(shared)
        }
        prepared => prepared,
    }
}

fn prepare(shared: &Shared) -> Result<Opened, Fault> {
    create(&shared.path)?;
    let mut opened = connect(&shared.path)?;
    let connection = &mut opened.connection;
    if is_foreign(connection)? {
        return Err(Fault::Foreign);
    }
    let mode = write_ahead(connection)?;
    if !mode.eq_ignore_ascii_case("wal") {
        let _: String =
            connection.query_row("PRAGMA journal_mode = DELETE", [], |row| row.get(0))?;
        shared.notice(format!(
            "The file system of the store `{}` has no write-ahead log (journal mode `{mode}`); the store is slower there. Set `TENON_STATE_DIR` to a directory on a local disk.",
            shared.path.display()
        ));
    }
    schema::migrate(connection)?;
    Ok(opened)
}

/// Whether another program made the file. One transaction reads both answers: a process that makes the tables between two
/// reads would look like another program.
fn is_foreign(connection: &mut Connection) -> Result<bool, Fault> {
    let transaction = connection.transaction()?;
    let application: i32 = transaction.query_row("PRAGMA application_id", [], |row| row.get(0))?;
    if application == schema::APPLICATION_ID {
        return Ok(false);
    }
    let sql = "SELECT count(*) FROM sqlite_schema";
    let tables: i64 = transaction.query_row(sql, [], |row| row.get(0))?;
    Ok(application != 0 || tables > 0)
}

/// Makes the file for this user alone; the files beside it get its mode.
fn create(path: &Path) -> Result<(), Fault> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            let found = fs::symlink_metadata(path)?;
            if !found.is_file() {
                return Err(Fault::Io(io::Error::other("it is not a regular file")));
            }
            make_private(path);
            Ok(())
        }
        Err(error) => Err(error.into()),
    }
}

/// Takes the file from everybody else. A file system without modes has nothing to take.
pub(super) fn make_private(path: &Path) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let is_open = fs::metadata(path).is_ok_and(|found| found.permissions().mode() & 0o077 != 0);
        if is_open {
            // Best effort: the directory is private already.
            let _ = fs::set_permissions(path, fs::Permissions::from_mode(0o600));
        }
    }
    #[cfg(not(unix))]
    let _ = path;
}

fn connect(path: &Path) -> Result<Opened, Fault> {
    let identity = identity(path);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(limits::STORE_BUSY_TIMEOUT)?;
    // No `mmap_size`: a damaged page must not become a signal.
    connection.execute_batch(
        "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0;
         PRAGMA temp_store = MEMORY; PRAGMA synchronous = FULL; PRAGMA journal_size_limit = 4194304;",
    )?;
    Ok(Opened {
        connection,
        identity,
    })
}

/// Turns the write-ahead log on and returns the mode that the file then has. SQLite does not wait for a lock here.
fn write_ahead(connection: &Connection) -> Result<String, Fault> {
    let started = Instant::now();
    loop {
        match connection.query_row("PRAGMA journal_mode = WAL", [], |row| row.get(0)) {
            Err(error)
                if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
                    && started.elapsed() < limits::STORE_BUSY_TIMEOUT =>
            {
                thread::sleep(Duration::from_millis(5));
            }
            mode => return Ok(mode?),
        }
    }
}

/// Whether a row no longer holds what was written: text that is not UTF-8, or a value that cannot be parsed.
pub(super) const fn is_undecodable(error: &rusqlite::Error) -> bool {
    matches!(
        error,
        rusqlite::Error::FromSqlConversionFailure(..)
            | rusqlite::Error::InvalidColumnType(..)
            | rusqlite::Error::IntegralValueOutOfRange(..)
            | rusqlite::Error::Utf8Error(..)
    )
}

/// Moves a damaged file and what is beside it out of the way, unless another process was quicker.
pub(super) fn set_aside(shared: &Shared) -> Result<(), Fault> {
    let path = &shared.path;
    let lock = lock(&beside(path, ".lock"))?;
    if is_damaged(path) {
        let suffix = format!(".corrupt-{}", shared.clock.now());
        for part in ["", "-wal", "-shm"] {
            let (from, to) = (beside(path, part), beside(path, &format!("{suffix}{part}")));
            match fs::rename(from, to) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                moved => moved?,
            }
        }
        shared.notice(format!(
            "The store `{}` was damaged. It was moved to `{}` and a new one was started: task lists, history and remembered approvals begin empty.",
            path.display(),
            beside(path, &suffix).display()
        ));
    }
    drop(lock);
    Ok(())
}

/// A lock that ends with the file or the process.
fn lock(path: &Path) -> Result<File, Fault> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(path)?;
    file.lock()?;
    Ok(file)
}

/// Whether SQLite finds a fault in the whole file.
fn is_damaged(path: &Path) -> bool {
    let check = || -> Result<String, Fault> {
        let opened = connect(path)?;
        let sql = "PRAGMA integrity_check(1)";
        Ok(opened.connection.query_row(sql, [], |row| row.get(0))?)
    };
    match check() {
        Ok(found) => found != "ok",
        Err(fault) => fault.shows_damage(),
    }
}

fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}
