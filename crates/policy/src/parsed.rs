//! Command texts as shells parse them. That depends on nothing but the text and on which programs are known, so it is done once
//! for all questions about one call.

use std::sync::{Arc, Mutex, PoisonError};

use tenon_programs::Catalogue;
use tenon_shell::{Examination, ShellGrammar, examine_by};

use crate::commands::resolve::known_words::{Known, with_known_words};

/// A text as bash and as a POSIX shell parse it; one of them where both parse it alike.
pub(crate) type Readings = Arc<[Arc<Examination>]>;

/// What was parsed, by its text, by what was known of programs, and by the home directory.
type ByText = Vec<(Box<str>, Catalogue, Option<Box<str>>, Readings)>;

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
    pub(crate) fn readings(
        &self,
        text: &str,
        catalogue: &Catalogue,
        home: Option<&str>,
    ) -> Readings {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut all = known.iter();
        let own = all.find(|(own, by, below, _)| {
            **own == *text && below.as_deref() == home && by.is_same(catalogue)
        });
        if let Some((.., readings)) = own {
            return Arc::clone(readings);
        }
        let readings = parse(text, catalogue, home);
        let below = home.map(Box::from);
        known.push((text.into(), catalogue.clone(), below, Arc::clone(&readings)));
        readings
    }
}

/// What shells make of a text, for one question.
pub(crate) fn parse(text: &str, catalogue: &Catalogue, home: Option<&str>) -> Readings {
    let mut readings = Vec::with_capacity(1);
    for dialect in ShellGrammar::ALL {
        let examination = examine_by(catalogue, home, text, dialect);
        let known = Known { catalogue, home };
        let examination = with_known_words(examination, text, dialect, known);
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
        let readings = |text| parsed.clone().readings(text, &Catalogue::BUILT_IN, None);
        let first = readings("echo $((1 + 2))");
        assert!(Arc::ptr_eq(&first, &readings("echo $((1 + 2))")));
        assert!(!Arc::ptr_eq(&first, &readings("echo 3")));
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
