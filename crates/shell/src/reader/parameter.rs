use super::dollar::is_special;
use super::word::Place;
use super::word_builder::{Use, WordBuilder};
use super::{Reader, Result};
use crate::command::{Assignment, AssignmentKind};
use crate::script::FindingKind;
use crate::word::{Ending, ParameterOperation, Part, Removed, Word};

/// How an operand of `${…}` is read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Operand {
    /// A word: in double quotes it is read as the text around it.
    Word,
    /// A pattern: quotes keep their meaning in double quotes.
    Pattern,
}

impl Reader<'_, '_> {
    /// `${…}`; the cursor stands on the brace.
    pub(super) fn parameter(
        &mut self,
        builder: &mut WordBuilder,
        quoted: bool,
        start: usize,
    ) -> Result<()> {
        self.bump();
        let part = self.deeper(|reader| reader.parameter_inside(quoted, start))?;
        let (name, operation) = part;
        let several = name.ends_with('@') || operation == ParameterOperation::Indirect;
        let part = Part::Parameter {
            name,
            operation,
            quoted,
        };
        builder.expansion(part, !quoted || several);
        Ok(())
    }

    fn parameter_inside(
        &mut self,
        quoted: bool,
        start: usize,
    ) -> Result<(String, ParameterOperation)> {
        let length = self.at_prefix(b'#');
        let indirect = !length && self.at_prefix(b'!') && self.is_bash();
        if length || indirect {
            self.bump();
        }
        let mut name = self.parameter_name(start)?;
        let subscript = if self.peek() == Some(b'[') && self.is_bash() {
            let subscript = self.subscript()?;
            if matches!(subscript.literal(), Some("@" | "*"))
                || subscript.pattern().as_deref() == Some("*")
            {
                name.push_str("[@");
            } else {
                self.evaluated_subscript(&subscript);
            }
            Some(subscript)
        } else {
            None
        };
        if indirect {
            self.indirect(&name, start);
        }
        let operation = self.parameter_operation(&name, subscript, quoted, start)?;
        match self.peek() {
            Some(b'}') => self.bump(),
            None => return Err(self.unterminated("parameter expansion", start)),
            Some(_) => return Err(self.unexpected("`}` or an operator of a parameter expansion")),
        }
        if indirect && operation == ParameterOperation::Assign {
            return Err(self.not_understood("an assignment to a computed name", start));
        }
        let operation = if indirect {
            ParameterOperation::Indirect
        } else if length {
            ParameterOperation::Length
        } else {
            operation
        };
        if name.ends_with("[@") && operation != ParameterOperation::Length {
            name.truncate(name.len() - 1);
            name.push('@');
        }
        Ok((name, operation))
    }

    /// `${!name` was read: the value of the name is evaluated, unless names or subscripts are asked for.
    fn indirect(&mut self, name: &str, start: usize) {
        self.state.evaluates_values = true;
        let at_star = matches!(self.peek(), Some(b'*' | b'@'));
        let names = at_star && self.cursor.second() == Some(b'}');
        if at_star {
            self.indirect_names();
        }
        if !names && !name.ends_with("[@") {
            let mut word = WordBuilder::new(start);
            let part = Part::Parameter {
                name: name.to_owned(),
                operation: ParameterOperation::Value,
                quoted: true,
            };
            word.expansion(part, false);
            let word = self.finish_word(word, Use::Value);
            self.evaluated(self.span_from(start), word);
        }
    }

    /// Whether `#` or `!` is a prefix of a name here and not the parameter itself.
    fn at_prefix(&mut self, prefix: u8) -> bool {
        if self.peek() != Some(prefix) {
            return false;
        }
        let mut ahead = self.cursor;
        ahead.bump();
        let Some(first) = ahead.peek() else {
            return false;
        };
        if first.is_ascii_alphanumeric() || first == b'_' {
            return true;
        }
        if !is_special(first) {
            return false;
        }
        // `${#-}` is a length, `${#-word}` the parameter `#` with an operand.
        ahead.bump();
        ahead.peek() == Some(b'}')
    }

    /// `${!prefix*}` and `${!prefix@}`: the operator is part of the name.
    fn indirect_names(&mut self) {
        if self.cursor.second() == Some(b'}') {
            self.bump();
        }
    }

    fn parameter_name(&mut self, start: usize) -> Result<String> {
        match self.peek() {
            Some(byte) if byte.is_ascii_alphabetic() || byte == b'_' => Ok(self.name()),
            Some(byte) if byte.is_ascii_digit() => {
                let mut digits = String::new();
                while let Some(byte) = self.peek().filter(u8::is_ascii_digit) {
                    digits.push(char::from(byte));
                    self.bump();
                }
                Ok(digits)
            }
            Some(byte) if is_special(byte) => {
                self.bump();
                Ok(char::from(byte).to_string())
            }
            None => Err(self.unterminated("parameter expansion", start)),
            Some(_) => Err(self.not_understood("`${` without the name of a parameter", start)),
        }
    }

    /// The subscript of a name; the cursor stands on the bracket.
    pub(super) fn subscript(&mut self) -> Result<Word> {
        let start = self.here();
        self.bump();
        let from = self.cursor.position();
        let mut builder = WordBuilder::new(self.here());
        self.deeper(|reader| reader.word_into(&mut builder, Place::Subscript))?;
        if self.peek() != Some(b']') {
            return Err(self.unterminated("subscript", start));
        }
        let inside = self.cursor.between(from, self.cursor.position());
        if inside
            .iter()
            .any(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'$' | b'`'))
        {
            self.state.evaluates_values = true;
        }
        let word = self.finish_word(builder, Use::Value);
        // Bash evaluates the subscript of an indexed array as arithmetic and expands it again, quotes or not.
        let hides_code = word.parts.iter().any(|part| match part {
            Part::Text { value, quoted } => *quoted && value.contains(['$', '`']),
            _ => false,
        });
        if hides_code {
            return Err(self.not_understood("a quoted substitution in a subscript", start));
        }
        self.bump();
        Ok(word)
    }

    /// Notes a subscript that is evaluated.
    pub(super) fn evaluated_subscript(&mut self, subscript: &Word) {
        let all = matches!(subscript.literal(), Some("@" | "*"))
            || subscript.pattern().as_deref() == Some("*");
        if !all {
            self.evaluated(subscript.span, subscript.clone());
        }
    }

    fn parameter_operation(
        &mut self,
        name: &str,
        subscript: Option<Word>,
        quoted: bool,
        start: usize,
    ) -> Result<ParameterOperation> {
        let Some(first) = self.peek() else {
            return Err(self.unterminated("parameter expansion", start));
        };
        match first {
            b'}' if subscript.is_some() && !name.ends_with("[@") => Ok(ParameterOperation::Element),
            b'}' => Ok(ParameterOperation::Value),
            b'-' | b'+' | b'?' => self.default_operand(quoted),
            b'=' => self.assigning_operand(name, subscript, quoted),
            b':' => {
                match self.cursor.second() {
                    Some(b'-' | b'+' | b'?') => {
                        self.bump();
                        self.default_operand(quoted)
                    }
                    Some(b'=') => {
                        self.bump();
                        self.assigning_operand(name, subscript, quoted)
                    }
                    _ if self.is_bash() => {
                        self.bump();
                        self.state.evaluates_values = true;
                        let places = self.operand(Operand::Pattern, quoted)?;
                        self.evaluated(places.span, places);
                        Ok(ParameterOperation::Substring)
                    }
                    _ => Err(self
                        .not_understood("a substring expansion, which dash does not have", start)),
                }
            }
            b'#' | b'%' => {
                let from = self.cursor.position();
                self.pattern_operand(quoted)?;
                let written = self.cursor.between(from, self.cursor.position());
                let pattern = written.strip_prefix(b"%");
                let pattern = pattern.map(|rest| rest.strip_prefix(b"%").unwrap_or(rest));
                let removed = match written {
                    b"##*/" => Some(Removed::Directories),
                    b"%.*" => Some(Removed::Extension),
                    _ => pattern.and_then(Ending::new).map(Removed::Ending),
                };
                let removed = removed.filter(|_| subscript.is_none());
                Ok(ParameterOperation::Removal(removed))
            }
            b'/' | b'^' | b',' | b'~' if self.is_bash() => self.pattern_operand(quoted),
            b'@' if self.is_bash() => self.transformation(start),
            _ => Err(self.unexpected("`}` or an operator of a parameter expansion")),
        }
    }

    fn default_operand(&mut self, quoted: bool) -> Result<ParameterOperation> {
        self.bump();
        let word = self.operand(Operand::Word, quoted)?;
        let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        Ok(if word.literal().is_some_and(is_number) {
            ParameterOperation::DefaultNumber
        } else {
            ParameterOperation::Default
        })
    }

    fn pattern_operand(&mut self, quoted: bool) -> Result<ParameterOperation> {
        self.bump();
        self.operand(Operand::Pattern, quoted)?;
        Ok(ParameterOperation::Pattern)
    }

    fn assigning_operand(
        &mut self,
        name: &str,
        subscript: Option<Word>,
        quoted: bool,
    ) -> Result<ParameterOperation> {
        let start = self.here();
        self.bump();
        let value = self.operand(Operand::Word, quoted)?;
        let span = self.span_from(start);
        self.state
            .found(FindingKind::Assignment(Box::new(Assignment {
                span,
                kind: AssignmentKind::Default,
                name: name.trim_end_matches("[@").to_owned(),
                subscript,
                append: false,
                values: vec![value],
            })));
        Ok(ParameterOperation::Assign)
    }

    /// `@Q` and the like. `@P` expands the value as a prompt, substitutions included.
    fn transformation(&mut self, start: usize) -> Result<ParameterOperation> {
        self.bump();
        match self.peek() {
            Some(b'U' | b'u' | b'L' | b'Q' | b'E' | b'A' | b'K' | b'a' | b'k') => {
                self.bump();
                Ok(ParameterOperation::Transform)
            }
            Some(b'P') => Err(self.not_understood("the expansion of a value as a prompt", start)),
            _ => Err(self.unexpected("a transformation such as `Q`")),
        }
    }

    /// Reads up to the closing brace, which stays.
    fn operand(&mut self, kind: Operand, quoted: bool) -> Result<Word> {
        let _joins_lines = self.peek();
        let mut builder = WordBuilder::new(self.here());
        let as_quoted = quoted && (kind == Operand::Word || self.is_bash());
        if as_quoted {
            self.quoted_operand(&mut builder, kind)?;
        } else {
            self.word_into(&mut builder, Place::Operand)?;
        }
        Ok(self.finish_word(builder, Use::Single))
    }

    fn quoted_operand(&mut self, builder: &mut WordBuilder, kind: Operand) -> Result<()> {
        self.check_steps()?;
        loop {
            let Some(byte) = self.peek() else {
                return Ok(());
            };
            match byte {
                b'}' => return Ok(()),
                // In a pattern bash takes a quoted double quote mark for what it is.
                b'\'' if kind == Operand::Pattern && self.at(b"'\"'") && self.is_bash() => {
                    self.single_quoted(builder)?;
                }
                b'\'' if !self.is_bash() => {
                    builder.quoted(byte);
                    self.bump();
                }
                b'\'' | b'"' => {
                    let doubt = self.doubtful_quote(
                        builder,
                        "a quote mark inside of a quoted parameter expansion",
                    )?;
                    if let Some(doubt) = doubt {
                        return Err(doubt);
                    }
                }
                b'\\' => {
                    self.bump();
                    if let Some(next) = self.cursor.raw() {
                        builder.quoted(next);
                        self.cursor.bump_raw();
                    }
                }
                b'$' => self.dollar(builder, true)?,
                b'`' => self.backticks(builder, true, true)?,
                // Bash runs it in patterns, replacements and messages, and in the words that nest in those.
                b'<' | b'>' if self.at_process_substitution() => {
                    let start = self.here();
                    return Err(self.not_understood(
                        "a process substitution inside of a quoted parameter expansion",
                        start,
                    ));
                }
                _ => {
                    builder.quoted(byte);
                    self.bump();
                }
            }
        }
    }
}
