//! What a user reads who is asked: what would happen, why that needs an answer, and which rule would give it.

use super::{Decision, PartDecision, PartKind, Why};
use crate::display::capital;
use crate::verdict::Verdict;

/// How many things that need an answer are named.
const MOST_NAMED: usize = 3;

impl Decision {
    /// What would happen, why it requires approval, and the smallest rules that would allow it, or that none would, in
    /// sentences for a user.
    #[must_use]
    pub fn explanation(&self) -> String {
        let decisive = || {
            self.parts
                .iter()
                .filter(|part| part.verdict == self.verdict)
        };
        let mut sentences: Vec<String> = decisive().take(MOST_NAMED).map(happening).collect();
        sentences.dedup();
        let more = decisive().count().saturating_sub(MOST_NAMED);
        if more > 0 {
            let things = if more == 1 { "thing" } else { "things" };
            sentences.push(format!("Does {more} other {things} that require approval."));
        }
        // That there are other parts is said already.
        let reason = decisive().next().map(why);
        sentences.push(reason.unwrap_or_else(|| self.reason.clone()));
        sentences.extend(self.way());
        sentences.join(" ")
    }

    /// The rule that would allow it, or that none would.
    fn way(&self) -> Option<String> {
        if self.verdict != Verdict::Ask || is_said(&self.reason) {
            return None;
        }
        let rules = self.suggestion();
        if !rules.is_empty() {
            let rules: Vec<String> = rules.iter().map(|rule| format!("`{rule}`")).collect();
            return Some(format!("Allowed by: {}.", rules.join(", ")));
        }
        let strict = self.matched.iter().find(|rule| rule.list != Verdict::Allow);
        Some(match strict {
            Some(rule) => format!("No allow rule overrides `{}`.", rule.rule),
            None => {
                "No rule for it is safe: approve this call, or choose another command.".to_owned()
            }
        })
    }
}

/// Whether a reason names a rule, or says that none is safe.
fn is_said(reason: &str) -> bool {
    reason.contains("no rule for it is safe") || reason.contains(" allows it.")
}

/// Why a part requires approval; what it is about was said before.
fn why(part: &PartDecision) -> String {
    if part.why == Why::Mode && part.verdict == Verdict::Ask {
        return "No rule allows it.".to_owned();
    }
    let reason = part.reason();
    let named = format!("`{}`", part.subject());
    match reason.strip_prefix(&named) {
        Some(rest) if rest.starts_with(": the ") => capital(rest.trim_start_matches(": ")),
        Some(rest) if rest.starts_with(": it ") => capital(rest.trim_start_matches(": ")),
        Some(rest) if rest.starts_with(' ') => format!("It{rest}"),
        _ => reason,
    }
}

/// What a part would do.
fn happening(part: &PartDecision) -> String {
    let subject = part.subject();
    let is_given = subject.starts_with("xargs ") || subject.contains("| xargs ");
    match part.kind {
        PartKind::Read if is_given => format!("Reads the files that `{subject}` is given."),
        PartKind::Write if is_given => format!("Writes the files that `{subject}` is given."),
        PartKind::Delete if is_given => format!("Deletes the files that `{subject}` is given."),
        PartKind::Tool => format!("Uses the tool `{subject}`."),
        PartKind::Command | PartKind::Directory => format!("Runs `{subject}`."),
        PartKind::Read => format!("Reads `{subject}`."),
        PartKind::Write => format!("Writes `{subject}`."),
        PartKind::Delete => format!("Deletes `{subject}`."),
        PartKind::Host => format!("Connects to `{subject}`."),
        PartKind::Name => format!("Uses `{subject}`."),
        PartKind::Variable => format!("Sets the variable `{subject}`."),
        PartKind::Unclear => "Runs a command that cannot be checked completely.".to_owned(),
    }
}
