//! The directories that tools may touch, and the way from a path text to a place in them.

use std::ffi::OsStr;
use std::path::{Component, MAIN_SEPARATOR, Path, PathBuf};
use std::sync::{Arc, OnceLock};

use tenon_contract::{PathClaim, way_from};

use crate::drafts::Drafts;
use crate::error::shorten;
use crate::path_text::behind_mention;
use crate::platform::{self, Directory, ResolveFault, Resolved, Strategy};
use crate::rights::closed_at;
use crate::roots::Root;
use crate::spelling::{beneath_lookalike_of_root, only_lookalike};
use crate::{Error, Located, Metadata};

/// Longest path text in bytes (Linux `PATH_MAX` less its NUL).
const PATH_MAX_BYTES: usize = 4095;

/// What the address of a kept output begins with. Only the operations that open outputs take one.
const OUTPUT_SCHEME: &str = "output://";

#[derive(Debug)]
struct Inner {
    /// The workspace root, then the additional directories. Never empty.
    roots: Vec<Root>,
    strategy: Strategy,
    drafts: Drafts,
    /// Whether the roots are on another machine: paths are what their texts say, and nothing is there.
    is_elsewhere: bool,
}

/// The workspace root and the additional directories, each held open. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Workspace {
    inner: Arc<Inner>,
    root: Arc<Path>,
    /// Where records of commits are kept, if somebody named a directory for it.
    state: Option<Arc<Path>>,
}

/// What keeps opened files inside the roots.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Containment {
    /// `openat2(RESOLVE_BENEATH)`: check and opening are one step (Linux 5.6 and later).
    ResolveBeneath,
    /// `openat` with `O_NOFOLLOW`, part by part.
    ComponentWalk,
    /// Canonical paths compared before the opening.
    Canonicalise,
}

impl Workspace {
    /// Opens the root directory and the additional directories. Links in their own paths are followed.
    ///
    /// # Errors
    /// When one of them does not exist, is no directory or may not be entered.
    pub fn open<P: AsRef<Path>>(root: impl AsRef<Path>, additional: &[P]) -> Result<Self, Error> {
        let first = Root::open(root.as_ref())?;
        static STRATEGY: OnceLock<Strategy> = OnceLock::new();
        let strategy = match STRATEGY.get() {
            Some(strategy) => *strategy,
            None => {
                let directory = first.directory();
                let directory = directory.map_err(|error| {
                    Error::system(
                        &first.path.display().to_string(),
                        "open the directory",
                        error,
                    )
                })?;
                *STRATEGY.get_or_init(|| Strategy::probe(&directory))
            }
        };
        Self::from_roots(first, additional, strategy)
    }

    /// Opens a directory, which is made for its owner only where it is missing.
    ///
    /// # Errors
    /// As [`open`](Self::open), and when it cannot be made.
    pub fn open_private(root: &Path) -> Result<Self, Error> {
        crate::state_directory::make_private(root)
            .map_err(|error| Error::system(&root.display().to_string(), "create", error))?;
        Self::open(root, &[] as &[&Path])
    }

    /// The directories of another machine, by their absolute paths there. Paths lead where their texts say: no link is followed, and
    /// nothing is looked at, so that nothing is there.
    #[must_use]
    pub fn elsewhere(root: &Path, additional: &[PathBuf]) -> Self {
        let all = std::iter::once(root).chain(additional.iter().map(PathBuf::as_path));
        let roots: Vec<Root> = all.map(|path| Root::elsewhere(plain(path))).collect();
        Self {
            root: Arc::from(plain(root)),
            inner: Arc::new(Inner {
                roots,
                strategy: Strategy::UNPROBED,
                drafts: Drafts::default(),
                is_elsewhere: true,
            }),
            state: None,
        }
    }

    /// Whether its directories are on another machine.
    #[must_use]
    pub fn is_elsewhere(&self) -> bool {
        self.inner.is_elsewhere
    }

    fn from_roots<P: AsRef<Path>>(
        first: Root,
        additional: &[P],
        strategy: Strategy,
    ) -> Result<Self, Error> {
        let root = Arc::from(first.path.as_path());
        let mut roots = vec![first];
        for path in additional {
            roots.push(Root::open(path.as_ref())?);
        }
        Ok(Self {
            inner: Arc::new(Inner {
                roots,
                strategy,
                drafts: Drafts::default(),
                is_elsewhere: false,
            }),
            root,
            state: None,
        })
    }

    /// The same with another directory for the records of running commits than the one of the user's
    /// state. It is made with mode 0700 if it is missing, and not used when it lies in a root or others may enter it.
    #[must_use]
    pub fn with_state_directory(mut self, directory: &Path) -> Self {
        self.state = Some(Arc::from(directory));
        self
    }

    /// The directory for records of commits, if there is one.
    pub(crate) fn state_directory(&self) -> Option<PathBuf> {
        crate::state_directory::open(self.state.as_deref(), self.roots())
    }

    /// The same with the walk that serves where `openat2` is missing.
    #[cfg(all(test, unix))]
    pub(crate) fn open_walking(root: &Path, additional: &[PathBuf]) -> Result<Self, Error> {
        Self::from_roots(Root::open(root)?, additional, Strategy::Walk)
    }

    pub(crate) fn drafts(&self) -> &Drafts {
        &self.inner.drafts
    }

    /// Canonical path of the workspace root.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Canonical paths of the workspace root and the additional directories, in this order.
    pub fn roots(&self) -> impl Iterator<Item = &Path> + Clone {
        self.inner.roots.iter().map(|root| root.path.as_path())
    }

    /// Lets go of its directories, which can be unmounted then. They are opened again by the next use.
    pub fn release(&self) {
        self.inner.roots.iter().for_each(Root::release);
    }

    /// Whether looking at one of the directories can take for ever, since another machine or a program has to answer. A thread
    /// that must not wait leaves that to another one.
    #[must_use]
    pub fn may_hang(&self) -> bool {
        self.inner.roots.iter().any(|root| root.may_hang)
    }

    /// What keeps opened files inside, for `tenon doctor`.
    #[must_use]
    pub fn containment(&self) -> Containment {
        match self.inner.strategy {
            #[cfg(unix)]
            Strategy::ResolveBeneath => Containment::ResolveBeneath,
            #[cfg(unix)]
            Strategy::Walk => Containment::ComponentWalk,
            #[cfg(not(unix))]
            Strategy::Canonicalise => Containment::Canonicalise,
        }
    }

    /// Where a path text leads, absolute or relative to the workspace root. The target need not
    /// exist.
    ///
    /// The text is taken as it is: no `~`, no variables, no percent signs, no trimming; but where nothing stands at a
    /// text in quotes, and something at the name that lists show so, that is meant. `..` after
    /// a link is the parent of the link's target, as for the system; after a missing name it takes
    /// the name off. The way may leave the workspace as long as its end lies inside.
    ///
    /// # Errors
    /// [`Error::InvalidPath`] for texts that name nothing, [`Error::OutsideWorkspace`] when the
    /// end lies outside or cannot be made out, [`Error::AccessDenied`] when a directory inside may
    /// not be entered.
    pub fn locate(&self, path: &str) -> Result<Located, Error> {
        let (located, is_missing) = self.resolved(path)?;
        let in_quotes = if is_missing {
            self.in_quotes(path)
        } else {
            None
        };
        Ok(in_quotes.unwrap_or(located))
    }

    /// What stands at the name that lists show in these quotes.
    fn in_quotes(&self, path: &str) -> Option<Located> {
        if self.inner.is_elsewhere {
            return None;
        }
        let name = unquoted_path(path)?;
        let (located, is_missing) = self.resolved_path(path, &name).ok()?;
        (!is_missing).then_some(located)
    }

    /// What stands at the name behind `@`.
    pub(crate) fn mentioned(&self, path: &str) -> Option<Located> {
        let (located, is_missing) = self.resolved(behind_mention(path)?).ok()?;
        (!is_missing).then_some(located)
    }

    /// As [`locate`](Self::locate), for what is to be there already. Where nothing has this name, it is the only name
    /// that looks the same (composed or decomposed letters, spaces other than U+0020, curly quotes), or the one behind
    /// an `@`. The place is then identified by its real name. Where several look the same none is taken.
    ///
    /// # Errors
    /// As `locate`.
    pub fn locate_existing(&self, path: &str) -> Result<Located, Error> {
        if self.inner.is_elsewhere {
            return self.locate(path);
        }
        match self.resolved(path) {
            Ok((located, false)) => Ok(located),
            Ok((located, true)) => Ok(self
                .in_quotes(path)
                .or_else(|| only_lookalike(&located))
                .or_else(|| self.mentioned(path))
                .unwrap_or(located)),
            Err(error @ Error::OutsideWorkspace { .. }) => {
                match beneath_lookalike_of_root(self.roots(), path) {
                    Some(path) => self.locate_existing(&path),
                    None => Err(error),
                }
            }
            Err(error) => Err(error),
        }
    }

    /// Where a path text leads, and whether nothing stands there.
    pub(crate) fn resolved(&self, path: &str) -> Result<(Located, bool), Error> {
        self.resolved_path(path, Path::new(path))
    }

    /// The same for a path that need not be Unicode; `text` is what was given for it.
    fn resolved_path(&self, text: &str, path: &Path) -> Result<(Located, bool), Error> {
        check_text(text)?;
        let resolved = if self.inner.is_elsewhere {
            let target = plain(&self.root.join(path));
            Resolved {
                name: target.clone(),
                target,
                is_missing: true,
            }
        } else {
            platform::resolve(&self.inner.roots, &self.root, path)
                .map_err(|fault| self.resolve_error(text, fault))?
        };
        let names_directory = names_directory(&path.to_string_lossy());
        let located = self
            .place(&resolved.name, resolved.target, names_directory)
            .ok_or_else(|| self.outside(text))?;
        Ok((located, resolved.is_missing))
    }

    /// The place of a path without links and without `..`, as a search names it: relative to the workspace root, or
    /// absolute in an additional directory; where it is not Unicode, in quotes. Nothing is looked up and no link is followed: where one stands by now, the
    /// place cannot be opened. `None` outside.
    #[must_use]
    pub fn unresolved(&self, path: &str) -> Option<Located> {
        let is_plain =
            |part: Component<'_>| !matches!(part, Component::ParentDir | Component::CurDir);
        let found = tenon_edit::path_of_name(path);
        if check_text(path).is_err() || !found.components().all(is_plain) {
            return None;
        }
        let target = self.root.join(found);
        self.place(&target, target.clone(), names_directory(path))
    }

    /// How a path without links is named in answers: relative to the workspace root with `/` (the
    /// root itself is `.`), absolute in an additional directory; `None` outside.
    #[must_use]
    pub fn name_of(&self, target: &Path) -> Option<String> {
        let (_, _) = Root::holding(&self.inner.roots, target)?;
        Some(self.reported(target))
    }

    /// The place of a path without links, if it lies inside.
    pub(crate) fn place(
        &self,
        name: &Path,
        target: PathBuf,
        directory_only: bool,
    ) -> Option<Located> {
        let (root, beneath) = Root::holding(&self.inner.roots, &target)?;
        let index = self
            .inner
            .roots
            .iter()
            .position(|other| std::ptr::eq(other, root))?;
        let beneath = beneath.to_owned();
        let claim = PathClaim {
            name: self.reported(name),
            target,
        };
        Some(Located::new(
            self.clone(),
            index,
            beneath,
            claim,
            directory_only,
        ))
    }

    /// Whether the workspace root, and the additional directories that hold one of `targets`, are still the directories at their
    /// paths. Files are opened beneath the directories as they were opened and commands run where the paths lead, so the
    /// two must be the same.
    ///
    /// # Errors
    /// [`Error::WorkspaceGone`] for the first that was removed, moved or replaced.
    pub fn check_in_place<'p>(
        &self,
        targets: impl Iterator<Item = &'p Path> + Clone,
    ) -> Result<(), Error> {
        let concerned = |root: &&Root| {
            root.path == *self.root || targets.clone().any(|target| target.starts_with(&root.path))
        };
        let mut concerned = self.inner.roots.iter().filter(concerned);
        match concerned.find(|root| !root.is_in_place()) {
            Some(root) => Err(Error::WorkspaceGone {
                root: root.path.display().to_string(),
            }),
            None => Ok(()),
        }
    }

    /// The root at exactly this path, if it surely is the directory that was opened.
    pub(crate) fn root_in_place(&self, path: &str) -> Option<&Root> {
        let mut roots = self.inner.roots.iter();
        roots.find(|root| root.path.as_os_str() == path && root.is_surely_in_place())
    }

    /// How directories beneath the roots are reached.
    pub(crate) fn strategy(&self) -> Strategy {
        self.inner.strategy
    }

    /// The directory of this root that stands at `beneath`, held open.
    pub(crate) fn descend(&self, root: usize, beneath: &Path) -> std::io::Result<Directory> {
        self.inner
            .roots
            .get(root)
            .ok_or(std::io::ErrorKind::NotFound)?
            .directory()?
            .descend(beneath, self.inner.strategy)
    }

    /// A regular file beneath a root that the system has in memory, see [`Located::open_if_cached`].
    pub(crate) fn if_cached(
        &self,
        root: usize,
        beneath: &Path,
        max_bytes: u64,
    ) -> Option<(std::fs::File, Metadata, Vec<u8>)> {
        let root = self
            .inner
            .roots
            .get(root)
            .filter(|root| root.keeps_cached)?;
        root.directory().ok()?.read_if_cached(beneath, max_bytes)
    }

    fn reported(&self, path: &Path) -> String {
        let shown = match way_from(&self.root, path) {
            Some(relative) if relative.as_os_str().is_empty() => return ".".into(),
            Some(relative) => name_text(relative.as_os_str()),
            None => name_text(path.as_os_str()),
        };
        if MAIN_SEPARATOR == '/' {
            shown
        } else {
            shown.replace(MAIN_SEPARATOR, "/")
        }
    }

    fn outside(&self, path: &str) -> Error {
        Error::OutsideWorkspace {
            path: shorten(path),
            root: self.root.display().to_string(),
        }
    }

    /// The same error with what is in the way to `target`, where the system has refused.
    pub(crate) fn explained(&self, mut error: Error, target: &Path) -> Error {
        if let Error::AccessDenied {
            action,
            source,
            closed,
            ..
        } = &mut error
            && let Some(root) = self.roots().find(|root| target.starts_with(root))
        {
            let name_of = |path: &Path| self.name_of(path);
            *closed = closed_at((root, target), action, source, &name_of);
        }
        error
    }

    fn resolve_error(&self, path: &str, fault: ResolveFault) -> Error {
        match fault {
            ResolveFault::TooManyLinks => Error::InvalidPath {
                path: shorten(path),
                reason: "its symbolic links form a loop or a chain of more than 40",
            },
            ResolveFault::AnotherName => Error::InvalidPath {
                path: shorten(path),
                reason: "Windows opens a file of another name by it (`:`, or a dot or space at the end of a name)",
            },
            // What cannot be made out outside is nobody's business.
            ResolveFault::System(place, error) => match self.name_of(&place) {
                Some(name) => self.explained(Error::system(&name, "resolve", error), &place),
                None => self.outside(path),
            },
        }
    }
}

/// A name or a path as a text, which [`Workspace::locate`] takes back.
pub(crate) fn name_text(name: &OsStr) -> String {
    tenon_edit::name_of_bytes(name.as_encoded_bytes())
}

/// What lists show in quotes: a path, or the name in a directory.
fn unquoted_path(path: &str) -> Option<PathBuf> {
    let bytes = tenon_edit::unquoted_bytes(path).or_else(|| {
        let quote = path.find("/\"")? + 1;
        let (directory, name) = path.split_at_checked(quote)?;
        let mut bytes = directory.as_bytes().to_vec();
        bytes.extend(tenon_edit::unquoted_bytes(name)?);
        Some(bytes)
    })?;
    let is_path = !bytes.is_empty() && !bytes.contains(&0) && bytes.len() <= PATH_MAX_BYTES;
    #[cfg(unix)]
    let path = {
        use std::os::unix::ffi::OsStringExt;
        PathBuf::from(std::ffi::OsString::from_vec(bytes))
    };
    #[cfg(not(unix))]
    let path = PathBuf::from(String::from_utf8(bytes).ok()?);
    is_path.then_some(path)
}

/// A path without `.` and `..`, as far as its text says.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => _ = plain.pop(),
            Component::CurDir => {}
            part => plain.push(part),
        }
    }
    plain
}

fn check_text(path: &str) -> Result<(), Error> {
    let reason = if path.is_empty() {
        "it is empty"
    } else if path.contains('\0') {
        "it contains a NUL byte"
    } else if path.len() > PATH_MAX_BYTES {
        "it is longer than 4095 bytes"
    } else if path.starts_with(OUTPUT_SCHEME) {
        return Err(Error::OutputAddress {
            path: shorten(path),
        });
    } else {
        return Ok(());
    };
    Err(Error::InvalidPath {
        path: shorten(&path.replace('\0', "\u{2400}")),
        reason,
    })
}

/// Whether the text can only mean a directory: it ends in a separator, `.` or `..`.
fn names_directory(path: &str) -> bool {
    path.ends_with(std::path::is_separator)
        || matches!(
            path.rsplit(std::path::is_separator).next(),
            Some("." | "..")
        )
        || Path::new(path).components().next_back() == Some(Component::RootDir)
}

#[cfg(test)]
#[path = "containment_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "races_tests.rs"]
mod races;
