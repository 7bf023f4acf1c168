//! What is taken for a secret in sources that have none: `cargo run --release -p tenon-secrets --example sources -- DIRECTORY…`
//!
//! Every place is printed with its line, then how many there are in how many lines. Whether a place is one is for a user to
//! say: published sources have made-up keys in their tests and documentation.

#![allow(clippy::print_stdout, reason = "it prints what it found")]

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// What sources are called.
const SUFFIXES: &[&str] = &[
    "rs", "js", "mjs", "cjs", "ts", "mts", "cts", "tsx", "jsx", "py", "go", "java", "kt", "c", "h",
    "cc", "cpp", "hpp", "rb", "php", "sh", "bash", "pl", "lua", "swift", "cs", "scala", "vue",
    "svelte", "css", "scss", "html", "md", "json", "yaml", "yml", "toml", "xml", "sql", "txt",
];

#[derive(Default)]
struct Tally {
    files: usize,
    lines: usize,
    bytes: usize,
    places: usize,
    time: Duration,
}

fn main() {
    let mut tally = Tally::default();
    let mut open: Vec<PathBuf> = std::env::args().skip(1).map(PathBuf::from).collect();
    while let Some(path) = open.pop() {
        if path.is_symlink() {
            continue;
        }
        if let Ok(entries) = std::fs::read_dir(&path) {
            open.extend(entries.flatten().map(|entry| entry.path()));
        } else if is_source(&path) {
            look(&path, &mut tally);
        }
    }
    let Tally {
        files,
        lines,
        bytes,
        places,
        time,
    } = tally;
    let rate = places as f64 * 100_000.0 / lines.max(1) as f64;
    let speed = time.as_nanos() as f64 / bytes.max(1) as f64;
    println!(
        "{places} places in {lines} lines of {files} files: {rate:.3} in 100,000 lines; {speed:.1} ns a byte"
    );
}

fn is_source(path: &Path) -> bool {
    let suffix = path.extension().and_then(|suffix| suffix.to_str());
    suffix.is_some_and(|suffix| SUFFIXES.contains(&suffix))
}

fn look(path: &Path, tally: &mut Tally) {
    let Ok(text) = std::fs::read_to_string(path) else {
        return;
    };
    let start = Instant::now();
    let found = tenon_secrets::find(&text);
    tally.time += start.elapsed();
    tally.files += 1;
    tally.lines += text.lines().count();
    tally.bytes += text.len();
    tally.places += found.len();
    for secret in found {
        let before = text.get(..secret.range.start).unwrap_or_default();
        let number = before.matches('\n').count() + 1;
        let line = text.lines().nth(number - 1).unwrap_or_default();
        let column = secret.range.start - before.rfind('\n').map_or(0, |at| at + 1);
        let from = line.floor_char_boundary(column.saturating_sub(60));
        let to = line.floor_char_boundary((column + 80).min(line.len()));
        println!(
            "{}:{number}: {}: {}",
            path.display(),
            secret.kind,
            line.get(from..to).unwrap_or_default()
        );
    }
}
