//! What changed on disk since a server was last informed, no matter who changed it.
//!
//! A walk over the workspace finds the files that servers care for, with their times; ignore files count. Calls at the
//! same time share a walk.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

use tenon_search::{Control, FindRequest, FindSort, Scope, find};
use tenon_workspace::Workspace;
use tokio::sync::Mutex;
use tokio::time::Instant;

/// Files and when they were last changed.
pub(crate) type Snapshot = HashMap<PathBuf, Option<SystemTime>>;

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
    snapshot
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

    #[test]
    fn names_are_taken_literally() {
        assert_eq!(
            pattern(&[".py".into(), "a{b}.[c]".into()]),
            r"{*.py,a\{b\}.\[c\]}"
        );
        assert_eq!(pattern(&[".py".into()]), "*.py");
    }
}
