use super::reserved::Reserved;
use super::word::Place;
use super::word_builder::Use;
use super::{Reader, Result};
use crate::script::{Conditional, FindingKind};
use crate::span::Span;
use crate::word::Word;

impl Reader<'_, '_> {
    /// `[[ … ]]` of bash.
    pub(super) fn conditional(&mut self, start: usize) -> Result<()> {
        self.take_reserved(Reserved::Conditional);
        let mut words = Vec::new();
        self.either(&mut words, start)?;
        if !self.take_closing() {
            return Err(self.unexpected("`]]`"));
        }
        let span = self.span_from(start);
        self.state
            .found(FindingKind::Conditional(Conditional { span, words }));
        Ok(())
    }

    /// Terms joined by `||` and `&&`.
    fn either(&mut self, words: &mut Vec<Word>, start: usize) -> Result<()> {
        loop {
            self.term(words, start)?;
            self.skip_lines()?;
            if !(self.take(b"||") || self.take(b"&&")) {
                return Ok(());
            }
        }
    }

    fn term(&mut self, words: &mut Vec<Word>, start: usize) -> Result<()> {
        self.check_steps()?;
        loop {
            self.skip_lines()?;
            if !self.take_reserved(Reserved::Bang) {
                break;
            }
        }
        match self.peek() {
            None => Err(self.unterminated("conditional", start)),
            Some(b'(') => {
                self.bump();
                self.deeper(|reader| reader.either(words, start))?;
                if self.peek() != Some(b')') {
                    return Err(self.unexpected("`)` in a conditional"));
                }
                self.bump();
                Ok(())
            }
            Some(_) => self.primary(words),
        }
    }

    /// A word, a unary operator with its operand, or two operands and an operator.
    fn primary(&mut self, words: &mut Vec<Word>) -> Result<()> {
        if self.at_closing() {
            return Err(self.unexpected("a condition"));
        }
        let first = self.word(Use::Single)?;
        self.skip_blanks();
        let unary = first
            .literal()
            .is_some_and(|text| !first.quoted && is_unary(text));
        if unary && !self.at_operator() {
            if first.literal() == Some("-v") || first.literal() == Some("-R") {
                self.state.evaluates_values = true;
            }
            words.push(first);
            words.push(self.word(Use::Single)?);
            return Ok(());
        }
        let lonely = unary && !matches!(self.peek(), Some(b'=' | b'!'));
        if lonely {
            return Err(self.unexpected("the operand of the condition"));
        }
        words.push(first);
        self.binary(words)
    }

    fn binary(&mut self, words: &mut Vec<Word>) -> Result<()> {
        match self.peek() {
            Some(byte @ (b'<' | b'>')) if self.cursor.second() != Some(b'(') => {
                let start = self.here();
                self.bump();
                words.push(Word::synthetic(
                    &char::from(byte).to_string(),
                    Span::new(start, start + 1),
                ));
                self.skip_blanks();
                words.push(self.word(Use::Single)?);
                return Ok(());
            }
            None | Some(b'\n' | b')' | b'&' | b'|' | b';') => return Ok(()),
            _ if self.at_closing() => return Ok(()),
            Some(_) => {}
        }
        let operator = self.word(Use::Single)?;
        let place = match operator.pattern().as_deref().filter(|_| !operator.quoted) {
            Some("=~") => Place::Regex,
            Some("==" | "=" | "!=" | "-ef" | "-nt" | "-ot") => Place::Argument,
            Some("-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge") => {
                self.state.evaluates_values = true;
                Place::Argument
            }
            _ => {
                let start = operator.span.start;
                return Err(self.not_understood("an operator that `[[` does not have", start));
            }
        };
        words.push(operator);
        self.skip_blanks();
        words.push(self.word_in(place, Use::Single)?);
        Ok(())
    }

    /// Whether what follows cannot be the operand of a unary operator, so that the operator is a plain word.
    fn at_operator(&mut self) -> bool {
        matches!(self.peek(), None | Some(b'\n' | b')' | b'&' | b'|' | b';'))
            || self.at_closing()
            || [b"== ".as_slice(), b"= ", b"!= ", b"=~ "]
                .iter()
                .any(|operator| self.at(operator))
    }

    fn at_closing(&mut self) -> bool {
        let mut ahead = self.cursor;
        ahead.peek() == Some(b']') && {
            ahead.bump();
            ahead.peek() == Some(b']') && {
                ahead.bump();
                matches!(
                    ahead.peek(),
                    None | Some(
                        b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'(' | b')' | b'<' | b'>'
                    )
                )
            }
        }
    }

    fn take_closing(&mut self) -> bool {
        let closing = self.at_closing();
        if closing {
            self.bump();
            self.bump();
        }
        closing
    }
}

/// Unary operators of `test` and `[[`.
fn is_unary(word: &str) -> bool {
    match word.as_bytes() {
        [b'-', letter] => b"abcdefghknoprstuvwxzGLNORS".contains(letter),
        _ => false,
    }
}
