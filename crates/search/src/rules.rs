//! The rules of ignore files that hold in one directory, with ripgrep's precedence.
//!
//! The `ignore` crate combines them in a type that it keeps to itself; here the same combination is
//! made of its public matchers. Of each kind the nearest directory that says anything decides, and the
//! kinds rank `.rgignore`, `.ignore`, `.gitignore`, the repository's excludes, the global excludes.

use std::sync::Arc;

use ignore::Match;
use ignore::gitignore::{Gitignore, Glob};

use crate::directory::{is_separator, to_path};

/// What ignore files say about a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum IgnoreMatch {
    Ignored,
    Kept,
    Silent,
}

/// The rules in force in one directory. Cheap to clone; a directory without ignore files shares its
/// parent's.
#[derive(Debug, Clone, Default)]
pub(crate) struct Rules {
    kinds: [Option<Arc<Layer>>; KINDS],
    global: Option<Arc<Gitignore>>,
    /// The excludes of the user, which count where a repository names none.
    of_user: Option<Arc<Gitignore>>,
}

/// Number of [`RuleKind`]s.
pub(crate) const KINDS: usize = 4;

/// The kinds of ignore files that lie in directories, strongest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RuleKind {
    RipgrepIgnore = 0,
    DotIgnore = 1,
    GitIgnore = 2,
    GitExclude = 3,
}

/// The rules of one kind in one directory, and those of the directories above it.
#[derive(Debug)]
struct Layer {
    matcher: Gitignore,
    /// Where the path relative to the directory begins in an absolute path below it.
    relative_from: usize,
    above: Option<Arc<Layer>>,
}

impl Rules {
    /// Sets the excludes that hold in every repository which names none.
    pub(crate) fn set_user(&mut self, global: Option<Gitignore>) {
        self.set_global(global);
        self.of_user.clone_from(&self.global);
    }

    /// Takes away what a repository around this one says: its rules end where another repository begins, as in git.
    pub(crate) fn enter_repository(&mut self) {
        for kind in [RuleKind::GitIgnore, RuleKind::GitExclude] {
            if let Some(slot) = self.kinds.get_mut(kind as usize) {
                *slot = None;
            }
        }
        self.global.clone_from(&self.of_user);
    }

    /// Sets the global excludes, in place of those that there were.
    pub(crate) fn set_global(&mut self, global: Option<Gitignore>) {
        self.global = global.filter(|global| !global.is_empty()).map(Arc::new);
    }

    /// Adds the rules of one kind that lie in `directory`, an absolute path.
    pub(crate) fn push(&mut self, kind: RuleKind, directory: &[u8], matcher: Gitignore) {
        if matcher.is_empty() {
            return;
        }
        let separator = usize::from(!is_separator(directory.last()));
        if let Some(slot) = self.kinds.get_mut(kind as usize) {
            let above = slot.take();
            *slot = Some(Arc::new(Layer {
                matcher,
                relative_from: directory.len() + separator,
                above,
            }));
        }
    }

    /// What the rules say about an absolute path below all the directories they come from.
    pub(crate) fn judge(&self, path: &[u8], is_directory: bool) -> IgnoreMatch {
        self.reported(path, is_directory).0
    }

    /// The same with the rule that says so.
    pub(crate) fn reported(&self, path: &[u8], is_directory: bool) -> (IgnoreMatch, Option<&Glob>) {
        for kind in &self.kinds {
            let mut layer = kind.as_deref();
            while let Some(current) = layer {
                let relative = path.get(current.relative_from..).unwrap_or(path);
                match current.matcher.matched(to_path(relative), is_directory) {
                    Match::Ignore(glob) => return (IgnoreMatch::Ignored, Some(glob)),
                    Match::Whitelist(glob) => return (IgnoreMatch::Kept, Some(glob)),
                    Match::None => layer = current.above.as_deref(),
                }
            }
        }
        match &self.global {
            Some(global) => match global.matched(to_path(path), is_directory) {
                Match::Ignore(glob) => (IgnoreMatch::Ignored, Some(glob)),
                Match::Whitelist(glob) => (IgnoreMatch::Kept, Some(glob)),
                Match::None => (IgnoreMatch::Silent, None),
            },
            None => (IgnoreMatch::Silent, None),
        }
    }
}
