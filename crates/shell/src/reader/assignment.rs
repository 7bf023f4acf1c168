use super::word::Place;
use super::word_builder::{Use, WordBuilder};
use super::{Reader, Result};
use crate::command::{Assignment, AssignmentKind};
use crate::word::{Part, Word};

/// What stands where an assignment may stand.
pub(super) enum AssignmentOrWord {
    /// An assignment, and the same as an argument word.
    Assignment(Box<Assignment>, Box<Word>),
    /// A plain word.
    Word(Word),
}

impl Reader<'_, '_> {
    /// Reads `name=value`, `name+=value`, `name[…]=value`, or a plain word.
    pub(super) fn assignment_or_word(&mut self, kind: AssignmentKind) -> Result<AssignmentOrWord> {
        let _joins_lines = self.peek();
        let start = self.here();
        let mut ahead = self.cursor;
        let mut length = 0;
        while let Some(byte) = ahead.peek() {
            let fits =
                byte.is_ascii_alphabetic() || byte == b'_' || (byte.is_ascii_digit() && length > 0);
            if !fits {
                break;
            }
            length += 1;
            ahead.bump();
        }
        let assigns = match ahead.peek() {
            Some(b'=') => true,
            Some(b'+') => length > 0 && ahead.second() == Some(b'=') && self.is_bash(),
            Some(b'[') => length > 0 && self.is_bash(),
            _ => false,
        };
        if length == 0 || !assigns {
            return Ok(AssignmentOrWord::Word(self.word(Use::Argument)?));
        }
        let name = self.name();
        if self.peek() == Some(b'[') {
            return self.after_subscript(kind, name, start);
        }
        let append = self.assignment_operator();
        let (assignment, word) = self.assigned(kind, name, None, append, start)?;
        Ok(AssignmentOrWord::Assignment(
            Box::new(assignment),
            Box::new(word),
        ))
    }

    /// Takes `=` or `+=` and returns whether it was the latter.
    fn assignment_operator(&mut self) -> bool {
        let append = self.peek() == Some(b'+');
        if append {
            self.bump();
        }
        self.bump();
        append
    }

    /// `name[…]` was seen: an assignment if `=` or `+=` follows, else the beginning of a word with a pattern.
    fn after_subscript(
        &mut self,
        kind: AssignmentKind,
        name: String,
        start: usize,
    ) -> Result<AssignmentOrWord> {
        let subscript = self.subscript()?;
        if self.at(b"=") || self.at(b"+=") {
            self.evaluated_subscript(&subscript);
            let append = self.assignment_operator();
            let (assignment, word) = self.assigned(kind, name, Some(subscript), append, start)?;
            return Ok(AssignmentOrWord::Assignment(
                Box::new(assignment),
                Box::new(word),
            ));
        }
        let mut builder = WordBuilder::new(start);
        name.bytes().for_each(|byte| builder.unquoted(byte));
        builder.unquoted(b'[');
        builder.append(subscript);
        builder.unquoted(b']');
        self.word_into(&mut builder, Place::Argument)?;
        Ok(AssignmentOrWord::Word(
            self.finish_word(builder, Use::Argument),
        ))
    }

    /// Reads the value behind the operator.
    fn assigned(
        &mut self,
        kind: AssignmentKind,
        name: String,
        subscript: Option<Word>,
        append: bool,
        start: usize,
    ) -> Result<(Assignment, Word)> {
        let (values, word) = if self.peek() == Some(b'(') && self.is_bash() {
            let values = self.array()?;
            let mut builder = WordBuilder::new(start);
            let named = subscript.is_none();
            if named {
                name.bytes().for_each(|byte| builder.unquoted(byte));
                builder.unquoted(b'=');
            }
            builder.expansion(Part::Unknown, false);
            (
                values,
                builder.finish(self.cursor.origin_end(), Use::Value, || self.is_bash()),
            )
        } else {
            let value = self.value()?;
            let word = match &subscript {
                None if !append => Word::behind(&format!("{name}="), &value, self.span_from(start)),
                None => Word::behind(&format!("{name}+="), &value, self.span_from(start)),
                Some(_) => {
                    let mut builder = WordBuilder::new(start);
                    builder.expansion(Part::Unknown, false);
                    builder.finish(self.cursor.origin_end(), Use::Value, || self.is_bash())
                }
            };
            (vec![value], word)
        };
        let assignment = Assignment {
            span: self.span_from(start),
            kind,
            name,
            subscript,
            append,
            values,
        };
        Ok((assignment, word))
    }

    /// The value of an assignment, which may be empty.
    fn value(&mut self) -> Result<Word> {
        let mut builder = WordBuilder::new(self.cursor.origin_end());
        self.word_into(&mut builder, Place::Argument)?;
        Ok(self.finish_word(builder, Use::Value))
    }

    /// `(word … [subscript]=word …)`; the cursor stands on the parenthesis.
    fn array(&mut self) -> Result<Vec<Word>> {
        let start = self.here();
        let from = self.cursor.position();
        let values = self.array_values(start)?;
        // bash 5.2 writes the commands of a substitution down again; in arrays it loses backslashes on the way.
        let rewritten = self.state.substitution_documents.is_some();
        if rewritten
            && self
                .cursor
                .between(from, self.cursor.position())
                .contains(&b'\\')
        {
            return Err(
                self.not_understood("a backslash in an array in a command substitution", start)
            );
        }
        self.array_end(start)?;
        Ok(values)
    }

    /// For bash what is glued to the closing parenthesis belongs to the assignment, `#` and names of commands too, and
    /// the command comes after it.
    fn array_end(&mut self, start: usize) -> Result<()> {
        let ends = match self.peek() {
            None | Some(b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b')') => true,
            Some(b'<' | b'>') => self.cursor.second() != Some(b'('),
            Some(_) => false,
        };
        if ends {
            Ok(())
        } else {
            Err(self.not_understood("text glued to the end of an array", start))
        }
    }

    fn array_values(&mut self, start: usize) -> Result<Vec<Word>> {
        self.bump();
        self.deeper(|reader| {
            let mut values = Vec::new();
            loop {
                reader.skip_lines()?;
                match reader.peek() {
                    None => return Err(reader.unterminated("array", start)),
                    Some(b')') => {
                        reader.bump();
                        return Ok(values);
                    }
                    Some(b'[') => values.push(reader.array_element()?),
                    Some(_) => values.push(reader.word(Use::Argument)?),
                }
            }
        })
    }

    /// An element that begins with a bracket: `[subscript]=value` or a pattern.
    fn array_element(&mut self) -> Result<Word> {
        let start = self.here();
        let subscript = self.subscript()?;
        if self.at(b"=") || self.at(b"+=") {
            self.evaluated_subscript(&subscript);
            self.assignment_operator();
            return self.value();
        }
        let mut builder = WordBuilder::new(start);
        builder.unquoted(b'[');
        builder.append(subscript);
        builder.unquoted(b']');
        self.word_into(&mut builder, Place::Argument)?;
        Ok(self.finish_word(builder, Use::Argument))
    }
}
