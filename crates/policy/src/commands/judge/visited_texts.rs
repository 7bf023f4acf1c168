//! Words that were looked at already: a wrapper and the command behind it have the same ones.

use compact_str::CompactString;
use tenon_shell::{Invocation, Span, Word};

use crate::commands::resolve::WorkingDirs;
use crate::display::shown;

/// Words of which it was looked at what they mention. A command behind wrappers has the last words of the wrappers.
#[derive(Default)]
pub(crate) struct VisitedTexts<'w>(Option<(&'w [Word], WorkingDirs)>);

impl<'w> VisitedTexts<'w> {
    /// Notes the words of a program that was given all of them.
    pub(crate) fn note(&mut self, words: &'w [Word], state: WorkingDirs) {
        self.0.get_or_insert((words, state));
    }

    /// Whether these were among words that were noted, in the same directory.
    pub(crate) fn holds(&self, words: &[Word], state: WorkingDirs) -> bool {
        self.0
            .is_some_and(|(all, known)| known == state && is_within(words, all))
    }

    /// Whether these were among words that were noted, in whatever directory.
    pub(crate) fn holds_somewhere(&self, words: &[Word]) -> bool {
        self.0.is_some_and(|(all, _)| is_within(words, all))
    }
}

/// Whether the words are a part of these very words.
fn is_within(words: &[Word], all: &[Word]) -> bool {
    let (words, all) = (words.as_ptr_range(), all.as_ptr_range());
    all.start <= words.start && words.end <= all.end
}

/// The option of a command that stands at a place, for people.
pub(crate) fn option_at(command: &Invocation, span: Span) -> Option<CompactString> {
    let mut words = command.words.iter().skip(1);
    let word = words.find(|word| word.span == span)?.literal()?;
    let is_option = word.starts_with('-') && word.len() <= 60;
    is_option.then(|| shown(word))
}
