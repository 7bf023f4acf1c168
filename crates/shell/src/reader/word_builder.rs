use compact_str::CompactString;
use smallvec::SmallVec;

use crate::span::Span;
use crate::word::{Expansion, Part, Word};
use crate::word::{Parts, Value};

/// Stands in the shape for a byte that no longer has a special meaning.
const QUOTED: u8 = 0;

/// Words are short.
type Bytes = SmallVec<[u8; 32]>;

/// What the shell does with a word once it is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Use {
    /// An argument: everything is expanded, fields are split, names of files are looked up.
    Argument,
    /// The value of an assignment: neither split, nor globbed, nor brace-expanded; `~` also after `:`.
    Value,
    /// A pattern, a here-string and the like: not split.
    Single,
}

/// Collects the parts of one word.
pub(super) struct WordBuilder {
    start: usize,
    parts: Parts,
    buffer: Bytes,
    buffer_quoted: bool,
    /// One byte for each byte of text: the byte itself if unquoted, else [`QUOTED`]; also one for each expansion.
    shape: Bytes,
    quoted: bool,
    splits: bool,
    globs: bool,
}

impl WordBuilder {
    pub(super) fn new(start: usize) -> Self {
        Self {
            start,
            parts: Parts::new(),
            buffer: Bytes::new(),
            buffer_quoted: false,
            shape: Bytes::new(),
            quoted: false,
            splits: false,
            globs: false,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.parts.is_empty() && self.buffer.is_empty() && !self.quoted
    }

    /// Adds a byte that may have a special meaning.
    pub(super) fn unquoted(&mut self, byte: u8) {
        self.text(byte, false);
        self.shape.push(byte);
    }

    /// Adds a byte of quoted text.
    pub(super) fn quoted(&mut self, byte: u8) {
        self.quoted = true;
        self.text(byte, true);
        self.shape.push(QUOTED);
    }

    /// Adds a byte, quoted or not.
    pub(super) fn byte(&mut self, byte: u8, quoted: bool) {
        if quoted {
            self.quoted(byte);
        } else {
            self.unquoted(byte);
        }
    }

    /// Notes a quoting mark, which makes even an empty word a word.
    pub(super) fn quote_mark(&mut self) {
        self.quoted = true;
    }

    /// Notes that the word is a pattern for names of files.
    pub(super) fn extended_pattern(&mut self) {
        self.globs = true;
    }

    /// Adds an expansion; `splits` if it can become no word or several.
    pub(super) fn expansion(&mut self, part: Part, splits: bool) {
        self.flush();
        self.parts.push(part);
        self.shape.push(QUOTED);
        self.splits |= splits;
    }

    /// Adds the parts of a word that was read apart.
    pub(super) fn append(&mut self, word: Word) {
        self.flush();
        self.quoted |= word.quoted;
        self.shape.push(QUOTED);
        self.parts.extend(word.parts);
    }

    /// Adds several bytes, quoted or not.
    pub(super) fn run(&mut self, bytes: &[u8], quoted: bool) {
        if bytes.is_empty() {
            return;
        }
        self.turn(quoted);
        self.buffer.extend_from_slice(bytes);
        if quoted {
            self.quoted = true;
            self.shape.resize(self.shape.len() + bytes.len(), QUOTED);
        } else {
            self.shape.extend_from_slice(bytes);
        }
    }

    fn text(&mut self, byte: u8, quoted: bool) {
        self.turn(quoted);
        self.buffer.push(byte);
    }

    /// Ends a piece of the other quoting.
    fn turn(&mut self, quoted: bool) {
        if self.buffer_quoted != quoted {
            self.flush();
            self.buffer_quoted = quoted;
        }
    }

    fn flush(&mut self) {
        if self.buffer.is_empty() {
            return;
        }
        let part = match CompactString::from_utf8(&self.buffer) {
            Ok(value) => Part::Text {
                value,
                quoted: self.buffer_quoted,
            },
            Err(_) => Part::Unknown,
        };
        self.buffer.clear();
        self.parts.push(part);
    }

    pub(super) fn finish(
        mut self,
        end: usize,
        purpose: Use,
        is_bash: impl FnOnce() -> bool,
    ) -> Word {
        self.flush();
        let mut expansion = Expansion {
            splits: self.splits,
            globs: self.globs || has_pattern(&self.shape),
            braces: purpose == Use::Argument && has_brace_list(&self.shape) && is_bash(),
            tilde: has_tilde(&self.shape, purpose),
        };
        if purpose != Use::Argument {
            expansion.splits = false;
        }
        if purpose == Use::Value {
            expansion.globs = false;
        }
        let value = if expansion.any() {
            Value::Opaque
        } else {
            Value::of(&self.parts)
        };
        Word {
            span: Span::new(self.start, end),
            parts: self.parts,
            expansion,
            quoted: self.quoted,
            value,
        }
    }
}

/// Whether the shell takes the word for a pattern. A bracket counts when any bracket closes it later.
fn has_pattern(shape: &[u8]) -> bool {
    shape.iter().any(|byte| matches!(byte, b'*' | b'?'))
        || shape
            .iter()
            .position(|byte| *byte == b'[')
            .is_some_and(|open| shape.iter().skip(open + 1).any(|byte| *byte == b']'))
}

/// Whether bash may expand a brace list in the word: an opening brace, then a comma or two dots, then a closing one.
/// A few words that bash leaves alone count too.
fn has_brace_list(shape: &[u8]) -> bool {
    let Some(open) = shape.iter().position(|byte| *byte == b'{') else {
        return false;
    };
    let Some(close) = shape.iter().rposition(|byte| *byte == b'}') else {
        return false;
    };
    let inside = shape.get(open..close).unwrap_or_default();
    inside.contains(&b',') || inside.windows(2).any(|pair| pair == b"..")
}

/// Whether a `~` stands where the shell puts a directory: first, or, in something that looks like an assignment, after
/// the equals sign or a colon (bash does that to arguments too).
fn has_tilde(shape: &[u8], purpose: Use) -> bool {
    if shape.first() == Some(&b'~') {
        return true;
    }
    let value = match purpose {
        Use::Value => Some(shape),
        Use::Argument => value_of_assignment(shape),
        Use::Single => None,
    };
    value.is_some_and(|value| {
        value.first() == Some(&b'~') || value.windows(2).any(|pair| pair == b":~")
    })
}

/// What follows `name=`, `name+=` or `name[…]=` at the start of a word.
fn value_of_assignment(shape: &[u8]) -> Option<&[u8]> {
    let equals = shape.iter().position(|byte| *byte == b'=')?;
    let name = shape.get(..equals)?;
    let named = name
        .first()
        .is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_');
    named.then(|| shape.get(equals + 1..)).flatten()
}
