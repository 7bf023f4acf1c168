//! Texts of files that an editor has and the disk has not yet. While one is held, changes of its file are made in the text.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tenon_contract::ChangeKind;

use crate::changes::change::Change;
use crate::{ChangeSet, CommittedChange, Error, Workspace};

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

    fn holds(&self, target: &Path) -> bool {
        self.lock().contains_key(target)
    }

    /// Makes a change in the text of its file, if that is still the one that the change was made for.
    fn change(&self, change: &Change) -> Result<CommittedChange, Error> {
        let path = || change.place().name().to_owned();
        let (Change::Update { old, bytes, .. }, mut drafts) = (change, self.lock()) else {
            // A file that somebody is writing in is neither moved nor removed.
            return Err(Error::Stale { path: path() });
        };
        let draft = drafts.get_mut(old.located().target());
        let draft = draft.filter(|draft| draft.bytes == old.bytes());
        let Some(draft) = draft else {
            return Err(Error::Stale { path: path() });
        };
        draft.bytes.clone_from(bytes);
        draft.is_changed = true;
        Ok(CommittedChange {
            path: path(),
            kind: ChangeKind::Update,
            from: None,
            bytes: crate::truncate::wide(bytes.len()),
            in_place: true,
            other_names: 0,
        })
    }

    /// No thread panics while it holds this, so a poisoned one is sound.
    fn lock(&self) -> MutexGuard<'_, HashMap<PathBuf, Draft>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Workspace {
    /// Holds the text of a file as an editor has it: until it is released, the file is edited in this text and the disk stays as
    /// it is. Pages of the file are read from the disk.
    ///
    /// # Errors
    /// As [`locate`](Self::locate).
    pub fn hold_draft(&self, path: &str, text: &str) -> Result<(), Error> {
        let target = self.locate(path)?.target().to_owned();
        let draft = Draft {
            bytes: text.as_bytes().to_vec(),
            is_changed: false,
        };
        self.drafts().lock().insert(target, draft);
        Ok(())
    }

    /// Lets go of such a text. Returns it where it was changed.
    ///
    /// # Errors
    /// As [`locate`](Self::locate).
    pub fn release_draft(&self, path: &str) -> Result<Option<Vec<u8>>, Error> {
        let draft = self.drafts().lock().remove(self.locate(path)?.target());
        Ok(draft
            .filter(|draft| draft.is_changed)
            .map(|draft| draft.bytes))
    }
}

impl ChangeSet {
    /// Those of files whose text is held, in a set of their own.
    pub(crate) fn without_drafts(self) -> (Self, Self) {
        let durability = self.durability();
        let (drafts, rest): (Vec<Change>, Vec<Change>) =
            self.into_changes().into_iter().partition(|change| {
                let old = change.old().map(crate::FileSnapshot::located);
                old.is_some_and(|old| old.workspace().drafts().holds(old.target()))
            });
        (Self::of(drafts, durability), Self::of(rest, durability))
    }

    /// Makes changes in texts that are held.
    pub(crate) fn commit_drafts(&self) -> Result<Vec<CommittedChange>, Error> {
        let changes = self.changes().iter();
        changes
            .map(|change| change.place().workspace().drafts().change(change))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::{ChangeSet, Error, Journal, JournalOptions, Splice, Workspace, read_text};

    fn edited(workspace: &Workspace, path: &str, journal: &Journal) -> Result<(), Error> {
        let file = read_text(&workspace.locate(path)?, 1024)?;
        let bytes = file.splice(&[Splice {
            range: 0..3,
            text: "ONE".into(),
        }])?;
        let mut changes = ChangeSet::new();
        changes.update(file.snapshot(), bytes)?;
        journal.commit(changes, &|| false).map(|_| ())
    }

    #[test]
    fn a_held_text_is_changed_and_the_disk_is_not() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("a.txt");
        std::fs::write(&file, "one disk\n").unwrap();
        let workspace = Workspace::open(directory.path(), &[] as &[&str]).unwrap();
        let journal = Journal::new(JournalOptions::default());
        workspace.hold_draft("a.txt", "one unsaved\n").unwrap();
        edited(&workspace, "a.txt", &journal).unwrap();
        edited(&workspace, "a.txt", &journal).unwrap();
        assert_eq!(std::fs::read(&file).unwrap(), b"one disk\n");
        assert_eq!(
            workspace.release_draft("a.txt").unwrap().unwrap(),
            b"ONE unsaved\n"
        );
        assert_eq!(workspace.release_draft("a.txt").unwrap(), None);
        edited(&workspace, "a.txt", &journal).unwrap();
        assert_eq!(std::fs::read(&file).unwrap(), b"ONE disk\n");
    }

    #[test]
    fn a_file_with_a_held_text_is_not_removed() {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join("a.txt"), "one disk\n").unwrap();
        let workspace = Workspace::open(directory.path(), &[] as &[&str]).unwrap();
        workspace.hold_draft("a.txt", "one unsaved\n").unwrap();
        let place = workspace.locate("a.txt").unwrap();
        let mut changes = ChangeSet::new();
        changes
            .delete(&crate::read_bytes(&place, 1024).unwrap())
            .unwrap();
        let journal = Journal::new(JournalOptions::default());
        let refused = journal.commit(changes, &|| false);
        assert!(matches!(refused, Err(Error::Stale { .. })));
        assert!(directory.path().join("a.txt").exists());
    }
}
