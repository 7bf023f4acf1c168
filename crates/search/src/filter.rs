//! What a scope leaves out, decided entry by entry.

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use ignore::types::{Types, TypesBuilder};
use ignore::{Error, Match};

use crate::directory::{is_separator, to_bytes, to_path};
use crate::overrides::{Choice, Overrides, reason};
use crate::rules::{IgnoreMatch, Rules};
use crate::{Facts, PathFilter, Scope, SearchError, file_types};

/// The decision on one entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    Seen,
    /// By globs, types or extra ignore globs.
    Filtered,
    /// By an ignore file.
    Ignored,
    /// By `hidden: false`.
    Hidden,
    /// `.git`, which is not worth a count.
    GitDirectory,
    /// By the path_filter, with the number of its rule where nothing else leaves it out.
    Veiled(Option<u8>),
}

/// A compiled [`Scope`], without the ignore files that lie in directories.
#[derive(Debug)]
pub(crate) struct Filter {
    hidden: bool,
    git_directory: bool,
    overrides: Option<Overrides>,
    types: Option<Types>,
    extra: Option<Gitignore>,
    /// Where the path relative to the root begins in an absolute path below it.
    relative_from: usize,
    path_filter: Option<PathFilter>,
    /// What stands before a path relative to the root to make it an answered one.
    answer_prefix: String,
}

impl Filter {
    pub(crate) fn new(scope: &Scope) -> Result<Self, SearchError> {
        let root = to_bytes(&scope.root);
        Ok(Self {
            hidden: scope.hidden,
            git_directory: scope.git_directory,
            overrides: Overrides::new(scope)?,
            types: types(scope)?,
            extra: extra(scope)?,
            relative_from: root.len() + usize::from(!is_separator(root.last())),
            path_filter: scope.path_filter.clone(),
            answer_prefix: scope.answer_prefix(),
        })
    }

    /// Decides on the entry `name` at the absolute path `path`. The order is ripgrep's: globs
    /// decide alone if one matches; else ignore files can only take away, then types; a dot entry
    /// is left out last, unless something asked for it.
    pub(crate) fn judge(
        &self,
        rules: Option<&Rules>,
        path: &[u8],
        name: &[u8],
        is_directory: bool,
    ) -> Verdict {
        let ruling = || rules.map_or(IgnoreMatch::Silent, |rules| rules.judge(path, is_directory));
        self.judge_ruled(ruling, path, name, is_directory)
    }

    /// Whether nothing but ignore files and `.git` decides.
    #[cfg(all(target_os = "linux", not(feature = "portable")))]
    pub(crate) const fn is_plain(&self) -> bool {
        self.path_filter.is_none() && self.is_plain_below_the_path_filter()
    }

    /// The same for what a path_filter leaves.
    #[cfg(all(target_os = "linux", not(feature = "portable")))]
    pub(crate) const fn is_plain_below_the_path_filter(&self) -> bool {
        self.hidden
            && !self.git_directory
            && self.overrides.is_none()
            && self.types.is_none()
            && self.extra.is_none()
    }

    /// The same with what the ignore files say.
    pub(crate) fn judge_ruled(
        &self,
        ruling: impl FnOnce() -> IgnoreMatch,
        path: &[u8],
        name: &[u8],
        is_directory: bool,
    ) -> Verdict {
        if !self.git_directory && name == b".git" {
            return Verdict::GitDirectory;
        }
        let relative = path.get(self.relative_from..).unwrap_or(name);
        let covered = self.covered_by(relative);
        let verdict = self.judge_uncovered(ruling, relative, name, is_directory);
        match covered {
            Some(rule) => Verdict::Veiled((verdict == Verdict::Seen).then_some(rule)),
            None => verdict,
        }
    }

    /// The number of the rule by which the path_filter covers this path below the root.
    fn covered_by(&self, relative: &[u8]) -> Option<u8> {
        let path_filter = self.path_filter.as_ref()?;
        let relative = to_path(relative);
        let mut answered = relative.to_string_lossy();
        if !self.answer_prefix.is_empty() {
            answered = format!("{}{answered}", self.answer_prefix).into();
        }
        path_filter.covered_by(&answered)
    }

    /// The same without the path_filter.
    fn judge_uncovered(
        &self,
        ruling: impl FnOnce() -> IgnoreMatch,
        relative: &[u8],
        name: &[u8],
        is_directory: bool,
    ) -> Verdict {
        if let Some(extra) = &self.extra
            && extra.matched(to_path(relative), is_directory).is_ignore()
        {
            return Verdict::Filtered;
        }
        if let Some(overrides) = &self.overrides {
            match overrides.judge(&to_path(relative), is_directory) {
                Choice::Left => return Verdict::Filtered,
                Choice::Kept => return Verdict::Seen,
                Choice::Silent => {}
            }
        }
        let mut asked_for = false;
        match ruling() {
            IgnoreMatch::Ignored => return Verdict::Ignored,
            IgnoreMatch::Kept => asked_for = true,
            IgnoreMatch::Silent => {}
        }
        if let Some(types) = &self.types {
            match types.matched(to_path(name), is_directory) {
                Match::Ignore(_) => return Verdict::Filtered,
                Match::Whitelist(_) => asked_for = true,
                Match::None => {}
            }
        }
        if !self.hidden && !asked_for && name.starts_with(b".") {
            return Verdict::Hidden;
        }
        Verdict::Seen
    }
}

impl Verdict {
    /// Whether an entry is hidden by ignore files, or a directory in which there may be such.
    pub(crate) fn is_on_the_way_to_ignored(self, is_directory: bool) -> bool {
        self == Self::Ignored || (is_directory && self == Self::Seen)
    }

    /// Counts an entry that is left out.
    pub(crate) fn count(self, is_directory: bool, facts: &mut Facts) {
        match self {
            Self::Seen | Self::GitDirectory | Self::Veiled(None) => {}
            Self::Veiled(Some(rule)) => facts.keep_back(rule),
            Self::Filtered => facts.files_filtered += 1,
            Self::Ignored if is_directory => facts.directories_ignored += 1,
            Self::Ignored => facts.files_ignored += 1,
            Self::Hidden => facts.files_hidden += 1,
        }
    }
}

fn extra(scope: &Scope) -> Result<Option<Gitignore>, SearchError> {
    if scope.ignore.is_empty() {
        return Ok(None);
    }
    let mut builder = GitignoreBuilder::new(&scope.root);
    for glob in &scope.ignore {
        builder
            .add_line(None, glob)
            .map_err(|error| SearchError::glob(glob, reason(&error)))?;
    }
    let extra = builder
        .build()
        .map_err(|error| SearchError::glob(&scope.ignore.join(" "), reason(&error)))?;
    Ok((!extra.is_empty()).then_some(extra))
}

fn types(scope: &Scope) -> Result<Option<Types>, SearchError> {
    if scope.types.is_empty() && scope.types_not.is_empty() {
        return Ok(None);
    }
    let mut builder = TypesBuilder::new();
    builder.add_defaults();
    for name in &scope.types {
        builder.select(name);
    }
    for name in &scope.types_not {
        builder.negate(name);
    }
    match builder.build() {
        Ok(types) => Ok(Some(types)),
        Err(Error::UnrecognizedFileType(name)) => Err(file_types::unknown(name)),
        Err(error) => Err(SearchError::glob(&scope.types.join(" "), reason(&error))),
    }
}
