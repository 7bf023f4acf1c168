//! An index that another process has left on the disk answers as a plain search does, whatever was done in between to the tree
//! or to the file.

use std::fs;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use tenon_search::{Control, GrepRequest, Index, IndexOptions, IndexStore, Pattern, Scope, grep};

use crate::chaos::{content, deed, place, setting};
use crate::compare::{compare, warm};
use crate::numbers::Numbers;

/// Set for a process that makes an index and is killed: the tree and the directory of indexes.
const KEEPER: &str = "TENON_TEST_KEEPER";

struct Kept {
    _directory: tempfile::TempDir,
    root: PathBuf,
    store: PathBuf,
}

impl Kept {
    /// A tree of made-up files, and a directory for indexes.
    fn new(numbers: &mut Numbers) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().canonicalize().unwrap();
        let (root, store) = (path.join("root"), path.join("store"));
        fs::create_dir_all(root.join(".git/info")).unwrap();
        fs::DirBuilder::new().mode(0o700).create(&store).unwrap();
        for name in ["a", "b", "src", "lib"] {
            fs::create_dir_all(root.join(name).join("inner")).unwrap();
        }
        for _ in 0..120 {
            fs::write(place(&root, numbers), content(numbers)).ok();
        }
        Self {
            _directory: directory,
            root,
            store,
        }
    }

    /// As another process has it.
    fn index(&self) -> Index {
        index(&self.store)
    }

    /// The file that is written once an index is complete. Waits for one that is not `before`.
    fn written(&self, before: Option<&[u8]>) -> (PathBuf, Vec<u8>) {
        // States younger than that are not kept.
        std::thread::sleep(Duration::from_millis(80));
        let index = self.index();
        warm(&index, &self.root);
        let until = Instant::now() + Duration::from_secs(30);
        while Instant::now() < until {
            if let Some(path) = self.files().into_iter().next() {
                let content = fs::read(&path).unwrap();
                if before != Some(&content) {
                    return (path, content);
                }
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        panic!("no index was written");
    }

    fn files(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(&self.store)
            .unwrap()
            .map(|entry| entry.unwrap().path());
        entries
            .filter(|path| path.extension().is_some_and(|name| name == "index"))
            .collect()
    }

    /// Searches with a new index, and compares. Whether the first answer came from the disk.
    fn is_answered(&self) -> bool {
        let index = self.index();
        let request = GrepRequest::new(Scope::new(&self.root, &self.root), Pattern::new("needle"));
        let control = Control::default();
        let found = index.grep(&request, &control).unwrap();
        let is_answered = index.served() == 1;
        let plain = grep(&request, &control).unwrap();
        assert_eq!((found.files, found.facts), (plain.files, plain.facts));
        is_answered
    }
}

fn index(store: &Path) -> Index {
    Index::new(IndexOptions {
        least_files: 0,
        store: Some(IndexStore {
            least_age: Duration::ZERO,
            pause: Duration::ZERO,
            ..IndexStore::new(store.to_owned())
        }),
        ..IndexOptions::default()
    })
}

#[test]
fn the_first_search_of_a_process_is_answered_from_what_another_has_left() {
    let mut numbers = Numbers::new(5);
    let kept = Kept::new(&mut numbers);
    assert!(!kept.is_answered());
    let (path, _) = kept.written(None);
    assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    assert!(kept.is_answered());
    let index = kept.index();
    compare(&index, &kept.root, 60, &mut numbers, "from the disk");
    assert!(index.served() > 40);
    let status = index.settle(&kept.root, Duration::from_secs(20)).unwrap();
    assert!(status.signed > 60, "{status:?}");
}

#[test]
fn whatever_was_done_to_the_tree_in_between_the_answers_are_those_of_a_plain_search() {
    let first = setting("TENON_TEST_CHAOS_SEED", 1);
    let mut numbers = Numbers::new(first ^ 77);
    let kept = Kept::new(&mut numbers);
    let until = Instant::now() + Duration::from_secs(setting("TENON_TEST_CHAOS_SECONDS", 3));
    let (mut rounds, mut answered) = (0, 0);
    let mut before = None;
    while Instant::now() < until || rounds < 4 {
        before = Some(kept.written(before.as_deref()).1);
        for again in 0..3 {
            for _ in 0..numbers.below(if again == 2 { 40 } else { 6 }) {
                let _ = deed(&kept.root, &mut numbers);
            }
            let index = kept.index();
            let reported = format!("seed {first}, round {rounds}, {again}");
            compare(&index, &kept.root, 4, &mut numbers, &reported);
            answered += u64::from(index.served() > 0);
        }
        // So that there is something to write, which no rule hides.
        fs::write(kept.root.join("number.md"), format!("{rounds}")).unwrap();
        rounds += 1;
    }
    println!("{rounds} rounds, {answered} indexes answered from the disk");
    assert!(answered > 0);
}

#[test]
fn an_ignore_file_that_came_or_went_in_between_holds_for_all_directories_below() {
    let mut numbers = Numbers::new(9);
    let kept = Kept::new(&mut numbers);
    let ignore_file = kept.root.join("a/.gitignore");
    fs::write(kept.root.join("a/inner/needle.txt"), "a needle\n").unwrap();
    let (path, before) = kept.written(None);
    fs::write(&ignore_file, "needle.txt\n").unwrap();
    assert!(kept.is_answered());
    fs::remove_file(path).unwrap();
    kept.written(Some(&before));
    assert!(kept.is_answered());
    fs::remove_file(ignore_file).unwrap();
    // What was written of its content is not true any more.
    assert!(!kept.is_answered());
}

#[test]
fn a_file_that_is_broken_foreign_or_open_to_others_is_passed_over() {
    let mut numbers = Numbers::new(6);
    let kept = Kept::new(&mut numbers);
    let (path, whole) = kept.written(None);
    let write = |content: &[u8]| fs::write(&path, content).unwrap();
    for _ in 0..40 {
        let mut broken = whole.clone();
        let at = numbers.below(broken.len());
        if numbers.one_in(2) {
            broken.truncate(at);
        } else {
            broken[at] ^= 1 << numbers.below(8);
        }
        write(&broken);
        assert!(!kept.is_answered(), "broken at {at}");
    }
    write(b"");
    assert!(!kept.is_answered());
    write(&whole);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o620)).unwrap();
    assert!(!kept.is_answered(), "others can write it");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    assert!(kept.is_answered());
    let elsewhere = kept.store.join("elsewhere");
    fs::rename(&path, &elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, &path).unwrap();
    assert!(!kept.is_answered(), "a link");
    // That of another tree under this name.
    let other = Kept::new(&mut numbers);
    let (_, foreign) = other.written(None);
    fs::remove_file(&path).unwrap();
    fs::write(&path, foreign).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    assert!(!kept.is_answered(), "of another tree");
}

#[test]
fn old_files_make_room_and_what_is_not_an_index_stays() {
    let mut numbers = Numbers::new(8);
    let kept = Kept::new(&mut numbers);
    fs::write(kept.store.join("notes.txt"), "x").unwrap();
    for number in 0..12 {
        fs::write(kept.store.join(format!("{number}.index")), "x").unwrap();
    }
    std::thread::sleep(Duration::from_millis(20));
    let index = kept.index();
    warm(&index, &kept.root);
    let until = Instant::now() + Duration::from_secs(30);
    while kept.files().len() != 8 {
        assert!(Instant::now() < until, "{:?}", kept.files());
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(kept.store.join("notes.txt").exists());
}

/// Not a test of its own: makes an index and writes it again and again, until it is killed.
#[test]
fn keeper() {
    let Ok(task) = std::env::var(KEEPER) else {
        return;
    };
    let (root, store) = task.split_once('\n').unwrap();
    let (root, index) = (PathBuf::from(root), index(Path::new(store)));
    warm(&index, &root);
    for number in 0_u64.. {
        fs::write(root.join("number.txt"), format!("needle {number}")).unwrap();
        let request = GrepRequest::new(Scope::new(&root, &root), Pattern::new("needle"));
        index.grep(&request, &Control::default()).unwrap();
        std::thread::sleep(Duration::from_millis(60));
        let _ = index.settle(&root, Duration::from_secs(5));
    }
}

#[test]
fn a_process_that_is_killed_while_it_writes_leaves_a_whole_index_or_none() {
    let mut numbers = Numbers::new(setting("TENON_TEST_CHAOS_SEED", 1) ^ 99);
    let kept = Kept::new(&mut numbers);
    for round in 0..8 {
        let mut keeper = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "disk::keeper"])
            .env(
                KEEPER,
                format!("{}\n{}", kept.root.display(), kept.store.display()),
            )
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(200 + numbers.below(600) as u64));
        keeper.kill().unwrap();
        keeper.wait().unwrap();
        let index = kept.index();
        compare(
            &index,
            &kept.root,
            3,
            &mut numbers,
            &format!("round {round}"),
        );
    }
    kept.written(None);
    assert!(kept.is_answered());
}
