//! Processes that leave the group of their shell.

use std::time::{Duration, Instant};

use tenon_process::Leftovers;

use crate::support::{Place, SOON};

/// Every way out that is known, each leaving sleepers behind.
const WAYS: [&str; 6] = [
    "SLEEPER 100 &",
    "nohup SLEEPER 100 >/dev/null 2>&1 &",
    "setsid SLEEPER 100 &",
    "setsid sh -c 'trap \"\" TERM HUP; SLEEPER 100 & SLEEPER 100; :' &",
    "(setsid sh -c 'SLEEPER 100 & SLEEPER 100 &' &)",
    "set -m; SLEEPER 100 & set +m",
];

#[tokio::test(flavor = "multi_thread")]
async fn caller_left_the_group_is_ended_when_the_command_is_over() {
    let place = Place::new();
    for way in WAYS {
        // Time to get out; the shell is gone when they are looked for.
        let result = place.bash(&format!("{way}\nsleep 0.1; echo done")).await;
        assert_eq!(result.exit_code, Some(0), "{way}");
        assert!(result.ended.found >= 1, "{way}");
        assert_eq!(result.ended.survivors, [0; 0], "{way}");
        assert_eq!(place.survivors(), [""; 0], "{way}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn caller_left_the_group_at_the_last_moment_is_ended_too() {
    let place = Place::new();
    for way in WAYS {
        for _ in 0..5 {
            let result = place.bash(&format!("{way}\nexit 3")).await;
            assert_eq!(result.exit_code, Some(3), "{way}");
            assert_eq!(place.survivors(), [""; 0], "{way}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn all_of_them_at_once_are_ended_on_time_out() {
    let place = Place::new();
    let mut spec = place.spec(&format!("{}\nSLEEPER 100", WAYS.join("\n")));
    // Long enough that all of them have started, on a busy machine too.
    spec.timeout = Some(Duration::from_millis(1500));
    spec.grace = Duration::from_millis(300);
    let start = Instant::now();
    let result = place.run(spec).await;
    assert!(start.elapsed() < SOON, "{:?}", start.elapsed());
    assert!(result.timed_out);
    assert!(result.ended.found >= 6, "{:?}", result.ended);
    assert!(result.ended.killed >= 3, "{:?}", result.ended);
    assert_eq!(place.survivors(), [""; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn caller_cleared_the_environment_is_known_if_it_was_seen_below_the_shell() {
    let place = Place::new();
    let result = place
        .bash("env -i setsid SLEEPER 100 & sleep 0.3; kill $$")
        .await;
    assert_eq!(result.signal.as_deref(), Some("SIGTERM"));
    assert_eq!(result.ended.found, 1);
    assert_eq!(place.survivors(), [""; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_storm_of_new_processes_is_ended() {
    let place = Place::new();
    let mut spec = place.spec("trap '' TERM; for i in $(seq 200); do SLEEPER 100 & setsid SLEEPER 100 & done; SLEEPER 100");
    spec.grace = Duration::from_millis(100);
    let token = tokio_util::sync::CancellationToken::new();
    let mut command = place.processes.start(spec, &token).unwrap();
    // It goes on while it is being ended.
    place.until_more_alive_than(20).await;
    command.end();
    let result = command.finished().await.unwrap();
    assert!(result.cancelled);
    assert!(result.ended.found > 20, "{:?}", result.ended);
    assert_eq!(result.ended.survivors, [0; 0]);
    assert_eq!(place.survivors(), [""; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn other_commands_of_the_same_table_are_not_touched() {
    let place = Place::new();
    let other = Place::new();
    let token = tokio_util::sync::CancellationToken::new();
    let mut bystander = place
        .processes
        .start(other.spec("setsid SLEEPER 100 & SLEEPER 100"), &token)
        .unwrap();
    other.until_alive(3).await;
    let result = place
        .bash("setsid SLEEPER 100 & SLEEPER 100 & exit 0")
        .await;
    assert_eq!(result.ended.found, 2);
    assert_eq!((place.survivors().len(), other.survivors().len()), (0, 3));
    bystander.end();
    let ended = bystander.finished().await.unwrap();
    assert!(ended.cancelled);
    assert_eq!(ended.ended.found, 3);
    assert_eq!(other.survivors(), [""; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_adopted_lives_on_and_is_ended_with_the_table() {
    let place = Place::new();
    let mut spec =
        place.spec("(SLEEPER 0.4; echo later; SLEEPER 100) & setsid SLEEPER 100 & echo started");
    spec.leftovers = Leftovers::Adopt;
    let token = tokio_util::sync::CancellationToken::new();
    let mut command = place.processes.start(spec, &token).unwrap();
    let result = command.finished().await.unwrap();
    assert_eq!(
        (result.exit_code, result.adopted, result.ended.found),
        (Some(0), 3, 0)
    );
    assert_eq!(result.output.merged.unwrap().head, "started\n");
    assert_eq!(place.processes.running(), 1);
    tokio::time::sleep(Duration::from_millis(600)).await;
    assert_eq!(
        command.output().snapshot().merged.unwrap().head,
        "started\nlater\n"
    );
    drop(command);
    // The subshell has become its last command.
    place.until_alive(2).await;
    let ended = place.processes.close().await.unwrap();
    assert_eq!((ended.found, ended.survivors), (2, vec![]));
    assert_eq!(place.survivors(), [""; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_adopted_process_that_ends_by_itself_is_taken_off_the_table() {
    let place = Place::new();
    let mut spec = place.spec("SLEEPER 0.3 & echo started");
    spec.leftovers = Leftovers::Adopt;
    let result = place.run(spec).await;
    assert_eq!((result.adopted, place.processes.running()), (1, 1));
    let start = Instant::now();
    while place.processes.running() > 0 {
        assert!(start.elapsed() < SOON);
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
