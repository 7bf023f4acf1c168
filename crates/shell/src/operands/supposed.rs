//! What a program that is not known, or an option that its row does not have, is supposed to write: by names that say so.
//!
//! Only what leads out of the directory counts: within the workspace a rule that allows the program covers what it writes, and the name
//! of a denied file is seen wherever it stands.

use tenon_programs::words::outputs::{JOINED, KEPT, MADE_IN, MAKERS, OUTPUTS, PLACES, RUNNERS};
use tenon_programs::{Argument, Program, Traits, parse};

use super::arguments::{attached, knows_operands};
use super::file::{FileOperand, FileOperands, OperandWord};
use crate::home::HOME;
use crate::unwrap::options::{at_dashes, words_of};
use crate::word::{Part, Word};

/// Whose arguments are those of another program, or texts.
const OTHERS: Traits = Traits::LANGUAGE
    .with(Traits::SHELL)
    .with(Traits::SAYS_NOTHING)
    .with(Traits::RUNS_ARGUMENTS);

/// Adds what the names of options, and of the subcommand, say.
pub(super) fn add<'w>(program: Option<&Program>, words: &'w [Word], files: &mut FileOperands<'w>) {
    let Some((first, arguments)) = words.split_first() else {
        return;
    };
    let is_other = program.is_some_and(|program| {
        let passes_on = program.is(Traits::PASSES_ON) && !program.is(Traits::PROJECT_TOOL);
        passes_on || program.is(OTHERS) || program.wrapper.is_some()
    });
    if is_other || !arguments.iter().any(may_lead_out) {
        return;
    }
    let command = program.and_then(|program| program.command_of(arguments));
    let options = match (command, program) {
        (Some((command, _)), _) => command.options,
        (None, program) => program.map_or(&[][..], |program| program.options),
    };
    let makes = makes_something(first, program, arguments);
    let (own, _) = at_dashes(arguments);
    let mut write = |value: OperandWord<'w>| {
        if word_leads_out(&value) {
            files.push(FileOperand::written(value));
        } else if let Some(path) = leading_piece(&value) {
            let path = OperandWord::value(path, &value);
            files.push(FileOperand::written(path));
        }
    };
    // Where all operands are known, so are the options that matter; and behind `run` stand those of another program.
    let first = own.iter().find(|word| !word.known_start().starts_with('-'));
    let runs = first.is_some_and(|word| RUNNERS.contains(&word.known_start()));
    let is_sure =
        |program: &Program| knows_operands(program) || runs && program.is(Traits::PASSES_ON);
    let has_letter = !program.is_some_and(is_sure);
    for (place, word) in own.iter().enumerate() {
        let (option, value) = with_value(word, own.get(place + 1), has_letter);
        let Some(name) = option.strip_prefix('-') else {
            continue;
        };
        let name = name.trim_start_matches('-');
        let is_known = options.iter().any(|option| option.name == name);
        let is_written =
            is_output(name) || name == "o" && has_letter || makes && MADE_IN.contains(&name);
        if let Some(value) = value.filter(|_| !is_known && is_written) {
            write(value);
        }
    }
    if makes {
        // Of a program that is known in part, what stands behind an option that is not can be its value.
        let is_known = program.is_some_and(|program| program.operands.is_some());
        let operands = parse(options, arguments).operands.into_iter();
        operands
            .filter(|word| !(is_known && is_behind_option(arguments, word)))
            .for_each(|word| write(OperandWord::Argument(word)));
    }
}

/// An option and its value, in the same word or in the next one; behind the letter `-o` where that may have one.
fn with_value<'w>(
    word: &'w Word,
    next: Option<&'w Word>,
    has_letter: bool,
) -> (&'w str, Option<OperandWord<'w>>) {
    let text = word.known_start();
    let letter = behind_letter(text).filter(|_| has_letter);
    match (text.split_once('='), letter) {
        (Some((option, _)), _) => (option, Some(attached(word, text, option.len() + 1))),
        (None, Some(option)) => (option, Some(attached(word, text, option.len()))),
        (None, None) => (text, next.map(OperandWord::Argument)),
    }
}

fn is_behind_option(arguments: &[Word], word: &Word) -> bool {
    let place = arguments.iter().position(|own| std::ptr::eq(own, word));
    let before = place.and_then(|place| arguments.get(place.checked_sub(1)?));
    before.is_some_and(|word| word.prefix().starts_with('-') && !word.prefix().contains('='))
}

/// Whether it is a program, or a subcommand of which no more is known, whose name says that it makes something.
fn makes_something(first: &Word, program: Option<&Program>, arguments: &[Word]) -> bool {
    let name = first.literal().unwrap_or_default();
    let name = name.rsplit('/').next().unwrap_or_default();
    if name.starts_with("create-") {
        return true;
    }
    // Of the others it is known which operands are files.
    let is_known = program.is_some_and(|program| {
        let command = program.command_of(arguments);
        let command = command.and_then(|(command, _)| command.operands);
        command.is_some() || program.operands.is_some_and(|operands| !operands.partly)
    });
    let mut words = arguments.iter().filter_map(Argument::literal);
    let mut words = words.by_ref().filter(|text| !text.starts_with('-')).take(2);
    !is_known && words.any(|text| MAKERS.contains(&text))
}

/// Whether the name of an option says that its value is written.
fn is_output(name: &str) -> bool {
    let words = words_of(name, |sign| !sign.is_alphanumeric());
    let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    name.len() > 1 && (has(OUTPUTS) || has(JOINED) || has(KEPT) && has(PLACES))
}

fn may_lead_out(word: &Word) -> bool {
    let text = word.known_start();
    let attached_at = match text.split_once('=') {
        Some((option, _)) => Some(option.len() + 1),
        None => behind_letter(text).map(str::len),
    };
    word_leads_out(word)
        || leading_piece(word).is_some()
        || attached_at.is_some_and(|place| word_leads_out(&attached(word, text, place)))
}

/// The letter `-o`, where a value stands behind it in the same word.
fn behind_letter(text: &str) -> Option<&str> {
    text.get(..2)
        .filter(|option| *option == "-o" && text.len() > 2)
}

/// Whether a word leads out as far as it is known: also by the home directory, and from the working directory upwards.
fn word_leads_out(word: &Word) -> bool {
    if leads_out(&word.prefix()) {
        return true;
    }
    let Some(Part::Parameter { name, .. }) = word.parts.first() else {
        return false;
    };
    let climbs = |part: &Part| {
        let Part::Text { value, .. } = part else {
            return false;
        };
        value.split('/').any(|piece| piece == "..")
    };
    name == HOME || name == "PWD" && word.parts.iter().any(climbs)
}

/// The path that leads out behind a format or a name in the value of an option: `json:../x`, `.text=../x`.
fn leading_piece(word: &Word) -> Option<&str> {
    let text = word.known_start();
    let is_address = text.contains("://");
    let places = text.match_indices([':', '=', ',']);
    places
        .filter_map(|(place, _)| text.get(place + 1..))
        .find(|piece| !is_address && leads_out(piece))
}

/// Whether a name is one from the root, of a home directory, or leads upwards.
pub(super) fn leads_out(name: &str) -> bool {
    name.starts_with(['/', '~']) || name.split('/').any(|piece| piece == "..")
}
