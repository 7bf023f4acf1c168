//! What may be wrong with a change of a text: lines that stand for text instead of being it, and syntax that the
//! change broke. Every operation that changes text has its changes looked at here, before they are made.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use tenon_contract::{ErrorCode, ToolError, counted, limits};
use tenon_edit::TextDiff;
use tenon_syntax::{Breakage, Budget, breakage};

use crate::placeholder::is_placeholder;
use crate::session::{EditRules, Strictness};

/// Most placeholders of one file that are reported.
const PLACEHOLDERS_SHOWN: usize = 5;

/// One call's look at its changes: warnings where the rules warn, a refusal where they refuse.
#[derive(Debug, Default)]
pub(crate) struct Review {
    rules: EditRules,
    /// What is left for reading syntax, of all files of the call.
    time: Duration,
}

impl Review {
    /// By the rules of the session.
    pub(crate) const fn new(rules: EditRules) -> Self {
        Self {
            rules,
            time: limits::SYNTAX_MAX_TIME,
        }
    }

    /// Looks at the change of a file that exists: a new one broke nothing, and stands for nothing else.
    ///
    /// # Errors
    /// [`ErrorCode::Placeholder`] and [`ErrorCode::BrokenSyntax`] where the rules refuse these.
    pub(crate) fn of(
        &mut self,
        path: &str,
        before: &str,
        after: &str,
        diff: &TextDiff<'_>,
    ) -> Result<Vec<String>, ToolError> {
        if before.is_empty() || before == after {
            return Ok(Vec::new());
        }
        let mut warnings = self.placeholders(path, before, after, diff)?;
        warnings.extend(self.syntax(path, before, after)?);
        Ok(warnings)
    }

    fn placeholders(
        &self,
        path: &str,
        before: &str,
        after: &str,
        diff: &TextDiff<'_>,
    ) -> Result<Vec<String>, ToolError> {
        let found = match self.rules.placeholders {
            Strictness::Off => Vec::new(),
            Strictness::Warn | Strictness::Refuse => placeholders(before, after, diff),
        };
        let Some(first) = found
            .first()
            .filter(|_| self.rules.placeholders == Strictness::Refuse)
        else {
            let shown = found.iter().take(PLACEHOLDERS_SHOWN);
            return Ok(shown.map(|placeholder| placeholder.warning(path)).collect());
        };
        let message = format!(
            "`{path}` was not changed: line {} of the new text, `{}`, is a placeholder, but placeholders are not expanded: {} would be lost. \
             Write the full text, or edit only the part that changes.",
            first.line,
            first.text,
            counted(first.lost as u64, "line", "lines")
        );
        let lines: Vec<usize> = found.iter().map(|placeholder| placeholder.line).collect();
        Err(ToolError::new(ErrorCode::Placeholder, message)
            .with("path", path)
            .with("lines", lines))
    }

    fn syntax(
        &mut self,
        path: &str,
        before: &str,
        after: &str,
    ) -> Result<Option<String>, ToolError> {
        if self.rules.syntax == Strictness::Off {
            return Ok(None);
        }
        let began = Instant::now();
        let budget = Budget {
            max_bytes: limits::SYNTAX_MAX_BYTES,
            max_time: self.time,
        };
        let broken = breakage(path, before, after, budget);
        self.time = self.time.saturating_sub(began.elapsed());
        let Some(broken) = broken else {
            return Ok(None);
        };
        let places = places(&broken);
        let language = broken.language;
        let state = if broken.was_sound {
            match broken.places.len() {
                1 => "has a new syntax error",
                _ => "has new syntax errors",
            }
        } else {
            "has more syntax errors than before"
        };
        if self.rules.syntax == Strictness::Warn {
            return Ok(Some(format!("`{path}` {state}: {places}.")));
        }
        let message = format!(
            "`{path}` was not changed: after this change it {state}: {places}. Fix the text and repeat the call."
        );
        let lines: Vec<usize> = broken.places.iter().map(|place| place.line).collect();
        Err(ToolError::new(ErrorCode::BrokenSyntax, message)
            .with("path", path)
            .with("language", language.name())
            .with("lines", lines))
    }
}

/// `line 3, `{` is not closed; line 9, …`.
fn places(broken: &Breakage) -> String {
    let places = broken
        .places
        .iter()
        .map(|place| format!("line {}, {}", place.line, place.what));
    places.collect::<Vec<_>>().join("; ")
}

/// A new line that stands for text, where text is gone.
struct Placeholder<'t> {
    /// In the new text, counted from 1.
    line: usize,
    text: &'t str,
    /// Lines of the old text that are gone around it.
    lost: usize,
}

impl Placeholder<'_> {
    fn warning(&self, path: &str) -> String {
        let Self { line, text, lost } = self;
        format!(
            "Line {line} of `{path}`, `{text}`, is a placeholder, but placeholders are not expanded: {} lost. \
             Write the full text, or edit only the part that changes.",
            counted(*lost as u64, "line was", "lines were")
        )
    }
}

fn placeholders<'t>(before: &str, after: &'t str, diff: &TextDiff<'_>) -> Vec<Placeholder<'t>> {
    let changes = diff.changes();
    let mut gone: BTreeMap<usize, usize> = BTreeMap::new();
    let mut gone = |index: usize| {
        *gone.entry(index).or_insert_with(|| {
            let lost = changes
                .get(index)
                .and_then(|change| before.get(change.before_bytes.clone()));
            let lines = lost.into_iter().flat_map(str::lines);
            lines
                .filter(|line| !line.trim().is_empty() && !is_placeholder(line))
                .count()
        })
    };
    let mut found = Vec::new();
    let mut left = limits::PLACEHOLDER_MAX_LINES;
    for (index, change) in changes.iter().enumerate() {
        let new = after.get(change.after_bytes.clone()).unwrap_or_default();
        let looked_at = left.min(change.after_lines.len());
        left -= looked_at;
        for (line, text) in new
            .lines()
            .enumerate()
            .take(looked_at)
            .filter(|(_, text)| is_placeholder(text))
        {
            // Equal lines, such as a brace, may part the line from what it stands for.
            let lost = gone(index) + gone(index + 1) + index.checked_sub(1).map_or(0, &mut gone);
            if lost > 0 {
                let line = change.after_lines.start + line + 1;
                found.push(Placeholder {
                    line,
                    text: text.trim(),
                    lost,
                });
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn review(
        rules: EditRules,
        path: &str,
        before: &str,
        after: &str,
    ) -> Result<Vec<String>, ToolError> {
        Review::new(rules).of(path, before, after, &TextDiff::new(before, after))
    }

    const OFF: EditRules = EditRules {
        require_read: false,
        syntax: Strictness::Off,
        placeholders: Strictness::Off,
    };

    #[test]
    fn what_the_rules_do_not_look_at_is_not_looked_at() {
        let reported = review(OFF, "a.js", "a()\nb()\n", "a(\n// ... existing code ...\n").unwrap();
        assert_eq!(reported, Vec::<String>::new());
    }

    #[test]
    fn a_placeholder_beside_lost_lines_is_reported_and_one_that_loses_nothing_is_not() {
        let rules = EditRules::default();
        let before = "one\ntwo\nthree\n";
        let reported = review(rules, "a.txt", before, "one\n// ... existing code ...\n").unwrap();
        assert_eq!(
            reported,
            [
                "Line 2 of `a.txt`, `// ... existing code ...`, is a placeholder, but placeholders are not expanded: \
                 2 lines were lost. Write the full text, or edit only the part that changes."
            ]
        );
        let added = "one\ntwo\n// ... existing code ...\nthree\n";
        assert_eq!(
            review(rules, "a.txt", before, added).unwrap(),
            Vec::<String>::new()
        );
    }

    #[test]
    fn a_refusal_names_the_place_for_programs_too() {
        let strict = EditRules {
            syntax: Strictness::Refuse,
            placeholders: Strictness::Refuse,
            ..OFF
        };
        let error = review(strict, "a.js", "a()\n", "a(\n").unwrap_err();
        assert_eq!(
            (error.code, error.message.as_str()),
            (
                ErrorCode::BrokenSyntax,
                "`a.js` was not changed: after this change it has a new syntax error: line 1, `(` is not closed. \
                 Fix the text and repeat the call."
            )
        );
        assert_eq!(error.details.get("lines"), Some(&serde_json::json!([1])));
        let error = review(strict, "a.js", "a()\nb()\n", "// rest unchanged\n").unwrap_err();
        assert_eq!(error.code, ErrorCode::Placeholder);
    }

    #[test]
    fn a_call_whose_time_is_up_is_not_held_up() {
        let mut review = Review::new(EditRules::default());
        review.time = Duration::ZERO;
        let (before, after) = ("a()\n", "a(\n");
        let reported = review
            .of("a.js", before, after, &TextDiff::new(before, after))
            .unwrap();
        assert_eq!(reported, Vec::<String>::new());
    }
}
