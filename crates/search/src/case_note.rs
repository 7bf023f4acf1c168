//! What a search without a match would have found without regard to case, noted on the way.
//!
//! Reading the files is most of a search. So each is asked for the text without regard to case while it is at hand, and
//! only if it has it, for the text itself: for as long as nothing was found, that costs about what it saves.
//!
//! Of an expression the files are asked for a text that each of its matches contains. Where no file has it in any case, the
//! expression itself need not be compiled again to know that it matches in no other case.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use crate::Pattern;
use crate::any_case::AnyCase;
use crate::directory::relative_key;
use crate::grep::{GrepMode, GrepRequest, RuledOut};
use crate::required::required_texts;

/// What the files are asked for.
#[derive(Debug)]
enum FileQuestion {
    /// The plain text itself.
    Text(Option<AnyCase>),
    /// Texts of which every match of an expression contains one.
    Parts {
        parts: Vec<AnyCase>,
        /// Whether the expression, read as a plain text, contains one of them as well.
        are_in_source: bool,
    },
    /// Nothing: the expression has no such texts.
    Unknown,
}

/// The note of one search, shared by its threads.
#[derive(Debug)]
pub(crate) struct CaseNote {
    pattern: Pattern,
    binary_rule: bool,
    /// Made by the first thread that has a file to ask.
    asked: OnceLock<FileQuestion>,
    /// Whether nothing was found so far.
    is_open: AtomicBool,
    /// Whether a file may have what was asked for: it has a part of it, or could not be asked.
    is_possible: AtomicBool,
    /// The first file that has the text in another case, by its place in path order.
    first: Mutex<Option<(Vec<u8>, String)>>,
}

impl CaseNote {
    /// Nothing where it is not requested, or where it cannot be known on the way: only within lines it is certain that
    /// whatever matches also has the text, or the part of the expression, in any case.
    pub(crate) fn new(request: &GrepRequest) -> Option<Self> {
        let reports_matches = !request.invert && request.mode != GrepMode::FilesWithout;
        if !request.notes_case || !reports_matches || !can_note(&request.pattern) {
            return None;
        }
        Some(Self {
            pattern: request.pattern.clone(),
            binary_rule: !request.text,
            asked: OnceLock::new(),
            is_open: AtomicBool::new(true),
            is_possible: AtomicBool::new(false),
            first: Mutex::new(None),
        })
    }

    /// Whether `content`, a whole file, may match; notes whether it may in any case. `reports` of a plain text that it is
    /// there in any case.
    pub(crate) fn look(&self, content: &[u8]) -> CaseLook {
        let asked = self.asked();
        let (is_there, is_text) = match asked {
            FileQuestion::Text(finder) => (
                finder.as_ref().is_none_or(|finder| finder.is_in(content)),
                true,
            ),
            FileQuestion::Parts { parts, .. } => {
                (parts.iter().any(|part| part.is_in(content)), false)
            }
            FileQuestion::Unknown => (true, false),
        };
        if is_there {
            self.is_possible.store(true, Ordering::Relaxed);
        }
        CaseLook {
            may_match: is_there,
            has_other_case: is_there && is_text,
        }
    }

    /// A file is searched that cannot be asked, or not as a whole.
    pub(crate) fn pass(&self) {
        self.is_possible.store(true, Ordering::Relaxed);
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

    /// What is known not to match either, once all files were searched and nothing was found. `all` says whether all
    /// files were asked, not only those that an index chose for the expression.
    pub(crate) fn ruled_out(&self, all: bool) -> RuledOut {
        if self.is_possible.load(Ordering::Relaxed) {
            return RuledOut::default();
        }
        match self.asked() {
            FileQuestion::Parts { are_in_source, .. } => RuledOut {
                other_case: true,
                plain_text: all && *are_in_source,
            },
            FileQuestion::Text(_) | FileQuestion::Unknown => RuledOut::default(),
        }
    }

    fn asked(&self) -> &FileQuestion {
        self.asked
            .get_or_init(|| asked(&self.pattern, self.binary_rule))
    }

    fn lock(&self) -> MutexGuard<'_, Option<(Vec<u8>, String)>> {
        self.first.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What was seen in a file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CaseLook {
    /// Whether the pattern may match in it.
    pub(crate) may_match: bool,
    /// Whether it has the plain text in some case.
    pub(crate) has_other_case: bool,
}

fn asked(pattern: &Pattern, binary_rule: bool) -> FileQuestion {
    if pattern.is_plain() {
        return FileQuestion::Text(AnyCase::new(pattern, binary_rule));
    }
    let Some(texts) = required_texts(&pattern.text) else {
        return FileQuestion::Unknown;
    };
    let source = pattern.text.as_bytes();
    let is_in_source = |text: &[u8]| source.windows(text.len()).any(|window| window == text);
    let are_in_source = texts.iter().any(|text| is_in_source(text));
    let parts: Option<Vec<AnyCase>> = texts.into_iter().map(AnyCase::of_ascii).collect();
    parts.map_or(FileQuestion::Unknown, |parts| FileQuestion::Parts {
        parts,
        are_in_source,
    })
}

/// Whether a pattern matches within lines and is case-sensitive, and a plain text as a whole.
fn can_note(pattern: &Pattern) -> bool {
    let is_whole = pattern.multiline || pattern.word || pattern.line;
    pattern.minds_case() && !is_whole
}
