//! What file names a word with shell patterns can become.

use tenon_shell::{Part, Word};

use crate::glob::{Segment, Token, class};

/// A character of a word, and whether quotes or a backslash take its meaning away.
type Letter = (char, bool);

/// The paths below the workspace root that `word` can become in `folder`; `None` when that cannot be told.
///
/// `folder` are the parts of the folder below the root. A star at the start of a name does not take a dot; who
/// allows a text that switches `dotglob` on has to look at that.
pub(crate) fn form(folder: &[String], word: &Word) -> Option<Vec<Segment>> {
    let letters = letters(word)?;
    let special = |wanted: &[char]| {
        letters
            .iter()
            .any(|(letter, quoted)| !quoted && wanted.contains(letter))
    };
    if word.expansion.tilde || word.expansion.braces || special(&['(']) || letters.first()?.0 == '/'
    {
        return None;
    }
    let mut form: Vec<Segment> = folder
        .iter()
        .map(|part| Segment::Name(part.chars().map(Token::Character).collect()))
        .collect();
    for part in letters.split(|(letter, _)| *letter == '/') {
        match part {
            [] | [('.', _)] => {}
            [('.', _), ('.', _)] => return None,
            [('*', false), ('*', false)] => form.push(Segment::AnyDepth),
            _ => form.push(Segment::Name(tokens(part)?)),
        }
    }
    Some(form)
}

fn letters(word: &Word) -> Option<Vec<Letter>> {
    let mut letters = Vec::new();
    for part in &word.parts {
        let Part::Text { value, quoted } = part else {
            return None;
        };
        letters.extend(value.chars().map(|letter| (letter, *quoted)));
    }
    Some(letters)
}

fn tokens(part: &[Letter]) -> Option<Vec<Token>> {
    let mut tokens = Vec::new();
    let mut rest = part;
    while let [(letter, quoted), tail @ ..] = rest {
        rest = tail;
        tokens.push(match letter {
            _ if *quoted => Token::Character(*letter),
            '*' if tokens.is_empty() => Token::ShellRun,
            '*' => Token::AnyRun,
            '?' => Token::AnyOne,
            '[' => {
                let text: String = tail.iter().map(|(letter, _)| *letter).collect();
                if tail.iter().any(|(_, quoted)| *quoted) {
                    return None;
                }
                let (class, bytes) = class(&text)?;
                let taken = text.get(..bytes)?.chars().count();
                rest = tail.get(taken..)?;
                class
            }
            _ => Token::Character(*letter),
        });
    }
    Some(tokens)
}
