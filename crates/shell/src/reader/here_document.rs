use super::cursor::{Cursor, Derived};
use super::word_builder::{Use, WordBuilder};
use super::{Reader, Result};
use crate::command::HereDocument;
use crate::error::ReadError;
use crate::span::Span;

/// A here-document whose body was not reached yet.
pub(super) struct Pending {
    pub(super) slot: usize,
    pub(super) delimiter: Vec<u8>,
    pub(super) strips_tabs: bool,
    pub(super) expands: bool,
    /// The redirection.
    pub(super) span: Span,
}

impl Pending {
    pub(super) fn unterminated(&self) -> ReadError {
        ReadError::Unterminated {
            construct: "here-document",
            span: self.span,
        }
    }

    /// Whether bash ends the body in this line inside of `$(…)` or `<(…)`: a line that begins with the end word and
    /// holds the closing parenthesis anywhere behind it does, and the rest of it is read as commands.
    fn may_end_in(&self, line: &[u8]) -> bool {
        line.strip_prefix(self.delimiter.as_slice())
            .is_some_and(|rest| rest.contains(&b')'))
    }
}

impl Reader<'_, '_> {
    /// Collects the body that begins at the cursor and reads it.
    pub(super) fn here_document(&mut self, pending: Pending) -> Result<()> {
        let start = self.here();
        let mut body = Derived::default();
        loop {
            let end = self.here();
            if self.cursor.raw().is_none() {
                return Err(pending.unterminated());
            }
            let line = self.document_line(&pending);
            if line.bytes == pending.delimiter {
                body.end = end;
                break;
            }
            if self.state.in_parentheses && pending.may_end_in(&line.bytes) && self.is_bash() {
                return Err(self.not_understood(
                    "a line of a here-document that begins like its end and holds a `)`",
                    end,
                ));
            }
            body.bytes.extend(line.bytes);
            body.origins.extend(line.origins);
            if self.cursor.raw().is_some() {
                self.state.steps += 1;
                body.take(&mut self.cursor);
            } else {
                return Err(pending.unterminated());
            }
        }
        if self.cursor.raw().is_some() {
            self.cursor.bump_raw();
        }
        let content = HereDocument {
            span: Span::new(start, body.end),
            expands: pending.expands,
            text: None,
            slot: pending.slot,
        };
        self.document_body(&body, content)
    }

    /// One line without its end. In a body that is expanded, a backslash joins it with the next one, which comes
    /// before the comparison with the end word.
    fn document_line(&mut self, pending: &Pending) -> Derived {
        let mut line = Derived::default();
        if pending.strips_tabs {
            while self.cursor.raw() == Some(b'\t') {
                self.cursor.bump_raw();
            }
        }
        while let Some(byte) = self.cursor.raw() {
            self.state.steps += 1;
            match byte {
                b'\n' => break,
                b'\\' if pending.expands => {
                    let mut ahead = self.cursor;
                    ahead.bump_raw();
                    if ahead.raw() == Some(b'\n') {
                        ahead.bump_raw();
                        self.cursor = ahead;
                        if pending.strips_tabs && line.bytes.is_empty() {
                            while self.cursor.raw() == Some(b'\t') {
                                self.cursor.bump_raw();
                            }
                        }
                    } else {
                        line.take(&mut self.cursor);
                        line.take(&mut self.cursor);
                    }
                }
                _ => {
                    let count =
                        line.take_while(&mut self.cursor, |byte| !matches!(byte, b'\n' | b'\\'));
                    // A backslash of a body that is not expanded is a letter like any other.
                    match count.checked_sub(1) {
                        Some(more) => self.state.steps += more,
                        None => line.take(&mut self.cursor),
                    }
                }
            }
        }
        line
    }

    fn document_body(&mut self, body: &Derived, mut content: HereDocument) -> Result<()> {
        if !content.expands {
            content.text = String::from_utf8(body.bytes.clone()).ok();
            if content
                .text
                .as_ref()
                .is_none_or(|text| text.contains('`') || text.contains("$("))
            {
                self.state.quoted_code.push(content.span);
            }
            let apart = self.state.begin_document();
            self.state.end_document(apart, Some(content));
            return Ok(());
        }
        let apart = self.state.begin_document();
        let word = self.deeper(|outer| {
            let mut reader = Reader::new(Cursor::derived(body), outer.state);
            let mut builder = WordBuilder::new(content.span.start);
            reader.document_text(&mut builder)?;
            Ok(reader.finish_word(builder, Use::Value))
        });
        match word {
            Ok(word) => {
                content.text = word.literal().map(str::to_owned);
                self.state.end_document(apart, Some(content));
                Ok(())
            }
            Err(error) => {
                self.state.end_document(apart, None);
                Err(error)
            }
        }
    }

    /// The text of a body: as in double quotes, but the quote mark means nothing.
    fn document_text(&mut self, builder: &mut WordBuilder) -> Result<()> {
        while let Some(byte) = self.peek() {
            match byte {
                b'\\' => self.escaped_in_double_quotes(builder, b"$`\\"),
                b'$' => self.dollar(builder, true)?,
                b'`' => {
                    let strips_quote = !self.is_bash();
                    self.backticks(builder, true, strips_quote)?;
                }
                _ => self.run(builder, true, |byte| !matches!(byte, b'\\' | b'$' | b'`')),
            }
        }
        Ok(())
    }
}
