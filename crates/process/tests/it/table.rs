//! Ending everything at once.

use std::fs;
use std::time::{Duration, Instant};

use tenon_process::ProcessError;
use tokio_util::sync::CancellationToken;

use crate::support::{Place, SOON};

#[tokio::test(flavor = "multi_thread")]
async fn closing_ends_everything_and_lets_nothing_start() {
    let place = Place::new();
    let token = CancellationToken::new();
    let mut running: Vec<_> = [
        "SLEEPER 100",
        "setsid SLEEPER 100 & SLEEPER 100",
        "trap '' TERM; SLEEPER 100; :",
    ]
    .iter()
    .map(|script| {
        let mut spec = place.spec(script);
        spec.grace = Duration::from_millis(200);
        place.processes.start(spec, &token).unwrap()
    })
    .collect();
    place.until_alive(7).await;
    assert_eq!(place.processes.running(), 3);
    let ended = place.processes.close().await.unwrap();
    assert_eq!((ended.found, ended.survivors), (7, vec![]));
    assert_eq!(place.survivors(), [""; 0]);
    for command in &mut running {
        assert!(command.finished().await.unwrap().cancelled);
    }
    let error = place
        .processes
        .start(place.spec("touch started"), &token)
        .unwrap_err();
    assert!(matches!(error, ProcessError::Closed));
    assert_eq!(place.processes.close().await.unwrap().found, 0);
    assert!(!place.path().join("started").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn everything_can_be_ended_without_waiting() {
    let place = Place::new();
    let token = CancellationToken::new();
    let mut command = place
        .processes
        .start(
            place.spec("trap '' TERM; setsid SLEEPER 100 & SLEEPER 100; :"),
            &token,
        )
        .unwrap();
    place.until_alive(3).await;
    let start = Instant::now();
    assert_eq!(place.processes.end_now(), 3);
    assert!(start.elapsed() < SOON, "{:?}", start.elapsed());
    assert_eq!(
        command.finished().await.unwrap().signal.as_deref(),
        Some("SIGKILL")
    );
    assert_eq!(place.survivors(), [""; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn dropping_the_last_handle_of_the_table_ends_everything() {
    let place = Place::new();
    let token = CancellationToken::new();
    let command = place
        .processes
        .start(place.spec("setsid SLEEPER 100 & SLEEPER 100"), &token)
        .unwrap();
    place.until_alive(3).await;
    let marks = Place::new();
    let directory = place.path().to_owned();
    drop(place.processes.clone());
    place.until_alive(3).await;
    let kept = place.without_processes();
    assert_eq!(kept.path(), directory);
    let start = Instant::now();
    while fs::read_dir("/proc").unwrap().flatten().any(|entry| {
        fs::read(entry.path().join("cmdline")).is_ok_and(|line| {
            String::from_utf8_lossy(&line).contains(&*directory.to_string_lossy())
        })
    }) {
        assert!(start.elapsed() < SOON);
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    drop((command, marks));
}

#[test]
fn a_runtime_that_is_shut_down_takes_its_commands_along() {
    let place = Place::new();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .unwrap();
    let command = runtime.block_on(async {
        let spec = place.spec("trap '' TERM; setsid SLEEPER 100 & SLEEPER 100; :");
        let command = place
            .processes
            .start(spec, &CancellationToken::new())
            .unwrap();
        place.until_alive(3).await;
        command
    });
    drop(runtime);
    let start = Instant::now();
    while !place.survivors().is_empty() {
        assert!(start.elapsed() < SOON, "{:?}", place.survivors());
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(place.processes.running(), 0);
    drop(command);
}

#[tokio::test(flavor = "multi_thread")]
async fn no_zombie_is_left_of_shells() {
    let place = Place::new();
    let mut shells = Vec::new();
    for script in ["true", "exit 3", "SLEEPER 100 & exit 0", "kill -9 $$"] {
        let mut command = place
            .processes
            .start(place.spec(script), &CancellationToken::new())
            .unwrap();
        command.finished().await.unwrap();
        shells.push(command.process_id().unwrap());
    }
    let left: Vec<u32> = shells
        .into_iter()
        .filter(|pid| {
            fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| stat.contains(") Z "))
        })
        .collect();
    assert_eq!(left, [0; 0]);
}

#[tokio::test(flavor = "current_thread")]
async fn one_thread_is_enough() {
    let place = Place::new();
    let mut spec = place.spec("seq 1 100000; SLEEPER 100");
    spec.timeout = Some(Duration::from_millis(400));
    let result = place.run(spec).await;
    assert!(result.timed_out);
    assert_eq!(result.output.merged.unwrap().total_bytes, 588_895);
    assert_eq!(place.survivors(), [""; 0]);
}
