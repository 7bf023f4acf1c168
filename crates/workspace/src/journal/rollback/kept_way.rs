//! What is kept of a way back to a checkpoint, so that nothing is lost by it.

use super::Contents;
use crate::journal::state::{By, Entry, FileState, Touched};
use crate::journal::{CheckpointId, Journal, JournalState, hashes_of, take};
use crate::{ChangeSet, CommittedChange, Error};

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
    ) -> Result<Option<KeptWay>, Error> {
        if changes.is_empty() || !self.lock().has_room(changes) {
            return Ok(None);
        }
        let by = By {
            call: Some((id.to_string().into(), 0)),
            ..self.by.clone()
        };
        let Some(mut back) = self.keep_old(changes, &by)? else {
            return Ok(None);
        };
        let mut state = self.lock();
        let by = By { call: None, ..by };
        let mut from = Entry::empty(state.key(), &by);
        back.undoes.push(from.key.clone());
        for file in &back.files {
            if let FileState::File { hash, .. } = file.after
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
        Ok(Some(KeptWay { from, back }))
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

impl JournalState {
    fn has_room(&self, changes: &ChangeSet) -> bool {
        let olds: Vec<_> = { changes.changes().iter() }
            .filter_map(|change| change.old())
            .collect();
        let new_bytes = self.new_bytes(&olds, &hashes_of(changes));
        self.store.bytes().saturating_add(new_bytes) <= self.max_bytes
    }
}
