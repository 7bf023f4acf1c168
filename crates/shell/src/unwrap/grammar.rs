use compact_str::CompactString;
use tenon_programs::{Opt, Place, parse_before};

use crate::span::Span;
use crate::word::Word;
use crate::words::Words;

/// The options of a program, as its manual lists them.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Grammar {
    /// Letters without a value.
    pub(super) flags: &'static str,
    /// Letters with a value, in the same word or the next one.
    pub(super) values: &'static str,
    /// Letters with a value only in the same word.
    pub(super) optional: &'static str,
    /// Long options without a value.
    pub(super) long_flags: &'static [&'static str],
    /// Long options with a value behind `=` or in the next word.
    pub(super) long_values: &'static [&'static str],
    /// Long options with a value only behind `=`.
    pub(super) long_optional: &'static [&'static str],
    /// Whether options may stand behind operands.
    pub(super) permutes: bool,
}

/// An option that was given, without its dashes.
#[derive(Debug, Clone)]
pub(super) struct Given {
    pub(super) name: CompactString,
    pub(super) value: Option<Word>,
    pub(super) span: Span,
}

/// The arguments of a program, split.
#[derive(Debug, Default)]
pub(super) struct Split {
    pub(super) options: Vec<Given>,
    /// The operands; with a grammar that does not permute, everything from the first operand on.
    pub(super) operands: Words,
}

impl Split {
    /// Whether one of these options was given.
    pub(super) fn has(&self, names: &[&str]) -> bool {
        self.options
            .iter()
            .any(|option| names.contains(&option.name.as_str()))
    }

    /// The value of the last of these options.
    pub(super) fn value(&self, names: &[&str]) -> Option<&Word> {
        self.options
            .iter()
            .rev()
            .find(|option| names.contains(&option.name.as_str()))
            .and_then(|option| option.value.as_ref())
    }
}

/// Why arguments could not be split: the place of the word in question.
pub(super) struct Unclear(pub(super) Span);

/// Splits the options before a subcommand or another command, strictly: only options of the table, written out, with the
/// value that belongs to them. The operands are everything from the first one on.
pub(super) fn split_before(table: &[Opt], arguments: &Words) -> Result<Split, Unclear> {
    let parsed = parse_before(table, arguments);
    let mut split = Split::default();
    for given in &parsed.options {
        let span = given.word.span;
        let text = given.word.literal().filter(|_| given.exact);
        let text = text.ok_or(Unclear(span))?;
        let value = given.value.map(|place| match place {
            Place::Next(word) => word.clone(),
            Place::Within(_, place) => Word::synthetic(text.get(place..).unwrap_or_default(), span),
        });
        split.options.push(Given {
            name: given.name.into(),
            value,
            span,
        });
    }
    let first = parsed.operands.first().filter(|_| !parsed.ended);
    if let Some(first) = first.filter(|word| word.literal().is_none() && !surely_operand(word)) {
        return Err(Unclear(first.span));
    }
    split.operands = behind(arguments, parsed.behind);
    Ok(split)
}

impl Grammar {
    /// Splits the arguments. An abbreviated long option is unknown, as is one that is not in the grammar.
    pub(super) fn split(&self, arguments: &Words) -> Result<Split, Unclear> {
        let mut split = Split::default();
        // Operands that stand before options.
        let mut early = Vec::new();
        let mut rest = arguments.iter();
        while let Some(word) = rest.next() {
            let Some(text) = word.literal() else {
                if !surely_operand(word) {
                    return Err(Unclear(word.span));
                }
                if self.permutes {
                    early.push(word.clone());
                    continue;
                }
                split.operands = behind(arguments, rest.as_slice().len() + 1);
                return Ok(split);
            };
            if text == "--" {
                break;
            }
            if let Some(long) = text.strip_prefix("--") {
                split.options.push(self.long(long, word.span, &mut rest)?);
            } else if text.len() > 1 && text.starts_with('-') {
                self.short(text, word.span, &mut rest, &mut split.options)?;
            } else {
                if self.permutes {
                    early.push(word.clone());
                    continue;
                }
                split.operands = behind(arguments, rest.as_slice().len() + 1);
                return Ok(split);
            }
        }
        split.operands = if early.is_empty() {
            behind(arguments, rest.as_slice().len())
        } else {
            early.extend(rest.cloned());
            early.into()
        };
        Ok(split)
    }

    fn long<'w>(
        &self,
        long: &str,
        span: Span,
        rest: &mut impl Iterator<Item = &'w Word>,
    ) -> Result<Given, Unclear> {
        let (name, attached) = match long.split_once('=') {
            Some((name, value)) => (name, Some(Word::synthetic(value, span))),
            None => (long, None),
        };
        let value = if self.long_values.contains(&name) {
            Some(match attached {
                Some(value) => value,
                None => rest.next().cloned().ok_or(Unclear(span))?,
            })
        } else if self.long_optional.contains(&name)
            || (self.long_flags.contains(&name) && attached.is_none())
        {
            attached
        } else {
            return Err(Unclear(span));
        };
        Ok(Given {
            name: name.into(),
            value,
            span,
        })
    }

    fn short<'w>(
        &self,
        text: &str,
        span: Span,
        rest: &mut impl Iterator<Item = &'w Word>,
        options: &mut Vec<Given>,
    ) -> Result<(), Unclear> {
        let mut letters = text.get(1..).unwrap_or_default().chars();
        while let Some(letter) = letters.next() {
            let attached = letters.as_str();
            let value = if self.flags.contains(letter) {
                None
            } else if self.values.contains(letter) {
                Some(match attached {
                    "" => rest.next().cloned().ok_or(Unclear(span))?,
                    _ => Word::synthetic(attached, span),
                })
            } else if self.optional.contains(letter) {
                (!attached.is_empty()).then(|| Word::synthetic(attached, span))
            } else {
                return Err(Unclear(span));
            };
            let ends = value.is_some() || self.optional.contains(letter);
            options.push(Given {
                name: CompactString::from_iter([letter]),
                value,
                span,
            });
            if ends {
                break;
            }
        }
        Ok(())
    }
}

/// So many arguments at the end.
fn behind(arguments: &Words, count: usize) -> Words {
    arguments.behind(arguments.len().saturating_sub(count))
}

/// Whether the first argument that an opaque word becomes cannot begin with a dash, and the word cannot vanish.
pub(super) fn surely_operand(word: &Word) -> bool {
    word.prefix()
        .starts_with(|first| !matches!(first, '-' | '{' | '*' | '?' | '[' | '+' | '@' | '!' | '~'))
}
