//! Rules with options that restrain a program: `Bash(bash -n:*)`, `Bash(git push --dry-run:*)`. They say that nothing more happens,
//! so that a word further on must not take that back.

use std::borrow::Cow;

use tenon_programs::words::restraints::TAKEN_BACK;
use tenon_programs::{Effects, Program, Traits, parse};
use tenon_shell::Word;

use crate::program_names::base_name;

/// How the option is called that only says what would happen.
const DRY_RUN: [&str; 2] = ["n", "dry-run"];

/// Whether what stands behind the words of a rule leaves its options in force, those of a program behind a runner or wrapper as well:
/// `npx prettier --check`.
pub(crate) fn keeps_restraints(rule: &[String], words: &[Word]) -> bool {
    if !rule.iter().skip(1).any(|word| is_option(word)) {
        return true;
    }
    let places = rule.iter().enumerate().filter(|(_, word)| !is_option(word));
    let mut programs = places.filter_map(|(place, word)| {
        let name = base_name(word);
        let name = name.split_once('@').map_or(name, |(name, _)| name);
        let program = tenon_programs::find(tenon_shell::facts_name(name));
        (place == 0 || program.is_some()).then_some((place, program))
    });
    programs.all(|(place, program)| {
        let rule = rule.get(place..).unwrap_or_default();
        let words = words.get(place..).unwrap_or_default();
        keeps_own(rule, words, program)
    })
}

fn is_option(word: &str) -> bool {
    word.starts_with('-') && word.len() > 1
}

/// The same for the options of one program.
fn keeps_own(rule: &[String], words: &[Word], program: Option<&Program>) -> bool {
    let options = rule.iter().skip(1).map(String::as_str);
    let options: Vec<&str> = options.filter(|word| is_option(word)).collect();
    let behind = words.get(rule.len()..).unwrap_or_default();
    let texts: Vec<_> = behind.iter().map(Word::prefix).collect();
    // `tsc --noEmit false` takes the last option of the rule back, and so does another one of the same name.
    let last = rule.last().filter(|word| is_option(word));
    let before = last.map(|word| Cow::Borrowed(word.as_str()));
    let given = before
        .iter()
        .chain(&texts)
        .zip(texts.iter().skip(usize::from(last.is_none())));
    let switched_off = { given }.any(|(option, value)| {
        matches!(&**value, "false" | "no" | "off" | "0")
            && options.iter().any(|own| is_same(own, option))
    });
    !switched_off
        && !program.is_some_and(|program| changes_in_place(behind, program))
        && !texts.iter().any(|text| {
            { options.iter() }.any(|option| lifts(text, option, program))
                || is_taken_back(rule, &options, text)
        })
}

/// Whether two options have the same long name, however many dashes and capitals it has.
fn is_same(one: &str, other: &str) -> bool {
    let plain = |option: &str| option.trim_start_matches('-').to_ascii_lowercase();
    is_option(one) && is_option(other) && plain(one) == plain(other)
}

/// Whether the table says that this word takes one of the options of a rule back.
fn is_taken_back(rule: &[String], options: &[&str], text: &str) -> bool {
    TAKEN_BACK.iter().any(|row| {
        let mut columns = row.split(" | ").map(str::split_whitespace);
        let mut column = || columns.next().into_iter().flatten();
        let (command, mut restraints, mut by) = (column(), column(), column());
        rule.len() > command.clone().count()
            && command.zip(rule).all(|(own, word)| own == word)
            && restraints.any(|restraint| options.contains(&restraint))
            && by.any(|by| is_given(text, by))
    })
}

/// Whether a word is this one, or this option: a letter in a cluster, a long name perhaps abbreviated and with a value.
fn is_given(text: &str, wanted: &str) -> bool {
    let given = text.split_once('=').map_or(text, |(given, _)| given);
    match (wanted.strip_prefix("--"), wanted.strip_prefix('-')) {
        (Some(_), _) => given.len() > 4 && given.starts_with("--") && wanted.starts_with(given),
        (None, Some(letter)) => {
            let letters = text
                .strip_prefix('-')
                .filter(|letters| !letters.starts_with('-'));
            letters.is_some_and(|letters| letters.contains(letter))
        }
        (None, None) => text == wanted,
    }
}

/// Whether a word takes an option back, or leads around it.
fn lifts(text: &str, option: &str, program: Option<&Program>) -> bool {
    let name = option.split_once('=').map_or(option, |(name, _)| name);
    let plain = name.trim_start_matches('-');
    if let Some(negated) = text.strip_prefix("--no-") {
        let is_dry_run = |name: &str| DRY_RUN.contains(&name);
        return negated == plain || is_dry_run(plain) && is_dry_run(negated);
    }
    let given = text.split_once('=').map_or(text, |(given, _)| given);
    let negates = plain.strip_prefix("no-");
    if negates.is_some_and(|positive| given.strip_prefix("--") == Some(positive)) {
        return true;
    }
    // Given again with another value: the last one counts.
    if name.len() > 2 && given == name && text != option {
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
    let mut given = given.iter().filter(|given| given.is_known());
    given.any(|given| program.does(given.name, Effects::IN_PLACE))
}
