//! Programs that do by themselves what a rule on another one is about: `gt submit` and `git lfs push` push, as `git push` does.

use tenon_programs::{Catalogue, CommandTraits, Effects, Traits};
use tenon_shell::{Command, Invocation, Span, Word, invocation_by};

use crate::command_pattern::Fit;
use crate::commands::judge::deny_rules;
use crate::commands::words::options::is_option;
use crate::rule::Rule;
use crate::rules::RuleSet;

/// What a row says of the programs, subcommands and options that do the same as a command.
struct Deed {
    program: Traits,
    command: CommandTraits,
    option: Effects,
    /// The command.
    words: [&'static str; 2],
}

const DEEDS: &[Deed] = &[
    Deed {
        program: Traits::PUSHES,
        command: CommandTraits::PUSHES,
        option: Effects::PUSHES,
        words: ["git", "push"],
    },
    Deed {
        program: Traits::PUBLISHES,
        command: CommandTraits::PUBLISHES,
        option: Effects::NONE,
        words: ["npm", "publish"],
    },
    Deed {
        program: Traits::NONE,
        command: CommandTraits::APPLIES,
        option: Effects::NONE,
        words: ["terraform", "apply"],
    },
];

/// The rule that denies or asks for such a command, where one of these commands does the same.
pub(crate) fn rule<'e>(
    rules: &'e RuleSet,
    catalogue: &Catalogue,
    invocation: &Invocation,
) -> Option<&'e Rule> {
    let mut deeds = DEEDS.iter();
    deeds.find_map(|deed| deed.rule(rules, catalogue, invocation))
}

impl Deed {
    fn rule<'e>(
        &self,
        rules: &'e RuleSet,
        catalogue: &Catalogue,
        invocation: &Invocation,
    ) -> Option<&'e Rule> {
        let places = rules.strict.of(self.words[0]);
        let mut chain = invocation.chain().into_iter();
        if places.is_empty() || !chain.any(|command| self.is_done_by(command)) {
            return None;
        }
        let words = self
            .words
            .map(|text| Word::synthetic(text, Span::new(0, 0)));
        let same = invocation_by(catalogue, None, &Command::of(words.to_vec()))?;
        let mut rules = places.iter().filter_map(|place| rules.rules.get(*place));
        rules.find(|rule| deny_rules::fit(rule, &same) == Fit::Yes)
    }

    /// Whether the row of a program says that this command does it.
    fn is_done_by(&self, invocation: &Invocation) -> bool {
        let Some(program) = invocation.program() else {
            return false;
        };
        let all = program.options_do.with(program.commands_do);
        let may = program.is(self.program)
            || program.commands_are.has(self.command)
            || all.has(self.option);
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
        program.is(self.program)
            || command.is_some_and(|command| command.is(self.command))
            || options.any(|option| option.effects.has(self.option) && given(option.name))
    }
}
