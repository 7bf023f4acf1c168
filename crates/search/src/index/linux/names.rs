//! Names that came to be and were not listed yet.

use std::collections::{HashMap, HashSet};

use super::watch::{Event, WatchedChange};
use crate::entries::Entries;

/// A name in a directory.
type Name = (u32, Vec<u8>);

/// New names between two answers. One that is listed is looked at then; one that went before may have
/// been another name of a known file, which nothing else reports.
#[derive(Debug, Default)]
pub(crate) struct NewNames {
    waiting: HashSet<Name>,
    /// Names that moved away, by the cookie of the move.
    moving: HashMap<u32, Name>,
}

impl NewNames {
    pub(crate) fn take(&mut self, directory: u32, event: &Event<'_>) {
        let name = (directory, event.name.to_vec());
        match event.what {
            WatchedChange::Made => {
                self.waiting.insert(name);
            }
            WatchedChange::MovedAway if self.waiting.contains(&name) => {
                self.moving.insert(event.cookie, name);
            }
            WatchedChange::MovedHere => {
                // The new name takes the place of the old one.
                if let Some(before) = self.moving.remove(&event.cookie) {
                    self.waiting.remove(&before);
                }
                self.waiting.insert(name);
            }
            _ => {}
        }
    }

    /// The directory has these entries now.
    pub(crate) fn listed(&mut self, directory: u32, entries: &Entries) {
        if !self.waiting.is_empty() {
            self.waiting
                .retain(|(of, name)| *of != directory || entries.position(name).is_none());
        }
    }

    /// Whether a name was not listed any more. Begins again.
    pub(crate) fn lost_one(&mut self) -> bool {
        self.moving.clear();
        let lost = !self.waiting.is_empty();
        self.waiting.clear();
        lost
    }
}
