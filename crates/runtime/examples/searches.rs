//! What a search costs on each storey: `rg` started for it, the engine alone, and a whole call of a tool, first and
//! from the index: `cargo run --release -p tenon-runtime --example searches -- DIRECTORY WORD [grep|find] [ROUNDS]`.
//! `rg` is taken from `TENON_TEST_RG`, else from the search path.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a program for a user at a terminal"
)]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tenon_runtime::{CallRequest, HostCallbacks, Options, Toolkit};
use tenon_search::{Case, Control, FindRequest, GrepRequest, Index, Pattern, Scope, find, grep};

/// One way to search: its name and what it does.
type Contender<'a> = (&'a str, Box<dyn FnMut() + 'a>);

fn main() {
    let mut words = std::env::args().skip(1);
    let root = PathBuf::from(words.next().unwrap()).canonicalize().unwrap();
    let word = words.next().unwrap();
    let is_find = words.next().is_some_and(|kind| kind == "find");
    let rounds = words.next().map_or(15, |rounds| rounds.parse().unwrap());
    let threads = tokio::runtime::Runtime::new().unwrap();
    let _entered = threads.enter();
    let first = toolkit(&root, "off");
    let repeated = toolkit(&root, "auto");
    let call = |toolkit: &Toolkit, limit: u64| {
        let (tool, params) = params(is_find, &word, limit);
        let request = CallRequest::new(tool, params);
        let outcome = threads.block_on(toolkit.call(request)).unwrap();
        outcome.details.to_string().len()
    };
    let scope = Scope::new(&root, &root);
    let index = Index::new(tenon_search::IndexOptions::default());
    let control = Control::default();
    let (pattern, case) = case_of(&word);
    let mut wanted = GrepRequest::new(scope.clone(), Pattern::new(pattern));
    wanted.pattern.case = case;
    let names = FindRequest::new(scope, word.clone());
    let engine = |index: &Index| match is_find {
        true => drop(index.find(&names, &control).unwrap()),
        false => drop(index.grep(&wanted, &control).unwrap()),
    };
    engine(&index);
    let settled = index.settle(&root, Duration::from_secs(600));
    println!("{settled:?}");
    // Nothing has it, so that all of it is looked for.
    let request = || CallRequest::new("grep", json!({ "pattern": "zxqvjk_zz" }));
    warm(&|| _ = threads.block_on(repeated.call(request())));
    let mut contenders: Vec<Contender<'_>> = vec![
        ("rg, spawned", Box::new(|| rg(&root, &word, is_find))),
        (
            "engine, first",
            Box::new(|| match is_find {
                true => drop(find(&names, &control).unwrap()),
                false => drop(grep(&wanted, &control).unwrap()),
            }),
        ),
        ("engine, repeated", Box::new(|| engine(&index))),
        ("tool, first", Box::new(|| _ = call(&first, 1_000_000_000))),
        (
            "tool, repeated",
            Box::new(|| _ = call(&repeated, 1_000_000_000)),
        ),
        ("tool, first, 100", Box::new(|| _ = call(&first, 100))),
        ("tool, repeated, 100", Box::new(|| _ = call(&repeated, 100))),
    ];
    if let Ok(only) = std::env::var("ONLY") {
        contenders.retain(|(name, _)| *name == only);
    }
    compare(rounds, &mut contenders);
}

fn toolkit(root: &Path, index: &str) -> Toolkit {
    let options = json!({ "workspace": root, "search": { "index": index } });
    let options = Options::from_json(&options.to_string()).unwrap();
    Toolkit::new(options, HostCallbacks::default()).unwrap()
}

/// `word/i` is looked for without regard to case.
fn case_of(word: &str) -> (&str, Case) {
    match word.strip_suffix("/i") {
        Some(word) => (word, Case::Insensitive),
        None => (word, Case::Sensitive),
    }
}

fn params(is_find: bool, word: &str, limit: u64) -> (&'static str, Value) {
    if is_find {
        return ("find", json!({ "pattern": word, "limit": limit }));
    }
    let (pattern, case) = case_of(word);
    let ignore_case = case == Case::Insensitive;
    (
        "grep",
        json!({ "pattern": pattern, "ignoreCase": ignore_case, "limit": limit }),
    )
}

/// Calls until the index, which is made in idle time, has had the time to be complete.
fn warm(call: &dyn Fn()) {
    let (mut least, mut calm) = (f64::INFINITY, 0);
    while calm < 6 {
        std::thread::sleep(Duration::from_millis(500));
        let start = Instant::now();
        call();
        let took = start.elapsed().as_secs_f64();
        calm = if took > least * 0.8 { calm + 1 } else { 0 };
        least = least.min(took);
    }
}

fn rg(root: &Path, word: &str, is_find: bool) {
    let program = std::env::var_os("TENON_TEST_RG").unwrap_or_else(|| "rg".into());
    let mut command = Command::new(program);
    command.args(["--hidden", "--no-require-git", "--glob", "!.git"]);
    let (pattern, case) = case_of(word);
    match (is_find, case) {
        (true, _) => command.args(["--files", "--glob", word]),
        (false, Case::Insensitive) => command.args(["-n", "-i", "-e", pattern]),
        (false, _) => command.args(["-n", "-e", pattern]),
    };
    let output = command.arg(root).output().unwrap();
    assert!(output.status.code().is_some_and(|code| code < 2));
}

/// Medians of the contenders, which take turns, and of their ratios to the first.
fn compare(rounds: usize, contenders: &mut [Contender<'_>]) {
    let mut times = vec![Vec::new(); contenders.len()];
    for _ in 0..rounds {
        for ((_, run), times) in contenders.iter_mut().zip(&mut times) {
            let start = Instant::now();
            run();
            times.push(start.elapsed().as_secs_f64() * 1000.0);
        }
    }
    let median = |values: &[f64]| {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        sorted.get(rounds / 2).copied().unwrap_or_default()
    };
    let yardstick = times.first().cloned().unwrap_or_default();
    for ((name, _), times) in contenders.iter().zip(&times) {
        let ratios: Vec<f64> = times.iter().zip(&yardstick).map(|(a, b)| a / b).collect();
        let least = times.iter().copied().fold(f64::INFINITY, f64::min);
        println!(
            "  {name:<20} {:>9.3} ms (best {least:>8.3})  {:>7.4}",
            median(times),
            median(&ratios)
        );
    }
}
