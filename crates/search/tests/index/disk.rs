//! An index that another process has left on the disk answers as a plain search does, whatever was done in between to the tree
//! or to the file.

use std::any::Any;
use std::fs;
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tenon_contract::RulesIdentity;
use tenon_search::{
    Control, GrepRequest, Index, IndexOptions, IndexStore, PathFilter, Pattern, Scope, grep,
};
use tokio_util::sync::CancellationToken;

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
        // Of a tree in memory nothing is kept on the disk.
        let temporary = std::env::temp_dir();
        let directory = match rustix::fs::statfs(&temporary).unwrap().f_type {
            0x0102_1994 => tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")),
            _ => tempfile::tempdir_in(temporary),
        }
        .unwrap();
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
    aged(store, Duration::ZERO)
}

/// One that keeps nothing of what changed less than this before.
fn aged(store: &Path, least_age: Duration) -> Index {
    Index::new(IndexOptions {
        least_files: 0,
        store: Some(IndexStore {
            least_age,
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
fn a_search_that_is_cancelled_ends_and_leaves_the_index_to_the_next_one() {
    let mut numbers = Numbers::new(18);
    let kept = Kept::new(&mut numbers);
    kept.written(None);
    let index = kept.index();
    let request = GrepRequest::new(Scope::new(&kept.root, &kept.root), Pattern::new("needle"));
    let cancellation = CancellationToken::new();
    cancellation.cancel();
    let cancelled = Control {
        cancellation: Some(cancellation),
        ..Control::default()
    };
    index.grep(&request, &cancelled).unwrap_err();
    assert_eq!(index.served(), 0);
    index.grep(&request, &Control::default()).unwrap();
    assert_eq!(index.served(), 1);
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

/// The parts of a file of an index: the tree and the signatures.
fn parts(file: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let (length, rest) = file[16..].split_first_chunk::<8>().unwrap();
    let (tree, rest) = rest[32..].split_at(usize::try_from(u64::from_le_bytes(*length)).unwrap());
    (tree.to_vec(), rest[32..].to_vec())
}

/// A file of these parts with checksums that are right, as one who knows the form could write it.
fn sealed(head: &[u8], tree: &[u8], signatures: &[u8]) -> Vec<u8> {
    let check = |before: &[u8], part: &[u8]| {
        blake3::hash(&[env!("CARGO_PKG_VERSION").as_bytes(), before, part].concat())
    };
    let tree_check = check(&head[..16], tree);
    let mut file = head[..16].to_vec();
    file.extend((tree.len() as u64).to_le_bytes());
    file.extend(tree_check.as_bytes());
    file.extend(tree);
    file.extend(check(tree_check.as_bytes(), signatures).as_bytes());
    file.extend(signatures);
    file
}

#[test]
fn what_was_written_before_the_system_started_again_is_passed_over() {
    let mut numbers = Numbers::new(11);
    let kept = Kept::new(&mut numbers);
    let (path, whole) = kept.written(None);
    let (mut tree, signatures) = parts(&whole);
    assert!(sealed(&whole, &tree, &signatures) == whole);
    let boot = fs::read("/proc/sys/kernel/random/boot_id").unwrap();
    let at = tree.windows(boot.len()).position(|part| part == boot);
    tree[at.unwrap()] ^= 1;
    fs::write(&path, sealed(&whole, &tree, &signatures)).unwrap();
    assert!(!kept.is_answered());
    fs::write(&path, whole).unwrap();
    assert!(kept.is_answered());
}

#[test]
fn a_directory_that_says_it_is_the_same_is_listed_again_where_a_name_is_gone() {
    let mut numbers = Numbers::new(17);
    let kept = Kept::new(&mut numbers);
    fs::write(kept.root.join("lib/zz-one.md"), "a needle\n").unwrap();
    let (path, whole) = kept.written(None);
    let (mut tree, signatures) = parts(&whole);
    // As names of an encrypted directory are others without its key.
    let at = tree
        .windows(9)
        .position(|part| part == b"zz-one.md")
        .unwrap();
    tree[at + 3] = b'x';
    fs::write(&path, sealed(&whole, &tree, &signatures)).unwrap();
    assert!(kept.is_answered());
}

#[test]
fn made_up_files_with_right_checksums_end_in_an_answer_and_never_in_a_panic() {
    let mut numbers = Numbers::new(setting("TENON_TEST_CHAOS_SEED", 1) ^ 12);
    let kept = Kept::new(&mut numbers);
    let (path, whole) = kept.written(None);
    let request = GrepRequest::new(Scope::new(&kept.root, &kept.root), Pattern::new("needle"));
    let until = Instant::now() + Duration::from_secs(setting("TENON_TEST_CHAOS_SECONDS", 3));
    let mut answered = 0;
    while Instant::now() < until {
        let (mut tree, mut signatures) = parts(&whole);
        for _ in 0..1 + numbers.below(3) {
            let part = if numbers.one_in(4) {
                &mut signatures
            } else {
                &mut tree
            };
            let at = numbers.below(part.len());
            match numbers.below(6) {
                0 => part.truncate(at),
                1 => drop(part.drain(at..(at + numbers.below(40)).min(part.len()))),
                2 => part.extend_from_within(at..),
                3 => part[at] = *numbers.pick(&[0, 1, 0x7F, 0xFF]),
                _ => part[at] ^= 1 << numbers.below(8),
            }
            if part.is_empty() {
                part.push(0);
            }
        }
        fs::write(&path, sealed(&whole, &tree, &signatures)).unwrap();
        let index = kept.index();
        index.grep(&request, &Control::default()).unwrap();
        answered += index.served();
    }
    println!("{answered} answered");
}

#[test]
fn an_ignore_file_that_is_written_while_a_tree_is_compared_holds_for_the_next_search() {
    let mut numbers = Numbers::new(13);
    let kept = Kept::new(&mut numbers);
    let ignore_file = kept.root.join("src/.gitignore");
    fs::write(&ignore_file, "# none").unwrap();
    fs::write(kept.root.join("src/inner/needle.md"), "a needle\n").unwrap();
    let request = GrepRequest::new(Scope::new(&kept.root, &kept.root), Pattern::new("needle"));
    let control = Control::default();
    let until = Instant::now() + Duration::from_secs(setting("TENON_TEST_CHAOS_SECONDS", 3));
    let mut before = None;
    while Instant::now() < until {
        let (path, content) = kept.written(before.as_deref());
        let index = kept.index();
        let delay = Duration::from_micros(numbers.below(4_000) as u64);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(delay);
                // In place, so that the directory is the same.
                let mut file = fs::File::options().write(true).open(&ignore_file).unwrap();
                file.write_all(b"*.md  ").unwrap();
            });
            index.grep(&request, &control).unwrap();
        });
        let found = index.grep(&request, &control).unwrap();
        let plain = grep(&request, &control).unwrap();
        assert_eq!(
            (found.files, found.facts),
            (plain.files, plain.facts),
            "{delay:?}"
        );
        fs::write(&ignore_file, "# none").unwrap();
        fs::remove_file(path).unwrap();
        before = Some(content);
    }
}

#[test]
fn an_index_is_not_written_before_its_ignore_files_are_old_enough() {
    let mut numbers = Numbers::new(19);
    let kept = Kept::new(&mut numbers);
    let ignore_file = kept.root.join("src/.gitignore");
    fs::write(&ignore_file, "*.log\n").unwrap();
    let index = aged(&kept.store, Duration::from_millis(1500));
    warm(&index, &kept.root);
    let age = || {
        let written = ignore_file.metadata().unwrap().modified().unwrap();
        written.elapsed().unwrap()
    };
    while age() < Duration::from_millis(1400) {
        let files = kept.files();
        assert!(files.is_empty() || age() > Duration::from_millis(1500));
        std::thread::sleep(Duration::from_millis(20));
    }
    let until = Instant::now() + Duration::from_secs(30);
    while kept.files().is_empty() {
        assert!(Instant::now() < until);
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn what_rules_keep_back_leaves_nothing_of_its_content_on_the_disk() {
    let mut numbers = Numbers::new(14);
    let kept = Kept::new(&mut numbers);
    let secret = kept.root.join("keys/inner/one.env");
    fs::create_dir_all(secret.parent().unwrap()).unwrap();
    let rules: Arc<dyn Any + Send + Sync> = Arc::new(());
    let written = |text: &str, covered: Option<&'static str>| {
        fs::write(&secret, text).unwrap();
        std::thread::sleep(Duration::from_millis(80));
        let index = kept.index();
        let mut scope = Scope::new(&kept.root, &kept.root);
        scope.path_filter = covered.map(|covered| {
            let filter = PathFilter::new(move |path| path == covered);
            filter.of_rules(RulesIdentity::new(&rules, covered))
        });
        let request = GrepRequest::new(scope, Pattern::new("needle"));
        index.grep(&request, &Control::default()).unwrap();
        let until = Instant::now() + Duration::from_secs(30);
        loop {
            if let Some(path) = kept.files().pop() {
                let content = fs::read(&path).unwrap();
                drop(index);
                fs::remove_file(path).unwrap();
                return parts(&content).1;
            }
            assert!(Instant::now() < until);
            std::thread::sleep(Duration::from_millis(20));
        }
    };
    let (one, other) = ("password: one of them", "password: hunter2 it is");
    assert!(written(one, None) != written(other, None));
    // By itself, and with the directory that it is in.
    for covered in ["keys/inner/one.env", "keys"] {
        assert!(written(one, Some(covered)) == written(other, Some(covered)));
    }
}

#[test]
fn rules_that_are_not_known_for_later_leave_no_index_on_the_disk() {
    let mut numbers = Numbers::new(15);
    let kept = Kept::new(&mut numbers);
    std::thread::sleep(Duration::from_millis(80));
    let index = kept.index();
    let mut scope = Scope::new(&kept.root, &kept.root);
    scope.path_filter = Some(PathFilter::new(|path| path == "a"));
    let request = GrepRequest::new(scope, Pattern::new("needle"));
    index.grep(&request, &Control::default()).unwrap();
    assert!(index.settle(&kept.root, Duration::from_secs(20)).is_some());
    std::thread::sleep(Duration::from_millis(700));
    assert_eq!(kept.files(), [""; 0].map(PathBuf::from));
}

#[test]
fn an_index_is_not_written_into_the_tree_that_it_is_of() {
    let mut numbers = Numbers::new(16);
    let mut kept = Kept::new(&mut numbers);
    kept.store = kept.root.join("state");
    fs::DirBuilder::new()
        .mode(0o700)
        .create(&kept.store)
        .unwrap();
    std::thread::sleep(Duration::from_millis(80));
    let index = kept.index();
    warm(&index, &kept.root);
    std::thread::sleep(Duration::from_millis(700));
    assert_eq!(kept.files(), [""; 0].map(PathBuf::from));
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
