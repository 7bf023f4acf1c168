//! Files that git neither tracks nor ignores, where it takes them in: `git add -A`, `git stash -u`. What is in the index, or in a
//! stash, other commands of git show without naming it.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use tenon_contract::PathClaim;
use tenon_shell::Word;

use crate::commands::judge::command_judge::CommandJudge;
use crate::commands::resolve::path_table::WorkingDirs;
use crate::commands::words::git::tokens;
use crate::decision::{Judgement, PartKind, Why};
use crate::glob::{Token, tokens_match};
use crate::paths::{ClaimPlaces, ListedKind};
use crate::rule::{Kind, Rule};

/// How many entries are looked at below one directory, the upper ones first.
const MOST_ENTRIES: usize = 8_192;

/// How a text names what says which files are ignored.
const IGNORING: &[&str] = &[".gitignore", "info/exclude", "excludesfile"];

/// What such a file only gets further lines by, or nothing.
const ADDING: &[&str] = &[">> .gitignore", ">>.gitignore", "add .gitignore"];

/// Whether what is ignored now may not be ignored any more when the text comes to git.
fn may_end_ignoring(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    let left = ADDING
        .iter()
        .fold(text.clone(), |left, adding| left.replace(adding, ""));
    let adds = left.len() < text.len();
    IGNORING.iter().any(|name| left.contains(name)) || adds && text.contains('!')
}

impl<'e> CommandJudge<'e, '_> {
    /// A name that git takes in with all below it, from these directories.
    pub(crate) fn taken_in(&self, word: &Word, dirs: WorkingDirs, judgement: &mut Judgement<'e>) {
        let Some(path) = word.literal().filter(|_| self.bounds().files && !self.open) else {
            return;
        };
        let here = || vec![self.engine.root.clone()];
        let directories = self.path_table.candidates(dirs).map(|directories| {
            let paths = directories.into_iter();
            paths
                .map(|directory| self.path_table.path(directory).to_path_buf())
                .collect()
        });
        let directories: Vec<PathBuf> = directories.unwrap_or_else(here);
        for directory in directories {
            let is_pattern = path.contains(['*', '?', '[', '\\']);
            let (below, pattern) = match is_pattern {
                true => (".", Some(tokens(path))),
                false => (path, None),
            };
            let whole = crate::paths::go_on(&directory, below);
            // A file that is named is looked at by its name.
            let is_directory = self.path_table.is_directory(&whole);
            let target = self.path_table.target_of(&whole);
            let Some(target) = target.filter(|_| is_directory) else {
                continue;
            };
            let pattern = pattern.as_deref().map(|tokens| (&*target, tokens));
            let tree = self.path_table.resolver().work_tree(&directory);
            let found = self.untracked_below(&target, tree.as_deref(), pattern);
            let Some((name, rule)) = found else {
                continue;
            };
            judgement.matched(rule);
            let reason = format!(
                "git takes `{name}` in, which the rule `{}` protects, and shows it in other commands then. Name the files to add, or ignore it.",
                rule.text.rule
            );
            judgement.add(self.floor(PartKind::Read, &name, Why::because_of(rule, reason)));
        }
    }

    /// The first file below a directory that git neither tracks nor ignores and that a rule keeps from being read. Beyond so many entries
    /// nothing is looked for: each `git add` of a large tree would be asked about.
    fn untracked_below(
        &self,
        top: &Path,
        tree: Option<&Path>,
        pattern: Option<(&Path, &[Token])>,
    ) -> Option<(String, &'e Rule)> {
        if self.budget.untracked.get() == 0 {
            return self.any_below(top);
        }
        self.budget.untracked.set(self.budget.untracked.get() - 1);
        let resolver = self.path_table.resolver();
        let mut left = MOST_ENTRIES;
        let mut directories = VecDeque::from([top.to_path_buf()]);
        while let Some(directory) = directories.pop_front() {
            let entries = resolver.list(&directory, left)?;
            left = left.checked_sub(entries.len() + 1)?;
            // Of a repository in it only the revision is taken in.
            let is_own = tree.map_or(directory == top, |tree| directory == tree);
            if !is_own && entries.iter().any(|entry| entry.name == ".git") {
                continue;
            }
            for entry in entries {
                let path = directory.join(&entry.name);
                let is_directory = entry.kind == ListedKind::Directory;
                if entry.name.eq_ignore_ascii_case(".git") || entry.kind == ListedKind::Link {
                    continue;
                }
                let Some((name, rule)) = self.binding_untracked(&path, is_directory) else {
                    continue;
                };
                if is_directory {
                    if !self.is_ignored(&path, true) {
                        directories.push_back(path);
                    }
                    continue;
                }
                let is_meant = pattern.is_none_or(|(from, tokens)| {
                    let below = path.strip_prefix(from).ok().and_then(Path::to_str);
                    below.is_some_and(|below| tokens_match(tokens, below))
                });
                if is_meant && !self.is_tracked(&path) && !self.is_ignored(&path, false) {
                    return Some((name, rule));
                }
            }
        }
        None
    }

    /// The rule that keeps this file from being read, or one that may be about a file below this directory; with the name of what it is about.
    fn binding_untracked(&self, path: &Path, is_directory: bool) -> Option<(String, &'e Rule)> {
        let below = path.strip_prefix(&self.engine.root).unwrap_or(path);
        let claim = PathClaim {
            name: below.to_string_lossy().into_owned(),
            target: path.to_path_buf(),
        };
        let places = ClaimPlaces::new(&claim, &self.engine.compared_root);
        let mut rules = self.engine.rules.strict_on_files();
        let rule = rules.find(|rule| {
            rule.binds_file(Kind::Read, &places, self.user())
                || is_directory && rule.may_bind_below(Kind::Read, &places)
        })?;
        Some((claim.name, rule))
    }

    /// The rule that may be about something below a directory into which is not looked any more.
    fn any_below(&self, top: &Path) -> Option<(String, &'e Rule)> {
        let (name, rule) = self.binding_untracked(top, true)?;
        Some((format!("{name}/**"), rule))
    }

    fn is_tracked(&self, path: &Path) -> bool {
        let above = path.parent().unwrap_or(path);
        let directory = self.path_table.directory(above);
        let is_bound = |path: &Path| self.may_be_bound(path);
        let tracked = self.path_table.tracked(directory, &is_bound);
        tracked.is_some_and(|tracked| tracked.iter().any(|tracked| tracked == path))
    }

    fn is_ignored(&self, path: &Path, is_directory: bool) -> bool {
        !may_end_ignoring(&self.claim.text)
            && self.path_table.resolver().is_ignored(path, is_directory)
    }
}
