//! What is kept of a way back to a checkpoint, so that nothing is lost by it.

use super::obstacles::Obstacles;
use super::{Contents, Goal};
use crate::journal::state::{By, Entry, FileState, Touched};
use crate::journal::{CheckpointId, Journal, JournalState, hashes_of, take};
use crate::{ChangeSet, CommittedChange, ContentHash, Error, Located};

/// A way back, as a change that can be undone by the id of its checkpoint, and what it comes from: the opposite.
pub(super) struct KeptWay {
    from: Entry,
    back: Entry,
}

impl Journal {
    /// Keeps what a way back will replace. `None` where there is no room: checkpoints go before it.
    pub(super) fn keep_way_back(
        &self,
        id: CheckpointId,
        changes: &ChangeSet,
        contents: &Contents,
        (goal, obstacles): (&Goal, &Obstacles),
    ) -> Result<Option<KeptWay>, Error> {
        let is_empty = changes.is_empty() && obstacles.links.is_empty();
        if is_empty || !self.lock().has_room(changes) {
            return Ok(None);
        }
        let by = By {
            call: Some((id.to_string().into(), 0)),
            ..self.by.clone()
        };
        let Some(mut back) = self.keep_old(changes, &by)? else {
            return Ok(None);
        };
        self.add_other_kinds(&mut back, goal, obstacles)?;
        let mut state = self.lock();
        let by = By { call: None, ..by };
        let mut from = Entry::empty(state.key(), &by);
        back.undoes.push(from.key.clone());
        for file in &back.files {
            if let Some(hash) = file.after.kept_hash()
                && let Some(bytes) = contents.get(&hash)
                && let Err(error) = state.store.keep(hash, bytes)
            {
                state.let_go(&from);
                state.let_go(&back);
                return Err(file.place.fault("keep the content of", error));
            }
            from.files.push(file.opposite());
        }
        drop(state);
        // What comes again can go again.
        from.directories.clone_from(&goal.directories);
        from.gone_directories.clone_from(&goal.gone_directories);
        Ok(Some(KeptWay { from, back }))
    }

    /// Adds to an entry what a change set has no words for: links and directories that go or come.
    pub(super) fn add_other_kinds(
        &self,
        entry: &mut Entry,
        goal: &Goal,
        obstacles: &Obstacles,
    ) -> Result<(), Error> {
        for link in &obstacles.links {
            let bytes = link.target.as_os_str().as_encoded_bytes();
            if let Err(error) = self.keep_bytes(bytes) {
                self.lock().let_go(entry);
                return Err(link.place.fault("keep", error));
            }
            touch(entry, &link.place, |file| file.before = link.state());
        }
        for file in goal.files.iter().filter(|file| !file.is_back) {
            if file.found == FileState::Directory {
                touch(entry, &file.place, |it| it.before = FileState::Directory);
            }
            if matches!(file.wanted, FileState::Link { .. } | FileState::Directory) {
                touch(entry, &file.place, |it| it.after = file.wanted);
            }
        }
        for directory in &obstacles.new_directories {
            let mut files = entry.files.iter_mut();
            if let Some(gone) = files.find(|file| file.place.target() == directory.target()) {
                gone.after = FileState::Directory;
            }
            let mut known = entry.directories.iter();
            if !known.any(|known| known.target() == directory.target()) {
                entry.directories.push(directory.clone());
            }
        }
        Ok(())
    }

    fn keep_bytes(&self, bytes: &[u8]) -> std::io::Result<()> {
        let hash = ContentHash::of(bytes);
        if let Some(kept) = &self.kept {
            kept.keeper.keep(&hash, bytes)?;
        }
        self.lock().store.keep(hash, bytes)
    }

    /// Forgets what was taken back since the checkpoint, before the entry of number `end`, and records the way.
    pub(super) fn end_way_back(
        &self,
        way: Option<KeptWay>,
        answer: &Result<Vec<CommittedChange>, Error>,
        (id, end): (CheckpointId, u64),
    ) {
        let way = way.map(|mut way| {
            // Without the lock: it looks at the files.
            if answer.is_ok() && take(&mut way.back, answer) {
                let files = way.back.files.iter();
                way.from.files = files.map(Touched::opposite).collect();
            }
            way
        });
        let mut state = self.lock();
        if answer.is_ok() {
            state.forget_since(id, end);
        }
        if let Some(KeptWay { from, back }) = way {
            for entry in [from, back] {
                state.enter_done(entry, answer.is_ok());
            }
        }
    }
}

/// Changes what an entry says of a place.
fn touch(entry: &mut Entry, place: &Located, change: impl FnOnce(&mut Touched)) {
    let known = entry.files.iter_mut();
    match { known }.find(|file| file.place.target() == place.target()) {
        Some(known) => change(known),
        None => {
            let mut touched = Touched {
                place: place.clone(),
                before: FileState::Absent,
                after: FileState::Absent,
            };
            change(&mut touched);
            entry.files.push(touched);
        }
    }
}

impl JournalState {
    fn has_room(&self, changes: &ChangeSet) -> bool {
        let olds: Vec<_> = { changes.changes().iter() }
            .filter_map(|change| change.old())
            .collect();
        let new_bytes = self.new_bytes(&olds, &hashes_of(changes));
        self.store.bytes().saturating_add(new_bytes) <= self.max_bytes
    }
}
