//! A disk that is full. Needs the right to mount a small one; without it there is nothing to test.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use tenon_workspace::{ChangeSet, Error, Journal, JournalOptions, Workspace, read_bytes};

/// A file system of 64 KiB; gone when dropped.
struct SmallDisk(tempfile::TempDir);

impl SmallDisk {
    fn mounted() -> Option<Self> {
        let directory = tempfile::tempdir().unwrap();
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", "size=64k", "tmpfs"])
            .arg(directory.path())
            .stderr(Stdio::null())
            .status();
        mounted
            .is_ok_and(|status| status.success())
            .then(|| Self(directory))
    }

    fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.path()).status();
    }
}

fn names(directory: &Path) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn a_set_that_does_not_fit_changes_nothing_and_leaves_nothing() {
    let Some(disk) = SmallDisk::mounted() else {
        return;
    };
    fs::write(disk.path().join("a"), "a").unwrap();
    fs::write(disk.path().join("b"), "b").unwrap();
    let workspace = Workspace::open(disk.path(), &[] as &[&str]).unwrap();
    let read = |name: &str| read_bytes(&workspace.locate(name).unwrap(), 100).unwrap();
    let mut changes = ChangeSet::new();
    changes.update(&read("a"), vec![b'A'; 20_000]).unwrap();
    let new = workspace.locate("made/new").unwrap();
    changes.create(&new, vec![b'N'; 20_000]).unwrap();
    changes.update(&read("b"), vec![b'B'; 40_000]).unwrap();
    let error = changes.commit(&|| false).unwrap_err();
    assert!(matches!(error, Error::Io { .. }), "{error:?}");
    assert_eq!(names(disk.path()), ["a", "b"]);
    assert_eq!(
        (read("a").bytes(), read("b").bytes()),
        (&b"a"[..], &b"b"[..])
    );
    // What was taken for the attempt is free again.
    let mut changes = ChangeSet::new();
    changes.update(&read("a"), vec![b'A'; 40_000]).unwrap();
    changes.commit(&|| false).unwrap();
    assert_eq!(names(disk.path()), ["a", "b"]);
}

#[test]
fn a_change_whose_old_content_cannot_be_kept_is_refused() {
    let Some(disk) = SmallDisk::mounted() else {
        return;
    };
    let directory = tempfile::tempdir().unwrap();
    let old = vec![b'o'; 100_000];
    fs::write(directory.path().join("small"), "s").unwrap();
    fs::write(directory.path().join("large"), &old).unwrap();
    let workspace = Workspace::open(directory.path(), &[] as &[&str]).unwrap();
    let read = |name: &str| read_bytes(&workspace.locate(name).unwrap(), 200_000).unwrap();
    let journal = Journal::new(JournalOptions {
        parent: Some(disk.path().into()),
        ..JournalOptions::default()
    });
    let checkpoint = journal.checkpoint().unwrap();
    let mut changes = ChangeSet::new();
    changes.update(&read("small"), b"S".to_vec()).unwrap();
    changes.update(&read("large"), b"L".to_vec()).unwrap();
    let error = journal.commit(changes, &|| false).unwrap_err();
    assert_eq!(error.path(), Some("large"), "{error:?}");
    assert_eq!(
        (read("small").bytes(), read("large").bytes()),
        (&b"s"[..], &old[..])
    );
    // The checkpoint still holds for what fits.
    let mut changes = ChangeSet::new();
    changes.update(&read("small"), b"S".to_vec()).unwrap();
    journal.commit(changes, &|| false).unwrap();
    journal.rollback(checkpoint, false, &|| false).unwrap();
    assert_eq!(read("small").bytes(), b"s");
}

#[test]
fn without_room_for_its_record_a_set_is_refused_and_a_single_change_is_made() {
    use std::os::unix::fs::PermissionsExt;
    let Some(disk) = SmallDisk::mounted() else {
        return;
    };
    let state = disk.path().join("state");
    fs::create_dir(&state).unwrap();
    fs::set_permissions(&state, fs::Permissions::from_mode(0o700)).unwrap();
    // The last pages go as well.
    for size in [60_000, 4_096, 1] {
        let _ = fs::write(disk.path().join(size.to_string()), vec![b'x'; size]);
    }
    let directory = tempfile::tempdir().unwrap();
    let paths = ["a", "b"].map(|name| directory.path().join(name));
    paths
        .iter()
        .for_each(|path| fs::write(path, "old").unwrap());
    let workspace = Workspace::open(directory.path(), &[] as &[&str])
        .unwrap()
        .with_state_directory(&state);
    let change = |names: &[&str]| {
        let mut changes = ChangeSet::new();
        for name in names {
            let old = read_bytes(&workspace.locate(name).unwrap(), 100).unwrap();
            changes.update(&old, b"new".to_vec()).unwrap();
        }
        changes.commit(&|| false)
    };
    let error = change(&["a", "b"]).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("Could not keep a record of the change of `a`:"),
        "{error}"
    );
    let content = || paths.clone().map(|path| fs::read_to_string(path).unwrap());
    assert_eq!(content(), ["old", "old"]);
    change(&["b"]).unwrap();
    assert_eq!(content(), ["old", "new"]);
    assert_eq!(names(directory.path()), ["a", "b"]);
    assert_eq!(names(&state), Vec::<String>::new());
}
