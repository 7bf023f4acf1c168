//! Prints what starting a command and draining its output cost here, beside the bare standard
//! library: `cargo run --release -p tenon-process --example streams [MEGABYTES]`. With a number,
//! the process first fills that much memory, as a large host would.
#![allow(
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a program for a user at a terminal"
)]

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use tenon_process::{CommandSpec, Keep, ProcessOptions, Processes, Shell};
use tokio_util::sync::CancellationToken;

const STARTS: usize = 200;
const DRAINS: usize = 5;
const OUTPUT: &str = "yes | head -c 100000000";

fn main() {
    let megabytes: usize = std::env::args()
        .nth(1)
        .map_or(0, |text| text.parse().unwrap());
    let ballast = vec![1_u8; megabytes * 1_000_000];
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    let processes = Processes::new(ProcessOptions::default());
    let bash = Shell::default_shell();
    let dash = Shell::new("/bin/sh", ["-c"]);
    println!("resident before: {} kB", status("VmRSS"));
    starts(&runtime, &processes, &bash, &dash);
    for spill in [false, true] {
        let mut spec = CommandSpec::new(OUTPUT, "/");
        spec.spill = spill;
        spec.keep = Keep::ends(50 * 1024);
        let time = median(DRAINS, || {
            let result = run(&runtime, &processes, spec.clone());
            assert_eq!(result.output.merged.unwrap().total_bytes, 100_000_000);
        });
        println!(
            "100 MB, spill {spill}: {time:?}, peak {} kB",
            status("VmHWM")
        );
    }
    aborts(&runtime, &processes);
    let alone = median(DRAINS, || {
        let done = Command::new("/bin/bash")
            .args(["-c", OUTPUT])
            .stdout(Stdio::null())
            .status()
            .unwrap();
        assert!(done.success());
    });
    println!("100 MB into /dev/null, bare: {alone:?}");
    drop(ballast);
}

fn starts(runtime: &tokio::runtime::Runtime, processes: &Processes, bash: &Shell, dash: &Shell) {
    for (name, shell) in [("bash", bash), ("sh", dash)] {
        let bare = median(STARTS, || {
            let done = Command::new(&shell.path)
                .args(["-c", "true"])
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .status()
                .unwrap();
            assert!(done.success());
        });
        let mut spec = CommandSpec::new("true", "/");
        spec.shell = shell.clone();
        let ours = median(STARTS, || {
            assert_eq!(run(runtime, processes, spec.clone()).exit_code, Some(0));
        });
        println!("{name} -c true: {ours:?}, bare {bare:?}");
    }
    let program = median(STARTS, || {
        assert!(Command::new("/bin/true").status().unwrap().success());
    });
    println!("/bin/true, bare: {program:?}");
}

/// From the abort to the result, when all processes are gone.
fn aborts(runtime: &tokio::runtime::Runtime, processes: &Processes) {
    for (count, script) in [
        (1, "sleep 100"),
        (1, "setsid sleep 100 & sleep 100"),
        (50, "setsid sleep 100 & sleep 100"),
    ] {
        let mut times: Vec<Duration> = (0..5)
            .map(|_| {
                runtime.block_on(async {
                    let token = CancellationToken::new();
                    let runs: Vec<_> = (0..count)
                        .map(|_| {
                            let (processes, token) = (processes.clone(), token.clone());
                            let spec = CommandSpec::new(script, "/");
                            tokio::spawn(async move { processes.run(spec, &token, |_| {}).await })
                        })
                        .collect();
                    tokio::time::sleep(Duration::from_millis(1500)).await;
                    let start = Instant::now();
                    token.cancel();
                    for run in runs {
                        assert_eq!(run.await.unwrap().unwrap().ended.survivors, [0; 0]);
                    }
                    start.elapsed()
                })
            })
            .collect();
        times.sort();
        println!("abort of {count} x `{script}`: {:?}", times[2]);
    }
}

fn run(
    runtime: &tokio::runtime::Runtime,
    processes: &Processes,
    spec: CommandSpec,
) -> tenon_process::CommandResult {
    runtime
        .block_on(async {
            let processes = processes.clone();
            // As in a host: not on the thread that waits.
            tokio::spawn(async move {
                processes
                    .run(spec, &CancellationToken::new(), |live| {
                        std::hint::black_box(live.snapshot());
                    })
                    .await
            })
            .await
            .unwrap()
        })
        .unwrap()
}

fn median(rounds: usize, mut work: impl FnMut()) -> Duration {
    let mut times: Vec<Duration> = (0..rounds)
        .map(|_| {
            let start = Instant::now();
            work();
            start.elapsed()
        })
        .collect();
    times.sort();
    times.get(rounds / 2).copied().unwrap_or_default()
}

fn status(field: &str) -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    status
        .lines()
        .find(|line| line.starts_with(field))
        .and_then(|line| line.split_whitespace().nth(1))
        .unwrap_or("?")
        .to_owned()
}
