use std::borrow::Cow;

use compact_str::CompactString;
use smallvec::{SmallVec, smallvec};

use crate::scope::ScopeId;
use crate::span::Span;

/// The parts of a word. Most words are one piece of text, and a text of thousands of words should not pay for as
/// many lists.
pub(crate) type Parts = SmallVec<[Part; 1]>;

/// One word as the shell's grammar sees it, before expansion.
///
/// ```
/// use tenon_shell::{ShellGrammar, read};
/// let script = read("echo 'a b'\"c\"$HOME", ShellGrammar::Bash)?;
/// let command = script.commands().next().expect("one command");
/// assert_eq!(command.words[0].literal(), Some("echo"));
/// assert_eq!(command.words[1].literal(), None);
/// assert_eq!(command.words[1].prefix(), "a bc");
/// # Ok::<(), tenon_shell::ReadError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// Where the word stands.
    pub span: Span,
    /// What it consists of, in order. Neighbouring text of the same quoting is one part.
    pub parts: SmallVec<[Part; 1]>,
    /// What the shell may still do with it.
    pub expansion: Expansion,
    /// Whether any quoting mark or backslash occurs in the word.
    pub quoted: bool,
    pub(crate) value: Value,
}

/// Whether the argument is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Value {
    /// It depends on an expansion.
    Opaque,
    /// It is the text of the only part, or empty if there is none.
    Part,
    /// It is this text, joined from several parts.
    Joined(String),
}

impl Value {
    /// The value of a word that is left as it is, with these parts.
    pub(crate) fn of(parts: &[Part]) -> Self {
        match parts {
            [] | [Part::Text { .. }] => Self::Part,
            _ => {
                let mut joined = String::new();
                for part in parts {
                    let Part::Text { value, .. } = part else {
                        return Self::Opaque;
                    };
                    joined.push_str(value);
                }
                Self::Joined(joined)
            }
        }
    }
}

/// What a shell may make of a word beyond taking its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Expansion {
    /// An expansion outside of quotes (or `"$@"`): the word can become no word or several.
    pub splits: bool,
    /// An unquoted `*`, `?`, `[…]` or extended pattern: the word can become names of files.
    pub globs: bool,
    /// A brace list or sequence that bash expands to several words.
    pub braces: bool,
    /// An unquoted `~` where the shell puts a home directory.
    pub tilde: bool,
}

impl Expansion {
    /// Whether anything is left to expand.
    #[must_use]
    pub fn any(self) -> bool {
        self.splits || self.globs || self.braces || self.tilde
    }
}

/// A piece of a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// Text after removal of quotes and escapes.
    Text {
        /// The text.
        value: CompactString,
        /// Whether it stood in quotes or behind a backslash.
        quoted: bool,
    },
    /// `$name`, `${name…}`.
    Parameter {
        /// Name, number or special character of the parameter.
        name: String,
        /// What is done with its value.
        operation: ParameterOperation,
        /// Whether it stands in double quotes.
        quoted: bool,
    },
    /// `$(…)` or backticks. Its commands are findings of this scope.
    CommandSubstitution {
        /// The scope of its commands.
        scope: ScopeId,
        /// Whether it stands in double quotes.
        quoted: bool,
    },
    /// `<(…)` or `>(…)`. Its commands are findings of this scope.
    ProcessSubstitution {
        /// The scope of its commands.
        scope: ScopeId,
    },
    /// `$((…))` or `$[…]`.
    Arithmetic {
        /// Whether it stands in double quotes.
        quoted: bool,
    },
    /// A value that cannot be determined from the text: a `$"…"` that may be translated, bytes that are no UTF-8, an
    /// escape whose meaning depends on the locale, the list of an array assignment.
    Unknown,
}

impl Part {
    /// A text.
    #[must_use]
    pub fn text(value: impl Into<CompactString>, quoted: bool) -> Self {
        let value = value.into();
        Self::Text { value, quoted }
    }
}

/// The operator of a parameter expansion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParameterOperation {
    /// `$x`, `${x}`, `${x[@]}`.
    Value,
    /// `${x[i]}`: an element of an array. Of a variable with one value all but the first are empty.
    Element,
    /// `${#x}`.
    Length,
    /// `${!x}`, `${!x*}`, `${!x[@]}` and their combinations.
    Indirect,
    /// `${x-w}`, `${x:-w}`, `${x+w}`, `${x?w}` and the like.
    Default,
    /// The same with a number for the word, or nothing.
    DefaultNumber,
    /// `${x=w}`, `${x:=w}`; also a finding of its own.
    Assign,
    /// `${x#p}`, `${x%p}`; what is taken away where that is known.
    Removal(Option<Removed>),
    /// `${x/p/w}`, `${x^p}`, `${x,p}`.
    Pattern,
    /// `${x:offset:length}`.
    Substring,
    /// `${x@Q}` and its relatives, except `@P`, which is refused because it expands a value as a prompt.
    Transform,
}

/// What is taken away of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Removed {
    /// A short plain text at its end: `.ts` in `${x%.ts}`.
    Ending(Ending),
    /// All from its last dot on: `${x%.*}`.
    Extension,
    /// All up to its last slash: `${x##*/}`.
    Directories,
}

/// A few letters at the end of a value, none of which means something in a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ending {
    letters: [u8; Self::MOST],
    length: usize,
}

impl Ending {
    /// Endings of names of files are shorter.
    const MOST: usize = 16;

    /// The ending with these bytes; nothing where they are too many or not plain.
    pub(crate) fn new(bytes: &[u8]) -> Option<Self> {
        let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"._-".contains(byte);
        let mut letters = [0; Self::MOST];
        letters.get_mut(..bytes.len())?.copy_from_slice(bytes);
        (!bytes.is_empty() && bytes.iter().all(is_plain)).then_some(Self {
            letters,
            length: bytes.len(),
        })
    }

    /// Its text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        let letters = self.letters.get(..self.length).unwrap_or_default();
        std::str::from_utf8(letters).unwrap_or_default()
    }
}

impl Word {
    /// The argument that a program gets for this word, exactly, or `None` when that cannot be determined from the text.
    #[inline]
    #[must_use]
    pub fn literal(&self) -> Option<&str> {
        match (&self.value, self.parts.first()) {
            (Value::Opaque, _) => None,
            (Value::Joined(value), _) => Some(value),
            (Value::Part, None) => Some(""),
            (Value::Part, Some(Part::Text { value, .. })) => Some(value),
            (Value::Part, Some(_)) => None,
        }
    }

    /// Whether the argument cannot be determined from the text.
    #[inline]
    #[must_use]
    pub fn is_opaque(&self) -> bool {
        self.literal().is_none()
    }

    /// The text before the first expansion part. Patterns, brace lists and a tilde stay in it as they are written.
    #[must_use]
    pub fn prefix(&self) -> Cow<'_, str> {
        // Most words are one piece of text.
        if let [Part::Text { value, .. }] = self.parts.as_slice() {
            return Cow::Borrowed(value);
        }
        let mut prefix = Cow::Borrowed("");
        for part in &self.parts {
            let Part::Text { value, .. } = part else {
                break;
            };
            // Borrows as long as there is one piece.
            prefix += value.as_str();
        }
        prefix
    }

    /// The text with patterns, brace lists and tilde as they are written, or `None` when a part is no text.
    #[must_use]
    pub fn pattern(&self) -> Option<Cow<'_, str>> {
        self.parts
            .iter()
            .all(|part| matches!(part, Part::Text { .. }))
            .then(|| self.prefix())
    }

    /// A literal word that stands for `span` without being written there in this form.
    #[must_use]
    pub fn synthetic(value: &str, span: Span) -> Self {
        Self {
            span,
            parts: smallvec![Part::text(value, true)],
            expansion: Expansion::default(),
            quoted: true,
            value: Value::Part,
        }
    }

    /// A word of these parts that stands for `span`.
    #[must_use]
    pub fn of_parts(parts: SmallVec<[Part; 1]>, expansion: Expansion, span: Span) -> Self {
        let value = if expansion.any() {
            Value::Opaque
        } else {
            Value::of(&parts)
        };
        Self {
            span,
            parts,
            expansion,
            quoted: true,
            value,
        }
    }

    /// Gives the scopes of substitutions their final numbers.
    pub(crate) fn renumber(&mut self, number: &impl Fn(&mut ScopeId)) {
        for part in &mut self.parts {
            if let Part::CommandSubstitution { scope, .. } | Part::ProcessSubstitution { scope } =
                part
            {
                number(scope);
            }
        }
    }

    /// The argument form of an assignment: `name=` before the value.
    pub(crate) fn behind(name: &str, value: &Self, span: Span) -> Self {
        let mut parts: Parts = smallvec![Part::text(name, false)];
        parts.extend(value.parts.iter().cloned());
        let known = match &value.value {
            Value::Opaque => Value::Opaque,
            Value::Part | Value::Joined(_) => Value::of(&parts),
        };
        Self {
            span,
            parts,
            expansion: value.expansion,
            quoted: value.quoted,
            value: known,
        }
    }
}
