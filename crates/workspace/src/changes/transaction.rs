//! The steps of a commit, and the way back.

use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::sync::Arc;

use super::change::Change;
use super::durability::Durability;
use super::fail_point::{CommitStep, FailPoint};
use super::record::{CommitRecord, Line};
use super::staged::{NewContent, Stage, Staged};
use super::together::{discard, settle};
use crate::platform::Directory;
use crate::{Error, FileSnapshot, Located};

/// Most files that are held open on their way to the disk.
const OPEN_MAX: usize = 256;

/// What has been done so far of a set of changes. Dropping it takes nothing back.
#[derive(Debug)]
pub(super) struct Transaction {
    steps: Vec<Staged>,
    /// Directories that were made, each with the one above it.
    directories: Vec<(Arc<Directory>, OsString)>,
    record: CommitRecord,
    durability: Durability,
    /// How many steps there will be.
    total: usize,
}

/// How one change was done.
#[derive(Debug, Clone, Copy)]
pub(super) struct ApplyMode {
    /// Whether the file was written over.
    pub(super) in_place: bool,
    /// Names of the old file that stay with the old content.
    pub(super) other_names: u64,
}

impl Transaction {
    /// Begins a commit of these changes; nothing is done yet.
    pub(super) fn begin(changes: &[Change], durability: Durability) -> Result<Self, Error> {
        let steps: usize = changes.iter().map(Change::steps).sum();
        let record = match changes.first() {
            // A removal alone is done or not.
            None | Some(Change::Delete { .. }) if steps <= 1 => Ok(CommitRecord::none(durability)),
            None => Ok(CommitRecord::none(durability)),
            Some(first) => {
                let place = first.place();
                CommitRecord::begin(
                    place.workspace(),
                    /*is_required*/ steps > 1,
                    durability,
                )
                .map_err(|error| place.fault("keep a record of the change of", error))
            }
        };
        Ok(Self {
            steps: Vec::with_capacity(steps),
            directories: Vec::new(),
            record: record?,
            durability,
            total: steps,
        })
    }

    /// Stages, verifies and applies. Answers how each change was done.
    pub(super) fn run(
        &mut self,
        changes: &[Change],
        cancelled: &dyn Fn() -> bool,
        fail_point: FailPoint<'_>,
    ) -> Result<Vec<ApplyMode>, Error> {
        let mut firsts = Vec::new();
        let mut settled = 0;
        for change in changes {
            if cancelled() {
                return Err(Error::Cancelled);
            }
            firsts.push(self.steps.len());
            let step = CommitStep::Stage(self.steps.len());
            fail_point(step).map_err(|error| change.place().fault("write", error))?;
            self.stage(change, cancelled, fail_point)?;
            if self.steps.len() - settled >= OPEN_MAX {
                settle(self.steps.get_mut(settled..).unwrap_or_default(), || ())?;
                settled = self.steps.len();
            }
        }
        self.settle_last(settled)?;
        if cancelled() {
            return Err(Error::Cancelled);
        }
        for step in &self.steps {
            step.verify()?;
        }
        self.at(CommitStep::Ready, fail_point)?;
        if let Err(error) = self.record.ready() {
            return Err(self.fault("keep a record of the change of", error));
        }
        for step in &mut self.steps {
            step.apply(&mut self.record, fail_point)?;
        }
        self.sync_directories();
        Ok(firsts
            .into_iter()
            .filter_map(|first| self.steps.get(first))
            .map(|step| ApplyMode {
                in_place: step.is_in_place(),
                other_names: step.other_names,
            })
            .collect())
    }

    /// Waits until what was written since then is on the disk, and the name of the record.
    fn settle_last(&mut self, since: usize) -> Result<(), Error> {
        let record = &self.record;
        let mut named = Ok(());
        let steps = self.steps.get_mut(since..).unwrap_or_default();
        let settled = settle(steps, || named = record.sync_name());
        named.map_err(|error| self.fault("keep a record of the change of", error))?;
        settled
    }

    fn at(&self, step: CommitStep, fail_point: FailPoint<'_>) -> Result<(), Error> {
        fail_point(step).map_err(|error| self.fault("write", error))
    }

    /// What the system refused, reported of the first file.
    fn fault(&self, action: &'static str, error: io::Error) -> Error {
        match self.steps.first() {
            Some(step) => step.place.fault(action, error),
            None => Error::system("", action, error),
        }
    }

    fn stage(
        &mut self,
        change: &Change,
        cancelled: &dyn Fn() -> bool,
        fail_point: FailPoint<'_>,
    ) -> Result<(), Error> {
        match change {
            Change::Create { to, bytes, mode } => {
                let directory = self.make_directories(to, cancelled)?;
                let content = NewContent { bytes, mode: *mode };
                self.stage_new((to, directory), content, None, fail_point)
            }
            Change::Update { old, bytes, mode } => {
                let content = NewContent { bytes, mode: *mode };
                let step = self.stage_of(fail_point).update(old, content)?;
                self.steps.push(step);
                Ok(())
            }
            Change::Delete { old } => self.stage_removal(old, fail_point),
            Change::Move {
                old,
                to,
                bytes,
                mode,
            } => {
                // What cannot be removed is not copied first.
                self.stage_of(fail_point).delete(old)?;
                let directory = self.make_directories(to, cancelled)?;
                let bytes = bytes.as_deref().unwrap_or(old.bytes());
                let content = NewContent { bytes, mode: *mode };
                self.stage_new((to, directory), content, Some(old), fail_point)?;
                self.stage_removal(old, fail_point)
            }
        }
    }

    fn stage_of<'a>(&'a mut self, fail_point: FailPoint<'a>) -> Stage<'a> {
        let index = self.steps.len();
        Stage {
            record: &mut self.record,
            fail_point,
            index,
            is_last: index + 1 == self.total,
            durability: self.durability,
            before: self.steps.last(),
        }
    }

    fn stage_new(
        &mut self,
        (to, directory): (&Located, Arc<Directory>),
        content: NewContent<'_>,
        like: Option<&FileSnapshot>,
        fail_point: FailPoint<'_>,
    ) -> Result<(), Error> {
        let step = self
            .stage_of(fail_point)
            .create(to, directory, content, like)?;
        self.steps.push(step);
        Ok(())
    }

    fn stage_removal(
        &mut self,
        old: &FileSnapshot,
        fail_point: FailPoint<'_>,
    ) -> Result<(), Error> {
        let mut stage = self.stage_of(fail_point);
        let step = stage.delete(old)?;
        stage.report(&step, Some(old.metadata().mode), None)?;
        self.steps.push(step);
        Ok(())
    }

    /// The directory of a new file, made if it is missing.
    fn make_directories(
        &mut self,
        place: &Located,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Arc<Directory>, Error> {
        let near = self.steps.last().and_then(|step| step.directory_of(place));
        if let Some(directory) = near {
            return Ok(directory);
        }
        let (directory, missing) = place.open_existing_parent()?;
        let mut directory = Arc::new(directory);
        let mut above: Vec<_> = place
            .target()
            .ancestors()
            .skip(1)
            .take(missing.len())
            .collect();
        for name in missing {
            if cancelled() {
                return Err(Error::Cancelled);
            }
            if let Some(path) = above.pop() {
                let path = path.as_os_str().to_owned();
                self.record
                    .note(&Line::Directory { path })
                    .map_err(|error| place.fault("keep a record of the change of", error))?;
            }
            let made = match directory.create_directory(&name) {
                Ok(()) => true,
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => false,
                Err(error) => return Err(place.fault("create the directory of", error)),
            };
            let inner = directory
                .descend(Path::new(&name), place.workspace().strategy())
                .map_err(|error| place.fault("open the directory of", error))?;
            let above = std::mem::replace(&mut directory, Arc::new(inner));
            if made {
                self.directories.push((above, name));
            }
        }
        Ok(directory)
    }

    /// Brings the new names to the disk. The changes stand, and are whole, whether this succeeds or
    /// not; a failure only means that a crash of the machine may take them back.
    fn sync_directories(&self) {
        // A file alone is whole under either name, and the system brings the name to the disk by itself within seconds.
        if self.durability == Durability::Unsynced || self.total == 1 {
            return;
        }
        let mut done: Vec<&Path> = Vec::new();
        for step in self.steps.iter().filter(|step| !step.is_in_place()) {
            let path = step.place.target().parent().unwrap_or(Path::new(""));
            if !done.contains(&path) {
                done.push(path);
                let _ = step.directory.sync();
            }
        }
        for (above, _) in &self.directories {
            let _ = above.sync();
        }
    }

    /// Removes what was only needed for the way back.
    pub(super) fn finish(mut self, fail_point: FailPoint<'_>) {
        // From here on nothing can fail any more: what stays behind is for the next recovery.
        let _ = fail_point(CommitStep::Done);
        self.record.done();
        discard(&mut self.steps, &mut |step| {
            let _ = fail_point(CommitStep::Discard(step.index));
        });
        let _ = fail_point(CommitStep::Forget);
        self.record.forget();
    }

    /// Takes everything back, last first. Answers what could not be.
    pub(super) fn roll_back(mut self, fail_point: FailPoint<'_>) -> Vec<String> {
        let mut left = Vec::new();
        for step in self.steps.iter_mut().rev() {
            let _ = fail_point(CommitStep::Undo(step.index));
            left.extend(step.undo());
        }
        for (above, name) in self.directories.iter().rev() {
            // Somebody else may have put something into it meanwhile; then it stays.
            let _ = above.remove_directory(name);
        }
        if left.is_empty() {
            self.record.forget();
        } else {
            self.record.leave();
        }
        left
    }
}
