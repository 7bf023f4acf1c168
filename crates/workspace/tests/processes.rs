//! Two processes that change one file.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tenon_workspace::{ChangeSet, Durability, Error, Workspace, lock_paths_blocking, read_bytes};

/// Names the directory for a test that runs as another process.
const DIRECTORY: &str = "TENON_TEST_LOCK_DIRECTORY";
const TURNS: usize = 200;

fn directory() -> Option<PathBuf> {
    std::env::var_os(DIRECTORY).map(PathBuf::from)
}

/// This test binary once more, with this one test.
fn other(test: &str, directory: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test, "--include-ignored"])
        .env(DIRECTORY, directory)
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

fn count_up(directory: &Path) {
    let workspace = Workspace::open(directory, &[] as &[&str]).unwrap();
    let counter = workspace.locate("counter").unwrap();
    for _ in 0..TURNS {
        let guard = lock_paths_blocking([counter.target().to_owned()], &|| false).unwrap();
        let old = read_bytes(&counter, 100).unwrap();
        let number: usize = String::from_utf8_lossy(old.bytes()).parse().unwrap();
        let mut changes = ChangeSet::new().with_durability(Durability::Unsynced);
        changes
            .update(&old, (number + 1).to_string().into_bytes())
            .unwrap();
        changes.commit(&|| false).unwrap();
        drop(guard);
    }
}

#[test]
#[ignore = "the other process of a_file_that_two_processes_count_up_loses_no_turn"]
fn another_process_counts_up() {
    if let Some(directory) = directory() {
        count_up(&directory);
    }
}

#[test]
#[ignore = "the other process of a_process_that_is_killed_gives_its_locks_back"]
fn another_process_holds_the_lock() {
    if let Some(directory) = directory() {
        let _guard = lock_paths_blocking([directory.join("held")], &|| false).unwrap();
        fs::write(directory.join("ready"), "").unwrap();
        std::thread::sleep(Duration::from_secs(60));
    }
}

#[test]
fn a_file_that_two_processes_count_up_loses_no_turn() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("counter"), "0").unwrap();
    let mut others: Vec<_> = (0..2)
        .map(|_| other("another_process_counts_up", directory.path()))
        .collect();
    count_up(directory.path());
    for child in &mut others {
        assert!(child.wait().unwrap().success());
    }
    let counted = fs::read_to_string(directory.path().join("counter")).unwrap();
    assert_eq!(counted, (3 * TURNS).to_string());
    // No lock was left beside the file.
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
}

#[test]
fn a_process_that_is_killed_gives_its_locks_back() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("held");
    let mut holder = other("another_process_holds_the_lock", directory.path());
    let start = Instant::now();
    while !directory.path().join("ready").exists() {
        assert!(start.elapsed() < Duration::from_secs(20));
        std::thread::sleep(Duration::from_millis(5));
    }
    let waiting = Instant::now();
    let answer = lock_paths_blocking([path.clone()], &|| {
        waiting.elapsed() > Duration::from_millis(50)
    });
    assert!(matches!(answer, Err(Error::Cancelled)), "{answer:?}");
    holder.kill().unwrap();
    holder.wait().unwrap();
    drop(lock_paths_blocking([path], &|| false).unwrap());
}
