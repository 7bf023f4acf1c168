//! The directories that a host knows and that names of commands can begin with.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tenon_contract::posix_path;

use crate::paths::{is_absolute, is_clean};

/// The workspace root, the home directory and those for temporary files. Clones share them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct KnownDirectories {
    root: Option<Arc<str>>,
    home: Option<Arc<str>>,
    temporary: Arc<[PathBuf]>,
}

impl KnownDirectories {
    /// Those of a workspace at this absolute directory.
    pub(crate) fn of(root: &Path) -> Self {
        let is_plain = |root: &&str| root.strip_prefix('/').is_some_and(is_clean);
        Self {
            root: root.to_str().filter(is_plain).map(Arc::from),
            home: None,
            temporary: Arc::default(),
        }
    }

    /// With this home directory, if it is absolute.
    pub(crate) fn with_home(mut self, home: Option<&Path>) -> Self {
        let home = home.filter(|home| is_absolute(home)).map(posix_path);
        self.home = home.and_then(|home| home.to_str().map(Arc::from));
        self
    }

    /// With these directories for temporary files, if they are absolute and not the root of the system.
    pub(crate) fn with_temporary(mut self, directories: Vec<PathBuf>) -> Self {
        let directories = directories.into_iter();
        self.temporary = directories
            .filter(|directory| is_absolute(directory) && directory.parent().is_some())
            .map(|directory| posix_path(&directory).into_owned())
            .collect();
        self
    }

    /// The workspace root, where it is written as it is compared.
    pub(crate) fn root(&self) -> Option<&str> {
        self.root.as_deref()
    }

    /// The home directory of commands, where it is known.
    pub(crate) fn home(&self) -> Option<&str> {
        self.home.as_deref()
    }

    /// The directories for temporary files, as they really are.
    pub(crate) fn temporary(&self) -> &[PathBuf] {
        &self.temporary
    }
}
