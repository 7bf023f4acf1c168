//! What a search without a match would have found without regard to case, noted on the way.
//!
//! Reading the files is most of a search. So each is asked for the text without regard to case while it is at hand, and
//! only if it has it, for the text itself: for as long as nothing was found, that costs about what it saves.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use crate::Pattern;
use crate::any_case::AnyCase;
use crate::folder::relative_key;
use crate::grep::{GrepMode, GrepRequest};

/// The note of one search, shared by its threads.
#[derive(Debug)]
pub(crate) struct CaseNote {
    pattern: Pattern,
    binary_rule: bool,
    /// Made by the first thread that has a file to ask.
    any_case: OnceLock<Option<AnyCase>>,
    /// Whether nothing was found so far.
    is_open: AtomicBool,
    /// The first file that has the text in another case, by its place in path order.
    first: Mutex<Option<(Vec<u8>, String)>>,
}

impl CaseNote {
    /// Nothing where it is not asked for, or where it cannot be known on the way: only for plain texts it is certain
    /// that whatever matches also matches without regard to case.
    pub(crate) fn new(request: &GrepRequest) -> Option<Self> {
        let tells_matches = !request.invert && request.mode != GrepMode::FilesWithout;
        if !request.notes_case || !tells_matches || !can_note(&request.pattern) {
            return None;
        }
        Some(Self {
            pattern: request.pattern.clone(),
            binary_rule: !request.text,
            any_case: OnceLock::new(),
            is_open: AtomicBool::new(true),
            first: Mutex::new(None),
        })
    }

    /// Whether `content` has the text in any case; in doubt yes.
    pub(crate) fn is_in(&self, content: &[u8]) -> bool {
        let make = || AnyCase::new(&self.pattern, self.binary_rule);
        let any_case = self.any_case.get_or_init(make).as_ref();
        any_case.is_none_or(|any_case| any_case.is_in(content))
    }

    /// Whether files are still to be asked.
    pub(crate) fn is_open(&self) -> bool {
        self.is_open.load(Ordering::Relaxed)
    }

    /// Something was found: there is nothing to note any more.
    pub(crate) fn close(&self) {
        self.is_open.store(false, Ordering::Relaxed);
    }

    /// Notes a file.
    pub(crate) fn note(&self, path: String) {
        let key = relative_key(path.as_bytes());
        let mut first = self.lock();
        if first.as_ref().is_none_or(|(known, _)| key < *known) {
            *first = Some((key, path));
        }
    }

    /// The first file that has the text in another case.
    pub(crate) fn take(&self) -> Option<String> {
        self.lock().take().map(|(_, path)| path)
    }

    fn lock(&self) -> MutexGuard<'_, Option<(Vec<u8>, String)>> {
        self.first.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether a pattern is a plain text within lines that minds case.
pub(crate) fn can_note(pattern: &Pattern) -> bool {
    let is_whole = pattern.multiline || pattern.word || pattern.line;
    pattern.minds_case() && !is_whole && pattern.is_plain()
}
