use super::cursor::{Cursor, Derived};
use super::word_builder::WordBuilder;
use super::{Reader, Result};
use crate::scope::ScopeKind;
use crate::word::Part;

impl Reader<'_, '_> {
    /// `'…'`: nothing has a meaning inside, not even a backslash before a line end.
    pub(super) fn single_quoted(&mut self, builder: &mut WordBuilder) -> Result<()> {
        let start = self.here();
        self.bump();
        builder.quote_mark();
        self.run(builder, true, |byte| byte != b'\'');
        if self.cursor.raw().is_none() {
            return Err(self.unterminated("single-quoted text", start));
        }
        self.state.steps += 1;
        self.cursor.bump_raw();
        Ok(())
    }

    /// `"…"`.
    pub(super) fn double_quoted(&mut self, builder: &mut WordBuilder) -> Result<()> {
        self.check_steps()?;
        let start = self.here();
        self.bump();
        builder.quote_mark();
        loop {
            let Some(byte) = self.peek() else {
                return Err(self.unterminated("double-quoted text", start));
            };
            match byte {
                b'"' => {
                    self.bump();
                    return Ok(());
                }
                b'\\' => self.escaped_in_double_quotes(builder, b"$`\"\\"),
                b'$' => self.dollar(builder, true)?,
                b'`' => self.backticks(builder, true, true)?,
                _ => self.run(builder, true, |byte| {
                    !matches!(byte, b'"' | b'\\' | b'$' | b'`')
                }),
            }
        }
    }

    /// A backslash that only escapes some characters and else stands for itself.
    pub(super) fn escaped_in_double_quotes(&mut self, builder: &mut WordBuilder, escapable: &[u8]) {
        self.bump();
        match self.cursor.raw() {
            Some(byte) if escapable.contains(&byte) => {
                builder.quoted(byte);
                self.state.steps += 1;
                self.cursor.bump_raw();
            }
            _ => builder.quoted(b'\\'),
        }
    }

    /// `$'…'` of bash; the cursor stands on the quote.
    pub(super) fn ansi_quoted(&mut self, builder: &mut WordBuilder) -> Result<()> {
        let start = self.here();
        self.bump();
        builder.quote_mark();
        let mut inside = Vec::new();
        loop {
            let Some(byte) = self.cursor.raw() else {
                return Err(self.unterminated("`$'` text", start));
            };
            self.state.steps += 1;
            self.cursor.bump_raw();
            match byte {
                b'\'' => break,
                b'\\' => {
                    inside.push(byte);
                    if let Some(next) = self.cursor.raw() {
                        inside.push(next);
                        self.cursor.bump_raw();
                    }
                }
                _ => inside.push(byte),
            }
        }
        let decoded = decode_ansi(&inside);
        // bash 5.2 writes the commands of a substitution down again, `$'it\'s'` as `'it'\''s'`, and in deep nests loses
        // the backslash again, so that all quotes behind it are turned around.
        let rewritten = self.state.substitution_documents.is_some();
        if rewritten && decoded.as_ref().is_none_or(|text| text.contains(&b'\'')) {
            return Err(
                self.not_understood("a quote mark in `$'…'` in a command substitution", start)
            );
        }
        match decoded {
            Some(bytes) => bytes.into_iter().for_each(|byte| builder.quoted(byte)),
            None => builder.expansion(Part::Unknown, false),
        }
        Ok(())
    }

    /// Backticks: the text up to the next unescaped one is un-escaped by one level and read as commands.
    ///
    /// `strips_quote`: whether `\"` inside loses its backslash, as it does in double quotes.
    pub(super) fn backticks(
        &mut self,
        builder: &mut WordBuilder,
        quoted: bool,
        strips_quote: bool,
    ) -> Result<()> {
        let start = self.here();
        let inner = self.unescape_backticks(start, strips_quote)?;
        // The text in backticks is kept as it is; see `parenthesised`.
        let outer_documents = self.state.substitution_documents.take();
        let scope = self.deeper(|reader| {
            reader.scoped(ScopeKind::CommandSubstitution, |outer| {
                let scope = outer.state.scope;
                let mut reader = Reader::new(Cursor::derived(&inner), outer.state);
                reader.list()?;
                reader.end_of_text()?;
                Ok(scope)
            })
        })?;
        self.state.substitution_documents = outer_documents;
        builder.expansion(Part::CommandSubstitution { scope, quoted }, !quoted);
        Ok(())
    }

    fn unescape_backticks(&mut self, start: usize, strips_quote: bool) -> Result<Derived> {
        self.bump();
        let mut inner = Derived::default();
        loop {
            match self.cursor.raw() {
                None => return Err(self.unterminated("command substitution in backticks", start)),
                Some(b'`') => {
                    inner.end = self.here();
                    self.bump();
                    return Ok(inner);
                }
                Some(b'\\') => {
                    let mut ahead = self.cursor;
                    ahead.bump_raw();
                    match ahead.raw() {
                        // Both shells join lines here, even inside single quotes.
                        Some(b'\n') => {
                            ahead.bump_raw();
                            self.cursor = ahead;
                        }
                        Some(b'$' | b'`' | b'\\') => {
                            self.cursor = ahead;
                            inner.take(&mut self.cursor);
                        }
                        Some(b'"') if strips_quote => {
                            self.cursor = ahead;
                            inner.take(&mut self.cursor);
                        }
                        Some(_) => {
                            inner.take(&mut self.cursor);
                            inner.take(&mut self.cursor);
                        }
                        None => inner.take(&mut self.cursor),
                    }
                }
                Some(_) => inner.take(&mut self.cursor),
            }
            self.state.steps += 1;
        }
    }
}

/// The bytes that bash makes of the inside of `$'…'`, or `None` where that depends on the locale or on a NUL byte.
fn decode_ansi(inside: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(inside.len());
    let mut rest = inside;
    while let [first, tail @ ..] = rest {
        rest = tail;
        if *first != b'\\' {
            bytes.push(*first);
            continue;
        }
        let [escape, tail @ ..] = rest else {
            bytes.push(b'\\');
            break;
        };
        rest = tail;
        let byte = match escape {
            b'a' => 7,
            b'b' => 8,
            b'e' | b'E' => 27,
            b'f' => 12,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'v' => 11,
            b'\\' | b'\'' | b'"' | b'?' => *escape,
            b'0'..=b'7' => {
                let (value, used) = number(*escape, rest, 8, 2);
                rest = rest.get(used..)?;
                u8::try_from(value & 0xff).ok()?
            }
            b'x' => {
                let (value, used) = number(b'0', rest, 16, 2);
                if used == 0 {
                    // `\x{…}` and a bare `\x` are read in several ways.
                    return None;
                }
                rest = rest.get(used..)?;
                u8::try_from(value).ok()?
            }
            b'u' | b'U' => {
                let (value, used) = number(b'0', rest, 16, if *escape == b'u' { 4 } else { 8 });
                rest = rest.get(used..)?;
                u8::try_from(value)
                    .ok()
                    .filter(|byte| used > 0 && byte.is_ascii())?
            }
            b'c' => return None,
            other => {
                bytes.push(b'\\');
                *other
            }
        };
        if byte == 0 {
            return None;
        }
        bytes.push(byte);
    }
    Some(bytes)
}

/// The number made of the digit `first` and of at most `most` digits of `rest`, and how many of these it took.
fn number(first: u8, rest: &[u8], radix: u32, most: usize) -> (u32, usize) {
    let mut value = char::from(first).to_digit(radix).unwrap_or(0);
    let mut used = 0;
    for byte in rest.iter().take(most) {
        let Some(digit) = char::from(*byte).to_digit(radix) else {
            break;
        };
        value = value.wrapping_mul(radix).wrapping_add(digit);
        used += 1;
    }
    (value, used)
}
