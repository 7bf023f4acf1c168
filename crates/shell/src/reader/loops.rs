use super::reserved::Reserved;
use super::word_builder::Use;
use super::{Reader, Result};
use crate::command::AssignmentKind;
use crate::scope::ScopeKind;
use crate::span::Span;
use crate::word::{Expansion, ParameterOperation, Part, Word};

impl Reader<'_, '_> {
    pub(super) fn while_command(&mut self, word: Reserved, start: usize) -> Result<()> {
        self.take_reserved(word);
        self.scoped(ScopeKind::Loop, |reader| {
            reader.some_list()?;
            reader.loop_body(start, false)
        })
    }

    pub(super) fn for_command(&mut self, start: usize) -> Result<()> {
        self.take_reserved(Reserved::For);
        self.skip_blanks();
        if self.at(b"((") && self.is_bash() {
            if !self.try_arithmetic("`for ((`", start)? {
                return Err(self.unexpected("`))` of an arithmetic `for`"));
            }
            self.skip_blanks();
            if self.peek() == Some(b';') && !self.at_case_separator() {
                self.bump();
            }
            self.skip_lines()?;
            return self.scoped(ScopeKind::Loop, |reader| reader.loop_body(start, true));
        }
        self.loop_over_words(AssignmentKind::For, start)
    }

    pub(super) fn select_command(&mut self, start: usize) -> Result<()> {
        self.take_reserved(Reserved::Select);
        self.loop_over_words(AssignmentKind::Select, start)
    }

    /// `name [in word …] do … done`.
    fn loop_over_words(&mut self, kind: AssignmentKind, start: usize) -> Result<()> {
        self.skip_blanks();
        let at_name = self.here();
        let name = self.name();
        let fits = !name.is_empty() && !name.starts_with(|first: char| first.is_ascii_digit());
        if !fits || !matches!(self.peek(), None | Some(b' ' | b'\t' | b'\n' | b';')) {
            return Err(self.not_understood("a loop variable that is no plain name", at_name));
        }
        let span = self.span_from(at_name);
        self.skip_blanks();
        // Without words it goes through those of the call.
        let mut values = vec![all_arguments(span)];
        if self.peek() == Some(b';') && !self.at_case_separator() {
            self.bump();
            self.skip_lines()?;
        } else {
            self.skip_lines()?;
            if self.take_reserved(Reserved::In) {
                values = self.loop_words()?;
                self.skip_lines()?;
            }
        }
        self.scoped(ScopeKind::Loop, |reader| {
            reader.found_assignment(kind, name, span, values);
            reader.loop_body(start, true)
        })
    }

    /// The words behind `in` and the separator after them.
    fn loop_words(&mut self) -> Result<Vec<Word>> {
        let mut words = Vec::new();
        loop {
            self.skip_blanks();
            match self.peek() {
                Some(b';') if !self.at_case_separator() => {
                    self.bump();
                    return Ok(words);
                }
                Some(b'\n') => return Ok(words),
                Some(b'#') => self.skip_comment(),
                _ => words.push(self.word(Use::Argument)?),
            }
        }
    }

    /// `do … done`, or `{ … }` where bash lets it stand instead.
    fn loop_body(&mut self, start: usize, braces: bool) -> Result<()> {
        self.skip_blanks();
        if braces && self.reserved() == Some(Reserved::OpenBrace) && self.is_bash() {
            self.take_reserved(Reserved::OpenBrace);
            self.some_list()?;
            return self.close(Reserved::CloseBrace, "loop", start);
        }
        self.close(Reserved::Do, "loop", start)?;
        self.some_list()?;
        self.close(Reserved::Done, "loop", start)
    }
}

/// `"$@"`
fn all_arguments(span: Span) -> Word {
    let all = Part::Parameter {
        name: "@".to_owned(),
        operation: ParameterOperation::Value,
        quoted: true,
    };
    let expansion = Expansion {
        splits: true,
        ..Expansion::default()
    };
    Word::of_parts(smallvec::smallvec![all], expansion, span)
}
