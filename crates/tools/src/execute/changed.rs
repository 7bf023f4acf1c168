//! What a command did to the files of the workspace.

use std::path::PathBuf;
use std::time::Instant;

use tenon_contract::{ChangeKind, FileChange, limits};
use tenon_search::{Control, FileStates, Scope, file_states};
use tenon_workspace::Workspace;

/// Files of the workspace that were created, changed or deleted while a command ran.
///
/// Told from their size, time, number and mode before and after, for the files that searches see:
/// those that ignore files hide are left out. Whoever else changed files meanwhile is in it too.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChangedFiles {
    /// By path.
    pub changes: Vec<FileChange>,
    /// Whether everything was looked at, before and after. Otherwise there may be more.
    pub complete: bool,
}

/// How the files stood before.
#[derive(Debug)]
pub(super) struct Before(FileStates);

impl Before {
    /// Looks how the files of the workspace stand. Within a budget of files and time; what cannot be
    /// looked at is missing, and the report says so.
    pub(super) async fn of(workspace: &Workspace) -> Self {
        Self(states(workspace.root().to_owned()).await)
    }

    /// What is different now.
    pub(super) async fn changed(self, workspace: &Workspace) -> ChangedFiles {
        let after = states(workspace.root().to_owned()).await;
        between(&self.0, &after)
    }
}

async fn states(root: PathBuf) -> FileStates {
    let work = tokio::task::spawn_blocking(move || {
        let control = Control {
            deadline: Some(Instant::now() + limits::EXECUTE_CHANGES_BUDGET),
            ..Control::default()
        };
        let scope = Scope::new(&root, &root);
        file_states(&scope, limits::EXECUTE_CHANGES_FILES_MAX, &control).unwrap_or_default()
    });
    work.await.unwrap_or_default()
}

/// Of two looks of which one is not complete, only what both saw can be compared.
fn between(before: &FileStates, after: &FileStates) -> ChangedFiles {
    let mut changes = Vec::new();
    for (path, state) in &after.files {
        let kind = match before.files.get(path) {
            Some(known) if known == state => continue,
            Some(_) => ChangeKind::Update,
            None if before.complete => ChangeKind::Create,
            None => continue,
        };
        changes.push(FileChange {
            path: path.clone(),
            kind,
        });
    }
    if after.complete {
        let gone = before
            .files
            .keys()
            .filter(|path| !after.files.contains_key(*path));
        changes.extend(gone.map(|path| FileChange {
            path: path.clone(),
            kind: ChangeKind::Delete,
        }));
    }
    changes.sort_by(|left, right| left.path.cmp(&right.path));
    ChangedFiles {
        changes,
        complete: before.complete && after.complete,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tenon_search::FileState;

    fn states(files: &[(&str, u64)], complete: bool) -> FileStates {
        let state = |size: u64| FileState {
            size,
            modified: None,
            identity: (0, 0),
        };
        FileStates {
            files: files
                .iter()
                .map(|(path, size)| ((*path).to_owned(), state(*size)))
                .collect(),
            complete,
        }
    }

    fn told(before: &FileStates, after: &FileStates) -> Vec<(String, ChangeKind)> {
        let changed = between(before, after);
        let pair = |change: FileChange| (change.path, change.kind);
        changed.changes.into_iter().map(pair).collect()
    }

    #[test]
    fn what_came_changed_and_went_is_told() {
        let before = states(&[("a", 1), ("b", 1), ("c", 1)], true);
        let after = states(&[("a", 1), ("b", 2), ("d", 1)], true);
        assert_eq!(
            told(&before, &after),
            [
                ("b".into(), ChangeKind::Update),
                ("c".into(), ChangeKind::Delete),
                ("d".into(), ChangeKind::Create)
            ]
        );
    }

    #[test]
    fn what_was_not_looked_at_is_neither_new_nor_gone() {
        let partly = states(&[("a", 1)], false);
        let all = states(&[("a", 2), ("b", 1)], true);
        assert_eq!(told(&partly, &all), [("a".into(), ChangeKind::Update)]);
        assert_eq!(told(&all, &partly), [("a".into(), ChangeKind::Update)]);
    }
}
