//! Files that subcommands of git write, and those that they read beside what git keeps.
//!
//! What a path names is used as any file. Subcommands that make the work tree what a revision holds use everything that
//! git tracks there. `REVISION:PATH` reads the path.

mod elsewhere;
mod paths;
mod plumbing;

use self::paths::{object, pathspec, pathspecs};
use super::arguments::{Lenient, split, unknown_file};
use super::file::{AccessScope, FileAccess, FileOperand, FileOperands, OperandWord};
use super::several::cloned;
use super::table::{everything, file, of_values};
use crate::span::Span;
use crate::unwrap::options::at_dashes;
use crate::word::{Part, Word};
use tenon_programs::words::git::{CHANGES, KEEPING, SUMMARY, TAKING_ALL};
use tenon_programs::{CommandTraits, Opt, Subcommand};

/// What one subcommand was given.
struct Call<'s, 'w> {
    name: &'s str,
    known: Option<&'static Subcommand>,
    span: Span,
    split: Lenient<'w>,
    /// The arguments behind `--`.
    behind: Option<&'w [Word]>,
}

/// The files of `git` with these arguments, the subcommand first.
pub(super) fn files(arguments: &[Word]) -> FileOperands<'_> {
    let mut files = FileOperands::new();
    let (Some((call, options)), Some(git)) = (Call::of(arguments), tenon_programs::find("git"))
    else {
        return files;
    };
    let rest = arguments.get(1..).unwrap_or_default();
    of_values(&call.split, &mut files);
    // Whatever shows changes takes `--output`, and more show some than say so: `stash list -p`, `cherry-pick`.
    if !options.iter().any(|option| option.name == "output") {
        of_values(&split(git.options, rest), &mut files);
    }
    call.files(&mut files);
    files
}

impl<'w> Call<'w, 'w> {
    /// What the subcommand of these arguments was given, and its options.
    fn of(arguments: &'w [Word]) -> Option<(Self, &'static [Opt])> {
        let (command, rest) = arguments.split_first()?;
        let name = command.literal()?;
        let git = tenon_programs::find("git")?;
        let known = git.command([Some(name)].into_iter());
        let known = known.map(|(known, _)| known);
        let options = known.map_or(git.options, |known| known.options);
        let call = Self {
            name,
            known,
            span: command.span,
            split: split(options, rest),
            behind: at_dashes(rest).1,
        };
        Some((call, options))
    }
}

impl<'w> Call<'_, 'w> {
    fn has(&self, names: &[&str]) -> bool {
        self.split.has(names)
    }

    fn is(&self, traits: CommandTraits) -> bool {
        self.known.is_some_and(|known| known.is(traits))
    }

    /// What stands before `--`.
    fn before(&self) -> &[&'w Word] {
        let behind = self.behind.map_or(0, <[Word]>::len);
        let count = self.split.operands.len().saturating_sub(behind);
        self.split.operands.get(..count).unwrap_or_default()
    }

    /// The word behind the subcommand.
    fn action(&self) -> Option<&str> {
        self.split.operands.first().and_then(|word| word.literal())
    }

    fn files(&self, files: &mut FileOperands<'w>) {
        // An operand with a colon can be a file within a revision.
        if !self.is(CommandTraits::NO_OBJECTS) {
            for word in self.before() {
                object(word, files);
            }
        }
        match self.name {
            "log" | "show" | "diff" | "diff-tree" | "diff-index" | "diff-files" | "whatchanged"
            | "format-patch" | "blame" | "annotate" | "archive" | "cat-file" | "grep"
            | "checkout-index" | "fast-export" | "merge-tree" | "range-diff" | "reflog"
            | "unpack-file" => self.shows(files),
            "status" if self.shows_content() => self.shows(files),
            _ => {
                self.named(files);
                self.tree(files);
            }
        }
        self.elsewhere(files);
        if let Some(list) = self.split.values(&["pathspec-from-file"]).next()
            && self.name != "commit"
        {
            files.push(unknown_file(list.span, FileAccess::Write));
        }
    }

    /// Subcommands that show what files hold.
    fn shows(&self, files: &mut FileOperands<'w>) {
        let before = self.before();
        let mut read = |words: &mut dyn Iterator<Item = &'w Word>| {
            files.extend(words.filter_map(|word| pathspec(word, FileAccess::Read)));
        };
        match (self.name, self.behind) {
            ("diff", _) if self.has(&["no-index"]) => {
                let words = self.split.operands.iter();
                files.extend(words.map(|word| file(word, FileAccess::Read)));
            }
            ("grep", _) => self.searches(files),
            ("checkout-index", _) => self.copies_out(files),
            ("cat-file", _) => {
                if self.has(&["batch", "batch-check", "batch-command", "batch-all-objects"]) {
                    files.push(unknown_file(self.span, FileAccess::Read));
                }
            }
            ("archive", _) => read(&mut self.split.operands.iter().copied().skip(1)),
            (_, Some(behind)) => read(&mut behind.iter()),
            ("blame" | "annotate", None) => read(&mut before.iter().copied()),
            // Without `--` a word is a revision or a path, and whole revisions are shown anyway.
            (_, None) => {
                read(&mut before.iter().copied().filter(|word| {
                    !word.is_opaque() || word.expansion.globs || word.expansion.braces
                }))
            }
        }
        if self.shows_content() {
            self.shows_revisions(files);
        }
        // `-L START,END:FILE`
        let lines = self.split.values(&["L"]);
        for value in lines.filter(|_| self.name == "log") {
            let text = value.prefix();
            let Some(place) = text.rfind(':') else {
                continue;
            };
            let path = text.get(place + 1..).unwrap_or_default();
            files.push(if value.is_opaque() {
                unknown_file(value.span, FileAccess::Read)
            } else {
                let path = OperandWord::synthetic(path, value.span);
                FileOperand::read(path).reaching(AccessScope::Tracked)
            });
        }
    }

    /// Whether it shows what files hold, and not only which of them changed.
    fn shows_content(&self) -> bool {
        match self.name {
            "format-patch" | "range-diff" | "unpack-file" => true,
            "fast-export" => !self.has(&["no-data"]),
            // With three trees it prints what would change.
            "merge-tree" => self.split.operands.len() > 2,
            "status" => self.has(&["v", "verbose"]),
            "diff" => !self.has(&["no-index"]) && (self.has(CHANGES) || !self.has(SUMMARY)),
            "show" => self.has(CHANGES) || !self.has(SUMMARY),
            "archive" => self.split.operands.len() < 2,
            "log" | "whatchanged" | "diff-tree" | "diff-index" | "diff-files" | "reflog"
            | "stash" => self.has(CHANGES),
            _ => false,
        }
    }

    /// What revisions show where no path says which files: all that git tracks. A word without `--` can be a path, the last one
    /// first.
    fn shows_revisions(&self, files: &mut FileOperands<'w>) {
        // `REVISION:PATH` is that path; `:/text` is a commit.
        let is_object = |word: &&Word| {
            let texts = word.parts.iter().filter_map(|part| match part {
                Part::Text { value, .. } => Some(value.as_str()),
                _ => None,
            });
            texts.into_iter().any(|text| text.contains(':')) && !word.prefix().starts_with(":/")
        };
        let operands = self.before();
        let is_named = !operands.is_empty() && operands.iter().all(is_object);
        // What only leaves something out means all others.
        let is_path = |word: &Word| pathspec(word, FileAccess::Read).is_some();
        let has_paths = self.behind.is_some_and(|behind| behind.iter().any(is_path));
        if is_named || has_paths {
            return;
        }
        let all = everything(self.span, FileAccess::Read);
        files.push(match operands.last() {
            Some(last) if self.behind.is_none() && !matches!(self.name, "archive" | "stash") => {
                file(last, FileAccess::Read).reaching(AccessScope::NamedOrShown)
            }
            _ => all.reaching(AccessScope::Shown),
        });
    }

    /// What `git grep` looks through: everything, or the paths behind `--` or behind the pattern.
    fn searches(&self, files: &mut FileOperands<'w>) {
        // What git does not track, or tracks in another repository, is found by these.
        let beyond = [
            "untracked",
            "no-index",
            "no-exclude-standard",
            "recurse-submodules",
        ];
        let reach = |file: FileOperand<'w>, reach| {
            if self.has(&beyond) {
                file.reaching(AccessScope::Below)
            } else {
                file.reaching(reach)
            }
        };
        let given = self.has(&["e", "f"]);
        let named = files.len();
        match self.behind {
            Some(behind) => {
                let paths = behind.iter();
                let paths = paths.filter_map(|word| pathspec(word, FileAccess::Read));
                files.extend(paths.map(|file| {
                    let own = file.reach;
                    reach(file, own)
                }));
            }
            None => {
                let words = self.before().iter().skip(usize::from(!given));
                let words = words.filter_map(|word| pathspec(word, FileAccess::Read));
                files.extend(words.map(|file| match file.reach {
                    AccessScope::Tracked => reach(file, AccessScope::TrackedOrAll),
                    own => reach(file, own),
                }));
            }
        }
        if files.len() == named {
            let here = OperandWord::synthetic(".", self.span);
            let here = FileOperand::read(here);
            files.push(reach(here, AccessScope::Tracked));
        }
    }

    /// `git checkout-index` writes files as the index has them, perhaps with something in front of their names.
    fn copies_out(&self, files: &mut FileOperands<'w>) {
        let prefix = self.split.values(&["prefix"]).next();
        let all = self.has(&["a", "all", "stdin"]);
        if let Some(prefix) = prefix {
            if all {
                files.push(everything(self.span, FileAccess::Read));
            }
            files.push(FileOperand::written(prefix.clone()).reaching(AccessScope::Below));
            for word in &self.split.operands {
                files.extend(pathspec(word, FileAccess::Read));
                files.push(match (prefix.literal(), word.literal()) {
                    (Some(prefix), Some(path)) => {
                        FileOperand::written(OperandWord::value(&format!("{prefix}{path}"), word))
                    }
                    _ => unknown_file(word.span, FileAccess::Write),
                });
            }
        } else if all {
            files.push(everything(self.span, FileAccess::Write));
        } else {
            let words = self.split.operands.iter();
            files.extend(words.filter_map(|word| pathspec(word, FileAccess::Write)));
        }
    }

    /// Subcommands that name what they write or remove.
    fn named(&self, files: &mut FileOperands<'w>) {
        let words = self.split.operands.as_slice();
        let mut all = |words: &[&'w Word], access| {
            files.extend(words.iter().map(|word| file(word, access)));
        };
        let later = words.get(1..).unwrap_or_default();
        match (self.name, self.action()) {
            // What is ignored becomes part of the index, whose content other commands show.
            ("add" | "stage", _) if self.has(&["f", "force"]) => {
                self.takes_in(AccessScope::Below, AccessScope::BelowFromTop, files);
            }
            ("add" | "stage", _) if self.has(KEEPING) => {}
            ("add" | "stage", _) => {
                self.takes_in(AccessScope::Untracked, AccessScope::UntrackedFromTop, files);
            }
            ("bundle", Some("create")) => {
                all(later.get(..1).unwrap_or_default(), FileAccess::Write);
            }
            ("mv", _) => {
                if let Some((target, sources)) = words.split_last() {
                    all(&[target], FileAccess::Write);
                    for access in [FileAccess::Read, FileAccess::Delete] {
                        let sources = sources.iter().map(|word| file(word, access));
                        files.extend(sources.map(|file| file.reaching(AccessScope::Tracked)));
                    }
                }
            }
            ("clean", _) => self.cleans(files),
            ("rm", _) if !self.keeps_files() => {
                pathspecs(words.iter().copied(), FileAccess::Delete, self.span, files);
            }
            ("clone", _) => cloned(words, files),
            ("init", _) => all(words, FileAccess::Write),
            ("worktree", Some("add")) => {
                all(later.get(..1).unwrap_or_default(), FileAccess::Write);
            }
            ("worktree", Some("move" | "repair")) => all(later, FileAccess::Write),
            ("worktree", Some("remove")) => {
                let removed = later.iter().map(|word| file(word, FileAccess::Delete));
                files.extend(removed.map(|file| file.reaching(AccessScope::Below)));
            }
            ("submodule", Some("add")) => cloned(later, files),
            ("bundle", Some("verify" | "unbundle" | "list-heads")) => all(later, FileAccess::Read),
            _ => self.plumbing(files),
        }
    }

    /// Whether `--no-x` is given of an option `--x`, perhaps abbreviated.
    fn takes_back(&self, name: &str) -> bool {
        let mut given = self.split.options.iter();
        given.any(|given| {
            let denied = given.name.strip_prefix("no-");
            denied.is_some_and(|denied| !denied.is_empty() && name.starts_with(denied))
        })
    }

    /// Whether options say that only the index is changed, and no file.
    fn keeps_files(&self) -> bool {
        match self.name {
            "rm" => self.has(&["cached"]) && !self.takes_back("cached"),
            "restore" => {
                self.has(&["S", "staged"])
                    && !self.has(&["W", "worktree"])
                    && !self.takes_back("staged")
            }
            _ => false,
        }
    }

    /// What `git clean` removes: files that are not tracked, and with `-x` and `-X` those that are ignored.
    fn cleans(&self, files: &mut FileOperands<'w>) {
        if self.has(&["n", "dry-run"]) && !self.takes_back("dry-run") {
            return;
        }
        let words = self.split.operands.as_slice();
        let forced = self.split.options.iter();
        let forced = forced.filter(|given| matches!(given.name, "f" | "force"));
        let mut remove = |word: OperandWord<'w>, reach| {
            let removed = FileOperand::deleted(word);
            files.push(removed.reaching(reach));
        };
        let reach = match self.has(&["x", "X"]) {
            true => AccessScope::UntrackedOrIgnored,
            false => AccessScope::Untracked,
        };
        // Repositories in it are removed as well.
        let is_all = forced.count() > 1 || words.iter().any(|word| word.is_opaque());
        let reach = if is_all { AccessScope::Below } else { reach };
        if words.is_empty() {
            let here = Box::new(Word::synthetic(".", self.span));
            remove(OperandWord::Value(here), reach);
        }
        for word in words {
            remove(OperandWord::Argument(word), reach);
            if !is_all {
                remove(OperandWord::Argument(word), AccessScope::Named);
            }
        }
    }

    /// What `git add` takes into the index: of the paths, and of those from the top, as much as this.
    fn takes_in(&self, below: AccessScope, from_top: AccessScope, files: &mut FileOperands<'w>) {
        let words = self.split.operands.iter();
        let named = files.len();
        files.extend(words.filter_map(|word| {
            let file = pathspec(word, FileAccess::Read)?;
            let is_from_top = file.reach == AccessScope::TrackedFromTop;
            Some(file.reaching(if is_from_top { from_top } else { below }))
        }));
        // What only leaves something out means all others.
        if files.len() == named && (self.has(TAKING_ALL) || !self.split.operands.is_empty()) {
            files.push(everything(self.span, FileAccess::Read).reaching(from_top));
        }
    }

    /// Subcommands that make the work tree, or paths of it, what the index or a revision holds.
    fn tree(&self, files: &mut FileOperands<'w>) {
        let write = FileAccess::Write;
        let everything = || everything(self.span, write);
        match self.name {
            "checkout" => self.checks_out(files),
            // A new branch where one stands changes no file.
            "switch"
                if self.before().is_empty()
                    && self.has(&["c", "C", "create", "force-create", "orphan"]) => {}
            "switch" => files.push(everything()),
            "restore" if self.keeps_files() => {}
            "restore" => {
                let words = self.split.operands.iter().copied();
                let named = files.len();
                pathspecs(words, write, self.span, files);
                let mut sources = self.split.values(&["s", "source"]);
                if sources.any(|source| source.literal() != Some("HEAD")) {
                    brought(files, named);
                }
            }
            "reset" if self.has(&["hard", "merge", "keep"]) => files.push(everything()),
            "stash" => self.stashes(files),
            // What it ends or continues with was judged when it began, and these change nothing but what is noted of it.
            "merge" | "rebase" | "cherry-pick" | "revert" if self.has(&["quit"]) => {}
            "read-tree" if self.has(&["u", "reset"]) => files.push(everything()),
            "sparse-checkout" if self.action() != Some("list") => files.push(everything()),
            "bisect" if !matches!(self.action(), Some("log" | "terms" | "help")) => {
                files.push(everything());
            }
            "lfs" if matches!(self.action(), Some("pull" | "checkout")) => files.push(everything()),
            // A tree of any names, which is checked out later.
            "mktree" => files.push(unknown_file(self.span, write)),
            "update-index" if self.has(&["index-info", "stdin"]) => {
                files.push(unknown_file(self.span, write));
            }
            _ if self.is(CommandTraits::CHECKS_OUT) => files.push(everything()),
            _ => {}
        }
    }

    fn checks_out(&self, files: &mut FileOperands<'w>) {
        let write = FileAccess::Write;
        let before = self.before();
        match (self.behind, before) {
            (Some(behind), revision) if !behind.is_empty() => {
                let named = files.len();
                pathspecs(behind.iter(), write, self.span, files);
                let own = |word: &&Word| word.literal() == Some("HEAD");
                if !revision.iter().all(own) {
                    brought(files, named);
                }
            }
            // A new branch where one stands changes no file.
            (None, []) if !self.has(&["p", "patch", "detach", "f", "force"]) => {}
            (None, [_, paths @ ..])
                if !paths.is_empty() && !self.has(&["b", "B", "orphan", "t", "track"]) =>
            {
                // The first can be a revision, which then is no path.
                files.extend(before.first().and_then(|word| pathspec(word, write)));
                let named = files.len();
                pathspecs(paths.iter().copied(), write, self.span, files);
                brought(files, named);
            }
            (None, [word]) if !self.has(&["b", "B", "orphan"]) && word.literal() != Some("-") => {
                files.extend(pathspec(word, write).map(|file| match file.reach {
                    AccessScope::Tracked => file.reaching(AccessScope::TrackedOrAll),
                    _ => file,
                }));
            }
            _ => files.push(everything(self.span, write)),
        }
    }

    fn stashes(&self, files: &mut FileOperands<'w>) {
        let action = self.action().unwrap_or("push");
        if matches!(
            action,
            "list" | "show" | "drop" | "clear" | "create" | "store"
        ) {
            if action == "show" && self.shows_content() {
                self.shows_revisions(files);
            }
            return;
        }
        let paths = match (action, self.behind) {
            ("push" | "save", Some(behind)) => behind,
            _ => &[],
        };
        let named = files.len();
        if action == "push" && self.behind.is_none() {
            let words = self.before().iter().skip(1).copied();
            files.extend(words.filter_map(|word| pathspec(word, FileAccess::Write)));
        }
        files.extend(
            paths
                .iter()
                .filter_map(|word| pathspec(word, FileAccess::Write)),
        );
        if files.len() == named {
            files.push(everything(self.span, FileAccess::Write));
        }
        if self.has(&["u", "include-untracked", "a", "all"]) && matches!(action, "push" | "save") {
            self.puts_away(named, files);
        }
    }

    /// What `git stash -u` puts away of what is not tracked, with `-a` of what is ignored as well: below the paths behind so many
    /// files. `git stash show -p` shows it.
    fn puts_away(&self, named: usize, files: &mut FileOperands<'w>) {
        let is_all = self.has(&["a", "all"]);
        let paths: Vec<_> = files.iter().skip(named).cloned().collect();
        for path in paths {
            let is_from_top = matches!(path.reach, AccessScope::All | AccessScope::TrackedFromTop);
            let (below, untracked, ignored) = match is_from_top {
                true => (
                    AccessScope::BelowFromTop,
                    AccessScope::UntrackedFromTop,
                    AccessScope::UntrackedOrIgnoredFromTop,
                ),
                false => (
                    AccessScope::Below,
                    AccessScope::Untracked,
                    AccessScope::UntrackedOrIgnored,
                ),
            };
            let mut add = |access, reach| {
                files.push(FileOperand::new(path.word.clone(), access).reaching(reach));
            };
            add(FileAccess::Read, untracked);
            if is_all {
                add(FileAccess::Read, below);
            }
            add(FileAccess::Delete, if is_all { ignored } else { untracked });
        }
    }
}

/// Whether `git` with these arguments, the subcommand first, changes no file of the work tree but the index only.
#[must_use]
pub fn git_keeps_files(arguments: &[Word]) -> bool {
    Call::of(arguments).is_some_and(|(call, _)| call.keeps_files())
}

/// What was named behind so many comes from another revision.
fn brought(files: &mut FileOperands<'_>, named: usize) {
    let tracked = files.iter_mut().skip(named);
    let tracked = tracked.filter(|file| file.reach == AccessScope::Tracked);
    tracked.for_each(|file| file.reach = AccessScope::Brought);
}
