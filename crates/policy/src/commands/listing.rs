//! Programs that tell the names of everything below a folder.
//!
//! A listing of a folder tells the names in it, and rules on reading keep back what files hold. What lies below a
//! folder that a rule keeps back is another matter: not even its names are told, as the tools that list and find leave
//! them out. A command cannot leave them out, so it is asked where it would come to them.

use std::path::{Path, PathBuf};

use tenon_shell::{FileAccess, FileOperand, Word};

use super::Context;
use super::ground::State;
use super::recursion::is_given;
use super::repositories::tokens;
use super::selection::Selection;
use super::strict::name_of;
use super::survey::{Found, Use};
use crate::decision::{Judgement, PartKind, Why};
use crate::glob::{Token, token_lists_overlap, tokens_match};
use crate::rule::{Kind, Pattern, Rule};

/// How a program lists.
struct Listing<'w> {
    words: &'w [Word],
    finds: bool,
    /// How many names deep it goes.
    depth: Option<usize>,
}

impl<'w> Listing<'w> {
    /// `None` for a program that tells no names but those of one folder.
    fn of(words: &'w [Word]) -> Option<Self> {
        let name = name_of(words)?;
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

    /// Whether it tells names in a folder that lies `below` what it was given as `root`.
    fn tells(&self, root: &str, below: &Path) -> bool {
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

    /// Whether the expression of `find` keeps it from telling names in this folder.
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
                    let folder = place.trim_end_matches('/');
                    let all = tokens_match(&pattern, &format!("{place}x"));
                    all && is_not || prunes && tokens_match(&pattern, folder)
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

impl<'e> Context<'e, '_> {
    /// The names that a program tells of what is below the folders that it is given.
    pub(super) fn listed(
        &self,
        words: &[Word],
        files: &[FileOperand<'_>],
        state: State,
        judgement: &mut Judgement<'e>,
    ) {
        if self.open || !self.engine.rules.names_files {
            return;
        }
        let Some(listing) = Listing::of(words) else {
            return;
        };
        let roots = files.iter().filter(|file| file.access == FileAccess::Read);
        let mut roots: Vec<&str> = roots.filter_map(|file| file.word.literal()).collect();
        if !files.iter().any(|file| file.access == FileAccess::Read) {
            roots.push(".");
        }
        for folder in self.ground.candidates(state).into_iter().flatten() {
            for root in &roots {
                let name = self.ground.follow(folder, root);
                let Some(inside) = name.inside().filter(|inside| inside.is_folder) else {
                    continue;
                };
                let target = self.ground.path(folder).join(root);
                let target = inside.target().map_or(target, Path::to_path_buf);
                let target = crate::paths::lexical(&target);
                if let Some((rule, below)) = self.kept_back(&listing, root, &target)
                    && !self.finds_nothing(&listing, &target.join(&below))
                {
                    judgement.matched(rule);
                    let reason = format!(
                        "It lists the names in `{}`, which the rule `{}` hides.",
                        below.display(),
                        rule.text.rule
                    );
                    let why = Why::because_of(rule, reason);
                    judgement.add(self.floor(PartKind::Read, inside.name, why));
                }
            }
        }
    }

    /// Whether nothing in this folder is among what `find` looks for.
    fn finds_nothing(&self, listing: &Listing<'_>, folder: &Path) -> bool {
        // It may be counted from another folder.
        let mut selection = Selection::of(listing.words);
        selection.depth = None;
        let name = folder.to_string_lossy();
        listing.finds
            && matches!(
                self.survey(Kind::Read, &name, folder, &selection, Use::Names),
                Found::Nothing
            )
    }

    /// The rule that keeps back the content of a folder below this one to which the listing goes, and the folder.
    fn kept_back(
        &self,
        listing: &Listing<'_>,
        root: &str,
        target: &Path,
    ) -> Option<(&'e Rule, PathBuf)> {
        let rules = self.engine.rules.strict_on_files();
        let mut rules = rules.filter(|rule| rule.binds(Kind::Read));
        rules.find_map(|rule| {
            let Pattern::Path(glob) = &rule.pattern else {
                return None;
            };
            let found = glob.literal_paths().find_map(|path| {
                let folder = self.engine.root.join(path);
                let below = folder.strip_prefix(target).ok()?.to_path_buf();
                let is_below = !below.as_os_str().is_empty() && listing.tells(root, &below);
                let here = is_below.then(|| self.ground.folder(&folder))?;
                let name = self.ground.follow(here, ".");
                name.inside()?.is_folder.then_some(below)
            });
            found.map(|below| (rule, below))
        })
    }
}
