//! Scripts of `sed` that run programs or name files: the commands `e`, `w`, `W`, `r`, `R` and the flags `e` and `w`
//! of `s` (GNU sed 4.9).

use std::borrow::Cow;

use tenon_programs::words::variables::NUMBERS;
use tenon_programs::{Effects, Place, parse};

use super::clients::is_input;
use crate::span::Span;
use crate::word::{ParameterOperation, Part, Word};

/// A script that `sed` is given.
pub(super) enum Script<'w> {
    /// It stands in this word, from this place on.
    Text(&'w Word, usize),
    /// It stands in the file that this word names, from this place on.
    File(&'w Word, usize),
}

impl Script<'_> {
    /// Whether it is what `sed` reads.
    pub(super) fn is_input(&self) -> bool {
        match self {
            Self::Text(..) => false,
            Self::File(word, place) => word
                .literal()
                .and_then(|text| text.get(*place..))
                .is_some_and(is_input),
        }
    }

    /// Whether it may run something or name a file. A file of the workspace is a script like others that lie there.
    fn reaches_out(&self) -> bool {
        match self {
            Self::Text(word, place) => known(word)
                .as_deref()
                .and_then(|text| text.get(*place..))
                .is_none_or(reaches_out),
            Self::File(word, place) => word
                .literal()
                .and_then(|text| text.get(*place..))
                .is_none_or(|name| !is_input(name) && is_descriptor(name)),
        }
    }
}

/// Whether a name is that of what a redirection has opened.
fn is_descriptor(name: &str) -> bool {
    name.starts_with("/dev/fd/") || name.starts_with("/proc/")
}

/// The scripts that these arguments of `sed` give: those of options, else the first operand.
pub(super) fn scripts(arguments: &[Word]) -> impl Iterator<Item = Script<'_>> {
    let options = tenon_programs::find("sed").map_or(&[][..], |sed| sed.options);
    let parsed = parse(options, arguments);
    // With it sed refuses all that reaches out.
    let mut all = parsed.options.iter();
    let is_safe = all.any(|given| given.word.literal() == Some("--sandbox"));
    let mut given = { parsed.options.iter() }
        .filter(|given| given.does(Effects::TEXT))
        .peekable();
    let first = parsed.operands.first().filter(|_| given.peek().is_none());
    let first = first.map(|word| Script::Text(word, 0));
    let given = given.filter_map(|given| {
        let (word, place) = match given.value? {
            Place::Next(word) => (word, 0),
            Place::Within(word, place) => (word, place),
        };
        Some(match given.does(Effects::READ) {
            true => Script::File(word, place),
            false => Script::Text(word, place),
        })
    });
    let all: Vec<Script<'_>> = given.chain(first).filter(|_| !is_safe).collect();
    all.into_iter()
}

/// The first script for `sed` that runs something or names a file, or of which that is not known.
pub(super) fn find(arguments: &[Word]) -> Option<Span> {
    let reaches = scripts(arguments).find(Script::reaches_out)?;
    let (Script::Text(word, _) | Script::File(word, _)) = reaches;
    Some(word.span)
}

/// The text of a word with a number in place of each part that can only be one; nothing where it cannot be determined.
fn known(word: &Word) -> Option<Cow<'_, str>> {
    if let Some(text) = word.literal() {
        return Some(Cow::Borrowed(text));
    }
    if word.expansion.braces || word.expansion.globs {
        return word.pattern();
    }
    let mut text = String::new();
    for part in &word.parts {
        text.push_str(match part {
            Part::Text { value, .. } => value,
            Part::Arithmetic { .. } => "1",
            Part::Parameter {
                name, operation, ..
            } if *operation == ParameterOperation::Length
                || *operation == ParameterOperation::Value && NUMBERS.contains(&name.as_str()) =>
            {
                "1"
            }
            _ => return None,
        });
    }
    Some(Cow::Owned(text))
}

/// Whether the script runs something, names a file or is not understood.
pub(super) fn reaches_out(script: &str) -> bool {
    let scanner = Scanner {
        rest: script.as_bytes(),
        is_strict: false,
        labels_end: (true, true),
    };
    !scanner.only_edits()
}

/// Whether a script for `sed` only edits and prints, to every version of it: what they read in different ways counts as
/// something else.
#[must_use]
pub fn sed_only_edits(script: &str) -> bool {
    // A semicolon ends labels or belongs to them, which is not the same for all versions and commands.
    let readings = [(false, false), (false, true), (true, false), (true, true)];
    readings.into_iter().all(|labels_end| {
        let scanner = Scanner {
            rest: script.as_bytes(),
            is_strict: true,
            labels_end,
        };
        scanner.only_edits()
    })
}

struct Scanner<'a> {
    rest: &'a [u8],
    /// Whether what versions read in different ways is not understood.
    is_strict: bool,
    /// Whether a semicolon ends the label of `:`, and those of `b`, `t` and `T`.
    labels_end: (bool, bool),
}

impl Scanner<'_> {
    /// Whether all commands are known to run nothing and to name no file.
    fn only_edits(mut self) -> bool {
        let (label_ends, branch_ends) = self.labels_end;
        while let Some(command) = self.command() {
            let is_harmless = match command {
                b'}' | b'{' | b'=' | b'd' | b'D' | b'g' | b'G' | b'h' | b'H' | b'n' | b'N'
                | b'p' | b'P' | b'x' | b'z' | b'F' => true,
                b'q' | b'Q' | b'l' | b'L' => {
                    self.skip_while(|byte| byte.is_ascii_digit() || byte == b' ');
                    true
                }
                b'#' | b'a' | b'i' | b'c' => self.text(command != b'#'),
                b':' => self.label(label_ends),
                b'b' | b't' | b'T' => self.label(branch_ends),
                b'y' => self.delimited(),
                b's' => self.delimited() && self.harmless_flags(),
                _ => false,
            };
            if !is_harmless {
                return false;
            }
        }
        true
    }

    fn next(&mut self) -> Option<u8> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*first)
    }

    fn skip_while(&mut self, fits: impl Fn(u8) -> bool) {
        while self.rest.first().is_some_and(|byte| fits(*byte)) {
            self.next();
        }
    }

    /// The letter of the next command, its addresses skipped; an address that is not closed gives `?`.
    fn command(&mut self) -> Option<u8> {
        loop {
            self.skip_while(|byte| {
                byte.is_ascii_whitespace() || b";,!$~+".contains(&byte) || byte.is_ascii_digit()
            });
            match self.next()? {
                b'/' => {
                    if !self.regex(b'/') {
                        return Some(b'?');
                    }
                    self.skip_while(|byte| matches!(byte, b'I' | b'M'));
                }
                b'\\' => {
                    let closed = self.next().is_some_and(|delimiter| self.regex(delimiter));
                    if !closed {
                        return Some(b'?');
                    }
                    self.skip_while(|byte| matches!(byte, b'I' | b'M'));
                }
                command => return Some(command),
            }
        }
    }

    /// Skips to behind the delimiter; a backslash takes away its meaning.
    fn until(&mut self, delimiter: u8) -> bool {
        while let Some(byte) = self.next() {
            if byte == delimiter {
                return true;
            }
            if byte == b'\\' {
                self.next();
            }
        }
        false
    }

    /// Skips a regular expression and its delimiter. A delimiter inside of brackets belongs to the expression for
    /// some versions and ends it for others: it is not understood.
    fn regex(&mut self, delimiter: u8) -> bool {
        while let Some(byte) = self.next() {
            match byte {
                _ if byte == delimiter => return true,
                b'\\' => {
                    self.next();
                }
                b'[' => {
                    let inside = self.rest;
                    self.skip_while(|byte| byte == b'^');
                    self.next();
                    while self.rest.first().is_some_and(|byte| *byte != b']') {
                        let class = self.next() == Some(b'[')
                            && matches!(self.rest.first(), Some(b':' | b'.' | b'='));
                        if class && !self.until(b']') {
                            return false;
                        }
                    }
                    if self.next().is_none() {
                        return false;
                    }
                    let length = inside.len().saturating_sub(self.rest.len());
                    let class = inside.get(..length).unwrap_or_default();
                    let escapes = class.iter().rev().skip(1);
                    let escapes = escapes.take_while(|byte| **byte == b'\\').count();
                    // To some versions a backslash takes away the meaning of the bracket that closes.
                    let is_unsure = self.is_strict && escapes % 2 == 1;
                    if is_unsure || class.contains(&delimiter) || class.contains(&b'\n') {
                        return false;
                    }
                }
                b'\n' if self.is_strict => return false,
                _ => {}
            }
        }
        false
    }

    /// The two parts of `s` and `y`.
    fn delimited(&mut self) -> bool {
        match self.next() {
            None | Some(b'\n' | b'\\') => false,
            Some(delimiter) => self.regex(delimiter) && self.until(delimiter),
        }
    }

    fn harmless_flags(&mut self) -> bool {
        while let Some(flag) = self.rest.first().copied() {
            match flag {
                b'g' | b'p' | b'i' | b'I' | b'm' | b'M' | b'0'..=b'9' => self.next(),
                b'\n' | b';' | b' ' | b'\t' | b'}' | b'#' => return true,
                _ => return false,
            };
        }
        true
    }

    /// A label. GNU sed 4.9 ends it at a blank and reads commands behind it, others read on: text behind a blank is not
    /// understood.
    fn label(&mut self, semicolon_ends: bool) -> bool {
        if !self.reads_line() {
            return false;
        }
        let is_blank = |byte: u8| byte == b' ' || byte == b'\t';
        self.skip_while(is_blank);
        self.skip_while(|byte| !byte.is_ascii_whitespace() && !matches!(byte, 0x0b | b';' | b'}'));
        self.skip_while(is_blank);
        let is_end = matches!(self.rest.first(), None | Some(b'\n' | b';' | b'}'));
        if !semicolon_ends {
            self.skip_while(|byte| byte != b'\n');
        }
        is_end
    }

    /// The rest of the line; a text continues in the next line after a backslash.
    fn text(&mut self, continues: bool) -> bool {
        if !self.reads_line() {
            return false;
        }
        while let Some(byte) = self.next() {
            match byte {
                b'\n' => break,
                b'\\' if continues => {
                    self.next();
                }
                _ => {}
            }
        }
        true
    }

    /// Whether all versions end a text or a label at the end of this line at the latest, and nowhere before.
    fn reads_line(&self) -> bool {
        let line = self.rest.split(|byte| *byte == b'\n').next();
        let line = line.unwrap_or_default();
        !self.is_strict || !line.ends_with(b"\\") && !line.contains(&b'}')
    }
}
