//! Where to search and what is seen there.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tenon_contract::RulesIdentity;
use tenon_contract::limits::GREP_FILE_MAX_BYTES;

use crate::directory::{answered_name, to_bytes};

/// Threads that a call uses by default.
pub(crate) const DEFAULT_THREADS: usize = 2;

/// Where to search and what is seen there.
///
/// [`Scope::new`] sees what `rg --hidden --glob '!.git'` sees, and outside of repositories what it sees with
/// `--no-require-git`: ignore files of all kinds count, with or without a repository (`.gitignore`, `.ignore`, `.rgignore`,
/// the global and the repository's own excludes, and those of the directories above the root). What belongs to git ends
/// where another repository begins (a directory with `.git`): a submodule, a clone, a linked work tree. Hidden files are
/// seen; `.git` is not. Links are never followed and only regular files are ever opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scope {
    /// The directory that answered paths are relative to, usually the workspace root. Rules of the
    /// global git excludes count from here, as they count from the current directory of `rg`.
    pub base: PathBuf,
    /// The directory to search, or for [`grep`](crate::grep()) one regular file: absolute, resolved
    /// and already found permissible by the caller. A link in its last component is refused.
    pub root: PathBuf,
    /// Whether dot files and dot directories are seen. Default: yes.
    pub hidden: bool,
    /// Whether ignore files count. Default: yes; no is `rg --no-ignore`.
    pub ignore_files: bool,
    /// Only what ignore files hide, and all that is in it: what is seen otherwise is passed through and left out.
    /// Says what a search would have found without ignore files. Needs `ignore_files`. Default: no.
    pub only_ignored: bool,
    /// Whether `.git` is seen. Default: no, whatever `globs` says.
    pub git_directory: bool,
    /// Globs as `rg --glob` takes them, later ones winning: `*.rs`, `src/**`, `!*.min.js`. Rooted
    /// at `root`. A file that one of them names is seen even if an ignore file hides it, as in `rg`.
    pub globs: Vec<String>,
    /// Whether `globs` disregard case (`rg --glob-case-insensitive`). Default: no.
    pub case_insensitive_globs: bool,
    /// More things to leave out, in the syntax of gitignore, rooted at `root`: `node_modules`,
    /// `/dist/`. They win over everything else.
    pub ignore: Vec<String>,
    /// Only files of these types (`rg --type`): `rust`, `ts`, `py`. See
    /// [`file_types`](crate::file_types()).
    pub types: Vec<String>,
    /// No files of these types (`rg --type-not`).
    pub types_not: Vec<String>,
    /// Larger files are not searched but counted, in bytes. Default:
    /// [`GREP_FILE_MAX_BYTES`].
    pub max_file_bytes: Option<u64>,
    /// How deep to look; 1 is the entries of `root` itself. Default: no limit.
    pub max_depth: Option<usize>,
    /// Whether to stay on the file system of `root`. Default: no.
    pub same_file_system: bool,
    /// Threads to use, at least one. Default: 2.
    pub threads: usize,
    /// Leaves out everything that comes before this path in path order: where an answer that a
    /// deadline cut off is taken up. As the answer reported it, relative to `base`. Default: nothing.
    pub from: Option<String>,
    /// Files that must not show, nor count anywhere, whatever else is said. Default: none.
    pub path_filter: Option<PathFilter>,
}

/// The number of the rule that keeps an entry back, by its path.
type RuleOfPath = dyn Fn(&str) -> Option<u8> + Send + Sync;

/// Reports which entries must not show, by their answered path.
#[derive(Clone)]
pub struct PathFilter {
    rules: Option<RulesIdentity>,
    excludes: Arc<RuleOfPath>,
}

impl PathFilter {
    /// Entries for whose answered path `covers` is true do not show.
    #[must_use]
    pub fn new(excludes: impl Fn(&str) -> bool + Send + Sync + 'static) -> Self {
        Self::by_rule(move |path| excludes(path).then_some(0))
    }

    /// Entries do not show for whose answered path `covers` names a rule, by its number. Of those that would have been
    /// seen, the [facts](crate::Facts) show how many there were and which rules.
    #[must_use]
    pub fn by_rule(excludes: impl Fn(&str) -> Option<u8> + Send + Sync + 'static) -> Self {
        Self {
            rules: None,
            excludes: Arc::new(excludes),
        }
    }

    /// Says that the path alone decides, and the same for every path_filter of these rules: an index remembers what they cover.
    #[must_use]
    pub fn of_rules(mut self, rules: RulesIdentity) -> Self {
        self.rules = Some(rules);
        self
    }

    /// The rules behind it, if these are all that decides.
    #[cfg(all(target_os = "linux", not(feature = "portable")))]
    pub(crate) const fn rules(&self) -> Option<&RulesIdentity> {
        self.rules.as_ref()
    }

    /// Whether the entry with this answered path does not show.
    #[must_use]
    pub fn excludes(&self, path: &str) -> bool {
        self.covered_by(path).is_some()
    }

    /// The number of the rule for which it does not.
    pub(crate) fn covered_by(&self, path: &str) -> Option<u8> {
        (self.excludes)(path)
    }
}

impl PartialEq for PathFilter {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.excludes, &other.excludes)
    }
}

impl Eq for PathFilter {}

impl fmt::Debug for PathFilter {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("PathFilter")
    }
}

impl Scope {
    /// Everything below `root` that ripgrep sees; paths are answered relative to `base`.
    #[must_use]
    pub fn new(base: impl Into<PathBuf>, root: impl Into<PathBuf>) -> Self {
        Self {
            base: base.into(),
            root: root.into(),
            hidden: true,
            ignore_files: true,
            only_ignored: false,
            git_directory: false,
            globs: Vec::new(),
            case_insensitive_globs: false,
            ignore: Vec::new(),
            types: Vec::new(),
            types_not: Vec::new(),
            max_file_bytes: Some(GREP_FILE_MAX_BYTES),
            max_depth: None,
            same_file_system: false,
            threads: DEFAULT_THREADS,
            from: None,
            path_filter: None,
        }
    }

    /// What stands before a path relative to `root` to make it an answered path: empty, or ending
    /// in `/`.
    pub(crate) fn answer_prefix(&self) -> String {
        let prefix = with_slashes(self.root_from_base());
        if prefix.is_empty() || prefix.ends_with('/') {
            prefix
        } else {
            prefix + "/"
        }
    }

    /// The place in path order, as a [`key`](crate::task::Task), that [`from`](Self::from) names;
    /// nothing when it is not below the root, so that everything comes after it or nothing does.
    pub(crate) fn start_key(&self) -> Option<Vec<u8>> {
        let from = self.from.as_deref()?;
        let below = from.strip_prefix(&self.answer_prefix())?;
        Some(below.replace('/', "\0").into_bytes())
    }

    /// The [`from`](Self::from) of a place in path order, at the earliest the own one: a directory that was not entered lies
    /// before the place in it. Nothing for the very start.
    pub(crate) fn cursor(&self, key: &[u8]) -> Option<String> {
        if self
            .start_key()
            .is_some_and(|start| key <= start.as_slice())
        {
            return self.from.clone();
        }
        // A name that is no text is cut off: what comes then begins a little earlier.
        let text = match std::str::from_utf8(key) {
            Ok(text) => text,
            Err(error) => std::str::from_utf8(key.get(..error.valid_up_to())?).ok()?,
        };
        let path = text.trim_end_matches('\0').replace('\0', "/");
        (!path.is_empty()).then(|| self.answer_prefix() + &path)
    }

    /// The bytes before the names of files in answers, which need not be text.
    pub(crate) fn answer_prefix_bytes(&self) -> Vec<u8> {
        let mut prefix = bytes_with_slashes(self.root_from_base());
        if !prefix.is_empty() && !prefix.ends_with(b"/") {
            prefix.push(b'/');
        }
        prefix
    }

    /// `root` as it is answered where it is a file.
    pub(crate) fn answer_root(&self) -> String {
        answered_name(bytes_with_slashes(self.root_from_base()))
    }

    /// `root` relative to `base` if it lies beneath, else absolute.
    fn root_from_base(&self) -> &Path {
        self.root.strip_prefix(&self.base).unwrap_or(&self.root)
    }
}

fn bytes_with_slashes(path: &Path) -> Vec<u8> {
    match path.to_str() {
        Some(_) => with_slashes(path).into_bytes(),
        None => to_bytes(path),
    }
}

/// The path with `/` between its components.
fn with_slashes(path: &Path) -> String {
    let text = path.to_string_lossy();
    if cfg!(windows) {
        text.replace('\\', "/")
    } else {
        text.into_owned()
    }
}
