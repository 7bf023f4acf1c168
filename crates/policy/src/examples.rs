//! The examples of a rule, verified when it is loaded: a rule that does not do what its author says is refused.

use crate::host::{Address, of_address};
use crate::paths::{ClaimPlaces, Root};
use crate::rule::{Pattern, Rule, RuleError, Subject};
use crate::rules::textual_claim;
use crate::verdict::Verdict;

/// Every example that the rule contradicts.
pub(crate) fn check(rule: &Rule) -> Vec<RuleError> {
    let wrong = |example: &String, what: &str| RuleError {
        list: rule.list.name(),
        index: rule.index,
        rule: rule.text.rule.clone(),
        at: 0,
        problem: format!("{what} its example `{example}`. Fix the rule or the example"),
    };
    let missed = rule
        .text
        .matches
        .iter()
        .filter(|example| !matches(rule, example));
    let hit = rule
        .text
        .no_matches
        .iter()
        .filter(|example| matches(rule, example));
    missed
        .map(|example| wrong(example, "does not match"))
        .chain(hit.map(|example| wrong(example, "matches, against its `noMatch`,")))
        .collect()
}

fn matches(rule: &Rule, example: &str) -> bool {
    match (&rule.pattern, &rule.subject) {
        (Pattern::Any, Subject::Foreign(_) | Subject::Exactly(_)) => rule
            .subject
            .names(tenon_contract::Operation::Foreign, example),
        (Pattern::Any, _) => true,
        (Pattern::Command(_), _) => crate::commands::examples::example_matches(rule, example),
        (Pattern::Path(glob), _) => {
            let claim = textual_claim(example);
            let root = Root::default();
            glob.matches(ClaimPlaces::new(&claim, &root).name())
        }
        (Pattern::Arguments(pattern), _) => {
            let arguments = crate::argument_pattern::of_example(example);
            match rule.list {
                Verdict::Allow => pattern.allows(&arguments),
                Verdict::Deny | Verdict::Ask => pattern.binds(&arguments),
            }
        }
        (Pattern::Name(pattern), _) => pattern.matches(example),
        (Pattern::Host(pattern), _) => {
            let host = match of_address(example) {
                Some(Address::Host(host)) => host,
                Some(Address::Unclear) => return rule.list != Verdict::Allow,
                None => example.to_owned(),
            };
            if rule.list == Verdict::Allow {
                pattern.allows(&host)
            } else {
                pattern.binds(&host)
            }
        }
    }
}
