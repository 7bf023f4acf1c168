//! What tools changed since a checkpoint, and the way back.
//!
//! Nothing is kept until the first checkpoint, unless calls are to be undone. From then on every commit that goes through
//! [`Journal::commit`] leaves the content and the permission bits from before it, and what it left
//! behind itself, so that a roll-back can distinguish the tools' own changes from everybody else's.

mod checkpoint;
mod copies;
mod elsewhere;
mod file_state;
mod keeper;
mod outside;
mod rollback;
mod segments;
mod since;
mod state;
mod store;

use std::collections::{BTreeMap, VecDeque};
use std::hash::{BuildHasher, RandomState};
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

pub use self::checkpoint::CheckpointId;
use self::copies::Pack;
pub use self::copies::{Copies, CopyBudget, LeftOut, SeenFile};
pub use self::keeper::{JournalKeeper, KeptRow, RowChange, RunningCommand};
use self::keeper::{KeptJournal, Unended};
pub use self::outside::{Outcome, Pending, Recorded, Unrestorable};
pub use self::since::{ChangedFile, Since};
use self::state::{By, Entry, FileState, Touched};
use self::store::Store;
use crate::changes::change::Change;
use crate::truncate::wide;
use crate::{ChangeSet, CommittedChange, ContentHash, Error, FileSnapshot, Workspace};

/// How much a journal keeps, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JournalOptions {
    /// Most bytes of old content on the disk; equal content counts once. Above it the oldest
    /// checkpoints expire. Default: 1 GiB.
    pub max_bytes: u64,
    /// Where the private directory is made. Default: the directory for temporary files.
    pub parent: Option<PathBuf>,
    /// Changes that can be undone call by call, without a checkpoint; of more, the oldest cannot. Default: 0.
    pub calls: usize,
    /// Whether commands can be undone as well, so that files are copied before each. Default: from the first checkpoint
    /// on.
    pub commands: bool,
    /// How long a change can be undone, and a checkpoint or a run be come back to. Default: 30 days.
    pub max_age: Duration,
}

impl Default for JournalOptions {
    fn default() -> Self {
        Self {
            max_bytes: tenon_contract::limits::JOURNAL_MAX_BYTES,
            parent: None,
            calls: 0,
            commands: false,
            max_age: tenon_contract::limits::JOURNAL_MAX_AGE,
        }
    }
}

/// What the tools of one session changed since its checkpoints. Clones share it; the directory with
/// the old content (mode 0700) is removed with the last of them or by [`close`](Self::close).
///
/// ```
/// use tenon_workspace::{ChangeSet, Journal, JournalOptions, Workspace, read_bytes};
///
/// let directory = tempfile::tempdir()?;
/// std::fs::write(directory.path().join("a.txt"), "before")?;
/// let workspace = Workspace::open(directory.path(), &[] as &[&str])?;
/// let journal = Journal::new(JournalOptions::default());
///
/// let checkpoint = journal.checkpoint()?;
/// let mut changes = ChangeSet::new();
/// changes.update(&read_bytes(&workspace.locate("a.txt")?, 1024)?, b"after".to_vec())?;
/// journal.commit(changes, &|| false)?;
/// journal.rollback(checkpoint, false, &|| false)?;
///
/// assert_eq!(std::fs::read(directory.path().join("a.txt"))?, b"before");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Journal {
    state: Arc<Mutex<JournalState>>,
    /// Notified when nothing is pending any more.
    settled: Arc<Condvar>,
    /// Locked before the state, never within.
    pack: Arc<Mutex<Pack>>,
    /// Who makes the changes.
    by: By,
    /// The calls within which files are restored, see [`lock_paths_within`](crate::lock_paths_within).
    lineage: Arc<str>,
    /// Where it is kept, if it outlives its process.
    kept: Option<Arc<KeptJournal>>,
}

/// A checkpoint.
#[derive(Debug, Clone, Copy)]
struct Point {
    /// The number of the first entry after it.
    first: u64,
    /// When it was made, in milliseconds since 1970.
    at: i64,
}

#[derive(Debug)]
struct JournalState {
    max_bytes: u64,
    max_age: Duration,
    /// Most entries that are kept so that calls can be undone.
    max_calls: usize,
    /// Whether they may be commands.
    has_commands: bool,
    /// The number of the first of them.
    calls_first: u64,
    /// What begins the keys of its entries.
    name: u64,
    next_key: u64,
    store: Store,
    /// The oldest first, each with its number.
    entries: VecDeque<(u64, Entry)>,
    next_entry: u64,
    checkpoints: BTreeMap<CheckpointId, Point>,
    next_checkpoint: u64,
    /// The number of the first entry of each run whose changes can be taken back.
    held: BTreeMap<String, u64>,
    /// Runs of which more was changed than is kept, the latest last.
    expired: VecDeque<String>,
    /// How many will record something soon.
    pending: usize,
    /// Commands of others in the session that have not ended, as far as is known.
    unended: Vec<Unended>,
    is_closed: bool,
    is_kept: bool,
    /// What has to be kept yet, the oldest first.
    outbox: VecDeque<RowChange>,
    /// How often entries and checkpoints came and went.
    turn: u64,
}

impl Journal {
    /// A journal that keeps nothing yet.
    #[must_use]
    pub fn new(options: JournalOptions) -> Self {
        Self::of(options, None)
    }

    /// A journal that outlives its process: what was kept for it before is taken in when it is needed.
    #[must_use]
    pub fn kept_by(
        keeper: Arc<dyn JournalKeeper>,
        workspace: Workspace,
        options: JournalOptions,
    ) -> Self {
        Self::of(options, Some(KeptJournal::new(keeper, workspace)))
    }

    fn of(options: JournalOptions, kept: Option<KeptJournal>) -> Self {
        let is_kept = kept.is_some();
        Self {
            state: Arc::new(Mutex::new(JournalState {
                max_bytes: options.max_bytes,
                max_age: options.max_age,
                max_calls: options.calls,
                has_commands: options.commands,
                calls_first: 0,
                name: RandomState::new().hash_one("journal"),
                next_key: 0,
                store: Store::new(options.parent, is_kept),
                entries: VecDeque::new(),
                next_entry: 0,
                checkpoints: BTreeMap::new(),
                next_checkpoint: 1,
                held: BTreeMap::new(),
                expired: VecDeque::new(),
                pending: 0,
                unended: Vec::new(),
                is_closed: false,
                is_kept,
                outbox: VecDeque::new(),
                turn: 0,
            })),
            settled: Arc::default(),
            pack: Arc::default(),
            by: By::default(),
            lineage: Arc::default(),
            kept: kept.map(Arc::new),
        }
    }

    /// The same journal for the changes of a run that was started from this one. They are recorded without a
    /// checkpoint, so that they can be taken back alone.
    #[must_use]
    pub fn of_run(&self, run: &str) -> Self {
        let runs = self.by.runs.iter().cloned();
        let by = By {
            runs: runs.chain([run.to_owned()]).collect(),
            call: None,
        };
        Self { by, ..self.clone() }
    }

    /// The same journal for the changes of a call. `number` distinguishes it from other calls that are named the same; one
    /// without a name cannot be undone alone.
    #[must_use]
    pub fn of_call(&self, call: &str, number: u32) -> Self {
        let by = By {
            runs: Arc::clone(&self.by.runs),
            call: (!call.is_empty()).then(|| (Arc::from(call), number)),
        };
        Self { by, ..self.clone() }
    }

    /// The same journal for what is undone within the calls of this lineage: the files that those hold are free for it.
    #[must_use]
    pub fn within(&self, lineage: &str) -> Self {
        let lineage = Arc::from(lineage);
        Self {
            lineage,
            ..self.clone()
        }
    }

    /// Whether changes of this run are known and can be taken back.
    #[must_use]
    pub fn holds_run(&self, run: &str) -> bool {
        self.lock().held.contains_key(run)
    }

    /// Marks the present state of all files as one to come back to. One that is to outlive its process is kept with the
    /// next change, or by [`flush`](Self::flush).
    ///
    /// # Errors
    /// [`Error::NoNewCheckpoint`] once the journal is closed.
    pub fn checkpoint(&self) -> Result<CheckpointId, Error> {
        let mut state = self.lock();
        let at = state::now();
        if state.is_kept {
            // Others who work in the same session make some as well, and cannot be asked here.
            let random = RandomState::new().hash_one(at) % 1000;
            let unique = u64::try_from(at).unwrap_or_default() * 1000 + random;
            state.next_checkpoint = state.next_checkpoint.max(unique);
        }
        let id = CheckpointId::new(state.next_checkpoint);
        if state.is_closed {
            return Err(Error::NoNewCheckpoint {
                reason: "the journal was closed",
            });
        }
        state.next_checkpoint += 1;
        let first = state.next_entry;
        state.checkpoints.insert(id, Point { first, at });
        state.turn += 1;
        state.send(|| keeper::checkpoint_row(id, at));
        while state.checkpoints.len() > tenon_contract::limits::JOURNAL_CHECKPOINTS_MAX
            && let Some(oldest) = state.checkpoints.keys().next().copied()
        {
            state.remove_checkpoint(oldest);
        }
        state.drop_unreachable();
        Ok(id)
    }

    /// [`ChangeSet::commit`], recorded when there is a checkpoint.
    ///
    /// # Errors
    /// As `ChangeSet::commit`; [`Error::Io`] when the old content cannot be kept, before anything
    /// was changed.
    pub fn commit(
        &self,
        changes: ChangeSet,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Vec<CommittedChange>, Error> {
        let (drafts, changes) = changes.without_drafts();
        if drafts.is_empty() {
            return self.commit_to_disk(changes, cancelled);
        }
        let mut done = self.commit_to_disk(changes, cancelled)?;
        done.extend(drafts.commit_drafts()?);
        Ok(done)
    }

    fn commit_to_disk(
        &self,
        changes: ChangeSet,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Vec<CommittedChange>, Error> {
        let Some(entry) = self.begin(&changes)? else {
            return changes.commit(cancelled);
        };
        self.announce(&entry);
        let answer = changes.commit(cancelled);
        self.end(entry, &answer);
        answer
    }

    /// Forgets all checkpoints and removes what was kept for them, unless it is kept beyond this process.
    ///
    /// # Errors
    /// What the system refuses.
    pub fn close(&self) -> std::io::Result<()> {
        *self.pack() = Pack::default();
        let mut state = self.lock();
        state.is_closed = true;
        state.checkpoints.clear();
        state.held.clear();
        state.entries.clear();
        state.outbox.clear();
        state.store.close()
    }

    /// Keeps what the changes will replace. `None` when nothing has to be kept.
    fn begin(&self, changes: &ChangeSet) -> Result<Option<Entry>, Error> {
        if !self.lock().wants(&self.by) {
            return Ok(None);
        }
        self.begun();
        self.lock().expire_old();
        self.keep_old(changes, &self.by)
    }

    /// Keeps what changes will replace, for the entry that they will be.
    fn keep_old(&self, changes: &ChangeSet, by: &By) -> Result<Option<Entry>, Error> {
        // Without the lock: the content may be long, and may go to a store.
        let hashes = hashes_of(changes);
        let may_keep = self.lock().may_keep(changes, &hashes);
        if let Some(kept) = self.kept.as_ref().filter(|_| may_keep) {
            let olds = changes.changes().iter().filter_map(Change::old);
            for (old, hash) in olds.zip(&hashes) {
                if let Err(error) = kept.keeper.keep(hash, old.bytes()) {
                    return self.lock().without_record(by, not_kept(old, error));
                }
            }
        }
        self.lock().keep_old(changes, &hashes, by)
    }

    /// Keeps what is about to be changed: where this process ends before it is done, others have to know what was there before.
    fn announce(&self, entry: &Entry) {
        let mut state = self.lock();
        if !state.is_kept {
            return;
        }
        let row = keeper::row_of(entry, &state.store, /*is_begun*/ true);
        state.outbox.extend(row);
        drop(state);
        // A store that is away keeps nobody from working; the keeper says why.
        let _ = self.flush();
    }

    /// Adds what was done to the record, or lets go of what was kept for it.
    fn end(&self, mut entry: Entry, answer: &Result<Vec<CommittedChange>, Error>) {
        // Without the lock: it looks at the files.
        let is_done = take(&mut entry, answer);
        self.lock().enter_done(entry, is_done);
        // What is not kept now is the next time; the keeper says why.
        let _ = self.flush();
    }

    /// No thread panics while it holds this, so a poisoned one is sound.
    fn lock(&self) -> MutexGuard<'_, JournalState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn pack(&self) -> MutexGuard<'_, Pack> {
        self.pack.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until what is pending is recorded, or nobody wants to wait any longer.
    fn settle(&self, cancelled: &dyn Fn() -> bool) {
        const LOOK: std::time::Duration = std::time::Duration::from_millis(20);
        let mut state = self.lock();
        while state.pending > 0 && !cancelled() {
            let waited = self.settled.wait_timeout(state, LOOK);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

impl JournalState {
    /// Bytes that these files would add to what is kept.
    fn new_bytes(&self, olds: &[&FileSnapshot], hashes: &[ContentHash]) -> u64 {
        let mut seen = Vec::new();
        let mut bytes = 0;
        for (old, hash) in olds.iter().zip(hashes) {
            if !self.store.holds(*hash) && !seen.contains(hash) {
                seen.push(*hash);
                bytes += wide(old.bytes().len());
            }
        }
        bytes
    }

    /// Whether changes that these make have to be recorded.
    fn wants(&self, by: &By) -> bool {
        let is_open = !self.is_closed && self.max_calls > 0;
        is_open || self.wants_commands(by)
    }

    /// Whether what commands of these do has to be recorded.
    fn wants_commands(&self, by: &By) -> bool {
        let is_wanted = self.has_commands && self.max_calls > 0;
        !self.is_closed && (is_wanted || self.is_promised(by))
    }

    /// Whether there is room for what these changes replace, if older ones make it.
    fn may_keep(&self, changes: &ChangeSet, hashes: &[ContentHash]) -> bool {
        let olds: Vec<&FileSnapshot> = changes.changes().iter().filter_map(Change::old).collect();
        self.new_bytes(&olds, hashes) <= self.max_bytes
    }

    /// Whether changes may be made that cannot be recorded: not where somebody was promised to come back. Undoing a call
    /// was promised to nobody, and work goes before it.
    fn without_record(&self, by: &By, error: Error) -> Result<Option<Entry>, Error> {
        if self.is_promised(by) {
            Err(error)
        } else {
            Ok(None)
        }
    }

    /// Whether there is a checkpoint, or a run of which more is known, to come back to.
    fn is_promised(&self, by: &By) -> bool {
        let is_held = |run: &String| !self.expired.contains(run);
        !self.checkpoints.is_empty() || by.runs.iter().any(is_held)
    }

    /// A key that no entry has.
    fn key(&mut self) -> String {
        self.next_key += 1;
        format!("{:016x}-{}", self.name, self.next_key)
    }

    /// Has a row written or removed, where the journal is kept.
    fn send(&mut self, row: impl FnOnce() -> RowChange) {
        if self.is_kept {
            self.outbox.push_back(row());
        }
    }

    /// Keeps what changes will replace, for the entry that they will be.
    fn keep_old(
        &mut self,
        changes: &ChangeSet,
        hashes: &[ContentHash],
        by: &By,
    ) -> Result<Option<Entry>, Error> {
        let olds: Vec<&FileSnapshot> = changes.changes().iter().filter_map(Change::old).collect();
        let new_bytes = self.new_bytes(&olds, hashes);
        if new_bytes > self.max_bytes {
            by.runs.iter().for_each(|run| self.expire(run));
            self.drop_unreachable();
        }
        self.make_room(new_bytes);
        if new_bytes > self.max_bytes || !self.wants(by) {
            return Ok(None);
        }
        for (index, (old, hash)) in olds.iter().zip(hashes).enumerate() {
            if let Err(error) = self.store.keep(*hash, old.bytes()) {
                for hash in hashes.iter().take(index) {
                    self.store.release(*hash);
                }
                return self.without_record(by, not_kept(old, error));
            }
        }
        let key = self.key();
        Ok(Some(Entry::of(changes.changes(), key, by)))
    }

    fn enter_done(&mut self, entry: Entry, is_done: bool) {
        if is_done {
            let left = |touched: &Touched| (touched.place.target().to_owned(), touched.after);
            elsewhere::note(entry.files.iter().map(left));
            self.add(entry);
        } else {
            self.remove(&entry);
        }
    }

    /// Adds an entry, if somebody can still come back to what was before it.
    fn add(&mut self, entry: Entry) {
        if !self.wants(&entry.by) {
            return self.remove(&entry);
        }
        let number = self.next_entry;
        self.next_entry += 1;
        self.turn += 1;
        if self.is_kept {
            self.outbox
                .extend(keeper::row_of(&entry, &self.store, /*is_begun*/ false));
        }
        for run in entry.by.runs.iter() {
            if !self.expired.contains(run) {
                self.held.entry(run.clone()).or_insert(number);
            }
        }
        self.entries.push_back((number, entry));
        while self.held.len() > tenon_contract::limits::JOURNAL_RUNS_MAX {
            self.expire_oldest_run();
        }
        let of_calls = |(number, _): &&(u64, Entry)| *number >= self.calls_first;
        let count = self.entries.iter().rev().take_while(of_calls).count();
        if count > self.max_calls {
            self.expire_oldest_call();
        }
    }

    /// Gives up what is too old.
    fn expire_old(&mut self) {
        let age = i64::try_from(self.max_age.as_millis()).unwrap_or(i64::MAX);
        let since = state::now().saturating_sub(age);
        let is_young = |(_, entry): &&(u64, Entry)| entry.at >= since;
        let first = self.entries.iter().find(is_young);
        let first = first.map_or(self.next_entry, |(number, _)| *number);
        let old = self
            .checkpoints
            .iter()
            .filter(|(_, point)| point.at < since);
        let old: Vec<CheckpointId> = old.map(|(id, _)| *id).collect();
        old.iter().for_each(|id| self.remove_checkpoint(*id));
        let runs = self.held.iter().filter(|(_, begins)| **begins < first);
        let runs: Vec<String> = runs.map(|(run, _)| run.clone()).collect();
        runs.iter().for_each(|run| self.expire(run));
        self.calls_first = self.calls_first.max(first);
        self.drop_unreachable();
    }

    fn remove_checkpoint(&mut self, id: CheckpointId) {
        self.checkpoints.remove(&id);
        self.turn += 1;
        self.send(|| RowChange::Delete {
            key: keeper::checkpoint_key(id),
        });
    }

    /// The number of the oldest entry that is kept for its call.
    fn oldest_call(&self) -> Option<u64> {
        let mut numbers = self.entries.iter().map(|(number, _)| *number);
        numbers.find(|number| self.max_calls > 0 && *number >= self.calls_first)
    }

    fn expire_oldest_call(&mut self) {
        if let Some(number) = self.oldest_call() {
            self.calls_first = number + 1;
            self.drop_unreachable();
        }
    }

    /// Gives up taking back what a run has changed.
    fn expire(&mut self, run: &str) {
        const KNOWN: usize = 1_000;
        self.held.remove(run);
        self.expired.push_back(run.to_owned());
        if self.expired.len() > KNOWN {
            self.expired.pop_front();
        }
    }

    fn expire_oldest_run(&mut self) {
        let oldest = self.held.iter().min_by_key(|(_, first)| **first);
        if let Some(run) = oldest.map(|(run, _)| run.clone()) {
            self.expire(&run);
            self.drop_unreachable();
        }
    }

    /// Lets the oldest checkpoints and runs expire until so much more may be kept.
    fn make_room(&mut self, new_bytes: u64) {
        while self.store.bytes().saturating_add(new_bytes) > self.max_bytes {
            let checkpoint = self.checkpoints.iter().next();
            let checkpoint = checkpoint.map(|(id, point)| (point.first, *id));
            let run = self.held.values().min().copied();
            let call = self.oldest_call();
            let Some(oldest) = [checkpoint.map(|(first, _)| first), run, call]
                .into_iter()
                .flatten()
                .min()
            else {
                return;
            };
            match checkpoint {
                _ if call == Some(oldest) => self.expire_oldest_call(),
                Some((first, id)) if first == oldest => {
                    self.remove_checkpoint(id);
                    self.drop_unreachable();
                }
                _ => self.expire_oldest_run(),
            }
        }
    }

    /// Drops what nobody can come back to.
    fn drop_unreachable(&mut self) {
        let first = self.checkpoints.values().map(|point| point.first).min();
        let calls = (self.max_calls > 0).then_some(self.calls_first);
        let runs = self.held.values().copied();
        let first = first.into_iter().chain(runs).chain(calls).min();
        while let Some((number, _)) = self.entries.front() {
            if first.is_some_and(|first| *number >= first) {
                return;
            }
            if let Some((_, entry)) = self.entries.pop_front() {
                self.remove(&entry);
            }
        }
    }

    /// Forgets an entry, or one that was announced and did not become one.
    fn remove(&mut self, entry: &Entry) {
        self.turn += 1;
        self.let_go(entry);
        self.send(|| RowChange::Delete {
            key: keeper::entry_key(entry),
        });
    }

    fn let_go(&mut self, entry: &Entry) {
        for file in &entry.files {
            if let Some(hash) = file.before.kept_hash() {
                self.store.release(hash);
            }
        }
    }

    fn unknown(&self, id: CheckpointId) -> Error {
        let reason = if self.is_closed {
            "the journal was closed"
        } else if id.number() < self.next_checkpoint {
            "it expired, because it is too old or more was changed than is kept, or an earlier one was restored"
        } else {
            "no checkpoint has this id"
        };
        Error::NoCheckpoint {
            id: id.to_string(),
            reason,
        }
    }
}

/// Notes in an entry how its files are after the commit. Whether there is anything to come back from.
fn take(entry: &mut Entry, answer: &Result<Vec<CommittedChange>, Error>) -> bool {
    match answer {
        Ok(_) => {
            entry.files.iter_mut().for_each(Touched::take_mode);
            true
        }
        // Some files are neither as before nor as planned: the way back is worth the most.
        Err(Error::RollbackFailed { .. }) => {
            entry.files.iter_mut().for_each(Touched::take_state);
            true
        }
        Err(_) => false,
    }
}

fn not_kept(old: &FileSnapshot, error: std::io::Error) -> Error {
    old.located()
        .fault("keep the old content, for a way back, of", error)
}

/// Of the content that changes will replace, in their order.
fn hashes_of(changes: &ChangeSet) -> Vec<ContentHash> {
    let olds = changes.changes().iter().filter_map(Change::old);
    olds.map(FileSnapshot::hash).collect()
}

#[cfg(test)]
#[path = "journal_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "journal/undo_tests.rs"]
mod undo_tests;
