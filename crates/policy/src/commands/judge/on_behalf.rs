//! Programs that do by themselves what a rule on another one is about: `gt submit` and `git lfs push` push, as `git push` does.

use tenon_programs::{Catalogue, CommandTraits, Effects, Traits};
use tenon_shell::{Command, Invocation, Span, Word, invocation_by};

use crate::command_pattern::Fit;
use crate::commands::judge::deny_rules;
use crate::commands::words::options::is_option;
use crate::rule::Rule;
use crate::rules::RuleSet;

/// The rule that denies or asks for `git push`, where one of these commands pushes.
pub(crate) fn rule<'e>(
    rules: &'e RuleSet,
    catalogue: &Catalogue,
    invocation: &Invocation,
) -> Option<&'e Rule> {
    if rules.strict.of("git").is_empty() || !invocation.chain().into_iter().any(pushes) {
        return None;
    }
    let word = |text| Word::synthetic(text, Span::new(0, 0));
    let push = Command::of(vec![word("git"), word("push")]);
    let push = invocation_by(catalogue, None, &push)?;
    let mut rules = rules
        .strict
        .of("git")
        .iter()
        .filter_map(|place| rules.rules.get(*place));
    rules.find(|rule| deny_rules::fit(rule, &push) == Fit::Yes)
}

/// Whether the row of a program says that this command pushes.
fn pushes(invocation: &Invocation) -> bool {
    let Some(program) = invocation.program() else {
        return false;
    };
    let may = program.is(Traits::PUSHES)
        || program.commands_are.has(CommandTraits::PUSHES)
        || program
            .options_do
            .with(program.commands_do)
            .has(Effects::PUSHES);
    if !may {
        return false;
    }
    let words = invocation.normalized_words();
    let arguments = words.get(1..).unwrap_or_default();
    let command = invocation.command().map(|(command, _)| command);
    let options = command.map_or(program.options, |command| command.options);
    let given = |name: &str| {
        let mut texts = arguments.iter().filter_map(Word::literal);
        texts.any(|text| is_option(text, name))
    };
    let mut options = options.iter();
    program.is(Traits::PUSHES)
        || command.is_some_and(|command| command.is(CommandTraits::PUSHES))
        || options.any(|option| option.effects.has(Effects::PUSHES) && given(option.name))
}
