//! What a change of a file did to the findings in it.

use crate::diagnostics::report::{Finding, Report, Severity};

/// The errors and warnings that came and went.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Delta {
    /// Those that were not there before, at their places in the new text.
    pub new: Vec<Finding>,
    /// Those that are not there any more, at their places in the old text.
    pub gone: Vec<Finding>,
}

impl Delta {
    /// Between two reports on a file; without one before, everything is new.
    ///
    /// Lines move when a text changes, so a finding is known by what it says and by the text of its line, and where
    /// that changed as well, by what it says alone.
    #[must_use]
    pub fn between(before: Option<&Report>, after: &Report) -> Self {
        let mut old = before.map(findings).unwrap_or_default();
        let mut new = findings(after);
        let same_line = |one: &(&Finding, String), other: &(&Finding, String)| {
            says_same(one.0, other.0) && one.1 == other.1
        };
        drop_pairs(&mut old, &mut new, same_line);
        drop_pairs(&mut old, &mut new, |one, other| says_same(one.0, other.0));
        let reported = |left: Vec<(&Finding, String)>| {
            left.into_iter()
                .map(|(finding, _)| finding.clone())
                .collect()
        };
        Self {
            new: reported(new),
            gone: reported(old),
        }
    }
}

fn says_same(one: &Finding, other: &Finding) -> bool {
    (one.severity, &one.message, &one.source, &one.code)
        == (other.severity, &other.message, &other.source, &other.code)
}

/// Errors and warnings, each with its line.
fn findings(report: &Report) -> Vec<(&Finding, String)> {
    let counts =
        |finding: &&Finding| matches!(finding.severity, Severity::Error | Severity::Warning);
    let line = |finding: &Finding| {
        let line = report.text.line(finding.span.start.line);
        line.unwrap_or_default().trim().to_owned()
    };
    let found = report.findings.iter().filter(counts);
    found.map(|finding| (finding, line(finding))).collect()
}

/// Takes off both lists what is in both, each once.
fn drop_pairs<T>(old: &mut Vec<T>, new: &mut Vec<T>, is_same: impl Fn(&T, &T) -> bool) {
    old.retain(
        |before| match new.iter().position(|after| is_same(before, after)) {
            Some(at) => {
                new.remove(at);
                false
            }
            None => true,
        },
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::position::{LineText, Position, Span};
    use crate::server::unavailable::ServerStatus;

    fn report(text: &str, found: &[(u32, Severity, &str)]) -> Report {
        let finding = |(line, severity, message): &(u32, Severity, &str)| {
            let at = Position {
                line: *line,
                character: 0,
            };
            Finding {
                span: Span { start: at, end: at },
                severity: *severity,
                message: (*message).to_owned(),
                source: None,
                code: None,
            }
        };
        Report {
            servers: Vec::new(),
            status: ServerStatus::Ready,
            is_answered: true,
            blind: None,
            findings: found.iter().map(finding).collect(),
            text: LineText::new(text),
        }
    }

    type Lines<'a> = Vec<(u32, &'a str)>;

    fn reported(delta: &Delta) -> (Lines<'_>, Lines<'_>) {
        (
            delta
                .new
                .iter()
                .map(|finding| (finding.span.start.line, finding.message.as_str()))
                .collect(),
            delta
                .gone
                .iter()
                .map(|finding| (finding.span.start.line, finding.message.as_str()))
                .collect(),
        )
    }

    #[test]
    fn findings_that_only_moved_are_neither_new_nor_gone() {
        use Severity::{Error, Hint, Warning};
        let before = report("a\nb\n", &[(0, Error, "unknown"), (1, Warning, "unused")]);
        let after = report(
            "x\na\nb\n",
            &[
                (0, Hint, "hint"),
                (1, Error, "unknown"),
                (2, Warning, "unused"),
            ],
        );
        assert_eq!(Delta::between(Some(&before), &after), Delta::default());
    }

    #[test]
    fn of_several_that_say_the_same_the_one_on_a_new_line_is_new() {
        use Severity::Error;
        let before = report("a\nb\n", &[(1, Error, "unknown")]);
        let after = report("c\na\nb\n", &[(0, Error, "unknown"), (2, Error, "unknown")]);
        assert_eq!(
            reported(&Delta::between(Some(&before), &after)),
            (vec![(0, "unknown")], vec![])
        );
        assert_eq!(
            reported(&Delta::between(Some(&after), &before)),
            (vec![], vec![(0, "unknown")])
        );
    }

    #[test]
    fn another_line_with_the_same_fault_still_has_it() {
        use Severity::Error;
        let before = report("f(1)\n", &[(0, Error, "unknown"), (0, Error, "other")]);
        let after = report("f(2)\n", &[(0, Error, "unknown")]);
        assert_eq!(
            reported(&Delta::between(Some(&before), &after)),
            (vec![], vec![(0, "other")])
        );
        assert_eq!(
            reported(&Delta::between(None, &after)),
            (vec![(0, "unknown")], vec![])
        );
    }
}
