//! Files that code of gnuplot writes: `set output "a.png"`, `set print`, `save`.

use smallvec::smallvec;

use super::arguments::opaque;
use super::file::{FileOperand, FileOperands, OperandWord};
use crate::span::Span;
use crate::word::{Expansion, Part, Word};

/// What code of gnuplot writes, and whether that is known.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Outputs {
    /// The names as they are written, without their quotes.
    pub(crate) names: Vec<String>,
    /// The beginning of a name that does not end within the code.
    unfinished: Option<String>,
    /// Whether it writes something whose name is computed, which can be a pipe to a program as well, or runs what is not read here.
    pub(crate) is_open: bool,
}

#[derive(Debug, PartialEq, Eq)]
enum Token<'t> {
    Word(&'t str),
    Text(String),
    Unfinished(String),
    Sign(char),
}

impl Token<'_> {
    /// Whether it is this word, or an abbreviation with as many letters at least.
    fn is(&self, name: &str, letters: usize) -> bool {
        matches!(self, Self::Word(word) if word.len() >= letters && name.starts_with(word))
    }

    const fn ends_statement(&self) -> bool {
        matches!(self, Self::Sign(';' | '\n' | '{' | '}'))
    }
}

/// What this code writes.
pub(crate) fn outputs(code: &str) -> Outputs {
    let tokens = tokens(code);
    let mut outputs = Outputs::default();
    for (place, token) in tokens.iter().enumerate() {
        let rest = tokens.get(place + 1..).unwrap_or_default();
        let begins = place
            .checked_sub(1)
            .and_then(|before| tokens.get(before))
            .is_none_or(Token::ends_statement);
        // `shell.gp` is a file.
        let is_alone = !matches!(rest.first(), Some(Token::Sign('.' | '/' | '=')));
        let runs = [("evaluate", 2), ("shell", 3), ("import", 6)];
        // `@name` stands for code that a variable holds.
        outputs.is_open |= *token == Token::Sign('@');
        outputs.is_open |=
            begins && is_alone && runs.iter().any(|(name, letters)| token.is(name, *letters));
        if token.is("set", 2) {
            match rest {
                [what, value @ ..]
                    if what.is("output", 1) || what.is("print", 2) || what.is("table", 2) =>
                {
                    outputs.take(value);
                }
                [fit, log, value @ ..] if fit.is("fit", 2) && log.is("logfile", 1) => {
                    outputs.take(value);
                }
                _ => {}
            }
        } else if begins && (token.is("save", 2) || token.is("history", 2)) {
            // What of it stands in front.
            let is_text =
                |token: &Token<'_>| matches!(token, Token::Text(_) | Token::Unfinished(_));
            let end = rest.iter().position(Token::ends_statement);
            let own = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
            match own.iter().position(is_text) {
                Some(text) => outputs.take(own.get(text..).unwrap_or_default()),
                None => outputs.is_open |= token.is("save", 2) && is_alone && !own.is_empty(),
            }
        } else if begins && is_alone && token.is("cd", 2) {
            // All other names continue from there.
            outputs.take(rest);
        }
    }
    outputs
}

impl Outputs {
    /// Takes the name that stands in front of these.
    fn take(&mut self, value: &[Token<'_>]) {
        match value {
            [Token::Text(_), Token::Sign('.' | '['), ..] => self.is_open = true,
            [Token::Text(name), ..] => self.names.push(name.clone()),
            [Token::Unfinished(start), ..] => self.unfinished = Some(start.clone()),
            // It ends what was begun, or fills a variable.
            [] | [Token::Sign('$'), ..] => {}
            [first, ..] => self.is_open |= !first.ends_statement(),
        }
    }
}

fn tokens(code: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut rest = code;
    while let Some(first) = rest.chars().next() {
        let behind = rest.get(first.len_utf8()..).unwrap_or_default();
        rest = match first {
            '\'' | '"' => {
                let (token, behind) = text(first, behind);
                tokens.push(token);
                behind
            }
            '#' => behind
                .find('\n')
                .and_then(|end| behind.get(end..))
                .unwrap_or_default(),
            // The line continues.
            '\\' if behind.starts_with('\n') => behind.get(1..).unwrap_or_default(),
            _ if first.is_alphabetic() || first == '_' => {
                let is_other = |letter: char| !letter.is_alphanumeric() && letter != '_';
                let (word, behind) = rest.split_at(rest.find(is_other).unwrap_or(rest.len()));
                tokens.push(Token::Word(word));
                behind
            }
            _ => {
                if first == '\n' || !first.is_whitespace() {
                    tokens.push(Token::Sign(first));
                }
                behind
            }
        };
    }
    tokens
}

/// The text behind a quote, and what follows it.
fn text(quote: char, behind: &str) -> (Token<'_>, &str) {
    let mut text = String::new();
    let mut letters = behind.char_indices();
    while let Some((place, letter)) = letters.next() {
        let next = behind.get(place + letter.len_utf8()..).unwrap_or_default();
        match letter {
            '\'' if quote == '\'' && next.starts_with('\'') => {
                letters.next();
                text.push('\'');
            }
            '\\' if quote == '"' => text.extend(letters.next().map(|(_, letter)| letter)),
            _ if letter == quote => return (Token::Text(text), next),
            _ => text.push(letter),
        }
    }
    (Token::Unfinished(text), "")
}

/// The files that this code writes, whose text stands at this place.
pub(super) fn written(code: &str, span: Span) -> Vec<Word> {
    let names = outputs(code).names;
    names.iter().map(|name| path(name, span)).collect()
}

/// A path as gnuplot reads it, which knows the home directory.
fn path(name: &str, span: Span) -> Word {
    let tilde = name.starts_with('~');
    let text = Part::text(name, !tilde);
    let expansion = Expansion {
        tilde,
        ..Expansion::default()
    };
    Word {
        quoted: false,
        ..Word::of_parts(smallvec![text], expansion, span)
    }
}

/// Adds what the code among these arguments writes.
pub(super) fn add(arguments: &[Word], files: &mut FileOperands<'_>) {
    for word in arguments {
        let outputs = outputs(&word.prefix());
        let named = { outputs.names.iter() }
            .map(|name| OperandWord::Value(Box::new(path(name, word.span))));
        let begun = outputs.unfinished.iter().filter(|_| word.is_opaque());
        let begun = begun.map(|start| opaque(start, word.span));
        files.extend({ named.chain(begun) }.map(FileOperand::written));
    }
}
