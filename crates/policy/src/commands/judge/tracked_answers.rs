//! What was found out about the names that git prints: each answer looks at all tracked files.

use std::cell::RefCell;

use crate::commands::resolve::WorkingDirs;
use crate::commands::words::tracked_files::GitListing;
use crate::rule::Kind;

/// Of where, and for which use; without one, whether they are words.
type Asked = (WorkingDirs, GitListing, Option<Kind>);

/// Whether the names are plain, by what was asked.
#[derive(Default)]
pub(crate) struct TrackedAnswers(RefCell<Vec<(Asked, bool)>>);

impl TrackedAnswers {
    /// The answer that is known, else this one, which is kept.
    pub(crate) fn get_or(&self, asked: Asked, find: impl FnOnce() -> bool) -> bool {
        let same = |known: &&(Asked, bool)| known.0 == asked;
        let known = self.0.borrow().iter().find(same).map(|known| known.1);
        known.unwrap_or_else(|| {
            let found = find();
            self.0.borrow_mut().push((asked, found));
            found
        })
    }
}
