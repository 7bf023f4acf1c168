//! Rules that deny or ask, against one command with all that it runs.

use smallvec::SmallVec;
use tenon_shell::Invocation;

use super::Walk;
use crate::command_pattern::Fit;
use crate::commands::ground::State;
use crate::commands::strict::{self, Others};
use crate::decision::Judgement;
use crate::rule::Rule;

/// What rules that deny or ask say of a command.
pub(super) struct StrictMatch<'e> {
    /// The rule that is about it.
    pub(super) matched: Option<&'e Rule>,
    /// One that may be.
    pub(super) perhaps: Option<&'e Rule>,
}

impl<'e> Walk<'_, 'e, '_> {
    /// The deny or ask rule on the command or on what it runs.
    pub(super) fn strict(
        &self,
        invocation: &Invocation,
        state: State,
        judgement: &mut Judgement<'e>,
    ) -> StrictMatch<'e> {
        let mut found = StrictMatch {
            matched: None,
            perhaps: None,
        };
        let chain = invocation.chain();
        let rules = &self.context.engine.rules;
        let left = &self.context.budget.listed;
        let others: SmallVec<[Others<'_>; 4]> = chain.iter().map(|_| Others::new(left)).collect();
        for place in strict::candidates(rules, &chain) {
            let Some(rule) = rules.rules.get(place) else {
                continue;
            };
            let each = chain.iter().zip(&others);
            let fits = each.map(|(command, others)| strict::fit_with(rule, command, others));
            match fits.max() {
                Some(Fit::Yes) => {
                    judgement.matched(rule);
                    // Deny rules come first.
                    found.matched.get_or_insert(rule);
                }
                Some(Fit::Perhaps) => drop(found.perhaps.get_or_insert(rule)),
                Some(Fit::No) | None => {}
            }
        }
        if found.matched.is_none() {
            match self.context.script_rule(&chain, state) {
                Some((rule, Fit::Yes)) => {
                    judgement.matched(rule);
                    found.matched = Some(rule);
                }
                Some((rule, _)) => drop(found.perhaps.get_or_insert(rule)),
                None => {}
            }
        }
        if let Some(rule) = found.perhaps.filter(|_| found.matched.is_none()) {
            judgement.matched(rule);
        }
        found
    }
}
