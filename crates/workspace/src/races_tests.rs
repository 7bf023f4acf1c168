//! A path that is swapped for a link to the outside, again and again, while it is used.
#![cfg(target_os = "linux")]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::{ChangeSet, Error, Workspace, read_bytes};

const FOR: Duration = Duration::from_millis(800);

struct Scene {
    _directory: tempfile::TempDir,
    root: PathBuf,
    out: PathBuf,
    workspace: Workspace,
}

/// How directories are reached.
#[derive(Clone, Copy)]
enum Way {
    Kernel,
    Walk,
}

fn scene(way: Way) -> Scene {
    let directory = tempfile::tempdir().unwrap();
    let outer = directory.path().canonicalize().unwrap();
    let (root, out) = (outer.join("root"), outer.join("out"));
    for path in [root.join("dir"), out.clone()] {
        fs::create_dir_all(&path).unwrap();
    }
    fs::write(root.join("dir/file"), "inside").unwrap();
    fs::write(out.join("file"), "secret").unwrap();
    let workspace = match way {
        Way::Kernel => Workspace::open(&root, &[] as &[&str]).unwrap(),
        Way::Walk => Workspace::open_walking(&root, &[]).unwrap(),
    };
    Scene {
        _directory: directory,
        root,
        out,
        workspace,
    }
}

/// Swaps `place` and a link to `target` while `work` runs again and again; answers how often it ran.
fn swapping(place: &Path, target: &Path, mut work: impl FnMut()) -> usize {
    let aside = place.with_file_name("aside");
    symlink(target, &aside).unwrap();
    let done = AtomicBool::new(false);
    let mut rounds = 0;
    thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                let flags = rustix::fs::RenameFlags::EXCHANGE;
                rustix::fs::renameat_with(rustix::fs::CWD, &aside, rustix::fs::CWD, place, flags)
                    .unwrap();
            }
        });
        let start = Instant::now();
        while start.elapsed() < FOR {
            work();
            rounds += 1;
        }
        done.store(true, Ordering::Relaxed);
    });
    rounds
}

/// What may be answered while a path is swapped; anything else is a fault.
fn is_refusal(error: &Error) -> bool {
    matches!(
        error,
        Error::OutsideWorkspace { .. }
            | Error::Changed { .. }
            | Error::Stale { .. }
            | Error::NotADirectory { .. }
            | Error::NotAFile { .. }
            | Error::NotFound { .. }
    )
}

fn reads_stay_inside(way: Way, swapped: &str, target: &str) {
    let scene = scene(way);
    let mut read = 0;
    let read_both = || {
        let located = scene.workspace.locate("dir/file")?;
        if let Some(file) = located.open_if_cached(100) {
            assert_eq!(file.read_bytes(100)?.bytes(), b"inside");
        }
        read_bytes(&located, 100)
    };
    let rounds = swapping(
        &scene.root.join(swapped),
        &scene.out.join(target),
        || match read_both() {
            Ok(file) => {
                assert_eq!(file.bytes(), b"inside");
                read += 1;
            }
            Err(error) => assert!(is_refusal(&error), "{error:?}"),
        },
    );
    assert!(read > 0 && read < rounds, "{read} of {rounds}");
}

#[test]
fn a_file_swapped_for_a_link_is_never_read_outside() {
    for way in [Way::Kernel, Way::Walk] {
        reads_stay_inside(way, "dir/file", "file");
    }
}

#[test]
fn a_directory_swapped_for_a_link_is_never_read_outside() {
    for way in [Way::Kernel, Way::Walk] {
        reads_stay_inside(way, "dir", "");
    }
}

fn writes_stay_inside(way: Way, swapped: &str, target: &str) {
    let scene = scene(way);
    let mut written = 0_usize;
    let rounds = swapping(&scene.root.join(swapped), &scene.out.join(target), || {
        let update = || {
            let located = scene.workspace.locate("dir/file")?;
            let old = read_bytes(&located, 100)?;
            let mut changes = ChangeSet::new();
            changes.update(&old, format!("written {written}").into_bytes())?;
            changes.commit(&|| false)
        };
        let create = || {
            let located = scene.workspace.locate(&format!("dir/new/{written}"))?;
            let mut changes = ChangeSet::new();
            changes.create(&located, b"new".to_vec())?;
            changes.commit(&|| false)
        };
        for answer in [update(), create()] {
            match answer {
                Ok(_) => written += 1,
                Err(error) => assert!(
                    is_refusal(&error) || matches!(error, Error::AlreadyExists { .. }),
                    "{error:?}"
                ),
            }
        }
    });
    assert!(written > 0, "{written} of {rounds}");
    assert_eq!(fs::read(scene.out.join("file")).unwrap(), b"secret");
    assert_eq!(fs::read_dir(&scene.out).unwrap().count(), 1);
}

#[test]
fn a_file_swapped_for_a_link_is_never_written_outside() {
    for way in [Way::Kernel, Way::Walk] {
        writes_stay_inside(way, "dir/file", "file");
    }
}

#[test]
fn a_directory_swapped_for_a_link_is_never_written_outside() {
    for way in [Way::Kernel, Way::Walk] {
        writes_stay_inside(way, "dir", "");
    }
}
