//! Which files version control has: what is not in it was written by nobody who works on the project, as far as is known.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::real_place::real_path;
use crate::repository::{IndexStamp, WorkTree};

/// What is tracked in the work trees that were asked for. An index is read again when it is another one.
#[derive(Debug, Default)]
pub struct VersionControl {
    /// The directories of the workspace.
    roots: Vec<PathBuf>,
    known: Mutex<HashMap<PathBuf, KnownIndex>>,
}

/// The version of an index, and its names in the order of paths; nothing where it cannot be read in full.
type KnownIndex = (Option<IndexStamp>, Option<Arc<[PathBuf]>>);

impl VersionControl {
    /// Version control as it is seen from a workspace of these directories, the first of which is its root.
    pub fn of<'r>(roots: impl IntoIterator<Item = &'r Path>) -> Self {
        Self {
            roots: roots.into_iter().map(Path::to_owned).collect(),
            known: Mutex::default(),
        }
    }

    /// Whether there is a file at this absolute path that no version control has. `below` asks the same of a directory: it
    /// is one if nothing in it is tracked.
    ///
    /// Where the workspace has no version control at all no file is distinguished from another. A repository in the workspace that
    /// the one of the workspace does not know as a submodule was brought there by somebody: nothing in it counts as tracked.
    #[must_use]
    pub fn lacks(&self, path: &Path, below: bool) -> bool {
        let Ok(real) = real_path(path) else {
            return false;
        };
        let is_asked =
            fs::metadata(&real).is_ok_and(|found| found.is_file() || below && found.is_dir());
        if !is_asked {
            return false;
        }
        let trees = self.roots.iter().filter_map(|root| WorkTree::of(root));
        let own: Vec<PathBuf> = trees.map(|tree| tree.top().to_owned()).collect();
        !own.is_empty() && !self.has(&real, &own)
    }

    /// Whether version control has a path, as it is seen from work trees with these tops.
    fn has(&self, real: &Path, own: &[PathBuf]) -> bool {
        let mut asked = real.to_owned();
        loop {
            let is_top = own.contains(&asked);
            let Some(tree) = asked.parent().filter(|_| !is_top).and_then(WorkTree::of) else {
                // The top of a work tree of the workspace has its files.
                return is_top;
            };
            if !self.tracks(&tree, &asked) {
                return false;
            }
            if own.iter().any(|own| own == tree.top()) {
                return true;
            }
            asked = tree.top().to_owned();
        }
    }

    /// Whether the index of this tree has the path, or something below it.
    fn tracks(&self, tree: &WorkTree, path: &Path) -> bool {
        let Ok(stamp) = tree.stamp() else {
            return false;
        };
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let is_current = known
            .get(tree.top())
            .is_some_and(|(version, _)| *version == stamp);
        if !is_current {
            let names = tree.tracked(&|_| true).map(|mut names| {
                names.sort_unstable();
                Arc::from(names)
            });
            known.insert(tree.top().to_owned(), (stamp, names));
        }
        let names = known.get(tree.top()).and_then(|(_, names)| names.clone());
        drop(known);
        names.is_some_and(|names| {
            let place = names.partition_point(|name| name.as_path() < path);
            names.get(place).is_some_and(|name| name.starts_with(path))
        })
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    fn git(directory: &Path, arguments: &[&str]) {
        let output = Command::new("git")
            .args(["-c", "user.name=a", "-c", "user.email=a@b"])
            .args(["-c", "protocol.file.allow=always"])
            .args(arguments)
            .current_dir(directory)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .output()
            .unwrap();
        let reported = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{arguments:?}: {reported}");
    }

    fn put(directory: &Path, names: &[&str]) {
        for name in names {
            let path = directory.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "x").unwrap();
        }
    }

    #[test]
    fn a_file_is_outside_of_version_control_until_it_is_added() {
        let root = tempfile::tempdir().unwrap();
        git(root.path(), &["init", "-q"]);
        put(
            root.path(),
            &["src/a.ts", "src-b/x", "node_modules/p/README.md"],
        );
        git(root.path(), &["add", "src"]);
        let versions = VersionControl::of([root.path()]);
        let lacks = |name: &str, below| versions.lacks(&root.path().join(name), below);
        assert!(!lacks("src/a.ts", false));
        assert!(lacks("src-b/x", false));
        assert!(lacks("node_modules/p/README.md", false));
        assert!(!lacks("missing", false));
        assert!(!lacks("node_modules", false));
        assert!(lacks("node_modules", true));
        assert!(!lacks("src", true));
        assert!(!lacks(".", true));
        git(root.path(), &["add", "src-b"]);
        assert!(!lacks("src-b/x", false));
    }

    #[test]
    fn without_version_control_no_file_is_reported_from_another() {
        let root = tempfile::tempdir().unwrap();
        put(root.path(), &["a"]);
        let versions = VersionControl::of([root.path()]);
        assert!(!versions.lacks(&root.path().join("a"), false));
    }

    #[test]
    fn a_repository_that_was_brought_into_the_workspace_is_not_its_own() {
        let root = tempfile::tempdir().unwrap();
        let (work, other) = (root.path().join("work"), root.path().join("other"));
        fs::create_dir_all(&work).unwrap();
        fs::create_dir_all(&other).unwrap();
        git(&other, &["init", "-q"]);
        put(&other, &["README.md"]);
        git(&other, &["add", "."]);
        git(&other, &["commit", "-qm", "a"]);
        git(&work, &["init", "-q"]);
        let from = other.to_str().unwrap();
        git(&work, &["clone", "-q", from, "vendor"]);
        git(&work, &["submodule", "--quiet", "add", from, "module"]);
        let versions = VersionControl::of([work.as_path()]);
        assert!(versions.lacks(&work.join("vendor/README.md"), false));
        assert!(!versions.lacks(&work.join("module/README.md"), false));
        // Another directory of the workspace has its own.
        let both = VersionControl::of([work.as_path(), other.as_path()]);
        assert!(!both.lacks(&other.join("README.md"), false));
        assert!(versions.lacks(&other.join("README.md"), false));
    }
}
