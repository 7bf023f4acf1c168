//! What the tools changed since a moment, for somebody who wants to see it.

use std::collections::{HashMap, HashSet};

use tenon_contract::{ChangeKind, FileChange};

use super::file_state::present;
use super::rollback::{Return, Scope, check_in_place};
use super::{CheckpointId, FileState, Journal, JournalState};
use crate::truncate::wide;
use crate::{Error, FileSnapshot};

/// From when on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Since<'a> {
    /// The oldest change that is kept.
    Start,
    /// A checkpoint.
    Checkpoint(CheckpointId),
    /// A call, whose own changes count.
    Call(&'a str),
}

/// A file that tools changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedFile {
    /// The file, as answers name it.
    pub path: String,
    /// What it was; nothing where there was none. `Err` with its size where that is more than was asked for.
    pub before: Result<Option<Vec<u8>>, u64>,
    /// What is there now.
    pub after: Result<Option<Vec<u8>>, u64>,
    /// The calls that changed it and were not undone, the oldest first.
    pub calls: Vec<String>,
}

impl Journal {
    /// The files that tools changed since, with what they were then and what they are now, sorted by their names. What
    /// something else has changed in these files since then counts as well. Contents of more than `max_bytes` are not
    /// returned. Blocks.
    ///
    /// # Errors
    /// [`Error::NoCheckpoint`], [`Error::NoCall`], and what the system refuses.
    pub fn changed_since(
        &self,
        since: Since<'_>,
        max_bytes: u64,
    ) -> Result<Vec<ChangedFile>, Error> {
        self.refresh()?;
        let (files, mut calls, sizes) = {
            let state = self.lock();
            let first = state.first_of(since, self)?;
            let files = Return::files(state.open_since(first).into_iter());
            let sizes: Vec<u64> = { files.iter() }
                .map(|file| {
                    file.wanted
                        .hash()
                        .map_or(0, |hash| state.store.bytes_of(hash))
                })
                .collect();
            (files, state.calls_since(first), sizes)
        };
        let small = |size: &u64| *size <= max_bytes;
        let wanted = files.iter().zip(&sizes).filter(|(_, size)| small(size));
        let contents = self.contents(wanted.map(|(file, _)| (&file.place, file.wanted)))?;
        let mut changed = Vec::new();
        check_in_place(&files)?;
        for (file, size) in files.iter().zip(&sizes) {
            let before = match file.wanted.hash() {
                Some(_) if !small(size) => Err(*size),
                Some(hash) => Ok(contents.get(&hash).cloned()),
                None => Ok(None),
            };
            let now = match present(&file.place) {
                Ok(now) => now,
                // Something that is no file any more.
                Err(
                    Error::NotAFile { .. } | Error::NotADirectory { .. } | Error::Changed { .. },
                ) => None,
                Err(error) => return Err(error),
            };
            if now.as_ref().map(FileSnapshot::hash) == file.wanted.hash() {
                continue;
            }
            let after = now.map(|file| file.bytes().to_vec());
            let length = after.as_ref().map_or(0, |bytes| wide(bytes.len()));
            changed.push(ChangedFile {
                path: file.place.name().to_owned(),
                before,
                after: if small(&length) {
                    Ok(after)
                } else {
                    Err(length)
                },
                calls: { calls.remove(file.place.target()) }.unwrap_or_default(),
            });
        }
        changed.sort_by(|left, right| left.path.cmp(&right.path));
        Ok(changed)
    }

    /// The commands of other processes of this session that began since and of which nobody has said that they ended: what
    /// they changed is not known.
    ///
    /// # Errors
    /// As [`changed_since`](Self::changed_since), which asks what is kept.
    pub fn commands_not_ended(&self, since: Since<'_>) -> Result<Vec<String>, Error> {
        let state = self.lock();
        let first = state.first_of(since, self)?;
        Ok(state.commands_not_ended(first))
    }

    /// The files that a run changed and those that it has started, sorted by their names, as far as that is kept: by other
    /// processes too. Blocks.
    ///
    /// # Errors
    /// [`Error::NoRun`] for a run of which nothing is kept.
    pub fn changes_of_run(&self, run: &str) -> Result<Vec<FileChange>, Error> {
        self.refresh()?;
        let state = self.lock();
        let entries = state.entries_of(&Scope::Run(run), &self.by)?;
        let files = Return::files(entries.into_iter());
        let changed = files.iter().filter(|file| file.wanted != file.left);
        let mut changes: Vec<FileChange> = changed
            .map(|file| FileChange {
                path: file.place.name().to_owned(),
                kind: match (file.wanted, file.left) {
                    (FileState::Absent, _) => ChangeKind::Create,
                    (_, FileState::Absent | FileState::Directory) => ChangeKind::Delete,
                    _ => ChangeKind::Update,
                },
            })
            .collect();
        changes.sort_by(|left, right| left.path.cmp(&right.path));
        Ok(changes)
    }
}

impl JournalState {
    fn first_of(&self, since: Since<'_>, journal: &Journal) -> Result<u64, Error> {
        match since {
            Since::Start => Ok(0),
            Since::Checkpoint(id) => self.first_since(id),
            Since::Call(call) => {
                let entries = self.entries_of(&Scope::Call(call), &journal.by)?;
                let keys: HashSet<&str> = entries.iter().map(|entry| entry.key.as_str()).collect();
                let first = self
                    .entries
                    .iter()
                    .find(|(_, entry)| keys.contains(entry.key.as_str()));
                Ok(first.map_or(0, |(number, _)| *number))
            }
        }
    }

    fn calls_since(&self, first: u64) -> HashMap<std::path::PathBuf, Vec<String>> {
        let undone = self.undone();
        let mut calls: HashMap<_, Vec<String>> = HashMap::new();
        for entry in self.since(first) {
            let call = entry.by.call.as_ref();
            let Some((call, _)) = call.filter(|_| !entry.is_way_back_to_checkpoint()) else {
                continue;
            };
            for file in &entry.files {
                let calls = calls.entry(file.place.target().to_owned()).or_default();
                let is_new = calls.last().is_none_or(|last| **last != **call);
                if is_new && !undone.contains(entry.key.as_str()) {
                    calls.push(call.to_string());
                }
            }
        }
        calls
    }
}
