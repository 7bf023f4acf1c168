//! What git tracks: the work tree of a directory, and the names in its index (gitformat-index(5)).
//!
//! Only names are read, by plain reads: nothing of a repository is run, as git itself would do.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::real_place::real_path;

/// The largest index that is read.
const MAX_INDEX_BYTES: u64 = 512 * 1024 * 1024;

/// How long an object's name is, by the formats that exist.
const HASH_BYTES: [usize; 2] = [20, 32];

/// A work tree of git.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkTree {
    top: PathBuf,
    /// Where its index lies.
    git: PathBuf,
}

/// Which version of an index was read: another one has another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexStamp {
    bytes: u64,
    modified: Option<SystemTime>,
    inode: u64,
}

impl WorkTree {
    /// The work tree that git finds from this absolute directory, which need not be there yet: the nearest directory upwards
    /// with a `.git` in it. `None` where there is none.
    #[must_use]
    pub fn of(directory: &Path) -> Option<Self> {
        let start = directory
            .ancestors()
            .find_map(|directory| real_path(directory).ok())?;
        start.ancestors().find_map(|top| {
            let git = top.join(".git");
            let metadata = fs::metadata(&git).ok()?;
            let git = if metadata.is_dir() {
                git
            } else if metadata.is_file() && metadata.len() < 8192 {
                // A linked work tree, or a sub-module.
                let text = fs::read_to_string(&git).ok()?;
                top.join(text.strip_prefix("gitdir:")?.trim())
            } else {
                return None;
            };
            let top = top.to_owned();
            Some(Self { top, git })
        })
    }

    /// The directory at its top, without links.
    #[must_use]
    pub fn top(&self) -> &Path {
        &self.top
    }

    /// The version of the index; `None` where nothing was ever tracked.
    ///
    /// # Errors
    /// What the system refuses.
    pub fn stamp(&self) -> io::Result<Option<IndexStamp>> {
        match fs::metadata(self.git.join("index")) {
            Ok(metadata) => Ok(Some(IndexStamp {
                bytes: metadata.len(),
                modified: metadata.modified().ok(),
                inode: inode(&metadata),
            })),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The tracked files for which `test` is true, by absolute paths. `None` when the index cannot be read in full: when it
    /// is none, too large, or leaves directories out (a sparse index).
    #[must_use]
    pub fn tracked(&self, test: &dyn Fn(&Path) -> bool) -> Option<Vec<PathBuf>> {
        match self.stamp() {
            Ok(None) => return Some(Vec::new()),
            Ok(Some(_)) => {}
            Err(_) => return None,
        }
        let bytes = self.read("index")?;
        HASH_BYTES.into_iter().find_map(|hash| {
            let mut found = FoundPaths::new(&self.top, test);
            let shared = entries(&bytes, hash, &mut |name| found.name(name))?;
            if let Some(shared) = shared {
                // What this one replaces or removes of the other stays in the list.
                let bytes = self.read(&format!("sharedindex.{shared}"))?;
                entries(&bytes, hash, &mut |name| found.name(name))?;
            }
            Some(found.paths)
        })
    }

    /// Whether each tracked file below this directory, which is given without links, is there as a file of one name in directories
    /// that are no links, or is not there, and `test` is true for its absolute path. `false` where the index cannot be
    /// read in full, and where there are more than `most`.
    #[must_use]
    pub fn has_files_as_tracked(
        &self,
        directory: &Path,
        test: &dyn Fn(&Path) -> bool,
        most: usize,
    ) -> bool {
        let Some(paths) = self.tracked(&|path| path.starts_with(directory)) else {
            return false;
        };
        if paths.len() > most {
            return false;
        }
        let mut directories: HashSet<&Path> = HashSet::new();
        paths.iter().all(|path| {
            let mut above = path.ancestors().skip(1);
            let mut above = above.by_ref().take_while(|above| *above != self.top);
            let is_real = above.all(|above| {
                !directories.insert(above) || is_there_as(above, |found| found.is_dir())
            });
            let is_file = |found: &fs::Metadata| found.is_file() && names(found) == 1;
            is_real && test(path) && is_there_as(path, is_file)
        })
    }

    fn read(&self, name: &str) -> Option<Vec<u8>> {
        let path = self.git.join(name);
        let metadata = fs::metadata(&path).ok()?;
        let is_readable = metadata.is_file() && metadata.len() <= MAX_INDEX_BYTES;
        is_readable.then(|| fs::read(&path).ok())?
    }
}

/// Whether what is at this path, links not followed, is of that kind, or nothing is there.
fn is_there_as(path: &Path, kind: impl FnOnce(&fs::Metadata) -> bool) -> bool {
    match fs::symlink_metadata(path) {
        Ok(found) => kind(&found),
        Err(error) => matches!(
            error.kind(),
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
        ),
    }
}

/// How many names (hard links) a file has.
#[cfg(unix)]
fn names(metadata: &fs::Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::nlink(metadata)
}

/// Not reported by the standard library: it counts as several.
#[cfg(not(unix))]
fn names(_metadata: &fs::Metadata) -> u64 {
    2
}

#[cfg(unix)]
fn inode(metadata: &fs::Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(metadata)
}

#[cfg(not(unix))]
fn inode(_metadata: &fs::Metadata) -> u64 {
    0
}

/// The paths that were found so far.
struct FoundPaths<'t> {
    /// The path that is looked at, of which the start stays.
    path: String,
    start: usize,
    test: &'t dyn Fn(&Path) -> bool,
    paths: Vec<PathBuf>,
}

impl<'t> FoundPaths<'t> {
    fn new(top: &Path, test: &'t dyn Fn(&Path) -> bool) -> Self {
        let mut path = top.to_string_lossy().into_owned();
        if !path.ends_with('/') {
            path.push('/');
        }
        Self {
            start: path.len(),
            path,
            test,
            paths: Vec::new(),
        }
    }

    fn name(&mut self, name: &[u8]) {
        self.path.truncate(self.start);
        self.path.push_str(&String::from_utf8_lossy(name));
        let path = Path::new(&self.path);
        if (self.test)(path) {
            self.paths.push(path.to_owned());
        }
    }
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    let bytes = bytes.get(at..at.checked_add(4)?)?;
    bytes.try_into().ok().map(u32::from_be_bytes)
}

/// Reports the names of all entries, and answers the name of another index that this one goes on from. `None` when the
/// bytes are no index with names of objects of that length.
fn entries(bytes: &[u8], hash: usize, report: &mut dyn FnMut(&[u8])) -> Option<Option<String>> {
    if bytes.get(..4)? != b"DIRC" {
        return None;
    }
    let version = number(bytes, 4)?;
    if !(2..=4).contains(&version) {
        return None;
    }
    let count = number(bytes, 8)?;
    let mut at = 12;
    let mut name: Vec<u8> = Vec::new();
    for _ in 0..count {
        let start = at;
        // Names of directories stand for everything below them.
        if number(bytes, start + 24)? & 0o170_000 == 0o040_000 {
            return None;
        }
        let flags = bytes.get(start + 40 + hash..start + 42 + hash)?;
        let is_extended = flags.first()? & 0x40 != 0 && version >= 3;
        at = start + 42 + hash + if is_extended { 2 } else { 0 };
        let before = std::mem::take(&mut name);
        if version == 4 {
            let dropped = offset(bytes, &mut at)?;
            name.extend_from_slice(before.get(..before.len().checked_sub(dropped)?)?);
        }
        let rest = bytes.get(at..)?;
        let length = rest.iter().position(|byte| *byte == 0)?;
        name.extend_from_slice(rest.get(..length)?);
        at += length + 1;
        if version < 4 {
            at = start + (at - start).next_multiple_of(8);
        }
        // Entries that replace those of another index have no name.
        if name.is_empty() {
            continue;
        }
        if name < before {
            return None;
        }
        report(&name);
    }
    extensions(bytes, at, hash)
}

/// The number in front of a name that leaves out what it has in common with the one before, as in packs.
fn offset(bytes: &[u8], at: &mut usize) -> Option<usize> {
    let mut next = || {
        let byte = bytes.get(*at).copied();
        *at += 1;
        byte.map(usize::from)
    };
    let mut byte = next()?;
    let mut value = byte & 0x7f;
    while byte & 0x80 != 0 {
        byte = next()?;
        value = value.checked_add(1)?.checked_mul(128)? | (byte & 0x7f);
    }
    Some(value)
}

/// Reads what stands behind the entries up to the hash at the end: whether the index goes on from another one.
fn extensions(bytes: &[u8], mut at: usize, hash: usize) -> Option<Option<String>> {
    let end = bytes.len().checked_sub(hash)?;
    let mut shared = None;
    while at < end {
        let name = bytes.get(at..at + 4)?;
        let size = usize::try_from(number(bytes, at + 4)?).ok()?;
        if name == b"link" {
            let other = bytes.get(at + 8..at + 8 + hash)?;
            let text: String = other.iter().map(|byte| format!("{byte:02x}")).collect();
            // All zeros: it goes on from none.
            shared = other.iter().any(|byte| *byte != 0).then_some(text);
        }
        at = at.checked_add(8)?.checked_add(size)?;
    }
    (at == end).then_some(shared)
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    fn git(directory: &Path, arguments: &[&str]) {
        let output = Command::new("git")
            .args([
                "-c",
                "user.name=a",
                "-c",
                "user.email=a@b",
                "-c",
                "init.defaultBranch=main",
            ])
            .args(arguments)
            .current_dir(directory)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .output()
            .unwrap();
        let reported = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{arguments:?}: {reported}");
    }

    fn repository(arguments: &[&str]) -> tempfile::TempDir {
        let directory = tempfile::tempdir().unwrap();
        git(directory.path(), &[&["init", "-q"], arguments].concat());
        for name in ["a.ts", "src/deep/b.ts", "src/c.ts", "ünder/d.ts"] {
            let path = directory.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, name).unwrap();
        }
        git(directory.path(), &["add", "."]);
        fs::write(directory.path().join(".env"), "x").unwrap();
        directory
    }

    fn tracked(directory: &Path) -> Option<Vec<String>> {
        let tree = WorkTree::of(directory).unwrap();
        let paths = tree.tracked(&|_| true)?;
        let below = |path: &PathBuf| path.strip_prefix(tree.top()).unwrap().display().to_string();
        Some(paths.iter().map(below).collect())
    }

    fn all() -> Option<Vec<String>> {
        Some(
            ["a.ts", "src/c.ts", "src/deep/b.ts", "ünder/d.ts"]
                .map(str::to_owned)
                .into(),
        )
    }

    #[test]
    fn the_names_of_every_version_of_an_index_are_read() {
        let directory = repository(&[]);
        for version in ["2", "3", "4"] {
            git(
                directory.path(),
                &["update-index", "--index-version", version],
            );
            assert_eq!(
                tracked(&directory.path().join("src/deep")),
                all(),
                "version {version}"
            );
        }
        git(directory.path(), &["add", "--intent-to-add", "-f", ".env"]);
        assert!(
            tracked(directory.path())
                .unwrap()
                .contains(&".env".to_owned())
        );
    }

    #[test]
    fn an_index_with_long_names_of_objects_is_read() {
        let directory = repository(&["--object-format=sha256"]);
        assert_eq!(tracked(directory.path()), all());
    }

    #[test]
    fn an_index_that_goes_on_from_another_is_read_with_it() {
        let directory = repository(&[]);
        git(directory.path(), &["update-index", "--split-index"]);
        git(directory.path(), &["add", "-f", ".env"]);
        let mut names = tracked(directory.path()).unwrap();
        names.sort();
        let mut expected = all().unwrap();
        expected.insert(0, ".env".to_owned());
        assert_eq!(names, expected);
    }

    #[test]
    fn a_linked_work_tree_has_its_own_index() {
        let directory = repository(&[]);
        git(directory.path(), &["commit", "-qm", "x"]);
        let other = tempfile::tempdir().unwrap();
        let place = other.path().join("tree");
        let target = place.to_str().unwrap();
        git(directory.path(), &["worktree", "add", "-q", target]);
        git(&place, &["rm", "-q", "a.ts"]);
        let names: Vec<String> = all().unwrap().into_iter().skip(1).collect();
        assert_eq!(tracked(&place.join("src")), Some(names));
    }

    #[test]
    fn nothing_is_reported_of_what_is_no_index() {
        let directory = repository(&[]);
        let index = directory.path().join(".git/index");
        let bytes = fs::read(&index).unwrap();
        for length in (0..bytes.len()).step_by(7) {
            fs::write(&index, &bytes[..length]).unwrap();
            assert_eq!(tracked(directory.path()), None, "{length} bytes");
        }
        fs::remove_file(&index).unwrap();
        assert_eq!(tracked(directory.path()), Some(Vec::new()));
    }

    #[test]
    fn there_is_no_work_tree_without_a_repository() {
        let directory = tempfile::tempdir().unwrap();
        assert_eq!(WorkTree::of(&directory.path().join("missing")), None);
    }

    #[cfg(unix)]
    #[test]
    fn files_are_as_they_are_tracked_until_a_link_takes_the_place_of_one() {
        let directory = repository(&[]);
        let root = fs::canonicalize(directory.path()).unwrap();
        let tree = WorkTree::of(&root).unwrap();
        let holds = |below: &str, most| {
            let below = root.join(below);
            tree.has_files_as_tracked(&below, &|path| !path.ends_with("ünder/d.ts"), most)
        };
        assert!(holds("src", 10));
        // Not all pass the test, and there are too many.
        assert!(!holds("", 10));
        assert!(!holds("src", 1));
        fs::remove_file(root.join("src/c.ts")).unwrap();
        assert!(holds("src", 10));
        std::os::unix::fs::symlink("../.env", root.join("src/c.ts")).unwrap();
        assert!(!holds("src", 10));
        fs::remove_file(root.join("src/c.ts")).unwrap();
        fs::hard_link(root.join(".env"), root.join("src/c.ts")).unwrap();
        assert!(!holds("src", 10));
        fs::remove_file(root.join("src/c.ts")).unwrap();
        fs::remove_dir_all(root.join("src/deep")).unwrap();
        assert!(holds("src", 10));
        std::os::unix::fs::symlink("/etc", root.join("src/deep")).unwrap();
        assert!(!holds("src", 10));
    }
}
