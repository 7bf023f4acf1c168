//! What may be wrong with a change of a text: lines that stand for text instead of being it, and syntax that the
//! change broke. Every operation that changes text has its changes looked at here, before they are made.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use tenon_contract::{ErrorCode, ToolError, counted, limits};
use tenon_edit::TextDiff;
use tenon_syntax::{Breakage, Budget, Language, breakage};

use crate::aside::Aside;
use crate::placeholder::is_placeholder;
use crate::session::{EditRules, Strictness};

/// Most placeholders of one file that are reported.
const PLACEHOLDERS_SHOWN: usize = 5;

/// A text from which on reading it takes longer than waking a thread.
const LONG_BYTES: usize = 2048;

/// One call's look at its changes: warnings where the rules warn, a refusal where they refuse. The syntax is read by other threads
/// meanwhile.
#[derive(Default)]
pub(crate) struct Review {
    rules: EditRules,
    /// What reading the syntax of each file found.
    syntax: Option<Aside<Option<Broken>>>,
    /// When the call does not wait any longer for it. Set when it begins to wait.
    until: Arc<OnceLock<Instant>>,
}

/// A file that parses less well after a change.
struct Broken {
    path: String,
    breakage: Breakage,
}

impl Review {
    /// By the rules of the session.
    pub(crate) fn new(rules: EditRules) -> Self {
        Self {
            rules,
            ..Self::default()
        }
    }

    /// Looks at the change of a file that exists: a new one broke nothing, and stands for nothing else. What is known at once comes back;
    /// of the syntax [`permits`](Self::permits) and [`warnings`](Self::warnings) know.
    ///
    /// # Errors
    /// [`ErrorCode::Placeholder`] where the rules refuse these.
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
        let warnings = self.placeholders(path, before, after, diff)?;
        self.read(path, before, after);
        Ok(warnings)
    }

    /// Whether the rules permit the changes of all files, which is asked before they are made.
    ///
    /// # Errors
    /// [`ErrorCode::BrokenSyntax`] where the rules refuse that.
    pub(crate) fn permits(&mut self) -> Result<(), ToolError> {
        if self.rules.syntax != Strictness::Refuse {
            return Ok(());
        }
        let broken = self.broken().into_iter().next();
        broken.map_or(Ok(()), |broken| Err(broken.refusal()))
    }

    /// What the reading of the syntax found, which can wait until the changes are made.
    pub(crate) fn warnings(mut self) -> Vec<String> {
        let broken = self.broken().into_iter();
        broken.map(|broken| broken.warning()).collect()
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

    /// Has the syntax of a change read.
    fn read(&mut self, path: &str, before: &str, after: &str) {
        let is_known = Language::of(path).is_some() && after.len() <= limits::SYNTAX_MAX_BYTES;
        if self.rules.syntax == Strictness::Off || !is_known {
            return;
        }
        let until = Arc::clone(&self.until);
        let texts = (path.to_owned(), before.to_owned(), after.to_owned());
        let reading = move || {
            let (path, before, after) = texts;
            let budget = Budget {
                max_bytes: limits::SYNTAX_MAX_BYTES,
                max_time: until.get().map_or(limits::SYNTAX_MAX_TIME, |until| {
                    until.saturating_duration_since(Instant::now())
                }),
            };
            if budget.max_time.is_zero() {
                return None;
            }
            let breakage = breakage(&path, &before, &after, budget)?;
            Some(Broken { path, breakage })
        };
        let syntax = self.syntax.get_or_insert_with(Aside::new);
        syntax.give(after.len() >= LONG_BYTES, reading);
    }

    /// The files that a change broke, in the order in which they were looked at.
    fn broken(&mut self) -> Vec<Broken> {
        let Some(mut syntax) = self.syntax.take() else {
            return Vec::new();
        };
        self.until
            .get_or_init(|| Instant::now() + limits::SYNTAX_MAX_TIME);
        syntax.answers().into_iter().flatten().collect()
    }
}

impl Broken {
    fn state(&self) -> &'static str {
        match (self.breakage.was_sound, self.breakage.places.len()) {
            (true, 1) => "has a new syntax error",
            (true, _) => "has new syntax errors",
            (false, _) => "has more syntax errors than before",
        }
    }

    fn warning(&self) -> String {
        let places = places(&self.breakage);
        format!("`{}` {}: {places}.", self.path, self.state())
    }

    fn refusal(self) -> ToolError {
        let message = format!(
            "`{}` was not changed: after this change it {}: {}. Fix the text and repeat the call.",
            self.path,
            self.state(),
            places(&self.breakage)
        );
        let places = self.breakage.places.iter();
        let lines: Vec<usize> = places.map(|place| place.line).collect();
        ToolError::new(ErrorCode::BrokenSyntax, message)
            .with("path", self.path)
            .with("language", self.breakage.language.name())
            .with("lines", lines)
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
        let mut review = Review::new(rules);
        let mut reported = review.of(path, before, after, &TextDiff::new(before, after))?;
        review.permits()?;
        reported.extend(review.warnings());
        Ok(reported)
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
        review.until.set(Instant::now()).unwrap();
        let (before, after) = ("a()\n", "a(\n");
        let change = TextDiff::new(before, after);
        let reported = review.of("a.js", before, after, &change).unwrap();
        assert_eq!(reported, Vec::<String>::new());
        assert_eq!(review.warnings(), Vec::<String>::new());
    }

    #[tokio::test]
    async fn the_files_of_a_call_are_reported_in_their_order_on_any_thread() {
        let rules = |syntax| EditRules { syntax, ..OFF };
        let lines = LONG_BYTES / "a()\n".len();
        let long = "a()\n".repeat(lines);
        let looked = |syntax| {
            let mut review = Review::new(rules(syntax));
            let patient = Instant::now() + std::time::Duration::from_secs(600);
            review.until.set(patient).unwrap();
            for number in 0..20 {
                let path = format!("{number}.js");
                let before = if number % 2 == 0 { "a()\n" } else { &long };
                let after = format!("{before}b(\n");
                let diff = TextDiff::new(before, &after);
                review.of(&path, before, &after, &diff).unwrap();
            }
            review
        };
        let expected = (0..20).map(|number| {
            let line = if number % 2 == 0 { 2 } else { lines + 1 };
            format!("`{number}.js` has a new syntax error: line {line}, `(` is not closed.")
        });
        let mut warned = looked(Strictness::Warn);
        warned.permits().unwrap();
        assert_eq!(warned.warnings(), expected.collect::<Vec<_>>());
        let refused = looked(Strictness::Refuse).permits().unwrap_err();
        assert_eq!(
            refused.details.get("path"),
            Some(&serde_json::json!("0.js"))
        );
    }
}
