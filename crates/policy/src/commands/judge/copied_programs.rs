//! Programs of the machine that a command gives another name: `cp /bin/rm x` is followed by `./x`, which no rule on `rm` sees.

use tenon_shell::{Invocation, Word};

use crate::commands::resolve::text_facts::TextFacts;
use crate::program_names::{name_of, system_name};
use crate::rule::Rule;
use crate::rules::RuleSet;

/// Programs that give what they read a new name.
const COPYING: &[&str] = &["cat", "cp", "dd", "install", "link", "ln", "mv", "rsync"];

/// Programs that give out what they are given, or most of it.
const PASSING: &[&str] = &[
    "awk", "cat", "cp", "dd", "head", "install", "pv", "sed", "sponge", "tail", "tee",
];

/// Whether this command gives what it reads a new name.
pub(crate) fn copies(command: &Invocation) -> bool {
    let base = command.base_name();
    base.is_some_and(|base| COPYING.contains(&base))
}

/// Whether a command of these words gives out what it is given.
pub(crate) fn passes_on(words: &[Word]) -> bool {
    name_of(words).is_some_and(|name| PASSING.contains(&name))
}

/// The rule that denies or asks for a program that this command copies.
pub(crate) fn rule<'e>(
    rules: &'e RuleSet,
    invocation: &Invocation,
    (text, facts): (usize, &TextFacts),
) -> Option<&'e Rule> {
    if rules.strict.all().is_empty() {
        return None;
    }
    let chain = invocation.chain();
    let copying = chain.iter().find(|command| copies(command))?;
    let words = copying.words.iter().skip(1);
    let copied: Vec<Word> = words
        .flat_map(|word| match word.literal() {
            Some(_) => vec![word.clone()],
            None => facts.beginnings(text, word),
        })
        .collect();
    let programs = copied.iter().filter_map(Word::literal);
    let programs = programs.map(|path| path.trim_start_matches("if="));
    let programs: Vec<&str> = programs.filter_map(system_name).collect();
    rules.strict_on_commands().find(|rule| {
        let name = rule.command().and_then(|pattern| pattern.words.first());
        name.is_some_and(|name| programs.contains(&name.as_str()))
    })
}
