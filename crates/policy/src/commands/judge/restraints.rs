//! Rules with options that restrain a program: `Bash(bash -n:*)`, `Bash(git push --dry-run:*)`. They say that nothing more happens,
//! so that a word further on must not take that back.

use tenon_programs::{Effects, Program, Traits, parse};
use tenon_shell::Word;

/// How the option is called that only says what would happen.
const DRY_RUN: [&str; 2] = ["n", "dry-run"];

/// Whether what stands behind the words of a rule leaves its options in force.
pub(crate) fn keeps_restraints(rule: &[String], words: &[Word], program: Option<&Program>) -> bool {
    let options: Vec<&str> = rule
        .iter()
        .skip(1)
        .map(String::as_str)
        .filter(|word| word.starts_with('-') && word.len() > 1)
        .collect();
    if options.is_empty() {
        return true;
    }
    let behind = words.get(rule.len()..).unwrap_or_default();
    // `tsc --noEmit false` takes the last option of the rule back.
    let ends_in_option = rule.last().is_some_and(|word| word.starts_with('-'));
    let first = behind.first().and_then(Word::literal);
    if ends_in_option && matches!(first, Some("false" | "no" | "off" | "0")) {
        return false;
    }
    let mut texts = behind.iter().map(Word::prefix);
    !program.is_some_and(|program| changes_in_place(behind, program))
        && !texts.any(|text| options.iter().any(|option| lifts(&text, option, program)))
}

/// Whether a word takes an option back, or leads around it.
fn lifts(text: &str, option: &str, program: Option<&Program>) -> bool {
    let name = option.split_once('=').map_or(option, |(name, _)| name);
    let plain = name.trim_start_matches('-');
    if let Some(negated) = text.strip_prefix("--no-") {
        let is_dry_run = |name: &str| DRY_RUN.contains(&name);
        return negated == plain || is_dry_run(plain) && is_dry_run(negated);
    }
    // Given again with another value: the last one counts.
    let given = text.split_once('=').map_or(text, |(given, _)| given);
    if name.starts_with("--") && given == name && text != option {
        return true;
    }
    // `set -n` and `set +n`.
    let is_shell = program.is_some_and(|program| program.is(Traits::SHELL));
    if is_shell && text.starts_with('+') && plain.chars().nth(1).is_none() && text.contains(plain) {
        return true;
    }
    // What only checks code runs some where another option names it.
    let checks = program.is_some_and(|program| program.does(plain, Effects::CHECKS));
    checks && text.starts_with('-') && text.len() > 1
}

/// Whether one of the words is the option with which a program changes files instead of showing what it would change.
fn changes_in_place(words: &[Word], program: &Program) -> bool {
    let given = parse(program.options, words).options;
    let mut given = given.iter().filter(|given| given.known);
    given.any(|given| program.does(given.name, Effects::IN_PLACE))
}
