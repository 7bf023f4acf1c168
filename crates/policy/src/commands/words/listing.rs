//! Programs that list the names of everything below a directory.

use std::path::Path;

use tenon_shell::Word;

use crate::commands::words::{is_given, tokens};
use crate::glob::{Token, token_lists_overlap, tokens_match};

/// How a program lists.
pub(crate) struct NameListing<'w> {
    pub(crate) words: &'w [Word],
    pub(crate) finds: bool,
    /// How many names deep it goes.
    depth: Option<usize>,
}

impl<'w> NameListing<'w> {
    /// `None` for a program that lists no names but those of one directory.
    pub(crate) fn of(name: &str, words: &'w [Word]) -> Option<Self> {
        let depth = match name {
            "ls" | "dir" | "vdir" if is_given(words, &['R'], &["recursive"]) => None,
            "eza" if is_given(words, &['R', 'T'], &["recurse", "recursive", "tree"]) => {
                number(words, &["-L", "--level", "--depth"])
            }
            "du" if is_given(words, &['a'], &["all"]) => number(words, &["-d", "--max-depth"]),
            "tree" => number(words, &["-L"]),
            "find" => number(words, &["-maxdepth"]),
            "fd" => number(words, &["-d", "--max-depth", "--maxdepth"]),
            _ => return None,
        };
        let finds = matches!(name, "find");
        Some(Self {
            words,
            finds,
            depth,
        })
    }

    /// Whether it lists names in a directory that lies `below` what it was given as `root`.
    pub(crate) fn lists(&self, root: &str, below: &Path) -> bool {
        let names: Vec<&str> = below.iter().filter_map(|name| name.to_str()).collect();
        if self.depth.is_some_and(|depth| depth <= names.len()) {
            return false;
        }
        if self.finds {
            let place = format!("{}/{}/", root.trim_end_matches('/'), names.join("/"));
            return !self.passes_by(&place, &names);
        }
        // What is left out by a name: `tree -I 'a|b'`, `fd -E a`, `ls --ignore=a`.
        let left_out = |word: &Word| {
            let text = word.literal().unwrap_or_default();
            let text = text.split_once('=').map_or(text, |(_, value)| value);
            text.split('|')
                .any(|name| names.contains(&name.trim_end_matches('/')))
        };
        !self.words.iter().skip(1).any(left_out)
    }

    /// Whether the expression of `find` keeps it from listing names in this directory.
    fn passes_by(&self, place: &str, names: &[&str]) -> bool {
        let words: Vec<&str> = self
            .words
            .iter()
            .map(|word| word.literal().unwrap_or_default())
            .collect();
        let is_or = |word: &&str| matches!(*word, "-o" | "-or" | ",");
        let all_hold = !words.iter().any(is_or);
        let within: Vec<Token> = place
            .chars()
            .map(Token::Character)
            .chain([Token::AnyRun])
            .collect();
        words.windows(2).enumerate().any(|(at, pair)| {
            let [test, value] = pair else { return false };
            let before = at.checked_sub(1).and_then(|at| words.get(at));
            let is_not = matches!(before, Some(&("!" | "-not")));
            let prunes = words.get(at + 2) == Some(&"-prune");
            let pattern = tokens(value);
            match *test {
                "-path" | "-wholename" if is_not || prunes => {
                    let directory = place.trim_end_matches('/');
                    let all = tokens_match(&pattern, &format!("{place}x"));
                    all && is_not || prunes && tokens_match(&pattern, directory)
                }
                "-path" | "-wholename" => all_hold && !token_lists_overlap(&pattern, &within),
                "-name" if prunes && !is_not => {
                    names.iter().any(|name| tokens_match(&pattern, name))
                }
                // Who looks for one name knows it.
                "-name" | "-iname" if !is_not => all_hold && !value.contains(['*', '?', '[']),
                _ => false,
            }
        })
    }
}

/// The number behind the last of these options.
fn number(words: &[Word], options: &[&str]) -> Option<usize> {
    let texts: Vec<&str> = words.iter().filter_map(Word::literal).collect();
    let mut found = None;
    for (at, text) in texts.iter().enumerate() {
        for option in options {
            let value = match text.strip_prefix(option) {
                Some("") => texts.get(at + 1).copied(),
                Some(rest) => Some(rest.trim_start_matches('=')),
                None => None,
            };
            found = value.and_then(|value| value.parse().ok()).or(found);
        }
    }
    found
}
