//! What a roll-back restores, refuses and forgets.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use tenon_contract::{ChangeKind, FileChange};

use super::*;
use crate::Located;
use crate::{ModeChange, Workspace, read_bytes};

/// Longer than what is kept in memory.
static LONG: LazyLock<String> = LazyLock::new(|| "long ".repeat(20_000));

struct Scene {
    directory: tempfile::TempDir,
    kept: tempfile::TempDir,
    workspace: Workspace,
    journal: Journal,
}

type Tree = Vec<(String, Option<(Vec<u8>, u32)>)>;

impl Scene {
    fn new() -> Self {
        Self::keeping(1 << 20)
    }

    fn keeping(max_bytes: u64) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let kept = tempfile::tempdir().unwrap();
        let workspace = Workspace::open(directory.path(), &[] as &[&str]).unwrap();
        let journal = Journal::new(JournalOptions {
            max_bytes,
            parent: Some(kept.path().into()),
            ..JournalOptions::default()
        });
        Self {
            directory,
            kept,
            workspace,
            journal,
        }
    }

    fn write(&self, path: &str, content: &str, mode: u32) {
        let path = self.directory.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        fs::set_permissions(&path, PermissionsExt::from_mode(mode)).unwrap();
    }

    fn at(&self, path: &str) -> Located {
        self.workspace.locate(path).unwrap()
    }

    fn read(&self, path: &str) -> FileSnapshot {
        read_bytes(&self.at(path), 1 << 20).unwrap()
    }

    fn commit(&self, plan: impl FnOnce(&mut ChangeSet)) {
        let mut changes = ChangeSet::new();
        plan(&mut changes);
        self.journal.commit(changes, &|| false).unwrap();
    }

    fn update(&self, path: &str, content: &str) {
        self.commit(|changes| changes.update(&self.read(path), content.into()).unwrap());
    }

    fn create(&self, path: &str, content: &str) {
        self.commit(|changes| changes.create(&self.at(path), content.into()).unwrap());
    }

    fn delete(&self, path: &str) {
        self.commit(|changes| changes.delete(&self.read(path)).unwrap());
    }

    fn rename(&self, from: &str, to: &str, content: Option<&str>) {
        let content = content.map(|content| content.as_bytes().to_vec());
        self.commit(|changes| {
            changes
                .rename(&self.read(from), &self.at(to), content)
                .unwrap();
        });
    }

    fn back(&self, id: CheckpointId) -> Result<Vec<String>, Error> {
        self.back_forced(id, false)
    }

    fn back_forced(&self, id: CheckpointId, force: bool) -> Result<Vec<String>, Error> {
        let done = self.journal.rollback(id, force, &|| false)?;
        let mut paths: Vec<_> = done.into_iter().map(|change| change.path).collect();
        paths.sort();
        Ok(paths)
    }

    /// Every path with content and mode; directories have none.
    fn tree(&self) -> Tree {
        fn walk(directory: &Path, root: &Path, found: &mut Tree) {
            for entry in fs::read_dir(directory).unwrap() {
                let path = entry.unwrap().path();
                let name = path
                    .strip_prefix(root)
                    .unwrap()
                    .to_str()
                    .unwrap()
                    .to_owned();
                if path.is_dir() {
                    found.push((name, None));
                    walk(&path, root, found);
                } else {
                    let mode = path.metadata().unwrap().mode() & 0o7777;
                    found.push((name, Some((fs::read(&path).unwrap(), mode))));
                }
            }
        }
        let mut found = Vec::new();
        walk(self.directory.path(), self.directory.path(), &mut found);
        found.sort();
        found
    }

    /// How many contents are kept, in memory or as files.
    fn kept(&self) -> usize {
        self.journal.lock().store.used().count()
    }

    /// The file with the only content that is kept as one, in its directory.
    fn kept_file(&self) -> (PathBuf, PathBuf) {
        let only = |directory: &Path| -> PathBuf {
            let mut entries = fs::read_dir(directory).unwrap();
            let entry = entries.next().unwrap().unwrap();
            assert!(entries.next().is_none());
            entry.path()
        };
        let directory = only(self.kept.path());
        let file = only(&directory);
        (directory, file)
    }
}

fn elsewhere(answer: Result<Vec<String>, Error>) -> Vec<String> {
    match answer {
        Err(Error::ChangedElsewhere { paths }) => paths,
        other => panic!("{other:?}"),
    }
}

#[test]
fn every_sort_of_change_is_taken_back_byte_for_byte() {
    let scene = Scene::new();
    scene.write("updated", "old \u{0} \u{FEFF}\r\n", 0o640);
    scene.write("deleted", "gone", 0o755);
    scene.write("moved", "from", 0o600);
    scene.write("mode", "same", 0o644);
    scene.write("linked", "two names", 0o644);
    fs::hard_link(
        scene.directory.path().join("linked"),
        scene.directory.path().join("other"),
    )
    .unwrap();
    let before = scene.tree();
    let checkpoint = scene.journal.checkpoint().unwrap();
    scene.update("updated", "new");
    scene.update("updated", "newer");
    scene.delete("deleted");
    scene.rename("moved", "made/for/it/moved", Some("to"));
    scene.create("made/new", "new");
    scene.update("linked", "two names, longer");
    scene.commit(|changes| {
        let old = scene.read("mode");
        changes
            .update_with_mode(
                &old,
                old.bytes().to_vec(),
                Some(ModeChange::Executable(true)),
            )
            .unwrap();
    });
    assert_ne!(scene.tree(), before);
    assert_eq!(
        scene.back(checkpoint).unwrap(),
        ["deleted", "linked", "made/new", "mode", "moved", "updated"]
    );
    assert_eq!(scene.tree(), before);
    // Once back there is nothing left to do, and nothing to keep.
    assert_eq!(scene.back(checkpoint).unwrap(), Vec::<String>::new());
    assert_eq!(scene.kept(), 0);
}

#[test]
fn a_file_that_came_and_went_and_one_that_moved_twice_end_where_they_were() {
    let scene = Scene::new();
    scene.write("a", "a", 0o644);
    scene.write("b", "b", 0o600);
    let before = scene.tree();
    let checkpoint = scene.journal.checkpoint().unwrap();
    scene.create("short", "lived");
    scene.delete("short");
    scene.rename("a", "c", None);
    scene.rename("c", "d", None);
    // The two names change places.
    scene.rename("b", "a", None);
    scene.rename("d", "b", Some("A"));
    scene.back(checkpoint).unwrap();
    assert_eq!(scene.tree(), before);
}

#[test]
fn each_checkpoint_is_a_state_of_its_own() {
    let scene = Scene::new();
    scene.write("a", "0", 0o644);
    let first = scene.journal.checkpoint().unwrap();
    scene.update("a", "1");
    let second = scene.journal.checkpoint().unwrap();
    scene.update("a", "2");
    scene.back(second).unwrap();
    assert_eq!(scene.read("a").bytes(), b"1");
    scene.update("a", "3");
    scene.back(second).unwrap();
    assert_eq!(scene.read("a").bytes(), b"1");
    scene.back(first).unwrap();
    assert_eq!(scene.read("a").bytes(), b"0");
    let error = scene.back(second).unwrap_err();
    assert!(matches!(error, Error::NoCheckpoint { .. }), "{error:?}");
}

#[test]
fn a_file_changed_by_something_else_is_named_and_nothing_is_restored() {
    let scene = Scene::new();
    scene.write("a", "a", 0o644);
    scene.write("b", "b", 0o644);
    let checkpoint = scene.journal.checkpoint().unwrap();
    scene.update("a", "A");
    scene.update("b", "B");
    scene.create("c", "C");
    scene.write("b", "by hand", 0o644);
    assert_eq!(elsewhere(scene.back(checkpoint)), ["b"]);
    assert_eq!(scene.read("a").bytes(), b"A");
    // Another mode is a change as well.
    scene.write("b", "B", 0o600);
    assert_eq!(elsewhere(scene.back(checkpoint)), ["b"]);
    fs::remove_file(scene.directory.path().join("b")).unwrap();
    assert_eq!(elsewhere(scene.back(checkpoint)), ["b"]);
    fs::create_dir(scene.directory.path().join("b")).unwrap();
    assert_eq!(elsewhere(scene.back(checkpoint)), ["b"]);
    fs::remove_dir(scene.directory.path().join("b")).unwrap();
    assert_eq!(
        scene.back_forced(checkpoint, true).unwrap(),
        ["a", "b", "c"]
    );
    assert_eq!(
        scene.tree(),
        [
            ("a".into(), Some((b"a".to_vec(), 0o644))),
            ("b".into(), Some((b"b".to_vec(), 0o644)))
        ]
    );
}

#[test]
fn a_change_by_something_else_between_two_of_the_tools_is_noticed() {
    let scene = Scene::new();
    scene.write("a", "0", 0o644);
    let checkpoint = scene.journal.checkpoint().unwrap();
    scene.update("a", "1");
    scene.write("a", "by hand", 0o644);
    scene.update("a", "2");
    assert_eq!(elsewhere(scene.back(checkpoint)), ["a"]);
    scene.back_forced(checkpoint, true).unwrap();
    assert_eq!(scene.read("a").bytes(), b"0");
}

#[test]
fn a_file_that_somebody_brought_back_already_is_left_alone() {
    let scene = Scene::new();
    scene.write("a", "0", 0o644);
    let checkpoint = scene.journal.checkpoint().unwrap();
    scene.update("a", "1");
    scene.write("a", "0", 0o644);
    assert_eq!(scene.back(checkpoint).unwrap(), Vec::<String>::new());
    assert_eq!(scene.read("a").bytes(), b"0");
}

#[test]
fn a_directory_that_holds_something_else_by_now_stays() {
    let scene = Scene::new();
    let checkpoint = scene.journal.checkpoint().unwrap();
    scene.create("made/by/us", "x");
    scene.write("made/other", "kept", 0o644);
    scene.back(checkpoint).unwrap();
    assert_eq!(
        scene.tree(),
        [
            ("made".into(), None),
            ("made/other".into(), Some((b"kept".to_vec(), 0o644)))
        ]
    );
}

#[test]
fn a_change_that_failed_leaves_no_record() {
    let scene = Scene::new();
    scene.write("a", "0", 0o644);
    let checkpoint = scene.journal.checkpoint().unwrap();
    let mut changes = ChangeSet::new();
    changes.update(&scene.read("a"), b"1".to_vec()).unwrap();
    scene.write("a", "by hand", 0o644);
    let error = scene.journal.commit(changes, &|| false).unwrap_err();
    assert!(matches!(error, Error::Stale { .. }), "{error:?}");
    assert_eq!(scene.kept(), 0);
    assert_eq!(scene.back(checkpoint).unwrap(), Vec::<String>::new());
    assert_eq!(scene.read("a").bytes(), b"by hand");
}

#[test]
fn nothing_is_kept_without_a_checkpoint_and_nothing_after_the_end() {
    let scene = Scene::new();
    scene.write("a", "0", 0o644);
    scene.update("a", &LONG.repeat(2));
    assert_eq!(scene.kept(), 0);
    let checkpoint = scene.journal.checkpoint().unwrap();
    scene.update("a", "2");
    assert_eq!(scene.kept(), 1);
    let (directory, file) = scene.kept_file();
    let mode = |path: &Path| fs::metadata(path).unwrap().mode() & 0o7777;
    assert_eq!((mode(&directory), mode(&file)), (0o700, 0o600));
    scene.journal.close().unwrap();
    assert_eq!(fs::read_dir(scene.kept.path()).unwrap().count(), 0);
    assert!(matches!(
        scene.back(checkpoint),
        Err(Error::NoCheckpoint { .. })
    ));
    assert!(matches!(
        scene.journal.checkpoint(),
        Err(Error::NoNewCheckpoint { .. })
    ));
    scene.update("a", "3");
    assert_eq!(fs::read_dir(scene.kept.path()).unwrap().count(), 0);
}

#[test]
fn above_the_quota_the_oldest_checkpoints_expire_and_say_so() {
    let scene = Scene::keeping(25);
    scene.write("a", "0123456789", 0o644);
    let first = scene.journal.checkpoint().unwrap();
    scene.update("a", "1123456789");
    let second = scene.journal.checkpoint().unwrap();
    scene.update("a", "2123456789");
    scene.update("a", "3123456789");
    let error = scene.back(first).unwrap_err();
    assert_eq!(
        error.to_string(),
        "The checkpoint `checkpoint-1` cannot be restored: it expired, because it is too old or \
         more was changed than is kept, or an earlier one was restored."
    );
    scene.back(second).unwrap();
    assert_eq!(scene.read("a").bytes(), b"1123456789");
    // One change alone above the quota is done, and no checkpoint outlives it.
    scene.write("big", &"x".repeat(26), 0o644);
    scene.update("big", "small");
    assert!(matches!(
        scene.back(second),
        Err(Error::NoCheckpoint { .. })
    ));
    assert_eq!(
        (scene.read("big").bytes(), scene.kept()),
        (b"small".as_slice(), 0)
    );
}

#[test]
fn kept_content_that_was_damaged_is_not_restored() {
    let scene = Scene::new();
    scene.write("a", &LONG, 0o644);
    let checkpoint = scene.journal.checkpoint().unwrap();
    scene.update("a", "1");
    fs::write(scene.kept_file().1, "x").unwrap();
    let error = scene.back_forced(checkpoint, true).unwrap_err();
    assert!(matches!(error, Error::Io { .. }), "{error:?}");
    assert_eq!(scene.read("a").bytes(), b"1");
}

#[test]
fn a_rollback_that_fails_takes_nothing_back() {
    let scene = Scene::new();
    scene.write("a", "0", 0o644);
    scene.write("b", "0", 0o644);
    let checkpoint = scene.journal.checkpoint().unwrap();
    scene.update("a", "1");
    scene.update("b", "1");
    // Without the right to write, a file is not replaced even by force.
    scene.write("b", "1", 0o444);
    let error = scene.back_forced(checkpoint, true).unwrap_err();
    assert!(matches!(error, Error::ReadOnly { .. }), "{error:?}");
    assert_eq!(
        (scene.read("a").bytes(), scene.read("b").bytes()),
        (b"1".as_slice(), b"1".as_slice())
    );
    scene.write("b", "1", 0o644);
    fs::set_permissions(
        scene.directory.path().join("b"),
        PermissionsExt::from_mode(0o644),
    )
    .unwrap();
    assert_eq!(scene.back(checkpoint).unwrap(), ["a", "b"]);
}

/// One change of a random session, if it is possible where it stands.
fn change(scene: &Scene, (sort, file, other): (u8, usize, usize), turn: usize) {
    const NAMES: [&str; 5] = ["a", "b", "in/c", "in/d", "in/deep/e"];
    let (file, other) = (NAMES[file], NAMES[other]);
    let exists = |name: &str| scene.directory.path().join(name).exists();
    let content = format!("turn {}", turn % 3);
    match (sort, exists(file)) {
        (0 | 1, false) => scene.create(file, &content),
        (0, true) => scene.update(file, &content),
        (1, true) => scene.delete(file),
        (2, true) if !exists(other) => scene.rename(file, other, None),
        (3, true) if !exists(other) => scene.rename(file, other, Some(&content)),
        (4, true) => scene.commit(|changes| {
            let old = scene.read(file);
            let mode = ModeChange::Executable(turn.is_multiple_of(2));
            changes
                .update_with_mode(&old, old.bytes().to_vec(), Some(mode))
                .unwrap();
        }),
        _ => {}
    }
}

fn files(mut tree: Tree) -> Tree {
    tree.retain(|(_, file)| file.is_some());
    tree
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(64))]

    #[test]
    fn whatever_the_tools_did_every_checkpoint_comes_back(
        session in proptest::collection::vec((0u8..5, 0usize..5, 0usize..5), 1..40),
        marks in proptest::collection::vec(0usize..40, 1..4),
    ) {
        let scene = Scene::new();
        scene.write("a", "first", 0o640);
        scene.write("in/c", "first", 0o755);
        let mut states = vec![(scene.journal.checkpoint().unwrap(), scene.tree())];
        for (turn, step) in session.into_iter().enumerate() {
            change(&scene, step, turn);
            if marks.contains(&turn) {
                states.push((scene.journal.checkpoint().unwrap(), scene.tree()));
            }
        }
        for (id, tree) in states.into_iter().rev() {
            let changed = scene.tree();
            let done = scene.back(id).unwrap();
            proptest::prop_assert_eq!(scene.tree(), tree.clone());
            if !done.is_empty() {
                scene.journal.undo(&id.to_string(), &|| false).unwrap();
                // A directory that was left empty is not made again.
                proptest::prop_assert_eq!(files(scene.tree()), files(changed));
                scene.back(id).unwrap();
                proptest::prop_assert_eq!(scene.tree(), tree);
            }
            scene.back(id).unwrap();
        }
        proptest::prop_assert_eq!(scene.kept(), 0);
    }
}

fn later(answer: Result<Vec<String>, Error>) -> Vec<String> {
    match answer {
        Err(Error::ChangedLater { paths, .. }) => paths,
        other => panic!("{other:?}"),
    }
}

impl Scene {
    /// What a run does.
    fn in_run(&self, journal: &Journal, path: &str, content: Option<&str>) {
        let mut changes = ChangeSet::new();
        let there = read_bytes(&self.at(path), 1 << 20);
        match (there, content) {
            (Ok(old), Some(content)) => changes.update(&old, content.into()).unwrap(),
            (Ok(old), None) => changes.delete(&old).unwrap(),
            (Err(_), content) => changes
                .create(&self.at(path), content.unwrap().into())
                .unwrap(),
        }
        journal.commit(changes, &|| false).unwrap();
    }

    fn back_run(&self, run: &str, force: bool) -> Result<Vec<String>, Error> {
        let done = self.journal.rollback_run(run, force, &|| false)?;
        let mut paths: Vec<_> = done.into_iter().map(|change| change.path).collect();
        paths.sort();
        Ok(paths)
    }
}

#[test]
fn a_run_is_taken_back_alone_and_without_a_checkpoint() {
    let scene = Scene::new();
    scene.write("a", "0", 0o640);
    scene.write("b", "0", 0o644);
    scene.write("gone", "here", 0o600);
    let before = scene.tree();
    let (one, two) = (scene.journal.of_run("one"), scene.journal.of_run("two"));
    scene.in_run(&one, "a", Some("1"));
    scene.in_run(&two, "b", Some("2"));
    scene.in_run(&one, "made/new", Some("1"));
    scene.in_run(&one, "gone", None);
    scene.in_run(&one, "a", Some("11"));
    assert_eq!(
        scene.back_run("one", false).unwrap(),
        ["a", "gone", "made/new"]
    );
    assert_eq!(scene.read("b").bytes(), b"2");
    assert_eq!(scene.back_run("one", false).unwrap(), Vec::<String>::new());
    assert_eq!(scene.back_run("two", false).unwrap(), ["b"]);
    assert_eq!(scene.tree(), before);
    let error = scene.back_run("none", false).unwrap_err();
    assert_eq!(
        error.to_string(),
        "The changes of the run `none` cannot be taken back: no change of a run with this id is kept."
    );
}

#[test]
fn what_others_changed_after_a_run_is_named_and_nothing_is_restored() {
    let scene = Scene::new();
    scene.write("a", "0", 0o644);
    scene.write("b", "0", 0o644);
    let (one, two) = (scene.journal.of_run("one"), scene.journal.of_run("two"));
    scene.in_run(&one, "a", Some("1"));
    scene.in_run(&one, "b", Some("1"));
    scene.in_run(&two, "a", Some("2"));
    let error = scene.back_run("one", false).unwrap_err();
    assert_eq!(
        error.to_string(),
        "`a` changed after the run `one` had changed them. Nothing was restored; roll back what came later first, or roll back with `force` to discard it as well."
    );
    assert_eq!(scene.read("b").bytes(), b"1");
    // Between two changes of a run as well.
    scene.in_run(&one, "a", Some("3"));
    assert_eq!(later(scene.back_run("one", false)), ["a"]);
    assert_eq!(later(scene.back_run("two", false)), ["a"]);
    assert_eq!(scene.back_run("one", true).unwrap(), ["a", "b"]);
    assert_eq!(scene.read("a").bytes(), b"0");
}

#[test]
fn later_runs_first_and_then_earlier_ones_end_where_they_began() {
    let scene = Scene::new();
    scene.write("a", "0", 0o644);
    let (one, two) = (scene.journal.of_run("one"), scene.journal.of_run("two"));
    scene.in_run(&one, "a", Some("1"));
    scene.in_run(&two, "a", Some("2"));
    assert_eq!(scene.back_run("two", false).unwrap(), ["a"]);
    assert_eq!(scene.back_run("one", false).unwrap(), ["a"]);
    assert_eq!(scene.read("a").bytes(), b"0");
}

#[test]
fn a_run_includes_those_that_it_has_started_and_each_goes_back_alone() {
    let scene = Scene::new();
    scene.write("a", "0", 0o644);
    scene.write("b", "0", 0o644);
    let above = scene.journal.of_run("above");
    let below = above.of_run("below");
    scene.in_run(&above, "a", Some("1"));
    scene.in_run(&below, "a", Some("2"));
    scene.in_run(&below, "b", Some("2"));
    assert_eq!(scene.back_run("below", false).unwrap(), ["a", "b"]);
    assert_eq!(scene.read("a").bytes(), b"1");
    assert_eq!(scene.back_run("above", false).unwrap(), ["a"]);
    assert_eq!(scene.read("a").bytes(), b"0");
    let whole = scene.journal.of_run("whole");
    scene.in_run(&whole, "a", Some("1"));
    scene.in_run(&whole.of_run("part"), "b", Some("1"));
    assert_eq!(scene.back_run("whole", false).unwrap(), ["a", "b"]);
}

#[test]
fn the_changes_of_a_run_are_named_with_those_of_the_runs_that_it_has_started() {
    let scene = Scene::new();
    scene.write("a", "0", 0o644);
    scene.write("b", "0", 0o644);
    scene.write("back", "0", 0o644);
    let run = scene.journal.of_run("run");
    scene.in_run(&run, "a", Some("1"));
    scene.in_run(&run.of_run("below"), "b", None);
    scene.in_run(&run, "back", Some("1"));
    scene.in_run(&run, "back", Some("0"));
    scene.in_run(&scene.journal.of_run("other"), "c", Some("1"));
    let changes = |run: &str| {
        let changes = scene.journal.changes_of_run(run)?;
        Ok::<_, Error>(
            changes
                .into_iter()
                .map(|change| (change.path, change.kind))
                .collect::<Vec<_>>(),
        )
    };
    assert_eq!(
        changes("run").unwrap(),
        [
            ("a".to_owned(), ChangeKind::Update),
            ("b".to_owned(), ChangeKind::Delete)
        ]
    );
    assert_eq!(
        changes("other").unwrap(),
        [("c".to_owned(), ChangeKind::Create)]
    );
    assert!(matches!(changes("none"), Err(Error::NoRun { .. })));
}

#[test]
fn checkpoints_and_runs_are_taken_back_in_any_order() {
    for force in [false, true] {
        let scene = Scene::new();
        scene.write("a", "0", 0o644);
        scene.write("b", "0", 0o644);
        let before = scene.tree();
        let checkpoint = scene.journal.checkpoint().unwrap();
        let run = scene.journal.of_run("run");
        scene.in_run(&run, "a", Some("1"));
        scene.update("b", "1");
        if force {
            scene.update("a", "2");
        }
        assert_eq!(scene.back_run("run", force).unwrap(), ["a"]);
        assert_eq!(scene.read("a").bytes(), b"0");
        assert_eq!(scene.back(checkpoint).unwrap(), ["b"]);
        assert_eq!(scene.tree(), before);
    }
    let scene = Scene::new();
    scene.write("a", "0", 0o644);
    let run = scene.journal.of_run("run");
    let checkpoint = scene.journal.checkpoint().unwrap();
    scene.in_run(&run, "a", Some("1"));
    scene.back(checkpoint).unwrap();
    assert!(matches!(
        scene.back_run("run", false),
        Err(Error::NoRun { .. })
    ));
}

#[test]
fn a_run_that_changes_more_than_is_kept_is_not_taken_back_in_part() {
    let scene = Scene::keeping(25);
    scene.write("a", "0123456789", 0o644);
    scene.write("big", &"x".repeat(26), 0o644);
    let run = scene.journal.of_run("run");
    scene.in_run(&run, "a", Some("1"));
    scene.in_run(&run, "big", Some("small"));
    scene.in_run(&run, "a", Some("2"));
    let error = scene.back_run("run", true).unwrap_err();
    assert_eq!(
        error.to_string(),
        "The changes of the run `run` cannot be taken back: more was changed than is kept."
    );
    assert_eq!((scene.read("a").bytes(), scene.kept()), (&b"2"[..], 0));
}

#[test]
fn only_the_latest_runs_are_held() {
    let scene = Scene::new();
    scene.write("a", "0", 0o644);
    let most = tenon_contract::limits::JOURNAL_RUNS_MAX;
    for number in 0..=most {
        let run = scene.journal.of_run(&number.to_string());
        scene.in_run(&run, "a", Some(&format!("run {number}")));
    }
    assert!(!scene.journal.holds_run("0"));
    assert!(scene.journal.holds_run("1"));
    assert_eq!(scene.kept(), most);
}

/// What a user had saved while a command ran was deleted for good.
#[test]
fn the_way_back_to_a_checkpoint_is_undone_by_its_id_and_can_be_gone_again() {
    let scene = Scene::new();
    scene.write("a", "0", 0o644);
    scene.write("gone", "gone", 0o600);
    let earlier = scene.journal.checkpoint().unwrap();
    scene.update("a", "1");
    let checkpoint = scene.journal.checkpoint().unwrap();
    let before = scene.tree();
    scene.update("a", "2");
    scene.create("new", &LONG);
    scene.delete("gone");
    let after = scene.tree();
    let undo = || scene.journal.undo(&checkpoint.to_string(), &|| false);
    for _ in 0..2 {
        assert_eq!(scene.back(checkpoint).unwrap(), ["a", "gone", "new"]);
        assert_eq!(scene.tree(), before);
        undo().unwrap();
        assert_eq!(scene.tree(), after);
        assert!(undo().is_err());
    }
    scene.back(checkpoint).unwrap();
    // What somebody does afterwards is neither in the way nor lost.
    scene.write("new", "by a user", 0o644);
    assert_eq!(scene.back(checkpoint).unwrap(), [""; 0]);
    assert_eq!(scene.back(earlier).unwrap(), ["a"]);
    assert_eq!(scene.read("new").bytes(), b"by a user");
}

impl Scene {
    /// What a command does to these files, recorded as one call.
    fn command(
        &self,
        call: &str,
        files: &[(&str, ChangeKind)],
        made: &[&str],
        act: impl Fn(&Path),
    ) {
        let left_out = self.command_leaving(call, files, made, act);
        assert_eq!(left_out, []);
    }

    /// The same; answers what no roll-back takes back.
    fn command_leaving(
        &self,
        call: &str,
        files: &[(&str, ChangeKind)],
        made: &[&str],
        act: impl Fn(&Path),
    ) -> Vec<Unrestorable> {
        let budget = CopyBudget {
            files: 100,
            bytes: 1 << 20,
            file_bytes: 1 << 20,
            until: std::time::Instant::now() + Duration::from_secs(60),
        };
        let journal = self.journal.of_call(call, 1);
        let seen: Vec<SeenFile> = { files.iter() }
            .map(|(path, _)| SeenFile {
                path: (*path).to_owned(),
                version: None,
            })
            .collect();
        let copies = journal.copy(&self.workspace, &seen, &budget).unwrap();
        act(self.directory.path());
        let changes: Vec<FileChange> = { files.iter() }
            .map(|(path, kind)| FileChange {
                path: (*path).to_owned(),
                kind: *kind,
            })
            .collect();
        let made: Vec<String> = made.iter().map(|path| (*path).to_owned()).collect();
        let outcome = Outcome {
            changes: &changes,
            directories: &made,
            gone_directories: &[],
            older: &BTreeMap::new(),
        };
        let recorded = journal.record(&self.workspace, outcome, Some(&copies), 1 << 20);
        recorded.left_out
    }

    fn file_for_directory(&self) {
        let files = [("d", ChangeKind::Create), ("d/in/e", ChangeKind::Delete)];
        self.command("swap", &files, &[], |root| {
            fs::remove_dir_all(root.join("d")).unwrap();
            fs::write(root.join("d"), "q").unwrap();
        });
    }

    fn directory_for_file(&self) {
        let files = [("f", ChangeKind::Delete), ("f/in/g", ChangeKind::Create)];
        self.command("swap", &files, &["f", "f/in"], |root| {
            fs::remove_file(root.join("f")).unwrap();
            fs::create_dir_all(root.join("f/in")).unwrap();
            fs::write(root.join("f/in/g"), "q").unwrap();
        });
    }
}

/// One half of it came back, and the roll-back reported success.
#[test]
fn a_file_in_place_of_a_directory_and_the_other_way_round_are_taken_back() {
    let scenes: [fn(&Scene); 2] = [Scene::file_for_directory, Scene::directory_for_file];
    for (swap, undoes) in scenes
        .into_iter()
        .flat_map(|swap| [(swap, false), (swap, true)])
    {
        let scene = Scene::new();
        scene.write("d/in/e", "precious", 0o600);
        scene.write("f", "file", 0o640);
        let before = scene.tree();
        let checkpoint = scene.journal.checkpoint().unwrap();
        swap(&scene);
        assert_ne!(scene.tree(), before);
        if undoes {
            scene.journal.undo("swap", &|| false).unwrap();
        } else {
            scene.back(checkpoint).unwrap();
        }
        assert_eq!(scene.tree(), before);
    }
}

/// The files of the directory were lost, and its new place was emptied.
#[cfg(unix)]
#[test]
fn a_link_in_place_of_a_directory_goes_and_its_files_come_back() {
    let kinds = [
        ("d", ChangeKind::Create),
        ("d/in/e", ChangeKind::Delete),
        ("moved/in/e", ChangeKind::Create),
    ];
    for (tools_too, undoes) in [(false, false), (false, true), (true, false)] {
        let scene = Scene::new();
        scene.write("d/in/e", "precious", 0o600);
        scene.write("f", "file", 0o640);
        let before = scene.tree();
        let checkpoint = scene.journal.checkpoint().unwrap();
        if tools_too {
            scene.update("d/in/e", "changed");
        }
        scene.command("swap", &kinds, &["moved", "moved/in"], |root| {
            fs::rename(root.join("d"), root.join("moved")).unwrap();
            std::os::unix::fs::symlink("moved", root.join("d")).unwrap();
        });
        if undoes {
            scene.journal.undo("swap", &|| false).unwrap();
        } else {
            scene.back(checkpoint).unwrap();
        }
        assert_eq!(scene.tree(), before);
    }
}

/// Such a command blocked the way back of all that was changed beside it.
#[cfg(unix)]
#[test]
fn a_file_that_a_command_left_read_only_is_taken_back() {
    let kinds = [
        ("f", ChangeKind::Update),
        ("new", ChangeKind::Create),
        ("other", ChangeKind::Update),
    ];
    let closes = |scene: &Scene| {
        scene.command("close", &kinds, &[], |root| {
            fs::write(root.join("new"), "new").unwrap();
            fs::write(root.join("other"), "changed").unwrap();
            for name in ["f", "new"] {
                fs::set_permissions(root.join(name), PermissionsExt::from_mode(0o444)).unwrap();
            }
        });
    };
    for undoes in [false, true] {
        let scene = Scene::new();
        scene.write("f", "file", 0o640);
        scene.write("other", "other", 0o640);
        let before = scene.tree();
        let checkpoint = scene.journal.checkpoint().unwrap();
        closes(&scene);
        if undoes {
            scene.journal.undo("close", &|| false).unwrap();
        } else {
            scene.back(checkpoint).unwrap();
        }
        assert_eq!(scene.tree(), before);
    }
}

#[test]
fn a_directory_that_somebody_else_filled_stays_with_all_that_was_in_it() {
    let scene = Scene::new();
    scene.write("f", "file", 0o644);
    let checkpoint = scene.journal.checkpoint().unwrap();
    scene.directory_for_file();
    scene.write("f/in/theirs", "theirs", 0o644);
    let before = scene.tree();
    let error = scene.back(checkpoint).unwrap_err();
    assert!(matches!(error, Error::AlreadyExists { .. }), "{error:?}");
    assert_eq!(scene.tree(), before);
}

impl Scene {
    /// Every path with its content and mode, where it leads if it is a link, or nothing for a directory.
    fn whole_tree(&self) -> Vec<(String, String)> {
        fn walk(directory: &Path, root: &Path, found: &mut Vec<(String, String)>) {
            for entry in fs::read_dir(directory).unwrap() {
                let path = entry.unwrap().path();
                let name = path
                    .strip_prefix(root)
                    .unwrap()
                    .to_str()
                    .unwrap()
                    .to_owned();
                let metadata = path.symlink_metadata().unwrap();
                if metadata.is_symlink() {
                    found.push((name, format!("-> {}", path.read_link().unwrap().display())));
                } else if metadata.is_dir() {
                    found.push((name, "directory".to_owned()));
                    walk(&path, root, found);
                } else {
                    let content = fs::read_to_string(&path).unwrap();
                    found.push((name, format!("{content} {:o}", metadata.mode() & 0o7777)));
                }
            }
        }
        let mut found = Vec::new();
        walk(self.directory.path(), self.directory.path(), &mut found);
        found.sort();
        found
    }

    fn replacing() -> Self {
        let scene = Self::new();
        scene.write("d/in/e", "precious", 0o600);
        scene.write("f", "file", 0o640);
        scene.write("g/x", "other", 0o640);
        scene
    }

    fn link_for_file(&self) {
        self.command("link for file", &[("f", ChangeKind::Update)], &[], |root| {
            fs::remove_file(root.join("f")).unwrap();
            std::os::unix::fs::symlink("g/x", root.join("f")).unwrap();
        });
    }

    fn link_for_directory(&self) {
        let files = [("d", ChangeKind::Create), ("d/in/e", ChangeKind::Delete)];
        self.command("link for directory", &files, &[], |root| {
            fs::remove_dir_all(root.join("d")).unwrap();
            std::os::unix::fs::symlink("g", root.join("d")).unwrap();
        });
    }

    fn empty_directory_for_file(&self) {
        let files = [("f", ChangeKind::Delete)];
        self.command("directory for file", &files, &["f"], |root| {
            fs::remove_file(root.join("f")).unwrap();
            fs::create_dir(root.join("f")).unwrap();
        });
    }

    /// Removes a file or a directory in one command and puts a link in its place by the next.
    fn link_later(&self, path: &str, file: &str, target: &str) {
        self.command("remove", &[(file, ChangeKind::Delete)], &[], |root| {
            let path = root.join(path);
            if path.is_dir() {
                fs::remove_dir_all(path).unwrap();
            } else {
                fs::remove_file(path).unwrap();
            }
        });
        self.command("link", &[(path, ChangeKind::Create)], &[], |root| {
            std::os::unix::fs::symlink(target, root.join(path)).unwrap();
        });
    }
}

/// The link, or the directory, was lost, and the file as well.
#[test]
fn what_a_rollback_replaced_comes_back_also_where_it_was_a_link_or_an_empty_directory() {
    let changes: [fn(&Scene); 6] = [
        Scene::link_for_file,
        Scene::link_for_directory,
        Scene::empty_directory_for_file,
        Scene::file_for_directory,
        Scene::directory_for_file,
        |scene| scene.link_later("d", "d/in/e", "g"),
    ];
    for change in changes {
        let scene = Scene::replacing();
        let before = scene.whole_tree();
        let checkpoint = scene.journal.checkpoint().unwrap();
        change(&scene);
        let after = scene.whole_tree();
        assert_ne!(after, before);
        for _ in 0..2 {
            scene.back(checkpoint).unwrap();
            assert_eq!(scene.whole_tree(), before);
            let undone = scene.journal.undo(&checkpoint.to_string(), &|| false);
            undone.unwrap();
            assert_eq!(scene.whole_tree(), after);
        }
    }
}

#[test]
fn a_link_that_a_later_command_put_in_the_place_goes_by_rollback_and_by_undo() {
    for (path, file, target) in [("d", "d/in/e", "g"), ("f", "f", "g/x")] {
        let scene = Scene::replacing();
        let before = scene.whole_tree();
        let checkpoint = scene.journal.checkpoint().unwrap();
        scene.link_later(path, file, target);
        scene.back(checkpoint).unwrap();
        assert_eq!(scene.whole_tree(), before);

        let scene = Scene::replacing();
        scene.journal.checkpoint().unwrap();
        scene.link_later(path, file, target);
        for call in ["link", "remove"] {
            scene.journal.undo(call, &|| false).unwrap();
        }
        assert_eq!(scene.whole_tree(), before);
    }
}

/// Nothing of it could be taken back for ever.
#[test]
fn a_link_of_somebody_else_in_the_place_is_refused_and_goes_when_it_is_forced() {
    for (path, file, target) in [("d", "d/in/e", "g"), ("f", "f", "g/x")] {
        let scene = Scene::replacing();
        let before = scene.whole_tree();
        let checkpoint = scene.journal.checkpoint().unwrap();
        scene.update(file, "changed");
        let real = scene.directory.path().join(path);
        if real.is_dir() {
            fs::remove_dir_all(&real).unwrap();
        } else {
            fs::remove_file(&real).unwrap();
        }
        std::os::unix::fs::symlink(target, &real).unwrap();
        let changed = scene.whole_tree();
        assert_eq!(elsewhere(scene.back(checkpoint)), [file]);
        assert_eq!(scene.whole_tree(), changed);
        scene.back_forced(checkpoint, true).unwrap();
        assert_eq!(scene.whole_tree(), before);
        scene
            .journal
            .undo(&checkpoint.to_string(), &|| false)
            .unwrap();
        assert_eq!(scene.whole_tree(), changed);
    }
}

#[test]
fn a_new_link_in_the_place_of_nothing_is_named_and_stays() {
    let scene = Scene::replacing();
    let checkpoint = scene.journal.checkpoint().unwrap();
    let left_out = scene.command_leaving("new", &[("l", ChangeKind::Create)], &[], |root| {
        std::os::unix::fs::symlink("f", root.join("l")).unwrap();
    });
    let expected = Unrestorable {
        path: "l".to_owned(),
        reason: LeftOut::NotAFile,
    };
    assert_eq!(left_out, [expected]);
    let after = scene.whole_tree();
    assert_eq!(scene.back(checkpoint).unwrap(), [""; 0]);
    assert_eq!(scene.whole_tree(), after);
}

/// It was restored in the directory that nobody sees any more, and reported as restored.
#[test]
fn nothing_is_restored_in_a_workspace_that_was_replaced() {
    let above = tempfile::tempdir().unwrap();
    let (root, moved) = (above.path().join("ws"), above.path().join("old"));
    fs::create_dir(&root).unwrap();
    fs::write(root.join("a"), "1").unwrap();
    let workspace = Workspace::open(&root, &[] as &[&str]).unwrap();
    let journal = Journal::new(JournalOptions::default());
    let checkpoint = journal.checkpoint().unwrap();
    let mut changes = ChangeSet::new();
    let file = crate::read_bytes(&workspace.locate("a").unwrap(), 100).unwrap();
    changes.update(&file, b"2".to_vec()).unwrap();
    journal
        .of_call("call", 1)
        .commit(changes, &|| false)
        .unwrap();
    fs::rename(&root, &moved).unwrap();
    fs::create_dir(&root).unwrap();
    let gone = |error: Error| assert!(matches!(error, Error::WorkspaceGone { .. }), "{error:?}");
    gone(journal.rollback(checkpoint, false, &|| false).unwrap_err());
    gone(journal.rollback(checkpoint, true, &|| false).unwrap_err());
    gone(journal.undo("call", &|| false).unwrap_err());
    gone(journal.changed_since(Since::Start, 100).unwrap_err());
    assert_eq!(fs::read(moved.join("a")).unwrap(), b"2");
}

/// A file with another name that was written to through neither of them was taken for changed.
#[test]
fn what_is_as_its_copy_is_no_change_and_a_new_name_of_it_goes() {
    let scene = Scene::new();
    scene.write("a", "1", 0o644);
    let checkpoint = scene.journal.checkpoint().unwrap();
    let before = scene.whole_tree();
    let journal = scene.journal.of_call("link", 1);
    let budget = CopyBudget {
        files: 100,
        bytes: 1 << 20,
        file_bytes: 1 << 20,
        until: std::time::Instant::now() + Duration::from_secs(60),
    };
    let seen = SeenFile {
        path: "a".to_owned(),
        version: None,
    };
    let copies = journal.copy(&scene.workspace, &[seen], &budget).unwrap();
    let root = scene.directory.path();
    fs::hard_link(root.join("a"), root.join("b")).unwrap();
    let change = |path: &str, kind| FileChange {
        path: path.to_owned(),
        kind,
    };
    let outcome = Outcome {
        changes: &[
            change("a", ChangeKind::Update),
            change("b", ChangeKind::Create),
        ],
        directories: &[],
        gone_directories: &[],
        older: &BTreeMap::from([("b".to_owned(), Some("a".to_owned()))]),
    };
    let recorded = journal.record(&scene.workspace, outcome, Some(&copies), 1 << 20);
    let expected = Recorded {
        left_out: Vec::new(),
        unchanged: ["a".to_owned()].into(),
    };
    assert_eq!(recorded, expected);
    assert_eq!(scene.back(checkpoint).unwrap(), ["b"]);
    assert_eq!(scene.whole_tree(), before);
}

#[test]
fn a_file_below_very_many_new_directories_is_recorded_and_a_cancelled_one_leaves_none() {
    use std::cell::Cell;
    let scene = Scene::new();
    let checkpoint = scene.journal.checkpoint().unwrap();
    let create = || {
        let mut changes = ChangeSet::new();
        let place = scene.at(&format!("{}x", "d/".repeat(1_500)));
        changes.create(&place, b"new".to_vec()).unwrap();
        changes
    };
    let asked = Cell::new(0);
    let cancelled = || {
        asked.set(asked.get() + 1);
        asked.get() > 100
    };
    let answer = scene.journal.commit(create(), &cancelled);
    assert!(matches!(answer, Err(Error::Cancelled)), "{answer:?}");
    assert!(asked.get() < 200, "{asked:?}");
    assert_eq!(scene.whole_tree(), []);
    scene.journal.commit(create(), &|| false).unwrap();
    assert_eq!(scene.back(checkpoint).unwrap().len(), 1);
    assert_eq!(scene.whole_tree(), []);
}

/// A private directory was open to all afterwards.
#[test]
fn a_directory_that_comes_back_has_the_permission_bits_that_it_had() {
    let scene = Scene::new();
    scene.write("d/in/e", "1", 0o600);
    let root = scene.directory.path();
    let modes = || ["d", "d/in"].map(|path| root.join(path).metadata().unwrap().mode() & 0o7777);
    for (path, mode) in [("d/in", 0o750), ("d", 0o700)] {
        fs::set_permissions(root.join(path), PermissionsExt::from_mode(mode)).unwrap();
    }
    let checkpoint = scene.journal.checkpoint().unwrap();
    let budget = CopyBudget {
        files: 100,
        bytes: 1 << 20,
        file_bytes: 1 << 20,
        until: std::time::Instant::now() + Duration::from_secs(60),
    };
    let seen = SeenFile {
        path: "d/in/e".to_owned(),
        version: None,
    };
    let copies = scene.journal.copy(&scene.workspace, &[seen], &budget);
    fs::remove_dir_all(root.join("d")).unwrap();
    let outcome = Outcome {
        changes: &[FileChange {
            path: "d/in/e".to_owned(),
            kind: ChangeKind::Delete,
        }],
        directories: &[],
        gone_directories: &[("d".to_owned(), 0o700), ("d/in".to_owned(), 0o750)],
        older: &BTreeMap::new(),
    };
    let recorded = scene
        .journal
        .record(&scene.workspace, outcome, copies.as_ref(), 1 << 20);
    assert_eq!(recorded, Recorded::default());
    for _ in 0..2 {
        scene.back(checkpoint).unwrap();
        assert_eq!(modes(), [0o700, 0o750]);
        scene
            .journal
            .undo(&checkpoint.to_string(), &|| false)
            .unwrap();
        assert!(!root.join("d").exists());
    }
}
