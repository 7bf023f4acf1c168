//! What changed on disk since a server was last informed, no matter who changed it.
//!
//! A walk over the workspace finds the files that servers care for, with their times; ignore files count. Calls at the
//! same time share a walk.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use tenon_search::{Control, FindRequest, FindSort, Scope, file_state, find};
use tenon_workspace::Workspace;
use tokio::sync::Mutex;
use tokio::time::Instant;

/// Files and when they were last changed.
pub(crate) type Snapshot = HashMap<PathBuf, Option<SystemTime>>;

/// What changes beside a `package.json` when packages are installed: their directory, and what npm, pnpm and yarn leave there.
const INSTALLED: [&str; 5] = [
    "node_modules",
    "node_modules/.package-lock.json",
    "node_modules/.modules.yaml",
    "node_modules/.yarn-state.yml",
    "node_modules/.yarn-integrity",
];

/// What happened to a file (LSP `FileChangeType`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Change {
    Created = 1,
    Changed = 2,
    Deleted = 3,
}

/// Walks over the workspace, shared.
#[derive(Debug)]
pub(crate) struct Disk {
    workspace: Workspace,
    latest: Mutex<Option<DiskWalk>>,
}

#[derive(Debug)]
struct DiskWalk {
    begun: Instant,
    names: Vec<String>,
    found: Arc<Snapshot>,
}

impl Disk {
    pub(crate) fn new(workspace: Workspace) -> Self {
        Self {
            workspace,
            latest: Mutex::default(),
        }
    }

    /// The files with these endings (`.py`) or whole names, from a walk that begins after this call. What cannot be
    /// walked is not known to have changed.
    pub(crate) async fn look(&self, mut names: Vec<String>) -> Arc<Snapshot> {
        names.sort();
        names.dedup();
        let asked = Instant::now();
        let mut latest = self.latest.lock().await;
        if let Some(walk) = latest.as_ref()
            && walk.begun >= asked
            && names.iter().all(|name| walk.names.contains(name))
        {
            return Arc::clone(&walk.found);
        }
        let begun = Instant::now();
        let (workspace, wanted) = (self.workspace.clone(), names.clone());
        let walked = tokio::task::spawn_blocking(move || walk(&workspace, &wanted)).await;
        let found = Arc::new(walked.unwrap_or_default());
        *latest = Some(DiskWalk {
            begun,
            names,
            found: Arc::clone(&found),
        });
        found
    }
}

fn walk(workspace: &Workspace, names: &[String]) -> Snapshot {
    let mut snapshot = Snapshot::new();
    if names.is_empty() {
        return snapshot;
    }
    for root in workspace.roots() {
        let mut request = FindRequest::new(Scope::new(root, root), pattern(names));
        request.case_insensitive = true;
        request.sort = FindSort::Modified;
        if let Ok(found) = find(&request, &Control::default()) {
            snapshot.extend(
                found
                    .entries
                    .into_iter()
                    .map(|entry| (root.join(entry.path), entry.modified)),
            );
        }
    }
    let installed = installed(&snapshot);
    snapshot.extend(installed);
    snapshot
}

/// What shows of the packages of the projects among these files when they were installed. Ignore files hide most of them.
fn installed(files: &Snapshot) -> Snapshot {
    let is_own = |path: &&PathBuf| !path.iter().any(|name| name == "node_modules");
    let manifests = files.keys().filter(|path| path.ends_with("package.json"));
    let projects = manifests.filter(is_own).filter_map(|path| path.parent());
    let marks = projects.flat_map(|project| INSTALLED.map(|mark| project.join(mark)));
    marks
        .filter_map(|mark| {
            let state = file_state(&mark).ok()?;
            Some((mark, state.modified))
        })
        .collect()
}

/// Whether a change of this path means that packages were installed or removed.
pub(crate) fn is_of_installed(path: &Path) -> bool {
    INSTALLED.iter().any(|mark| path.ends_with(mark))
}

/// The directories below `root` of new files, in which nothing was known before, as far as they are `wanted`.
pub(crate) fn new_directories(
    changes: &[(PathBuf, Change)],
    before: &Snapshot,
    root: &Path,
    wanted: &dyn Fn(&Path) -> bool,
) -> BTreeSet<PathBuf> {
    let new = changes
        .iter()
        .filter(|(path, change)| *change == Change::Created && path.starts_with(root));
    let above = |path: &'_ PathBuf| -> Vec<PathBuf> {
        let directories = path.ancestors().skip(1);
        let below = directories.take_while(|directory| *directory != root);
        let wanted = below.filter(|directory| wanted(directory));
        wanted.map(Path::to_owned).collect()
    };
    let mut directories: BTreeSet<PathBuf> = new.flat_map(|(path, _)| above(path)).collect();
    if directories.is_empty() {
        return directories;
    }
    let mut known: HashSet<&Path> = HashSet::new();
    for path in before.keys() {
        for directory in path.ancestors().skip(1) {
            if !known.insert(directory) {
                break;
            }
        }
    }
    directories.retain(|directory| !known.contains(directory.as_path()));
    directories
}

/// One glob for all names.
fn pattern(names: &[String]) -> String {
    let each: Vec<String> = names
        .iter()
        .map(|name| {
            let escaped: String = name
                .chars()
                .flat_map(|letter| {
                    let special = matches!(letter, '*' | '?' | '[' | ']' | '{' | '}' | ',' | '\\');
                    special.then_some('\\').into_iter().chain([letter])
                })
                .collect();
            // `.clangd` is a whole name and would be an ending of others: more is found than needed then.
            if name.starts_with('.') {
                format!("*{escaped}")
            } else {
                escaped
            }
        })
        .collect();
    match each.as_slice() {
        [one] => one.clone(),
        _ => format!("{{{}}}", each.join(",")),
    }
}

/// What is different in `now`, by path.
pub(crate) fn changes(before: &Snapshot, now: &Snapshot) -> Vec<(PathBuf, Change)> {
    let appeared = now
        .iter()
        .filter_map(|(path, modified)| match before.get(path) {
            None => Some((path.clone(), Change::Created)),
            Some(earlier) => (earlier != modified).then(|| (path.clone(), Change::Changed)),
        });
    let gone = before.keys().filter(|path| !now.contains_key(*path));
    let mut changes: Vec<_> = appeared
        .chain(gone.map(|path| (path.clone(), Change::Deleted)))
        .collect();
    changes.sort();
    changes
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[tokio::test]
    async fn files_that_appear_change_and_go_are_found_by_their_names() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        for (name, text) in [
            (".gitignore", "build\n"),
            ("build/x.py", ""),
            ("a.py", ""),
            ("b/C.PY", ""),
            ("setup.cfg", ""),
            ("d.txt", ""),
        ] {
            fs::create_dir_all(root.join(name).parent().unwrap()).unwrap();
            fs::write(root.join(name), text).unwrap();
        }
        let disk = Disk::new(Workspace::open(&root, &[] as &[&str]).unwrap());
        let names = || vec![".py".to_owned(), "setup.cfg".to_owned()];
        let before = disk.look(names()).await;
        let mut found: Vec<_> = before
            .keys()
            .map(|path| path.strip_prefix(&root).unwrap().display().to_string())
            .collect();
        found.sort();
        assert_eq!(found, ["a.py", "b/C.PY", "setup.cfg"]);

        fs::write(root.join("e.py"), "").unwrap();
        fs::remove_file(root.join("b/C.PY")).unwrap();
        let file = fs::File::options()
            .append(true)
            .open(root.join("a.py"))
            .unwrap();
        file.set_modified(SystemTime::now() + std::time::Duration::from_secs(5))
            .unwrap();
        let now = disk.look(names()).await;
        let reported: Vec<_> = changes(&before, &now)
            .into_iter()
            .map(|(path, change)| {
                (
                    path.strip_prefix(&root).unwrap().display().to_string(),
                    change,
                )
            })
            .collect();
        assert_eq!(
            reported,
            [
                ("a.py".to_owned(), Change::Changed),
                ("b/C.PY".to_owned(), Change::Deleted),
                ("e.py".to_owned(), Change::Created)
            ]
        );
        assert!(disk.look(Vec::new()).await.is_empty());
    }

    /// Most projects have `node_modules` ignored.
    #[tokio::test]
    async fn packages_that_are_installed_are_seen_where_they_are_ignored() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        fs::write(root.join(".gitignore"), "node_modules\n").unwrap();
        fs::write(root.join("package.json"), "{}").unwrap();
        let disk = Disk::new(Workspace::open(&root, &[] as &[&str]).unwrap());
        let before = disk.look(vec!["package.json".to_owned()]).await;
        fs::create_dir_all(root.join("node_modules/pkg")).unwrap();
        fs::write(root.join("node_modules/pkg/package.json"), "{}").unwrap();
        fs::write(root.join("node_modules/.package-lock.json"), "{}").unwrap();
        let now = disk.look(vec!["package.json".to_owned()]).await;
        let found = changes(&before, &now);
        assert_eq!(
            found,
            [
                (root.join("node_modules"), Change::Created),
                (
                    root.join("node_modules/.package-lock.json"),
                    Change::Created
                ),
            ]
        );
        assert!(found.iter().all(|(path, _)| is_of_installed(path)));
        assert!(!is_of_installed(&root.join("package.json")));
    }

    #[test]
    fn directories_in_which_nothing_was_known_are_new() {
        let root = Path::new("/r");
        let files = |names: &[&str]| -> Snapshot {
            names.iter().map(|name| (root.join(name), None)).collect()
        };
        let before = files(&["a.py", "old/deep/b.py"]);
        let now = files(&[
            "a.py",
            "old/deep/b.py",
            "old/c.py",
            "old/new/d.py",
            "pk/sub/e.py",
        ]);
        let found = new_directories(&changes(&before, &now), &before, root, &|_| true);
        let expected = ["old/new", "pk", "pk/sub"].map(|name| root.join(name));
        assert_eq!(found.into_iter().collect::<Vec<_>>(), expected);
        assert!(new_directories(&changes(&now, &before), &now, root, &|_| true).is_empty());
    }

    #[test]
    fn names_are_taken_literally() {
        assert_eq!(
            pattern(&[".py".into(), "a{b}.[c]".into()]),
            r"{*.py,a\{b\}.\[c\]}"
        );
        assert_eq!(pattern(&[".py".into()]), "*.py");
    }
}
