//! Times of searches in a tree, first and from the index, beside `rg` started for each:
//! `cargo run --release -p tenon-search --example queries -- DIRECTORY`.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a program for a user at a terminal"
)]

use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use tenon_search::{
    Case, Control, FindRequest, GrepRequest, Index, IndexOptions, Pattern, Scope, find, grep,
};

const ROUNDS: usize = 9;

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

/// Medians of the contenders, which take turns, and of their ratios to the first.
fn compare(title: &str, contenders: &mut [(&str, &mut dyn FnMut())]) {
    let mut times = vec![Vec::new(); contenders.len()];
    for _ in 0..ROUNDS {
        for ((_, run), times) in contenders.iter_mut().zip(&mut times) {
            let start = Instant::now();
            run();
            times.push(milliseconds(start.elapsed()));
        }
    }
    println!("{title}");
    let median = |values: &[f64]| {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        sorted.get(ROUNDS / 2).copied().unwrap_or_default()
    };
    let yardstick = times.first().cloned().unwrap_or_default();
    for ((name, _), times) in contenders.iter().zip(&times) {
        let ratios: Vec<f64> = times.iter().zip(&yardstick).map(|(a, b)| a / b).collect();
        println!(
            "  {name:<12} {:>9.3} ms  {:>7.4}",
            median(times),
            median(&ratios)
        );
    }
}

fn main() {
    let root = PathBuf::from(std::env::args().nth(1).unwrap())
        .canonicalize()
        .unwrap();
    let scope = Scope::new(&root, &root);
    let control = Control::default();
    let index = Index::new(IndexOptions {
        least_files: 0,
        ..IndexOptions::default()
    });
    find(&FindRequest::new(scope.clone(), "**"), &control).unwrap();
    let start = Instant::now();
    index
        .find(&FindRequest::new(scope.clone(), "**"), &control)
        .unwrap();
    let status = index.settle(&root, Duration::from_secs(600));
    println!("{status:?} after {:.0} ms", milliseconds(start.elapsed()));
    let rg = |options: &[&str]| {
        let all = ["--hidden", "--no-require-git", "--glob", "!.git"];
        let output = Command::new("rg")
            .args(all)
            .args(options)
            .arg(&root)
            .output()
            .unwrap();
        assert!(output.status.code().is_some_and(|code| code < 2));
    };
    for (title, text, case) in [
        ("rare", "RESOLVE_BENEATH", Case::Sensitive),
        ("common", "unsafe", Case::Sensitive),
        ("no case", "mutex\\w+", Case::Insensitive),
        ("none", "zxqvjkzz", Case::Sensitive),
    ] {
        let mut request = GrepRequest::new(scope.clone(), Pattern::new(text));
        request.pattern.case = case;
        let case = if case == Case::Insensitive {
            "-i"
        } else {
            "-s"
        };
        compare(
            &format!("grep, {title} ({text})"),
            &mut [
                ("rg", &mut || rg(&["-n", case, "-e", text])),
                ("plain", &mut || drop(grep(&request, &control).unwrap())),
                ("index", &mut || {
                    drop(index.grep(&request, &control).unwrap())
                }),
            ],
        );
    }
    let request = FindRequest::new(scope.clone(), "**/*.rs");
    let fuzzy = FindRequest {
        fuzzy: true,
        limit: Some(100),
        ..FindRequest::new(scope, "runtime mod")
    };
    compare(
        "find, **/*.rs",
        &mut [
            ("rg --files", &mut || rg(&["--files", "--glob", "*.rs"])),
            ("plain", &mut || drop(find(&request, &control).unwrap())),
            ("index", &mut || {
                drop(index.find(&request, &control).unwrap())
            }),
            ("fuzzy, plain", &mut || {
                drop(find(&fuzzy, &control).unwrap())
            }),
            ("fuzzy, index", &mut || {
                drop(index.find(&fuzzy, &control).unwrap())
            }),
        ],
    );
}
