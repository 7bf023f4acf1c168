//! Paths in decisions: how a claim is compared, and the port through which names in command texts are followed.

use std::path::{Component, Path};

use tenon_contract::PathClaim;

use crate::glob::Place;

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

impl PathResolver for LexicalPaths {
    fn resolve(&self, folder: &Path, path: &str) -> Resolved {
        let mut target = std::path::PathBuf::new();
        for component in folder.join(path).components() {
            match component {
                Component::ParentDir => drop(target.pop()),
                Component::CurDir => {}
                other => target.push(other),
            }
        }
        if path.is_empty() || path.contains('\0') {
            return Resolved::Outside;
        }
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

/// The name of a claim and its target, split for comparison.
pub(crate) struct ClaimPlaces {
    pub(crate) name: Place,
    pub(crate) target: Place,
}

impl ClaimPlaces {
    pub(crate) fn new(claim: &PathClaim, root: &Path) -> Self {
        let name = Path::new(&claim.name);
        let name = if name.is_absolute() {
            name.to_owned()
        } else {
            root.join(name)
        };
        Self {
            name: place(&name, root),
            target: place(&claim.target, root),
        }
    }
}

fn place(path: &Path, root: &Path) -> Place {
    Place {
        relative: path.strip_prefix(root).ok().map(parts),
        absolute: parts(path),
    }
}

pub(crate) fn parts(path: &Path) -> Vec<String> {
    let mut parts = Vec::new();
    for component in path.components() {
        match component {
            Component::Normal(part) => parts.push(part.to_string_lossy().into_owned()),
            Component::ParentDir => drop(parts.pop()),
            Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
        }
    }
    parts
}
