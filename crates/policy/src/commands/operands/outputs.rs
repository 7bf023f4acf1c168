//! Options that say by their name that a program writes a file, whatever program it is.

use tenon_shell::Word;

use crate::commands::Context;
use crate::commands::files::Usage;
use crate::commands::ground::State;
use crate::decision::Judgement;
use crate::protected::protected_among;
use crate::rule::Kind;

/// What is in the names of such options.
const WRITING: &[&str] = &[
    "out", "dest", "save", "log", "write", "export", "dump", "report", "record", "target",
    "to-file",
];

/// Whether an option says that its value is a file that is written.
fn writes(option: &str) -> bool {
    match option.strip_prefix("--") {
        Some(name) => WRITING.iter().any(|mark| name.contains(mark)),
        None => matches!(option, "-o" | "-O" | "-out" | "-output" | "-outfile"),
    }
}

impl<'e> Context<'e, '_> {
    /// Protected names that a program of which nothing is known is told to write.
    pub(super) fn told_outputs(&self, words: &[Word], state: State, judgement: &mut Judgement<'e>) {
        let arguments = words
            .iter()
            .skip(1)
            .zip(words.iter().skip(2).map(Some).chain([None]));
        for (word, next) in arguments {
            let Some(text) = word.literal().filter(|text| text.starts_with('-')) else {
                continue;
            };
            let (option, value) = match text.split_once('=') {
                Some((option, value)) => (option, Some(value)),
                None => (text, next.and_then(Word::literal)),
            };
            if let Some(path) = value.filter(|_| writes(option))
                && protected_among(path).is_some()
            {
                self.path(Usage::strict(Kind::Write), path, state, judgement);
            }
        }
    }
}
