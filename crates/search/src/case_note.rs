//! What a search without a match would have found without regard to case, noted on the way.
//!
//! Reading the files is most of a search. So each is asked for the text without regard to case while its content is in memory, and
//! only if it has it, for the text itself: for as long as nothing was found, that costs about what it saves.
//!
//! Of an expression the files are asked for a text that each of its matches contains. Where no file has it in any case, the
//! expression itself need not be compiled again to know that it matches in no other case. One without such a text is looked for
//! by the letters of ASCII without regard to case, which in texts of ASCII alone finds all that it may match.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use grep::matcher::Matcher;
use memchr::memmem::Finder;

use crate::any_case::AnyCase;
use crate::directory::relative_key;
use crate::grep::{GrepMode, GrepRequest, RuledOut};
use crate::matcher::LineMatcher;
use crate::required::required_texts;
use crate::{Case, Compiled, Pattern};

/// What the files are asked for.
#[derive(Debug)]
enum FileQuestion {
    /// The plain text itself.
    Text(Option<AnyCase>),
    Expression(Box<ExpressionQuestion>),
}

/// What is asked where the pattern is an expression.
#[derive(Debug)]
struct ExpressionQuestion {
    /// Texts of which every match contains one; none where it has no such texts.
    parts: Vec<AnyCase>,
    /// Whether the expression, read as a plain text, contains one of them as well.
    are_in_source: bool,
    /// The expression by the letters of ASCII without regard to case. Nothing where it is none by these.
    any_case: Option<LineMatcher>,
    /// Whether case makes no difference to it.
    is_same: bool,
    /// The expression read as a plain text.
    source: Finder<'static>,
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
    /// Whether a file may match in another case and is not noted: it could not be asked.
    is_possible: AtomicBool,
    /// Whether a file has, in any case, a text that each match contains, or there is no such text.
    has_part: AtomicBool,
    /// The same for an expression read as a plain text.
    is_plain_possible: AtomicBool,
    /// The expression without regard to case.
    confirming: Compiled,
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
            has_part: AtomicBool::new(false),
            is_plain_possible: AtomicBool::new(false),
            confirming: Compiled::default(),
            first: Mutex::new(None),
        })
    }

    /// Whether `content`, a whole file, may match; notes whether it may in any case.
    pub(crate) fn look(&self, content: &[u8]) -> CaseLook {
        match self.asked() {
            FileQuestion::Text(finder) => {
                let is_there = finder.as_ref().is_none_or(|finder| finder.is_in(content));
                CaseLook {
                    may_match: is_there,
                    other_case: is_there.then_some(OtherCase::Certain),
                }
            }
            FileQuestion::Expression(expression) => self.look_for(expression, content),
        }
    }

    fn look_for(&self, expression: &ExpressionQuestion, content: &[u8]) -> CaseLook {
        let parts = &expression.parts;
        let has_part = parts.is_empty() || parts.iter().any(|part| part.is_in(content));
        let may_be_plain = has_part || !expression.are_in_source;
        if may_be_plain && expression.source.find(content).is_some() {
            self.is_plain_possible.store(true, Ordering::Relaxed);
        }
        if has_part {
            self.has_part.store(true, Ordering::Relaxed);
        }
        let mut look = CaseLook {
            may_match: has_part,
            other_case: None,
        };
        match &expression.any_case {
            _ if !has_part || expression.is_same => {}
            None => self.pass(),
            Some(any_case) => {
                let is_there = any_case.is_match(content).unwrap_or(true);
                let is_ascii = content.is_ascii();
                look.may_match = is_there || !is_ascii;
                look.other_case = is_there.then_some(match is_ascii {
                    true => OtherCase::Certain,
                    false => OtherCase::Likely,
                });
            }
        }
        look
    }

    /// Whether `content`, in which the expression was found by the letters of ASCII alone, matches without regard to case: `\W`
    /// of ASCII is a part of a letter beyond it.
    pub(crate) fn confirms(&self, content: &[u8]) -> bool {
        let pattern = Pattern {
            case: Case::Insensitive,
            ..self.pattern.clone()
        };
        let matcher = self.confirming.matcher(&pattern, self.binary_rule);
        matcher.is_ok_and(|matcher| matcher.is_match(content).unwrap_or(false))
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
        let is_text = matches!(self.asked(), FileQuestion::Text(_));
        if is_text || self.is_possible.load(Ordering::Relaxed) {
            return RuledOut::default();
        }
        RuledOut {
            other_case: true,
            without_anchors: !self.has_part.load(Ordering::Relaxed),
            plain_text: all && !self.is_plain_possible.load(Ordering::Relaxed),
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
    /// Whether it matches in some case.
    pub(crate) other_case: Option<OtherCase>,
}

/// How certain a match in some case is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OtherCase {
    Certain,
    /// To be [confirmed](CaseNote::confirms).
    Likely,
}

fn asked(pattern: &Pattern, binary_rule: bool) -> FileQuestion {
    if pattern.is_plain() {
        return FileQuestion::Text(AnyCase::new(pattern, binary_rule));
    }
    let texts = required_texts(&pattern.text).unwrap_or_default();
    let source = pattern.text.as_bytes();
    let is_in_source = |text: &Vec<u8>| source.windows(text.len()).any(|window| window == text);
    let are_in_source = texts.iter().any(is_in_source);
    let parts: Option<Vec<AnyCase>> = texts.into_iter().map(AnyCase::of_ascii).collect();
    let ascii = pattern.in_ascii();
    FileQuestion::Expression(Box::new(ExpressionQuestion {
        are_in_source: are_in_source && parts.is_some(),
        parts: parts.unwrap_or_default(),
        is_same: ascii.as_ref().is_some_and(|ascii| !ascii.differs_by_case()),
        any_case: ascii.and_then(|ascii| {
            let any_case = Pattern {
                case: Case::Insensitive,
                ..ascii
            };
            LineMatcher::quick(&any_case, binary_rule)
        }),
        source: Finder::new(source).into_owned(),
    }))
}

/// Whether a pattern matches within lines and is case-sensitive, and a plain text as a whole.
fn can_note(pattern: &Pattern) -> bool {
    let is_whole = pattern.multiline || pattern.word || pattern.line;
    pattern.minds_case() && !is_whole
}
