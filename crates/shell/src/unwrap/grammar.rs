use compact_str::CompactString;
use tenon_programs::{Effects, Opt, Parsed, parse, parse_before};

use super::options::value_of;
use crate::span::Span;
use crate::word::Word;
use crate::words::Words;

/// An option that was given, without its dashes.
#[derive(Debug, Clone)]
pub(super) struct Given {
    pub(super) name: CompactString,
    pub(super) value: Option<Word>,
    pub(super) span: Span,
    /// What the table says that it does.
    effects: Effects,
}

/// The arguments of a program, split.
#[derive(Debug, Default)]
pub(super) struct Split {
    pub(super) options: Vec<Given>,
    /// The operands; those of [`split_before`] are everything from the first one on.
    pub(super) operands: Words,
}

impl Split {
    /// Whether one of these options was given.
    pub(super) fn has(&self, names: &[&str]) -> bool {
        self.options
            .iter()
            .any(|option| names.contains(&option.name.as_str()))
    }

    /// The options that have one of these effects.
    pub(super) fn those(&self, effects: Effects) -> impl DoubleEndedIterator<Item = &Given> {
        let options = self.options.iter();
        options.filter(move |given| given.effects.has(effects))
    }
}

/// Why arguments could not be split: the place of the word in question.
pub(super) struct Unclear(pub(super) Span);

/// Splits the options before a subcommand or another command, strictly: only options of the table, written out, with the
/// value that belongs to them. The operands are everything from the first one on.
pub(super) fn split_before(table: &[Opt], arguments: &Words) -> Result<Split, Unclear> {
    let parsed = parse_before(table, arguments);
    let options = exactly(table, &parsed)?;
    let mut own = parsed
        .operands
        .first()
        .filter(|_| !parsed.ended)
        .into_iter();
    if let Some(word) = own.find(|word| !is_operand(word)) {
        return Err(Unclear(word.span));
    }
    Ok(Split {
        options,
        operands: arguments.behind(arguments.len().saturating_sub(parsed.behind)),
    })
}

/// The same where options may stand behind operands as well.
pub(super) fn split(table: &[Opt], arguments: &Words) -> Result<Split, Unclear> {
    let parsed = parse(table, arguments);
    let options = exactly(table, &parsed)?;
    let own = parsed.operands.len().saturating_sub(parsed.behind);
    if let Some(word) = parsed
        .operands
        .iter()
        .take(own)
        .find(|word| !is_operand(word))
    {
        return Err(Unclear(word.span));
    }
    let operands: Vec<Word> = parsed.operands.into_iter().cloned().collect();
    Ok(Split {
        options,
        operands: operands.into(),
    })
}

/// The options, each of them written as the table has it.
fn exactly(table: &[Opt], parsed: &Parsed<'_, Word>) -> Result<Vec<Given>, Unclear> {
    let mut options = Vec::with_capacity(parsed.options.len());
    for given in &parsed.options {
        let span = given.word.span;
        if !given.exact || given.word.literal().is_none() {
            return Err(Unclear(span));
        }
        let mut own = table.iter();
        let own = own.find(|option| option.name == given.name);
        options.push(Given {
            effects: own.map_or(Effects::NONE, |option| option.effects),
            name: given.name.into(),
            value: value_of(given),
            span,
        });
    }
    Ok(options)
}

fn is_operand(word: &Word) -> bool {
    word.literal().is_some() || surely_operand(word)
}

/// Whether the first argument that an opaque word becomes cannot begin with a dash, and the word cannot vanish.
pub(super) fn surely_operand(word: &Word) -> bool {
    word.prefix()
        .starts_with(|first| !matches!(first, '-' | '{' | '*' | '?' | '[' | '+' | '@' | '!' | '~'))
}
