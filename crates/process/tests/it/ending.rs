//! How commands end that do not end by themselves.

use std::time::{Duration, Instant};

use tenon_process::{EndedProcesses, ProcessError};
use tokio_util::sync::CancellationToken;

use crate::support::{Place, SOON, shells, text};

#[tokio::test(flavor = "multi_thread")]
async fn a_time_out_ends_the_command_and_keeps_what_it_said() {
    let place = Place::new();
    for shell in shells() {
        let mut spec = place.spec("echo early; SLEEPER 100; echo never");
        spec.shell = shell;
        spec.timeout = Some(Duration::from_millis(200));
        let start = Instant::now();
        let result = place.run(spec).await;
        assert!(start.elapsed() < SOON, "{:?}", start.elapsed());
        assert!(result.timed_out && !result.cancelled);
        assert_eq!(
            (result.exit_code, result.signal.as_deref()),
            (None, Some("SIGTERM"))
        );
        assert_eq!(
            result.ended,
            EndedProcesses {
                found: 2,
                killed: 0,
                survivors: vec![]
            }
        );
        assert_eq!(text(&result), "early\n");
        assert_eq!(place.survivors(), [""; 0]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_that_cleans_up_on_term_is_given_the_time() {
    let place = Place::new();
    let mut spec =
        place.spec("trap 'echo bye; exit 7' TERM; echo up; while :; do sleep 0.05; done");
    spec.timeout = Some(Duration::from_millis(200));
    let result = place.run(spec).await;
    assert!(result.timed_out);
    assert_eq!((result.exit_code, result.ended.killed), (Some(7), 0));
    assert_eq!(result.signal, None);
    // Bash reports the sleep that was ended with it.
    let said = text(&result).replace("Terminated\n", "");
    assert_eq!(said, "up\nbye\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_that_ignores_term_is_killed_after_the_grace() {
    let place = Place::new();
    let mut spec = place.spec("trap '' TERM; SLEEPER 100; SLEEPER 100");
    spec.timeout = Some(Duration::from_millis(100));
    spec.grace = Duration::from_millis(300);
    let start = Instant::now();
    let result = place.run(spec).await;
    let took = start.elapsed();
    // Two clocks that count in whole milliseconds.
    assert!(
        took >= Duration::from_millis(395) && took < SOON,
        "{took:?}"
    );
    assert_eq!(
        (result.timed_out, result.signal.as_deref()),
        (true, Some("SIGKILL"))
    );
    assert_eq!(
        result.ended,
        EndedProcesses {
            found: 2,
            killed: 2,
            survivors: vec![]
        }
    );
    assert_eq!(place.survivors(), [""; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn cancelling_ends_the_command_promptly() {
    let place = Place::new();
    let token = CancellationToken::new();
    let spec = place.spec("echo early; SLEEPER 100 & SLEEPER 100");
    let run = place.processes.run(spec, &token, |_| {});
    let cancel = async {
        place.until_alive(3).await;
        token.cancel();
        Instant::now()
    };
    let (result, cancelled_at) = tokio::join!(run, cancel);
    let result = result.unwrap();
    assert!(
        cancelled_at.elapsed() < SOON,
        "{:?}",
        cancelled_at.elapsed()
    );
    assert!(result.cancelled && !result.timed_out);
    // How many of them need more than the first signal depends on how busy the machine is.
    assert_eq!((result.ended.found, &result.ended.survivors), (3, &vec![]));
    assert_eq!(text(&result), "early\n");
    assert_eq!(place.survivors(), [""; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_was_aborted_before_starts_nothing() {
    let place = Place::new();
    let token = CancellationToken::new();
    token.cancel();
    let error = place
        .processes
        .run(place.spec("touch started"), &token, |_| {})
        .await
        .unwrap_err();
    assert!(matches!(error, ProcessError::Cancelled));
    assert!(!place.path().join("started").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn dropping_the_future_ends_the_command() {
    let place = Place::new();
    let token = CancellationToken::new();
    for script in [
        "SLEEPER 100 & SLEEPER 100",
        "trap '' TERM; SLEEPER 100 & SLEEPER 100; :",
    ] {
        let run = place.processes.run(place.spec(script), &token, |_| {});
        let gave_up = tokio::time::timeout(Duration::from_millis(200), run).await;
        assert!(gave_up.is_err());
        place.until_alive(0).await;
    }
    let start = Instant::now();
    while place.processes.running() > 0 {
        assert!(start.elapsed() < SOON);
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_background_process_that_holds_the_pipe_does_not_hold_the_result() {
    let place = Place::new();
    for (shell, script) in shells().into_iter().flat_map(|shell| {
        [
            "SLEEPER 100 & echo done",
            "SLEEPER 100 >/dev/null 2>&1 & echo done",
            "(SLEEPER 100; echo x) & echo done; exit 0",
        ]
        .map(|script| (shell.clone(), script))
    }) {
        let mut spec = place.spec(script);
        spec.shell = shell;
        let start = Instant::now();
        let result = place.run(spec).await;
        assert!(start.elapsed() < SOON, "{:?}", start.elapsed());
        assert_eq!((result.exit_code, text(&result)), (Some(0), "done\n"));
        assert!(
            result.ended.found >= 1 && result.ended.killed == 0,
            "{:?}",
            result.ended
        );
        assert!(!result.cancelled && !result.timed_out);
        assert_eq!(place.survivors(), [""; 0]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_background_process_says_right_after_the_shell_is_kept() {
    let place = Place::new();
    // Speaks as soon as the shell has closed its files, which is when it ends.
    let result = place
        .bash("(while [ -e /proc/$$/fd/0 ]; do :; done; echo late) & echo early")
        .await;
    assert_eq!(text(&result), "early\nlate\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_background_process_that_never_falls_silent_has_a_ceiling() {
    let place = Place::new();
    let start = Instant::now();
    let result = place
        .bash("(while :; do echo noise; sleep 0.02; done) & echo done")
        .await;
    assert!(start.elapsed() < SOON, "{:?}", start.elapsed());
    assert_eq!(result.exit_code, Some(0));
    assert!(text(&result).lines().count() > 10);
    assert_eq!(place.survivors(), [""; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stopped_process_is_ended_too() {
    let place = Place::new();
    let mut spec = place.spec("sh -c 'kill -STOP $$; SLEEPER 100'; echo never");
    spec.timeout = Some(Duration::from_millis(200));
    let start = Instant::now();
    let result = place.run(spec).await;
    assert!(start.elapsed() < SOON);
    assert!(result.timed_out);
    assert_eq!(place.survivors(), [""; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn fifty_commands_aborted_at_once_end_at_once() {
    let place = Place::new();
    let token = CancellationToken::new();
    let start = Instant::now();
    let runs = (0..50).map(|_| {
        let (processes, token) = (place.processes.clone(), token.clone());
        let spec = place.spec("SLEEPER 100 & SLEEPER 100");
        tokio::spawn(async move { processes.run(spec, &token, |_| {}).await })
    });
    let runs: Vec<_> = runs.collect();
    place.until_alive(150).await;
    let started = start.elapsed();
    token.cancel();
    for run in runs {
        let result = run.await.unwrap().unwrap();
        assert!(result.cancelled);
        assert_eq!(result.ended.survivors, [0; 0]);
    }
    assert_eq!(place.survivors(), [""; 0]);
    assert!(start.elapsed() - started < SOON, "{:?}", start.elapsed());
    assert_eq!(place.processes.running(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn two_hundred_commands_run_at_the_same_time() {
    let place = Place::new();
    let runs = (0..200).map(|number| {
        let processes = place.processes.clone();
        let spec = place.spec(&format!("sleep 0.2; echo {number}; exit {}", number % 7));
        tokio::spawn(async move { processes.run(spec, &CancellationToken::new(), |_| {}).await })
    });
    let runs: Vec<_> = runs.collect();
    for (number, run) in runs.into_iter().enumerate() {
        let result = run.await.unwrap().unwrap();
        assert_eq!(result.exit_code, Some(i32::try_from(number % 7).unwrap()));
        assert_eq!(text(&result), format!("{number}\n"));
    }
    assert_eq!(place.survivors(), [""; 0]);
}
