//! Whose lock directory is believed, and how paths share lock files.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use super::*;

#[test]
fn a_directory_that_is_not_ours_alone_is_not_believed() {
    let directory = tempfile::tempdir().unwrap();
    let fresh = directory.path().join("fresh");
    assert!(system::Directory::open_at(&fresh).is_some());
    assert_eq!(
        fresh.metadata().unwrap().permissions().mode() & 0o7777,
        0o700
    );
    assert!(system::Directory::open_at(&fresh).is_some());
    let link = directory.path().join("link");
    symlink(&fresh, &link).unwrap();
    assert!(system::Directory::open_at(&link).is_none());
    fs::set_permissions(&fresh, PermissionsExt::from_mode(0o770)).unwrap();
    assert!(system::Directory::open_at(&fresh).is_none());
    let file = directory.path().join("file");
    fs::write(&file, "").unwrap();
    assert!(system::Directory::open_at(&file).is_none());
}

#[test]
fn paths_that_meet_in_one_lock_file_are_locked_by_one_call() {
    let directory = tempfile::tempdir().unwrap();
    let locks = system::Directory::open_at(&directory.path().join("locks")).unwrap();
    let paths: Vec<PathBuf> = (0..5000).map(|name| format!("/{name}").into()).collect();
    let slots = slots(&paths);
    assert!(slots.len() < paths.len() && slots.is_sorted());
    let held = ProcessLocks::try_take_in(&locks, &paths).unwrap();
    assert!(matches!(locks.lock(slots[0]), system::Answer::Busy));
    drop(held);
    assert!(matches!(locks.lock(slots[0]), system::Answer::Held(_)));
}

#[test]
fn a_call_of_the_same_process_on_another_file_is_never_taken_for_another_process() {
    let directory = tempfile::tempdir().unwrap();
    let locks = system::Directory::open_at(&directory.path().join("locks")).unwrap();
    // So many files that every lock file is held: any other path meets one of them.
    let many: Vec<PathBuf> = (0..60_000).map(|name| format!("/{name}").into()).collect();
    let held = ProcessLocks::try_take_in(&locks, &many).unwrap();
    let other = [PathBuf::from("/other")];
    let second = ProcessLocks::try_take_in(&locks, &other).unwrap();
    let slot = slots(&other)[0];
    // Both hold it, and it goes back with the last.
    drop(held);
    assert!(matches!(locks.lock(slot), system::Answer::Busy));
    drop(second);
    assert!(matches!(locks.lock(slot), system::Answer::Held(_)));
}

#[test]
fn what_was_taken_before_a_busy_lock_is_given_back() {
    let directory = tempfile::tempdir().unwrap();
    let locks = system::Directory::open_at(&directory.path().join("locks")).unwrap();
    let paths: Vec<PathBuf> = (0..50).map(|name| format!("/{name}").into()).collect();
    let slots = slots(&paths);
    let system::Answer::Held(others) = locks.lock(slots[49]) else {
        panic!("nobody holds it");
    };
    assert!(ProcessLocks::try_take_in(&locks, &paths).is_none());
    assert!(matches!(locks.lock(slots[0]), system::Answer::Held(_)));
    drop(others);
    assert!(ProcessLocks::try_take_in(&locks, &paths).is_some());
}
