//! One step of a commit: what will be renamed, written over or removed in one folder.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read};

use super::content::{change_mode, fill, has_content, write_whole};
use super::mode::ModeChange;
use super::plan::Durability;
use super::temporary;
use crate::platform::{Folder, set_mode};
use crate::{Error, FileSnapshot, Located};

/// Mode of new files before the umask.
const NEW_FILE_MODE: u32 = 0o666;
/// Nobody else may look into a file before it has the mode of the one it replaces.
const PRIVATE_MODE: u32 = 0o600;
/// Permission to write, of anybody.
const ANY_WRITE: u32 = 0o222;

/// How a step changes its file.
#[derive(Debug)]
enum Way {
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
    place: Located,
    folder: Folder,
    leaf: OsString,
    /// What must still stand there.
    old: Option<FileSnapshot>,
    way: Way,
    /// The new content, until it is renamed.
    temporary: Option<OsString>,
    /// A second name of the old file, as long as it may be wanted back.
    backup: Option<OsString>,
    /// The permission bits that the new content gets.
    mode: Option<ModeChange>,
    /// Those that a file had that was written over.
    old_mode: Option<u32>,
    /// Whether the file was touched.
    applied: bool,
    durability: Durability,
}

impl Staged {
    fn new(
        place: &Located,
        folder: Folder,
        leaf: OsString,
        way: Way,
        durability: Durability,
    ) -> Self {
        Self {
            place: place.clone(),
            folder,
            leaf,
            old: None,
            way,
            temporary: None,
            backup: None,
            mode: None,
            old_mode: None,
            applied: false,
            durability,
        }
    }

    /// A new file in a folder that exists by now, with the attributes of `like`.
    pub(super) fn create(
        place: &Located,
        folder: Folder,
        bytes: &[u8],
        like: Option<&FileSnapshot>,
        mode: Option<ModeChange>,
        durability: Durability,
    ) -> Result<Self, Error> {
        let leaf = place.require_file_name()?.to_owned();
        let mut staged = Self::new(place, folder, leaf, Way::New, durability);
        let first_mode = if like.is_some() || matches!(mode, Some(ModeChange::Exactly(_))) {
            PRIVATE_MODE
        } else {
            NEW_FILE_MODE
        };
        let (name, file) = temporary::create(&staged.folder, first_mode)
            .map_err(|error| place.fault("create", error))?;
        staged.temporary = Some(name);
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
        fill(file, bytes, attributes, mode, durability)
            .map_err(|error| place.fault("write", error))?;
        Ok(staged)
    }

    /// New content for a file that was read.
    pub(super) fn update(
        old: &FileSnapshot,
        bytes: &[u8],
        mode: Option<ModeChange>,
        durability: Durability,
    ) -> Result<Self, Error> {
        let mut staged = Self::existing(old, Way::Replace, durability)?;
        staged.mode = mode;
        let place = old.located();
        let file = staged
            .folder
            .open_read(&staged.leaf)
            .map_err(|error| place.fault("open", error))?;
        let metadata =
            crate::platform::file_metadata(&file).map_err(|error| place.fault("look at", error))?;
        place.require_file(&metadata)?;
        if metadata.links > 1 {
            return staged.write_over(bytes);
        }
        match temporary::create(&staged.folder, PRIVATE_MODE) {
            Ok((name, new)) => {
                staged.temporary = Some(name);
                fill(new, bytes, Some((&file, &metadata)), mode, durability)
                    .map_err(|error| place.fault("write", error))?;
                Ok(staged)
            }
            // The folder takes no new files, but the file itself may be written.
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem
                ) =>
            {
                staged.write_over(bytes)
            }
            Err(error) => Err(place.fault("write", error)),
        }
    }

    /// The removal of a file that was read.
    pub(super) fn delete(old: &FileSnapshot, durability: Durability) -> Result<Self, Error> {
        Self::existing(old, Way::Remove, durability)
    }

    fn existing(old: &FileSnapshot, way: Way, durability: Durability) -> Result<Self, Error> {
        let place = old.located();
        let stale = |error| match error {
            Error::NotFound { path, .. } => Error::Stale { path },
            error => error,
        };
        let (folder, leaf) = place.open_parent().map_err(stale)?;
        let found = folder
            .metadata(leaf)
            .map_err(|error| stale(place.fault("look at", error)))?;
        place.require_file(&found)?;
        // Mode bits bind root as well: whoever took the right to write away meant it.
        if found.mode & ANY_WRITE == 0 || !folder.is_writable(leaf) {
            return Err(Error::ReadOnly {
                path: place.name().into(),
            });
        }
        let leaf = leaf.to_owned();
        let mut staged = Self::new(place, folder, leaf, way, durability);
        staged.old = Some(old.clone());
        Ok(staged)
    }

    fn write_over(mut self, bytes: &[u8]) -> Result<Self, Error> {
        let file = self
            .folder
            .open_update(&self.leaf)
            .map_err(|error| self.place.fault("write", error))?;
        self.way = Way::InPlace(file, bytes.to_owned());
        Ok(self)
    }

    /// Whether the file still is what the change was planned for.
    pub(super) fn verify(&self) -> Result<(), Error> {
        let Some(old) = &self.old else {
            return Ok(());
        };
        let opened;
        let file = match &self.way {
            Way::InPlace(file, _) => file,
            _ => {
                opened = self
                    .folder
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

    /// Changes the file. With `keep` the old one can be had back afterwards.
    pub(super) fn apply(&mut self, keep: bool) -> Result<(), Error> {
        match self.try_apply(keep) {
            Ok(()) => Ok(()),
            Err(error) if matches!(self.way, Way::Remove | Way::Replace) => {
                Err(self.stale_or(error))
            }
            Err(error) => Err(self.place.fault("write", error)),
        }
    }

    fn try_apply(&mut self, keep: bool) -> io::Result<()> {
        match &mut self.way {
            Way::New => {
                if let Some(name) = &self.temporary {
                    self.folder.rename_new(name, &self.leaf)?;
                }
                self.temporary = None;
            }
            Way::Replace => {
                if keep {
                    self.keep_old()?;
                }
                if let Some(name) = &self.temporary {
                    match self.folder.rename(name, &self.leaf) {
                        // A mount point cannot be renamed over; the file in it can be written.
                        Err(error) if error.kind() == io::ErrorKind::ResourceBusy => {
                            return self.apply_in_place();
                        }
                        answer => answer?,
                    }
                }
                self.temporary = None;
            }
            Way::InPlace(file, bytes) => {
                self.applied = true;
                if let Some(mode) = self.mode {
                    self.old_mode = Some(change_mode(file, mode)?);
                }
                write_whole(file, bytes, self.durability)?;
            }
            Way::Remove if keep => {
                let backup = temporary::name();
                self.folder.rename_new(&self.leaf, &backup)?;
                self.backup = Some(backup);
            }
            Way::Remove => self.folder.remove(&self.leaf)?,
        }
        self.applied = true;
        Ok(())
    }

    /// Turns a replacement into a writing over.
    fn apply_in_place(&mut self) -> io::Result<()> {
        let Some(name) = &self.temporary else {
            return Ok(());
        };
        let mut bytes = Vec::new();
        self.folder.open_read(name)?.read_to_end(&mut bytes)?;
        let file = self.folder.open_update(&self.leaf)?;
        self.applied = true;
        if let Some(mode) = self.mode {
            self.old_mode = Some(change_mode(&file, mode)?);
        }
        let written = write_whole(&file, &bytes, self.durability);
        self.way = Way::InPlace(file, bytes);
        written
    }

    /// A second name for the old file; where the system has none, a copy.
    fn keep_old(&mut self) -> io::Result<()> {
        let backup = temporary::name();
        if self.folder.link(&self.leaf, &backup).is_ok() {
            self.backup = Some(backup);
            return Ok(());
        }
        let Some(old) = &self.old else {
            return Ok(());
        };
        let original = self.folder.open_read(&self.leaf)?;
        let metadata = crate::platform::file_metadata(&original)?;
        let (name, file) = temporary::create(&self.folder, PRIVATE_MODE)?;
        self.backup = Some(name);
        fill(
            file,
            old.bytes(),
            Some((&original, &metadata)),
            None,
            self.durability,
        )
    }

    /// Takes everything back. Answers what could not be.
    pub(super) fn undo(&mut self) -> Option<String> {
        let undone = if self.applied { self.restore() } else { Ok(()) };
        self.applied = false;
        self.discard();
        undone
            .err()
            .map(|error| format!("{} ({error})", self.place.name()))
    }

    fn restore(&mut self) -> io::Result<()> {
        match &self.way {
            Way::New => self.folder.remove(&self.leaf),
            Way::InPlace(file, _) => {
                if let Some(mode) = self.old_mode {
                    set_mode(file, mode)?;
                }
                match &self.old {
                    Some(old) => write_whole(file, old.bytes(), self.durability),
                    None => Ok(()),
                }
            }
            Way::Replace | Way::Remove => match self.backup.take() {
                Some(backup) => self.folder.rename(&backup, &self.leaf),
                // Only the last step of a set is done without a backup.
                None => Err(io::ErrorKind::NotFound.into()),
            },
        }
    }

    /// Removes what exists only for the commit. A failure leaves a hidden file and harms nothing;
    /// the change itself stands.
    pub(super) fn discard(&mut self) {
        for name in [self.temporary.take(), self.backup.take()]
            .into_iter()
            .flatten()
        {
            let _ = self.folder.remove(&name);
        }
    }

    pub(super) const fn is_in_place(&self) -> bool {
        matches!(self.way, Way::InPlace(..))
    }

    pub(super) const fn place(&self) -> &Located {
        &self.place
    }

    fn stale(&self) -> Error {
        Error::Stale {
            path: self.place.name().into(),
        }
    }

    fn stale_or(&self, error: io::Error) -> Error {
        if error.kind() == io::ErrorKind::NotFound {
            self.stale()
        } else {
            self.place.fault("write", error)
        }
    }
}

impl Drop for Staged {
    /// When a commit ends by a panic: the new content goes, the backup stays for the person.
    fn drop(&mut self) {
        if let Some(name) = self.temporary.take() {
            let _ = self.folder.remove(&name);
        }
    }
}
