//! What a command did to the files of the workspace.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::time::{Instant, SystemTime};

use crate::blocking::in_any_case;
use tenon_contract::{ChangeKind, FileChange, limits};
use tenon_search::{Control, FileState, FileStates, Scope, file_states};
use tenon_state::redacted_text;
use tenon_workspace::{
    Copies, CopyBudget, Journal, RunningCommand, SeenFile, Unrestorable, Workspace,
};

/// Files of the workspace that were created, changed or deleted while a command ran.
///
/// Reported from their size, times, number and mode before and after, for the files that searches see:
/// those that ignore files hide are left out. Anyone else who changed files meanwhile is in it too.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChangedFiles {
    /// By path.
    pub changes: Vec<FileChange>,
    /// Whether everything was looked at, before and after. Otherwise there may be more.
    pub complete: bool,
    /// Whether something of the command runs on, and may change more.
    pub runs_on: bool,
    /// Those that no roll-back to a checkpoint takes back. Empty where there is no checkpoint.
    pub not_restorable: Vec<Unrestorable>,
}

/// How the files stood before a command, with copies of them where there is a checkpoint to come back to.
#[derive(Debug)]
pub(super) struct Before {
    workspace: Workspace,
    journal: Journal,
    states: FileStates,
    copies: Option<Copies>,
    /// That the command runs, for those who come after a process that was killed meanwhile.
    running: Option<RunningCommand>,
}

impl Before {
    /// Looks how the files of the workspace stand, and copies them if that may be needed. Within budgets of files, bytes
    /// and time; what is missing then is reported with what became of it.
    pub(super) async fn of(
        workspace: &Workspace,
        journal: &Journal,
        command: &str,
    ) -> Option<Self> {
        let (workspace, journal) = (workspace.clone(), journal.clone());
        let command = redacted_text(command);
        let work = in_any_case(move || {
            let now = SystemTime::now();
            let states = states(&workspace);
            let copies = journal.is_recording().then(|| {
                let budget = CopyBudget {
                    files: limits::EXECUTE_COPIES_FILES_MAX,
                    bytes: limits::EXECUTE_COPIES_MAX_BYTES,
                    file_bytes: limits::EXECUTE_COPIES_FILE_MAX_BYTES,
                    until: Instant::now() + limits::EXECUTE_COPIES_BUDGET,
                };
                journal.copy(&workspace, &seen(&states, now), &budget)
            });
            let copies = copies.flatten();
            let running = copies.as_ref().and_then(|_| journal.running(&command));
            Self {
                workspace,
                journal,
                states,
                copies,
                running,
            }
        });
        work.await.ok()
    }

    /// Whether what the command does is to be recorded.
    pub(super) const fn records(&self) -> bool {
        self.copies.is_some()
    }

    /// Where it is recorded.
    pub(super) const fn journal(&self) -> &Journal {
        &self.journal
    }

    /// What is different now. From here on a roll-back takes it back.
    pub(super) async fn changed(self) -> ChangedFiles {
        let work = in_any_case(move || {
            let after = states(&self.workspace);
            let mut changed = between(&self.states, &after);
            changed.not_restorable = self.journal.record(
                &self.workspace,
                &changed.changes,
                &new_directories(&self.states, &after),
                self.copies.as_ref(),
                limits::EXECUTE_COPIES_FILE_MAX_BYTES,
            );
            if let Some(running) = self.running {
                running.end();
            }
            changed
        });
        work.await.unwrap_or_default()
    }
}

/// What the journal has to know of the files.
fn seen(states: &FileStates, now: SystemTime) -> Vec<SeenFile> {
    let settled = now
        .checked_sub(limits::EXECUTE_COPIES_RACY)
        .and_then(|moment| moment.duration_since(SystemTime::UNIX_EPOCH).ok())
        .and_then(|time| i64::try_from(time.as_nanos()).ok())
        .unwrap_or_default();
    let file = |(path, state): (&String, &FileState)| {
        let (seconds, nanoseconds) = state.touched;
        let touched = seconds
            .saturating_mul(1_000_000_000)
            .saturating_add(nanoseconds);
        let mut hasher = DefaultHasher::new();
        state.hash(&mut hasher);
        SeenFile {
            path: path.clone(),
            version: (touched != 0 && touched < settled).then(|| hasher.finish()),
        }
    };
    states.files.iter().map(file).collect()
}

/// How the files of all directories of the workspace stand.
fn states(workspace: &Workspace) -> FileStates {
    let roots: Vec<&Path> = workspace.roots().collect();
    let mut all = FileStates {
        complete: true,
        ..FileStates::default()
    };
    let deadline = Instant::now() + limits::EXECUTE_CHANGES_BUDGET;
    for root in &roots {
        let is_inside = roots
            .iter()
            .any(|other| other != root && root.starts_with(other));
        if is_inside {
            continue;
        }
        let found = states_of(root, deadline, all.files.len() + all.directories.len());
        all.complete &= found.complete;
        let is_main = *root == workspace.root();
        let named = |path: String| {
            if is_main {
                path
            } else {
                root.join(path).to_string_lossy().into_owned()
            }
        };
        all.directories
            .extend(found.directories.into_iter().map(named));
        let files = found
            .files
            .into_iter()
            .map(|(path, state)| (named(path), state));
        all.files.extend(files);
    }
    all
}

fn states_of(root: &Path, deadline: Instant, looked_at: usize) -> FileStates {
    let control = Control {
        deadline: Some(deadline),
        ..Control::default()
    };
    let limit = limits::EXECUTE_CHANGES_FILES_MAX.saturating_sub(looked_at);
    file_states(&Scope::new(root, root), limit, &control).unwrap_or_default()
}

/// The directories that were made, the outer before the inner. None where it is not known which there were.
fn new_directories(before: &FileStates, after: &FileStates) -> Vec<String> {
    if !before.complete {
        return Vec::new();
    }
    let made: BTreeSet<&String> = after.directories.difference(&before.directories).collect();
    made.into_iter().cloned().collect()
}

/// Of two looks of which one is not complete, only what both saw can be compared.
fn between(before: &FileStates, after: &FileStates) -> ChangedFiles {
    let mut changes = Vec::new();
    for (path, state) in &after.files {
        let kind = match before.files.get(path) {
            Some(known) if known.is_same(state) => continue,
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
        ..ChangedFiles::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn states(files: &[(&str, u64)], complete: bool) -> FileStates {
        let state = |size: u64| FileState {
            size,
            modified: None,
            identity: (0, 0),
            touched: (0, 0),
            names: 1,
        };
        FileStates {
            files: files
                .iter()
                .map(|(path, size)| ((*path).to_owned(), state(*size)))
                .collect(),
            directories: ["in".to_owned()].into(),
            complete,
        }
    }

    fn reported(before: &FileStates, after: &FileStates) -> Vec<(String, ChangeKind)> {
        let changed = between(before, after);
        let pair = |change: FileChange| (change.path, change.kind);
        changed.changes.into_iter().map(pair).collect()
    }

    #[test]
    fn what_came_changed_and_went_is_reported() {
        let before = states(&[("a", 1), ("b", 1), ("c", 1)], true);
        let after = states(&[("a", 1), ("b", 2), ("d", 1)], true);
        assert_eq!(
            reported(&before, &after),
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
        assert_eq!(reported(&partly, &all), [("a".into(), ChangeKind::Update)]);
        assert_eq!(reported(&all, &partly), [("a".into(), ChangeKind::Update)]);
    }

    #[test]
    fn new_directories_are_reported_the_outer_first_and_only_where_all_old_ones_are_known() {
        let directories = |names: &[&str], complete| FileStates {
            directories: names.iter().map(|name| (*name).to_owned()).collect(),
            complete,
            ..FileStates::default()
        };
        let after = directories(&["in", "out", "out/b", "out/a"], true);
        let made = new_directories(&directories(&["in"], true), &after);
        assert_eq!(made, ["out", "out/a", "out/b"]);
        assert_eq!(
            new_directories(&directories(&["in"], false), &after),
            [""; 0]
        );
    }
}
