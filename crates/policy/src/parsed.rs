//! Command texts as shells parse them. That depends on nothing but the text and on which programs are known, so it is done once
//! for all questions about one call, and kept for those that come next.

use std::collections::VecDeque;
use std::ops::Deref;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use tenon_contract::GivenVariable;
use tenon_programs::{Catalogue, Looking};
use tenon_shell::{Examination, ShellGrammar, examine_by};

use crate::commands::resolve::known_words::{Known, with_known_words};
use crate::commands::resolve::text_words::TextWords;

/// How many texts are kept for the calls to come.
const MOST_KEPT: usize = 8;

/// How long these may be together. What is parsed takes fifty times as much.
const MOST_KEPT_BYTES: usize = 32 * 1024;

/// A text as bash and as a POSIX shell parse it; one of them where both parse it alike.
#[derive(Debug)]
pub(crate) struct ParsedText {
    readings: Box<[Arc<Examination>]>,
    /// What the words of each say of its names in a call that gives no variables, once that is asked.
    words: [OnceLock<TextWords>; ShellGrammar::ALL.len()],
    /// What its words say of all its commands, once that is asked.
    by_words: OnceLock<ByWords>,
}

/// What the words of a text say of its commands, whatever is on the disk.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ByWords {
    /// Where what the commands show comes from, if they only look or make something.
    pub(crate) looking: Option<Looking>,
    /// Whether a command is there to make files, or its output goes to one.
    pub(crate) makes_files: bool,
}

/// A parsed text that several questions share.
pub(crate) type Readings = Arc<ParsedText>;

impl Deref for ParsedText {
    type Target = [Arc<Examination>];

    fn deref(&self) -> &[Arc<Examination>] {
        &self.readings
    }
}

impl ParsedText {
    /// What the words of the reading of this number say of its names, in a call that gives these variables.
    pub(crate) fn words(&self, reading: usize, given: &[GivenVariable]) -> TextWords {
        let examination = self.readings.get(reading);
        let find = || {
            examination.map_or_else(TextWords::default, |examination| {
                TextWords::of(examination, given)
            })
        };
        match self.words.get(reading).filter(|_| given.is_empty()) {
            Some(words) => words.get_or_init(find).clone(),
            None => find(),
        }
    }

    /// What its words say of its commands, which `find` finds.
    pub(crate) fn by_words(&self, find: impl FnOnce() -> ByWords) -> ByWords {
        *self.by_words.get_or_init(find)
    }
}

/// What follows from a text, from what was known of programs, and from the home directory.
#[derive(Debug, Clone)]
struct Entry {
    text: Box<str>,
    catalogue: Catalogue,
    home: Option<Box<str>>,
    readings: Readings,
}

impl Entry {
    fn is_of(&self, text: &str, catalogue: &Catalogue, home: Option<&str>) -> bool {
        *self.text == *text && self.home.as_deref() == home && self.catalogue.is_same(catalogue)
    }
}

/// The parsed command texts of one call. Clones share what they hold.
///
/// ```
/// use tenon_policy::ParsedCommands;
///
/// let parsed = ParsedCommands::default();
/// assert!(parsed.is_empty());
/// ```
#[derive(Debug, Clone, Default)]
pub struct ParsedCommands {
    own: Arc<Mutex<Vec<Entry>>>,
    last: LastParsed,
}

/// The last command texts that were parsed for several calls: who asks what policy says to a call makes it next. Where names lead
/// is no part of it. Clones share what they hold.
#[derive(Debug, Clone, Default)]
pub struct LastParsed(Arc<Mutex<VecDeque<Entry>>>);

impl LastParsed {
    /// The texts of one call, which are taken from here and kept here.
    #[must_use]
    pub fn for_call(&self) -> ParsedCommands {
        ParsedCommands {
            own: Arc::default(),
            last: self.clone(),
        }
    }

    fn find(&self, text: &str, catalogue: &Catalogue, home: Option<&str>) -> Option<Entry> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut all = kept.iter();
        all.find(|entry| entry.is_of(text, catalogue, home))
            .cloned()
    }

    fn keep(&self, entry: &Entry) {
        if entry.text.len() > MOST_KEPT_BYTES {
            return;
        }
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.push_back(entry.clone());
        let bytes =
            |kept: &VecDeque<Entry>| kept.iter().map(|entry| entry.text.len()).sum::<usize>();
        while kept.len() > MOST_KEPT || bytes(&kept) > MOST_KEPT_BYTES {
            kept.pop_front();
        }
    }
}

impl ParsedCommands {
    /// Whether no text was parsed yet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.own
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .is_empty()
    }

    /// What shells make of this text.
    pub(crate) fn readings(
        &self,
        text: &str,
        catalogue: &Catalogue,
        home: Option<&str>,
    ) -> Readings {
        let mut known = self.own.lock().unwrap_or_else(PoisonError::into_inner);
        let mut all = known.iter();
        if let Some(own) = all.find(|entry| entry.is_of(text, catalogue, home)) {
            return Arc::clone(&own.readings);
        }
        let entry = self.last.find(text, catalogue, home).unwrap_or_else(|| {
            let entry = Entry {
                text: text.into(),
                catalogue: catalogue.clone(),
                home: home.map(Box::from),
                readings: parse(text, catalogue, home),
            };
            self.last.keep(&entry);
            entry
        });
        let readings = Arc::clone(&entry.readings);
        known.push(entry);
        readings
    }
}

/// What shells make of a text, for one question.
pub(crate) fn parse(text: &str, catalogue: &Catalogue, home: Option<&str>) -> Readings {
    let mut readings = Vec::with_capacity(1);
    for dialect in ShellGrammar::ALL {
        let examination = Arc::new(examine_by(catalogue, home, text, dialect));
        let known = Known { catalogue, home };
        let examination = with_known_words(examination, text, dialect, known);
        let alike = examination.reads_alike();
        readings.push(examination);
        if alike {
            break;
        }
    }
    Arc::new(ParsedText {
        readings: readings.into(),
        words: Default::default(),
        by_words: OnceLock::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_parsed_once_and_clones_share_it() {
        let parsed = ParsedCommands::default();
        let readings = |text| parsed.clone().readings(text, &Catalogue::BUILT_IN, None);
        let first = readings("echo $((1 + 2))");
        assert!(Arc::ptr_eq(&first, &readings("echo $((1 + 2))")));
        assert!(!Arc::ptr_eq(&first, &readings("echo 3")));
    }

    #[test]
    fn the_next_call_of_a_text_takes_what_was_parsed() {
        let last = LastParsed::default();
        let of = |text: &str| last.for_call().readings(text, &Catalogue::BUILT_IN, None);
        let first = of("git status");
        assert!(Arc::ptr_eq(&first, &of("git status")));
        let below = last
            .for_call()
            .readings("git status", &Catalogue::BUILT_IN, Some("/home/me"));
        assert!(!Arc::ptr_eq(&first, &below));
        for number in 0..MOST_KEPT {
            of(&format!("ls {number}"));
        }
        assert!(!Arc::ptr_eq(&first, &of("git status")));
    }

    #[test]
    fn long_texts_are_kept_for_their_own_call_alone() {
        let last = LastParsed::default();
        let kept = || {
            last.0
                .lock()
                .unwrap()
                .iter()
                .map(|entry| entry.text.len())
                .collect::<Vec<_>>()
        };
        let of = |length: usize| {
            let call = last.for_call();
            let text = format!("ls {}", "a".repeat(length - 3));
            let readings = || call.readings(&text, &Catalogue::BUILT_IN, None);
            assert!(Arc::ptr_eq(&readings(), &readings()));
        };
        of(MOST_KEPT_BYTES / 2);
        of(MOST_KEPT_BYTES + 1);
        assert_eq!(kept(), [MOST_KEPT_BYTES / 2]);
        of(MOST_KEPT_BYTES - 10);
        assert_eq!(kept(), [MOST_KEPT_BYTES - 10]);
    }

    #[test]
    fn a_text_that_shells_read_alike_has_one_reading() {
        let texts = |text: &str| -> Vec<usize> {
            parse(text, &Catalogue::BUILT_IN, None)
                .iter()
                .map(|reading| reading.texts.len())
                .collect()
        };
        assert_eq!(texts("git status"), [1]);
        assert_eq!(texts("[[ a = b ]] && ls"), [1, 1]);
    }
}
