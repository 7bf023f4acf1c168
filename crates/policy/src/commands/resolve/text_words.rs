//! What the words of a text say of its names, wherever these lead: found out once for a parsed text.

use std::sync::Arc;

use tenon_contract::GivenVariable;
use tenon_shell::{Evaluations, Examination, ExaminedText, evaluations};

use crate::commands::resolve::Functions;
use crate::commands::resolve::text_facts::{Redefined, changes_patterns, makes_once, redefined};
use crate::commands::words::tracked_files::index_changes;

/// What the words of one reading of a text say.
#[derive(Debug, Clone, Default)]
pub(crate) struct TextWords {
    pub(crate) redefined: Arc<Redefined>,
    pub(crate) functions: Arc<Functions>,
    pub(crate) evaluations: Arc<Evaluations>,
    /// Whether a variable or the output of a command is put in anywhere.
    pub(crate) expands: bool,
    /// How many of its commands may change what git tracks.
    pub(crate) index_changes: usize,
    /// Whether it changes which names patterns stand for.
    pub(crate) changes_patterns: bool,
    /// Whether at most one of its commands can make a directory, and runs once.
    pub(crate) makes_once: bool,
}

impl TextWords {
    /// Those of a reading in a call that gives these variables.
    pub(crate) fn of(examination: &Examination, given: &[GivenVariable]) -> Self {
        let is_given = |name: &str| given.iter().any(|given| given.name == name);
        let evaluations = evaluations(examination, &is_given);
        // One letter at a time is quicker to look for than either.
        let expands = |text: &ExaminedText| text.text.contains('$') || text.text.contains('`');
        Self {
            redefined: Arc::new(redefined(examination)),
            expands: examination.texts.iter().any(expands),
            functions: Arc::new(Functions::find(examination)),
            index_changes: index_changes(examination),
            changes_patterns: changes_patterns(examination, &evaluations),
            makes_once: makes_once(examination),
            evaluations: Arc::new(evaluations),
        }
    }
}
