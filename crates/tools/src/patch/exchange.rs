//! Files that take the places of files that the same patch moves away, as where two swap their names.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

use tenon_contract::{ErrorCode, NextStep, Operation, ToolError, limits};
use tenon_edit::FileOperation;
use tenon_workspace::{Error, FileKind, FileSnapshot, Located, ModeChange, read_bytes};

use super::mode::PERMISSIONS;
use super::{FilePlan, Planned};

/// The places that files leave and take.
#[derive(Default)]
pub(super) struct Exchange {
    left: HashSet<PathBuf>,
    taken: HashSet<PathBuf>,
    /// The files at the places that are left, each read once: what is moved from there is what is replaced there.
    read: HashMap<PathBuf, FileSnapshot>,
}

impl Exchange {
    pub(super) fn of(files: &[FilePlan]) -> Self {
        let mut exchange = Self::default();
        for file in files {
            let target = file.target.target();
            match (&file.patch.operation, &file.source) {
                (FileOperation::Move { .. }, Some(source)) if source.target() != target => {
                    exchange.left.insert(source.target().to_owned());
                }
                (FileOperation::Create { .. } | FileOperation::Copy { .. }, _) => {}
                _ => continue,
            }
            exchange.taken.insert(target.to_owned());
        }
        exchange
    }

    /// Whether the patch moves the file away that stands here.
    pub(super) fn is_left(&self, place: &Located) -> bool {
        self.left.contains(place.target())
    }

    /// Whether the patch puts a file here.
    pub(super) fn is_taken(&self, place: &Located) -> bool {
        self.taken.contains(place.target())
    }

    /// Whether a move between two places meets another file of the patch at one of them.
    pub(super) fn has_part(&self, from: &Located, to: &Located) -> bool {
        self.is_left(from) && (self.is_left(to) || self.is_taken(from))
    }

    /// The file as it is before the patch.
    pub(super) fn read(&mut self, place: &Located) -> Result<FileSnapshot, ToolError> {
        if let Some(file) = self.read.get(place.target()) {
            return Ok(file.clone());
        }
        let file = read_bytes(place, limits::EDIT_MAX_BYTES)?;
        if self.is_left(place) {
            self.read.insert(place.target().to_owned(), file.clone());
        }
        Ok(file)
    }
}

impl Planned {
    /// Gives a file another name: one that is free, or that of a file that is moved away. `mode` is what the patch
    /// states, with the bits that come of it.
    pub(super) fn rename(
        &mut self,
        old: &FileSnapshot,
        to: &Located,
        bytes: Vec<u8>,
        (mode, bits): (Option<ModeChange>, u32),
    ) -> Result<(), ToolError> {
        let from = old.located();
        if !self.exchange.has_part(from, to) {
            let moved = self.changes.rename_with_mode(old, to, Some(bytes), mode);
            return moved.map_err(not_put);
        }
        let is_gone = !self.exchange.is_taken(from);
        self.put(to, bytes, Some(ModeChange::Exactly(bits & PERMISSIONS)))?;
        if is_gone {
            self.changes.delete(old)?;
        }
        Ok(())
    }

    /// Puts a file where none stands, or one that is moved away.
    pub(super) fn put(
        &mut self,
        target: &Located,
        bytes: Vec<u8>,
        mode: Option<ModeChange>,
    ) -> Result<(), ToolError> {
        if self.exchange.is_left(target) {
            let old = self.exchange.read(target)?;
            // It has the bits of the file that goes; a new one is not to be run unless the patch says so.
            let mode = mode.unwrap_or(ModeChange::Executable(false));
            self.changes.update_with_mode(&old, bytes, Some(mode))?;
        } else {
            let made = self.changes.create_with_mode(target, bytes, mode);
            made.map_err(not_put)?;
        }
        Ok(())
    }
}

/// Why a file cannot be put somewhere. A directory stays where all its files go, so that no patch makes a file of it.
fn not_put(error: Error) -> ToolError {
    match error {
        Error::NotAFile {
            path,
            kind: FileKind::Directory,
        } => {
            let message = format!(
                "`{path}` is a directory, and a patch puts no file in its place. Nothing was changed."
            );
            let aim = "move or remove the directory first";
            ToolError::new(ErrorCode::NotAFile, message)
                .then(NextStep::with_tool(&[Operation::Execute], aim))
                .with("path", path)
        }
        error => error.into(),
    }
}
