//! Changed lines, token by token: what the model copied keeps the characters of the file.

use std::ops::Range;

use crate::error::Unclear;
use crate::fold::{Extent, Level, View, is_blank};
use crate::matcher::script::{Slide, Step, script};

/// A token of a line: where it stands, and its folded form.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Token {
    range: Range<usize>,
    folded: String,
}

/// Splits a line into words, runs of blanks, runs of full stops, and single other characters.
/// Lines that differ in typography or in the length of runs of blanks have the same tokens.
fn tokens(body: &str) -> Vec<Token> {
    let view = View::new(body, Level::Typography, Extent::Part);
    let mut tokens: Vec<Token> = Vec::new();
    let mut start = 0;
    let mut characters = view.text.char_indices().peekable();
    while let Some((offset, c)) = characters.next() {
        let end = offset + c.len_utf8();
        let joined = characters
            .peek()
            .is_some_and(|&(_, next)| belongs_together(c, next));
        if joined {
            continue;
        }
        let (Some(from), Some(to)) = (view.to_original(start), view.to_original(end)) else {
            continue;
        };
        let text = view.text.get(start..end).unwrap_or_default();
        let folded = if text.chars().all(is_blank) {
            " ".to_owned()
        } else {
            text.to_owned()
        };
        tokens.push(Token {
            range: from..to,
            folded,
        });
        start = end;
    }
    tokens
}

fn belongs_together(left: char, right: char) -> bool {
    let is_word = |c: char| {
        c.is_alphanumeric() || c == '_' || unicode_normalization::char::is_combining_mark(c)
    };
    (is_word(left) && is_word(right))
        || (is_blank(left) && is_blank(right))
        || (left == '.' && right == '.')
}

/// The lines of a change: the bodies of the call and what the file has for them.
pub(crate) struct ChangedLines<'a> {
    pub(crate) old: Vec<&'a str>,
    pub(crate) file: Vec<&'a str>,
    pub(crate) new: Vec<&'a str>,
}

/// A token of the whole change. The break between two lines is a token of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Piece<'a> {
    Text(&'a str),
    Break,
}

impl ChangedLines<'_> {
    /// Whether a line of the file is spelt differently from the line of the call.
    pub(crate) fn is_needed(&self) -> bool {
        self.old
            .iter()
            .zip(&self.file)
            .any(|(old, file)| old != file)
    }

    /// The new lines with the characters of the file for all that was copied from the old ones.
    pub(crate) fn mapped(&self) -> Result<Vec<String>, Unclear> {
        let down = self.mapped_with(Slide::Down)?;
        let up = self.mapped_with(Slide::Up)?;
        if down == up {
            Ok(down)
        } else {
            Err(Unclear::Alignment)
        }
    }

    fn mapped_with(&self, slide: Slide) -> Result<Vec<String>, Unclear> {
        let (mut old, mut file) = (Vec::new(), Vec::new());
        for (index, (old_body, file_body)) in self.old.iter().zip(&self.file).enumerate() {
            let (old_tokens, file_tokens) = (tokens(old_body), tokens(file_body));
            let same = old_tokens.len() == file_tokens.len()
                && old_tokens
                    .iter()
                    .zip(&file_tokens)
                    .all(|(a, b)| a.folded == b.folded);
            if !same {
                return Err(Unclear::Alignment);
            }
            if index > 0 {
                old.push(Piece::Break);
                file.push("");
            }
            for (a, b) in old_tokens.into_iter().zip(file_tokens) {
                old.push(Piece::Text(old_body.get(a.range).unwrap_or_default()));
                file.push(file_body.get(b.range).unwrap_or_default());
            }
        }
        let new = self.new_pieces();
        let steps = script(&old, &new, slide);
        emit(&steps, &old, &file, &new)
    }

    fn new_pieces(&self) -> Vec<Piece<'_>> {
        let mut pieces = Vec::new();
        for (index, body) in self.new.iter().enumerate() {
            if index > 0 {
                pieces.push(Piece::Break);
            }
            let found = tokens(body);
            pieces.extend(
                found
                    .into_iter()
                    .map(|token| Piece::Text(body.get(token.range).unwrap_or_default())),
            );
        }
        pieces
    }
}

fn emit(
    steps: &[Step],
    old: &[Piece<'_>],
    file: &[&str],
    new: &[Piece<'_>],
) -> Result<Vec<String>, Unclear> {
    let mut lines = vec![String::new()];
    let mut push = |piece: &Piece<'_>, text: &str| match piece {
        Piece::Break => lines.push(String::new()),
        Piece::Text(_) => {
            if let Some(line) = lines.last_mut() {
                line.push_str(text);
            }
        }
    };
    for step in steps {
        match step {
            Step::Keep {
                old: kept,
                new: copied,
            } => {
                let run = old.get(kept.clone()).unwrap_or_default();
                let at_edge = kept.start == 0 && copied.start == 0
                    || kept.end == old.len() && copied.end == new.len();
                for (piece, text) in run.iter().zip(file.get(kept.clone()).unwrap_or_default()) {
                    let respelt = matches!(piece, Piece::Text(own) if own != text);
                    if respelt && !at_edge && !is_anchored(run) {
                        return Err(Unclear::Alignment);
                    }
                    push(piece, text);
                }
            }
            Step::Change { new: added, .. } => {
                for piece in new.get(added.clone()).unwrap_or_default() {
                    if let Piece::Text(text) = piece {
                        push(piece, text);
                    } else {
                        push(piece, "");
                    }
                }
            }
        }
    }
    Ok(lines)
}

/// A run of copied tokens says where it comes from only if a word is among them, or two
/// other characters.
fn is_anchored(run: &[Piece<'_>]) -> bool {
    let solid = run
        .iter()
        .filter_map(|piece| match piece {
            Piece::Text(text) if !text.chars().all(is_blank) => Some(*text),
            _ => None,
        })
        .collect::<Vec<_>>();
    solid.len() >= 2
        || solid
            .iter()
            .any(|text| text.chars().any(char::is_alphanumeric))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mapped(old: &str, file: &str, new: &str) -> Result<Vec<String>, Unclear> {
        ChangedLines {
            old: vec![old],
            file: vec![file],
            new: vec![new],
        }
        .mapped()
    }

    #[test]
    fn copied_quotes_stay_as_the_file_has_them() {
        assert_eq!(
            mapped("say \"hi\" now", "say “hi” now", "say \"hi\" later"),
            Ok(vec!["say “hi” later".to_owned()])
        );
    }

    #[test]
    fn new_quotes_are_taken_as_written() {
        assert_eq!(
            mapped("don't", "don’t", "don't say 'x'"),
            Ok(vec!["don’t say 'x'".to_owned()])
        );
    }

    #[test]
    fn copied_runs_of_blanks_stay() {
        assert_eq!(
            mapped("a = b;", "a   = b;", "a = c;"),
            Ok(vec!["a   = c;".to_owned()])
        );
    }

    #[test]
    fn a_lone_quote_between_other_words_is_not_guessed() {
        assert_eq!(mapped("x' y", "x’ y", "a'b c"), Err(Unclear::Alignment));
    }
}
