//! Names that lead out of the workspace by links, among those that a word of unknown names can stand for: what is written
//! under them is judged as if they stood there.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use tenon_shell::Word;

use crate::commands::judge::survey::{fits, is_left_out};
use crate::commands::judge::{CommandJudge, RequiredCheck, Usage, Use, part_kind};
use crate::commands::resolve::{DirId, Site};
use crate::commands::words::Selection;
use crate::paths::{ListedKind, lexical, parts, within};
use crate::rule::Kind;

/// How many such names are judged.
const MOST_NAMES: usize = 16;

/// Names that lead out, each with the directory that it is relative to.
type Names = Vec<(DirId, String)>;

/// What names are chosen by.
struct Choice<'s> {
    selection: &'s Selection,
    /// Whether it is a pattern, which goes no further than its parts say.
    is_pattern: bool,
    /// Whether a link itself counts, and not only what lies behind it.
    counts_itself: bool,
}

impl<'e> CommandJudge<'e, '_> {
    /// What is written or removed by links that lead out of the workspace, where the word, or one of its `values`, can be one.
    pub(crate) fn by_links_outside(
        &mut self,
        usage: Usage<'_>,
        (word, values): (&Word, &[Word]),
        shown: &str,
        at: Site<'_>,
    ) {
        if self.open || usage.duty == RequiredCheck::Strict || usage.kind == Kind::Read {
            return;
        }
        let mut names = Names::new();
        let is_known = match self.source(word, at) {
            Some((source, _)) => {
                let selection = Selection::by_name(&source.words);
                let choice = Choice::new(&selection, false, usage);
                for (directory, root) in self.roots(&source, at).unwrap_or_default() {
                    self.leading_out(directory, &root, &choice, &mut names);
                }
                true
            }
            None => values.iter().all(|value| {
                self.links_of_text(usage, value, at);
                self.leading_out_of_pattern(value, usage, at, &mut names)
            }),
        };
        for (directory, name) in names.iter().take(MOST_NAMES) {
            self.outside(usage, *directory, name);
        }
        if !is_known || names.len() > MOST_NAMES {
            let reason = format!("`{shown}` can stand for links that lead out of the workspace.");
            self.ask(part_kind(usage.kind), shown, reason);
        }
    }

    /// The names that a pattern can stand for. Returns whether all could be looked at.
    fn leading_out_of_pattern(
        &self,
        word: &Word,
        usage: Usage<'_>,
        at: Site<'_>,
        names: &mut Names,
    ) -> bool {
        let parts = crate::shell_pattern::directory_and_rest(word);
        let (Some((above, rest)), true) = (parts, word.expansion.globs) else {
            return true;
        };
        let selection = Selection::of_pattern(&rest);
        let choice = Choice::new(&selection, true, usage);
        let directories = self.path_table.candidates(at.dirs).into_iter().flatten();
        let known =
            directories.map(|directory| self.leading_out(directory, &above, &choice, names));
        // Each is looked at, whatever comes of the others.
        let known: Vec<bool> = known.collect();
        known.iter().all(|known| *known)
    }

    /// The names below a directory that are chosen. Returns whether all could be looked at.
    fn leading_out(
        &self,
        directory: DirId,
        above: &str,
        choice: &Choice<'_>,
        names: &mut Names,
    ) -> bool {
        let mut levels = VecDeque::new();
        levels.extend(self.level_of(directory, above.to_owned(), 1));
        while let Some((name, target, depth)) = levels.pop_front() {
            let selection = choice.selection;
            if selection.depth.is_some_and(|most| depth > most) {
                continue;
            }
            let Some(entries) = self.path_table.list(&target) else {
                // What programs find in large trees is not looked through to the end.
                return !choice.is_pattern;
            };
            for entry in entries.iter() {
                let is_hidden = selection.passes_hidden && entry.name.starts_with('.');
                if is_hidden || is_left_out(depth, entry, selection, Use::Names) {
                    continue;
                }
                let on_way = selection.goes_through(depth, &entry.name).is_some();
                let path = match name.as_str() {
                    "." => entry.name.clone(),
                    above => format!("{}/{}", above.trim_end_matches('/'), entry.name),
                };
                if entry.kind == ListedKind::Link {
                    let counts = on_way
                        || choice.counts_itself && fits(entry, selection)
                        || selection.follows && !choice.is_pattern;
                    let leads_out = || self.path_table.follow(directory, &path).inside().is_none();
                    if counts && leads_out() {
                        names.push((directory, path));
                    } else if on_way {
                        levels.extend(self.level_of(directory, path, depth + 1));
                    }
                } else if entry.kind == ListedKind::Directory
                    && (on_way || selection.enters_at(depth, &entry.name))
                {
                    levels.push_back((path, within(&target, &entry.name), depth + 1));
                }
            }
        }
        true
    }

    /// A directory of the workspace under the name that leads to it.
    fn level_of(
        &self,
        directory: DirId,
        name: String,
        depth: usize,
    ) -> Option<(String, PathBuf, usize)> {
        let found = self.path_table.follow(directory, &name);
        let inside = found.inside().filter(|inside| inside.is_directory)?;
        let target = inside.target_below(&self.engine.root);
        Some((name, target, depth))
    }

    /// Links that the text makes itself, where a pattern can stand for their names or goes through them.
    fn links_of_text(&mut self, usage: Usage<'_>, word: &Word, at: Site<'_>) {
        if !at.makes_links() || !word.expansion.globs {
            return;
        }
        let Some((above, rest)) = crate::shell_pattern::directory_and_rest(word) else {
            return;
        };
        let root = self.path_table.directory(Path::new("/"));
        for directory in self.path_table.candidates(at.dirs).into_iter().flatten() {
            let above = lexical(&within(&self.path_table.path(directory), &above));
            for link in at.facts.links.made_before(at.place) {
                let Ok(below) = link.name().strip_prefix(&above) else {
                    continue;
                };
                let below = parts(below);
                let is_on_way = !below.is_empty() && below.len() <= rest.len();
                let mut steps = below.iter().zip(&rest);
                if is_on_way && steps.all(|(name, part)| can_be(part, name)) {
                    self.at_place(usage, root, &link.target(), at);
                }
            }
        }
    }
}

impl<'s> Choice<'s> {
    /// Who removes a link removes nothing of what it leads to.
    fn new(selection: &'s Selection, is_pattern: bool, usage: Usage<'_>) -> Self {
        Self {
            selection,
            is_pattern,
            counts_itself: usage.kind != Kind::Delete,
        }
    }
}

/// Whether a part of a pattern can stand for this name.
fn can_be(part: &str, name: &str) -> bool {
    part.contains("**") || Selection::of_pattern(&[part.to_owned()]).takes(name)
}
