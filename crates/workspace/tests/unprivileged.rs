//! What a process without rights sees. Run as root, the work is done by a thread that gave its
//! rights away (on Linux they belong to the thread).
#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "helpers of tests"
)]

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::thread;

use rustix::process::{Gid, Uid, geteuid};
use rustix::thread::{set_thread_groups, set_thread_res_gid, set_thread_res_uid};
use tenon_workspace::{ChangeSet, CommittedChange, Error, Workspace, read_bytes};

const NOBODY: u32 = 65_534;

/// Runs `work` as nobody; as who we are, if that is not root.
fn unprivileged<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    thread::scope(|scope| {
        let thread = scope.spawn(|| {
            if geteuid().is_root() {
                let (user, group) = (Uid::from_raw(NOBODY), Gid::from_raw(NOBODY));
                set_thread_groups(&[]).unwrap();
                set_thread_res_gid(group, group, group).unwrap();
                set_thread_res_uid(user, user, user).unwrap();
            }
            work()
        });
        thread.join().unwrap()
    })
}

struct Scene {
    _directory: tempfile::TempDir,
    root: PathBuf,
    workspace: Workspace,
}

/// A workspace that everybody may look into.
fn scene() -> Scene {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().canonicalize().unwrap();
    fs::set_permissions(&root, Permissions::from_mode(0o755)).unwrap();
    let workspace = Workspace::open(&root, &[] as &[&str]).unwrap();
    Scene {
        _directory: directory,
        root,
        workspace,
    }
}

impl Scene {
    fn write(&self, path: &str, mode: u32) -> PathBuf {
        let path = self.root.join(path);
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
        path
    }

    fn close(&self, mode: u32) -> Closed<'_> {
        fs::set_permissions(&self.root, Permissions::from_mode(mode)).unwrap();
        Closed(&self.root)
    }

    fn update(&self, path: &str) -> Result<Vec<CommittedChange>, Error> {
        let old = read_bytes(&self.workspace.locate(path)?, 100)?;
        let mut changes = ChangeSet::new();
        changes.update(&old, b"new".to_vec())?;
        changes.commit(&|| false)
    }

    fn delete(&self, path: &str) -> Result<Vec<CommittedChange>, Error> {
        let old = read_bytes(&self.workspace.locate(path)?, 100)?;
        let mut changes = ChangeSet::new();
        changes.delete(&old)?;
        changes.commit(&|| false)
    }

    fn create(&self, path: &str) -> Result<Vec<CommittedChange>, Error> {
        let mut changes = ChangeSet::new();
        changes.create(&self.workspace.locate(path)?, b"new".to_vec())?;
        changes.commit(&|| false)
    }
}

/// A directory that takes no new files until this is dropped.
struct Closed<'a>(&'a Path);

impl Drop for Closed<'_> {
    fn drop(&mut self) {
        let _ = fs::set_permissions(self.0, Permissions::from_mode(0o755));
    }
}

#[test]
fn a_writable_file_in_a_directory_that_takes_no_new_ones_is_written_in_place() {
    let scene = scene();
    let path = scene.write("open.txt", 0o666);
    let inode = fs::metadata(&path).unwrap().ino();
    let done = {
        let _closed = scene.close(0o555);
        unprivileged(|| scene.update("open.txt")).unwrap()
    };
    assert!(done[0].in_place);
    assert_eq!(fs::read(&path).unwrap(), b"new");
    assert_eq!(fs::metadata(&path).unwrap().ino(), inode);
    assert_eq!(fs::read_dir(&scene.root).unwrap().count(), 1);
}

#[test]
fn a_file_that_may_not_be_written_is_refused_by_name() {
    if !geteuid().is_root() {
        // Its owner may always write again.
        return;
    }
    let scene = scene();
    scene.write("theirs.txt", 0o644);
    let error = unprivileged(|| scene.update("theirs.txt")).unwrap_err();
    assert_eq!(
        error.to_string(),
        "`theirs.txt` is read-only. Nothing was written. This process (user 65534) may not write `theirs.txt` (owner 0, mode 644). \
         Ask the user to change its permissions."
    );
}

#[test]
fn what_is_closed_is_named_with_the_right_that_is_missing_and_the_next_step() {
    if !geteuid().is_root() {
        // The sentences name the users.
        return;
    }
    let scene = scene();
    scene.write("private.txt", 0o000);
    for (name, mode) in [("private", 0o000), ("ro", 0o755), ("sticky", 0o1777)] {
        fs::create_dir(scene.root.join(name)).unwrap();
        scene.write(&format!("{name}/a.txt"), 0o666);
        fs::set_permissions(scene.root.join(name), Permissions::from_mode(mode)).unwrap();
    }
    let read = |path: &str| {
        let located = scene.workspace.locate(path)?;
        read_bytes(&located, 100).map(drop)
    };
    let list = |path: &str| {
        let located = scene.workspace.locate(path)?;
        located.list(10, &|| false).map(drop)
    };
    let said = unprivileged(|| {
        [
            read("private.txt"),
            read("private/a.txt"),
            list("private"),
            scene.create("private/b.txt").map(drop),
            scene.create("ro/b.txt").map(drop),
            scene.delete("ro/a.txt").map(drop),
            scene.delete("sticky/a.txt").map(drop),
        ]
        .map(|answer| answer.unwrap_err().to_string())
    });
    let denied = |tried: &str, right: &str, owner: &str, error: &str| {
        format!(
            "The operating system refused to {tried}: {error}. This process (user 65534) may not {right} (owner 0, mode {owner}). \
             Ask the user to change its permissions."
        )
    };
    let (access, not_permitted) = (
        "Permission denied (os error 13)",
        "Operation not permitted (os error 1)",
    );
    let names = "make, replace or remove anything in the directory `ro`";
    assert_eq!(
        said,
        [
            denied("open `private.txt`", "read `private.txt`", "0", access),
            denied(
                "resolve `private/a.txt`",
                "enter the directory `private`",
                "0",
                access
            ),
            denied(
                "list `private`",
                "list the directory `private`",
                "0",
                access
            ),
            denied(
                "resolve `private/b.txt`",
                "enter the directory `private`",
                "0",
                access
            ),
            denied("create `ro/b.txt`", names, "755", access),
            denied("delete `ro/a.txt`", names, "755", access),
            denied(
                "delete `sticky/a.txt`",
                "replace or remove files of others in the directory `sticky`",
                "1777",
                not_permitted
            ),
        ]
    );
}

#[test]
fn a_file_of_others_in_a_sticky_directory_is_written_in_place() {
    if !geteuid().is_root() {
        return;
    }
    let scene = scene();
    fs::create_dir(scene.root.join("sticky")).unwrap();
    let path = scene.write("sticky/a.txt", 0o666);
    fs::set_permissions(scene.root.join("sticky"), Permissions::from_mode(0o1777)).unwrap();
    let done = unprivileged(|| scene.update("sticky/a.txt")).unwrap();
    assert!(done[0].in_place);
    assert_eq!(fs::read(path).unwrap(), b"new");
}

#[test]
fn what_may_not_be_read_entered_or_made_is_reported_by_name() {
    let scene = scene();
    scene.write("private.txt", 0o000);
    fs::create_dir(scene.root.join("private")).unwrap();
    fs::set_permissions(scene.root.join("private"), Permissions::from_mode(0o000)).unwrap();
    let _closed = scene.close(0o555);
    let denied = |answer: Result<(), Error>| match answer {
        Err(Error::AccessDenied { path, action, .. }) => (path, action),
        other => panic!("{other:?}"),
    };
    let read = |path: &str| {
        let located = scene.workspace.locate(path)?;
        read_bytes(&located, 100).map(drop)
    };
    let reported = unprivileged(|| {
        [
            denied(read("private.txt")),
            denied(read("private/below.txt")),
            denied(scene.create("new.txt").map(drop)),
            denied(scene.create("new/directory.txt").map(drop)),
        ]
    });
    assert_eq!(
        reported,
        [
            ("private.txt".into(), "open"),
            ("private/below.txt".into(), "resolve"),
            ("new.txt".into(), "create"),
            ("new/directory.txt".into(), "create the directory of"),
        ]
    );
    fs::set_permissions(scene.root.join("private"), Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn a_file_of_ours_keeps_its_group_and_loses_rights_that_mean_another_owner() {
    if !geteuid().is_root() {
        // Nobody else can give files away.
        return;
    }
    let scene = scene();
    fs::set_permissions(&scene.root, Permissions::from_mode(0o777)).unwrap();
    let path = scene.write("shared", 0o666);
    chown(&path, Some(1234), Some(4321)).unwrap();
    fs::set_permissions(&path, Permissions::from_mode(0o6777)).unwrap();
    unprivileged(|| scene.update("shared")).unwrap();
    let metadata = fs::metadata(&path).unwrap();
    assert_eq!((metadata.uid(), metadata.mode() & 0o7777), (NOBODY, 0o777));
}
