//! Paths in decisions: how a claim is compared, and the port through which names in command texts are followed.

use std::borrow::Cow;
use std::path::{Component, Path, PathBuf};

use tenon_contract::PathClaim;

use crate::glob::{Parts, Place};

/// Follows path texts to where they lead. The crate is pure; who embeds it looks at the disk.
pub trait PathResolver {
    /// Where `path` leads, relative to the absolute folder `folder` or absolute itself. `..` behind a link is the
    /// parent of the link's target, as for the system.
    fn resolve(&self, folder: &Path, path: &str) -> Resolved;
}

/// Where a path text leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Resolved {
    /// Into the workspace or an additional folder.
    Inside {
        /// The claim.
        claim: PathClaim,
        /// Whether a folder is there.
        is_folder: bool,
    },
    /// Elsewhere, or it cannot be made out: both are not inside.
    Outside,
}

/// A resolver that looks at no disk: names are taken as they are, below one root.
#[derive(Debug, Clone)]
pub struct LexicalPaths {
    root: std::path::PathBuf,
}

impl LexicalPaths {
    /// Paths below this absolute folder are inside.
    #[must_use]
    pub fn new(root: impl Into<std::path::PathBuf>) -> Self {
        Self { root: root.into() }
    }
}

impl LexicalPaths {
    /// Where a plain relative name leads from a plain folder inside, as nearly all do; `None` for all others.
    fn plain(&self, folder: &Path, path: &str) -> Option<Resolved> {
        let (folder, root) = (folder.to_str()?, self.root.to_str()?);
        let below = folder.strip_prefix(root)?;
        let names = folder.strip_prefix('/').filter(|names| is_plain(names));
        if !cfg!(unix) || names.is_none() || !is_plain(path) {
            return None;
        }
        let name = match below.strip_prefix('/') {
            Some(below) => [below, "/", path].concat(),
            None if below.is_empty() => path.to_owned(),
            None => return None,
        };
        let target = [folder, "/", path].concat().into();
        Some(Resolved::Inside {
            claim: PathClaim { name, target },
            is_folder: true,
        })
    }
}

impl PathResolver for LexicalPaths {
    fn resolve(&self, folder: &Path, path: &str) -> Resolved {
        if path.is_empty() || path.contains('\0') {
            return Resolved::Outside;
        }
        if let Some(inside) = self.plain(folder, path) {
            return inside;
        }
        let target = lexical(&folder.join(path));
        match target.strip_prefix(&self.root) {
            Ok(below) => {
                let name = below.to_string_lossy().into_owned();
                let name = if name.is_empty() {
                    ".".to_owned()
                } else {
                    name
                };
                Resolved::Inside {
                    claim: PathClaim { name, target },
                    is_folder: true,
                }
            }
            Err(_) => Resolved::Outside,
        }
    }
}

/// The path without `.` and `..`, as far as its text tells.
pub(crate) fn lexical(path: &Path) -> PathBuf {
    if cfg!(unix)
        && let Some(names) = path.to_str().and_then(|text| text.strip_prefix('/'))
        && is_plain(names)
    {
        return path.to_owned();
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

/// Whether these are names with one slash between each two, and none of them begins with a dot.
fn is_plain(names: &str) -> bool {
    let mut before = b'/';
    names.bytes().all(|byte| {
        let odd = before == b'/' && matches!(byte, b'/' | b'.');
        before = byte;
        !odd
    }) && before != b'/'
}

/// The name of a claim and its target, split for comparison.
pub(crate) struct ClaimPlaces<'c> {
    pub(crate) name: Place<'c>,
    pub(crate) target: Place<'c>,
    /// Whether both are one place, as they are where no link is on the way.
    same: bool,
}

impl<'c> ClaimPlaces<'c> {
    /// The places of a claim in the workspace whose root has these parts.
    pub(crate) fn new(claim: &'c PathClaim, root: &'c [String]) -> Self {
        let name = Path::new(&claim.name);
        let name = if name.is_absolute() {
            Place::of(name, root)
        } else {
            Place::below(name, root)
        };
        Self::of(name, Place::of(&claim.target, root))
    }

    pub(crate) fn of(name: Place<'c>, target: Place<'c>) -> Self {
        let same = name == target;
        Self { name, target, same }
    }

    /// Whether the name or the target is such a place.
    pub(crate) fn either(&self, test: impl Fn(&Place<'_>) -> bool) -> bool {
        test(&self.name) || (!self.same && test(&self.target))
    }

    /// Whether both are such places.
    pub(crate) fn both(&self, test: impl Fn(&Place<'_>) -> bool) -> bool {
        test(&self.name) && (self.same || test(&self.target))
    }

    /// The protected name on the way to one of them.
    pub(crate) fn protected(&self) -> Option<&'static str> {
        let of = crate::protected::protected_name;
        of(&self.name).or_else(|| of(&self.target).filter(|_| !self.same))
    }
}

impl<'p> Place<'p> {
    /// The place of an absolute path.
    pub(crate) fn of(path: &'p Path, root: &[String]) -> Self {
        let mut place = Self::default();
        // How many parts are those of the root so far; `None` once one was another.
        let mut inside = Some(0);
        pieces(path, |piece| {
            // The name of a root is compared as it is written: `..` leads out before it is reached.
            match inside {
                Some(count) if count < root.len() => {
                    let same = matches!(&piece, Some(name) if root.get(count).is_some_and(|part| part == name));
                    inside = same.then_some(count + 1);
                    if inside == Some(root.len()) {
                        place.below = Some(root.len());
                    }
                }
                _ => {}
            }
            place.step(piece);
        });
        if root.is_empty() {
            place.below = Some(0);
        }
        place
    }

    /// The place of a path that is relative to the root.
    fn below(path: &'p Path, root: &'p [String]) -> Self {
        let mut place = Self {
            absolute: Parts::new(),
            below: Some(root.len()),
        };
        for part in root {
            place.absolute.push(Cow::Borrowed(part));
        }
        pieces(path, |piece| place.step(piece));
        place
    }

    /// Goes on by one name, or up for `None`.
    fn step(&mut self, piece: Option<Cow<'p, str>>) {
        match piece {
            Some(name) => self.absolute.push(name),
            None => {
                self.absolute.pop();
                // What lies above the root is no part of the name below it.
                self.below = self.below.map(|below| below.min(self.absolute.len()));
            }
        }
    }
}

/// The names of a path in order, and `None` for `..`.
fn pieces<'p>(path: &'p Path, mut take: impl FnMut(Option<Cow<'p, str>>)) {
    if cfg!(unix)
        && let Some(text) = path.to_str()
    {
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
