//! Arguments split by the one parser of options.

use smallvec::SmallVec;
use tenon_programs::{
    Argument, Effects, Given, Opt, Parsed, Place, Program, Traits, parse, parse_before,
    parse_letters_first,
};

use super::file::{FileAccess, FileOperand, OperandWord};
use crate::span::Span;
use crate::word::Value as WordValue;
use crate::word::{Expansion, Part, Word};

/// Arguments split by a lenient reading of options.
pub(super) struct Lenient<'w> {
    /// The options that are known.
    table: &'static [Opt],
    pub(super) options: Vec<Given<'w, Word>>,
    pub(super) operands: SmallVec<[&'w Word; 8]>,
}

/// An option with its value as a word.
pub(crate) trait GivenValue<'w> {
    /// Its value.
    fn value_word(&self) -> Option<OperandWord<'w>>;
}

impl<'w> GivenValue<'w> for Given<'w, Word> {
    fn value_word(&self) -> Option<OperandWord<'w>> {
        Some(match self.value? {
            Place::Next(word) => OperandWord::Argument(word),
            Place::Within(word, place) => attached(word, word.known_start(), place),
        })
    }
}

impl<'w> Lenient<'w> {
    /// Whether one of these options was given.
    pub(super) fn has(&self, names: &[&str]) -> bool {
        self.options.iter().any(|given| names.contains(&given.name))
    }

    /// The options with one of these effects that are known.
    pub(super) fn table_that(&self, effects: Effects) -> impl Iterator<Item = &'static Opt> {
        let options = self.table.iter();
        options.filter(move |option| option.effects.has(effects))
    }

    /// Whether an option with one of these effects is known.
    pub(super) fn may_give(&self, effects: Effects) -> bool {
        self.table_that(effects).next().is_some()
    }

    /// Whether an option was given that has one of these effects.
    pub(super) fn gives(&self, effects: Effects) -> bool {
        self.options.iter().any(|given| given.does(effects))
    }

    /// Whether an option was given that is not known, which may have a value.
    pub(super) fn is_unsure(&self) -> bool {
        !self.options.iter().all(Given::is_known)
    }

    /// The values of the options that have one of these effects.
    pub(super) fn values_that(&self, effects: Effects) -> impl Iterator<Item = OperandWord<'w>> {
        let those = self.options.iter().filter(move |given| given.does(effects));
        those.filter_map(Given::value_word)
    }

    /// The values of the options of these names.
    pub(super) fn values(&self, names: &[&str]) -> impl Iterator<Item = OperandWord<'w>> {
        let those = { self.options.iter() }.filter(move |given| names.contains(&given.name));
        those.filter_map(Given::value_word)
    }
}

/// Whether all operands of the command that name files are known, so that another argument with the name of a file is
/// none.
#[must_use]
pub fn knows_operands(program: &Program) -> bool {
    program.is(Traits::OWN_OPERANDS) || program.operands.is_some_and(|operands| !operands.partly)
}

/// A word of which only the start is known.
pub(super) fn opaque<'w>(start: &str, span: Span) -> OperandWord<'w> {
    let text = Part::text(start, true);
    OperandWord::Value(Box::new(Word {
        span,
        parts: smallvec::smallvec![text, Part::Unknown],
        expansion: Expansion::default(),
        quoted: true,
        value: WordValue::Opaque,
    }))
}

/// A part of a word, of which the end is not known where the word is not.
pub(super) fn part_of<'w>(text: &str, word: &Word) -> OperandWord<'w> {
    match word.literal() {
        Some(_) => OperandWord::value(text, word),
        None => opaque(text, word.span),
    }
}

/// An unknown file.
pub(super) fn unknown_file<'w>(span: Span, access: FileAccess) -> FileOperand<'w> {
    FileOperand::new(opaque("", span), access)
}

/// The value that stands in the same word as its option, from this place of the text on.
pub(super) fn attached<'w>(word: &Word, text: &str, place: usize) -> OperandWord<'w> {
    let value = text.get(place..).unwrap_or_default();
    if word.literal().is_some() {
        return OperandWord::value(value, word);
    }
    // What stands behind the start is as it would be in a word of its own.
    let start = word
        .parts
        .first()
        .filter(|part| matches!(part, Part::Text { .. }));
    if start.is_none() || word.expansion.braces || word.expansion.globs {
        return opaque(value, word.span);
    }
    let text = Part::text(value, true);
    let start = (!value.is_empty()).then_some(text);
    let parts = start.into_iter().chain(word.parts.iter().skip(1).cloned());
    let value = Word::of_parts(parts.collect(), word.expansion, word.span);
    OperandWord::Value(Box::new(value))
}

/// Splits arguments by the options of a table.
pub(super) fn split<'w>(table: &'static [Opt], arguments: &'w [Word]) -> Lenient<'w> {
    lenient(table, parse(table, arguments))
}

/// Splits the arguments of a program by these of its options.
pub(super) fn split_by<'w>(
    program: &Program,
    table: &'static [Opt],
    arguments: &'w [Word],
) -> Lenient<'w> {
    lenient(table, parsed_by(program, table, arguments))
}

/// The arguments of a program, parsed as it does.
pub(super) fn parsed_by<'w>(
    program: &Program,
    table: &'static [Opt],
    arguments: &'w [Word],
) -> Parsed<'w, Word> {
    match program.is(Traits::LETTERS_FIRST) {
        true => parse_letters_first(table, arguments),
        false => parse(table, arguments),
    }
}

/// The same for the options before an operand; everything from that one on is an operand.
pub(super) fn split_before<'w>(table: &'static [Opt], arguments: &'w [Word]) -> Lenient<'w> {
    lenient(table, parse_before(table, arguments))
}

fn lenient<'w>(table: &'static [Opt], parsed: Parsed<'w, Word>) -> Lenient<'w> {
    Lenient {
        table,
        options: parsed.options,
        operands: parsed.operands,
    }
}

/// The path of `name=path`.
pub(super) fn behind_name<'w>(value: &OperandWord<'w>) -> Option<OperandWord<'w>> {
    let (_, path) = value.literal()?.split_once('=')?;
    Some(OperandWord::value(path, value))
}

/// Splits the arguments of a program of the catalogue.
pub(super) fn split_of<'w>(name: &str, arguments: &'w [Word]) -> Lenient<'w> {
    match tenon_programs::find(name) {
        Some(program) => split_by(program, program.options, arguments),
        None => split(&[], arguments),
    }
}

impl Argument for Word {
    fn literal(&self) -> Option<&str> {
        Word::literal(self)
    }

    /// A pattern is not known: it can become any name of a file.
    fn known_start(&self) -> &str {
        let first = || match self.parts.first() {
            Some(Part::Text { value, .. }) => value.as_str(),
            _ => "",
        };
        Word::literal(self).unwrap_or_else(first)
    }

    fn is_opaque(&self) -> bool {
        Word::is_opaque(self)
    }
}
