//! The repositories that a text makes, and what it may make look like one.

use std::path::{Path, PathBuf};

use tenon_shell::{Examination, FileAccess, Invocation, Word, named_files};

use crate::commands::resolve::{Directories, Links, PathTable, WorkingDirs, directories};
use crate::commands::words::{files_by_name, is_given};
use crate::paths::{go_on, path_text};

/// What git looks for in a directory that is a repository itself.
const PARTS: [&str; 3] = ["HEAD", "objects", "refs"];

/// What `git init --bare` leaves as it is and uses at once.
const TAKEN_OVER: [&str; 2] = ["hooks", "config"];

/// What a text does to repositories.
#[derive(Default)]
pub(crate) struct Repositories {
    /// Directories in which it makes a `.git`.
    made: Vec<PathBuf>,
    /// Directories that it makes a repository themselves.
    bare: Vec<PathBuf>,
    /// Which of the parts of a repository it names.
    named: [bool; 3],
    /// Whether it names a directory of hooks.
    names_hooks: bool,
    /// Whether it writes a file whose name cannot be determined.
    writes_unknown: bool,
    /// What it copies or moves: where to, and from where.
    copied: Vec<(PathBuf, PathBuf)>,
}

impl Repositories {
    pub(crate) fn find(
        examination: &Examination,
        directories: &Directories,
        links: &Links,
        path_table: &PathTable<'_>,
    ) -> Self {
        let mut found = Self {
            copied: links.copies(),
            ..Self::default()
        };
        for (index, text) in examination.texts.iter().enumerate() {
            for (finding, invocation) in &text.invocations {
                let mut state = directories.at(index, *finding);
                for inner in invocation.chain() {
                    state = directories::own(state, inner, path_table);
                    found.invocation(inner, state, path_table);
                }
            }
            for redirection in text.script.redirections() {
                found.names(&redirection.target);
            }
        }
        found
    }

    fn invocation(
        &mut self,
        invocation: &Invocation,
        state: WorkingDirs,
        path_table: &PathTable<'_>,
    ) {
        let words = invocation.normalized_words();
        if invocation.base_name() == Some("git") {
            return self.git(words, state, path_table);
        }
        for word in words.iter().skip(1).filter(|word| !word.is_opaque()) {
            self.names(word);
        }
        let files = named_files(invocation);
        let writes = files.iter().any(|file| file.access == FileAccess::Write);
        self.writes_unknown |= writes && files.iter().any(|file| file.word.is_opaque());
    }

    /// Notes a part of a repository that the word names.
    fn names(&mut self, word: &Word) {
        let Some(text) = word.literal() else {
            self.writes_unknown = true;
            return;
        };
        for name in text.split('/') {
            self.names_hooks |= name.eq_ignore_ascii_case("hooks");
            for (part, named) in PARTS.iter().zip(&mut self.named) {
                *named |= name.eq_ignore_ascii_case(part);
            }
        }
    }

    fn git(&mut self, words: &[Word], state: WorkingDirs, path_table: &PathTable<'_>) {
        let verb = words.get(1).and_then(Word::literal);
        if !matches!(verb, Some("init" | "clone" | "worktree")) {
            return;
        }
        let is_bare = is_given(words, &[], &["bare", "mirror"]);
        let files = files_by_name(words);
        let targets = files.iter().filter(|file| file.access == FileAccess::Write);
        let mut targets: Vec<&str> = targets.filter_map(|file| file.word.literal()).collect();
        if verb == Some("init") && targets.is_empty() {
            targets.push(".");
        }
        for directory in path_table.candidates(state).into_iter().flatten() {
            let here = path_table.path(directory);
            let places = targets.iter().map(|target| go_on(&here, target));
            if is_bare {
                self.bare.extend(places);
            } else {
                self.made.extend(places);
            }
        }
    }

    /// Whether the text makes a repository at this place.
    pub(crate) fn makes(&self, place: &Path) -> bool {
        let mut made = self.made.iter().chain(&self.bare);
        made.any(|made| made == place)
    }

    /// The directory from here upwards that git may take for a repository before it comes to a `.git`.
    pub(crate) fn above(&self, directory: &Path, path_table: &PathTable<'_>) -> Option<PathBuf> {
        let target = path_table.target_of(directory);
        let mut place = target.as_deref().unwrap_or(directory).to_path_buf();
        loop {
            let here = path_table.directory(&place);
            let name = path_table.follow(here, ".");
            // Outside of the workspace nothing is written unasked.
            let exists = name.inside()?.exists;
            if path_table.has(here, ".git") || self.made.contains(&place) {
                return None;
            }
            if self.bare.contains(&place) {
                return Some(place);
            }
            let mut sources = self.sources(&place).into_iter();
            if !exists && !sources.any(|source| is_directory(&source, path_table)) {
                return Some(place);
            }
            if self.has_parts(&place, path_table) {
                return Some(place);
            }
            if !place.pop() {
                return None;
            }
        }
    }

    /// Whether the text or the disk makes a directory a repository whose settings and hooks are no protected names.
    pub(crate) fn is_bare(&self, place: &Path, path_table: &PathTable<'_>) -> bool {
        let here = path_table.directory(place);
        let is_protected = path_table.has(here, ".git") || place.ends_with(".git");
        !is_protected
            && (self.bare.contains(&place.to_path_buf()) || self.has_parts(place, path_table))
    }

    /// Where the text makes a repository out of a directory that has hooks or settings already, or may have them.
    pub(crate) fn taken_over(&self, path_table: &PathTable<'_>) -> Option<&Path> {
        let mut bare = self.bare.iter();
        let found = bare.find(|place| {
            let holds = |place: &Path| {
                let here = path_table.directory(place);
                TAKEN_OVER.iter().any(|name| path_table.has(here, name))
            };
            let sources = self.sources(place);
            self.names_hooks || holds(place) || sources.iter().any(|source| holds(source))
        });
        found.map(PathBuf::as_path)
    }

    /// Whether all that makes a directory a repository is there, or may be once the text runs.
    fn has_parts(&self, place: &Path, path_table: &PathTable<'_>) -> bool {
        let here = path_table.directory(place);
        let sources = self.sources(place);
        let mut known = PARTS.iter().zip(self.named).filter(|(part, named)| {
            let in_source = |source: &PathBuf| {
                let source = path_table.directory(source);
                path_table.has(source, part)
            };
            *named || path_table.has(here, part) || sources.iter().any(in_source)
        });
        known.by_ref().count() + usize::from(self.writes_unknown) >= PARTS.len()
    }

    /// What the text copies or moves to this place.
    fn sources(&self, place: &Path) -> Vec<PathBuf> {
        let copied = self.copied.iter();
        copied
            .filter_map(|(name, source)| {
                let rest = place.strip_prefix(name).ok()?;
                Some(go_on(source, &path_text(rest)))
            })
            .collect()
    }
}

fn is_directory(place: &Path, path_table: &PathTable<'_>) -> bool {
    let here = path_table.directory(place);
    let name = path_table.follow(here, ".");
    name.inside().is_some_and(|inside| inside.is_directory)
}
