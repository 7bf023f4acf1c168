//! How the file spells what the old text of a call spells otherwise, and what follows from it
//! for text that the call adds.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

use crate::error::Unclear;
use crate::fold::{Extent, Level, View, is_blank};

/// A token of a line: where it stands, and its folded form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) range: Range<usize>,
    pub(crate) folded: String,
}

/// Splits a line into words, runs of whitespace, runs of full stops, and single other characters.
/// Lines that differ in typography or in the length of runs of whitespace have the same tokens.
pub(crate) fn tokens(body: &str) -> Vec<Token> {
    let view = View::new(body, Level::Typography, Extent::Part);
    let mut tokens: Vec<Token> = Vec::new();
    let mut start = 0;
    let mut characters = view.text.char_indices().peekable();
    while let Some((offset, c)) = characters.next() {
        let end = offset + c.len_utf8();
        if characters
            .peek()
            .is_some_and(|&(_, next)| belongs_together(c, next))
        {
            continue;
        }
        let (Some(from), Some(to)) = (view.to_original(start), view.to_original(end)) else {
            continue;
        };
        let text = view.text.get(start..end).unwrap_or_default();
        let folded = if is_blank_run(text) {
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
    // What the view cuts off is whitespace at the end; a text that has it keeps it.
    let covered = tokens.last().map_or(0, |token| token.range.end);
    if covered < body.len() {
        tokens.push(Token {
            range: covered..body.len(),
            folded: " ".to_owned(),
        });
    }
    tokens
}

fn belongs_together(left: char, right: char) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || is_combining_mark(c);
    (is_word(left) && is_word(right))
        || (is_blank(left) && is_blank(right))
        || (left == '.' && right == '.')
}

pub(crate) fn is_blank_run(text: &str) -> bool {
    !text.is_empty() && text.chars().all(is_blank)
}

/// The spellings of the file, for each token of the old text that the two may spell differently.
#[derive(Debug, Default)]
pub(crate) struct Spelling {
    signs: BTreeMap<String, BTreeSet<String>>,
    runs: BTreeMap<String, BTreeSet<String>>,
    has_other_runs: bool,
    has_other_letters: bool,
    has_other_leading: bool,
}

impl Spelling {
    /// Learns from pairs of lines of the call and the file. `None` if two of them do not have
    /// the same tokens.
    pub(crate) fn learn<'a>(pairs: impl Iterator<Item = (&'a str, &'a str)>) -> Option<Self> {
        let mut spelling = Self::default();
        for (call, file) in pairs {
            if call == file && call.is_ascii() {
                spelling.learn_plain(call);
                continue;
            }
            let (call_tokens, file_tokens) = (tokens(call), tokens(file));
            if call_tokens.len() != file_tokens.len() {
                return None;
            }
            for (at, (ours, theirs)) in call_tokens.iter().zip(&file_tokens).enumerate() {
                if ours.folded != theirs.folded {
                    return None;
                }
                let ours = call.get(ours.range.clone())?;
                spelling.add(at == 0, ours, file.get(theirs.range.clone())?);
            }
        }
        Some(spelling)
    }

    /// A line that both spell alike: its signs and runs stand for themselves.
    fn learn_plain(&mut self, line: &str) {
        for (at, token) in tokens(line).into_iter().enumerate() {
            let text = line.get(token.range).unwrap_or_default();
            self.add(at == 0, text, text);
        }
    }

    fn add(&mut self, is_first: bool, ours: &str, theirs: &str) {
        if is_blank_run(ours) && is_first {
            self.has_other_leading |= ours != theirs;
        } else if is_blank_run(ours) {
            let has_tab = |run: &str| run.contains('\t');
            self.has_other_runs |=
                ours.chars().count() != theirs.chars().count() || has_tab(ours) != has_tab(theirs);
            self.runs
                .entry(ours.to_owned())
                .or_default()
                .insert(theirs.to_owned());
        } else if ours.chars().any(char::is_alphanumeric) {
            self.has_other_letters |= ours != theirs;
        } else {
            self.signs
                .entry(ours.to_owned())
                .or_default()
                .insert(theirs.to_owned());
        }
    }

    /// How the file would spell a token that the call adds.
    pub(crate) fn of_added(&self, is_first: bool, token: &str) -> Result<String, Unclear> {
        if is_blank_run(token) {
            return self.of_added_blanks(is_first, token);
        }
        if token.chars().any(char::is_alphanumeric) {
            let has_two_forms = token.nfc().collect::<String>() != token
                || token.nfd().collect::<String>() != token;
            return if self.has_other_letters && has_two_forms {
                Err(Unclear::Alignment)
            } else {
                Ok(token.to_owned())
            };
        }
        if !token.is_ascii() && !self.signs.contains_key(token) && self.has_plainer_file() {
            return Err(Unclear::Alignment);
        }
        spelt(self.signs.get(token), token)
    }

    /// Whether the call has typographic characters where the file has plain ones: then others
    /// that it adds may not be meant either.
    fn has_plainer_file(&self) -> bool {
        let is_plainer = |(ours, theirs): (&String, &BTreeSet<String>)| {
            !ours.is_ascii() && theirs.iter().any(|theirs| theirs != ours)
        };
        self.signs.iter().chain(&self.runs).any(is_plainer)
    }

    fn of_added_blanks(&self, is_first: bool, token: &str) -> Result<String, Unclear> {
        if is_first {
            return if self.has_other_leading {
                Err(Unclear::Alignment)
            } else {
                Ok(token.to_owned())
            };
        }
        let known = self.runs.get(token);
        if !token.is_ascii() && known.is_none() && self.has_plainer_file() {
            return Err(Unclear::Alignment);
        }
        if !self.has_other_runs {
            return spelt(known, token);
        }
        match known
            .map(|spellings| spellings.iter().collect::<Vec<_>>())
            .as_deref()
        {
            // That the call has one blank where the file lines something up says nothing about other places.
            Some([only]) if token != " " || *only == token => Ok((*only).clone()),
            _ => Err(Unclear::Alignment),
        }
    }
}

/// A token that always stands for one spelling of the file is put into it, unless it is the
/// plain form of a typographic one: that does not say which form an added one should have.
fn spelt(spellings: Option<&BTreeSet<String>>, token: &str) -> Result<String, Unclear> {
    let Some(spellings) = spellings else {
        return Ok(token.to_owned());
    };
    let stands_for_itself = spellings.contains(token);
    match (spellings.first(), token.is_ascii()) {
        (Some(only), false) if spellings.len() == 1 => Ok(only.clone()),
        (_, true) if stands_for_itself => Ok(token.to_owned()),
        _ => Err(Unclear::Alignment),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn added(pairs: &[(&str, &str)], token: &str) -> Result<String, Unclear> {
        Spelling::learn(pairs.iter().copied())
            .unwrap()
            .of_added(false, token)
    }

    #[test]
    fn a_typographic_sign_of_the_call_that_stands_for_a_plain_one_is_made_plain() {
        assert_eq!(added(&[("a — b", "a - b")], "—"), Ok("-".to_owned()));
        assert_eq!(
            added(&[("a — b — c", "a - b — c")], "—"),
            Err(Unclear::Alignment)
        );
    }

    #[test]
    fn a_plain_sign_that_stands_for_a_typographic_one_is_not_guessed() {
        assert_eq!(added(&[("isn't", "isn’t")], "'"), Err(Unclear::Alignment));
        assert_eq!(
            added(&[("isn't 'a'", "isn’t 'a'")], "'"),
            Ok("'".to_owned())
        );
    }

    #[test]
    fn runs_of_blanks_follow_the_file_if_they_always_do() {
        assert_eq!(added(&[("a  b  c", "a b c")], "  "), Ok(" ".to_owned()));
        assert_eq!(added(&[("a b c", "a  b c")], " "), Err(Unclear::Alignment));
        assert_eq!(added(&[("a b", "a  b")], " "), Err(Unclear::Alignment));
        assert_eq!(added(&[("a b c", "a\tb c")], " "), Err(Unclear::Alignment));
        assert_eq!(added(&[("a b", "a\u{a0}b")], " "), Err(Unclear::Alignment));
        assert_eq!(added(&[("a b c", "a\u{a0}b c")], " "), Ok(" ".to_owned()));
    }
}
