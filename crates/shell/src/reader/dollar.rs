use super::word_builder::WordBuilder;
use super::{Reader, Result};
use crate::scope::{ScopeId, ScopeKind};
use crate::word::{ParameterOperation, Part};

impl Reader<'_, '_> {
    /// Everything that begins with a dollar sign; `quoted` inside double quotes and here-documents.
    pub(super) fn dollar(&mut self, builder: &mut WordBuilder, quoted: bool) -> Result<()> {
        self.check_steps()?;
        let start = self.here();
        self.bump();
        match self.peek() {
            Some(b'\'') if !quoted && self.is_bash() => self.ansi_quoted(builder),
            Some(b'"') if !quoted && self.is_bash() => {
                self.double_quoted(builder)?;
                builder.expansion(Part::Unknown, false);
                Ok(())
            }
            Some(b'(') => self.dollar_parenthesis(builder, quoted, start),
            Some(b'{') => self.parameter(builder, quoted, start),
            Some(b'[') if self.is_bash() => {
                self.old_arithmetic(start)?;
                builder.expansion(Part::Arithmetic { quoted }, !quoted);
                Ok(())
            }
            Some(byte) if byte.is_ascii_alphabetic() || byte == b'_' => {
                let name = self.name();
                self.simple_parameter(builder, name, quoted);
                Ok(())
            }
            Some(byte) if byte.is_ascii_digit() || is_special(byte) => {
                self.bump();
                self.simple_parameter(builder, char::from(byte).to_string(), quoted);
                Ok(())
            }
            _ => {
                builder.byte(b'$', quoted);
                Ok(())
            }
        }
    }

    fn simple_parameter(&mut self, builder: &mut WordBuilder, name: String, quoted: bool) {
        let splits = !quoted || name == "@";
        let part = Part::Parameter {
            name,
            operation: ParameterOperation::Value,
            quoted,
        };
        builder.expansion(part, splits);
    }

    /// Takes letters, digits and underscores; empty if none stands here.
    pub(super) fn name(&mut self) -> String {
        let mut name = String::new();
        while let Some(byte) = self.peek() {
            if !(byte.is_ascii_alphanumeric() || byte == b'_') {
                break;
            }
            name.push(char::from(byte));
            self.bump();
        }
        name
    }

    /// `$((…))` or `$(…)`; the cursor stands on the first parenthesis.
    fn dollar_parenthesis(
        &mut self,
        builder: &mut WordBuilder,
        quoted: bool,
        start: usize,
    ) -> Result<()> {
        if self.at(b"((") {
            if self.try_arithmetic("arithmetic expansion", start)? {
                builder.expansion(Part::Arithmetic { quoted }, !quoted);
                return Ok(());
            }
            if !self.is_bash() {
                return Err(self.not_understood("`$((` without `))`", start));
            }
        }
        let nested = self.at(b"((");
        let irregular = self.state.irregular;
        let scope = self.parenthesised(ScopeKind::CommandSubstitution, "command substitution")?;
        if nested && irregular != self.state.irregular {
            return Err(self.not_understood(
                "`$((` around commands with a comment, a `case` or a here-document",
                start,
            ));
        }
        builder.expansion(Part::CommandSubstitution { scope, quoted }, !quoted);
        Ok(())
    }

    /// A list in parentheses in a scope of its own; the cursor stands on the opening one.
    pub(super) fn parenthesised(
        &mut self,
        kind: ScopeKind,
        construct: &'static str,
    ) -> Result<ScopeId> {
        let start = self.here();
        self.bump();
        let pending = std::mem::take(&mut self.pending);
        let outer_documents = self.state.substitution_documents.replace(0);
        let in_parentheses = std::mem::replace(&mut self.state.in_parentheses, true);
        let compounds = self.state.compounds;
        let (timed, cases) = (self.state.timed, self.state.cases);
        let (scope, count) = self.deeper(|reader| {
            reader.scoped(kind, |reader| {
                let count = reader.list()?;
                Ok((reader.state.scope, count))
            })
        })?;
        // bash 5.2 writes the commands of a substitution down again after parsing them and then runs what it wrote.
        // With a here-document it gets several things wrong: it forgets a `;`, so that `$(cat <<E … a; b)` runs `a b`,
        // and in compound commands it turns quoting around. One list of simple commands is written down right.
        let documents = self
            .state
            .substitution_documents
            .is_some_and(|documents| documents > 0);
        if documents && (count > 1 || compounds != self.state.compounds) && self.is_bash() {
            return Err(self.not_understood(
                "a here-document among several commands in a command substitution",
                start,
            ));
        }
        // In quotes bash 5.2 looks for the end of the substitution once more and does not see a `case` behind `time`:
        // the parenthesis of its first pattern ends the substitution, and what follows is text that is expanded.
        if timed != self.state.timed && cases != self.state.cases && self.is_bash() {
            return Err(self.not_understood("`time` and `case` in one command substitution", start));
        }
        match self.peek() {
            Some(b')') => {}
            None => return Err(self.unterminated(construct, start)),
            Some(_) => return Err(self.unexpected("a separator or `)`")),
        }
        self.no_pending()?;
        self.state.substitution_documents = outer_documents;
        self.state.in_parentheses = in_parentheses;
        self.pending = pending;
        self.bump();
        Ok(scope)
    }
}

/// Whether the byte alone names a parameter.
pub(super) fn is_special(byte: u8) -> bool {
    matches!(byte, b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!')
}
