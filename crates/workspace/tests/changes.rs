//! What a set of changes does to files, and what it leaves alone.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "helpers of tests"
)]

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use tenon_contract::ChangeKind;
use tenon_workspace::{
    ChangeSet, CommittedChange, Error, FileSnapshot, Workspace, read_bytes, read_text,
};

struct Scene {
    _directory: tempfile::TempDir,
    root: PathBuf,
    workspace: Workspace,
}

fn scene() -> Scene {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().canonicalize().unwrap();
    let workspace = Workspace::open(&root, &[] as &[&str]).unwrap();
    Scene {
        _directory: directory,
        root,
        workspace,
    }
}

impl Scene {
    fn write(&self, path: &str, content: &str) -> PathBuf {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    }

    fn read(&self, path: &str) -> FileSnapshot {
        read_bytes(&self.workspace.locate(path).unwrap(), 1 << 20).unwrap()
    }

    fn update(&self, path: &str, content: &str) -> Result<Vec<CommittedChange>, Error> {
        let mut changes = ChangeSet::new();
        changes.update(&self.read(path), content.into())?;
        changes.commit(&|| false)
    }

    fn delete(&self, path: &str) -> Result<Vec<CommittedChange>, Error> {
        let mut changes = ChangeSet::new();
        changes.delete(&self.read(path))?;
        changes.commit(&|| false)
    }

    /// Every path beneath the root, directories with `/`.
    fn tree(&self) -> Vec<String> {
        fn walk(directory: &Path, root: &Path, found: &mut Vec<String>) {
            for entry in fs::read_dir(directory).unwrap() {
                let path = entry.unwrap().path();
                let name = path.strip_prefix(root).unwrap().to_str().unwrap();
                if path.is_dir() && !path.is_symlink() {
                    found.push(format!("{name}/"));
                    walk(&path, root, found);
                } else {
                    found.push(name.to_owned());
                }
            }
        }
        let mut found = Vec::new();
        walk(&self.root, &self.root, &mut found);
        found.sort();
        found
    }
}

fn change(path: &str, kind: ChangeKind, bytes: u64) -> CommittedChange {
    CommittedChange {
        path: path.into(),
        kind,
        from: None,
        bytes,
        in_place: false,
        other_names: 0,
    }
}

#[test]
fn a_set_creates_updates_deletes_and_moves_files_together() {
    let scene = scene();
    scene.write("update.txt", "old");
    scene.write("delete.txt", "gone");
    scene.write("move.txt", "moved");
    let mut changes = ChangeSet::new();
    let new = scene.workspace.locate("new/deep/created.txt").unwrap();
    changes.create(&new, b"created".to_vec()).unwrap();
    changes
        .update(&scene.read("update.txt"), b"updated".to_vec())
        .unwrap();
    changes.delete(&scene.read("delete.txt")).unwrap();
    let to = scene.workspace.locate("new/moved.txt").unwrap();
    changes.rename(&scene.read("move.txt"), &to, None).unwrap();

    let planned: Vec<_> = changes
        .preview()
        .map(|change| {
            (
                change.claim.name.clone(),
                change.kind,
                change.old.map(<[u8]>::len),
            )
        })
        .collect();
    assert_eq!(
        planned,
        [
            ("new/deep/created.txt".into(), ChangeKind::Create, None),
            ("update.txt".into(), ChangeKind::Update, Some(3)),
            ("delete.txt".into(), ChangeKind::Delete, Some(4)),
            ("new/moved.txt".into(), ChangeKind::Move, Some(5)),
        ]
    );
    assert_eq!(
        changes.commit(&|| false).unwrap(),
        [
            change("new/deep/created.txt", ChangeKind::Create, 7),
            change("update.txt", ChangeKind::Update, 7),
            change("delete.txt", ChangeKind::Delete, 0),
            CommittedChange {
                from: Some("move.txt".into()),
                ..change("new/moved.txt", ChangeKind::Move, 5)
            },
        ]
    );
    assert_eq!(
        scene.tree(),
        [
            "new/",
            "new/deep/",
            "new/deep/created.txt",
            "new/moved.txt",
            "update.txt"
        ]
    );
    assert_eq!(fs::read(scene.root.join("update.txt")).unwrap(), b"updated");
    assert_eq!(
        fs::read(scene.root.join("new/moved.txt")).unwrap(),
        b"moved"
    );
}

#[test]
fn the_answer_serialises_with_the_names_of_the_documentation() {
    let value = serde_json::to_value(change("a", ChangeKind::Update, 1)).unwrap();
    let expected = serde_json::json!({"path": "a", "kind": "update", "bytes": 1, "inPlace": false, "otherNames": 0});
    assert_eq!(value, expected);
}

#[test]
fn mode_owner_and_attributes_stay() {
    let scene = scene();
    let path = scene.write("script.sh", "old");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o750)).unwrap();
    let is_root = rustix::process::geteuid().is_root();
    if is_root {
        std::os::unix::fs::chown(&path, Some(1234), Some(4321)).unwrap();
    }
    let attribute =
        rustix::fs::setxattr(&path, "user.note", b"kept", rustix::fs::XattrFlags::empty());
    scene.update("script.sh", "new").unwrap();
    let metadata = fs::metadata(&path).unwrap();
    assert_eq!(metadata.mode() & 0o7777, 0o750);
    if is_root {
        assert_eq!((metadata.uid(), metadata.gid()), (1234, 4321));
    }
    if attribute.is_ok() {
        let mut value = [0; 16];
        let length = rustix::fs::getxattr(&path, "user.note", &mut value).unwrap();
        assert_eq!(&value[..length], b"kept");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_changed_file_takes_no_access_list_over_from_its_directory() {
    const LIST: &str = "system.posix_acl_access";
    /// An access list of acl(5): owner, this user, group, mask, others.
    fn list(user: u32) -> Vec<u8> {
        let entries = [
            (1_u16, 6_u16, u32::MAX),
            (2, 6, user),
            (4, 4, u32::MAX),
            (16, 6, u32::MAX),
            (32, 0, u32::MAX),
        ];
        let mut bytes = 2_u32.to_le_bytes().to_vec();
        for (tag, rights, id) in entries {
            bytes.extend(tag.to_le_bytes());
            bytes.extend(rights.to_le_bytes());
            bytes.extend(id.to_le_bytes());
        }
        bytes
    }
    let scene = scene();
    let [plain, listed] = ["d/plain", "d/listed"].map(|name| scene.write(name, "old"));
    let set = |path: &Path, name: &str, value: &[u8]| {
        rustix::fs::setxattr(path, name, value, rustix::fs::XattrFlags::empty())
    };
    if set(&listed, LIST, &list(1001)).is_err() {
        return; // No lists on this file system.
    }
    set(
        &scene.root.join("d"),
        "system.posix_acl_default",
        &list(1002),
    )
    .unwrap();
    fs::set_permissions(&plain, fs::Permissions::from_mode(0o640)).unwrap();
    scene.update("d/plain", "new").unwrap();
    scene.update("d/listed", "new").unwrap();
    let get = |path: &Path| {
        let mut room = [0; 256];
        let length = rustix::fs::getxattr(path, LIST, &mut room)?;
        Ok(room[..length].to_vec())
    };
    assert_eq!(get(&plain), Err(rustix::io::Errno::NODATA));
    assert_eq!(get(&listed), Ok(list(1001)));
    assert_eq!(fs::metadata(&plain).unwrap().mode() & 0o7777, 0o640);
}

#[test]
fn a_new_file_has_the_mode_that_the_umask_leaves() {
    let scene = scene();
    let control = scene.write("control", "");
    let mut changes = ChangeSet::new();
    changes
        .create(&scene.workspace.locate("new").unwrap(), Vec::new())
        .unwrap();
    changes.commit(&|| false).unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().mode();
    assert_eq!(mode(&scene.root.join("new")), mode(&control));
}

#[test]
fn a_link_is_written_through_and_stays_a_link() {
    let scene = scene();
    scene.write("real/target.txt", "old");
    symlink("real/target.txt", scene.root.join("link.txt")).unwrap();
    let done = scene.update("link.txt", "new").unwrap();
    assert_eq!(done, [change("link.txt", ChangeKind::Update, 3)]);
    assert_eq!(
        fs::read_link(scene.root.join("link.txt")).unwrap(),
        Path::new("real/target.txt")
    );
    assert_eq!(
        fs::read(scene.root.join("real/target.txt")).unwrap(),
        b"new"
    );
}

#[test]
fn a_link_that_leads_nowhere_yet_gets_its_target() {
    let scene = scene();
    symlink("made/here.txt", scene.root.join("link.txt")).unwrap();
    let mut changes = ChangeSet::new();
    let link = scene.workspace.locate("link.txt").unwrap();
    changes.create(&link, b"new".to_vec()).unwrap();
    changes.commit(&|| false).unwrap();
    assert_eq!(scene.tree(), ["link.txt", "made/", "made/here.txt"]);
    assert_eq!(fs::read(scene.root.join("link.txt")).unwrap(), b"new");
}

#[test]
fn other_names_of_a_file_keep_the_old_content_and_are_reported() {
    let scene = scene();
    let outside = tempfile::tempdir().unwrap();
    let path = scene.write("one.txt", "old content");
    fs::hard_link(&path, scene.root.join("two.txt")).unwrap();
    fs::hard_link(&path, outside.path().join("three.txt")).unwrap();
    let done = scene.update("one.txt", "short").unwrap();
    assert_eq!(
        done,
        [CommittedChange {
            other_names: 2,
            ..change("one.txt", ChangeKind::Update, 5)
        }]
    );
    assert_eq!(fs::read(&path).unwrap(), b"short");
    for other in [scene.root.join("two.txt"), outside.path().join("three.txt")] {
        assert_eq!(fs::read(&other).unwrap(), b"old content");
        assert_eq!(fs::metadata(&other).unwrap().nlink(), 2);
    }
    assert_eq!(scene.tree(), ["one.txt", "two.txt"]);
}

#[test]
fn a_read_only_file_is_refused_by_name_also_for_root() {
    let scene = scene();
    let path = scene.write("locked.txt", "old");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
    let error = scene.update("locked.txt", "new").unwrap_err();
    assert_eq!(
        error.to_string(),
        "`locked.txt` is read-only. Nothing was written; make it writable first if it should be changed."
    );
    assert_eq!(fs::read(&path).unwrap(), b"old");
    assert_eq!(scene.tree(), ["locked.txt"]);
}

#[test]
fn a_file_that_changed_since_it_was_read_is_refused_and_nothing_is_written() {
    let scene = scene();
    let first = scene.write("first.txt", "first");
    let path = scene.write("second.txt", "second");
    let mut changes = ChangeSet::new();
    changes
        .update(&scene.read("first.txt"), b"changed".to_vec())
        .unwrap();
    changes
        .update(&scene.read("second.txt"), b"changed".to_vec())
        .unwrap();
    fs::write(&path, "sec0nd").unwrap();
    let error = changes.clone().commit(&|| false).unwrap_err();
    assert!(
        matches!(&error, Error::Stale { path } if path == "second.txt"),
        "{error:?}"
    );
    fs::remove_file(&path).unwrap();
    let error = changes.commit(&|| false).unwrap_err();
    assert!(
        matches!(&error, Error::Stale { path } if path == "second.txt"),
        "{error:?}"
    );
    assert_eq!(fs::read(&first).unwrap(), b"first");
    assert_eq!(scene.tree(), ["first.txt"]);
}

#[test]
fn a_new_file_never_replaces_one() {
    let scene = scene();
    scene.write("there.txt", "there");
    let located = scene.workspace.locate("there.txt").unwrap();
    let mut changes = ChangeSet::new();
    let error = changes.create(&located, Vec::new()).unwrap_err();
    assert!(matches!(error, Error::AlreadyExists { .. }));

    let located = scene.workspace.locate("late/file.txt").unwrap();
    changes.create(&located, b"ours".to_vec()).unwrap();
    scene.write("late/file.txt", "theirs");
    let error = changes.commit(&|| false).unwrap_err();
    assert!(matches!(error, Error::AlreadyExists { .. }));
    assert_eq!(scene.tree(), ["late/", "late/file.txt", "there.txt"]);
    assert_eq!(
        fs::read(scene.root.join("late/file.txt")).unwrap(),
        b"theirs"
    );
}

#[test]
fn one_file_takes_one_change() {
    let scene = scene();
    scene.write("a", "");
    symlink("a", scene.root.join("b")).unwrap();
    let mut changes = ChangeSet::new();
    changes.update(&scene.read("a"), Vec::new()).unwrap();
    let error = changes.delete(&scene.read("b")).unwrap_err();
    assert!(matches!(error, Error::DoubleChange { .. }));
}

#[test]
fn directories_and_roots_cannot_become_files() {
    let scene = scene();
    scene.write("directory/file", "");
    for path in [".", "directory", "new/", "new/."] {
        let located = scene.workspace.locate(path).unwrap();
        let error = ChangeSet::new().create(&located, Vec::new()).unwrap_err();
        assert!(
            matches!(
                error,
                Error::NotAFile { .. } | Error::AlreadyExists { .. } | Error::InvalidPath { .. }
            ),
            "{path}: {error:?}"
        );
    }
    let located = scene.workspace.locate("directory/file/below").unwrap();
    let mut changes = ChangeSet::new();
    let error = changes.create(&located, Vec::new()).unwrap_err();
    assert!(matches!(error, Error::NotADirectory { .. }), "{error:?}");
}

#[test]
fn an_aborted_commit_leaves_nothing() {
    let scene = scene();
    scene.write("a.txt", "old");
    let mut changes = ChangeSet::new();
    changes
        .create(&scene.workspace.locate("x/y/z").unwrap(), Vec::new())
        .unwrap();
    changes
        .update(&scene.read("a.txt"), b"new".to_vec())
        .unwrap();
    let looks = std::cell::Cell::new(0);
    let cancelled = || {
        looks.set(looks.get() + 1);
        looks.get() > 2
    };
    assert!(matches!(changes.commit(&cancelled), Err(Error::Cancelled)));
    assert_eq!(scene.tree(), ["a.txt"]);
    assert_eq!(fs::read(scene.root.join("a.txt")).unwrap(), b"old");
}

#[test]
fn the_hash_of_a_plan_depends_on_all_of_it() {
    let scene = scene();
    scene.write("a", "old");
    scene.write("b", "old");
    let plan = |path: &str, content: &str| {
        let mut changes = ChangeSet::new();
        changes.update(&scene.read(path), content.into()).unwrap();
        changes.plan_hash()
    };
    assert_eq!(plan("a", "new"), plan("a", "new"));
    assert_ne!(plan("a", "new"), plan("a", "other"));
    assert_ne!(plan("a", "new"), plan("b", "new"));
    scene.write("a", "changed");
    assert_ne!(plan("a", "new"), plan("b", "new"));
}

#[test]
fn a_replaced_text_keeps_the_byte_order_mark_and_takes_line_ends_as_given() {
    let scene = scene();
    scene.write("marked.txt", "\u{FEFF}one\r\ntwo\r\n");
    let file = read_text(&scene.workspace.locate("marked.txt").unwrap(), 1000).unwrap();
    let mut changes = ChangeSet::new();
    changes
        .update(file.snapshot(), file.replace("three\n").unwrap())
        .unwrap();
    changes.commit(&|| false).unwrap();
    let bytes = fs::read(scene.root.join("marked.txt")).unwrap();
    assert_eq!(bytes, "\u{FEFF}three\n".as_bytes());
}

#[test]
fn a_file_over_the_limit_is_refused_with_its_size() {
    let scene = scene();
    scene.write("big", "0123456789");
    let error = read_bytes(&scene.workspace.locate("big").unwrap(), 9).unwrap_err();
    assert!(
        matches!(
            error,
            Error::TooLarge {
                size: 10,
                limit: 9,
                ..
            }
        ),
        "{error:?}"
    );
}

/// Sets or takes away an attribute; false where that is not possible, as without the rights of root.
#[cfg(target_os = "linux")]
fn chattr(change: &str, path: &Path) -> bool {
    let done = std::process::Command::new("chattr")
        .arg(change)
        .arg(path)
        .output();
    done.is_ok_and(|done| done.status.success())
}

#[cfg(target_os = "linux")]
#[test]
fn an_attribute_that_keeps_a_file_or_a_directory_is_named() {
    let scene = scene();
    let file = scene.write("f", "old");
    scene.write("kept/inner", "old");
    let directory = scene.root.join("kept");
    for (letter, kind) in [("i", "immutable"), ("a", "append-only")] {
        if !chattr(&format!("+{letter}"), &file) || !chattr(&format!("+{letter}"), &directory) {
            chattr(&format!("-{letter}"), &file);
            println!("skipped: no attributes can be set here");
            return;
        }
        let reported = |error: Error| error.to_string();
        let of_file = scene.update("f", "new").map_err(reported);
        // What is in it can be written in place, but not removed.
        let of_directory = scene.delete("kept/inner").map_err(reported);
        chattr(&format!("-{letter}"), &file);
        chattr(&format!("-{letter}"), &directory);
        for (refused, name) in [(of_file, "f"), (of_directory, "kept")] {
            let expected = format!(
                "`{name}` is {kind} (attribute `{letter}` of its file system), whatever its permissions. Ask the user to remove that with \
                 `chattr -{letter}`."
            );
            let refused = refused.unwrap_err();
            assert!(refused.ends_with(&expected), "{refused}");
        }
    }
}
