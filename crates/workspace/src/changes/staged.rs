//! One step of a commit, made ready: what will be renamed, written over or removed in one directory.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::sync::Arc;

use super::content::{begin_sync, fill, has_content, sync};
use super::durability::Durability;
use super::fail_point::{CommitStep, FailPoint};
use super::mode::ModeChange;
use super::record::{CommitRecord, FileFact, Line, StepLine, StepWay};
use super::temporary;
use crate::platform::{Directory, keeps_files_of_others};
use crate::rights::closed_to_write;
use crate::{Error, FileSnapshot, Located, Metadata};

/// Mode of new files before the umask.
const NEW_FILE_MODE: u32 = 0o666;
/// Nobody else may look into a file before it has the mode of the one it replaces.
pub(super) const PRIVATE_MODE: u32 = 0o600;
/// Permission to write, of anybody.
const ANY_WRITE: u32 = 0o222;

/// How a step changes its file.
#[derive(Debug)]
pub(super) enum WriteMethod {
    /// The temporary file gets a name that is free.
    New,
    /// The temporary file takes the place of the old one.
    Replace,
    /// The old file, open for writing, gets this content.
    InPlace(File, Vec<u8>),
    /// The old file goes.
    Remove,
}

/// One step of a commit and how far it got.
#[derive(Debug)]
pub(super) struct Staged {
    pub(super) place: Located,
    /// Shared by the steps of one directory.
    pub(super) directory: Arc<Directory>,
    pub(super) leaf: OsString,
    /// Which step of its commit, from 0.
    pub(super) index: usize,
    /// What must still stand there.
    pub(super) old: Option<FileSnapshot>,
    pub(super) way: WriteMethod,
    /// The new content, until it is renamed.
    pub(super) temporary: Option<OsString>,
    /// The same, open, until it is on the disk.
    pub(super) written: Option<File>,
    /// The name that the old file gets for as long as it may be wanted back. The last step of a
    /// commit has none: when it fails, it has done nothing.
    pub(super) backup: Option<OsString>,
    /// Whether the old file has that name now.
    pub(super) is_kept: bool,
    /// The permission bits that the new content gets.
    pub(super) mode: Option<ModeChange>,
    /// Those that a file had that was written over.
    pub(super) old_mode: Option<u32>,
    /// Other names of the old file, which stay with the old content.
    pub(super) other_names: u64,
    /// Whether the file was touched.
    pub(super) is_applied: bool,
    pub(super) durability: Durability,
}

/// Where in a commit a step stands, and what it is asked to.
pub(super) struct Stage<'a> {
    pub(super) record: &'a mut CommitRecord,
    pub(super) fail_point: FailPoint<'a>,
    pub(super) index: usize,
    pub(super) is_last: bool,
    pub(super) durability: Durability,
    /// The step before it.
    pub(super) before: Option<&'a Staged>,
}

/// Content on its way to a file.
#[derive(Debug, Clone, Copy)]
pub(super) struct NewContent<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) mode: Option<ModeChange>,
}

impl NewContent<'_> {
    /// The permission bits of the file afterwards, if it has these before.
    fn mode_after(&self, before: u32) -> u32 {
        self.mode.map_or(before, |mode| mode.apply(before))
    }
}

impl Stage<'_> {
    fn step(
        &self,
        place: &Located,
        directory: Arc<Directory>,
        leaf: OsString,
        way: WriteMethod,
    ) -> Staged {
        Staged {
            place: place.clone(),
            directory,
            leaf,
            index: self.index,
            old: None,
            way,
            temporary: None,
            written: None,
            backup: None,
            is_kept: false,
            mode: None,
            old_mode: None,
            other_names: 0,
            is_applied: false,
            durability: self.durability,
        }
    }

    /// A new file in a directory that exists by now, with the attributes of `like`.
    pub(super) fn create(
        &mut self,
        place: &Located,
        directory: Arc<Directory>,
        content: NewContent<'_>,
        like: Option<&FileSnapshot>,
    ) -> Result<Staged, Error> {
        let leaf = place.require_file_name()?.to_owned();
        let mut staged = self.step(place, directory, leaf, WriteMethod::New);
        self.report(&staged, None, Some(content))?;
        let first_mode = if like.is_some() || matches!(content.mode, Some(ModeChange::Exactly(_))) {
            PRIVATE_MODE
        } else {
            NEW_FILE_MODE
        };
        let file = self
            .temporary(&mut staged, first_mode)
            .map_err(|error| place.fault("create", error))?;
        let like = match like {
            Some(old) => {
                let file = old.located().open_file()?;
                Some((file.metadata().clone(), file))
            }
            None => None,
        };
        let attributes = like
            .as_ref()
            .map(|(metadata, file)| (file.as_file(), metadata));
        fill(&file, content.bytes, attributes, content.mode)
            .map_err(|error| place.fault("write", error))?;
        self.hold(&mut staged, file);
        Ok(staged)
    }

    /// New content for a file that was read.
    pub(super) fn update(
        &mut self,
        old: &FileSnapshot,
        content: NewContent<'_>,
    ) -> Result<Staged, Error> {
        let mut staged = self.existing(old, WriteMethod::Replace)?;
        staged.mode = content.mode;
        let place = old.located();
        let file = staged
            .directory
            .open_read(&staged.leaf)
            .map_err(|error| place.fault("open", error))?;
        let metadata =
            crate::platform::file_metadata(&file).map_err(|error| place.fault("look at", error))?;
        place.require_file(&metadata)?;
        staged.other_names = metadata.links.saturating_sub(1);
        self.report(&staged, Some(metadata.mode), Some(content))?;
        let directory = staged.directory.own_metadata();
        if directory.is_ok_and(|directory| keeps_files_of_others(&directory, &metadata)) {
            return self.write_over(staged, &metadata, content);
        }
        match self.temporary(&mut staged, PRIVATE_MODE) {
            Ok(new) => {
                let like = Some((&file, &metadata));
                fill(&new, content.bytes, like, content.mode)
                    .map_err(|error| place.fault("write", error))?;
                self.hold(&mut staged, new);
                Ok(staged)
            }
            // The directory takes no new files, but the file itself may be written.
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem
                ) =>
            {
                staged.temporary = None;
                self.write_over(staged, &metadata, content)
            }
            Err(error) => Err(place.fault("write", error)),
        }
    }

    /// The removal of a file that was read. Touches nothing yet and is in no record yet.
    pub(super) fn delete(&self, old: &FileSnapshot) -> Result<Staged, Error> {
        self.existing(old, WriteMethod::Remove)
    }

    fn existing(&self, old: &FileSnapshot, way: WriteMethod) -> Result<Staged, Error> {
        let place = old.located();
        let stale = |error| match error {
            Error::NotFound { path, .. } => Error::Stale { path },
            error => error,
        };
        let near = self.before.and_then(|step| step.directory_of(place));
        let (directory, leaf) = match near {
            Some(directory) => (directory, place.require_file_name()?),
            None => {
                let (directory, leaf) = place.open_parent().map_err(stale)?;
                (Arc::new(directory), leaf)
            }
        };
        let found = directory
            .metadata(leaf)
            .map_err(|error| stale(place.fault("look at", error)))?;
        place.require_file(&found)?;
        // Mode bits bind root as well: the one who took the right to write away meant it.
        let is_closed = found.mode & ANY_WRITE == 0 || !directory.is_writable(leaf);
        if is_closed && !old.is_own() {
            return Err(Error::ReadOnly {
                path: place.name().into(),
                is_removal: matches!(way, WriteMethod::Remove),
                closed: closed_to_write(place.name(), place.target(), &found),
            });
        }
        let leaf = leaf.to_owned();
        let mut staged = self.step(place, directory, leaf, way);
        staged.old = Some(old.clone());
        staged.backup = (!self.is_last).then(temporary::name);
        Ok(staged)
    }

    fn write_over(
        &mut self,
        mut staged: Staged,
        metadata: &Metadata,
        content: NewContent<'_>,
    ) -> Result<Staged, Error> {
        staged.require_single_name()?;
        let file = staged
            .directory
            .open_update(&staged.leaf)
            .map_err(|error| staged.place.fault("write", error))?;
        if let Some(old) = &staged.old {
            let old = (old.bytes(), metadata.mode);
            let new = (content.bytes, content.mode_after(metadata.mode));
            self.record
                .keep_contents(self.index, old, new)
                .map_err(|error| staged.place.fault("keep the old content of", error))?;
        }
        staged.way = WriteMethod::InPlace(file, content.bytes.to_owned());
        Ok(staged)
    }

    /// Makes the temporary file of a step. The record hears of its name first.
    fn temporary(&mut self, staged: &mut Staged, mode: u32) -> io::Result<File> {
        let step = self.index;
        let (record, fail_point) = (&mut *self.record, &mut *self.fail_point);
        let (name, file) = temporary::create(&staged.directory, mode, &mut |name| {
            record.note(&Line::Temporary {
                step,
                name: name.to_owned(),
            })?;
            fail_point(CommitStep::Announced(step))
        })?;
        staged.temporary = Some(name);
        fail_point(CommitStep::Created(step))?;
        Ok(file)
    }

    /// Keeps a file that was written until it is on the disk.
    fn hold(&self, staged: &mut Staged, file: File) {
        if self.durability == Durability::Unsynced {
            return;
        }
        if !self.is_last {
            begin_sync(&file);
        }
        staged.written = Some(file);
    }

    /// Puts a step on record.
    pub(super) fn report(
        &mut self,
        staged: &Staged,
        old_mode: Option<u32>,
        new: Option<NewContent<'_>>,
    ) -> Result<(), Error> {
        let reports = self.record.reports_content();
        let old = staged.old.as_ref().filter(|_| reports);
        let line = Line::Step(StepLine {
            target: staged.place.target().as_os_str().to_owned(),
            way: match staged.way {
                WriteMethod::New => StepWay::New,
                WriteMethod::Replace | WriteMethod::InPlace(..) => StepWay::Replace,
                WriteMethod::Remove => StepWay::Remove,
            },
            backup: staged.backup.clone(),
            old: old.map(|old| FileFact::of(old.bytes(), old_mode)),
            new: new.filter(|_| reports).map(|content| {
                let mode = old_mode.map(|before| content.mode_after(before));
                FileFact::of(content.bytes, mode)
            }),
        });
        self.record
            .note(&line)
            .map_err(|error| staged.place.fault("keep a record of the change of", error))
    }
}

impl Staged {
    /// Refuses to write over a file with other names: one of them may lie outside the workspace.
    pub(super) fn require_single_name(&self) -> Result<(), Error> {
        if self.other_names == 0 {
            return Ok(());
        }
        Err(Error::HardLinked {
            path: self.place.name().into(),
            others: self.other_names,
        })
    }

    /// The directory of this step, if it is that of another place, too.
    pub(super) fn directory_of(&self, place: &Located) -> Option<Arc<Directory>> {
        let parent = place.target().parent()?;
        (self.place.target().parent() == Some(parent)).then(|| Arc::clone(&self.directory))
    }

    /// Whether the file still is what the change was planned for.
    pub(super) fn verify(&self) -> Result<(), Error> {
        let Some(old) = &self.old else {
            return Ok(());
        };
        let opened;
        let file = match &self.way {
            WriteMethod::InPlace(file, _) => file,
            _ => {
                opened = self
                    .directory
                    .open_read(&self.leaf)
                    .map_err(|error| self.stale_or(error))?;
                &opened
            }
        };
        let metadata =
            crate::platform::file_metadata(file).map_err(|error| self.stale_or(error))?;
        self.place.require_file(&metadata)?;
        let same = has_content(file, &metadata, old.bytes())
            .map_err(|error| self.place.fault("read", error))?;
        if same { Ok(()) } else { Err(self.stale()) }
    }

    /// Waits until the new content is on the disk.
    pub(super) fn settle(&mut self) -> Result<(), Error> {
        let Some(file) = self.written.take() else {
            return Ok(());
        };
        sync(&file, self.durability).map_err(|error| self.place.fault("write", error))
    }

    pub(super) const fn is_in_place(&self) -> bool {
        matches!(self.way, WriteMethod::InPlace(..))
    }

    fn stale(&self) -> Error {
        Error::Stale {
            path: self.place.name().into(),
        }
    }

    pub(super) fn stale_or(&self, error: io::Error) -> Error {
        if error.kind() == io::ErrorKind::NotFound {
            return self.stale();
        }
        let action = match self.way {
            WriteMethod::Remove => "delete",
            _ => "write",
        };
        self.place.fault(action, error)
    }
}

impl Drop for Staged {
    /// When a commit ends by a panic: the new content goes, the backup stays for the recovery.
    fn drop(&mut self) {
        if let Some(name) = self.temporary.take() {
            let _ = self.directory.remove(&name);
        }
    }
}
