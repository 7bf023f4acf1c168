//! A file that something else changed since the session read it.
//!
//! A change elsewhere in the file does not matter. One that touches the place of an edit does, and one
//! that a whole new content would undo: then nothing is written, and the answer shows what stands there now.

use tenon_contract::{ErrorCode, ToolError, limits};
use tenon_edit::{ConcurrentChange, Lines, MatchLevel, Plan, TextDiff, patch_path};
use tenon_workspace::{FileSnapshot, Freshness, Located, TextFile, Written, floor_character};

use crate::session::FileSession;

/// Lines that are shown before and after a place.
const MARGIN_LINES: usize = 2;

/// What the session knows of a file that it is about to change.
pub(crate) struct FileFreshness<'a> {
    session: &'a FileSession,
    located: &'a Located,
    freshness: Freshness,
}

/// What the session will know of a file once a change of it is made.
#[derive(Debug)]
pub(crate) enum Note {
    /// All of it: the session wrote it.
    Whole(Located, Written),
    /// This text; there are changes of somebody else in the file besides.
    Known(Located, String),
    /// Nothing: it is gone.
    Gone(Located),
}

impl Note {
    /// Of a file with this new content.
    pub(crate) fn whole(place: &Located, bytes: &[u8], text: Option<&str>) -> Self {
        Self::Whole(place.clone(), Written::new(bytes, text))
    }

    /// The same of another file with the same content.
    pub(crate) fn at(self, place: &Located) -> Self {
        match self {
            Self::Whole(_, written) => Self::Whole(place.clone(), written),
            Self::Known(_, text) => Self::Known(place.clone(), text),
            Self::Gone(_) => Self::Gone(place.clone()),
        }
    }

    /// Makes it known.
    pub(crate) fn enter(self, session: &FileSession) {
        match self {
            Self::Whole(place, written) => session.ledger.wrote(&place, written),
            Self::Known(place, text) => session.ledger.knows(&place, text),
            Self::Gone(place) => session.ledger.forget(&place),
        }
    }
}

impl<'a> FileFreshness<'a> {
    /// What is known of a file as it was just read.
    ///
    /// # Errors
    /// [`ErrorCode::NotRead`] where the rules want a file to be read first, and it was not.
    pub(crate) fn of(session: &'a FileSession, file: &'a FileSnapshot) -> Result<Self, ToolError> {
        let located = file.located();
        let freshness = session.ledger.freshness(file);
        if freshness == Freshness::NeverSeen && session.rules.require_read {
            let path = located.name();
            let message = format!(
                "`{path}` was not changed: this session has not read it. Read it first, then repeat the call."
            );
            return Err(ToolError::new(ErrorCode::NotRead, message).with("path", path));
        }
        Ok(Self {
            session,
            located,
            freshness,
        })
    }

    /// Refuses a plan one of whose places something else changed.
    ///
    /// # Errors
    /// [`ErrorCode::StaleFile`], with what stands there now.
    pub(crate) fn check(&self, file: &TextFile, plan: &Plan) -> Result<(), ToolError> {
        match &self.freshness {
            Freshness::NeverSeen | Freshness::Fresh => Ok(()),
            Freshness::Changed(Some(known)) => {
                let change = ConcurrentChange::new(known, file.text());
                match change.conflict(plan) {
                    Some(lines) => Err(self.stale_region(file, Some(&change), lines)),
                    None => Ok(()),
                }
            }
            // Which lines changed is not known: only what matches to the letter is sure.
            Freshness::Changed(None) => {
                let loose = plan
                    .matches
                    .iter()
                    .find(|found| found.match_level > MatchLevel::TrailingBlanks);
                match loose {
                    Some(found) => {
                        let lines = Lines {
                            first: found.first_line,
                            last: found.last_line,
                        };
                        Err(self.stale_region(file, None, lines))
                    }
                    None => Ok(()),
                }
            }
        }
    }

    /// Refuses line numbers that may not be those of the file as the session knows it.
    ///
    /// # Errors
    /// [`ErrorCode::StaleFile`], with what stands there now.
    pub(crate) fn check_numbers(&self, file: &TextFile, lines: Lines) -> Result<(), ToolError> {
        match &self.freshness {
            Freshness::NeverSeen | Freshness::Fresh => Ok(()),
            Freshness::Changed(Some(known)) => {
                let change = ConcurrentChange::new(known, file.text());
                if change.keeps_numbers_to(lines.last) {
                    return Ok(());
                }
                Err(self.stale_region(file, Some(&change), change.now_at(lines)))
            }
            Freshness::Changed(None) => Err(self.stale_region(file, None, lines)),
        }
    }

    /// The reason why a plan was refused, or that something else changed the place, if the plan
    /// would have been right for the file as the session knows it.
    pub(crate) fn explain(
        &self,
        file: &TextFile,
        refused: ToolError,
        plan: impl Fn(&str) -> Option<Plan>,
    ) -> ToolError {
        let Freshness::Changed(known) = &self.freshness else {
            return refused;
        };
        let places = known.as_deref().and_then(|known| {
            let plan = plan(known)?;
            let first = plan.matches.iter().map(|found| found.first_line).min()?;
            let last = plan.matches.iter().map(|found| found.last_line).max()?;
            Some((known, Lines { first, last }))
        });
        match places {
            Some((known, lines)) => {
                let change = ConcurrentChange::new(known, file.text());
                let lines = change.now_at(lines);
                self.stale_region(file, Some(&change), lines)
            }
            None => ToolError {
                message: format!(
                    "{} The file changed on disk since this session last read it.",
                    refused.message
                ),
                ..refused
            },
        }
    }

    /// Refuses to replace or to remove the whole file if there is something in it that the session does not know.
    ///
    /// # Errors
    /// [`ErrorCode::StaleFile`], with what is different.
    pub(crate) fn check_whole(&self, file: &FileSnapshot) -> Result<(), ToolError> {
        let Freshness::Changed(known) = &self.freshness else {
            return Ok(());
        };
        let path = self.located.name();
        let unread = || {
            let message = format!(
                "`{path}` changed on disk since this session last read it. Nothing was written; read it again, then repeat the call."
            );
            self.stale(message)
        };
        let (Some(known), Ok(now)) = (known, file.decode()) else {
            return Err(unread());
        };
        if let Some((before, after)) = other_line_ends(known, now.text()) {
            self.session.ledger.saw(file);
            let message = format!(
                "`{path}` changed on disk since this session last read it. Nothing was written. Only its line ends changed, from {before} \
                 to {after}. Repeat the call."
            );
            return Err(self.stale(message));
        }
        let name = |side: &str| patch_path(&format!("{side}/{path}"));
        let text_diff = TextDiff::new(&**known, now.text());
        let diff = text_diff.unified_within(
            &name("a"),
            &name("b"),
            limits::DIFF_CONTEXT_LINES,
            limits::FRESH_REGION_MAX_BYTES,
        );
        if diff.is_empty() || diff.len() > limits::FRESH_REGION_MAX_BYTES {
            return Err(unread());
        }
        // What was shown is known.
        self.session.ledger.saw(file);
        let message = format!(
            "`{path}` changed on disk since this session last read it. Nothing was written. What changed:\n{diff}\
             Repeat the call with a content that keeps these changes, unless they are meant to go."
        );
        Err(self.stale(message).with("diff", diff))
    }

    /// What the session knows of the file after a plan on it was made.
    pub(crate) fn after(&self, file: &TextFile, plan: &Plan, bytes: &[u8], text: &str) -> Note {
        let known = match &self.freshness {
            Freshness::Changed(Some(known)) => {
                ConcurrentChange::new(known, file.text()).replayed_as_shown(plan)
            }
            _ => None,
        };
        match known {
            Some(known) => Note::Known(self.located.clone(), known),
            None => Note::whole(self.located, bytes, Some(text)),
        }
    }

    fn stale_region(
        &self,
        file: &TextFile,
        change: Option<&ConcurrentChange<'_>>,
        place: Lines,
    ) -> ToolError {
        let path = self.located.name();
        let (lines, text) = region(file.text(), place);
        match change {
            Some(change) => self
                .session
                .ledger
                .knows(self.located, change.shown([lines])),
            None => self.session.ledger.saw(file.snapshot()),
        }
        let end = if text.ends_with('\n') { "" } else { "\n" };
        let message = format!(
            "`{path}` changed on disk since this session last read it, at the place of this \
             edit. Nothing was written. Lines {}-{} are now:\n{text}{end}Repeat the edit with this text.",
            lines.first, lines.last
        );
        self.stale(message)
            .with("line", lines.first)
            .with("endLine", lines.last)
            .with("region", text)
    }

    fn stale(&self, message: String) -> ToolError {
        ToolError::new(ErrorCode::StaleFile, message).with("path", self.located.name())
    }
}

/// The refusal without what stands in the file: the one who calls may not read it.
pub(crate) fn without_content(error: ToolError) -> ToolError {
    if error.code != ErrorCode::StaleFile {
        return error;
    }
    let path = error.details.get("path").cloned().unwrap_or_default();
    let name = path.as_str().unwrap_or_default();
    let message = format!(
        "`{name}` changed on disk since this session last wrote it, and you may not read it. Nothing was changed. Repeat the call to replace it whatever its content."
    );
    ToolError::new(ErrorCode::StaleFile, message).with("path", path)
}

/// Lines of a text with a margin, as many as may be shown.
fn region(text: &str, place: Lines) -> (Lines, String) {
    let first = place.first.saturating_sub(MARGIN_LINES).max(1);
    let mut last = first;
    let mut shown = String::new();
    let lines = text.split_inclusive('\n').skip(first - 1);
    for (number, line) in (first..=place.last + MARGIN_LINES).zip(lines) {
        if shown.len() + line.len() > limits::FRESH_REGION_MAX_BYTES && !shown.is_empty() {
            break;
        }
        last = number;
        shown.push_str(floor_character(line, limits::FRESH_REGION_MAX_BYTES));
    }
    (Lines { first, last }, shown)
}

/// The kinds of line ends of two texts that differ in nothing else.
fn other_line_ends(before: &str, after: &str) -> Option<(&'static str, &'static str)> {
    let kind = |text: &str| {
        let carriages = text.matches("\r\n").count();
        match (carriages, text.matches('\n').count()) {
            (0, _) => "LF",
            (carriages, ends) if carriages == ends => "CRLF",
            _ => "a mix of CRLF and LF",
        }
    };
    let is_same = before != after && before.replace("\r\n", "\n") == after.replace("\r\n", "\n");
    is_same.then(|| (kind(before), kind(after)))
}

#[cfg(test)]
mod line_end_tests {
    use super::other_line_ends;

    #[test]
    fn texts_that_differ_in_line_ends_alone_are_called_by_those() {
        let mixed = "a mix of CRLF and LF";
        for (before, after, kinds) in [
            ("a\nb\n", "a\r\nb\r\n", Some(("LF", "CRLF"))),
            ("a\r\nb\r\n", "a\nb\r\n", Some(("CRLF", mixed))),
            ("a\nb\n", "a\nb\n", None),
            ("a\nb\n", "a\r\nc\r\n", None),
        ] {
            assert_eq!(other_line_ends(before, after), kinds);
        }
    }
}
