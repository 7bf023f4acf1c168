//! Which programs make links, and under which names.

use std::path::{Path, PathBuf};

use tenon_programs::Traits;
use tenon_shell::{AccessScope, FileAccess, Invocation, Word};

use crate::commands::resolve::links::{Link, Region, is_same};
use crate::commands::resolve::{Links, Loops, PathTable, Place};
use crate::commands::words::{Form, files_by_name, is_given, unpacks};
use crate::paths::{ListedKind, go_on, lexical, within};
use crate::program_names::base_name;

pub(crate) fn makes(invocation: &Invocation) -> bool {
    invocation
        .program()
        .is_some_and(|program| program.is(Traits::MAKES_LINKS))
}

/// Notes the links of one command.
pub(crate) struct Maker<'l, 'g> {
    pub(crate) links: &'l mut Links,
    pub(crate) path_table: &'l PathTable<'g>,
    pub(crate) loops: &'l Loops,
    /// Whether no other command of the text can make links.
    pub(crate) is_alone: bool,
    pub(crate) at: Place,
    /// The directories in which it can run; none where that is not known.
    pub(crate) from: Vec<PathBuf>,
    pub(crate) always: bool,
}

impl Maker<'_, '_> {
    pub(crate) fn invocation(&mut self, invocation: &Invocation) {
        let words = invocation.normalized_words();
        let given = |letters: &[char], long: &[&str]| is_given(words, letters, long);
        match invocation.base_name().unwrap_or_default() {
            "ln" | "link" => {
                let relative = given(&['r'], &["relative"]);
                let symbolic = given(&['s'], &["symbolic"]) && !relative;
                self.copies(words, symbolic, false);
            }
            "cp" if given(&['s'], &["symbolic-link"]) => self.copies(words, true, false),
            "cp" if given(&['l'], &["link"]) => self.copies(words, false, false),
            "cp" => {
                let keeps = ["archive", "no-dereference", "recursive", "preserve"];
                if given(&['a', 'd', 'P', 'r', 'R'], &keeps) {
                    self.copies(words, false, true);
                }
            }
            "mv" | "rsync" => self.copies(words, false, true),
            "mount" | "bindfs" | "mklink" => {
                if let Some(word) = words.iter().skip(1).next_back() {
                    self.below(word, true, false);
                }
            }
            "tar" | "bsdtar" | "jar" if unpacks(words) => self.unpacked(words),
            "unzip" if given(&['l', 't', 'p', 'c', 'z', 'Z', 'v'], &[]) => {}
            "unzip" => self.unpacked(words),
            "7z" | "cpio" | "pax" => self.anywhere(),
            "patch" => self.in_directory(false, true),
            "git" => self.git(words),
            _ => {}
        }
    }

    fn region(&mut self, directory: PathBuf, itself: bool, tracked: bool) {
        if self.links.are_too_many() {
            return;
        }
        let (at, always) = (self.at, self.always);
        // What comes later adds nothing to the same directory.
        let known = self.links.regions.iter().any(|known| {
            is_same(&known.directory, &directory)
                && known.at.0 == at.0
                && (known.itself || !itself)
                && (known.always || !always)
                && (!known.tracked || tracked)
        });
        if !known {
            self.links.regions.push(Region {
                at,
                directory,
                itself,
                always,
                tracked,
            });
        }
    }

    /// Nothing is known of any path.
    fn anywhere(&mut self) {
        self.region("/".into(), false, false);
    }

    /// Below the directory in which the program runs, or everywhere in the workspace.
    fn in_directory(&mut self, everywhere: bool, tracked: bool) {
        if everywhere || self.from.is_empty() {
            let root = self.path_table.root().unwrap_or("/");
            return self.region(root.into(), false, tracked);
        }
        for directory in self.from.clone() {
            self.region(directory, false, tracked);
        }
    }

    fn below(&mut self, word: &Word, itself: bool, tracked: bool) {
        if self.links.are_too_many() {
            return;
        }
        let Some(path) = word.literal().filter(|_| !self.from.is_empty()) else {
            return self.anywhere();
        };
        for directory in self.from.clone() {
            for name in self.names(&go_on(&directory, path)) {
                let itself = itself && !matches!(path, "." | "./");
                self.region(name, itself, tracked);
            }
        }
    }

    fn unpacked(&mut self, words: &[Word]) {
        if !self.written(words, true, false) {
            self.in_directory(false, false);
        }
    }

    /// The name as it is written, and where it lies when links are there already.
    fn names(&self, name: &Path) -> Vec<PathBuf> {
        let mut names = vec![name.to_path_buf()];
        if let (Some(parent), Some(last)) = (name.parent(), name.file_name())
            && let Some(parent) = self.path_table.target_of(parent)
        {
            let place = within(&parent, last);
            if place != name {
                names.push(place);
            }
        }
        names
    }

    /// `ln`, `cp`, `mv`: the sources become the target, or lie in it.
    fn copies(&mut self, words: &[Word], symbolic: bool, copy: bool) {
        let files = files_by_name(words);
        let mut targets: Vec<&Word> = Vec::new();
        let mut sources: Vec<&Word> = Vec::new();
        for file in &files {
            match file.access {
                FileAccess::Write => targets.push(&file.word),
                FileAccess::Read => sources.push(&file.word),
                FileAccess::Delete => {}
            }
        }
        let is_open = |words: &[&Word]| words.iter().any(|word| word.is_opaque());
        if copy && is_open(&sources) && self.are_plain(&sources) {
            return;
        }
        if self.from.is_empty() || is_open(&targets) {
            return self.anywhere();
        }
        if sources
            .iter()
            .any(|word| word.literal().is_none_or(|text| text.contains(':')))
        {
            // What is copied cannot be determined: a link that is given another name, or something of another machine.
            for target in &targets {
                self.below(target, true, false);
            }
            if targets.is_empty() {
                self.in_directory(false, false);
            }
            return;
        }
        let targets: Vec<&str> = targets.iter().filter_map(|word| word.literal()).collect();
        let sources: Vec<&str> = sources.iter().filter_map(|word| word.literal()).collect();
        for directory in self.from.clone() {
            for source in &sources {
                if self.links.are_too_many() {
                    return;
                }
                if copy && self.is_plain_outside(&go_on(&directory, source)) {
                    continue;
                }
                let last = base_name(source);
                let inside = targets
                    .iter()
                    .map(|target| within(&go_on(&directory, target), last));
                let mut names: Vec<PathBuf> = targets
                    .iter()
                    .map(|target| go_on(&directory, target))
                    .collect();
                names.extend(inside);
                if targets.is_empty() {
                    names.push(within(&directory, last));
                }
                for name in names {
                    self.link(&name, &directory, source, symbolic, copy);
                }
            }
        }
    }

    /// Whether these are files by all names that they can have, now that no command of the text has made a link: a file that is
    /// moved is no link (`mv "$f.tmp" "$f"`).
    fn are_plain(&self, sources: &[&Word]) -> bool {
        let is_plain = |word: &Word| {
            let variable = self.loops.variable(word, self.at);
            let values = match word.literal() {
                Some(_) => Some(vec![word.clone()]),
                None => variable.and_then(|variable| variable.values_of(word)),
            };
            values.is_some_and(|values| values.iter().all(|value| self.is_plain(value)))
        };
        self.is_alone && !self.from.is_empty() && sources.iter().all(|word| is_plain(word))
    }

    /// The same of one name or pattern: nothing but files has it.
    fn is_plain(&self, word: &Word) -> bool {
        let expands = word.expansion.braces || word.expansion.tilde;
        let Some(text) = word.pattern().filter(|_| !expands) else {
            return false;
        };
        let (above, last) = text.rsplit_once('/').unwrap_or((".", &text));
        let is_known = !above.contains(['*', '?', '[', '\\']) && !text.contains([':', '(']);
        let Some(form) = Form::new(last).filter(|_| is_known && !last.is_empty()) else {
            return false;
        };
        let above = if above.is_empty() { "/" } else { above };
        self.from.iter().all(|directory| {
            let listed = self.path_table.links(&go_on(directory, above));
            listed.is_some_and(|listed| {
                let mut entries = listed.iter();
                entries.all(|entry| entry.kind == ListedKind::Other || !form.fits(&entry.name))
            })
        })
    }

    /// Whether an absolute path outside of the workspace is a file, or nothing yet: `sort a > /tmp/x && mv /tmp/x a` makes no link.
    /// Links that the text makes there are noted by themselves.
    fn is_plain_outside(&self, path: &Path) -> bool {
        let root = self.path_table.root().unwrap_or("/");
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
            return false;
        };
        // The directory itself must not be one by another name.
        let is_itself = self.path_table.resolver().real(parent).as_deref() == Some(parent);
        if path.starts_with(root) || !is_itself {
            return false;
        }
        let Some(listed) = self.path_table.links(parent) else {
            return false;
        };
        let mut links = listed.iter();
        links.all(|entry| entry.kind == ListedKind::Other || *entry.name != *name.to_string_lossy())
    }

    fn link(&mut self, name: &Path, directory: &Path, source: &str, symbolic: bool, copy: bool) {
        let names = self.names(name);
        let real = names.last().cloned().unwrap_or_default();
        for name in names {
            let base = match symbolic {
                true => real.parent().unwrap_or(Path::new("/")),
                false => directory,
            };
            self.links.made.push(Link {
                at: self.at,
                name: lexical(&name),
                leads: within(base, source),
                copy,
            });
        }
    }

    /// Below the paths that the command writes. Returns whether there are any.
    fn written(&mut self, words: &[Word], itself: bool, tracked: bool) -> bool {
        let files = files_by_name(words);
        let mut any = false;
        let written = files.iter().filter(|file| {
            // A work tree counts as a whole.
            file.access == FileAccess::Write
                && !matches!(file.reach, AccessScope::All | AccessScope::TrackedOrAll)
        });
        for file in written {
            any = true;
            self.below(&file.word, itself, tracked);
        }
        any
    }

    /// Subcommands that put into the working tree what a repository holds.
    fn git(&mut self, words: &[Word]) {
        let given = |letters: &[char], long: &[&str]| is_given(words, letters, long);
        let operands = || {
            words
                .iter()
                .skip(2)
                .filter(|word| !word.prefix().starts_with('-'))
        };
        let verb = operands()
            .next()
            .and_then(Word::literal)
            .unwrap_or_default();
        match words.get(1).and_then(Word::literal).unwrap_or_default() {
            "clone" => {
                self.written(words, false, false);
            }
            "worktree" if verb == "add" => {
                self.written(words, false, false);
            }
            "mv" => self.copies(words, false, true),
            "checkout" | "switch" => {
                let new = given(&['b', 'B', 'c', 'C'], &["orphan", "create"]);
                let branch = new && operands().count() < 2;
                if !self.written(words, true, true) && !branch {
                    self.in_directory(true, true);
                }
            }
            "restore" => {
                self.written(words, true, true);
            }
            "reset" if given(&[], &["hard", "merge", "keep"]) => self.in_directory(true, true),
            "stash"
                if !matches!(
                    verb,
                    "list" | "show" | "drop" | "clear" | "create" | "store"
                ) =>
            {
                self.in_directory(true, true);
            }
            "apply" if given(&[], &["check", "stat", "numstat", "summary", "cached"]) => {}
            "apply" | "am" | "pull" | "merge" | "rebase" | "cherry-pick" | "revert"
            | "read-tree" | "checkout-index" | "sparse-checkout" | "bisect" | "filter-branch"
            | "subtree" => {
                self.in_directory(true, true);
            }
            "submodule" if matches!(verb, "add" | "update" | "foreach") => {
                self.in_directory(true, true)
            }
            _ => {}
        }
    }
}
