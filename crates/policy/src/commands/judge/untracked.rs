//! Files that git does not track, where it takes them in or removes them: `git add -A`, `git stash -u`, `git clean`. What is in the
//! index, or in a stash, other commands of git show without naming it.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use tenon_shell::{AccessScope, FileOperand};

use crate::commands::judge::{CommandJudge, Extent, Usage, file_kind, part_kind};
use crate::commands::resolve::{Site, WorkingDirs};
use crate::commands::words::selection::{EVERYTHING, WORK_TREE};
use crate::commands::words::{Effects, tokens};
use crate::decision::Why;
use crate::glob::{Token, tokens_match};
use crate::paths::{Listed, ListedKind};
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

/// What an entry of a directory is to a search for files that are not tracked.
enum Entry<'e> {
    Passed,
    Entered(PathBuf),
    Found(String, &'e Rule),
}

/// Which files that git does not track are used, and how.
#[derive(Clone, Copy)]
struct Wanted<'p> {
    kind: Kind,
    /// Whether those count that git ignores.
    ignored: bool,
    /// The pattern of git that they must have, from a directory.
    pattern: Option<(&'p Path, &'p [Token])>,
}

impl Wanted<'_> {
    fn is_meant(&self, path: &Path) -> bool {
        self.pattern.is_none_or(|(from, tokens)| {
            let below = path.strip_prefix(from).ok().and_then(Path::to_str);
            below.is_some_and(|below| tokens_match(tokens, below))
        })
    }

    fn reason(&self, name: &str, rule: &Rule) -> String {
        let rule = &rule.text.rule;
        match self.kind {
            Kind::Delete => format!(
                "git removes `{name}`, which it does not track and the rule `{rule}` protects."
            ),
            _ => format!(
                "git takes `{name}` in, which the rule `{rule}` protects, and shows it in other commands then. Name the files to add, or ignore it."
            ),
        }
    }
}

impl<'e> CommandJudge<'e, '_> {
    /// A name that git takes in, or removes, with all below it that it does not track.
    pub(crate) fn untracked(
        &mut self,
        file: &FileOperand<'_>,
        effects: &Effects<'_>,
        at: Site<'_>,
    ) {
        let kind = file_kind(file.access);
        let Some(path) = file.word.literal() else {
            return;
        };
        if kind == Kind::Delete {
            self.judgement.effect(part_kind(kind), path);
        }
        if !self.bounds().files || self.open {
            return;
        }
        // What stands in the index now need not stand there when the text comes to git, but for this command itself.
        let is_certain = !effects.is_led_elsewhere
            && at.facts.index_changes < 2
            && self.path_table.candidates(at.dirs).is_some()
            && !self.brings(true, at);
        if kind == Kind::Delete && !is_certain {
            let everything = match effects.spares_git() {
                true => &*WORK_TREE,
                false => &EVERYTHING,
            };
            let usage = Usage::strict(kind).to(Extent::Below(everything));
            return self.path(usage, path, at);
        }
        let ignored = matches!(
            file.reach,
            AccessScope::UntrackedOrIgnored | AccessScope::UntrackedOrIgnoredFromTop
        );
        let wanted = Wanted {
            kind,
            ignored,
            pattern: None,
        };
        for directory in self.places(at.dirs) {
            if let Some((name, rule)) = self.untracked_from(&directory, path, wanted) {
                self.matched(rule);
                let why = Why::because_of(rule, wanted.reason(&name, rule));
                self.add(self.floor(part_kind(kind), &name, why));
            }
        }
    }

    /// Where the command may run; at the top where that is not known.
    fn places(&self, dirs: WorkingDirs) -> Vec<PathBuf> {
        let Some(directories) = self.path_table.candidates(dirs) else {
            return vec![self.engine.root.clone()];
        };
        let paths = directories.into_iter();
        paths
            .map(|directory| self.path_table.path(directory).to_path_buf())
            .collect()
    }

    /// The first such file at a name or pattern of git, from a directory, and the rule that is about it.
    fn untracked_from(
        &self,
        directory: &Path,
        path: &str,
        wanted: Wanted<'_>,
    ) -> Option<(String, &'e Rule)> {
        let is_pattern = path.contains(['*', '?', '[', '\\']);
        let (below, pattern) = match is_pattern {
            true => (".", Some(tokens(path))),
            false => (path, None),
        };
        let whole = crate::paths::go_on(directory, below);
        // A file that is named is looked at by its name.
        let is_directory = self.path_table.is_directory(&whole);
        let target = self.path_table.target_of(&whole);
        let target = target.filter(|_| is_directory)?;
        // Below what is ignored everything is.
        let mut above = target.ancestors();
        let mut above = above
            .by_ref()
            .take_while(|path| path.starts_with(&self.engine.root) && **path != *self.engine.root);
        if !wanted.ignored && above.any(|path| self.is_ignored(path, true)) {
            return None;
        }
        let wanted = Wanted {
            pattern: pattern.as_deref().map(|tokens| (&*target, tokens)),
            ..wanted
        };
        let tree = self.path_table.resolver().work_tree(directory);
        self.untracked_below(&target, tree.as_deref(), wanted)
    }

    /// The first such file below a directory that a rule is about. Beyond so many entries what git takes in is not looked for: each
    /// `git add` of a large tree would be asked about. What it removes is supposed to be there.
    fn untracked_below(
        &self,
        top: &Path,
        tree: Option<&Path>,
        wanted: Wanted<'_>,
    ) -> Option<(String, &'e Rule)> {
        let beyond = || match wanted.kind {
            Kind::Delete => self.any_below(top, wanted.kind),
            _ => None,
        };
        if self.budget.untracked.get() == 0 {
            return self.any_below(top, wanted.kind);
        }
        self.budget.untracked.set(self.budget.untracked.get() - 1);
        let resolver = self.path_table.resolver();
        let mut left = MOST_ENTRIES;
        let mut directories = VecDeque::from([top.to_path_buf()]);
        while let Some(directory) = directories.pop_front() {
            let Some(entries) = resolver.list(&directory, left) else {
                return beyond();
            };
            match left.checked_sub(entries.len() + 1) {
                Some(rest) => left = rest,
                None => return beyond(),
            }
            // Of a repository in it only the revision is taken in, and nothing is removed.
            let is_own = tree.map_or(directory == top, |tree| directory == tree);
            if !is_own && entries.iter().any(|entry| entry.name == ".git") {
                continue;
            }
            for entry in entries {
                match self.untracked_entry(&directory, &entry, wanted) {
                    Entry::Passed => {}
                    Entry::Entered(path) => directories.push_back(path),
                    Entry::Found(name, rule) => return Some((name, rule)),
                }
            }
        }
        None
    }

    /// What one entry of a directory is to that.
    fn untracked_entry(&self, directory: &Path, entry: &Listed, wanted: Wanted<'_>) -> Entry<'e> {
        let path = directory.join(&entry.name);
        let is_directory = entry.kind == ListedKind::Directory;
        let is_link = entry.kind == ListedKind::Link && wanted.kind != Kind::Delete;
        if entry.name.eq_ignore_ascii_case(".git") || is_link {
            return Entry::Passed;
        }
        let Some((name, rule)) = self.binding_untracked(&path, is_directory, wanted.kind) else {
            return Entry::Passed;
        };
        let is_passed = || !wanted.ignored && self.is_ignored(&path, is_directory);
        match is_directory {
            true if is_passed() => Entry::Passed,
            true => Entry::Entered(path),
            false if wanted.is_meant(&path) && !self.is_tracked(&path) && !is_passed() => {
                Entry::Found(name, rule)
            }
            false => Entry::Passed,
        }
    }

    /// The rule that is about this use of a file, or that may be about a file below this directory; with the name of what it is about.
    fn binding_untracked(
        &self,
        path: &Path,
        is_directory: bool,
        kind: Kind,
    ) -> Option<(String, &'e Rule)> {
        let claim = self.claim_of(path.to_path_buf());
        let places = self.places_of(&claim);
        let mut rules = self.engine.rules.strict_on_files();
        let rule = rules.find(|rule| {
            rule.binds_file(kind, &places, self.user())
                || is_directory && rule.may_bind_below(kind, &places)
        })?;
        Some((claim.name, rule))
    }

    /// The rule that may be about something below a directory into which is not looked any more.
    fn any_below(&self, top: &Path, kind: Kind) -> Option<(String, &'e Rule)> {
        let (name, rule) = self.binding_untracked(top, true, kind)?;
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
