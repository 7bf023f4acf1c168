//! The way back to a checkpoint.

mod kept_way;
mod look;
mod obstacles;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};

use self::look::Links;
pub(super) use self::look::check_in_place;
use self::obstacles::Obstacles;
use super::file_state::is_directory;
use super::state::{By, Entry, FileState};
use super::{CheckpointId, Journal, JournalState, take};
use crate::journal::store::proven;
use crate::{
    ChangeSet, CommittedChange, ContentHash, Error, FileSnapshot, Located, ModeChange,
    lock_paths_blocking_within,
};

/// Contents by their hashes.
pub(super) type Contents = HashMap<ContentHash, Vec<u8>>;

impl Journal {
    /// Restores every file that was changed through this journal since the checkpoint: content,
    /// permission bits, existence; directories that were made since go when they are empty. All or
    /// nothing. Later checkpoints are gone afterwards; this one stays. Answers what was restored.
    ///
    /// What stood there before is kept as far as there is room, so that the last way back to a checkpoint can be
    /// [undone](Self::undo) by the checkpoint's id, until the next one.
    ///
    /// A file that somebody else brought back to what it was is left alone. Owner and extended
    /// attributes of a file that was removed are not known any more.
    ///
    /// # Errors
    /// [`Error::NoCheckpoint`]; [`Error::ChangedElsewhere`] names the files that something else
    /// changed since, unless `force` is set; what [`ChangeSet::commit`] answers.
    pub fn rollback(
        &self,
        id: CheckpointId,
        force: bool,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Vec<CommittedChange>, Error> {
        self.back(&Scope::Since(id), force, cancelled)
    }

    /// Restores every file that a run and those that it has started changed, and nothing that others changed. All or
    /// nothing. Checkpoints stay, and take it for another change. Answers what was restored.
    ///
    /// # Errors
    /// [`Error::NoRun`] for a run of which nothing is kept; [`Error::ChangedLater`] names the files that
    /// somebody else changed since, unless `force` is set; what [`ChangeSet::commit`] answers.
    pub fn rollback_run(
        &self,
        run: &str,
        force: bool,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Vec<CommittedChange>, Error> {
        self.back(&Scope::Run(run), force, cancelled)
    }

    /// Restores every file that a call changed, and nothing that others changed. All or nothing. Where several calls are
    /// named the same it is the last one that was not undone. Checkpoints stay, and take it for another change.
    ///
    /// Calls can be undone in any order, as long as none that came later and was not undone has changed the same
    /// file: then what stands there is not what this call has left.
    ///
    /// # Errors
    /// [`Error::NoCall`] for a call of which nothing is kept, or that was undone; [`Error::CallsLater`] names the later
    /// calls; [`Error::CallElsewhere`] the files that something else changed since; what [`ChangeSet::commit`] answers.
    pub fn undo(
        &self,
        call: &str,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Vec<CommittedChange>, Error> {
        self.back(&Scope::Call(call), false, cancelled)
    }

    fn back(
        &self,
        scope: &Scope<'_>,
        force: bool,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Vec<CommittedChange>, Error> {
        self.settle(cancelled);
        self.refresh()?;
        if !force {
            self.lock().check_running(scope, &self.by)?;
        }
        let mut wanted = self.lock().targets(scope, &self.by)?;
        loop {
            let targets = wanted.iter().cloned();
            let _guard = lock_paths_blocking_within(&self.lineage, targets, cancelled)?;
            let goal = self.lock().goal(scope, &self.by)?;
            let targets = goal.targets();
            if targets.is_subset(&wanted) {
                return self.go_back(scope, goal, force, cancelled);
            }
            wanted = targets;
        }
    }

    /// Nobody else may change these files meanwhile: their paths are locked. The state is not, since contents may have
    /// to be read from a store.
    fn go_back(
        &self,
        scope: &Scope<'_>,
        mut goal: Goal,
        force: bool,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Vec<CommittedChange>, Error> {
        check_in_place(&goal.files)?;
        let others = goal.look(force, cancelled)?;
        if !others.is_empty() {
            return Err(scope.refusal(others));
        }
        let open = goal.files.iter().filter(|file| !file.is_back);
        let contents = self.contents(open.map(|file| (&file.place, file.wanted)))?;
        let obstacles = Obstacles::of(&goal, &contents)?;
        let changes = plan(&goal.files, &goal.moves, &contents, &obstacles)?;
        let missing = goal.missing_directories();
        let done = match scope {
            Scope::Since(id) => {
                let way = self.keep_way_back(*id, &changes, &contents, (&goal, &obstacles))?;
                let answer = obstacles.commit(changes, cancelled);
                self.end_way_back(way, &answer, (*id, goal.end));
                answer?
            }
            Scope::Run(_) | Scope::Call(_) => {
                // With force others' changes are gone as well: then it is a change like any other.
                let undoes = if force { Vec::new() } else { goal.keys.clone() };
                self.commit_back(changes, (&goal, &obstacles), undoes, cancelled)?
            }
        };
        obstacles.remove_directories();
        missing.iter().rev().for_each(restore_mode);
        if force {
            self.lock().forget_running(scope, &self.by);
        }
        // What is not kept now is the next time; the keeper says why.
        let _ = self.flush();
        Ok(done)
    }

    /// Takes back as one more change, of those that have started it: what they and checkpoints come back
    /// to is what it was before.
    fn commit_back(
        &self,
        changes: ChangeSet,
        (goal, obstacles): (&Goal, &Obstacles),
        undoes: Vec<String>,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Vec<CommittedChange>, Error> {
        let Some(mut entry) = self.keep_old(&changes, &goal.above)? else {
            let answer = obstacles.commit(changes, cancelled);
            if answer.is_ok() {
                // What it took back cannot come again: then it is as if it had not been.
                self.lock().forget_all(&undoes);
            }
            return answer;
        };
        self.add_other_kinds(&mut entry, goal, obstacles)?;
        entry.undoes = undoes;
        self.announce(&entry);
        let answer = obstacles.commit(changes, cancelled);
        if answer.is_err() {
            entry.undoes.clear();
        }
        let is_done = take(&mut entry, &answer);
        self.lock().enter_done(entry, is_done);
        answer
    }

    /// The contents of these states.
    pub(super) fn contents<'a>(
        &self,
        states: impl Iterator<Item = (&'a Located, FileState)>,
    ) -> Result<Contents, Error> {
        let mut contents = Contents::new();
        for (place, state) in states {
            let Some(hash) = state.kept_hash() else {
                continue;
            };
            if contents.contains_key(&hash) {
                continue;
            }
            let read = match &self.kept {
                Some(kept) => kept
                    .keeper
                    .content(&hash)
                    .and_then(|bytes| proven(bytes, hash)),
                None => self.lock().store.read(hash),
            };
            let bytes = read.map_err(|source| Error::Io {
                path: place.name().into(),
                action: "read the content kept of",
                source,
            })?;
            contents.insert(hash, bytes);
        }
        Ok(contents)
    }
}

/// Which changes are taken back.
pub(super) enum Scope<'a> {
    /// All since a checkpoint.
    Since(CheckpointId),
    /// Those of a run.
    Run(&'a str),
    /// Those of a call.
    Call(&'a str),
}

impl Scope<'_> {
    fn refusal(&self, paths: Vec<String>) -> Error {
        match self {
            Self::Since(_) => Error::ChangedElsewhere { paths },
            Self::Run(run) => Error::ChangedLater {
                run: (*run).to_owned(),
                paths,
            },
            Self::Call(call) => Error::CallElsewhere {
                call: crate::error::shorten(call),
                paths,
            },
        }
    }
}

/// What a way back comes to.
struct Goal {
    files: Vec<Return>,
    moves: Vec<(PathBuf, PathBuf)>,
    directories: Vec<Located>,
    /// Directories that were removed, with their permission bits.
    gone_directories: Vec<(Located, u32)>,
    /// Links that go.
    links: Links,
    /// Of the entries that are taken back.
    keys: Vec<String>,
    /// Who takes them back.
    above: By,
    /// The number that the next entry will have.
    end: u64,
}

impl Goal {
    fn targets(&self) -> BTreeSet<PathBuf> {
        let files = self.files.iter();
        files.map(|file| file.place.target().to_owned()).collect()
    }

    /// Those that were removed and are not there now, the first of each with its permission bits.
    fn missing_directories(&self) -> Vec<(Located, u32)> {
        let mut known = HashSet::new();
        { self.gone_directories.iter() }
            .filter(|(place, _)| known.insert(place.target()) && !is_directory(place))
            .cloned()
            .collect()
    }
}

impl JournalState {
    pub(super) fn first_since(&self, id: CheckpointId) -> Result<u64, Error> {
        let point = self.checkpoints.get(&id);
        point
            .map(|point| point.first)
            .ok_or_else(|| self.unknown(id))
    }

    /// The same without ways back that were not undone: nothing is different from what it was before them.
    pub(super) fn open_since(&self, first: u64) -> Vec<&Entry> {
        let undone = self.undone();
        let ways_back = self.since(first).filter(|entry| {
            entry.is_way_back_to_checkpoint() && !undone.contains(entry.key.as_str())
        });
        let over: HashSet<&str> = ways_back
            .flat_map(|entry| entry.undoes.iter().chain([&entry.key]))
            .map(String::as_str)
            .collect();
        self.since(first)
            .filter(|entry| !over.contains(entry.key.as_str()))
            .collect()
    }

    pub(super) fn since(&self, first: u64) -> impl DoubleEndedIterator<Item = &Entry> {
        self.entries
            .iter()
            .filter(move |(number, _)| *number >= first)
            .map(|(_, entry)| entry)
    }

    /// The entries that are taken back, the oldest first.
    pub(super) fn entries_of(&self, scope: &Scope<'_>, by: &By) -> Result<Vec<&Entry>, Error> {
        match scope {
            Scope::Since(id) => Ok(self.open_since(self.first_since(*id)?)),
            Scope::Run(run) => {
                let Some(first) = self.held.get(*run) else {
                    return Err(self.unknown_run(run));
                };
                let is_own = |entry: &&Entry| entry.is_of_run(run);
                Ok(self.since(*first).filter(is_own).collect())
            }
            Scope::Call(call) => self.entries_of_call(call, by),
        }
    }

    /// Those of the last call with this name that was not undone: of the own session, else of those below it.
    fn entries_of_call(&self, call: &str, by: &By) -> Result<Vec<&Entry>, Error> {
        let undone = self.undone();
        let is_named = |entry: &&Entry| {
            let named = entry.by.call.as_ref();
            named.is_some_and(|(id, _)| **id == *call) && entry.by.runs.starts_with(&by.runs)
        };
        let mut named: Vec<&Entry> = self.since(0).filter(is_named).collect();
        if named.iter().any(|entry| entry.by.runs == by.runs) {
            named.retain(|entry| entry.by.runs == by.runs);
        }
        let Some(last) = named
            .iter()
            .rfind(|entry| !undone.contains(entry.key.as_str()))
        else {
            return Err(self.unknown_call(call, !named.is_empty()));
        };
        let is_same = |entry: &&&Entry| entry.is_of_call_of(last);
        Ok(named.iter().filter(is_same).copied().collect())
    }

    /// The keys of entries that were taken back.
    pub(super) fn undone(&self) -> HashSet<&str> {
        let undoes = self.since(0).flat_map(|entry| &entry.undoes);
        undoes.map(String::as_str).collect()
    }

    fn targets(&self, scope: &Scope<'_>, by: &By) -> Result<BTreeSet<PathBuf>, Error> {
        let entries = self.entries_of(scope, by)?;
        let files = entries.into_iter().flat_map(|entry| &entry.files);
        Ok(files.map(|file| file.place.target().to_owned()).collect())
    }

    fn goal(&self, scope: &Scope<'_>, by: &By) -> Result<Goal, Error> {
        let entries = self.entries_of(scope, by)?;
        if let Scope::Call(call) = scope {
            self.check_later(call, &entries)?;
        }
        let all = || entries.iter().copied();
        Ok(Goal {
            files: Return::files(all()),
            moves: all().flat_map(|entry| &entry.moves).cloned().collect(),
            directories: all()
                .flat_map(|entry| &entry.directories)
                .cloned()
                .collect(),
            gone_directories: all()
                .flat_map(|entry| &entry.gone_directories)
                .cloned()
                .collect(),
            links: Links::new(),
            keys: all().map(|entry| entry.key.clone()).collect(),
            above: match scope {
                Scope::Run(run) => entries.first().map(|entry| above(entry, run)),
                Scope::Since(_) | Scope::Call(_) => None,
            }
            .unwrap_or_else(|| By {
                call: None,
                ..by.clone()
            }),
            end: self.next_entry,
        })
    }

    /// Refuses to undo a call that is not the last one that changed its files, of those that were not undone. What
    /// stands there may look as this call has left it all the same; then others rely on it.
    fn check_later(&self, call: &str, entries: &[&Entry]) -> Result<(), Error> {
        let own: HashSet<&str> = entries.iter().map(|entry| entry.key.as_str()).collect();
        let files = entries.iter().flat_map(|entry| &entry.files);
        let targets: HashSet<_> = files.map(|file| file.place.target()).collect();
        let undone = self.undone();
        let mut later: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
        let behind = self
            .since(0)
            .skip_while(|entry| !own.contains(entry.key.as_str()));
        for entry in behind.filter(|entry| !own.contains(entry.key.as_str())) {
            let is_over = undone.contains(entry.key.as_str()) || !entry.undoes.is_empty();
            for file in entry.files.iter().filter(|_| !is_over) {
                if targets.contains(file.place.target()) {
                    let name = file.place.name().to_owned();
                    let id = entry.by.call.as_ref().map_or("", |(id, _)| id);
                    later.entry(name).or_default().insert(id);
                }
            }
        }
        if later.is_empty() {
            return Ok(());
        }
        let calls: BTreeSet<&str> = later.values().flatten().copied().collect();
        Err(Error::CallsLater {
            call: crate::error::shorten(call),
            later: { calls.into_iter() }
                .filter(|id| !id.is_empty())
                .map(crate::error::shorten)
                .collect(),
            paths: later.into_keys().collect(),
        })
    }

    /// Forgets what was taken back: the entries since the checkpoint, before the one of number `end`.
    fn forget_since(&mut self, id: CheckpointId, end: u64) {
        let Ok(first) = self.first_since(id) else {
            return;
        };
        let is_later = |(other, point): &(&CheckpointId, &super::Point)| {
            **other != id && point.first >= first && point.first <= end && **other > id
        };
        let later = self.checkpoints.iter().filter(is_later);
        let later: Vec<CheckpointId> = later.map(|(other, _)| *other).collect();
        later
            .into_iter()
            .for_each(|other| self.remove_checkpoint(other));
        self.held
            .retain(|_, begins| *begins < first || *begins >= end);
        for (number, entry) in std::mem::take(&mut self.entries) {
            if (first..end).contains(&number) {
                self.remove(&entry);
            } else {
                self.entries.push_back((number, entry));
            }
        }
    }

    /// Forgets the entries of these keys.
    fn forget_all(&mut self, keys: &[String]) {
        for (number, entry) in std::mem::take(&mut self.entries) {
            if keys.contains(&entry.key) {
                self.remove(&entry);
            } else {
                self.entries.push_back((number, entry));
            }
        }
    }

    pub(super) fn unknown_call(&self, call: &str, was_undone: bool) -> Error {
        let reason = if self.is_closed {
            "the journal was closed"
        } else if was_undone {
            "they were undone already"
        } else {
            "it changed no file, or what it changed is no longer kept"
        };
        Error::NoCall {
            call: crate::error::shorten(call),
            reason,
        }
    }

    fn unknown_run(&self, run: &str) -> Error {
        let reason = if self.is_closed {
            "the journal was closed"
        } else if self.expired.iter().any(|expired| expired == run) {
            "more was changed than is kept"
        } else {
            "no change of a run with this id is kept"
        };
        Error::NoRun {
            run: crate::error::shorten(run),
            reason,
        }
    }
}

/// The runs that have started this one, by one of its entries.
fn above(entry: &Entry, run: &str) -> By {
    let above = entry.by.runs.iter().take_while(|other| *other != run);
    By {
        runs: above.cloned().collect(),
        call: None,
    }
}

/// One file on its way back.
pub(super) struct Return {
    pub(super) place: Located,
    /// As it was at the checkpoint.
    pub(super) wanted: FileState,
    /// As the tools left it.
    pub(super) left: FileState,
    /// Whether something else changed it between two changes of the tools.
    was_interrupted: bool,
    present: Option<FileSnapshot>,
    /// What is there now.
    found: FileState,
    is_back: bool,
}

impl Return {
    /// Every file once, with its first and its last state.
    pub(super) fn files<'a>(entries: impl Iterator<Item = &'a Entry>) -> Vec<Self> {
        let mut files: Vec<Self> = Vec::new();
        let mut indices = HashMap::new();
        for touched in entries.flat_map(|entry| &entry.files) {
            let index = *indices
                .entry(touched.place.target().to_owned())
                .or_insert(files.len());
            match files.get_mut(index) {
                Some(file) => {
                    file.was_interrupted |= file.left != touched.before;
                    file.left = touched.after;
                }
                None => files.push(Self {
                    place: touched.place.clone(),
                    wanted: touched.before,
                    left: touched.after,
                    was_interrupted: false,
                    present: None,
                    found: FileState::Unknown,
                    is_back: false,
                }),
            }
        }
        files
    }
}

fn plan(
    files: &[Return],
    moves: &[(PathBuf, PathBuf)],
    contents: &Contents,
    obstacles: &Obstacles,
) -> Result<ChangeSet, Error> {
    let mut changes = ChangeSet::new();
    let mut done: BTreeSet<&Path> = BTreeSet::new();
    let open = || files.iter().filter(|file| !file.is_back);
    // What was moved goes back as it is, with its owner and its attributes.
    for (from, to) in moves.iter().rev() {
        let at = |path| open().find(|file| file.place.target() == path);
        let (Some(old), Some(new)) = (at(from), at(to)) else {
            continue;
        };
        let (FileState::File { hash, mode }, FileState::Absent) = (old.wanted, new.wanted) else {
            continue;
        };
        let is_free = old.present.is_none()
            && !done.contains(old.place.target())
            && !obstacles.concerns(old.place.target());
        if let Some(file) = new
            .present
            .as_ref()
            .filter(|_| is_free && !done.contains(new.place.target()))
        {
            let bytes = content(old, hash, contents)?;
            changes.rename_with_mode(
                file,
                &old.place,
                Some(bytes),
                Some(ModeChange::Exactly(mode)),
            )?;
            done.extend([old.place.target(), new.place.target()]);
        }
    }
    for file in open().filter(|file| !done.contains(file.place.target())) {
        match (file.wanted, &file.present) {
            (FileState::File { hash, mode }, present) => {
                let bytes = content(file, hash, contents)?;
                let mode = Some(ModeChange::Exactly(mode));
                match present {
                    Some(old) => changes.update_with_mode(old, bytes, mode)?,
                    None if obstacles.concerns(file.place.target()) => {
                        changes.create_later(&file.place, bytes, mode);
                    }
                    None => changes.create_again(&file.place, bytes, mode)?,
                }
            }
            (_, Some(old)) => changes.delete(old)?,
            (_, None) => {}
        }
    }
    Ok(changes)
}

fn content(file: &Return, hash: ContentHash, contents: &Contents) -> Result<Vec<u8>, Error> {
    let bytes = contents.get(&hash).cloned();
    bytes.ok_or_else(|| Error::Io {
        path: file.place.name().into(),
        action: "read the content kept of",
        source: std::io::ErrorKind::NotFound.into(),
    })
}

/// Gives a directory that was made again the permission bits that it had.
fn restore_mode((directory, mode): &(Located, u32)) {
    if let Ok(directory) = directory.open_as_directory() {
        // What is in it is back; bits that the system refuses are no reason to take that away again.
        let _ = directory.set_own_mode(*mode);
    }
}

fn remove_if_empty(directory: &Located) {
    if let Ok((above, name)) = directory.open_parent() {
        // Refused when somebody else put something into it; then it stays.
        let _ = above.remove_directory(name);
    }
}
