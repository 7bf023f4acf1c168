//! The files of a kept tree, and what is known of their contents.

use std::collections::{HashMap, HashSet, VecDeque};

use super::place::{Stamp, State};
use super::signature::{Sign, Signatures, Slot};

/// The number of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct FileId(pub(crate) u32);

/// What is known of a file.
#[derive(Debug, Clone, Copy)]
struct Meta {
    folder: u32,
    /// Counts what happened to it, so that a sign of an older content is not taken.
    turn: u32,
    /// Its inode and the time of its last change; no time if a later change may have the same.
    state: State,
    bytes: u64,
    slot: Option<Slot>,
    /// Whether nothing of it is searched, unless binary files are searched as text.
    is_binary: bool,
    has_folding: bool,
    /// Whether it has other names, so that its state must be looked at.
    is_linked: bool,
    is_alive: bool,
}

impl Meta {
    const fn is_signed(&self) -> bool {
        self.slot.is_some() || self.is_binary
    }
}

/// The files of a tree.
#[derive(Debug, Default)]
pub(crate) struct Files {
    all: Vec<Meta>,
    free: Vec<u32>,
    /// Files to be signed.
    unsigned: VecDeque<FileId>,
    pub(crate) signatures: Signatures,
    linked: HashMap<u32, Stamp>,
    signed: usize,
    signed_bytes: u64,
    /// Counts how often another name of some file came to light.
    names: u32,
    /// Files that there was no room for, and the room there was then.
    refused: Vec<FileId>,
    refused_room: usize,
}

/// What must be unchanged when a file is signed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Turn {
    /// Of the file itself.
    file: u32,
    /// Of the names of all files: one that is being read may have been changed by another name.
    names: u32,
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
}

impl Files {
    pub(crate) fn len(&self) -> usize {
        self.all.len() - self.free.len()
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
        self.all.len() * size_of::<Meta>()
            + self.unsigned.len() * size_of::<FileId>()
            + self.linked.len() * size_of::<(u32, Stamp)>() * 2
    }

    pub(crate) fn folder(&self, file: FileId) -> Option<u32> {
        let meta = self.all.get(file.0 as usize)?;
        meta.is_alive.then_some(meta.folder)
    }

    /// Bytes of a signed file.
    pub(crate) fn size(&self, file: u32) -> u64 {
        self.all.get(file as usize).map_or(0, |meta| meta.bytes)
    }

    pub(crate) fn add(&mut self, folder: u32) -> FileId {
        let turn = |turn| Meta {
            folder,
            turn,
            state: (0, (0, 0)),
            bytes: 0,
            slot: None,
            is_binary: false,
            has_folding: false,
            is_linked: false,
            is_alive: true,
        };
        let id = match self.free.pop() {
            Some(id) => {
                if let Some(meta) = self.all.get_mut(id as usize) {
                    *meta = turn(meta.turn.wrapping_add(1));
                }
                id
            }
            None => {
                self.all.push(turn(0));
                u32::try_from(self.all.len() - 1).unwrap_or(u32::MAX)
            }
        };
        self.unsigned.push_back(FileId(id));
        FileId(id)
    }

    pub(crate) fn remove(&mut self, file: FileId) {
        self.unsign(file);
        if let Some(meta) = self.all.get_mut(file.0 as usize)
            && std::mem::replace(&mut meta.is_alive, false)
        {
            self.free.push(file.0);
        }
    }

    /// The content may be another: the file is a candidate until it is signed again.
    pub(crate) fn forget_sign(&mut self, file: FileId) {
        self.unsign(file);
        self.unsigned.push_back(file);
    }

    fn unsign(&mut self, file: FileId) {
        let Some(meta) = self.all.get_mut(file.0 as usize) else {
            return;
        };
        meta.turn = meta.turn.wrapping_add(1);
        meta.is_linked = false;
        if std::mem::take(&mut meta.is_binary) {
            self.signed -= 1;
        }
        if let Some(slot) = meta.slot.take() {
            self.signed -= 1;
            self.signed_bytes = self.signed_bytes.saturating_sub(meta.bytes);
            self.signatures.remove(slot);
        }
        self.linked.remove(&file.0);
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
            .zip(&self.all)
            .filter(|(_, meta)| meta.is_alive && meta.is_signed() && inodes.contains(&meta.state.0))
            .map(|(id, _)| FileId(id))
            .collect();
        names.into_iter().for_each(|file| self.forget_sign(file));
    }

    /// The next file to sign, with what must be unchanged when it is signed.
    pub(crate) fn next_unsigned(&mut self) -> Option<(FileId, Turn)> {
        loop {
            let file = self.unsigned.pop_front()?;
            let meta = self.all.get(file.0 as usize)?;
            if meta.is_alive && !meta.is_signed() {
                let turn = Turn {
                    file: meta.turn,
                    names: self.names,
                };
                return Some((file, turn));
            }
        }
    }

    /// Keeps what was found out, unless the file changed since. At most `most` bytes of signatures.
    pub(crate) fn install(&mut self, file: FileId, turn: Turn, signed: &Signed, most: usize) {
        let Some(meta) = self.all.get_mut(file.0 as usize) else {
            return;
        };
        if !meta.is_alive || meta.turn != turn.file || meta.is_signed() || signed.sign.is_special {
            return;
        }
        if self.names != turn.names {
            self.unsigned.push_back(file);
            return;
        }
        if signed.sign.is_binary {
            meta.is_binary = true;
        } else {
            let Some(slot) = self.signatures.insert(&signed.sign.positions, most) else {
                self.refused.push(file);
                self.refused_room = self.refused_room.max(most);
                return;
            };
            meta.slot = Some(slot);
            self.signed_bytes += signed.sign.bytes;
        }
        let (inode, changed) = signed.stamp.state();
        let changed = if signed.is_settled {
            changed
        } else {
            Default::default()
        };
        meta.state = (inode, changed);
        meta.bytes = signed.sign.bytes;
        meta.has_folding = signed.sign.has_folding;
        meta.is_linked = signed.is_linked;
        self.signed += 1;
        if signed.is_linked {
            self.linked.insert(file.0, signed.stamp);
        }
    }

    /// Lets files that were refused be tried again, if there is more room than there was.
    pub(crate) fn retry_refused(&mut self, room: usize) {
        if !self.refused.is_empty() && room > self.refused_room {
            self.refused_room = room;
            self.unsigned.extend(self.refused.drain(..));
        }
    }

    /// What decides whether the file may match: where its signature is, unless it has to be searched
    /// in any case.
    pub(crate) fn slot(&self, file: u32, folds: bool) -> Option<Slot> {
        let meta = self.all.get(file as usize)?;
        meta.slot.filter(|_| !(folds && meta.has_folding))
    }

    /// Whether anything is known of the content of a file.
    pub(crate) fn is_signed(&self, file: u32) -> bool {
        self.all.get(file as usize).is_some_and(Meta::is_signed)
    }

    /// Whether nothing of a file is searched, unless binary files are searched as text.
    pub(crate) fn is_binary(&self, file: u32) -> bool {
        self.all
            .get(file as usize)
            .is_some_and(|meta| meta.is_binary)
    }

    /// The state in which a file was signed.
    pub(crate) fn state(&self, file: u32) -> Option<State> {
        self.all.get(file as usize).map(|meta| meta.state)
    }

    /// The state in which a file that has other names was signed.
    pub(crate) fn linked_stamp(&self, file: u32) -> Option<Stamp> {
        let meta = self.all.get(file as usize)?;
        meta.is_linked
            .then(|| self.linked.get(&file).copied())
            .flatten()
    }
}

#[cfg(test)]
#[path = "files_tests.rs"]
mod tests;
