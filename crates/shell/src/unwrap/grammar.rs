use tenon_programs::{Effects, Given, Opt, Parsed, parse, parse_before};

use crate::span::Span;
use crate::word::Word;
use crate::words::Words;

/// The arguments of a program, split.
pub(super) struct Split<'w> {
    pub(super) options: Vec<Given<'w, Word>>,
    /// The operands; those of [`split_before`] are everything from the first one on.
    pub(super) operands: Words,
}

impl<'w> Split<'w> {
    /// Whether one of these options was given.
    pub(super) fn has(&self, names: &[&str]) -> bool {
        self.options.iter().any(|given| names.contains(&given.name))
    }

    /// Whether an option was given that has one of these effects.
    pub(super) fn gives(&self, effects: Effects) -> bool {
        self.those(effects).next().is_some()
    }

    /// The options that have one of these effects.
    pub(super) fn those(
        &self,
        effects: Effects,
    ) -> impl DoubleEndedIterator<Item = &Given<'w, Word>> {
        let options = self.options.iter();
        options.filter(move |given| given.does(effects))
    }
}

/// Why arguments could not be split: the place of the word in question.
pub(super) struct Unclear(pub(super) Span);

/// Splits the options before a subcommand or another command, strictly: only options of the table, written out, with the
/// value that belongs to them. The operands are everything from the first one on.
pub(super) fn split_before<'w>(
    table: &'static [Opt],
    arguments: &'w Words,
) -> Result<Split<'w>, Unclear> {
    let parsed = parse_before(table, arguments);
    exactly(&parsed, usize::from(!parsed.ended))?;
    Ok(Split {
        options: parsed.options,
        operands: arguments.behind(arguments.len().saturating_sub(parsed.behind)),
    })
}

/// The same where options may stand behind operands as well.
pub(super) fn split<'w>(
    table: &'static [Opt],
    arguments: &'w [Word],
) -> Result<Split<'w>, Unclear> {
    let parsed = parse(table, arguments);
    exactly(&parsed, parsed.operands.len().saturating_sub(parsed.behind))?;
    let operands: Vec<Word> = parsed.operands.into_iter().cloned().collect();
    Ok(Split {
        options: parsed.options,
        operands: operands.into(),
    })
}

/// Whether each option is written as the table has it, and so many operands are surely some.
fn exactly(parsed: &Parsed<'_, Word>, operands: usize) -> Result<(), Unclear> {
    let is_odd = |given: &&Given<'_, Word>| !given.exact || given.word.literal().is_none();
    let odd = parsed.options.iter().find(is_odd).map(|given| given.word);
    let mut own = parsed.operands.iter().take(operands);
    match odd.or_else(|| own.find(|word| !is_operand(word)).copied()) {
        Some(word) => Err(Unclear(word.span)),
        None => Ok(()),
    }
}

fn is_operand(word: &Word) -> bool {
    word.literal().is_some() || surely_operand(word)
}

/// Whether the first argument that an opaque word becomes cannot begin with a dash, and the word cannot vanish.
pub(super) fn surely_operand(word: &Word) -> bool {
    word.prefix()
        .starts_with(|first| !matches!(first, '-' | '{' | '*' | '?' | '[' | '+' | '@' | '!' | '~'))
}
