//! The repositories that a text makes, and what it may make look like one.

use std::path::{Path, PathBuf};

use tenon_shell::{Command, Examination, FileAccess, FindingKind, Invocation, Word, file_operands};

use crate::commands::folders::{self, Folders};
use crate::commands::ground::{Ground, State};
use crate::commands::links::Links;
use crate::commands::recursion::is_given;
use crate::paths::go_on;

/// What git looks for in a folder that is a repository itself.
const PARTS: [&str; 3] = ["HEAD", "objects", "refs"];

/// What a text does to repositories.
#[derive(Default)]
pub(crate) struct Repositories {
    /// Folders in which it makes a `.git`.
    made: Vec<PathBuf>,
    /// Folders that it makes a repository themselves.
    bare: Vec<PathBuf>,
    /// Which of the parts of a repository it names.
    named: [bool; 3],
    /// Whether it writes a file whose name cannot be told.
    writes_unknown: bool,
    /// What it copies or moves: where to, and from where.
    copied: Vec<(PathBuf, PathBuf)>,
}

impl Repositories {
    pub(crate) fn find(
        examination: &Examination,
        folders: &Folders,
        links: &Links,
        ground: &Ground<'_>,
    ) -> Self {
        let mut found = Self {
            copied: links.copies(),
            ..Self::default()
        };
        for (index, text) in examination.texts.iter().enumerate() {
            for (finding, invocation) in &text.invocations {
                let mut state = folders.at(index, *finding);
                for inner in invocation.chain() {
                    state = folders::own(state, inner, ground);
                    found.invocation(inner, state, ground);
                }
            }
            for finding in &text.script.findings {
                match &finding.kind {
                    FindingKind::Command(command) => found.redirections(command),
                    FindingKind::Redirection(redirection) => found.names(&redirection.target),
                    _ => {}
                }
            }
        }
        found
    }

    fn redirections(&mut self, command: &Command) {
        for redirection in &command.redirections {
            self.names(&redirection.target);
        }
    }

    fn invocation(&mut self, invocation: &Invocation, state: State, ground: &Ground<'_>) {
        let words = invocation.plain_words();
        if invocation.base_name() == Some("git") {
            return self.git(words, state, ground);
        }
        for word in words.iter().skip(1).filter(|word| !word.is_opaque()) {
            self.names(word);
        }
        let files = file_operands(words);
        let writes = files.iter().any(|file| file.access == FileAccess::Write);
        self.writes_unknown |= writes && files.iter().any(|file| file.word.is_opaque());
    }

    /// Notes a part of a repository that the word names.
    fn names(&mut self, word: &Word) {
        let Some(text) = word.literal() else {
            self.writes_unknown = true;
            return;
        };
        for (part, named) in PARTS.iter().zip(&mut self.named) {
            *named |= text.split('/').any(|name| name.eq_ignore_ascii_case(part));
        }
    }

    fn git(&mut self, words: &[Word], state: State, ground: &Ground<'_>) {
        let verb = words.get(1).and_then(Word::literal);
        if !matches!(verb, Some("init" | "clone" | "worktree")) {
            return;
        }
        let is_bare = is_given(words, &[], &["bare", "mirror"]);
        let files = file_operands(words);
        let targets = files.iter().filter(|file| file.access == FileAccess::Write);
        let mut targets: Vec<&str> = targets.filter_map(|file| file.word.literal()).collect();
        if verb == Some("init") && targets.is_empty() {
            targets.push(".");
        }
        for folder in ground.candidates(state).into_iter().flatten() {
            let here = ground.path(folder);
            let places = targets.iter().map(|target| go_on(&here, target));
            if is_bare {
                self.bare.extend(places);
            } else {
                self.made.extend(places);
            }
        }
    }

    /// The folder from here upwards that git may take for a repository before it comes to a `.git`.
    pub(crate) fn above(&self, folder: &Path, ground: &Ground<'_>) -> Option<PathBuf> {
        let target = ground.target_of(folder);
        let mut place = target.as_deref().unwrap_or(folder).to_path_buf();
        loop {
            let here = ground.folder(&place);
            let name = ground.follow(here, ".");
            // Outside of the workspace nothing is written unasked.
            let exists = name.inside()?.exists;
            if ground.has(here, ".git") || self.made.contains(&place) {
                return None;
            }
            if self.bare.contains(&place) {
                return Some(place);
            }
            let sources = self.sources(&place);
            if !exists && !sources.iter().any(|source| is_folder(source, ground)) {
                return Some(place);
            }
            let mut known = PARTS.iter().zip(self.named).filter(|(part, named)| {
                let in_source = |source: &PathBuf| {
                    let source = ground.folder(source);
                    ground.has(source, part)
                };
                *named || ground.has(here, part) || sources.iter().any(in_source)
            });
            let count = known.by_ref().count() + usize::from(self.writes_unknown);
            if count >= PARTS.len() {
                return Some(place);
            }
            if !place.pop() {
                return None;
            }
        }
    }

    /// What the text copies or moves to this place.
    fn sources(&self, place: &Path) -> Vec<PathBuf> {
        let copied = self.copied.iter();
        copied
            .filter_map(|(name, source)| {
                let rest = place.strip_prefix(name).ok()?;
                Some(go_on(source, &rest.to_string_lossy()))
            })
            .collect()
    }
}

fn is_folder(place: &Path, ground: &Ground<'_>) -> bool {
    let here = ground.folder(place);
    let name = ground.follow(here, ".");
    name.inside().is_some_and(|inside| inside.is_folder)
}
