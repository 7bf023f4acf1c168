//! What the searches of one toolkit share.

use std::time::{Duration, Instant};

use tenon_contract::{ToolContext, limits};
use tenon_edit::shown_name;
use tenon_search::{Control, Facts, Index, Scope, hiding_rule};

/// How searches are done.
#[derive(Debug, Clone)]
pub struct SearchSettings {
    /// What makes searches quick from the second one on.
    pub index: Index,
    /// Whether searches stay on the file system that they begin on.
    pub same_file_system: bool,
    /// How long a call may take. A little before, a search answers what it has.
    pub time_limit: Duration,
}

impl Default for SearchSettings {
    fn default() -> Self {
        Self {
            index: Index::off(),
            same_file_system: false,
            time_limit: limits::CALL_TIMEOUT,
        }
    }
}

impl SearchSettings {
    /// When a search that begins now has to answer.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        let spared = (self.time_limit / 10).min(limits::SEARCH_ANSWER_RESERVE);
        Instant::now().checked_add(self.time_limit - spared)
    }
}

/// Until when a search without a result, which began at `started` and saw so much, may look for the reason.
pub(crate) fn explained_by(started: Instant, facts: &Facts) -> Option<Instant> {
    let is_small = facts.files_searched <= limits::SEARCH_EXPLAIN_SMALL_FILES;
    let least = if is_small {
        limits::SEARCH_EXPLAIN_SMALL_LEAST
    } else {
        limits::SEARCH_EXPLAIN_LEAST
    };
    let budget = (started.elapsed() / limits::SEARCH_EXPLAIN_PART)
        .clamp(least, limits::SEARCH_EXPLAIN_BUDGET);
    Instant::now().checked_add(budget)
}

/// Whether ignore files hide something that a search passed by.
pub(crate) const fn hides_some(facts: &Facts) -> bool {
    facts.files_ignored + facts.directories_ignored > 0
}

/// That what was looked for is only among what ignore files hide. Git may track such a file nevertheless.
pub(crate) fn only_hidden(scope: &Scope, path: &str) -> String {
    format!(
        "No match in the files that are searched, but `{}` matches; it is {}",
        shown_name(path),
        hiding(scope, path)
    )
}

/// What hides a file that ignore files hide: `ignored by ignore files`, or the line that does if that can be determined.
fn hiding(scope: &Scope, path: &str) -> String {
    let reported = hiding_rule(scope, path).and_then(|rule| {
        let source = rule.source.strip_prefix(&scope.base);
        let source = source.unwrap_or(&rule.source).to_string_lossy();
        let is_filtered_out = scope
            .path_filter
            .as_ref()
            .is_some_and(|path_filter| path_filter.excludes(&source));
        (!is_filtered_out).then(|| format!("ignored by `{source}` (`{}`)", rule.glob))
    });
    reported.unwrap_or_else(|| "ignored by an ignore file".to_owned())
}

/// The control of one search of a call.
pub(crate) fn control(context: &ToolContext, deadline: Option<Instant>) -> Control<'static> {
    Control {
        cancellation: Some(context.cancellation().clone()),
        deadline,
        ..Control::default()
    }
}
