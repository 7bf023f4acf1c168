//! Doing a step of a commit, and taking it back.

use std::fs::File;
use std::io::{self, Read};

use super::content::{change_mode, fill, sync, write_whole};
use super::fail_point::{CommitStep, FailPoint};
use super::record::CommitRecord;
use super::staged::{PRIVATE_MODE, Staged, WriteMethod};
use crate::Error;
use crate::platform::set_mode;

impl Staged {
    /// Changes the file. Unless it is the last of its commit, the old one can be had back afterwards.
    pub(super) fn apply(
        &mut self,
        record: &mut CommitRecord,
        fail_point: FailPoint<'_>,
    ) -> Result<(), Error> {
        match self.try_apply(record, fail_point) {
            Ok(()) => Ok(()),
            Err(Fault::Reported(error)) => Err(error),
            Err(Fault::System(error))
                if matches!(self.way, WriteMethod::Remove | WriteMethod::Replace) =>
            {
                Err(self.stale_or(error))
            }
            Err(Fault::System(error)) => Err(self.place.fault("write", error)),
        }
    }

    fn try_apply(
        &mut self,
        record: &mut CommitRecord,
        fail_point: FailPoint<'_>,
    ) -> Result<(), Fault> {
        fail_point(CommitStep::Apply(self.index))?;
        match &self.way {
            WriteMethod::New => {
                if let Some(name) = &self.temporary {
                    self.directory.rename_new(name, &self.leaf)?;
                }
                self.temporary = None;
            }
            WriteMethod::Replace => return self.replace(record, fail_point),
            WriteMethod::InPlace(..) => self.write_over(fail_point)?,
            WriteMethod::Remove => match &self.backup {
                Some(backup) => {
                    self.directory.rename_new(&self.leaf, backup)?;
                    self.is_kept = true;
                }
                None => self.directory.remove(&self.leaf)?,
            },
        }
        self.is_applied = true;
        Ok(())
    }

    fn replace(
        &mut self,
        record: &mut CommitRecord,
        fail_point: FailPoint<'_>,
    ) -> Result<(), Fault> {
        self.keep_old()?;
        fail_point(CommitStep::Kept(self.index))?;
        if let Some(name) = &self.temporary {
            match self.directory.rename(name, &self.leaf) {
                // A mount point cannot be renamed over; the file in it can be written.
                Err(error) if error.kind() == io::ErrorKind::ResourceBusy => {
                    return self.replace_in_place(record, fail_point);
                }
                answer => answer?,
            }
        }
        self.temporary = None;
        self.is_applied = true;
        Ok(())
    }

    /// Turns a replacement into a writing over.
    fn replace_in_place(
        &mut self,
        record: &mut CommitRecord,
        fail_point: FailPoint<'_>,
    ) -> Result<(), Fault> {
        let Some(name) = &self.temporary else {
            return Ok(());
        };
        let mut bytes = Vec::new();
        let mut new = self.directory.open_read(name)?;
        new.read_to_end(&mut bytes)?;
        let new_mode = crate::platform::file_metadata(&new)?.mode;
        let file = self.directory.open_update(&self.leaf)?;
        let metadata = crate::platform::file_metadata(&file)?;
        self.require_single_name()?;
        if let Some(old) = &self.old {
            let old = (old.bytes(), metadata.mode);
            record.keep_contents(self.index, old, (&bytes, new_mode))?;
            record.ready()?;
        }
        self.way = WriteMethod::InPlace(file, bytes);
        self.write_over(fail_point)?;
        Ok(())
    }

    fn write_over(&mut self, fail_point: FailPoint<'_>) -> io::Result<()> {
        let WriteMethod::InPlace(file, bytes) = &self.way else {
            return Ok(());
        };
        self.is_applied = true;
        if let Some(mode) = self.mode {
            self.old_mode = Some(change_mode(file, mode)?);
        }
        let index = self.index;
        write_whole(file, bytes, self.durability, &mut || {
            fail_point(CommitStep::Piece(index))
        })
    }

    /// A second name for the old file, if it may be wanted back; where the system has none, a copy.
    fn keep_old(&mut self) -> io::Result<()> {
        let Some(backup) = &self.backup else {
            return Ok(());
        };
        if self.directory.link(&self.leaf, backup).is_ok() {
            self.is_kept = true;
            return Ok(());
        }
        let Some(old) = &self.old else {
            return Ok(());
        };
        let original = self.directory.open_read(&self.leaf)?;
        let metadata = crate::platform::file_metadata(&original)?;
        let file: File = self.directory.create_new(backup, PRIVATE_MODE)?;
        self.is_kept = true;
        let like = Some((&original, &metadata));
        fill(&file, old.bytes(), like, None).and_then(|()| sync(&file, self.durability))
    }

    /// Takes everything back. Answers what could not be.
    pub(super) fn undo(&mut self) -> Option<String> {
        let undone = if self.is_applied {
            self.restore()
        } else {
            Ok(())
        };
        if undone.is_ok() {
            self.is_applied = false;
        } else {
            // What could not be put back must not be thrown away.
            self.is_kept = false;
        }
        self.discard();
        undone
            .err()
            .map(|error| format!("{} ({error})", self.place.name()))
    }

    fn restore(&mut self) -> io::Result<()> {
        match &self.way {
            WriteMethod::New => self.directory.remove(&self.leaf),
            WriteMethod::InPlace(file, _) => {
                if let Some(mode) = self.old_mode {
                    set_mode(file, mode)?;
                }
                match &self.old {
                    Some(old) => write_whole(file, old.bytes(), self.durability, &mut || Ok(())),
                    None => Ok(()),
                }
            }
            WriteMethod::Replace | WriteMethod::Remove => match &self.backup {
                Some(backup) if self.is_kept => {
                    self.directory.rename(backup, &self.leaf)?;
                    self.is_kept = false;
                    Ok(())
                }
                // Only the last step of a set is done without a backup.
                _ => Err(io::ErrorKind::NotFound.into()),
            },
        }
    }

    /// Removes what exists only for the commit. A failure leaves a hidden file and harms nothing;
    /// the change itself stands.
    pub(super) fn discard(&mut self) {
        let backup = self.backup.take().filter(|_| self.is_kept);
        for name in [self.temporary.take(), backup].into_iter().flatten() {
            let _ = self.directory.remove(&name);
        }
    }
}

/// Why a step was not done.
enum Fault {
    System(io::Error),
    Reported(Error),
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        Self::System(error)
    }
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        Self::Reported(error)
    }
}
