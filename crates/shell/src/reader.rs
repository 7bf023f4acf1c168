//! One recursive reader over the bytes of a text.
//!
//! Substitutions are read where they begin, never by looking for their end first. The two exceptions are those that
//! shells make themselves: backticks are un-escaped and read again, bodies of here-documents are collected and read.

pub(crate) mod arithmetic;
mod assignment;
mod command;
mod compound;
mod conditional;
mod cursor;
mod dollar;
mod here_document;
mod list;
mod loops;
mod marks;
mod parameter;
mod quote;
mod redirection;
mod reserved;
mod state;
mod word;
mod word_builder;

use std::cell::Cell;

use crate::error::ReadError;
use crate::grammar::ShellGrammar;
use crate::limits::{MAX_DEPTH, MAX_TEXT_BYTES};
use crate::scope::ScopeKind;
use crate::script::Script;
use crate::span::Span;
use cursor::Cursor;
use here_document::Pending;
use reserved::Reserved;
use state::State;

type Result<T> = std::result::Result<T, ReadError>;

/// Reads a command text as the shell of this dialect would.
///
/// An empty text and one of comments alone give a script without findings. Pure: nothing is run or looked up.
///
/// # Errors
///
/// [`ReadError`] when the text is no valid command text, when a limit of [`crate::limits`] is reached, or when the
/// reader does not know for certain what the shell would run.
pub fn read(text: &str, dialect: ShellGrammar) -> Result<Script> {
    let (script, error) = read_until_error(text, dialect);
    match error {
        None => Ok(script),
        Some(error) => Err(error),
    }
}

/// Reads like [`read`] and gives what was found before the error, if there is one.
///
/// A shell carries out the lines before a syntax error, so what stands there can be denied although the text as a
/// whole is not understood. With an error the findings are never complete: they must not allow anything.
#[must_use]
pub fn read_until_error(text: &str, dialect: ShellGrammar) -> (Script, Option<ReadError>) {
    let mut state = State::new(dialect, text.len());
    let error = if text.len() > MAX_TEXT_BYTES {
        Some(ReadError::TooLong { length: text.len() })
    } else if let Some(position) = text.bytes().position(|byte| byte == 0) {
        let span = Span::new(position, position + 1);
        Some(ReadError::NulByte { span })
    } else {
        let mut reader = Reader::new(Cursor::new(text), &mut state);
        reader.list().and_then(|_| reader.end_of_text()).err()
    };
    (state.into_script(), error)
}

/// The reader of one source: the text itself, or a piece of it after removal of one level of escapes.
struct Reader<'a, 's> {
    cursor: Cursor<'a>,
    state: &'s mut State,
    /// Here-documents whose bodies begin after the next line end.
    pending: Vec<Pending>,
    /// Positions where `((` turned out to be no arithmetic, so that nesting does not try again and again.
    failed_arithmetic: Vec<usize>,
    /// Between which places a `}` before `<` or `>` was looked for last, and whether there is one.
    closing: Cell<(usize, usize, bool)>,
    /// The place at which a reserved word was looked for last, and what was there.
    reserved_at: Cell<(usize, Option<(Reserved, Cursor<'a>)>)>,
}

impl<'a, 's> Reader<'a, 's> {
    fn new(cursor: Cursor<'a>, state: &'s mut State) -> Self {
        Self {
            cursor,
            state,
            pending: Vec::new(),
            failed_arithmetic: Vec::new(),
            closing: Cell::new((usize::MAX, 0, false)),
            reserved_at: Cell::new((usize::MAX, None)),
        }
    }

    /// Whether bash reads. To be asked last, where nothing but the shell decides: up to the first question both shells
    /// have read the same, and a text that asks none need not be read twice.
    fn is_bash(&self) -> bool {
        self.state.reads_alike.set(false);
        self.state.dialect.is_bash()
    }

    /// Whether the shell evaluates values of variables, which gives marks and changes no reading.
    fn evaluates(&self) -> bool {
        self.state.dialect.is_bash()
    }

    fn peek(&mut self) -> Option<u8> {
        self.cursor.peek()
    }

    fn bump(&mut self) {
        self.state.steps += 1;
        self.cursor.bump();
    }

    /// Where the reader stands, in the text as it was given.
    fn here(&self) -> usize {
        self.cursor.origin()
    }

    fn span_from(&self, start: usize) -> Span {
        Span::new(start, self.cursor.origin_end())
    }

    /// Counts one more visible construct around what `inner` reads.
    fn deeper<T>(&mut self, inner: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.state.depth >= MAX_DEPTH {
            let here = self.here();
            return Err(ReadError::TooDeep {
                span: Span::new(here, here + 1),
            });
        }
        self.state.depth += 1;
        let result = inner(self);
        self.state.depth -= 1;
        result
    }

    /// Reads with a scope of this kind around what is found.
    fn scoped<T>(
        &mut self,
        kind: ScopeKind,
        inner: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<T> {
        let outer = self.state.open_scope(kind, self.here());
        let result = inner(self);
        self.state.scope = outer;
        result
    }

    fn check_steps(&self) -> Result<()> {
        if self.state.steps > self.state.step_limit {
            let here = self.here();
            return Err(ReadError::TooManySteps {
                span: Span::new(here, here + 1),
            });
        }
        Ok(())
    }

    fn skip_blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t')) {
            self.bump();
        }
    }

    /// Skips blanks, comments and line ends.
    fn skip_lines(&mut self) -> Result<()> {
        loop {
            self.skip_blanks();
            match self.peek() {
                Some(b'#') => self.skip_comment(),
                Some(b'\n') => self.line_end()?,
                _ => return Ok(()),
            }
        }
    }

    /// Skips to the line end. A backslash before it does not join lines in a comment.
    fn skip_comment(&mut self) {
        self.state.irregular += 1;
        while let Some(byte) = self.cursor.raw() {
            if byte == b'\n' {
                break;
            }
            self.state.steps += 1;
            self.cursor.bump_raw();
        }
    }

    /// Takes the line end at the cursor and the bodies of the here-documents that begin behind it.
    fn line_end(&mut self) -> Result<()> {
        self.bump();
        for pending in std::mem::take(&mut self.pending) {
            self.here_document(pending)?;
        }
        Ok(())
    }

    /// Takes `text` if it stands at the cursor.
    fn take(&mut self, text: &[u8]) -> bool {
        let mut ahead = self.cursor;
        for byte in text {
            if ahead.peek() != Some(*byte) {
                return false;
            }
            ahead.bump();
        }
        self.state.steps += text.len();
        self.cursor = ahead;
        true
    }

    /// Whether `text` stands at the cursor.
    fn at(&self, text: &[u8]) -> bool {
        let mut ahead = self.cursor;
        text.iter().all(|byte| {
            let same = ahead.peek() == Some(*byte);
            ahead.bump();
            same
        })
    }

    fn end_of_text(&mut self) -> Result<()> {
        self.no_pending()?;
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(self.unexpected("the end of the command or a separator")),
        }
    }

    fn no_pending(&self) -> Result<()> {
        match self.pending.first() {
            None => Ok(()),
            Some(pending) => Err(pending.unterminated()),
        }
    }

    fn unexpected(&mut self, expected: &'static str) -> ReadError {
        let _joins_lines = self.peek();
        let start = self.here();
        let mut ahead = self.cursor;
        let mut found = Vec::new();
        while let Some(byte) = ahead.peek() {
            if found.len() >= 12 || (matches!(byte, b' ' | b'\t' | b'\n') && !found.is_empty()) {
                break;
            }
            found.push(byte);
            ahead.bump();
        }
        let found = if found.is_empty() {
            "end of text".to_owned()
        } else {
            String::from_utf8_lossy(&found).into_owned()
        };
        ReadError::Unexpected {
            found,
            expected,
            span: Span::new(start, ahead.origin_end()),
        }
    }

    fn not_understood(&self, what: &'static str, start: usize) -> ReadError {
        ReadError::NotUnderstood {
            what,
            span: self.span_from(start),
        }
    }

    fn unterminated(&self, construct: &'static str, start: usize) -> ReadError {
        ReadError::Unterminated {
            construct,
            span: self.span_from(start),
        }
    }
}
