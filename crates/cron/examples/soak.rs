//! Two processes fire one schedule of every second: does each occurrence have exactly one owner?
//!
//! `cargo run -p tenon-cron --example soak -- [seconds] [kill|pause]`; an hour by default. With `kill` one of the two is
//! killed about every 20 s and another takes its place. With `pause` both stand still again and again, for up to 130 s, as
//! on a machine that is suspended. Each process notes when it could not run. Ends with 1 where an occurrence ran twice,
//! where one is missing that no killed process could have taken with it, and where one was passed over to the next run
//! although nobody stood still for that long.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::exit,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program for people, which fails by panicking"
)]

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::process::{Child, Command};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime};

use serde_json::Value;
use tenon_contract::CancellationToken;
use tenon_cron::{
    Engine, EngineOptions, Fire, Fired, FiredFuture, JobChange, Jobs, JobsOptions, Overlap, Runner,
    Zone,
};
use tenon_store::{SqliteOptions, SqliteStore, Store};

/// Writes what it runs into a file of its own process.
struct Log(Mutex<std::fs::File>);

impl Runner for Log {
    fn run(&self, fire: Fire, _: CancellationToken) -> FiredFuture {
        let line = format!("{} {} {}\n", fire.scheduled_for, fire.missed, wall());
        self.0.lock().unwrap().write_all(line.as_bytes()).unwrap();
        Box::pin(async {
            Ok(Fired {
                ok: true,
                summary: None,
            })
        })
    }
}

/// The time of the system, in milliseconds.
fn wall() -> i64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    i64::try_from(since.unwrap().as_millis()).unwrap()
}

/// Writes down when this process, or all of the machine, stood still.
fn note_pauses(file: &Path) {
    const STEP: Duration = Duration::from_millis(20);
    let mut log = std::fs::File::create(file).unwrap();
    std::thread::spawn(move || {
        let mut last = wall();
        loop {
            std::thread::sleep(STEP);
            let now = wall();
            if now - last > 500 {
                writeln!(log, "{last} {now}").unwrap();
            }
            last = now;
        }
    });
}

fn jobs_in(directory: &Path) -> Jobs {
    let file = directory.join("state.db");
    let store: Arc<dyn Store> = Arc::new(SqliteStore::new(SqliteOptions::new(file)));
    Jobs::new(JobsOptions {
        least_interval: Duration::from_secs(1),
        zone: Zone::utc(),
        ..JobsOptions::new(store, "/soak")
    })
}

/// Fires until it is killed, or until the file `stop` appears.
fn worker(directory: &Path, name: &str) {
    let log = std::fs::File::create(directory.join(name)).unwrap();
    note_pauses(&directory.join(name).with_extension("pauses"));
    let options = EngineOptions {
        jobs: jobs_in(directory),
        runner: Arc::new(Log(Mutex::new(log))),
        warn: Some(Arc::new(|sentence| eprintln!("{sentence}"))),
        on_end: None,
    };
    let engine = Engine::start(options).unwrap();
    while !directory.join("stop").exists() {
        std::thread::sleep(Duration::from_millis(50));
    }
    engine.close();
}

fn start(directory: &Path, number: usize) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["worker", directory.to_str().unwrap()])
        .arg(format!("owner-{number}.log"))
        .spawn()
        .unwrap()
}

/// What happens to the two meanwhile.
#[derive(Clone, Copy, PartialEq)]
enum Trouble {
    None,
    Kill,
    Pause,
}

/// Has two of them at work, and returns how many were killed.
fn watch(directory: &Path, time: Duration, trouble: Trouble) -> usize {
    let mut workers = vec![start(directory, 0), start(directory, 1)];
    let mut pauses = [1, 5, 20, 45, 75, 130].into_iter().cycle();
    let (end, mut killed) = (Instant::now() + time, 0);
    while Instant::now() < end {
        std::thread::sleep(Duration::from_secs(20).min(end - Instant::now()));
        if Instant::now() >= end {
            break;
        }
        match trouble {
            Trouble::None => {}
            Trouble::Kill => {
                let mut victim = workers.remove(0);
                victim.kill().unwrap();
                victim.wait().unwrap();
                killed += 1;
                workers.push(start(directory, killed + 1));
            }
            Trouble::Pause => {
                workers.iter().for_each(|worker| signal(worker, "STOP"));
                std::thread::sleep(Duration::from_secs(pauses.next().unwrap()));
                workers.iter().for_each(|worker| signal(worker, "CONT"));
            }
        }
    }
    std::fs::write(directory.join("stop"), "").unwrap();
    for mut worker in workers {
        worker.wait().unwrap();
    }
    killed
}

fn signal(worker: &Child, name: &str) {
    let arguments = [format!("-{name}"), worker.id().to_string()];
    assert!(
        Command::new("kill")
            .args(arguments)
            .status()
            .unwrap()
            .success()
    );
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [role, directory, name] = arguments.as_slice()
        && role == "worker"
    {
        worker(Path::new(directory), name);
        return;
    }
    let seconds = arguments.first().map_or(3600, |text| text.parse().unwrap());
    let trouble = match arguments.get(1).map(String::as_str) {
        Some("kill") => Trouble::Kill,
        Some("pause") => Trouble::Pause,
        _ => Trouble::None,
    };
    let directory = tempfile::tempdir().unwrap();
    let change = JobChange {
        schedule: Some("* * * * * *".to_owned()),
        prompt: Some("Say when.".to_owned()),
        overlap: Some(Overlap::Allow),
        ..JobChange::default()
    };
    let runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = { runtime }.enable_time().build().unwrap();
    let jobs = jobs_in(directory.path());
    runtime.block_on(jobs.add(change, Value::Null)).unwrap();
    let killed = watch(directory.path(), Duration::from_secs(seconds), trouble);
    report(directory.path(), killed);
}

/// A run, as its owner has written it down.
struct Entry {
    scheduled_for: i64,
    /// Occurrences right before it that were late by a minute and more, for which it stands as well.
    missed: i64,
    at: i64,
}

/// The numbers of each line of the files with this ending.
fn lines(directory: &Path, ending: &str) -> Vec<Vec<String>> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|other| other == ending) {
            files.push(std::fs::read_to_string(path).unwrap());
        }
    }
    let words = |line: &str| line.split(' ').map(str::to_owned).collect();
    files
        .iter()
        .flat_map(|text| text.lines())
        .map(words)
        .collect()
}

fn report(directory: &Path, killed: usize) {
    let entry = |words: Vec<String>| Entry {
        scheduled_for: words[0].parse::<jiff::Timestamp>().unwrap().as_second(),
        missed: words[1].parse().unwrap(),
        at: words[2].parse().unwrap(),
    };
    let entries: Vec<Entry> = lines(directory, "log").into_iter().map(entry).collect();
    let pauses = lines(directory, "pauses").into_iter();
    let pauses: Vec<(i64, i64)> = pauses
        .map(|words| (words[0].parse().unwrap(), words[1].parse().unwrap()))
        .collect();
    let mut owners: BTreeMap<i64, usize> = BTreeMap::new();
    let (mut merged, mut unexplained) = (0, 0);
    let mut delays = Vec::new();
    for Entry {
        scheduled_for,
        missed,
        at,
    } in &entries
    {
        *owners.entry(*scheduled_for).or_default() += 1;
        merged += missed;
        let first = (scheduled_for - missed) * 1000;
        let stood_still = |from: i64, to: i64| {
            let within = |(start, end): &(i64, i64)| (end.min(&to) - start.max(&from)).max(0);
            pauses.iter().map(within).max().unwrap_or_default()
        };
        if *missed > 0 {
            let longest = stood_still(first, *at);
            println!(
                "The run of {scheduled_for} stands for the {missed} before it; nobody ran for {longest} ms."
            );
            // Looks are a moment apart.
            unexplained += usize::from(longest < 58_000);
        }
        if stood_still(scheduled_for * 1000, *at) == 0 {
            delays.push(at - scheduled_for * 1000);
        }
    }
    delays.sort_unstable();
    let (first, last) = (
        *owners.keys().next().unwrap(),
        *owners.keys().last().unwrap(),
    );
    let span = last - first + 1;
    let ran = i64::try_from(owners.len()).unwrap();
    let twice = owners.values().filter(|count| **count > 1).count();
    let missing = span - ran - merged;
    println!(
        "{span} occurrences from {first} to {last}: {ran} ran, {twice} of them more than once, {merged} were late by a minute and counted by the next, {missing} missing. {killed} processes were killed, {} pauses noted. Delay: median {} ms, at most {} ms where nobody stood still.",
        pauses.len(),
        delays[delays.len() / 2],
        delays.last().unwrap(),
    );
    // Of one that was killed between claim and log at most what it had just claimed is missing.
    let most = i64::try_from(killed * 2).unwrap();
    std::process::exit(i32::from(twice > 0 || unexplained > 0 || missing > most));
}
