//! Paths in decisions: how a claim is compared, and the port through which names in command texts are followed.
//!
//! Here all paths have slashes and begin with one, on Windows too ([`posix_path`]): rules and commands are written so.

mod places;

pub(crate) use places::{ClaimPlaces, Root};

use std::borrow::Cow;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use tenon_contract::{PathClaim, posix_path, posix_path_text};

/// Follows path texts to where they lead. The crate is pure; who embeds it looks at the disk. Absolute paths go to it and come
/// back from it as [`posix_path`] has them.
pub trait PathResolver {
    /// Where `path` leads, relative to the absolute directory `directory` or absolute itself. `..` behind a link is the
    /// parent of the link's target, as for the system.
    fn resolve(&self, directory: &Path, path: &str) -> Resolved;

    /// The top of the work tree in which git works in this absolute directory. `None` where there is none, or it is not
    /// known.
    fn work_tree(&self, directory: &Path) -> Option<PathBuf> {
        let _ = directory;
        None
    }

    /// Those of the files that git tracks there for which `test` is true, by absolute paths. `None` when it is not known
    /// what is tracked. `test` answers the same for the same path each time, so that answers may be kept.
    fn tracked(&self, directory: &Path, test: &dyn Fn(&Path) -> bool) -> Option<Arc<[PathBuf]>> {
        let _ = (directory, test);
        None
    }

    /// Whether each file that git tracks below this absolute directory, links followed, is there as a file of one name that no
    /// link leads to, or is not there, and `test` is true for its absolute path. `false` where that is not known, and
    /// where there are more than `most`.
    fn tracked_as_files(
        &self,
        directory: &Path,
        test: &dyn Fn(&Path) -> bool,
        most: usize,
    ) -> bool {
        let _ = (directory, test, most);
        false
    }

    /// The files that have several names (hard links) among this absolute path and what is below it, as far as the first
    /// `most` entries go.
    fn shared_files(&self, path: &Path, most: usize) -> Vec<FileIdentity> {
        let _ = (path, most);
        Vec::new()
    }

    /// What lies in an absolute directory, in any order, links not followed. `None` when that cannot be determined, or
    /// when there are more than `most` entries: then everything can lie there.
    fn list(&self, _directory: &Path, _most: usize) -> Option<Vec<Listed>> {
        None
    }

    /// The links and directories that lie in an absolute directory, and perhaps more; `None` as for [`list`](Self::list).
    fn links(&self, directory: &Path, most: usize) -> Option<Vec<Listed>> {
        self.list(directory, most)
    }

    /// Where an absolute path outside of the workspace really is, links followed, whether something is there or not. `None`
    /// when that cannot be determined.
    fn real(&self, _path: &Path) -> Option<PathBuf> {
        None
    }

    /// Where an absolute path outside of the workspace leads, links followed as far as they are there, and the rest as it is
    /// written. `None` when that cannot be determined.
    fn led_to(&self, path: &Path) -> Option<PathBuf> {
        self.real(path)
    }

    /// Whether git ignores what is at an absolute path by its own name. What lies in an ignored directory does not count.
    /// `false` where that is not known.
    fn is_ignored(&self, path: &Path, is_directory: bool) -> bool {
        let _ = (path, is_directory);
        false
    }

    /// Whether what is at an absolute path stays out of an image that is built from the directory `context`: each of `ignore_files`
    /// (`.dockerignore`), by their names from there, that is there says so, and one is there. `false` where that is not known.
    fn is_left_out(
        &self,
        context: &Path,
        ignore_files: &[String],
        path: &Path,
        is_directory: bool,
    ) -> bool {
        let _ = (context, ignore_files, path, is_directory);
        false
    }

    /// Whether files in an absolute directory that say what searches leave out (`.gitignore`, `.ignore`, `.rgignore`,
    /// `.fdignore`, `.git/info/exclude`) make exceptions, so that hidden names can be searched all the same.
    fn makes_exceptions(&self, _directory: &Path) -> bool {
        true
    }
}

/// What identifies a file, whatever its names are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FileIdentity {
    /// The number of the device.
    pub device: u64,
    /// The number of the file on it.
    pub inode: u64,
}

/// What stands at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum There {
    /// Nothing.
    Nothing,
    /// A directory.
    Directory,
    /// Something else. Its identity is given if it is a file with several names (hard links).
    File(Option<FileIdentity>),
}

/// One entry of a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// Its name. What is no UTF-8 in it stands as U+FFFD.
    pub name: String,
    /// What it is.
    pub kind: ListedKind,
}

/// What an entry of a directory is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListedKind {
    /// A directory.
    Directory,
    /// A link.
    Link,
    /// A file, a device or anything else.
    Other,
}

/// Where a path text leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Resolved {
    /// Into the workspace or an additional directory.
    Inside {
        /// The claim.
        claim: PathClaim,
        /// What is there.
        there: There,
    },
    /// Elsewhere, or it cannot be made out: both are not inside.
    Outside,
}

/// A resolver that looks at no disk: names are taken as they are, below one root.
#[derive(Debug, Clone)]
pub struct LexicalPaths {
    root: PathBuf,
    /// The same as text, if it is absolute and without `.` and `..`.
    text: Option<String>,
}

impl LexicalPaths {
    /// Paths below this absolute directory are inside.
    #[must_use]
    pub fn new(root: impl Into<PathBuf>) -> Self {
        let root = posix_path(&root.into()).into_owned();
        let text = root.to_str().filter(|text| joined("/", text) == *text);
        Self {
            text: text.map(str::to_owned),
            root,
        }
    }
}

impl LexicalPaths {
    /// Where a name leads from a directory, both texts with slashes; `None` for all others.
    fn by_text(&self, directory: &Path, path: &str) -> Option<Resolved> {
        let root = self.text.as_deref()?;
        // Nearly all names are plain, and the directory is the root.
        if directory.as_os_str().as_encoded_bytes() == root.as_bytes()
            && is_clean(path)
            && root != "/"
        {
            let mut target = String::with_capacity(root.len() + path.len() + 1);
            target.push_str(root);
            target.push('/');
            target.push_str(path);
            let claim = PathClaim {
                name: path.to_owned(),
                target: target.into(),
            };
            return Some(Resolved::Inside {
                claim,
                there: There::Directory,
            });
        }
        let directory = directory.to_str().filter(|text| text.starts_with('/'))?;
        let clean = directory == root || directory == "/" || is_clean(directory.get(1..)?);
        let target = if clean {
            joined(directory, path)
        } else {
            joined(&joined("/", directory), path)
        };
        let inside = target
            .strip_prefix(root.trim_end_matches('/'))
            .and_then(|below| below.strip_prefix('/').or(below.is_empty().then_some("")));
        let name = match inside {
            None => return Some(Resolved::Outside),
            Some("") => ".".to_owned(),
            Some(name) => name.to_owned(),
        };
        Some(Resolved::Inside {
            claim: PathClaim {
                name,
                target: target.into(),
            },
            there: There::Directory,
        })
    }
}

impl PathResolver for LexicalPaths {
    fn resolve(&self, directory: &Path, path: &str) -> Resolved {
        if path.is_empty() || path.contains('\0') {
            return Resolved::Outside;
        }
        let path = &*posix_path_text(path);
        if let Some(resolved) = self.by_text(directory, path) {
            return resolved;
        }
        let target = lexical(&within(directory, path));
        match target.strip_prefix(&self.root) {
            Ok(below) => {
                let name = path_text(below).into_owned();
                let name = if name.is_empty() {
                    ".".to_owned()
                } else {
                    name
                };
                Resolved::Inside {
                    claim: PathClaim { name, target },
                    there: There::Directory,
                }
            }
            Err(_) => Resolved::Outside,
        }
    }
}

/// Whether a path is absolute. WebAssembly has no paths, so that the standard library takes none for absolute there, and on
/// Windows only those with a drive; here they are those of Unix.
pub(crate) fn is_absolute(path: &Path) -> bool {
    path.is_absolute() || (cfg!(any(target_family = "wasm", windows)) && path.has_root())
}

/// Whether a text names a path that does not begin in the working directory.
pub(crate) fn is_rooted(path: &str) -> bool {
    path.starts_with('/') || (cfg!(windows) && posix_path_text(path).starts_with('/'))
}

/// The path of a name from a directory, with a slash between them.
pub(crate) fn within(directory: &Path, name: impl AsRef<Path>) -> PathBuf {
    let name = name.as_ref();
    if !cfg!(windows) {
        return directory.join(name);
    }
    let name = posix_path(name);
    if name.has_root() {
        return name.into_owned();
    }
    let above = posix_path(directory).to_string_lossy().into_owned();
    PathBuf::from(format!(
        "{}/{}",
        above.trim_end_matches('/'),
        name.display()
    ))
}

/// The text of a path, with slashes.
pub(crate) fn path_text(path: &Path) -> Cow<'_, str> {
    let text = path.to_string_lossy();
    if cfg!(windows) && text.contains('\\') {
        Cow::Owned(text.replace('\\', "/"))
    } else {
        text
    }
}

/// A name of a directory, as it is written from where the directory is named.
pub(crate) fn name_in(directory: &str, name: &str) -> String {
    match directory {
        "." => name.to_owned(),
        directory => format!("{directory}/{name}"),
    }
}

/// The path without `.` and `..`, as far as its text shows.
pub(crate) fn lexical(path: &Path) -> PathBuf {
    let path = &*posix_path(path);
    if let Some(text) = path.to_str().filter(|text| text.starts_with('/')) {
        return joined("/", text).into();
    }
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => drop(plain.pop()),
            Component::CurDir => {}
            other => plain.push(other),
        }
    }
    plain
}

/// Where a path leads from a directory that is written without `.` and `..`, as far as its text shows.
pub(crate) fn go_on(directory: &Path, path: &str) -> PathBuf {
    match directory.to_str().filter(|text| text.starts_with('/')) {
        Some(directory) => joined(directory, &posix_path_text(path)).into(),
        None => lexical(&within(directory, path)),
    }
}

/// A path without `.` and `..`, gone on from a directory that has none, both absolute texts with slashes.
fn joined(directory: &str, path: &str) -> String {
    let mut whole = String::with_capacity(directory.len() + path.len() + 1);
    if !path.starts_with('/') {
        whole.push_str(directory.trim_end_matches('/'));
    }
    let mut rest = path;
    while !rest.is_empty() {
        // A slash is never a part of a letter.
        let end = rest.bytes().position(|byte| byte == b'/');
        match rest.get(..end.unwrap_or(rest.len())).unwrap_or_default() {
            "" | "." => {}
            ".." => whole.truncate(whole.rfind('/').unwrap_or_default()),
            name => {
                whole.push('/');
                whole.push_str(name);
            }
        }
        rest = end.and_then(|end| rest.get(end + 1..)).unwrap_or_default();
    }
    if whole.is_empty() {
        whole.push('/');
    }
    whole
}

/// How many directories lead to this absolute path without `.` and `..`, `/` counted.
pub(crate) fn depth(path: &Path) -> usize {
    if let Some(text) = path.to_str().filter(|text| text.starts_with('/')) {
        return 1 + text.bytes().filter(|byte| *byte == b'/').count() - usize::from(text == "/");
    }
    path.components().count()
}

/// Whether these are names with one slash between each two, none of them `.` or `..`.
pub(crate) fn is_clean(names: &str) -> bool {
    let odd = |length: usize, dots: usize| length == dots && length <= 2;
    let (mut length, mut dots) = (0, 0);
    for byte in names.bytes() {
        if byte == b'/' {
            if odd(length, dots) {
                return false;
            }
            (length, dots) = (0, 0);
        } else {
            length += 1;
            dots += usize::from(byte == b'.');
        }
    }
    !odd(length, dots)
}

/// The names of a path in order, and `None` for `..`.
fn pieces<'p>(path: &'p Path, mut take: impl FnMut(Option<Cow<'p, str>>)) {
    match posix_path(path) {
        Cow::Borrowed(path) => borrowed_pieces(path, take),
        Cow::Owned(path) => borrowed_pieces(&path, |piece| {
            take(piece.map(|piece| Cow::Owned(piece.into_owned())));
        }),
    }
}

fn borrowed_pieces<'p>(path: &'p Path, mut take: impl FnMut(Option<Cow<'p, str>>)) {
    if let Some(text) = path.to_str() {
        // Bytes are quicker to split than letters, and a slash is never a part of a letter.
        let mut rest = text;
        loop {
            let end = rest.bytes().position(|byte| byte == b'/');
            let part = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
            match part {
                "" | "." => {}
                ".." => take(None),
                name => take(Some(Cow::Borrowed(name))),
            }
            match end.and_then(|end| rest.get(end + 1..)) {
                Some(behind) => rest = behind,
                None => return,
            }
        }
    }
    for component in path.components() {
        match component {
            Component::Normal(part) => take(Some(part.to_string_lossy())),
            Component::ParentDir => take(None),
            Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
        }
    }
}

pub(crate) fn parts(path: &Path) -> Vec<String> {
    let mut parts = Vec::new();
    pieces(path, |piece| match piece {
        Some(name) => parts.push(name.into_owned()),
        None => drop(parts.pop()),
    });
    parts
}

/// A place outside: as its text shows it, and where it leads as far as that is known.
pub(crate) fn outside_claim(
    directory: &Path,
    path: &str,
    resolver: &dyn PathResolver,
) -> PathClaim {
    let joined = within(directory, path);
    let name = format!("/{}", parts(&joined).join("/"));
    PathClaim {
        target: resolver.led_to(&joined).unwrap_or_else(|| (&name).into()),
        name,
    }
}
