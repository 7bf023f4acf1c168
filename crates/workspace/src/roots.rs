//! The directories that tools may touch, and the descriptors that hold them.
//!
//! What is opened is opened beneath a descriptor of its root, so a root that is renamed stays the one that was opened. A
//! process may have a thousand idle toolkits, each with a root of its own: only those in use are held
//! ([`limits::ROOTS_HELD`]). One that is opened again must be the directory that it was.

use std::collections::VecDeque;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use tenon_contract::{limits, way_from};

use crate::Error;
use crate::platform::{Directory, Identity};
use crate::real_place::real_path;

/// One directory that may be touched.
#[derive(Debug)]
pub(crate) struct Root {
    /// Canonical.
    pub(crate) path: PathBuf,
    /// Nothing for one that is on another machine: nothing is ever looked at there.
    identity: Option<Identity>,
    /// Whether what the system keeps of it in memory is there to be had without waiting.
    pub(crate) keeps_cached: bool,
    /// Whether looking at it can take for ever: it is on another machine that is mounted here, or a program makes it.
    pub(crate) may_hang: bool,
}

/// A directory that is held open.
struct HeldDirectory {
    path: PathBuf,
    identity: Identity,
    directory: Arc<Directory>,
}

/// The directories that were used last, shared by all workspaces of this process, the latest at the end.
static HELD: LazyLock<Mutex<VecDeque<HeldDirectory>>> = LazyLock::new(Mutex::default);

/// The directory that `identity` names, opened where it is not held.
fn hold(path: &Path, identity: &Identity) -> io::Result<Arc<Directory>> {
    let mut held = HELD.lock().unwrap_or_else(PoisonError::into_inner);
    let found = held
        .iter()
        .rposition(|held| held.identity == *identity && held.path == path);
    if let Some(index) = found {
        if index + 1 < held.len()
            && let Some(used) = held.remove(index)
        {
            held.push_back(used);
        }
        return held
            .back()
            .map(|held| Arc::clone(&held.directory))
            .ok_or_else(|| io::ErrorKind::NotFound.into());
    }
    let directory = Arc::new(Directory::open_root(path)?);
    if directory.identity()? != *identity {
        return Err(io::Error::other(
            "the workspace directory was replaced by another one",
        ));
    }
    if held.len() >= limits::ROOTS_HELD {
        held.pop_front();
    }
    held.push_back(HeldDirectory {
        path: path.to_owned(),
        identity: *identity,
        directory: Arc::clone(&directory),
    });
    Ok(directory)
}

impl Root {
    pub(crate) fn open(path: &Path) -> Result<Self, Error> {
        let shown = path.display().to_string();
        if path.as_os_str().is_empty() {
            return Err(Error::InvalidPath {
                path: shown,
                reason: "it is empty",
            });
        }
        let failed = |error| Error::system(&shown, "open the directory", error);
        let path = real_path(path).map_err(failed)?;
        let there = std::fs::symlink_metadata(&path).map_err(failed)?;
        let identity = Identity::of(&there);
        let directory = hold(&path, &identity).map_err(failed)?;
        Ok(Self {
            path,
            identity: Some(identity),
            keeps_cached: directory.keeps_cached(),
            may_hang: directory.may_hang(),
        })
    }

    /// One on another machine, by its path there.
    pub(crate) const fn elsewhere(path: PathBuf) -> Self {
        Self {
            path,
            identity: None,
            keeps_cached: false,
            may_hang: false,
        }
    }

    /// The directory, held open.
    ///
    /// # Errors
    /// When it was not used for a while and is no longer the one that was opened, or is on another machine.
    pub(crate) fn directory(&self) -> io::Result<Arc<Directory>> {
        let identity = self.identity.as_ref().ok_or(io::ErrorKind::NotFound)?;
        hold(&self.path, identity)
    }

    /// Lets go of it, as far as nobody works in it. Who needs it again opens it again.
    pub(crate) fn release(&self) {
        let mut held = HELD.lock().unwrap_or_else(PoisonError::into_inner);
        held.retain(|held| {
            Some(&held.identity) != self.identity.as_ref() || held.path != self.path
        });
    }

    /// Whether the directory that was opened was seen at its path now.
    pub(crate) fn is_surely_in_place(&self) -> bool {
        let there = std::fs::symlink_metadata(&self.path);
        there.is_ok_and(|there| self.is_directory_of(&there))
    }

    fn is_directory_of(&self, there: &std::fs::Metadata) -> bool {
        there.is_dir() && self.identity == Some(Identity::of(there))
    }

    /// Whether the directory that was opened is still the one at its path.
    pub(crate) fn is_in_place(&self) -> bool {
        if self.identity.is_none() {
            return true;
        }
        match std::fs::symlink_metadata(&self.path) {
            Ok(there) => self.is_directory_of(&there),
            // Who may not look has not seen that it is gone.
            Err(error) => !matches!(
                error.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
            ),
        }
    }

    /// The innermost of `roots` that holds the absolute `path`, and the way from there.
    pub(crate) fn holding<'a, 'p>(
        roots: &'a [Self],
        path: &'p Path,
    ) -> Option<(&'a Self, &'p Path)> {
        roots
            .iter()
            .filter_map(|root| Some((root, way_from(&root.path, path)?)))
            .max_by_key(|(root, _)| root.path.as_os_str().len())
    }
}
