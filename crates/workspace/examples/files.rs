//! Times of the common calls, beside what a plain program would do:
//! `cargo run --release -p tenon-workspace --example files`.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a program for a user at a terminal"
)]

use std::fs;
use std::io::Read;
use std::path::Path;
use std::time::{Duration, Instant};

use tenon_workspace::{ChangeSet, Durability, PageRequest, Workspace, read_page, read_text};

const LINE: &str = "    let value = compute(index, &table).unwrap_or_default();\n";
const ROUNDS: usize = 15;

fn median(mut work: impl FnMut()) -> Duration {
    let mut times: Vec<Duration> = (0..ROUNDS)
        .map(|_| {
            let start = Instant::now();
            work();
            start.elapsed()
        })
        .collect();
    times.sort();
    times.get(ROUNDS / 2).copied().unwrap_or_default()
}

fn write(path: &Path, bytes: usize) -> u64 {
    let lines = bytes / LINE.len();
    let half = LINE.repeat(lines / 2);
    fs::write(path, format!("{half}the middle of the file\n{half}")).unwrap();
    u64::try_from(lines).unwrap()
}

fn main() {
    let directory = tempfile::tempdir().unwrap();
    let workspace = Workspace::open(directory.path(), &[] as &[&str]).unwrap();
    let path = directory.path().join("deep/er/file.rs");
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    println!("containment: {:?}", workspace.containment());
    let locate = median(|| drop(workspace.locate("deep/er/file.rs").unwrap()));
    println!("locate                    {locate:?}");
    for (name, bytes) in [("10 KB", 10 << 10), ("1 MB", 1 << 20), ("20 MB", 20 << 20)] {
        write(&path, bytes);
        let mut turn = 0;
        let mut replace = |durability| {
            turn += 1;
            let located = workspace.locate("deep/er/file.rs").unwrap();
            let file = read_text(&located, 1 << 30).unwrap();
            let at = file.text().find("the middle").unwrap();
            let text = format!("the middle {turn}");
            let splice = (at..at + "the middle".len(), text);
            let mut changes = ChangeSet::new().with_durability(durability);
            let bytes = file.splice(&[splice]).unwrap();
            changes.update(file.snapshot(), bytes).unwrap();
            changes.commit(&|| false).unwrap();
        };
        let ours = median(|| replace(Durability::Synced));
        let unsynced_ours = median(|| replace(Durability::Unsynced));
        let plain = |synced: bool| {
            median(|| {
                let text = fs::read_to_string(&path).unwrap();
                let text = text.replacen("the middle", "The middle", 1);
                let temporary = path.with_extension("tmp");
                fs::write(&temporary, &text).unwrap();
                if synced {
                    fs::File::open(&temporary).unwrap().sync_all().unwrap();
                }
                fs::rename(&temporary, &path).unwrap();
            })
        };
        let (unsynced, synced) = (plain(false), plain(true));
        println!(
            "replace {name:>8}  {ours:>12?}, without fsync {unsynced_ours:?}   plain {synced:?}, without fsync {unsynced:?}"
        );
    }
    for (name, bytes) in [
        ("1 KB", 1 << 10),
        ("100 KB", 100 << 10),
        ("10 MB", 10 << 20),
        ("1 GB", 1 << 30),
    ] {
        let lines = write(&path, bytes);
        let request = PageRequest {
            first_line: lines.saturating_sub(150).max(1),
            first_character: 1,
            max_lines: 100,
            max_bytes: 50 * 1024,
            max_line_bytes: 50 * 1024,
        };
        let ours = median(|| {
            let located = workspace.locate("deep/er/file.rs").unwrap();
            read_page(&located, &request, &|| false).unwrap();
        });
        let plain = median(|| {
            let mut file = fs::File::open(&path).unwrap();
            let mut buffer = vec![0; 256 * 1024];
            let mut count = 0;
            while let Ok(length @ 1..) = file.read(&mut buffer) {
                count += memchr::memchr_iter(b'\n', buffer.get(..length).unwrap()).count();
            }
            assert!(count > 0);
        });
        println!("page    {name:>8}  {ours:>12?}   read and count newlines only {plain:?}");
    }
}
