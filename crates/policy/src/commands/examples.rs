//! The examples of a rule on commands.

use tenon_shell::{ShellGrammar, examine};

use crate::command_pattern::Fit;
use crate::commands::judge::allow_rules::covers;
use crate::commands::judge::deny_rules::fit;
use crate::rule::Rule;
use crate::verdict::Verdict;

/// Whether a command rule matches an example text: for deny and ask any of its commands, for allow all of them.
pub(crate) fn example_matches(rule: &Rule, text: &str) -> bool {
    let examination = examine(text, ShellGrammar::Bash);
    if rule.list == Verdict::Allow {
        return examination.texts.first().is_some_and(|first| {
            let mut all = first.invocations.iter();
            first.error.is_none()
                && !first.invocations.is_empty()
                && all.all(|(_, invocation)| covers(rule, invocation, false))
        });
    }
    examination
        .commands()
        .any(|invocation| fit(rule, invocation) == Fit::Yes)
}
