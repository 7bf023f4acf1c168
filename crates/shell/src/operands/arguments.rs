//! How the options of a program stand among its arguments: attached values, clusters of letters and abbreviations are
//! read here, for all tables.

use smallvec::SmallVec;

use super::table::Spec;
use super::{FileAccess, FileOperand, OperandWord};
use crate::word::Value;
use crate::{Expansion, Part, Span, Word};

/// Arguments split by a lenient reading of options.
pub(super) struct Lenient<'w> {
    pub(super) options: Vec<(&'w str, Option<OperandWord<'w>>)>,
    pub(super) operands: SmallVec<[&'w Word; 8]>,
}

impl<'w> Lenient<'w> {
    pub(super) fn has(&self, names: &[&str]) -> bool {
        self.options.iter().any(|(name, _)| names.contains(name))
    }

    /// The values of the options of these names.
    pub(super) fn values(&self, names: &[&str]) -> impl Iterator<Item = &OperandWord<'w>> {
        let named = self
            .options
            .iter()
            .filter(move |(name, _)| names.contains(name));
        named.filter_map(|(_, value)| value.as_ref())
    }
}

/// A word of which only the start is known.
pub(super) fn opaque<'w>(start: &str, span: Span) -> OperandWord<'w> {
    let text = Part::Text {
        value: start.into(),
        quoted: true,
    };
    OperandWord::Value(Box::new(Word {
        span,
        parts: smallvec::smallvec![text, Part::Unknown],
        expansion: Expansion::default(),
        quoted: true,
        value: Value::Opaque,
    }))
}

/// A file of which nothing is known.
pub(super) fn unknown_file<'w>(span: Span, access: FileAccess) -> FileOperand<'w> {
    FileOperand::new(opaque("", span), access)
}

/// The value that stands in the same word as its option, from this place of the text on.
fn attached<'w>(word: &'w Word, text: &str, place: usize) -> OperandWord<'w> {
    let value = text.get(place..).unwrap_or_default();
    match word.literal() {
        Some(_) => OperandWord::value(value, word),
        None => opaque(value, word.span),
    }
}

/// The text of a word up to what cannot be told. A pattern is not told: it can become any name of a file.
fn known_text(word: &Word) -> &str {
    let first = || match word.parts.first() {
        Some(Part::Text { value, .. }) => value.as_str(),
        _ => "",
    };
    word.literal().unwrap_or_else(first)
}

/// Options of several letters behind one dash. What they are stands in the other lists of their program.
pub(super) enum OneDash {
    None,
    These(&'static [&'static str]),
    /// These, whose value can stand in the same word without a sign: `-MFfile`.
    Glued(&'static [&'static str]),
    /// Every option of those lists.
    All,
}

impl Spec {
    /// Every long option of which the table knows something, those with a value first.
    fn long_options(&self) -> impl Iterator<Item = &'static str> {
        let with_value = [self.long_values, self.read_options, self.write_options];
        let with_value = with_value
            .into_iter()
            .flatten()
            .copied()
            .filter(|name| name.len() > 1);
        with_value.chain(self.long_flags.iter().copied())
    }

    /// The options that a long name stands for: that of the name, else all that begin so (GNU takes an abbreviation
    /// when only one does).
    fn long(&self, given: &str) -> SmallVec<[&'static str; 2]> {
        let all = [self.long_values, self.read_options, self.write_options];
        let mut all = all.into_iter().flatten().copied();
        let short = all.find(|name| *name == given && self.is_behind_one_dash(name));
        if let Some(name) = short.or_else(|| self.long_options().find(|name| *name == given)) {
            return smallvec::smallvec![name];
        }
        let mut names = SmallVec::new();
        for name in self.long_options().filter(|name| name.starts_with(given)) {
            if !given.is_empty() && !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    /// Whether the value of a long option may stand in the next word.
    fn awaits_value(&self, name: &str) -> bool {
        !self.long_flags.contains(&name)
    }

    /// The letter as the table has it, if a value belongs to it.
    fn letter(&self, letter: char) -> Option<&'static str> {
        let place = self.values.find(letter);
        let listed = place.and_then(|place| self.values.get(place..place + letter.len_utf8()));
        let single = |options: &'static [&'static str]| {
            let mut options = options.iter().copied();
            options.find(|name| name.chars().eq([letter]))
        };
        let value = listed
            .or_else(|| single(self.read_options))
            .or_else(|| single(self.write_options));
        let place = self.optional.find(letter);
        value
            .or_else(|| place.and_then(|place| self.optional.get(place..place + letter.len_utf8())))
    }

    pub(super) fn split<'w>(&self, arguments: &'w [Word]) -> Lenient<'w> {
        let mut split = Lenient {
            options: Vec::new(),
            operands: SmallVec::new(),
        };
        let mut words = arguments.iter();
        while let Some(word) = words.next() {
            let text = known_text(word);
            if word.literal() == Some("--") {
                break;
            } else if text.starts_with("--") {
                self.long_option(word, text, &mut words, &mut split);
            } else if let Some(name) = self.glued(word, text) {
                let value = attached(word, text, name.len() + 1);
                split.options.push((name, Some(value)));
            } else if let Some(long) = self.single_dash(text) {
                self.named_option(word, text, (long, 1), &mut words, &mut split);
            } else if text.len() > 1 && text.starts_with('-') {
                self.letters(word, text, &mut words, &mut split);
            } else {
                split.operands.push(word);
            }
        }
        split.operands.extend(words);
        split
    }

    /// The option of several letters behind one dash that a text is.
    fn single_dash<'t>(&self, text: &'t str) -> Option<&'t str> {
        let long = text.strip_prefix('-')?;
        let name = long.split('=').next().unwrap_or_default();
        self.is_behind_one_dash(name).then_some(long)
    }

    /// The option whose value stands in the same word.
    fn glued(&self, word: &Word, text: &str) -> Option<&'static str> {
        let OneDash::Glued(names) = self.one_dash else {
            return None;
        };
        let text = text.strip_prefix('-')?;
        let begins = names.iter().filter(|name| text.starts_with(**name));
        let name = begins.max_by_key(|name| name.len())?;
        let value = text.get(name.len()..).unwrap_or_default();
        let stands_there = !value.is_empty() || word.is_opaque();
        (stands_there && !value.starts_with('=')).then_some(name)
    }

    fn is_behind_one_dash(&self, name: &str) -> bool {
        match self.one_dash {
            OneDash::None => false,
            OneDash::These(names) | OneDash::Glued(names) => names.contains(&name),
            OneDash::All => [
                self.long_values,
                self.long_flags,
                self.read_options,
                self.write_options,
            ]
            .iter()
            .any(|names| names.contains(&name)),
        }
    }

    fn long_option<'w>(
        &self,
        word: &'w Word,
        text: &'w str,
        words: &mut std::slice::Iter<'w, Word>,
        split: &mut Lenient<'w>,
    ) {
        let long = text.get(2..).unwrap_or_default();
        self.named_option(word, text, (long, 2), words, split);
    }

    /// An option by its name, behind so many dashes.
    fn named_option<'w>(
        &self,
        word: &'w Word,
        text: &'w str,
        (long, dashes): (&'w str, usize),
        words: &mut std::slice::Iter<'w, Word>,
        split: &mut Lenient<'w>,
    ) {
        let (given, value) = match long.find('=') {
            Some(place) => (
                long.get(..place).unwrap_or_default(),
                Some(place + dashes + 1),
            ),
            None => (long, None),
        };
        if value.is_none() && word.is_opaque() {
            // The name of the option itself cannot be told.
            split.operands.push(word);
            return;
        }
        let value = value.map(|place| attached(word, text, place));
        let names = self.long(given);
        if names.is_empty() {
            split.options.push((given, value));
            return;
        }
        let awaits = value.is_none() && names.iter().any(|name| self.awaits_value(name));
        let next = if awaits {
            words.next().map(OperandWord::Argument)
        } else {
            value
        };
        for name in names {
            split.options.push((name, next.clone()));
        }
    }

    fn letters<'w>(
        &self,
        word: &'w Word,
        text: &'w str,
        words: &mut std::slice::Iter<'w, Word>,
        split: &mut Lenient<'w>,
    ) {
        let mut place = 1;
        while let Some(letter) = text.get(place..).and_then(|rest| rest.chars().next()) {
            let start = place;
            place += letter.len_utf8();
            let Some(name) = self.letter(letter) else {
                split
                    .options
                    .push((text.get(start..place).unwrap_or_default(), None));
                continue;
            };
            let ends = place == text.len() && word.literal().is_some();
            let value = match (ends, self.optional.contains(letter)) {
                (false, _) => Some(attached(word, text, place)),
                (true, true) => None,
                (true, false) => words.next().map(OperandWord::Argument),
            };
            split.options.push((name, value));
            return;
        }
        if word.is_opaque() {
            split.operands.push(word);
        }
    }
}
