use super::cursor::Cursor;
use super::here_document::Pending;
use super::word_builder::Use;
use super::{Reader, Result};
use crate::command::{
    AssignmentKind, Descriptor, HereDocument, Redirection, RedirectionOperator as Operator,
};
use crate::span::Span;
use crate::word::{Part, Word};

impl<'a> Reader<'a, '_> {
    /// Reads a redirection if one begins at the cursor.
    pub(super) fn redirection(&mut self) -> Result<Option<Redirection>> {
        // Most words begin with none of these.
        if !matches!(self.peek(), Some(b'<' | b'>' | b'&' | b'{' | b'0'..=b'9')) {
            return Ok(None);
        }
        let start = self.here();
        if self.peek() == Some(b'{') && self.has_evaluated_subscript() && self.is_bash() {
            return Err(self.not_understood("a subscript in front of a redirection", start));
        }
        let (descriptor, at_operator) = self.descriptor();
        let Some((operator, behind)) = self.operator(at_operator, descriptor.is_some()) else {
            return Ok(None);
        };
        self.cursor = behind;
        self.state.steps += 4;
        if let Some(Descriptor::Variable(name)) = &descriptor {
            let name = name.clone();
            let span = self.span_from(start);
            self.found_assignment(AssignmentKind::Descriptor, name, span, Vec::new());
        }
        self.skip_blanks();
        let (number, behind_number) = self.descriptor();
        if self.peek() == Some(b'#')
            || (number.is_some() && self.operator(behind_number, true).is_some())
        {
            return Err(self.unexpected("the target of a redirection"));
        }
        let documents = matches!(
            operator,
            Operator::HereDocument | Operator::HereDocumentTabs
        );
        let purpose = if operator == Operator::HereString {
            Use::Single
        } else {
            Use::Argument
        };
        let before = self.cursor.position();
        let target = self.word(purpose)?;
        let here_document = if documents {
            let raw = self.cursor.between(before, self.cursor.position());
            Some(self.announce(operator, &target, raw, start)?)
        } else {
            None
        };
        Ok(Some(Redirection {
            span: self.span_from(start),
            operator,
            descriptor,
            target,
            here_document,
        }))
    }

    /// Whether `{name[…]}>` may stand here with a subscript that is no number: bash evaluates it, quoted or not.
    fn has_evaluated_subscript(&self) -> bool {
        let mut ahead = self.cursor;
        ahead.bump();
        let mut before = None;
        while let Some(byte) = ahead
            .peek()
            .filter(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
        {
            before = Some(byte);
            ahead.bump();
        }
        if before.is_none() || ahead.peek() != Some(b'[') {
            return false;
        }
        let mut last = b'[';
        ahead.bump();
        while let Some(byte) = ahead.peek().filter(|byte| *byte != b'\n') {
            if last == b'}' && matches!(byte, b'<' | b'>') {
                return false;
            }
            last = byte;
            ahead.bump();
            if !(byte.is_ascii_digit() || matches!(byte, b']' | b'}')) {
                return self.closes_on_this_line(ahead);
            }
        }
        false
    }

    /// Whether a `}` right before `<` or `>` stands between here and the end of the line. Looked for once for all
    /// places before it.
    fn closes_on_this_line(&self, mut ahead: Cursor<'_>) -> bool {
        let from = ahead.position();
        let (first, last, closes) = self.closing.get();
        if (first..=last).contains(&from) {
            return closes;
        }
        let mut brace = None;
        let mut closes = false;
        while let Some(byte) = ahead.peek().filter(|byte| *byte != b'\n') {
            if brace.is_some() && matches!(byte, b'<' | b'>') {
                closes = true;
                break;
            }
            brace = Some(ahead.position()).filter(|_| byte == b'}');
            ahead.bump();
        }
        let last = brace.filter(|_| closes).unwrap_or(ahead.position());
        self.closing.set((from, last, closes));
        closes
    }

    /// Redirections behind a compound command, which the shell carries out before it.
    pub(super) fn redirections_behind(&mut self, first_entry: usize) -> Result<()> {
        let middle = self.state.entry_count();
        loop {
            self.skip_blanks();
            match self.redirection()? {
                Some(redirection) => self
                    .state
                    .found(crate::FindingKind::Redirection(Box::new(redirection))),
                None => break,
            }
        }
        self.state.rotate(first_entry, middle);
        Ok(())
    }

    /// The number or `{name}` at the cursor if an operator may follow directly, and the place behind it.
    fn descriptor(&self) -> (Option<Descriptor>, Cursor<'a>) {
        let mut ahead = self.cursor;
        let mut text = String::new();
        let braced = ahead.peek() == Some(b'{');
        if braced {
            ahead.bump();
        }
        while let Some(byte) = ahead.peek() {
            let fits =
                byte.is_ascii_digit() || (braced && (byte.is_ascii_alphabetic() || byte == b'_'));
            if !fits {
                break;
            }
            text.push(char::from(byte));
            ahead.bump();
        }
        let nothing = (None, self.cursor);
        if text.is_empty() {
            return nothing;
        }
        let descriptor = if braced {
            if ahead.peek() == Some(b'[') {
                skip_subscript(&mut ahead);
            }
            if ahead.peek() != Some(b'}') || text.starts_with(|first: char| first.is_ascii_digit())
            {
                return nothing;
            }
            ahead.bump();
            Descriptor::Variable(text)
        } else {
            Descriptor::Number(text)
        };
        if !matches!(ahead.peek(), Some(b'<' | b'>')) {
            return nothing;
        }
        // dash takes one digit; several are a word, and in bash what does not fit into an `int`.
        let of_bash = match &descriptor {
            Descriptor::Number(digits) => digits.len() > 1,
            Descriptor::Variable(_) => true,
        };
        let is_word =
            matches!(&descriptor, Descriptor::Number(digits) if digits.parse::<i32>().is_err());
        if of_bash && (!self.is_bash() || is_word) {
            return nothing;
        }
        (Some(descriptor), ahead)
    }

    /// The operator at this place and the place behind it; `None` also for a process substitution.
    fn operator<'b>(&self, mut at: Cursor<'b>, described: bool) -> Option<(Operator, Cursor<'b>)> {
        let bash = || self.is_bash();
        let first = at.peek()?;
        at.bump();
        let mut second = at;
        let next = second.peek();
        second.bump();
        let mut third = second;
        let after = third.peek();
        third.bump();
        let found = match (first, next, after) {
            (b'<' | b'>', Some(b'('), _) if bash() => return None,
            (b'<', Some(b'<'), Some(b'-')) => (Operator::HereDocumentTabs, third),
            (b'<', Some(b'<'), Some(b'<')) if bash() => (Operator::HereString, third),
            (b'<', Some(b'<'), _) => (Operator::HereDocument, second),
            (b'<', Some(b'&'), _) => (Operator::DuplicateInput, second),
            (b'<', Some(b'>'), _) => (Operator::ReadWrite, second),
            (b'<', _, _) => (Operator::Read, at),
            (b'>', Some(b'>'), _) => (Operator::Append, second),
            (b'>', Some(b'&'), _) => (Operator::DuplicateOutput, second),
            (b'>', Some(b'|'), _) => (Operator::Clobber, second),
            (b'>', _, _) => (Operator::Write, at),
            (b'&', Some(b'>'), Some(b'>')) if !described && bash() => (Operator::AppendBoth, third),
            (b'&', Some(b'>'), _) if !described && bash() => (Operator::WriteBoth, second),
            _ => return None,
        };
        Some(found)
    }

    /// Notes that the body of a here-document begins after the next line end.
    fn announce(
        &mut self,
        operator: Operator,
        target: &Word,
        raw: &[u8],
        start: usize,
    ) -> Result<HereDocument> {
        let plain = target
            .parts
            .iter()
            .all(|part| matches!(part, Part::Text { .. }));
        // `$'…'` and `$"…"` are taken literally by some versions, decoded by others.
        let dollar_quote = raw.windows(2).any(|pair| matches!(pair, b"$'" | b"$\""));
        if !plain || dollar_quote || raw.contains(&b'`') || target.prefix().contains('\n') {
            return Err(self.not_understood(
                "an end word of a here-document that is not plain text",
                start,
            ));
        }
        // In a command substitution bash 5.2 forgets the quotes of an empty end word and expands the body.
        if target.prefix().is_empty() && self.is_bash() {
            return Err(self.not_understood("an empty end word of a here-document", start));
        }
        let slot = self.state.reserve_document();
        self.state.irregular += 1;
        if let Some(documents) = &mut self.state.substitution_documents {
            *documents += 1;
        }
        self.pending.push(Pending {
            slot,
            delimiter: target.prefix().into_owned().into_bytes(),
            strips_tabs: operator == Operator::HereDocumentTabs,
            expands: !target.quoted,
            span: self.span_from(start),
        });
        Ok(HereDocument {
            span: Span::new(start, start),
            expands: !target.quoted,
            text: None,
            slot,
        })
    }
}

/// Moves behind the closing bracket of a simple subscript.
fn skip_subscript(ahead: &mut Cursor<'_>) {
    while let Some(byte) = ahead.peek() {
        if !(byte.is_ascii_alphanumeric() || matches!(byte, b'[' | b'_')) {
            break;
        }
        ahead.bump();
    }
    if ahead.peek() == Some(b']') {
        ahead.bump();
    }
}

#[cfg(test)]
mod tests {
    use crate::{ShellGrammar, read};

    #[test]
    fn a_subscript_before_a_redirection_is_found_behind_other_braces_of_its_line_only() {
        for (text, is_read) in [
            ("echo {a[b {c[d {e[f", true),
            ("echo {a[b {c[d\nls {e[f]}>g", false),
            ("echo {a[b {c[d {e[1]}>g", false),
            ("echo {a[1]}>g", true),
            ("echo {a[b]}>g {c[d", false),
        ] {
            assert_eq!(read(text, ShellGrammar::Bash).is_ok(), is_read, "{text}");
        }
    }
}
