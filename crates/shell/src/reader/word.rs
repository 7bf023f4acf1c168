use smallvec::smallvec;

use super::word_builder::{Use, WordBuilder};
use super::{Reader, Result};
use crate::scope::ScopeKind;
use crate::word::Value;
use crate::word::{Expansion, Part, Word};

/// The bytes that never mean anything in an argument.
const PLAIN: [bool; 256] = {
    let mut plain = [false; 256];
    let marks = b"_-./,:%0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    let mut rest = marks.as_slice();
    while let [mark, more @ ..] = rest {
        let (_, tail) = plain.split_at_mut(*mark as usize);
        if let [place, ..] = tail {
            *place = true;
        }
        rest = more;
    }
    plain
};

/// Whether the byte never means anything in a word.
pub(super) fn is_plain(byte: u8) -> bool {
    PLAIN.get(usize::from(byte)) == Some(&true)
}

/// Where a word stands, which decides what ends it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// A command word, an argument, a target: ends at blanks and operators.
    Argument,
    /// The right side of `=~`: parentheses and bars belong to it.
    Regex,
    /// An operand inside `${…}`: ends at `}`.
    Operand,
    /// Between `[` and `]` of `name[…]`: ends at the `]` that belongs to it.
    Subscript,
}

impl Reader<'_, '_> {
    /// Reads a word that must be there.
    pub(super) fn word(&mut self, purpose: Use) -> Result<Word> {
        self.word_in(Place::Argument, purpose)
    }

    pub(super) fn word_in(&mut self, place: Place, purpose: Use) -> Result<Word> {
        let _joins_lines = self.peek();
        if place == Place::Argument
            && let Some(word) = self.plain_word(b'=')
        {
            return Ok(word);
        }
        let mut builder = WordBuilder::new(self.here());
        self.word_into(&mut builder, place)?;
        if builder.is_empty() {
            return Err(self.unexpected("a word"));
        }
        Ok(self.finish_word(builder, purpose))
    }

    pub(super) fn finish_word(&mut self, builder: WordBuilder, purpose: Use) -> Word {
        let word = builder.finish(self.cursor.origin_end(), purpose, || self.is_bash());
        if holds_code(&word) {
            self.state.quoted_code.push(word.span);
        }
        word
    }

    /// An argument of letters, digits and a few marks that never mean anything, which most words are. Takes nothing
    /// and gives `None` if the word at the cursor is another one. `also` is one mark more that means nothing here.
    pub(super) fn plain_word(&mut self, also: u8) -> Option<Word> {
        let mut ahead = self.cursor;
        ahead.skip_raw(|byte| is_plain(byte) || byte == also);
        let from = self.cursor.position();
        let ended = matches!(
            ahead.raw(),
            None | Some(b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'(' | b')')
        );
        if !ended || ahead.position() == from {
            return None;
        }
        let value = ahead.text_between(from, ahead.position())?;
        let start = self.here();
        self.state.steps += value.len();
        self.cursor = ahead;
        Some(Word {
            span: self.span_from(start),
            parts: smallvec![Part::Text {
                value,
                quoted: false,
            }],
            expansion: Expansion::default(),
            quoted: false,
            value: Value::Part,
        })
    }

    /// Reads on until the word ends.
    pub(super) fn word_into(&mut self, builder: &mut WordBuilder, place: Place) -> Result<()> {
        self.check_steps()?;
        let mut brackets = 0_usize;
        while let Some(byte) = self.peek() {
            match byte {
                b'\'' => self.single_quoted(builder)?,
                b'"' => self.double_quoted(builder)?,
                b'\\' => self.escaped(builder),
                b'$' => self.dollar(builder, false)?,
                b'`' => self.backticks(builder, false, false)?,
                b'<' | b'>' if place != Place::Subscript && self.at_process_substitution() => {
                    self.process_substitution(builder, place)?;
                }
                b'?' | b'*' | b'+' | b'@' | b'!' if self.at_extended_pattern(place) => {
                    self.extended_pattern(builder)?;
                }
                b'(' if place == Place::Regex => self.pattern_group(builder)?,
                b'[' if place == Place::Subscript => {
                    brackets += 1;
                    self.plain(builder, byte);
                }
                b']' if place == Place::Subscript => {
                    let Some(fewer) = brackets.checked_sub(1) else {
                        break;
                    };
                    brackets = fewer;
                    self.plain(builder, byte);
                }
                _ if ends(byte, place) => break,
                _ if is_plain(byte) => self.run(builder, false, is_plain),
                _ => self.plain(builder, byte),
            }
        }
        Ok(())
    }

    /// Takes the bytes at the cursor that are such ones, none of which is a backslash.
    pub(super) fn run(
        &mut self,
        builder: &mut WordBuilder,
        quoted: bool,
        is_such: impl Fn(u8) -> bool,
    ) {
        let from = self.cursor.position();
        self.cursor.skip_raw(is_such);
        let bytes = self.cursor.between(from, self.cursor.position());
        self.state.steps += bytes.len();
        builder.run(bytes, quoted);
    }

    fn plain(&mut self, builder: &mut WordBuilder, byte: u8) {
        builder.unquoted(byte);
        self.bump();
    }

    /// A backslash outside of quotes. At the very end of the text it stands for itself.
    fn escaped(&mut self, builder: &mut WordBuilder) {
        self.bump();
        match self.cursor.raw() {
            Some(byte) => {
                builder.quoted(byte);
                self.state.steps += 1;
                self.cursor.bump_raw();
            }
            None => builder.quoted(b'\\'),
        }
    }

    pub(super) fn at_process_substitution(&self) -> bool {
        self.cursor.second() == Some(b'(') && self.is_bash()
    }

    /// `<(…)` or `>(…)`.
    fn process_substitution(&mut self, builder: &mut WordBuilder, place: Place) -> Result<()> {
        let start = self.here();
        self.bump();
        let before = self.cursor.position();
        let scope = self.parenthesised(ScopeKind::ProcessSubstitution, "process substitution")?;
        // Inside `${…}` bash looks for the closing brace without knowing of process substitutions.
        if place == Place::Operand
            && self
                .cursor
                .between(before, self.cursor.position())
                .iter()
                .any(|byte| matches!(byte, b'}' | b'\'' | b'"' | b'\\'))
        {
            return Err(self.not_understood(
                "a process substitution inside of a parameter expansion",
                start,
            ));
        }
        builder.expansion(Part::ProcessSubstitution { scope }, false);
        Ok(())
    }

    fn at_extended_pattern(&self, place: Place) -> bool {
        !matches!(place, Place::Operand | Place::Subscript | Place::Regex)
            && self.cursor.second() == Some(b'(')
            && self.is_bash()
    }

    /// `?(…)`, `*(…)`, `+(…)`, `@(…)`, `!(…)`. Without `extglob` bash refuses these texts, with it they are patterns.
    fn extended_pattern(&mut self, builder: &mut WordBuilder) -> Result<()> {
        builder.extended_pattern();
        if let Some(byte) = self.peek() {
            self.plain(builder, byte);
        }
        self.pattern_group(builder)
    }

    /// From an opening parenthesis inside a pattern to the closing one.
    fn pattern_group(&mut self, builder: &mut WordBuilder) -> Result<()> {
        let start = self.here();
        self.deeper(|reader| {
            reader.plain(builder, b'(');
            loop {
                let Some(byte) = reader.peek() else {
                    return Err(reader.unterminated("pattern group", start));
                };
                match byte {
                    b')' => {
                        reader.plain(builder, byte);
                        return Ok(());
                    }
                    b'(' => reader.pattern_group(builder)?,
                    b'\'' => reader.single_quoted(builder)?,
                    b'"' => reader.double_quoted(builder)?,
                    b'\\' => reader.escaped(builder),
                    b'$' => reader.dollar(builder, false)?,
                    b'`' => reader.backticks(builder, false, false)?,
                    b'<' | b'>' if reader.at_process_substitution() => {
                        return Err(reader
                            .not_understood("a process substitution inside of a pattern", start));
                    }
                    _ => reader.plain(builder, byte),
                }
            }
        })
    }
}

/// Whether the text of a word, evaluated once more, could run something: a substitution that is quoted here.
fn holds_code(word: &Word) -> bool {
    let mut after_dollar = false;
    for part in &word.parts {
        match part {
            Part::Text { value, .. } => {
                if value.contains('`')
                    || value.contains("$(")
                    || (after_dollar && value.starts_with('('))
                {
                    return true;
                }
                after_dollar = value.ends_with('$');
            }
            Part::Unknown => return true,
            _ => after_dollar = false,
        }
    }
    false
}

fn ends(byte: u8, place: Place) -> bool {
    match place {
        Place::Argument => matches!(
            byte,
            b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'(' | b')' | b'<' | b'>'
        ),
        Place::Regex => matches!(
            byte,
            b' ' | b'\t' | b'\n' | b';' | b'&' | b')' | b'<' | b'>'
        ),
        Place::Operand => byte == b'}',
        Place::Subscript => false,
    }
}
