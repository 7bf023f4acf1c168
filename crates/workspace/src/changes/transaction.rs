//! The steps of a commit, and the way back.

use std::ffi::OsString;
use std::path::Path;

use super::plan::{Change, Durability};
use super::staged::Staged;
use crate::platform::Folder;
use crate::{Error, Located};

/// What has been done so far of a set of changes. Dropping it takes nothing back.
#[derive(Debug)]
pub(super) struct Transaction {
    steps: Vec<Staged>,
    /// Folders that were made, each with the one above it.
    folders: Vec<(Folder, OsString)>,
    durability: Durability,
}

impl Transaction {
    pub(super) const fn new(durability: Durability) -> Self {
        Self {
            steps: Vec::new(),
            folders: Vec::new(),
            durability,
        }
    }

    /// Stages, verifies and applies. Answers for each change whether it was written in place.
    pub(super) fn run(
        &mut self,
        changes: &[Change],
        cancelled: &dyn Fn() -> bool,
        watch: &mut dyn FnMut(usize) -> std::io::Result<()>,
    ) -> Result<Vec<bool>, Error> {
        let mut firsts = Vec::new();
        for change in changes {
            if cancelled() {
                return Err(Error::Cancelled);
            }
            firsts.push(self.steps.len());
            self.stage(change)?;
        }
        if cancelled() {
            return Err(Error::Cancelled);
        }
        for step in &self.steps {
            step.verify()?;
        }
        // The last step needs no way back: if it fails it has done nothing.
        let last = self.steps.len().saturating_sub(1);
        for (index, step) in self.steps.iter_mut().enumerate() {
            watch(index).map_err(|error| step.place().fault("write", error))?;
            step.apply(/*keep*/ index < last)?;
        }
        Ok(firsts
            .into_iter()
            .map(|first| self.steps.get(first).is_some_and(Staged::is_in_place))
            .collect())
    }

    fn stage(&mut self, change: &Change) -> Result<(), Error> {
        match change {
            Change::Create { to, bytes, mode } => {
                let folder = self.make_folders(to)?;
                let step = Staged::create(to, folder, bytes, None, *mode, self.durability)?;
                self.steps.push(step);
            }
            Change::Update { old, bytes, mode } => {
                self.steps
                    .push(Staged::update(old, bytes, *mode, self.durability)?)
            }
            Change::Delete { old } => self.steps.push(Staged::delete(old, self.durability)?),
            Change::Move {
                old,
                to,
                bytes,
                mode,
            } => {
                let removal = Staged::delete(old, self.durability)?;
                let folder = self.make_folders(to)?;
                let bytes = bytes.as_deref().unwrap_or(old.bytes());
                self.steps.push(Staged::create(
                    to,
                    folder,
                    bytes,
                    Some(old),
                    *mode,
                    self.durability,
                )?);
                self.steps.push(removal);
            }
        }
        Ok(())
    }

    /// The folder of a new file, made if it is missing.
    fn make_folders(&mut self, place: &Located) -> Result<Folder, Error> {
        let (mut folder, missing) = place.open_existing_parent()?;
        for name in missing {
            let made = match folder.create_folder(&name) {
                Ok(()) => true,
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => false,
                Err(error) => return Err(place.fault("create the folder of", error)),
            };
            let inner = folder
                .descend(Path::new(&name), place.workspace().strategy())
                .map_err(|error| place.fault("open the folder of", error))?;
            let above = std::mem::replace(&mut folder, inner);
            if made {
                self.folders.push((above, name));
            }
        }
        Ok(folder)
    }

    /// Removes what was only needed for the way back.
    pub(super) fn finish(mut self) {
        for step in &mut self.steps {
            step.discard();
        }
    }

    /// Takes everything back, last first. Answers what could not be.
    pub(super) fn roll_back(mut self) -> Vec<String> {
        let left = self
            .steps
            .iter_mut()
            .rev()
            .filter_map(Staged::undo)
            .collect();
        for (above, name) in self.folders.iter().rev() {
            // Somebody else may have put something into it meanwhile; then it stays.
            let _ = above.remove_folder(name);
        }
        left
    }
}
