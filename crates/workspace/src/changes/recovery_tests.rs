//! Commits whose process is killed (SIGKILL) at every single step, and what a recovery makes of it.
//!
//! The process that dies is this test binary once more, with one ignored test, identified by its environment
//! when to end.
#![cfg(unix)]

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use rustix::process::{Gid, Signal, Uid, geteuid, getpid, kill_process};
use rustix::thread::{set_thread_groups, set_thread_res_gid, set_thread_res_uid};

use super::*;
use crate::changes::fail_point::CommitStep;
use crate::changes::record::Line;
use crate::{ChangeSet, Durability, ModeChange, read_bytes};

const DIRECTORY: &str = "TENON_TEST_CRASH_DIRECTORY";
const MOMENT: &str = "TENON_TEST_CRASH_MOMENT";
const WORK: &str = "TENON_TEST_CRASH_WORK";
const NOBODY: u32 = 65_534;

/// What the other process does before it dies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Work {
    /// One change of each sort.
    Everything,
    /// A single file.
    Update,
    /// A single new file in new directories.
    Create,
    /// Two files in a directory that takes no new ones.
    InPlace,
    /// A single file there.
    SingleInPlace,
    /// A commit that fails in its last step, and takes itself back.
    Failing,
    /// Nothing but a recovery.
    Recovery,
}

const WORKS: [(&str, Work); 7] = [
    ("everything", Work::Everything),
    ("update", Work::Update),
    ("create", Work::Create),
    ("in place", Work::InPlace),
    ("single in place", Work::SingleInPlace),
    ("failing", Work::Failing),
    ("recovery", Work::Recovery),
];

fn long(letter: u8) -> Vec<u8> {
    vec![letter; 150_000]
}

/// A workspace, and beside it the directory for records.
struct Scene {
    directory: tempfile::TempDir,
}

impl Scene {
    fn new(work: Work) -> Self {
        let scene = Self {
            directory: tempfile::tempdir().unwrap(),
        };
        let root = scene.root();
        fs::create_dir_all(root.join("sealed")).unwrap();
        fs::create_dir(scene.state()).unwrap();
        for name in ["update", "linked", "delete", "move", "mode", "last"] {
            fs::write(root.join(name), name).unwrap();
        }
        fs::hard_link(root.join("linked"), scene.directory.path().join("outside")).unwrap();
        fs::set_permissions(root.join("update"), Permissions::from_mode(0o640)).unwrap();
        for name in ["one", "two"] {
            fs::write(root.join("sealed").join(name), long(b'o')).unwrap();
            fs::set_permissions(
                root.join("sealed").join(name),
                Permissions::from_mode(0o600),
            )
            .unwrap();
        }
        fs::set_permissions(scene.state(), Permissions::from_mode(0o700)).unwrap();
        if work.needs_nobody() {
            scene.give_away(scene.directory.path());
            fs::set_permissions(root.join("sealed"), Permissions::from_mode(0o555)).unwrap();
        }
        scene
    }

    /// Makes everything beneath a directory that of nobody, if that can be done.
    fn give_away(&self, path: &Path) {
        if geteuid().is_root() {
            chown(path, Some(NOBODY), Some(NOBODY)).unwrap();
            if path.is_dir() {
                for entry in fs::read_dir(path).unwrap() {
                    self.give_away(&entry.unwrap().path());
                }
            }
        }
    }

    fn root(&self) -> PathBuf {
        self.directory
            .path()
            .canonicalize()
            .unwrap()
            .join("workspace")
    }

    fn state(&self) -> PathBuf {
        self.directory.path().canonicalize().unwrap().join("state")
    }

    fn workspace(&self) -> Workspace {
        open(self.directory.path())
    }

    /// Every file with its content and its mode; records as well.
    fn files(&self) -> Vec<(PathBuf, Vec<u8>, u32)> {
        fn walk(directory: &Path, found: &mut Vec<(PathBuf, Vec<u8>, u32)>) {
            for entry in fs::read_dir(directory).unwrap() {
                let path = entry.unwrap().path();
                let mode = fs::symlink_metadata(&path).unwrap().mode();
                if path.is_dir() {
                    found.push((path.clone(), Vec::new(), mode));
                    walk(&path, found);
                } else {
                    found.push((path.clone(), fs::read(&path).unwrap(), mode));
                }
            }
        }
        let mut found = Vec::new();
        walk(self.directory.path(), &mut found);
        for (path, ..) in &mut found {
            *path = path.strip_prefix(self.directory.path()).unwrap().into();
        }
        found.sort();
        found
    }

    /// Runs this test binary once more and kills it at that step. Answers whether it came so far.
    fn dies_at(&self, work: Work, step: usize) -> bool {
        self.runs(Command::new(std::env::current_exe().unwrap()), work, step)
    }

    /// The same before the system call `call` is made for the `number`th time.
    fn dies_before(&self, work: Work, call: &str, number: usize) -> bool {
        let mut strace = Command::new("strace");
        strace
            .args(["-f", "-qq", "-o", "/dev/null", "-e"])
            .arg(format!("trace={call}"))
            .arg("-e")
            .arg(format!("inject={call}:signal=SIGKILL:when={number}"))
            .arg(std::env::current_exe().unwrap());
        self.runs(strace, work, usize::MAX)
    }

    fn runs(&self, mut command: Command, work: Work, step: usize) -> bool {
        let name = WORKS.iter().find(|(_, other)| *other == work).unwrap().0;
        let test = "changes::recovery::tests::the_process_that_dies";
        let status = command
            .args(["--exact", test, "--include-ignored"])
            .env(DIRECTORY, self.directory.path())
            .env(MOMENT, step.to_string())
            .env(WORK, name)
            .stdout(Stdio::null())
            .status()
            .unwrap();
        assert!(status.success() || status.signal() == Some(9), "{status}");
        !status.success()
    }
}

impl Work {
    /// Root may write everywhere.
    fn needs_nobody(self) -> bool {
        matches!(self, Self::InPlace | Self::SingleInPlace)
    }
}

fn open(directory: &Path) -> Workspace {
    let directory = directory.canonicalize().unwrap();
    Workspace::open(directory.join("workspace"), &[] as &[&str])
        .unwrap()
        .with_state_directory(&directory.join("state"))
}

/// On Linux rights belong to the thread.
fn become_nobody() {
    if geteuid().is_root() {
        let (user, group) = (Uid::from_raw(NOBODY), Gid::from_raw(NOBODY));
        set_thread_groups(&[]).unwrap();
        set_thread_res_gid(group, group, group).unwrap();
        set_thread_res_uid(user, user, user).unwrap();
    }
}

fn changes(workspace: &Workspace, work: Work) -> ChangeSet {
    let read = |path: &str| read_bytes(&workspace.locate(path).unwrap(), 1 << 20).unwrap();
    let place = |path: &str| workspace.locate(path).unwrap();
    // What a process has written outlives it without being brought to the disk.
    let mut changes = ChangeSet::new().with_durability(Durability::Unsynced);
    match work {
        Work::Everything | Work::Failing => {
            let run = Some(ModeChange::Executable(true));
            changes.update(&read("update"), long(b'U')).unwrap();
            changes
                .create(&place("made/by/us/new"), b"NEW".to_vec())
                .unwrap();
            changes.update(&read("linked"), b"LINKED".to_vec()).unwrap();
            changes
                .update_with_mode(&read("mode"), b"mode".to_vec(), run)
                .unwrap();
            changes.delete(&read("delete")).unwrap();
            changes
                .rename(&read("move"), &place("made/moved"), Some(b"MOVE".to_vec()))
                .unwrap();
            changes.update(&read("last"), b"LAST".to_vec()).unwrap();
        }
        Work::Update => changes.update(&read("update"), long(b'U')).unwrap(),
        Work::Create => changes
            .create(&place("made/by/us/new"), long(b'N'))
            .unwrap(),
        Work::InPlace => {
            changes
                .update(&read("sealed/one"), b"short".to_vec())
                .unwrap();
            changes
                .update(&read("sealed/two"), [long(b'T'), long(b't')].concat())
                .unwrap();
        }
        Work::SingleInPlace => changes.update(&read("sealed/one"), long(b'O')).unwrap(),
        Work::Recovery => {}
    }
    changes
}

#[test]
#[ignore = "the process that the tests of this file kill"]
fn the_process_that_dies() {
    let Some(directory) = std::env::var_os(DIRECTORY) else {
        return;
    };
    let work = std::env::var(WORK).unwrap();
    let work = WORKS.iter().find(|(name, _)| *name == work).unwrap().1;
    let last: usize = std::env::var(MOMENT).unwrap().parse().unwrap();
    let mut moments = 0;
    let mut die = || {
        if moments == last {
            kill_process(getpid(), Signal::KILL).unwrap();
        }
        moments += 1;
    };
    if work.needs_nobody() {
        become_nobody();
    }
    let workspace = open(Path::new(&directory));
    if work == Work::Recovery {
        recover_watched(&workspace, &mut die);
        return;
    }
    let answer = changes(&workspace, work).commit_watched(&|| false, &mut |step| {
        die();
        let fails =
            work == Work::Failing && matches!(step, CommitStep::Apply(7) | CommitStep::Kept(7));
        if fails {
            return Err(io::ErrorKind::StorageFull.into());
        }
        Ok(())
    });
    assert_eq!(answer.is_err(), work == Work::Failing);
}

/// What is reported of files when a test fails.
fn sizes(files: &[(PathBuf, Vec<u8>, u32)]) -> Vec<(&Path, usize, u32)> {
    let sizes = files
        .iter()
        .map(|(path, bytes, mode)| (&**path, bytes.len(), *mode));
    sizes.collect()
}

/// The scene after a commit that nobody kills.
fn whole(work: Work) -> Vec<(PathBuf, Vec<u8>, u32)> {
    let scene = Scene::new(work);
    assert!(!scene.dies_at(work, usize::MAX));
    scene.files()
}

fn recovered(scene: &Scene, work: Work) -> Vec<Recovered> {
    if !work.needs_nobody() {
        return recover(&scene.workspace());
    }
    std::thread::scope(|scope| {
        let thread = scope.spawn(|| {
            become_nobody();
            recover(&scene.workspace())
        });
        thread.join().unwrap()
    })
}

/// Kills the work at each of its moments. Answers how many there are.
fn survives(work: Work) -> usize {
    let (before, after) = (Scene::new(work).files(), whole(work));
    assert_eq!(before == after, work == Work::Failing);
    let mut step = 0;
    let mut seen = [0, 0];
    loop {
        let scene = Scene::new(work);
        if !scene.dies_at(work, step) {
            break;
        }
        let reported = recovered(&scene, work);
        let found = scene.files();
        let way = if found == before { 0 } else { 1 };
        assert!(
            found == before || found == after,
            "{work:?} killed at step {step}, recovery: {reported:?}, files: {:?}",
            sizes(&found)
        );
        seen[way] += 1;
        assert_eq!(recovered(&scene, work), Vec::new());
        step += 1;
    }
    assert!(seen[0] > 0, "{work:?}: nothing was ever undone");
    step
}

#[test]
fn a_set_of_changes_is_whole_wherever_its_process_was_killed() {
    assert!(survives(Work::Everything) > 35);
}

#[test]
fn a_set_of_changes_that_takes_itself_back_is_whole_wherever_its_process_was_killed() {
    assert!(survives(Work::Failing) > 30);
}

#[test]
fn a_single_change_leaves_nothing_beside_its_file_wherever_its_process_was_killed() {
    assert!(survives(Work::Update) > 4);
    assert!(survives(Work::Create) > 4);
}

#[test]
fn files_that_are_written_over_are_whole_wherever_their_process_was_killed() {
    assert!(survives(Work::InPlace) > 10);
    assert!(survives(Work::SingleInPlace) > 5);
}

#[test]
fn a_recovery_that_is_killed_is_finished_by_the_next_one() {
    let work = Work::Everything;
    let (before, after) = (Scene::new(work).files(), whole(work));
    // In the middle of the renames, and when all but the last is done.
    for died_at in [14, 19, 25] {
        for step in 0.. {
            let scene = Scene::new(work);
            assert!(scene.dies_at(work, died_at));
            let is_cut_off = scene.dies_at(Work::Recovery, step);
            let reported = recover(&scene.workspace());
            let found = scene.files();
            assert!(
                found == before || found == after,
                "{died_at}, {step}: {reported:?}, {:?}",
                sizes(&found)
            );
            if !is_cut_off {
                break;
            }
        }
    }
}

/// A scene whose process died when about half of the files were changed.
fn half_done() -> Scene {
    let work = Work::Everything;
    let before = Scene::new(work).files();
    let untouched =
        |scene: &Scene, name: &str| fs::read(scene.root().join(name)).unwrap() == name.as_bytes();
    for step in 0.. {
        let scene = Scene::new(work);
        assert!(scene.dies_at(work, step));
        if !untouched(&scene, "linked") && untouched(&scene, "last") && scene.files() != before {
            return scene;
        }
    }
    unreachable!()
}

#[test]
fn a_file_that_somebody_changed_since_is_never_touched() {
    let scene = half_done();
    let update = scene.root().join("update");
    assert_eq!(fs::read(&update).unwrap(), long(b'U'));
    fs::write(&update, "by somebody else").unwrap();
    let reported = recover(&scene.workspace());
    assert_eq!(fs::read(&update).unwrap(), b"by somebody else");
    assert_eq!(fs::read(scene.root().join("linked")).unwrap(), b"linked");
    assert!(!scene.root().join("made").exists());
    assert_eq!(reported.len(), 1);
    assert_eq!(
        (reported[0].way, &*reported[0].changed_since),
        (RecoveredWay::Undone, &["update".to_owned()][..])
    );
    // What stood there before is not thrown away.
    assert_eq!(
        fs::read(scene.root().join(&reported[0].kept[0])).unwrap(),
        b"update"
    );
    let sentence = reported[0].sentence();
    assert!(
        sentence.contains("; `update` was left alone because something else changed it since"),
        "{sentence}"
    );
    assert_eq!(recover(&scene.workspace()), Vec::new());
}

#[test]
fn a_name_that_somebody_took_since_stays_theirs() {
    let scene = half_done();
    let new = scene.root().join("made/by/us/new");
    fs::write(&new, "theirs").unwrap();
    let reported = recover(&scene.workspace());
    assert_eq!(fs::read(&new).unwrap(), b"theirs");
    assert_eq!(reported[0].changed_since, ["made/by/us/new"]);
    assert_eq!(fs::read(scene.root().join("update")).unwrap(), b"update");
}

#[test]
fn a_directory_that_became_a_link_leads_a_recovery_nowhere_else() {
    let scene = half_done();
    let elsewhere = scene.directory.path().join("elsewhere");
    fs::rename(scene.root().join("made"), &elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, scene.root().join("made")).unwrap();
    let tree = |directory: &Path| {
        let names = fs::read_dir(directory)
            .unwrap()
            .map(|entry| entry.unwrap().file_name());
        let mut names: Vec<_> = names.collect();
        names.sort();
        names
    };
    let before = tree(&elsewhere.join("by/us"));
    recover(&scene.workspace());
    assert_eq!(tree(&elsewhere.join("by/us")), before);
    assert_eq!(fs::read(elsewhere.join("by/us/new")).unwrap(), b"NEW");
}

#[test]
fn the_record_of_a_process_that_lives_is_left_alone() {
    let scene = Scene::new(Work::Everything);
    let workspace = scene.workspace();
    let before = Scene::new(Work::Everything).files();
    let mut looks = 0;
    changes(&workspace, Work::Everything)
        .commit_watched(&|| false, &mut |_| {
            looks += 1;
            assert_eq!(recover(&scene.workspace()), Vec::new());
            Ok(())
        })
        .unwrap();
    assert!(looks > 30);
    assert_eq!(scene.files(), whole(Work::Everything));
    assert_ne!(scene.files(), before);
}

#[test]
fn a_record_of_another_workspace_is_left_for_that() {
    let scene = half_done();
    let before = scene.files();
    let other = tempfile::tempdir().unwrap();
    let workspace = Workspace::open(other.path(), &[] as &[&str])
        .unwrap()
        .with_state_directory(&scene.state());
    assert_eq!(recover(&workspace), Vec::new());
    assert_eq!(scene.files(), before);
    assert_eq!(recover(&scene.workspace()).len(), 1);
}

#[test]
fn a_record_of_another_workspace_that_was_read_before_is_recovered_there() {
    let scene = half_done();
    let other = tempfile::tempdir().unwrap();
    let elsewhere = Workspace::open(other.path(), &[] as &[&str])
        .unwrap()
        .with_state_directory(&scene.state());
    for _ in 0..2 {
        assert_eq!(recover(&elsewhere), Vec::new());
    }
    assert_eq!(recover(&scene.workspace()).len(), 1);
}

#[test]
fn an_old_record_of_which_nothing_is_left_is_removed() {
    let age = |record: &Path, age: Duration| {
        let file = fs::File::options().write(true).open(record).unwrap();
        file.set_modified(SystemTime::now() - age).unwrap();
    };
    let old = limits::RECORD_OF_NOTHING_KEPT + Duration::from_secs(60);
    let young = limits::RECORD_OF_NOTHING_KEPT - Duration::from_secs(60);
    for (is_gone, aged, is_removed) in
        [(true, old, true), (true, young, false), (false, old, false)]
    {
        let scene = half_done();
        let state = scene.state();
        let records = || {
            let names = fs::read_dir(&state).unwrap().flatten();
            let paths = names.map(|entry| entry.path());
            paths.collect::<Vec<_>>()
        };
        let record = records()
            .into_iter()
            .find(|path| path.extension().is_some_and(|end| end == "commit"))
            .unwrap();
        age(&record, aged);
        if is_gone {
            fs::rename(scene.root(), scene.directory.path().join("moved")).unwrap();
        }
        let other = tempfile::tempdir().unwrap();
        let workspace = Workspace::open(other.path(), &[] as &[&str])
            .unwrap()
            .with_state_directory(&state);
        assert_eq!(recover(&workspace), Vec::new());
        assert_eq!(records().is_empty(), is_removed, "{aged:?} {is_gone}");
    }
}

#[test]
fn a_forged_record_touches_nothing_but_names_of_its_own_kind() {
    let scene = Scene::new(Work::Everything);
    let before = scene.files();
    let root = scene.root().to_str().unwrap().to_owned();
    let bytes: Vec<_> = format!("{root}/update").into_bytes();
    let up: Vec<_> = format!("{root}/../outside").into_bytes();
    for (target, name) in [
        (bytes.clone(), "last"),
        (bytes, "../outside"),
        (up, ".tenon-0000000000000000.tmp"),
    ] {
        let name = serde_json::json!({"Unix": name.as_bytes()});
        let lines = [
            serde_json::json!({"begin": {"version": 1, "process": 1}}),
            serde_json::json!({"step": {"target": {"Unix": target}, "way": "replace", "backup": name, "old": null, "new": null}}),
            serde_json::json!({"temporary": {"step": 0, "name": name}}),
            serde_json::json!("ready"),
        ];
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        fs::write(scene.state().join("forged.commit"), text).unwrap();
        recover(&scene.workspace());
        let _ = fs::remove_file(scene.state().join("forged.commit"));
        assert_eq!(scene.files(), before);
    }
}

/// The lines of a record as if it were one of another scene.
fn moved(record: &str, from: &Scene, to: &Scene) -> Vec<u8> {
    let (from, to) = (from.root(), to.root());
    let elsewhere = |path: &mut OsString| {
        *path = to.join(Path::new(path).strip_prefix(&from).unwrap()).into();
    };
    let lines = record.lines().map(|line| {
        let mut line: Line = serde_json::from_str(line).unwrap();
        match &mut line {
            Line::Step(step) => elsewhere(&mut step.target),
            Line::Directory { path } => elsewhere(path),
            _ => {}
        }
        serde_json::to_string(&line).unwrap() + "\n"
    });
    lines.collect::<String>().into_bytes()
}

#[test]
fn a_damaged_record_harms_nothing() {
    let dead = half_done();
    let record = fs::read_dir(dead.state()).unwrap().next().unwrap().unwrap();
    let record = fs::read_to_string(record.path()).unwrap();
    let scene = Scene::new(Work::Everything);
    let good = moved(&record, &dead, &scene);
    let before = scene.files();
    for seed in 0..500_usize {
        let mut bytes = good.clone();
        let at = seed * 7919 % bytes.len();
        bytes[at] ^= 1 << (seed % 7);
        if seed % 3 == 0 {
            bytes.truncate(bytes.len() - seed * 31 % (bytes.len() / 2));
        }
        let path = scene.state().join("damaged.commit");
        fs::write(&path, bytes).unwrap();
        recover(&scene.workspace());
        let _ = fs::remove_file(path);
        assert_eq!(scene.files(), before, "{seed}");
    }
}

/// Every call by which the commit can change anything that outlives it.
const CALLS: [&str; 13] = [
    "openat",
    "write",
    "renameat",
    "renameat2",
    "linkat",
    "unlinkat",
    "unlink",
    "mkdirat",
    "mkdir",
    "fchmod",
    "ftruncate",
    "flock",
    "lseek",
];

#[test]
#[ignore = "needs strace, and minutes"]
fn files_are_whole_before_whatever_system_call_their_process_was_killed() {
    let mut killed = 0;
    for work in [
        Work::Everything,
        Work::Failing,
        Work::Update,
        Work::Create,
        Work::InPlace,
        Work::SingleInPlace,
    ] {
        let (before, after) = (Scene::new(work).files(), whole(work));
        for call in CALLS {
            for number in 1.. {
                let scene = Scene::new(work);
                if !scene.dies_before(work, call, number) {
                    break;
                }
                killed += 1;
                let reported = recovered(&scene, work);
                let found = scene.files();
                assert!(
                    found == before || found == after,
                    "{work:?} before {call} {number}: {reported:?}, {:?}",
                    sizes(&found)
                );
            }
        }
    }
    assert!(killed > 300, "{killed}");
}

#[test]
fn a_change_of_very_many_files_is_one_line() {
    let names = |count: usize| (0..count).map(|index| format!("d0/f{index}.txt")).collect();
    let reported = |paths: Vec<String>, changed_since: Vec<String>, way| {
        let recovered = Recovered {
            way,
            paths,
            changed_since,
            kept: Vec::new(),
        };
        recovered.sentence()
    };
    assert_eq!(
        reported(names(2_000), Vec::new(), RecoveredWay::Undone),
        "A previous process crashed during a change of 2,000 files (`d0/f0.txt`, …); it was rolled back."
    );
    assert_eq!(
        reported(names(1), Vec::new(), RecoveredWay::Finished),
        "A previous process crashed during a change of `d0/f0.txt`; it was completed."
    );
    assert_eq!(
        reported(names(1), names(2), RecoveredWay::Undone),
        "A previous process crashed during a change of 3 files (`d0/f0.txt`, …); it was rolled back; 2 files \
         (`d0/f0.txt`, …) were left alone because something else changed them since."
    );
}
