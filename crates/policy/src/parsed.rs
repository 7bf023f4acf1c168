//! Command texts as shells parse them. That depends on nothing but the text, so it is done once for all questions
//! about one call.

use std::sync::{Arc, Mutex, PoisonError};

use tenon_shell::{Examination, ShellGrammar, examine};

/// A text as bash and as a POSIX shell parse it; one of them where both parse it alike.
pub(crate) type Readings = Arc<[Arc<Examination>]>;

/// What was parsed, by its text.
type ByText = Vec<(Box<str>, Readings)>;

/// The parsed command texts of one call. Clones share what they hold.
///
/// ```
/// use tenon_policy::ParsedCommands;
///
/// let parsed = ParsedCommands::default();
/// assert!(parsed.is_empty());
/// ```
#[derive(Debug, Clone, Default)]
pub struct ParsedCommands(Arc<Mutex<ByText>>);

impl ParsedCommands {
    /// Whether no text was parsed yet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .is_empty()
    }

    /// What shells make of this text.
    pub(crate) fn readings(&self, text: &str) -> Readings {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, readings)) = known.iter().find(|(own, _)| **own == *text) {
            return Arc::clone(readings);
        }
        let readings = parse(text);
        known.push((text.into(), Arc::clone(&readings)));
        readings
    }
}

/// What shells make of a text, for one question.
pub(crate) fn parse(text: &str) -> Readings {
    let mut readings = Vec::with_capacity(1);
    for dialect in ShellGrammar::ALL {
        let examination = examine(text, dialect);
        let alike = examination.reads_alike();
        readings.push(Arc::new(examination));
        if alike {
            break;
        }
    }
    readings.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_parsed_once_and_clones_share_it() {
        let parsed = ParsedCommands::default();
        let first = parsed.readings("echo $((1 + 2))");
        let again = parsed.clone().readings("echo $((1 + 2))");
        assert!(Arc::ptr_eq(&first, &again));
        assert!(!Arc::ptr_eq(&first, &parsed.readings("echo 3")));
    }

    #[test]
    fn a_text_that_shells_read_alike_has_one_reading() {
        let texts = |text: &str| -> Vec<usize> {
            parse(text)
                .iter()
                .map(|reading| reading.texts.len())
                .collect()
        };
        assert_eq!(texts("git status"), [1]);
        assert_eq!(texts("[[ a = b ]] && ls"), [1, 1]);
    }
}
