//! Texts of files that an editor has and the disk has not yet. While one is held, changes of its file are made in the text.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The texts, by the targets of their files.
#[derive(Debug, Default)]
pub(crate) struct Drafts(Mutex<HashMap<PathBuf, Draft>>);

#[derive(Debug)]
struct Draft {
    bytes: Vec<u8>,
    is_changed: bool,
}

impl Drafts {
    /// The text of a file, where one is held.
    pub(crate) fn of(&self, target: &Path) -> Option<Vec<u8>> {
        let drafts = self.lock();
        if drafts.is_empty() {
            return None;
        }
        drafts.get(target).map(|draft| draft.bytes.clone())
    }

    pub(crate) fn holds(&self, target: &Path) -> bool {
        self.lock().contains_key(target)
    }

    /// Holds a text for a file, as an editor has it.
    pub(crate) fn hold(&self, target: PathBuf, bytes: Vec<u8>) {
        let draft = Draft {
            bytes,
            is_changed: false,
        };
        self.lock().insert(target, draft);
    }

    /// Lets go of the text of a file. Returns it where it was changed.
    pub(crate) fn release(&self, target: &Path) -> Option<Vec<u8>> {
        let draft = self.lock().remove(target);
        draft
            .filter(|draft| draft.is_changed)
            .map(|draft| draft.bytes)
    }

    /// Puts a new text in the place of the old one; whether that was still held.
    pub(crate) fn replace(&self, target: &Path, old: &[u8], new: &[u8]) -> bool {
        let mut drafts = self.lock();
        let draft = drafts.get_mut(target);
        let Some(draft) = draft.filter(|draft| draft.bytes == old) else {
            return false;
        };
        draft.bytes.clear();
        draft.bytes.extend_from_slice(new);
        draft.is_changed = true;
        true
    }

    /// No thread panics while it holds this, so a poisoned one is sound.
    fn lock(&self) -> MutexGuard<'_, HashMap<PathBuf, Draft>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
