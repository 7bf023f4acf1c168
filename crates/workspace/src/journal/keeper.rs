//! Where a journal is kept that outlives its process, and the rows in which it is.
//!
//! The rows are the truth: others who work in the same session write them as well, so the one who wants to go back reads all
//! of them before. What is changed meanwhile is only added to them.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::rollback::Scope;
use super::state::{By, Entry, FileState, Touched, now};
use super::store::Store;
use super::{CheckpointId, Journal, JournalState, Point};
use crate::{ContentHash, Error, Located, Workspace};

/// Rows and contents that outlive a journal. It is called on threads that may wait, and without any lock of the journal
/// that others wait for.
pub trait JournalKeeper: Send + Sync + std::fmt::Debug {
    /// Keeps a content under its hash. Once more does no harm, and says that it is still used.
    ///
    /// # Errors
    /// What refuses it: the disk, or the store.
    fn keep(&self, hash: &ContentHash, bytes: &[u8]) -> io::Result<()>;

    /// A content that was kept.
    ///
    /// # Errors
    /// Where there is none, or it cannot be read.
    fn content(&self, hash: &ContentHash) -> io::Result<Vec<u8>>;

    /// Removes contents that are not used, except those that somebody may just be keeping.
    ///
    /// # Errors
    /// What refuses it.
    fn collect(&self, used: &BTreeSet<ContentHash>) -> io::Result<()>;

    /// Writes or removes a row.
    ///
    /// # Errors
    /// What refuses it.
    fn write(&self, row: &RowChange) -> io::Result<()>;

    /// All rows in the order in which they were written.
    ///
    /// # Errors
    /// What refuses it.
    fn rows(&self) -> io::Result<Vec<KeptRow>>;
}

/// A change of a row.
#[derive(Debug, Clone, PartialEq)]
pub enum RowChange {
    /// Writes it.
    Put {
        /// Its name.
        key: String,
        /// Its value.
        value: Value,
    },
    /// Removes it.
    Delete {
        /// Its name.
        key: String,
    },
}

/// A row as it is kept.
#[derive(Debug, Clone, PartialEq)]
pub struct KeptRow {
    /// Higher than that of every row that was written before.
    pub number: u64,
    /// Its name.
    pub key: String,
    /// Its value.
    pub value: Value,
}

/// What a journal that is kept needs besides.
#[derive(Debug)]
pub(super) struct KeptJournal {
    pub(super) keeper: Arc<dyn JournalKeeper>,
    workspace: Workspace,
    /// Whether the rows were read once. Held while rows are written, so that they are in order.
    is_read: Mutex<bool>,
}

impl KeptJournal {
    pub(super) fn new(keeper: Arc<dyn JournalKeeper>, workspace: Workspace) -> Self {
        Self {
            keeper,
            workspace,
            is_read: Mutex::new(false),
        }
    }
}

const ENTRY: &str = "e-";
const CHECKPOINT: &str = "c-";

#[derive(Serialize, Deserialize)]
struct EntryRow {
    at: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    call: Option<(String, u32)>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    runs: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    undoes: Vec<String>,
    /// Whether it was written before the changes, and what came of them is not recorded.
    #[serde(default, rename = "begun", skip_serializing_if = "std::ops::Not::not")]
    is_begun: bool,
    files: Vec<FileRow>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    moves: Vec<(PathRow, PathRow)>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    directories: Vec<PathRow>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    gone_directories: Vec<(PathRow, u32)>,
}

#[derive(Serialize, Deserialize)]
struct FileRow {
    path: PathRow,
    before: StateRow,
    after: StateRow,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
enum StateRow {
    Absent,
    File {
        hash: String,
        mode: u32,
        bytes: u64,
    },
    Link {
        target: String,
        #[serde(default)]
        bytes: u64,
    },
    Directory,
    Unknown,
}

#[derive(Serialize, Deserialize)]
struct CheckpointRow {
    at: i64,
}

impl StateRow {
    fn of(state: FileState, store: &Store) -> Self {
        match state {
            FileState::Absent => Self::Absent,
            FileState::File { hash, mode } => Self::File {
                hash: hash.to_string(),
                mode,
                bytes: store.bytes_of(hash),
            },
            FileState::Link { target } => Self::Link {
                target: target.to_string(),
                bytes: store.bytes_of(target),
            },
            FileState::Directory => Self::Directory,
            FileState::Unknown => Self::Unknown,
        }
    }

    fn read(&self) -> FileState {
        match self {
            Self::Absent => FileState::Absent,
            Self::File { hash, mode, .. } => {
                let known = ContentHash::from_hex(hash);
                known.map_or(FileState::Unknown, |hash| FileState::File {
                    hash,
                    mode: *mode,
                })
            }
            Self::Link { target, .. } => ContentHash::from_hex(target)
                .map_or(FileState::Unknown, |target| FileState::Link { target }),
            Self::Directory => FileState::Directory,
            Self::Unknown => FileState::Unknown,
        }
    }

    const fn bytes(&self) -> u64 {
        match self {
            Self::File { bytes, .. } | Self::Link { bytes, .. } => *bytes,
            Self::Absent | Self::Directory | Self::Unknown => 0,
        }
    }
}

/// A path in a row, also one that is not Unicode.
#[derive(Debug, Clone)]
struct PathRow(PathBuf);

impl PathRow {
    fn of(path: &Path) -> Self {
        Self(path.to_owned())
    }
}

impl Serialize for PathRow {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let bytes = self.0.as_os_str().as_encoded_bytes();
        serializer.serialize_str(&tenon_edit::name_of_bytes(bytes))
    }
}

impl<'de> Deserialize<'de> for PathRow {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        Ok(Self(tenon_edit::path_of_name(&name)))
    }
}

/// The row of an entry.
pub(super) fn row_of(entry: &Entry, store: &Store, is_begun: bool) -> Option<RowChange> {
    let row = EntryRow {
        is_begun,
        at: entry.at,
        call: { entry.by.call.as_ref() }.map(|(call, number)| (call.to_string(), *number)),
        runs: entry.by.runs.to_vec(),
        undoes: entry.undoes.clone(),
        files: { entry.files.iter() }
            .map(|file| FileRow {
                path: PathRow::of(file.place.target()),
                before: StateRow::of(file.before, store),
                after: StateRow::of(file.after, store),
            })
            .collect(),
        moves: { entry.moves.iter() }
            .map(|(from, to)| (PathRow::of(from), PathRow::of(to)))
            .collect(),
        directories: { entry.directories.iter() }
            .map(|directory| PathRow::of(directory.target()))
            .collect(),
        gone_directories: { entry.gone_directories.iter() }
            .map(|(directory, mode)| (PathRow::of(directory.target()), *mode))
            .collect(),
    };
    Some(RowChange::Put {
        key: entry_key(entry),
        value: serde_json::to_value(&row).ok()?,
    })
}

pub(super) fn entry_key(entry: &Entry) -> String {
    format!("{ENTRY}{}", entry.key)
}

pub(super) fn checkpoint_row(id: CheckpointId, at: i64) -> RowChange {
    RowChange::Put {
        key: checkpoint_key(id),
        value: serde_json::json!({ "at": at }),
    }
}

pub(super) fn checkpoint_key(id: CheckpointId) -> String {
    format!("{CHECKPOINT}{}", id.number())
}

impl JournalState {
    /// Takes what is kept for what there is.
    fn replace(&mut self, rows: Vec<KeptRow>, workspace: &Workspace) {
        self.entries.clear();
        self.checkpoints.clear();
        self.held.clear();
        self.store.clear();
        self.unended.clear();
        self.calls_first = 0;
        for row in rows {
            self.next_entry = self.next_entry.max(row.number + 1);
            if let Some(key) = row.key.strip_prefix(ENTRY) {
                // Of another version, or of a workspace that was opened otherwise: its files were changed by others.
                if let Ok(read) = serde_json::from_value(row.value) {
                    self.take(row.number, key, read, workspace);
                }
            } else if row.key.starts_with(RUNNING) {
                self.take_running(row.number, row.key, row.value);
            } else if let Some(number) = row.key.strip_prefix(CHECKPOINT)
                && let (Ok(number), Ok(CheckpointRow { at })) =
                    (number.parse(), serde_json::from_value(row.value))
            {
                let point = Point {
                    first: row.number,
                    at,
                };
                self.checkpoints.insert(CheckpointId::new(number), point);
                self.next_checkpoint = self.next_checkpoint.max(number + 1);
            }
        }
        self.make_room(0);
        self.expire_old();
    }

    fn take(&mut self, number: u64, key: &str, row: EntryRow, workspace: &Workspace) {
        let by = By {
            runs: row.runs.into(),
            call: row.call.map(|(call, number)| (call.into(), number)),
        };
        let place = |path: &Path| workspace.place(path, path.to_owned(), false);
        let mut entry = Entry::empty(key.to_owned(), &by);
        for file in &row.files {
            let Some(place) = place(&file.path.0) else {
                return;
            };
            entry.files.push(Touched {
                place,
                before: file.before.read(),
                after: file.after.read(),
            });
        }
        for (file, touched) in row.files.iter().zip(&entry.files) {
            if let Some(hash) = touched.before.kept_hash() {
                self.store.count(hash, file.before.bytes());
            }
        }
        if row.is_begun {
            // What this process has begun it enters itself.
            let is_own = key.starts_with(&format!("{:016x}-", self.name));
            if is_own || !entry.take_outcome() {
                return;
            }
        }
        entry.at = row.at;
        entry.undoes = row.undoes;
        let moves = row.moves.into_iter();
        entry.moves = moves.map(|(from, to)| (from.0, to.0)).collect();
        let directories = row.directories.into_iter().map(|path| path.0);
        let directories = directories
            .filter_map(|path| workspace.place(&path.clone(), path, /*directory_only*/ true));
        entry.directories = directories.collect::<Vec<Located>>();
        let gone = row.gone_directories.into_iter();
        entry.gone_directories = gone
            .filter_map(|(PathRow(path), mode)| {
                let place = workspace.place(&path.clone(), path, /*directory_only*/ true);
                Some((place?, mode))
            })
            .collect();
        for run in entry.by.runs.iter() {
            if !self.expired.contains(run) {
                self.held.entry(run.clone()).or_insert(number);
            }
        }
        self.entries.push_back((number, entry));
    }
}

impl Journal {
    /// Writes what is not kept yet. Does nothing for a journal that ends with its process. Blocks.
    ///
    /// # Errors
    /// What the keeper says; what was not written is written the next time.
    pub fn flush(&self) -> io::Result<()> {
        let Some(kept) = &self.kept else {
            return Ok(());
        };
        let _turn = kept.is_read.lock().unwrap_or_else(PoisonError::into_inner);
        self.write_out(kept)
    }

    fn write_out(&self, kept: &KeptJournal) -> io::Result<()> {
        loop {
            let Some(row) = self.lock().outbox.pop_front() else {
                return Ok(());
            };
            if let Err(error) = kept.keeper.write(&row) {
                self.lock().outbox.push_front(row);
                return Err(error);
            }
        }
    }

    /// Takes in what others have changed in the same session, also before this process began. Blocks.
    ///
    /// # Errors
    /// [`Error::Kept`] when the keeper does not return it.
    pub fn refresh(&self) -> Result<(), Error> {
        const ATTEMPTS: usize = 20;
        let Some(kept) = &self.kept else {
            return Ok(());
        };
        let mut is_read = kept.is_read.lock().unwrap_or_else(PoisonError::into_inner);
        for _ in 0..ATTEMPTS {
            self.write_out(kept).map_err(failed)?;
            let turn = self.lock().turn;
            let rows = kept.keeper.rows().map_err(failed)?;
            let mut state = self.lock();
            // What was entered meanwhile may be missing in them.
            if state.turn == turn && state.outbox.is_empty() {
                state.replace(rows, &kept.workspace);
                let used = state.store.used().collect();
                drop(state);
                *is_read = true;
                self.write_out(kept).map_err(failed)?;
                // What stays is removed the next time.
                let _ = kept.keeper.collect(&used);
                return Ok(());
            }
        }
        Err(failed(io::ErrorKind::ResourceBusy.into()))
    }

    /// Reads once what there was before this process began, so that quotas hold.
    pub(super) fn begun(&self) {
        let Some(kept) = &self.kept else { return };
        let is_read = *kept.is_read.lock().unwrap_or_else(PoisonError::into_inner);
        if !is_read {
            // The keeper says what is wrong; changes go on without.
            let _ = self.refresh();
        }
    }
}

fn failed(source: io::Error) -> Error {
    Error::Kept { source }
}

/// What begins the keys of the rows of commands that run. What they change is recorded only when they end, so that others have to
/// know of those that never did.
const RUNNING: &str = "r-";

/// A command whose changes will be recorded. What is dropped has ended with its process, or was never started.
#[derive(Debug)]
pub struct RunningCommand {
    journal: Journal,
    key: String,
}

impl RunningCommand {
    /// It has ended, and what it changed is recorded. Blocks.
    pub fn end(self) {
        let journal = self.journal.clone();
        drop(self);
        // What is not kept now is the next time; the keeper says why.
        let _ = journal.flush();
    }
}

impl Drop for RunningCommand {
    fn drop(&mut self) {
        let key = std::mem::take(&mut self.key);
        self.journal.lock().send(|| RowChange::Delete { key });
    }
}

#[derive(Debug, Serialize, Deserialize)]
struct RunningRow {
    at: i64,
    command: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    call: Option<(String, u32)>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    runs: Vec<String>,
}

/// A command of another journal of the session, of which nobody has said that it ended.
#[derive(Debug)]
pub(super) struct Unended {
    key: String,
    number: u64,
    row: RunningRow,
}

impl Journal {
    /// Notes that a command begins whose changes will be recorded, where others may have to know that it never ended. Blocks.
    #[must_use]
    pub fn running(&self, command: &str) -> Option<RunningCommand> {
        let mut state = self.lock();
        if !state.is_kept || !state.wants_commands(&self.by) {
            return None;
        }
        let key = format!("{RUNNING}{}", state.key());
        let row = RunningRow {
            at: now(),
            command: crate::error::shorten(command),
            call: { self.by.call.as_ref() }.map(|(call, number)| (call.to_string(), *number)),
            runs: self.by.runs.to_vec(),
        };
        let value = serde_json::to_value(&row).ok()?;
        let put = RowChange::Put {
            key: key.clone(),
            value,
        };
        state.send(|| put);
        drop(state);
        // A store that is away keeps nobody from working; the keeper says why.
        let _ = self.flush();
        let journal = self.clone();
        Some(RunningCommand { journal, key })
    }
}

impl JournalState {
    /// Takes in a command of the session that has not ended, unless it is one of this journal.
    fn take_running(&mut self, number: u64, key: String, value: serde_json::Value) {
        let is_own = key.starts_with(&format!("{RUNNING}{:016x}-", self.name));
        let age = i64::try_from(self.max_age.as_millis()).unwrap_or(i64::MAX);
        if let Ok(row) = serde_json::from_value::<RunningRow>(value)
            && !is_own
            && row.at >= now().saturating_sub(age)
        {
            self.unended.push(Unended { key, number, row });
        }
    }

    /// Refuses a way back over what commands may have changed that have not ended.
    pub(super) fn check_running(&self, scope: &Scope<'_>, by: &By) -> Result<(), Error> {
        let unended = self.unended_of(scope, by);
        if unended.is_empty() {
            return Ok(());
        }
        let commands = unended.iter().map(|one| one.row.command.clone());
        Err(Error::CommandNotEnded {
            commands: commands.collect(),
            may_force: !matches!(scope, Scope::Call(_)),
        })
    }

    /// Those that began at this number or later.
    pub(super) fn commands_not_ended(&self, first: u64) -> Vec<String> {
        let later = self.unended.iter().filter(|one| one.number >= first);
        later.map(|one| one.row.command.clone()).collect()
    }

    /// Forgets them, when the way back was gone nevertheless.
    pub(super) fn forget_running(&mut self, scope: &Scope<'_>, by: &By) {
        let unended = self.unended_of(scope, by).into_iter();
        let keys: Vec<String> = unended.map(|one| one.key.clone()).collect();
        self.unended.retain(|one| !keys.contains(&one.key));
        for key in keys {
            self.send(|| RowChange::Delete { key });
        }
    }

    fn unended_of(&self, scope: &Scope<'_>, by: &By) -> Vec<&Unended> {
        let since = match scope {
            Scope::Since(id) => self.first_since(*id).unwrap_or(u64::MAX),
            Scope::Run(_) | Scope::Call(_) => 0,
        };
        let is_meant = |one: &&Unended| match scope {
            Scope::Since(_) => one.number >= since,
            Scope::Run(run) => one.row.runs.iter().any(|other| other == run),
            Scope::Call(call) => {
                let named = one.row.call.as_ref();
                named.is_some_and(|(id, _)| id == call) && one.row.runs.starts_with(&by.runs)
            }
        };
        self.unended.iter().filter(is_meant).collect()
    }
}
