//! The string of `env -S`, split as GNU coreutils splits it.

use crate::span::Span;
use crate::word::Word;

/// The words of the string, or `None` where it takes values from the environment or is not valid.
pub(super) fn split(text: &str, span: Span) -> Option<Vec<Word>> {
    let mut words = Vec::new();
    let mut current: Option<String> = None;
    let mut characters = text.chars().peekable();
    let mut quote: Option<char> = None;
    while let Some(character) = characters.next() {
        match (quote, character) {
            (Some(open), _) if character == open => quote = None,
            (None, '\'' | '"') => {
                quote = Some(character);
                current.get_or_insert_default();
            }
            (Some('\''), '\\') => {
                let literal = match characters.peek() {
                    Some('\\' | '\'') => characters.next()?,
                    _ => '\\',
                };
                current.get_or_insert_default().push(literal);
            }
            (_, '\\') => {
                let escape = characters.next()?;
                let literal = match escape {
                    '"' | '#' | '$' | '\'' | '\\' => escape,
                    'f' => '\u{c}',
                    'n' => '\n',
                    'r' => '\r',
                    't' => '\t',
                    'v' => '\u{b}',
                    '_' if quote.is_some() => ' ',
                    '_' => {
                        words.extend(current.take());
                        continue;
                    }
                    'c' if quote.is_none() => break,
                    _ => return None,
                };
                current.get_or_insert_default().push(literal);
            }
            (Some('\''), _) => current.get_or_insert_default().push(character),
            (_, '$') => return None,
            (None, '#') if current.is_none() => break,
            (None, ' ' | '\t' | '\n' | '\u{b}' | '\u{c}' | '\r') => words.extend(current.take()),
            (_, _) => current.get_or_insert_default().push(character),
        }
    }
    if quote.is_some() {
        return None;
    }
    words.extend(current);
    Some(
        words
            .iter()
            .map(|word| Word::synthetic(word, span))
            .collect(),
    )
}
