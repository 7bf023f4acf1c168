//! Writers of other processes, and answers in between.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use crate::compare::{WORDS, compare, index, warm};
use crate::numbers::Numbers;

/// Set for a process that is a writer: root, seed and number of deeds.
const WRITER: &str = "TENON_TEST_WRITER";

const NAMES: &[&str] = &["a", "b", "src", "build", "lib", "x", ".hidden", "docs"];
const EXTENSIONS: &[&str] = &["", ".txt", ".rs", ".md", ".log"];
const RULES: &[&str] = &[
    "*.log", "build/", "!build/", "/src", "!*.rs", "a*", "*.txt", "!a.txt", "b", "# x",
];

pub(crate) fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name)
        .ok()
        .and_then(|value| value.parse().ok())
        .unwrap_or(default)
}

pub(crate) fn content(numbers: &mut Numbers) -> Vec<u8> {
    let mut text = Vec::new();
    for _ in 0..numbers.below(12) {
        for _ in 0..numbers.below(6) {
            text.extend_from_slice(numbers.pick(WORDS).as_bytes());
            text.push(b' ');
        }
        text.push(b'\n');
    }
    match numbers.below(30) {
        0 => text.push(0),
        3 => text.insert(0, 0),
        1 => {
            let utf_16 = "needle alpha\n".encode_utf16().flat_map(u16::to_le_bytes);
            text = [0xFF, 0xFE].into_iter().chain(utf_16).collect();
        }
        2 => text = b"Beta needle\n".repeat(9000),
        _ => {}
    }
    text
}

fn directories(root: &Path) -> Vec<PathBuf> {
    let mut all = vec![root.to_owned()];
    let mut next = 0;
    while let Some(directory) = all.get(next).cloned() {
        next += 1;
        for entry in fs::read_dir(&directory).into_iter().flatten().flatten() {
            let is_directory = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if is_directory && entry.file_name() != ".git" && all.len() < 80 {
                all.push(entry.path());
            }
        }
    }
    all
}

pub(crate) fn place(root: &Path, numbers: &mut Numbers) -> PathBuf {
    let directory = numbers.pick(&directories(root)).clone();
    directory.join(format!(
        "{}{}",
        numbers.pick(NAMES),
        numbers.pick(EXTENSIONS)
    ))
}

fn some_file(root: &Path, numbers: &mut Numbers) -> PathBuf {
    let directory = numbers.pick(&directories(root)).clone();
    let files: Vec<PathBuf> = fs::read_dir(directory)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.is_file())
        .collect();
    if files.is_empty() {
        place(root, numbers)
    } else {
        numbers.pick(&files).clone()
    }
}

/// One deed. Others may have been quicker: whatever fails, fails.
pub(crate) fn deed(root: &Path, numbers: &mut Numbers) -> std::io::Result<()> {
    match numbers.below(20) {
        0..=3 => fs::write(place(root, numbers), content(numbers)),
        4 | 5 => OpenOptions::new()
            .append(true)
            .open(some_file(root, numbers))?
            .write_all(&content(numbers)),
        6 => {
            // In place, the same length.
            let path = some_file(root, numbers);
            let mut text = fs::read(&path)?;
            if let Some(at) = text.windows(6).position(|part| part == b"needle") {
                text[at..at + 6].copy_from_slice(b"NEEDLE");
            }
            OpenOptions::new().write(true).open(path)?.write_all(&text)
        }
        7 => OpenOptions::new()
            .write(true)
            .open(some_file(root, numbers))?
            .set_len(numbers.below(60) as u64),
        8 | 9 => fs::rename(some_file(root, numbers), place(root, numbers)),
        10 => {
            let all = directories(root);
            let from = numbers.pick(&all).clone();
            if from == root {
                return Ok(());
            }
            fs::rename(from, numbers.pick(&all).join(numbers.pick(NAMES)))
        }
        11 | 12 => {
            let deep = numbers
                .pick(&directories(root))
                .join("new")
                .join(numbers.pick(NAMES));
            fs::create_dir_all(&deep)?;
            fs::write(deep.join("a.txt"), content(numbers))?;
            fs::write(deep.join("b.rs"), content(numbers))
        }
        13 => fs::remove_file(some_file(root, numbers)),
        14 => {
            let all = directories(root);
            let directory = numbers.pick(&all);
            if directory == root {
                return Ok(());
            }
            fs::remove_dir_all(directory)
        }
        15 => {
            let name = numbers.pick(&[".gitignore", ".ignore", ".rgignore"]);
            let rules = format!("{}\n{}\n", numbers.pick(RULES), numbers.pick(RULES));
            fs::write(numbers.pick(&directories(root)).join(name), rules)
        }
        16 => {
            let rule = format!("{}\n", numbers.pick(RULES));
            let outside = [root.join(".git/info/exclude"), root.join("../.gitignore")];
            fs::write(numbers.pick(&outside), rule)
        }
        17 => {
            let mode = *numbers.pick(&[0o644, 0o755, 0o000]);
            let path = if numbers.one_in(3) {
                numbers.pick(&directories(root)).clone()
            } else {
                some_file(root, numbers)
            };
            if path == root {
                return Ok(());
            }
            let mode = if path.is_dir() { mode | 0o700 } else { mode };
            fs::set_permissions(path, fs::Permissions::from_mode(mode))
        }
        18 => {
            // Beside it, where it is seen: that one made elsewhere is not, is documented.
            let from = some_file(root, numbers);
            let to = from.with_file_name(numbers.pick::<&str>(NAMES));
            fs::hard_link(&from, &to)?;
            fs::write(if numbers.one_in(2) { from } else { to }, content(numbers))
        }
        _ => symlink(some_file(root, numbers), place(root, numbers)),
    }
}

/// Not a test of its own: what a writer process does.
#[test]
fn writer() {
    let Ok(task) = std::env::var(WRITER) else {
        return;
    };
    let mut parts = task.splitn(3, ':');
    let mut number = || parts.next().unwrap().parse::<u64>().unwrap();
    let (seed, deeds) = (number(), number());
    let root = PathBuf::from(parts.next().unwrap());
    let mut numbers = Numbers::new(seed);
    for _ in 0..deeds {
        let _ = deed(&root, &mut numbers);
    }
}

fn start_writer(root: &Path, seed: u64, deeds: u64) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "chaos::writer"])
        .env(WRITER, format!("{seed}:{deeds}:{}", root.display()))
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap()
}

#[test]
fn whatever_other_processes_do_the_answers_are_those_of_a_plain_search() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().canonicalize().unwrap().join("root");
    fs::create_dir_all(root.join(".git/info")).unwrap();
    let first = setting("TENON_TEST_CHAOS_SEED", 1);
    let mut numbers = Numbers::new(first);
    for name in NAMES {
        fs::create_dir_all(root.join(name).join("inner")).unwrap();
    }
    for _ in 0..150 {
        fs::write(place(&root, &mut numbers), content(&mut numbers)).ok();
    }
    let index = index();
    warm(&index, &root);
    let until = Instant::now() + Duration::from_secs(setting("TENON_TEST_CHAOS_SECONDS", 3));
    let mut round = 0;
    while Instant::now() < until {
        round += 1;
        let seed = first.wrapping_mul(1_000_003).wrapping_add(round);
        let deeds = 1 + numbers.below(if round % 10 == 0 { 400 } else { 12 }) as u64;
        let mut writers: Vec<Child> = (0..1 + round % 2)
            .map(|writer| start_writer(&root, seed ^ (writer << 40), deeds))
            .collect();
        // Answers while they write are of no one moment; they must only be answers.
        if round % 3 == 0 {
            let request = crate::compare::made_up(&root, &mut numbers);
            index
                .grep(&request, &tenon_search::Control::default())
                .unwrap();
        }
        for writer in &mut writers {
            assert!(writer.wait().unwrap().success());
        }
        if round % 4 == 0 {
            // Let the keeper sign again what changed.
            let _ = index.settle(&root, Duration::from_secs(5));
        }
        let reported = format!("seed {first}, round {round}");
        compare(&index, &root, 6, &mut numbers, &reported);
        if round % 50 == 0 {
            warm(&index, &root);
        }
    }
    println!("{round} rounds, {} answers from the index", index.served());
    assert!(index.served() > round);
}
