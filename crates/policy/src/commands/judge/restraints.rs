//! Rules with options that restrain a program: `Bash(bash -n:*)`, `Bash(git push --dry-run:*)`. They say that nothing more happens,
//! so that a word further on must not take that back.

use tenon_programs::{Effects, Program, Traits};
use tenon_shell::Word;

/// How the option is called that only says what would happen, where a rule has its letter.
const DRY_RUN: [&str; 3] = ["-n", "--dry-run", "--dry_run"];

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
    let mut texts = behind.iter().map(Word::prefix);
    !texts.any(|text| {
        changes_in_place(&text, program)
            || options.iter().any(|option| lifts(&text, option, program))
    })
}

/// Whether a word takes an option back, or leads around it.
fn lifts(text: &str, option: &str, program: Option<&Program>) -> bool {
    let name = option.split_once('=').map_or(option, |(name, _)| name);
    let plain = name.trim_start_matches('-');
    if let Some(negated) = text.strip_prefix("--no-") {
        let dry_run = DRY_RUN.contains(&name) && DRY_RUN.iter().any(|own| own.ends_with(negated));
        return negated == plain || dry_run;
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

/// Whether a word has the option with which a program changes files instead of showing what it would change.
fn changes_in_place(text: &str, program: Option<&Program>) -> bool {
    let Some(program) = program.filter(|_| text.starts_with('-')) else {
        return false;
    };
    let mut options = program.options_that(Effects::IN_PLACE);
    options.any(|option| {
        let is_letter = option.name.chars().nth(1).is_none();
        if is_letter {
            !text.starts_with("--") && text.contains(option.name)
        } else {
            text.trim_start_matches('-').split('=').next() == Some(option.name)
        }
    })
}
