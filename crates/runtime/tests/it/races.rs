//! A path that changes between file and link while tools work on it: nothing outside is ever read or written.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::json;

use crate::support::{Bench, text};

/// What stands outside and must neither show nor change.
const OUTSIDE: &str = "OUTSIDE SECRET\n";

/// Swaps a path between something inside and a link to the outside until it is asked to stop.
fn swap(path: &Path, outside: &Path, stop: &AtomicBool) {
    let (file, link) = (path.with_extension("file"), path.with_extension("link"));
    while !stop.load(Ordering::Relaxed) {
        // Each is put in the place by one rename, so that the path is never missing for long.
        if fs::write(&file, "inside\n").is_ok() {
            let _ = fs::rename(&file, path);
        }
        let _ = fs::remove_file(&link);
        if symlink(outside, &link).is_ok() {
            let _ = fs::rename(&link, path);
        }
    }
}

/// The same for a directory on the way.
fn swap_directory(directory: &Path, outside: &Path, stop: &AtomicBool) {
    let (real, link) = (
        directory.with_extension("real"),
        directory.with_extension("link"),
    );
    while !stop.load(Ordering::Relaxed) {
        if fs::rename(directory, &real).is_ok() && symlink(outside, directory).is_ok() {
            std::thread::yield_now();
            let _ = fs::remove_file(directory);
            let _ = fs::rename(&real, directory);
        }
        let _ = fs::remove_file(&link);
    }
}

/// 10 000 of each with `TENON_LONG_TESTS`, else a tenth.
fn rounds() -> usize {
    if std::env::var_os("TENON_LONG_TESTS").is_some() {
        10_000
    } else {
        1_000
    }
}

#[tokio::test]
async fn swapped_paths_lead_no_read_and_no_write_outside() {
    let outside = tempfile::tempdir().unwrap();
    let secret = outside.path().join("secret.txt");
    fs::write(&secret, OUTSIDE).unwrap();
    let bench = Bench::agent();
    bench
        .write("swapped.txt", "inside\n")
        .write("directory/secret.txt", "inside\n");
    let stop = Arc::new(AtomicBool::new(false));
    let (file, directory): (PathBuf, PathBuf) =
        (bench.path("swapped.txt"), bench.path("directory"));
    let threads = [
        std::thread::spawn({
            let (secret, stop) = (secret.clone(), stop.clone());
            move || swap(&file, &secret, &stop)
        }),
        std::thread::spawn({
            let (outside, stop) = (outside.path().to_owned(), stop.clone());
            move || swap_directory(&directory, &outside, &stop)
        }),
    ];
    let mut done = [0_usize; 2];
    // On a busy machine few calls meet a path that holds still; some of both kinds must.
    let is_enough = |round: usize, done: &[usize; 2]| {
        round >= rounds() && (!done.contains(&0) || round >= 50 * rounds())
    };
    let mut round = 0;
    while !is_enough(round, &done) {
        let path = ["swapped.txt", "directory/secret.txt"][round % 2];
        if let Ok(read) = bench.call("read", json!({ "file_path": path })).await {
            assert!(!text(&read).contains("OUTSIDE"), "{}", text(&read));
            done[0] += 1;
        }
        let content = format!("written {round}\n");
        let write = json!({ "file_path": path, "content": content });
        match bench.call("write", write).await {
            Ok(written) => {
                assert!(!written.details.to_string().contains("OUTSIDE"));
                done[1] += 1;
            }
            Err(error) => {
                let reported = format!("{} {:?}", error.message, error.details);
                assert!(!reported.contains("OUTSIDE"), "{reported}");
            }
        }
        if round % 100 == 0 {
            assert_eq!(fs::read_to_string(&secret).unwrap(), OUTSIDE);
        }
        round += 1;
    }
    stop.store(true, Ordering::Relaxed);
    for thread in threads {
        thread.join().unwrap();
    }
    assert_eq!(fs::read_to_string(&secret).unwrap(), OUTSIDE);
    assert_eq!(crate::support::entries(outside.path()), ["secret.txt"]);
    assert!(done[0] > 0 && done[1] > 0, "{done:?} came through");
}
