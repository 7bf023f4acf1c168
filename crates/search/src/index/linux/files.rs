//! The files of a kept tree, and what is known of their contents.

use std::collections::{HashMap, HashSet, VecDeque};

use super::indexed_tree::NONE;
use super::place::{InodeState, Stamp};
use super::tally::Touched;
use crate::Facts;
use crate::index::budget::{Budget, Extent, Room};
use crate::index::disk::{StoredFile, StoredSign};
use crate::index::signature::{Candidates, Sign, Signatures, Slot};

/// The files are signed in so many passes over the tree.
const PASSES: usize = 16;

/// The number of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct FileId(pub(crate) u32);

/// What a search asks of every file.
#[derive(Debug, Clone, Copy)]
struct Entry {
    /// Its directory; [`NONE`] when it is gone.
    directory: u32,
    slot: Option<Slot>,
    /// Whether nothing of it is searched, unless binary files are searched as text.
    is_binary: bool,
    has_folding: bool,
    /// Whether it has other names, so that its state must be looked at.
    is_linked: bool,
}

impl Entry {
    const fn is_alive(&self) -> bool {
        self.directory != NONE
    }

    const fn is_signed(&self) -> bool {
        self.slot.is_some() || self.is_binary
    }
}

/// What else is known of a file.
#[derive(Debug, Clone, Copy, Default)]
struct Meta {
    /// Counts what happened to it, so that a sign of an older content is not taken.
    turn: u32,
    /// Its different grams.
    grams: u32,
    bytes: u64,
    /// Whether these are counted.
    is_read: bool,
    /// Its inode and the time of its last change; no time if a later change may have the same.
    state: InodeState,
    /// Whether it was old enough when it was read for another process to know it by its state.
    is_old: bool,
}

/// The files of a tree. What each query goes through lies apart from the rest.
#[derive(Debug, Default)]
pub(crate) struct Files {
    entries: Vec<Entry>,
    metas: Vec<Meta>,
    free: Vec<u32>,
    /// Files to be signed.
    unsigned: VecDeque<FileId>,
    pub(crate) signatures: Signatures,
    linked: HashMap<u32, Stamp>,
    signed: usize,
    signed_bytes: u64,
    /// What those have that were read, signed or not.
    read: Extent,
    /// Bytes of the largest that ever was.
    largest: u64,
    /// Counts how often another name of some file came to light.
    names: u32,
    /// Files that there was no room for, and the room there was then.
    refused: Vec<FileId>,
    refused_room: usize,
    /// Counts what was found out.
    pub(crate) changes: u64,
    /// Directories of files of which something else is known than before.
    pub(crate) touched: Touched,
}

/// What must be unchanged when a file is signed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Turn {
    /// Of the file itself.
    file: u32,
    /// Of the names of all files: one that is being read may have been changed by another name.
    names: u32,
}

/// Files that are looked at although their signatures rule them out.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LookedAt {
    /// Those with letters that fold to ASCII.
    pub(crate) folds: bool,
    /// Binary ones.
    pub(crate) binary: bool,
    /// Those with more bytes.
    pub(crate) above: u64,
}

/// What was found out about a file.
#[derive(Debug)]
pub(crate) struct Signed {
    pub(crate) sign: Sign,
    pub(crate) stamp: Stamp,
    /// Whether a later change has another time than the one in `stamp`.
    pub(crate) is_settled: bool,
    /// Whether it has other names.
    pub(crate) is_linked: bool,
    /// Whether it changed long enough ago for another process to know it by its state.
    pub(crate) is_old: bool,
}

impl Files {
    /// What is written of a file; nothing of its content if that is hidden.
    pub(crate) fn stored(&self, file: u32, is_hidden: bool) -> StoredFile {
        let index = file as usize;
        let meta = self.metas.get(index).copied().unwrap_or_default();
        let entry = self.entries.get(index).filter(|entry| {
            let is_known = meta.is_old && meta.state != InodeState::default();
            is_known && entry.is_alive() && !entry.is_linked && !is_hidden
        });
        let sign = match entry {
            Some(Entry {
                slot: Some(slot), ..
            }) => StoredSign::Slot(*slot),
            Some(Entry {
                is_binary: true, ..
            }) => StoredSign::Binary,
            _ => StoredSign::Nothing,
        };
        let Some(entry) = entry.filter(|_| sign != StoredSign::Nothing) else {
            return StoredFile::UNKNOWN;
        };
        StoredFile {
            state: meta.state,
            bytes: meta.bytes,
            grams: meta.grams,
            has_folding: entry.has_folding,
            sign,
        }
    }

    /// The files that were written, in directories by their numbers, with their signatures.
    pub(crate) fn restored(
        stored: &[StoredFile],
        directories: &[u32],
        signatures: Signatures,
    ) -> Self {
        let mut files = Self {
            signatures,
            ..Self::default()
        };
        for ((id, file), directory) in (0..).zip(stored).zip(directories) {
            let is_signed = file.sign != StoredSign::Nothing;
            let is_binary = file.sign == StoredSign::Binary;
            files.entries.push(Entry {
                directory: *directory,
                slot: file.slot(),
                is_binary,
                has_folding: file.has_folding,
                is_linked: false,
            });
            if !is_signed {
                files.metas.push(Meta::default());
                files.unsigned.push_back(FileId(id));
                continue;
            }
            files.metas.push(Meta {
                turn: 0,
                grams: file.grams,
                bytes: file.bytes,
                is_read: true,
                state: file.state,
                is_old: true,
            });
            files.largest = files.largest.max(file.bytes);
            files.signed += 1;
            files.read.files += 1;
            files.read.grams = files.read.grams.saturating_add(u64::from(file.grams));
            if !is_binary {
                files.read.bytes = files.read.bytes.saturating_add(file.bytes);
                files.signed_bytes = files.signed_bytes.saturating_add(file.bytes);
            }
        }
        files
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len() - self.free.len()
    }

    pub(crate) const fn signed(&self) -> usize {
        self.signed
    }

    pub(crate) fn is_waiting(&self) -> bool {
        !self.unsigned.is_empty()
    }

    pub(crate) const fn signed_bytes(&self) -> u64 {
        self.signed_bytes
    }

    pub(crate) fn bytes(&self) -> usize {
        self.entries.len() * (size_of::<Entry>() + size_of::<Meta>())
            + self.unsigned.len() * size_of::<FileId>()
            + self.linked.len() * size_of::<(u32, Stamp)>() * 2
    }

    pub(crate) fn directory(&self, file: FileId) -> Option<u32> {
        let entry = self.entries.get(file.0 as usize)?;
        entry.is_alive().then_some(entry.directory)
    }

    /// Bytes of a signed file.
    pub(crate) fn size(&self, file: u32) -> u64 {
        self.metas.get(file as usize).map_or(0, |meta| meta.bytes)
    }

    pub(crate) fn add(&mut self, directory: u32) -> FileId {
        let entry = Entry {
            directory,
            slot: None,
            is_binary: false,
            has_folding: false,
            is_linked: false,
        };
        let id = match self.free.pop() {
            Some(id) => {
                if let Some(old) = self.entries.get_mut(id as usize) {
                    *old = entry;
                }
                id
            }
            None => {
                self.entries.push(entry);
                self.metas.push(Meta::default());
                u32::try_from(self.entries.len() - 1).unwrap_or(NONE)
            }
        };
        self.unsigned.push_back(FileId(id));
        FileId(id)
    }

    /// Lets the next files to be signed come from everywhere, so that what is found out about some holds for all.
    pub(crate) fn spread(&mut self) {
        let files: Vec<FileId> = self.unsigned.drain(..).collect();
        let passes = (0..PASSES).flat_map(|pass| files.iter().skip(pass).step_by(PASSES));
        self.unsigned = passes.copied().collect();
    }

    pub(crate) fn remove(&mut self, file: FileId) {
        self.unsign(file);
        if let Some(entry) = self.entries.get_mut(file.0 as usize)
            && entry.is_alive()
        {
            entry.directory = NONE;
            self.free.push(file.0);
        }
    }

    /// The content may be another: the file is a candidate until it is signed again.
    pub(crate) fn forget_sign(&mut self, file: FileId) {
        self.unsign(file);
        self.unsigned.push_back(file);
    }

    fn unsign(&mut self, file: FileId) {
        let index = file.0 as usize;
        let (Some(entry), Some(meta)) = (self.entries.get_mut(index), self.metas.get_mut(index))
        else {
            return;
        };
        meta.turn = meta.turn.wrapping_add(1);
        if std::mem::take(&mut meta.is_read) {
            self.read.files -= 1;
            let bytes = if entry.is_binary { 0 } else { meta.bytes };
            self.read.bytes = self.read.bytes.saturating_sub(bytes);
            self.read.grams = self.read.grams.saturating_sub(u64::from(meta.grams));
        }
        if entry.is_signed() {
            self.signed -= 1;
        }
        entry.is_linked = false;
        entry.is_binary = false;
        if let Some(slot) = entry.slot.take() {
            self.signed_bytes = self.signed_bytes.saturating_sub(meta.bytes);
            self.signatures.remove(slot);
        }
        self.linked.remove(&file.0);
        self.touched.note(entry.directory);
    }

    /// What is being read now may have been changed by a name that was not known.
    pub(crate) const fn doubt_what_is_read(&mut self) {
        self.names = self.names.wrapping_add(1);
    }

    /// The same for every name of these files.
    pub(crate) fn forget_signs_of(&mut self, inodes: &HashSet<u64>) {
        if inodes.is_empty() {
            return;
        }
        self.doubt_what_is_read();
        let names: Vec<FileId> = (0..)
            .zip(self.entries.iter().zip(&self.metas))
            .filter(|(_, (entry, meta))| {
                entry.is_alive() && entry.is_signed() && inodes.contains(&meta.state.0)
            })
            .map(|(id, _)| FileId(id))
            .collect();
        names.into_iter().for_each(|file| self.forget_sign(file));
    }

    /// The next file to sign, with what must be unchanged when it is signed.
    pub(crate) fn next_unsigned(&mut self) -> Option<(FileId, Turn)> {
        loop {
            let file = self.unsigned.pop_front()?;
            let entry = self.entries.get(file.0 as usize)?;
            if entry.is_alive() && !entry.is_signed() {
                let turn = Turn {
                    file: self.metas.get(file.0 as usize)?.turn,
                    names: self.names,
                };
                return Some((file, turn));
            }
        }
    }

    /// Keeps what was found out, unless the file changed since, if there is room.
    pub(crate) fn install(&mut self, file: FileId, turn: Turn, signed: &Signed, budget: Budget) {
        let index = file.0 as usize;
        let files = self.len() as u64;
        let (Some(entry), Some(meta)) = (self.entries.get_mut(index), self.metas.get_mut(index))
        else {
            return;
        };
        if !entry.is_alive() || meta.turn != turn.file || entry.is_signed() {
            return;
        }
        let sign = &signed.sign;
        if self.names != turn.names {
            self.unsigned.push_back(file);
            return;
        }
        if !std::mem::replace(&mut meta.is_read, true) {
            meta.bytes = sign.bytes;
            self.largest = self.largest.max(sign.bytes);
            meta.grams = u32::try_from(sign.positions.len()).unwrap_or(u32::MAX);
            self.read.files += 1;
            self.read.bytes += if sign.is_binary { 0 } else { meta.bytes };
            self.read.grams += u64::from(meta.grams);
        }
        if sign.is_special {
            return;
        }
        if !sign.is_binary {
            let room = budget.room(self.read, files);
            let kept = self.signatures.insert(&sign.positions, room);
            let Some(slot) = kept else {
                self.refused.push(file);
                self.refused_room = self.refused_room.max(room.bytes);
                return;
            };
            entry.slot = Some(slot);
            self.signed_bytes += sign.bytes;
        }
        let (inode, changed) = signed.stamp.state();
        let changed = if signed.is_settled {
            changed
        } else {
            Default::default()
        };
        meta.state = (inode, changed);
        meta.is_old = signed.is_old;
        self.changes += 1;
        entry.is_binary = sign.is_binary;
        entry.has_folding = sign.has_folding;
        entry.is_linked = signed.is_linked;
        self.signed += 1;
        if signed.is_linked {
            self.linked.insert(file.0, signed.stamp);
        }
        self.touched.note(entry.directory);
    }

    /// Lets files that were refused be tried again, if there is more room than there was.
    pub(crate) fn retry_refused(&mut self, budget: Budget) {
        let Room { bytes, .. } = budget.room(self.read, self.len() as u64);
        if !self.refused.is_empty() && bytes > self.refused_room {
            self.refused_room = bytes;
            self.unsigned.extend(self.refused.drain(..));
        }
    }

    /// The directories of files that must be looked at to answer: those that may match, and those of which too little is known.
    pub(crate) fn directories_of_candidates<'a>(
        &'a self,
        answer: &'a Candidates<'_>,
        looked_at: LookedAt,
    ) -> impl Iterator<Item = u32> + 'a {
        let LookedAt {
            folds,
            binary,
            above,
        } = looked_at;
        let is_candidate = move |(entry, meta): &(&Entry, &Meta)| {
            let is_left_out = match entry.slot {
                Some(slot) => !(answer.may_match(slot) || folds && entry.has_folding),
                None => entry.is_binary && !binary,
            };
            let is_known = is_left_out && !entry.is_linked;
            entry.is_alive() && (!is_known || (self.largest > above && meta.bytes > above))
        };
        self.entries
            .iter()
            .zip(&self.metas)
            .filter(is_candidate)
            .map(|(entry, _)| entry.directory)
    }

    /// Counts a file that is not looked at.
    pub(crate) fn count_left_out(&self, file: u32, facts: &mut Facts) {
        facts.files_searched += 1;
        if self.is_binary(file) {
            facts.binary += 1;
        } else {
            facts.bytes += self.size(file);
        }
    }

    /// What decides whether the file may match: where its signature is, unless it has to be searched
    /// in any case.
    pub(crate) fn slot(&self, file: u32, folds: bool) -> Option<Slot> {
        let entry = self.entries.get(file as usize)?;
        entry.slot.filter(|_| !(folds && entry.has_folding))
    }

    /// Whether anything is known of the content of a file.
    pub(crate) fn is_signed(&self, file: u32) -> bool {
        let entry = self.entries.get(file as usize);
        entry.is_some_and(Entry::is_signed)
    }

    /// Whether nothing of a file is searched, unless binary files are searched as text.
    pub(crate) fn is_binary(&self, file: u32) -> bool {
        let entry = self.entries.get(file as usize);
        entry.is_some_and(|entry| entry.is_binary)
    }

    /// The state in which a file was signed.
    pub(crate) fn state(&self, file: u32) -> Option<InodeState> {
        self.metas.get(file as usize).map(|meta| meta.state)
    }

    /// The state in which a file that has other names was signed.
    pub(crate) fn linked_stamp(&self, file: u32) -> Option<Stamp> {
        let entry = self.entries.get(file as usize)?;
        entry
            .is_linked
            .then(|| self.linked.get(&file).copied())
            .flatten()
    }
}

#[cfg(test)]
#[path = "files_tests.rs"]
mod tests;
