//! One file of a commit that was left half done.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::log::LoggedStep;
use super::own_name;
use crate::changes::content::write_whole;
use crate::changes::durability::Durability;
use crate::changes::record::{Copy, FileFact, StepWay, copy_path};
use crate::platform::{Directory, file_metadata, set_mode};
use crate::{ContentHash, Error, FileKind, Located, Metadata};

/// One file of the commit.
pub(super) struct Leftover {
    pub(super) place: Located,
    step: LoggedStep,
    /// Its old and new content, where it was to be written over in place.
    copies: (PathBuf, PathBuf),
}

/// What stands at the place of a file now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PlaceState {
    /// What stood there before the commit, nothing included.
    Before,
    /// What the commit put there.
    After,
    /// Content of before and after mixed, as a writing over leaves it that was cut off.
    Torn,
    /// Something else.
    Foreign,
}

/// What a look at the file and at what is left beside it says.
#[derive(Debug, Clone, Copy)]
pub(super) struct Remains {
    state: PlaceState,
    can_undo: bool,
    can_finish: bool,
}

impl Remains {
    pub(super) fn is_applied(&self) -> bool {
        self.state == PlaceState::After
    }

    pub(super) fn is_untouched(&self) -> bool {
        self.state == PlaceState::Before
    }

    pub(super) fn is_foreign(&self) -> bool {
        self.state == PlaceState::Foreign
    }

    pub(super) fn is_undoable(&self) -> bool {
        self.state == PlaceState::Before || self.can_undo
    }

    pub(super) fn is_finishable(&self) -> bool {
        self.state == PlaceState::After || self.can_finish
    }
}

impl Leftover {
    pub(super) fn new(place: Located, step: LoggedStep, record: &Path, index: usize) -> Self {
        let copy = |which| copy_path(record, index, which);
        Self {
            place,
            step,
            copies: (copy(Copy::Old), copy(Copy::New)),
        }
    }

    /// Looks at what is there, and changes nothing.
    pub(super) fn look(&self) -> Result<Remains, Error> {
        let Ok((directory, leaf)) = self.place.open_parent() else {
            // The directory is gone, or is a link by now: nothing of ours stands there.
            return Ok(self.lost());
        };
        let present = |name: Option<&OsStr>| match name {
            Some(name) => {
                Present::at(&directory, name).map_err(|error| self.fault("look at", error))
            }
            None => Ok(Present::Absent),
        };
        let files = Files {
            present: present(Some(leaf))?,
            temporary: present(own_name(self.step.temporary.as_ref()))?,
            backup: present(own_name(self.step.line.backup.as_ref()))?,
        };
        match (self.step.line.way, self.step.is_in_place) {
            (StepWay::Replace, true) => self.look_in_place(&directory, leaf, &files),
            (StepWay::Replace, false) => Ok(self.look_replaced(&files)),
            (StepWay::New, _) => Ok(self.look_new(&files)),
            (StepWay::Remove, _) => Ok(self.look_removed(&files)),
        }
    }

    fn lost(&self) -> Remains {
        let state = if self.step.line.way == StepWay::New {
            PlaceState::Before
        } else {
            PlaceState::Foreign
        };
        Remains {
            state,
            can_undo: false,
            can_finish: false,
        }
    }

    fn look_replaced(&self, files: &Files) -> Remains {
        let state = if files.temporary.is_absent() && self.is_new(&files.present) {
            PlaceState::After
        } else if self.is_old(&files.present) {
            PlaceState::Before
        } else {
            PlaceState::Foreign
        };
        Remains {
            state,
            can_undo: self.is_old(&files.backup),
            can_finish: self.is_new(&files.temporary),
        }
    }

    fn look_new(&self, files: &Files) -> Remains {
        // Where a name is given by linking, the temporary name is there for a moment longer.
        let is_ours = files.temporary.is_absent() || files.present.is_same_file(&files.temporary);
        let state = match &files.present {
            Present::Absent => PlaceState::Before,
            present if self.is_new(present) && is_ours => PlaceState::After,
            _ => PlaceState::Foreign,
        };
        Remains {
            state,
            can_undo: true,
            can_finish: self.is_new(&files.temporary),
        }
    }

    fn look_removed(&self, files: &Files) -> Remains {
        let state = match &files.present {
            Present::Absent => PlaceState::After,
            present if self.is_old(present) => PlaceState::Before,
            _ => PlaceState::Foreign,
        };
        Remains {
            state,
            can_undo: self.is_old(&files.backup),
            can_finish: self.is_old(&files.present),
        }
    }

    fn look_in_place(
        &self,
        directory: &Directory,
        leaf: &OsStr,
        files: &Files,
    ) -> Result<Remains, Error> {
        let copy = |path: &Path, fact: &Option<FileFact>| {
            let bytes = fs::read(path).ok()?;
            let hash = ContentHash::of(&bytes).to_string();
            (fact.as_ref()?.hash == hash).then_some(bytes)
        };
        let old = copy(&self.copies.0, &self.step.line.old);
        let new = copy(&self.copies.1, &self.step.line.new);
        let state = match (&files.present, &old, &new) {
            (present, ..) if self.is_old(present) => PlaceState::Before,
            (present, ..) if self.is_new(present) => PlaceState::After,
            (Present::File { .. }, Some(old), Some(new)) => {
                let bytes = directory.open_read(leaf).and_then(read);
                let bytes = bytes.map_err(|error| self.fault("look at", error))?;
                if is_torn(&bytes, old, new) {
                    PlaceState::Torn
                } else {
                    PlaceState::Foreign
                }
            }
            _ => PlaceState::Foreign,
        };
        Ok(Remains {
            state,
            can_undo: old.is_some(),
            can_finish: new.is_some(),
        })
    }

    fn is_old(&self, file: &Present) -> bool {
        file.is(self.step.line.old.as_ref(), self.changes_mode_alone())
    }

    fn is_new(&self, file: &Present) -> bool {
        file.is(self.step.line.new.as_ref(), self.changes_mode_alone())
    }

    fn changes_mode_alone(&self) -> bool {
        match (&self.step.line.old, &self.step.line.new) {
            (Some(old), Some(new)) => old.hash == new.hash,
            _ => false,
        }
    }

    fn fault(&self, action: &'static str, error: io::Error) -> Error {
        self.place.fault(action, error)
    }

    /// Puts back what was there before.
    pub(super) fn undo(&self, found: &Remains) -> Result<(), Error> {
        let fault = |error| self.fault("restore", error);
        if !matches!(found.state, PlaceState::After | PlaceState::Torn) || !found.can_undo {
            return Ok(());
        }
        let (directory, leaf) = self.place.open_parent()?;
        if self.step.is_in_place {
            return self.write_over(
                &directory,
                leaf,
                &self.copies.0,
                self.step.line.old.as_ref(),
            );
        }
        match (self.step.line.way, own_name(self.step.line.backup.as_ref())) {
            (StepWay::New, _) => directory.remove(leaf).map_err(fault),
            (StepWay::Replace, Some(backup)) => directory.rename(backup, leaf).map_err(fault),
            (StepWay::Remove, Some(backup)) => directory.rename_new(backup, leaf).map_err(fault),
            (_, None) => Ok(()),
        }
    }

    /// Does what is missing.
    pub(super) fn finish(&self, found: &Remains) -> Result<(), Error> {
        let fault = |error| self.fault("finish the change of", error);
        if !matches!(found.state, PlaceState::Before | PlaceState::Torn) || !found.can_finish {
            return Ok(());
        }
        let (directory, leaf) = self.place.open_parent()?;
        if self.step.is_in_place {
            return self.write_over(
                &directory,
                leaf,
                &self.copies.1,
                self.step.line.new.as_ref(),
            );
        }
        match (self.step.line.way, own_name(self.step.temporary.as_ref())) {
            (StepWay::New, Some(name)) => directory.rename_new(name, leaf).map_err(fault),
            (StepWay::Replace, Some(name)) => directory.rename(name, leaf).map_err(fault),
            (StepWay::Remove, _) => directory.remove(leaf).map_err(fault),
            (_, None) => Ok(()),
        }
    }

    fn write_over(
        &self,
        directory: &Directory,
        leaf: &OsStr,
        copy: &Path,
        fact: Option<&FileFact>,
    ) -> Result<(), Error> {
        let write = || {
            let bytes = fs::read(copy)?;
            let file = directory.open_update(leaf)?;
            if let Some(mode) = fact.and_then(|fact| fact.mode) {
                set_mode(&file, mode)?;
            }
            write_whole(&file, &bytes, Durability::Synced, &mut || Ok(()))
        };
        write().map_err(|error| self.place.fault("restore", error))
    }

    /// Removes what existed only for the commit. Answers the backup if it is to be kept and is there.
    pub(super) fn discard(&self, keeps_backup: bool) -> Result<Option<String>, Error> {
        let Ok((directory, _)) = self.place.open_parent() else {
            return Ok(None);
        };
        let remove = |name: &OsStr| match directory.remove(name) {
            // A directory that takes no changes answers so even for what is not there.
            Err(error) if directory.metadata(name).is_ok() => {
                Err(self.fault("remove what is left of the change of", error))
            }
            _ => Ok(()),
        };
        if let Some(name) = own_name(self.step.temporary.as_ref()) {
            remove(name)?;
        }
        let Some(backup) = own_name(self.step.line.backup.as_ref()) else {
            return Ok(None);
        };
        if !keeps_backup {
            remove(backup)?;
            return Ok(None);
        }
        let is_there = directory.metadata(backup).is_ok();
        let path = self.place.target().with_file_name(backup);
        Ok(is_there
            .then(|| self.place.workspace().name_of(&path))
            .flatten())
    }

    /// Brings the names to the disk; the system does it by itself later where this fails.
    pub(super) fn sync(&self) {
        if let Ok((directory, _)) = self.place.open_parent() {
            let _ = directory.sync();
        }
    }
}

/// What a step may find at its place and beside it.
struct Files {
    present: Present,
    temporary: Present,
    backup: Present,
}

/// Whether every byte is of the old or of the new content, or of a hole that a crash of the machine
/// left.
fn is_torn(bytes: &[u8], old: &[u8], new: &[u8]) -> bool {
    let lengths = old.len().min(new.len())..=old.len().max(new.len());
    let is_ours = |(index, byte): (usize, &u8)| {
        *byte == 0 || [old.get(index), new.get(index)].contains(&Some(byte))
    };
    lengths.contains(&bytes.len()) && bytes.iter().enumerate().all(is_ours)
}

/// What stands at a name.
#[derive(Debug)]
enum Present {
    Absent,
    File { hash: String, metadata: Metadata },
    Other,
}

impl Present {
    fn at(directory: &Directory, name: &OsStr) -> io::Result<Self> {
        let found = match directory.metadata(name) {
            Ok(found) => found,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::Absent),
            Err(error) => return Err(error),
        };
        if found.kind != FileKind::File {
            return Ok(Self::Other);
        }
        let file = directory.open_read(name)?;
        let metadata = file_metadata(&file)?;
        if metadata.kind != FileKind::File {
            return Ok(Self::Other);
        }
        let hash = ContentHash::of(&read(file)?).to_string();
        Ok(Self::File { hash, metadata })
    }

    const fn is_absent(&self) -> bool {
        matches!(self, Self::Absent)
    }

    /// Whether this is a file of that content; with `compares_mode` of those permission bits as well.
    fn is(&self, fact: Option<&FileFact>, compares_mode: bool) -> bool {
        match (self, fact) {
            (Self::File { hash, metadata }, Some(fact)) => {
                let same_mode = fact.mode.is_none_or(|mode| mode == metadata.mode);
                *hash == fact.hash && (same_mode || !compares_mode)
            }
            _ => false,
        }
    }

    fn is_same_file(&self, other: &Self) -> bool {
        match (self, other) {
            (
                Self::File { metadata, .. },
                Self::File {
                    metadata: other, ..
                },
            ) => metadata.is_same_file(other),
            _ => false,
        }
    }
}

fn read(mut file: File) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}
