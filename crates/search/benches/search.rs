//! Search against spawning `rg`, on trees that the environment names or on one that is made.
//!
//! `TENON_BENCH_TREES=/path/one:/path/two cargo bench -p tenon-search`. `rg` is taken from
//! `TENON_TEST_RG`, else from the search path; without one only this crate is measured.

#![allow(
    clippy::unwrap_used,
    missing_docs,
    reason = "a benchmark ends where something is not as it must be"
)]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use criterion::{BenchmarkGroup, Criterion, criterion_group, criterion_main};
use tenon_search::{Control, FindRequest, GrepRequest, Pattern, Scope, find, grep};

/// Directories and files in each of them of the tree that is made.
const MADE: (usize, usize) = (60, 8);

fn main_group(criterion: &mut Criterion) {
    let made = tempfile::tempdir().unwrap();
    let mut trees: Vec<PathBuf> = std::env::var_os("TENON_BENCH_TREES")
        .map(|trees| std::env::split_paths(&trees).collect())
        .unwrap_or_default();
    if trees.is_empty() {
        make_tree(made.path());
        trees.push(made.path().to_owned());
    }
    for tree in trees {
        let tree = tree.canonicalize().unwrap();
        let mut group = criterion.benchmark_group(tree.display().to_string());
        group
            .sample_size(10)
            .measurement_time(Duration::from_secs(3));
        for (name, pattern) in [
            ("none", "no_file_has_this_word_in_it"),
            ("common", "return"),
            ("regex", r"\b(fn|function)\s+\w+_test"),
        ] {
            bench_grep(&mut group, &tree, name, pattern, None);
        }
        bench_grep(&mut group, &tree, "first 100", "return", Some(100));
        bench_find(&mut group, &tree, "*.rs");
        group.finish();
    }
}

type Group<'a> = BenchmarkGroup<'a, criterion::measurement::WallTime>;

fn bench_grep(group: &mut Group<'_>, tree: &Path, name: &str, pattern: &str, limit: Option<usize>) {
    let request = GrepRequest {
        limit,
        ..GrepRequest::new(Scope::new(tree, tree), Pattern::new(pattern))
    };
    group.bench_function(format!("grep {name}, in process"), |bencher| {
        bencher.iter(|| grep(&request, &Control::default()).unwrap());
    });
    bench_rg(
        group,
        tree,
        &format!("grep {name}, rg"),
        &["-n", "-e", pattern, "."],
    );
}

fn bench_find(group: &mut Group<'_>, tree: &Path, pattern: &str) {
    let request = FindRequest::new(Scope::new(tree, tree), pattern);
    group.bench_function(format!("find {pattern}, in process"), |bencher| {
        bencher.iter(|| find(&request, &Control::default()).unwrap());
    });
    bench_rg(
        group,
        tree,
        &format!("find {pattern}, rg"),
        &["--files", "-g", pattern],
    );
}

fn bench_rg(group: &mut Group<'_>, tree: &Path, name: &str, arguments: &[&str]) {
    let rg = std::env::var_os("TENON_TEST_RG").unwrap_or_else(|| "rg".into());
    if Command::new(&rg).arg("--version").output().is_err() {
        return;
    }
    group.bench_function(name, |bencher| {
        bencher.iter(|| {
            Command::new(&rg)
                .current_dir(tree)
                .args(["--hidden", "--no-require-git", "--glob", "!.git"])
                .args(arguments)
                .stderr(Stdio::null())
                .output()
                .unwrap()
        });
    });
}

/// A small tree of source-like files.
fn make_tree(root: &Path) {
    for directory in 0..MADE.0 {
        let path = root.join(format!("part_{}/sub_{directory}", directory % 7));
        std::fs::create_dir_all(&path).unwrap();
        for file in 0..MADE.1 {
            let body: String = (0..200)
                .map(|line| format!("fn item_{line}() {{ return {directory} * {file}; }}\n"))
                .collect();
            std::fs::write(path.join(format!("file_{file}.rs")), body).unwrap();
        }
    }
    std::fs::write(root.join(".gitignore"), "target/\n*.log\n").unwrap();
}

criterion_group!(benches, main_group);
criterion_main!(benches);
