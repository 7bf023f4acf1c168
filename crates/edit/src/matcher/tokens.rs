//! Changed lines, token by token: what the model copied keeps the characters of the file.

use crate::error::Unclear;
use crate::fold::is_blank;
use crate::matcher::script::{ScriptStep, Slide, script};
use crate::matcher::spelling::{Spelling, tokens};

/// The lines of a change: the bodies of the call and what the file has for them.
pub(crate) struct ChangedLines<'a> {
    pub(crate) old: Vec<&'a str>,
    pub(crate) file: Vec<&'a str>,
    pub(crate) new: Vec<&'a str>,
    /// What the whole match reports about the spelling of the file.
    pub(crate) spelling: &'a Spelling,
}

/// A token of the whole change. The break between two lines is a token of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Piece<'a> {
    Text { text: &'a str, is_first: bool },
    Break,
}

impl<'a> ChangedLines<'a> {
    /// The new lines with the characters of the file for all that was copied from the old ones.
    pub(crate) fn mapped(&self) -> Result<Vec<String>, Unclear> {
        if self.new.is_empty() {
            return Ok(Vec::new());
        }
        let down = self.mapped_with(Slide::Down)?;
        let up = self.mapped_with(Slide::Up)?;
        if down == up {
            Ok(down)
        } else {
            Err(Unclear::Alignment)
        }
    }

    fn mapped_with(&self, slide: Slide) -> Result<Vec<String>, Unclear> {
        let (old, file, new) = (pieces(&self.old), pieces(&self.file), pieces(&self.new));
        if old.len() != file.len() {
            return Err(Unclear::Alignment);
        }
        let steps = script(&old, &new, slide);
        let mut output = vec![String::new()];
        for step in &steps {
            match step {
                ScriptStep::Keep {
                    old: kept,
                    new: copied,
                } => {
                    let is_at_edge = kept.start == 0 && copied.start == 0
                        || kept.end == old.len() && copied.end == new.len();
                    let ours = old.get(kept.clone()).unwrap_or_default();
                    let theirs = file.get(kept.clone()).unwrap_or_default();
                    if !is_at_edge && is_respelt(ours, theirs) && !is_anchored(ours) {
                        return Err(Unclear::Alignment);
                    }
                    theirs
                        .iter()
                        .for_each(|piece| push(&mut output, piece, piece.text()));
                }
                ScriptStep::Change { new: added, .. } => {
                    for piece in new.get(added.clone()).unwrap_or_default() {
                        push(&mut output, piece, &self.spelt(piece)?);
                    }
                }
            }
        }
        Ok(output)
    }

    fn spelt(&self, piece: &Piece<'_>) -> Result<String, Unclear> {
        match piece {
            Piece::Break => Ok(String::new()),
            Piece::Text { text, is_first } => self.spelling.of_added(*is_first, text),
        }
    }
}

fn pieces<'a>(lines: &[&'a str]) -> Vec<Piece<'a>> {
    let mut pieces = Vec::new();
    for (index, body) in lines.iter().enumerate() {
        if index > 0 {
            pieces.push(Piece::Break);
        }
        pieces.extend(
            tokens(body)
                .into_iter()
                .enumerate()
                .map(|(at, token)| Piece::Text {
                    text: body.get(token.range).unwrap_or_default(),
                    is_first: at == 0,
                }),
        );
    }
    pieces
}

impl<'a> Piece<'a> {
    const fn text(&self) -> &'a str {
        match self {
            Self::Text { text, .. } => text,
            Self::Break => "",
        }
    }
}

fn push(output: &mut Vec<String>, piece: &Piece<'_>, text: &str) {
    if *piece == Piece::Break {
        output.push(String::new());
    } else if let Some(line) = output.last_mut() {
        line.push_str(text);
    }
}

fn is_respelt(ours: &[Piece<'_>], theirs: &[Piece<'_>]) -> bool {
    ours.iter()
        .zip(theirs)
        .any(|(own, file)| own.text() != file.text())
}

/// A run of copied tokens says where it comes from only if a word is among them, or two
/// other characters.
fn is_anchored(run: &[Piece<'_>]) -> bool {
    let is_solid = |text: &&str| !text.chars().all(is_blank);
    let solid: Vec<&str> = run.iter().map(Piece::text).filter(is_solid).collect();
    solid.len() >= 2
        || solid
            .iter()
            .any(|text| text.chars().any(char::is_alphanumeric))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mapped(old: &str, file: &str, new: &str) -> Result<Vec<String>, Unclear> {
        let spelling = Spelling::learn([(old, file)].into_iter()).unwrap();
        ChangedLines {
            old: vec![old],
            file: vec![file],
            new: vec![new],
            spelling: &spelling,
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
    fn new_quotes_of_a_kind_that_the_file_spells_otherwise_are_not_guessed() {
        assert_eq!(
            mapped("don't", "don’t", "don't say 'x'"),
            Err(Unclear::Alignment)
        );
        assert_eq!(
            mapped("don't", "don’t", "don't say \"x\""),
            Ok(vec!["don’t say \"x\"".to_owned()])
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
