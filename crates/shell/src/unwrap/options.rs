//! Options of subcommands of which only some matter: those that make a program run another one.

use std::borrow::Cow;

use smallvec::SmallVec;
use tenon_programs::{Argument as _, Effects, Given, Opt, OptionTable, Place, Program, parse};

use crate::span::Span;
use crate::word::Word;

/// The options of a program with one of these effects, and those of the subcommand that it is given.
pub(super) fn options_that(
    program: &Program,
    words: &[Word],
    effects: Effects,
) -> SmallVec<[&'static Opt; 8]> {
    let mut options: SmallVec<[&Opt; 8]> = program.options_that(effects).collect();
    if program.commands_do.has(effects)
        && let Some((command, _)) = program.command_of(words)
    {
        options.extend(command.options_that(effects));
    }
    options
}

/// Every word as the option that it would be, with the next one as its value. The value of an option that is a word of its own is
/// looked at as if it were an option: that errs on the side of asking.
pub(super) fn each_as_option<'w>(
    table: &'static [Opt],
    words: &'w [Word],
) -> impl Iterator<Item = Given<'w, Word>> {
    let places = words.iter().enumerate();
    let options = places.filter(|(_, word)| word.known_start().starts_with('-'));
    options.flat_map(move |(place, word)| {
        let with_next = words.get(place..words.len().min(place + 2));
        let given = parse(table, with_next.unwrap_or_default()).options;
        let own = given.into_iter();
        own.filter(move |given| std::ptr::eq(given.word, word))
    })
}

/// The first word that runs something, or may do so, by the options of a subcommand of which all are known: an option that runs
/// something, one that is not known, one whose name is not literal.
pub(super) fn find_running(options: &[Opt], words: &[Word]) -> Option<Span> {
    words
        .iter()
        .find(|word| runs(options, word))
        .map(|word| word.span)
}

/// The first word with an option that is known to run something, of a subcommand that may have options that are not known.
pub(super) fn find_known_running(options: &'static [Opt], words: &[Word]) -> Option<Span> {
    let running = each_as_option(options, words).find(|given| given.does(Effects::EXEC));
    running.map(|given| given.word.span)
}

fn runs(options: &[Opt], word: &Word) -> bool {
    if word.is_opaque() && word.expansion.braces && word.prefix().starts_with('{') {
        return true;
    }
    let parsed = parse(options, std::slice::from_ref(word));
    if !parsed.opaque.is_empty() && word.prefix().starts_with('-') {
        return true;
    }
    parsed.options.iter().any(|given| match given.is_known() {
        true => given.does(Effects::EXEC),
        false => !is_negation(options, given.name),
    })
}

/// Whether this switches an option off.
fn is_negation(options: &[Opt], name: &str) -> bool {
    let negated = name.strip_prefix("no-");
    negated.is_some_and(|negated| !options.long(negated, 2).is_empty())
}

/// The words in front of `--`, and those behind it where it stands there.
pub(crate) fn at_dashes(words: &[Word]) -> (&[Word], Option<&[Word]>) {
    let end = words.iter().position(|word| word.literal() == Some("--"));
    match end.and_then(|end| words.split_at_checked(end)) {
        Some((before, behind)) => (before, behind.get(1..)),
        None => (words, None),
    }
}

/// The value of an option; its own word where the value stands in that and cannot be determined.
pub(super) fn value_of(given: &Given<'_, Word>) -> Option<Word> {
    Some(match given.value? {
        Place::Next(word) => word.clone(),
        Place::Within(word, place) => match word.literal() {
            Some(text) => Word::synthetic(text.get(place..).unwrap_or_default(), word.span),
            None => word.clone(),
        },
    })
}

/// The text with which the value of an option surely begins.
pub(super) fn value_start<'w>(given: &Given<'w, Word>) -> Option<Cow<'w, str>> {
    Some(match given.value? {
        Place::Next(word) => word.prefix(),
        Place::Within(word, place) => match word.prefix() {
            Cow::Borrowed(text) => Cow::Borrowed(text.get(place..).unwrap_or_default()),
            Cow::Owned(text) => Cow::Owned(text.get(place..).unwrap_or_default().to_owned()),
        },
    })
}

/// The words of the name of an option, which capitals and these signs part: `--out-dir`, `--out_dir`, `--outDir`.
pub(crate) fn words_of(name: &str, is_sign: impl Fn(char) -> bool) -> Vec<String> {
    let mut words = vec![String::new()];
    for letter in name.chars() {
        if letter.is_ascii_uppercase() || is_sign(letter) {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| !is_sign(letter)) {
            word.extend(letter.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Whether this is one of the long options, perhaps abbreviated, perhaps with a value.
pub(super) fn is_long(given: &str, options: &[&str]) -> bool {
    let name = given.split('=').next().unwrap_or_default();
    !name.is_empty() && options.iter().any(|option| option.starts_with(name))
}
