//! Failures in the middle of a commit.
#![cfg(unix)]

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::*;
use crate::changes::fail_point::CommitStep;
use crate::{Workspace, read_bytes};

struct Scene {
    _directory: tempfile::TempDir,
    root: PathBuf,
    workspace: Workspace,
}

impl Scene {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        let workspace = Workspace::open(&root, &[] as &[&str]).unwrap();
        Self {
            _directory: directory,
            root,
            workspace,
        }
    }

    fn write(&self, path: &str, content: &str) {
        fs::write(self.root.join(path), content).unwrap();
    }

    fn read(&self, path: &str) -> FileSnapshot {
        read_bytes(&self.workspace.locate(path).unwrap(), 1000).unwrap()
    }

    /// Every file with its content and identity.
    fn state(&self) -> Vec<(PathBuf, Vec<u8>, u64)> {
        use std::os::unix::fs::MetadataExt;
        fn walk(directory: &Path, found: &mut Vec<(PathBuf, Vec<u8>, u64)>) {
            for entry in fs::read_dir(directory).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    found.push((path.clone(), Vec::new(), 0));
                    walk(&path, found);
                } else {
                    let inode = fs::metadata(&path).unwrap().ino();
                    found.push((path.clone(), fs::read(&path).unwrap(), inode));
                }
            }
        }
        let mut found = Vec::new();
        walk(&self.root, &mut found);
        found.sort();
        found
    }

    /// One change of each sort, a file with two names among them.
    fn changes(&self) -> ChangeSet {
        let mut changes = ChangeSet::new();
        changes
            .update(&self.read("update"), b"UPDATE".to_vec())
            .unwrap();
        let new = self.workspace.locate("made/by/us/new").unwrap();
        changes.create(&new, b"NEW".to_vec()).unwrap();
        changes
            .update(&self.read("linked"), b"LINKED, AND LONGER".to_vec())
            .unwrap();
        changes.delete(&self.read("delete")).unwrap();
        let to = self.workspace.locate("made/moved").unwrap();
        changes
            .rename(&self.read("move"), &to, Some(b"MOVE".to_vec()))
            .unwrap();
        changes
            .update(&self.read("last"), b"LAST".to_vec())
            .unwrap();
        changes
    }

    fn filled() -> Self {
        let scene = Self::new();
        for name in ["update", "linked", "delete", "move", "last"] {
            scene.write(name, name);
        }
        fs::hard_link(scene.root.join("linked"), scene.root.join("other name")).unwrap();
        scene
    }
}

/// A move is two steps.
const STEPS: usize = 7;

#[test]
fn a_failure_before_any_step_takes_everything_back_to_the_same_files() {
    for failing in 0..STEPS {
        let scene = Scene::filled();
        let before = scene.state();
        let error = scene
            .changes()
            .commit_watched(&|| false, &mut |step| {
                if step == CommitStep::Apply(failing) {
                    return Err(io::ErrorKind::StorageFull.into());
                }
                Ok(())
            })
            .unwrap_err();
        assert!(matches!(error, Error::Io { .. }), "{error:?}");
        assert_eq!(scene.state(), before, "step {failing}");
    }
}

#[test]
fn a_failure_of_the_system_in_the_last_step_takes_everything_back() {
    let scene = Scene::filled();
    let last = scene.root.join("last");
    let error = scene
        .changes()
        .commit_watched(&|| false, &mut |step| {
            if step == CommitStep::Apply(STEPS - 1) {
                fs::remove_file(&last)?;
                fs::create_dir(&last)?;
            }
            Ok(())
        })
        .unwrap_err();
    assert!(matches!(error, Error::Io { .. }), "{error:?}");
    fs::remove_dir(&last).unwrap();
    let names = ["update", "linked", "delete", "move"];
    for name in names {
        assert_eq!(fs::read(scene.root.join(name)).unwrap(), name.as_bytes());
    }
    assert_eq!(scene.state().len(), names.len() + 1);
}

#[test]
fn what_cannot_be_taken_back_is_named() {
    let scene = Scene::filled();
    let error = scene
        .changes()
        .commit_watched(&|| false, &mut |step| {
            if step == CommitStep::Apply(2) {
                // Somebody removes what the second step made.
                fs::remove_file(scene.root.join("made/by/us/new"))?;
                return Err(io::ErrorKind::StorageFull.into());
            }
            Ok(())
        })
        .unwrap_err();
    let Error::RollbackFailed { left, .. } = error else {
        panic!("{error:?}");
    };
    assert_eq!(left.len(), 1);
    assert!(left[0].starts_with("made/by/us/new"), "{left:?}");
    assert_eq!(fs::read(scene.root.join("update")).unwrap(), b"update");
}

#[test]
fn a_whole_commit_leaves_no_temporary_files() {
    let scene = Scene::filled();
    scene.changes().commit(&|| false).unwrap();
    let names: Vec<_> = scene
        .state()
        .into_iter()
        .map(|(path, content, _)| {
            let name = path
                .strip_prefix(&scene.root)
                .unwrap()
                .to_str()
                .unwrap()
                .to_owned();
            (name, String::from_utf8(content).unwrap())
        })
        .collect();
    let expected = [
        ("last", "LAST"),
        ("linked", "LINKED, AND LONGER"),
        ("made", ""),
        ("made/by", ""),
        ("made/by/us", ""),
        ("made/by/us/new", "NEW"),
        ("made/moved", "MOVE"),
        ("other name", "linked"),
        ("update", "UPDATE"),
    ];
    assert_eq!(
        names,
        expected.map(|(name, content)| (name.into(), content.into()))
    );
}

#[test]
fn a_mode_that_was_changed_is_taken_back() {
    use std::os::unix::fs::PermissionsExt;
    let scene = Scene::filled();
    let path = scene.root.join("linked");
    fs::set_permissions(&path, PermissionsExt::from_mode(0o640)).unwrap();
    let mut changes = ChangeSet::new();
    changes
        .update_with_mode(
            &scene.read("linked"),
            b"new".to_vec(),
            Some(ModeChange::Executable(true)),
        )
        .unwrap();
    changes
        .update(&scene.read("last"), b"LAST".to_vec())
        .unwrap();
    let before = scene.state();
    let mut seen = 0;
    changes
        .commit_watched(&|| false, &mut |step| {
            if step != CommitStep::Apply(1) {
                return Ok(());
            }
            seen = path.metadata()?.permissions().mode() & 0o7777;
            Err(io::ErrorKind::StorageFull.into())
        })
        .unwrap_err();
    let mode = path.metadata().unwrap().permissions().mode() & 0o7777;
    assert_eq!((seen, mode), (0o750, 0o640));
    assert_eq!(scene.state(), before);
}

/// It was called a directory, which it was not.
#[test]
fn a_new_path_that_ends_as_a_directory_names_its_end() {
    let scene = Scene::new();
    fs::create_dir(scene.root.join("there")).unwrap();
    let create = |path: &str| {
        let place = scene.workspace.locate(path).unwrap();
        let refused = ChangeSet::new().create(&place, Vec::new()).unwrap_err();
        refused.to_string()
    };
    assert_eq!(
        [create("new/"), create("there/")],
        [
            "The path `new/` cannot be used: it ends as only the path of a directory does. Write to the path of a file.",
            "`there` is a directory.",
        ]
    );
}

/// More than are held open at once, in directories of which some are new.
#[test]
fn very_many_files_of_several_directories_change_together() {
    let scene = Scene::new();
    let paths: Vec<String> = (0..600)
        .map(|number| format!("{}f{number}", ["", "a/", "a/b/"][number % 3]))
        .collect();
    fs::create_dir(scene.root.join("a")).unwrap();
    let is_new = |path: &str| path.starts_with("a/b/") || path.ends_with('7');
    let mut changes = ChangeSet::new();
    for path in &paths {
        if is_new(path) {
            let place = scene.workspace.locate(path).unwrap();
            changes.create(&place, path.clone().into_bytes()).unwrap();
        } else {
            scene.write(path, "old");
            let old = scene.read(path);
            changes.update(&old, path.clone().into_bytes()).unwrap();
        }
    }
    let done = changes.commit(&|| false).unwrap();
    assert_eq!(
        done.iter().map(|change| &change.path).collect::<Vec<_>>(),
        paths.iter().collect::<Vec<_>>()
    );
    let mut expected: Vec<(PathBuf, Vec<u8>)> = ["a", "a/b"]
        .map(|directory| (scene.root.join(directory), Vec::new()))
        .into();
    let files = paths.iter();
    expected.extend(files.map(|path| (scene.root.join(path), path.clone().into_bytes())));
    expected.sort();
    let left = scene.state().into_iter();
    let left: Vec<_> = left.map(|(path, content, _)| (path, content)).collect();
    assert_eq!(left, expected);
}
