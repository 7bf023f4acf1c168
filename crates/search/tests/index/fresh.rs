//! One kind of change at a time, each seen by the very next answer.

use std::fs::{self, OpenOptions};
use std::io::{Seek, Write};
use std::path::PathBuf;

use tempfile::TempDir;
use tenon_search::{Control, FindRequest, GrepRequest, Index, Pattern, Scope};

use crate::compare::{index, warm};

struct Warm {
    _directory: TempDir,
    root: PathBuf,
    index: Index,
}

impl Warm {
    fn new(files: &[(&str, &str)]) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap().join("root");
        for (path, text) in files {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let index = index();
        warm(&index, &root);
        Self {
            _directory: directory,
            root,
            index,
        }
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Files with a match, and that it was the index that reported.
    fn matching(&self, pattern: &str) -> Vec<String> {
        let scope = Scope::new(&self.root, &self.root);
        let request = GrepRequest::new(scope, Pattern::new(pattern));
        let before = self.index.served();
        let output = self.index.grep(&request, &Control::default()).unwrap();
        assert_eq!(self.index.served(), before + 1, "the plain search answered");
        output.files.into_iter().map(|file| file.path).collect()
    }

    fn names(&self, pattern: &str) -> Vec<String> {
        let request = FindRequest::new(Scope::new(&self.root, &self.root), pattern);
        let before = self.index.served();
        let output = self.index.find(&request, &Control::default()).unwrap();
        assert_eq!(self.index.served(), before + 1, "the plain search answered");
        output.entries.into_iter().map(|found| found.path).collect()
    }
}

const FILES: &[(&str, &str)] = &[
    ("a.txt", "needle\n"),
    ("src/b.rs", "other text\n"),
    ("src/deep/c.rs", "needle again\n"),
    ("lib/d.rs", "nothing here\n"),
];

#[test]
fn a_write_in_place_and_an_append_are_seen() {
    let warm = Warm::new(FILES);
    assert_eq!(warm.matching("needle"), ["a.txt", "src/deep/c.rs"]);
    let mut file = OpenOptions::new()
        .write(true)
        .open(warm.root.join("src/b.rs"))
        .unwrap();
    file.write_all(b"needle text").unwrap();
    assert_eq!(
        warm.matching("needle"),
        ["a.txt", "src/b.rs", "src/deep/c.rs"]
    );
    file.rewind().unwrap();
    file.write_all(b"absent text").unwrap();
    assert_eq!(warm.matching("needle"), ["a.txt", "src/deep/c.rs"]);
    let mut file = OpenOptions::new()
        .append(true)
        .open(warm.root.join("lib/d.rs"))
        .unwrap();
    file.write_all(b"a needle\n").unwrap();
    assert_eq!(
        warm.matching("needle"),
        ["a.txt", "lib/d.rs", "src/deep/c.rs"]
    );
}

#[test]
fn files_and_directories_that_come_go_and_move_are_seen() {
    let warm = Warm::new(FILES);
    warm.write("new/directory/of/some/depth.txt", "needle\n");
    assert_eq!(warm.matching("needle").len(), 3);
    warm.write("new/directory/of/other.txt", "needle\n");
    assert_eq!(warm.matching("needle").len(), 4);
    fs::rename(warm.root.join("src"), warm.root.join("moved")).unwrap();
    warm.write("moved/deep/e.rs", "needle\n");
    assert_eq!(
        warm.names("moved/**"),
        ["moved/b.rs", "moved/deep/c.rs", "moved/deep/e.rs"]
    );
    fs::remove_dir_all(warm.root.join("new")).unwrap();
    fs::rename(warm.root.join("a.txt"), warm.root.join("lib/d.rs")).unwrap();
    assert_eq!(
        warm.matching("needle"),
        ["lib/d.rs", "moved/deep/c.rs", "moved/deep/e.rs"]
    );
}

#[test]
fn changed_ignore_files_are_seen_wherever_they_lie() {
    let warm = Warm::new(FILES);
    warm.write(".gitignore", "*.txt\n");
    assert_eq!(warm.matching("needle"), ["src/deep/c.rs"]);
    warm.write("src/.ignore", "deep\n");
    assert_eq!(warm.matching("needle"), [""; 0]);
    warm.write("src/.rgignore", "!deep\n");
    fs::remove_file(warm.root.join(".gitignore")).unwrap();
    assert_eq!(warm.matching("needle"), ["a.txt", "src/deep/c.rs"]);
    // Above the root, where nothing is watched.
    fs::write(warm.root.join("../.gitignore"), "a.*\n").unwrap();
    assert_eq!(warm.matching("needle"), ["src/deep/c.rs"]);
    // With a `.git` a repository begins at the root, and what lies above is not of it.
    warm.write(".git/info/exclude", "c.rs\n");
    assert_eq!(warm.matching("needle"), ["a.txt"]);
    warm.write(".git/info/exclude", "d.rs\n");
    fs::remove_file(warm.root.join("../.gitignore")).unwrap();
    assert_eq!(
        warm.names("*"),
        [
            "a.txt",
            "src/.ignore",
            "src/.rgignore",
            "src/b.rs",
            "src/deep/c.rs"
        ]
    );
}

#[test]
fn a_repository_that_begins_or_is_gone_within_is_seen() {
    let warm = Warm::new(FILES);
    warm.write(".gitignore", "*.rs\n");
    warm.write(".git/info/exclude", "*.txt\n");
    warm.write("src/e.txt", "needle\n");
    assert_eq!(warm.matching("needle"), [""; 0]);
    warm.write("src/.git/HEAD", "");
    assert_eq!(warm.matching("needle"), ["src/deep/c.rs", "src/e.txt"]);
    fs::remove_dir_all(warm.root.join("src/.git")).unwrap();
    assert_eq!(warm.matching("needle"), [""; 0]);
    warm.write("src/deep/.git", "gitdir: elsewhere\n");
    assert_eq!(warm.matching("needle"), ["src/deep/c.rs"]);
    fs::remove_file(warm.root.join("src/deep/.git")).unwrap();
    assert_eq!(warm.matching("needle"), [""; 0]);
}

#[test]
fn a_write_through_another_name_of_a_file_is_seen() {
    let warm = Warm::new(FILES);
    fs::hard_link(warm.root.join("lib/d.rs"), warm.root.join("e.txt")).unwrap();
    OpenOptions::new()
        .append(true)
        .open(warm.root.join("e.txt"))
        .unwrap()
        .write_all(b"needle\n")
        .unwrap();
    assert_eq!(
        warm.matching("needle"),
        ["a.txt", "e.txt", "lib/d.rs", "src/deep/c.rs"]
    );
    // Known to have two names from the start, one of them outside.
    let outside = warm.root.join("../outside.txt");
    fs::write(&outside, "nothing\n").unwrap();
    fs::hard_link(&outside, warm.root.join("inside.txt")).unwrap();
    std::thread::sleep(std::time::Duration::from_millis(80));
    let status = warm
        .index
        .settle(&warm.root, std::time::Duration::from_secs(20));
    assert!(status.is_some());
    assert_eq!(warm.matching("needle").len(), 4);
    fs::write(&outside, "needle!\n").unwrap();
    assert_eq!(warm.matching("needle").len(), 5);
}

/// Nobody reports that a file got another name elsewhere.
#[test]
fn a_write_through_a_name_outside_that_was_made_later_is_seen_soon() {
    let warm = Warm::new(FILES);
    let outside = warm.root.with_file_name("outside.txt");
    fs::hard_link(warm.root.join("lib/d.rs"), &outside).unwrap();
    assert_eq!(warm.matching("needle"), ["a.txt", "src/deep/c.rs"]);
    let mut file = OpenOptions::new().append(true).open(&outside).unwrap();
    file.write_all(b"needle\n").unwrap();
    let until = std::time::Instant::now() + std::time::Duration::from_secs(60);
    while warm.matching("needle").len() < 3 {
        let now = std::time::Instant::now();
        assert!(now < until, "what was written outside is never found");
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    // From then on at once.
    file.write_all(b"another\n").unwrap();
    assert_eq!(warm.matching("another"), ["lib/d.rs"]);
}

#[test]
fn a_root_that_was_exchanged_is_searched_plainly_and_kept_again() {
    let warm = Warm::new(FILES);
    let other = warm.root.with_file_name("other");
    fs::create_dir(&other).unwrap();
    fs::write(other.join("z.txt"), "needle\n").unwrap();
    fs::rename(&warm.root, warm.root.with_file_name("old")).unwrap();
    fs::rename(&other, &warm.root).unwrap();
    let scope = Scope::new(&warm.root, &warm.root);
    let request = GrepRequest::new(scope, Pattern::new("needle"));
    let output = warm.index.grep(&request, &Control::default()).unwrap();
    assert_eq!(output.files[0].path, "z.txt");
    crate::compare::warm(&warm.index, &warm.root);
    assert_eq!(warm.matching("needle"), ["z.txt"]);
}

#[test]
fn a_name_that_came_and_went_unseen_is_not_trusted_to_have_changed_nothing() {
    let warm = Warm::new(FILES);
    let (known, other) = (warm.root.join("lib/d.rs"), warm.root.join("src/other"));
    fs::hard_link(&known, &other).unwrap();
    fs::write(&other, "needle\n").unwrap();
    fs::remove_file(&other).unwrap();
    assert_eq!(
        warm.matching("needle"),
        ["a.txt", "lib/d.rs", "src/deep/c.rs"]
    );
}

#[test]
fn an_ignore_file_that_is_written_through_another_name_is_read_again() {
    let warm = Warm::new(FILES);
    warm.write(".gitignore", "# nothing\n");
    assert_eq!(warm.matching("needle").len(), 2);
    fs::hard_link(warm.root.join(".gitignore"), warm.root.join("rules")).unwrap();
    fs::write(warm.root.join("rules"), "a.txt\n").unwrap();
    assert_eq!(warm.matching("needle"), ["src/deep/c.rs"]);
    fs::write(warm.root.join("rules"), "c.rs\n").unwrap();
    assert_eq!(warm.matching("needle"), ["a.txt"]);
}

#[test]
fn a_binary_file_is_found_from_when_it_is_text() {
    let warm = Warm::new(&[("a.txt", "needle\n"), ("b.bin", "\0needle\n")]);
    assert_eq!(warm.matching("needle"), ["a.txt"]);
    warm.write("b.bin", "needle\n");
    assert_eq!(warm.matching("needle"), ["a.txt", "b.bin"]);
    warm.write("b.bin", "needle\n\0");
    assert_eq!(warm.matching("needle"), ["a.txt"]);
}

#[test]
fn the_lines_that_end_in_the_first_three_bytes_of_a_binary_file_are_searched_as_ever() {
    let warm = Warm::new(&[("a", "x\nb\0"), ("b", "x\0\n"), ("c", "abc\nx\n\0")]);
    assert_eq!(warm.matching("x"), ["a"]);
}
