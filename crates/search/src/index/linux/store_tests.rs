use std::fs::Permissions;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;
use std::thread;
use std::time::SystemTime;

use super::*;

const BASE: &str = "/base";

fn scene() -> (tempfile::TempDir, PathBuf) {
    let scene = tempfile::tempdir().unwrap();
    let directory = scene.path().canonicalize().unwrap().join("state/indexes");
    (scene, directory)
}

fn keep(directory: &Path, content: &[u8]) -> io::Result<()> {
    save(directory, Path::new(BASE), Path::new(BASE), content)
}

fn kept(directory: &Path) -> Option<Vec<u8>> {
    load(directory, Path::new(BASE), Path::new(BASE))
}

fn mode(path: &Path) -> u32 {
    path.metadata().unwrap().permissions().mode() & 0o777
}

fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap();
    entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect()
}

#[test]
fn directories_and_files_are_made_for_this_user_alone() {
    let (_scene, directory) = scene();
    keep(&directory, b"content").unwrap();
    assert_eq!(kept(&directory).as_deref(), Some(&b"content"[..]));
    let file = directory.join(name(Path::new(BASE), Path::new(BASE)));
    let above = directory.parent().unwrap();
    assert_eq!(
        [mode(&file), mode(&directory), mode(above)],
        [0o600, 0o700, 0o700]
    );
}

#[test]
fn a_directory_that_others_can_enter_or_that_is_a_link_is_not_used() {
    let (scene, directory) = scene();
    keep(&directory, b"content").unwrap();
    for open in [0o710, 0o705, 0o770] {
        fs::set_permissions(&directory, Permissions::from_mode(open)).unwrap();
        assert_eq!(kept(&directory), None);
        assert!(keep(&directory, b"other").is_err());
        assert_eq!(names(&directory).len(), 1);
    }
    fs::set_permissions(&directory, Permissions::from_mode(0o700)).unwrap();
    assert!(kept(&directory).is_some());
    let link = scene.path().join("link");
    symlink(&directory, &link).unwrap();
    assert_eq!(kept(&link), None);
    assert!(keep(&link, b"other").is_err());
}

#[test]
fn what_lies_in_the_place_of_the_file_is_neither_followed_nor_written_to() {
    let (scene, directory) = scene();
    keep(&directory, b"content").unwrap();
    let file = directory.join(name(Path::new(BASE), Path::new(BASE)));
    let other = scene.path().join("other");
    fs::write(&other, "other").unwrap();
    fs::set_permissions(&other, Permissions::from_mode(0o600)).unwrap();
    fs::remove_file(&file).unwrap();
    symlink(&other, &file).unwrap();
    assert_eq!(kept(&directory), None);
    keep(&directory, b"content").unwrap();
    fs::remove_file(&file).unwrap();
    fs::hard_link(&other, &file).unwrap();
    keep(&directory, b"content").unwrap();
    assert_eq!(kept(&directory).as_deref(), Some(&b"content"[..]));
    assert_eq!(fs::read(&other).unwrap(), b"other");
    // A FIFO is not waited for, and a directory not replaced.
    fs::remove_file(&file).unwrap();
    rustix::fs::mknodat(CWD, &file, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
    assert_eq!(kept(&directory), None);
    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    assert_eq!(kept(&directory), None);
    assert!(keep(&directory, b"content").is_err());
    // Nothing is left of the attempt.
    assert_eq!(names(&directory).len(), 1);
}

#[test]
fn a_file_that_is_too_large_is_neither_read_nor_written() {
    let (_scene, directory) = scene();
    keep(&directory, b"content").unwrap();
    let file = directory.join(name(Path::new(BASE), Path::new(BASE)));
    let opened = File::options().write(true).open(&file).unwrap();
    opened.set_len(MAX_FILE_BYTES + 1).unwrap();
    assert_eq!(kept(&directory), None);
}

#[test]
fn what_was_left_unfinished_or_is_old_goes_and_what_is_large_does_not_count_round() {
    let (_scene, directory) = scene();
    keep(&directory, b"content").unwrap();
    let aged = |name: &str, age: Duration, bytes: u64| {
        let file = File::create(directory.join(name)).unwrap();
        file.set_len(bytes).unwrap();
        file.set_modified(SystemTime::now() - age).unwrap();
    };
    aged("1-1-0.index-part", LEFT * 2, 1);
    aged("1-1-1.index-part", LEFT / 2, 1);
    aged("old.index", KEPT * 2, 1);
    aged("recent.index", KEPT / 2, 1);
    aged("notes.txt", KEPT * 2, 1);
    aged("large.index", KEPT / 2 + LEFT, 1 << 42);
    keep(&directory, b"content").unwrap();
    let mut names = names(&directory);
    names.sort();
    let ours = name(Path::new(BASE), Path::new(BASE));
    let mut left = ["1-1-1.index-part", "notes.txt", "recent.index", &ours];
    left.sort_unstable();
    assert_eq!(names, left);
}

#[test]
fn of_many_who_write_at_once_one_is_read_whole() {
    let (_scene, directory) = scene();
    let contents: Vec<Vec<u8>> = (1..5).map(|byte| vec![byte; 300_000]).collect();
    keep(&directory, &contents[0]).unwrap();
    thread::scope(|scope| {
        for content in &contents {
            let directory = &directory;
            scope.spawn(move || {
                for _ in 0..20 {
                    keep(directory, content).unwrap();
                }
            });
        }
        for _ in 0..100 {
            let read = kept(&directory).unwrap();
            assert!(contents.contains(&read));
        }
    });
    assert_eq!(names(&directory).len(), 1);
}
