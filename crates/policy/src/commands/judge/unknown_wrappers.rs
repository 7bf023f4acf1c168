//! Programs that are not known and may run what their arguments say, as new wrappers do every year.

use std::cell::OnceCell;

use tenon_programs::words::wrappers::{MANAGEMENT, RUNNING, STARTING_SHELLS};
use tenon_programs::{Catalogue, Traits};
use tenon_shell::{Command, Invocation, Word, invocation_by, is_shell};

use crate::command_pattern::Fit;
use crate::commands::judge::deny_rules;
use crate::parsed::{Readings, parse};
use crate::program_names::base_name;
use crate::rule::Rule;
use crate::rules::RuleSet;

fn runs_something(command: &Invocation) -> bool {
    let words = command.words.iter().skip(1).filter_map(Word::literal);
    let mut own = words
        .filter(|word| !word.starts_with('-'))
        .take(3)
        .enumerate();
    own.any(|(place, word)| RUNNING.contains(&word) || (place == 0 && word == "x"))
}

/// How many words in front are the program itself and its own command.
fn own_words(command: &Invocation) -> usize {
    if !command.is(Traits::MANAGES) {
        return 1;
    }
    let manages = |word: &&Word| {
        word.literal()
            .is_some_and(|word| MANAGEMENT.contains(&word))
    };
    let behind = command.words.iter().skip(1);
    behind.take_while(manages).count() + 2
}

/// The rule that denies or asks for what the arguments of an unknown program may run: words that begin with the name
/// of a command, or one word that is a command text.
pub(crate) fn rule<'e>(
    rules: &'e RuleSet,
    catalogue: &Catalogue,
    invocation: &Invocation,
) -> Option<&'e Rule> {
    let known = |command: &Invocation| {
        let runs = || command.is(Traits::RUNS_BY_COMMAND) && runs_something(command);
        !command.inner.is_empty()
            || command.base_name().is_none()
            || command.is(Traits::ARGUMENTS_ARE_DATA) && !runs()
    };
    let chain = invocation.chain();
    let unknown = chain.iter().find(|command| !known(command))?;
    let words: Vec<Argument<'_>> = (own_words(unknown)..unknown.words.len())
        .filter_map(|place| Argument::new(unknown.words.get(place..)?))
        .collect();
    rules.strict_on_commands().find(|rule| {
        let name = rule.command().and_then(|pattern| pattern.words.first());
        name.is_some_and(|name| {
            let letters = letters(name);
            words.iter().any(|word| {
                letters & !word.letters == 0
                    && word.text.contains(name.as_str())
                    && word.runs(rule, catalogue)
            })
        })
    })
}

/// The rule that denies or asks for what one of these texts runs, which a program that takes its input for commands is given:
/// `ssh host`, `docker exec -i c sh`.
pub(crate) fn fed_rule<'e>(
    rules: &'e RuleSet,
    catalogue: &Catalogue,
    invocation: &Invocation,
    texts: impl FnOnce() -> Vec<String>,
) -> Option<&'e Rule> {
    let chain = invocation.chain();
    let words = chain.iter().flat_map(|command| command.words.iter());
    let mut names = words.filter_map(Word::literal);
    let starts_shell = |name: &str| is_shell(name) || STARTING_SHELLS.contains(&name);
    if !names.any(|name| starts_shell(base_name(name))) {
        return None;
    }
    let texts = texts();
    let readings = texts.iter().map(|text| parse(text, catalogue, None));
    let readings: Vec<Readings> = readings.collect();
    let mut rules = rules.strict_on_commands();
    rules.find(|rule| {
        let mut texts = readings.iter().flat_map(|text| text.iter());
        let is_it = |command: &Invocation| deny_rules::fit(rule, command) == Fit::Yes;
        rule.command().is_some() && texts.any(|read| read.commands().any(is_it))
    })
}

/// An argument that may be, or begin, what the program runs.
struct Argument<'w> {
    text: &'w str,
    /// It and the arguments behind it.
    words: &'w [Word],
    /// Which bytes occur in it, as a coarse filter.
    letters: u64,
    /// The commands of its text as shells read it, once they are asked for.
    readings: OnceCell<Readings>,
    /// The command that begins here, once it is asked for.
    invocation: OnceCell<Option<Invocation>>,
}

impl<'w> Argument<'w> {
    fn new(words: &'w [Word]) -> Option<Self> {
        let text = words.first()?.literal()?;
        Some(Self {
            text,
            words,
            letters: letters(text),
            readings: OnceCell::new(),
            invocation: OnceCell::new(),
        })
    }

    /// Whether a command that `rule` is about begins here, or stands in the text.
    fn runs(&self, rule: &Rule, catalogue: &Catalogue) -> bool {
        // `--entrypoint=rm`: with which arguments is not known.
        if let Some((option, value)) = self.text.split_once('=')
            && option.trim_start_matches('-').ends_with("entrypoint")
            && let Some(pattern) = rule.command()
            && let Some(name) = pattern.words.first()
            && base_name(value) == name.as_str()
        {
            return true;
        }
        if let Some(pattern) = rule.command()
            && pattern.fit(Some(base_name(self.text)), self.words) == Fit::Yes
        {
            return true;
        }
        let is_it = |command: &Invocation| deny_rules::fit(rule, command) == Fit::Yes;
        if self.text.contains([' ', '\t', '\n', ';']) {
            let readings = self
                .readings
                .get_or_init(|| parse(self.text, catalogue, None));
            return readings.iter().any(|read| read.commands().any(is_it));
        }
        // The same command with options in front, or by another name: `git -C . push`, `npm i`.
        let invocation = self
            .invocation
            .get_or_init(|| invocation_by(catalogue, None, &Command::of(self.words.to_vec())));
        let chain = invocation.iter().flat_map(Invocation::chain);
        chain.into_iter().any(is_it)
    }
}

/// One bit for each byte that occurs: a text without one of the bits of a name does not hold the name.
fn letters(text: &str) -> u64 {
    text.bytes()
        .fold(0, |letters, byte| letters | 1 << (byte & 63))
}
