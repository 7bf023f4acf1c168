//! Changes of files whose text an editor has: they are made in that text, and the disk stays as it is.

use tenon_contract::ChangeKind;

use super::change::Change;
use super::committed::CommittedChange;
use super::plan::ChangeSet;
use crate::{Error, Workspace};

impl Workspace {
    /// Holds the text of a file as an editor has it: until it is released, the file is edited in this text and the disk stays as
    /// it is. Pages of the file are read from the disk.
    ///
    /// # Errors
    /// As [`locate`](Self::locate).
    pub fn hold_draft(&self, path: &str, text: &str) -> Result<(), Error> {
        let target = self.locate(path)?.target().to_owned();
        self.drafts().hold(target, text.as_bytes().to_vec());
        Ok(())
    }

    /// Lets go of such a text. Returns it where it was changed.
    ///
    /// # Errors
    /// As [`locate`](Self::locate).
    pub fn release_draft(&self, path: &str) -> Result<Option<Vec<u8>>, Error> {
        Ok(self.drafts().release(self.locate(path)?.target()))
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
        changes.map(change_draft).collect()
    }
}

/// Makes a change in the text of its file, if that is still the one that the change was made for.
fn change_draft(change: &Change) -> Result<CommittedChange, Error> {
    let path = || change.place().name().to_owned();
    let Change::Update { old, bytes, .. } = change else {
        // A file that somebody is writing in is neither moved nor removed.
        return Err(Error::Stale { path: path() });
    };
    let drafts = change.place().workspace().drafts();
    if !drafts.replace(old.located().target(), old.bytes(), bytes) {
        return Err(Error::Stale { path: path() });
    }
    Ok(CommittedChange {
        path: path(),
        kind: ChangeKind::Update,
        from: None,
        bytes: crate::truncate::wide(bytes.len()),
        in_place: true,
        other_names: 0,
    })
}

#[cfg(test)]
mod tests {
    use crate::{ChangeSet, Error, Journal, JournalOptions, Workspace, read_text};

    fn edited(workspace: &Workspace, path: &str, journal: &Journal) -> Result<(), Error> {
        let file = read_text(&workspace.locate(path)?, 1024)?;
        let bytes = file.splice(&[(0..3, "ONE")])?;
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
