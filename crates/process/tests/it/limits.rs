//! Limits per command: which one was reached is reported, and nothing of the command lives on.

use std::time::Instant;

use tenon_process::{
    CommandLimit, CommandLimits, CommandSpec, EndedProcesses, LimitReached, Processes,
};
use tokio_util::sync::CancellationToken;

use crate::support::{Place, SOON, text};

fn limited(place: &Place, script: &str, limits: CommandLimits) -> CommandSpec {
    let mut spec = place.spec(script);
    spec.limits = limits;
    // Should a limit fail, the test fails and the machine does not.
    spec.timeout = Some(SOON);
    spec
}

/// Runs until a limit ends it, and says which that was.
async fn reached(script: &str, limits: CommandLimits) -> Option<LimitReached> {
    let place = Place::new();
    let start = Instant::now();
    let result = place.run(limited(&place, script, limits)).await;
    assert!(start.elapsed() < SOON);
    assert_eq!(
        (result.exit_code, result.signal.as_deref(), result.timed_out),
        (None, Some("SIGKILL"), false)
    );
    assert_eq!(place.survivors(), [""; 0]);
    result.limit
}

#[tokio::test(flavor = "multi_thread")]
async fn memory_is_that_of_all_processes_together() {
    let limits = CommandLimits {
        memory_bytes: Some(100 << 20),
        ..CommandLimits::default()
    };
    let reported = Some(LimitReached {
        limit: CommandLimit::MemoryBytes,
        value: 100 << 20,
    });
    // At most 200 MB, should nobody stop it.
    let one = "perl -e 'my @a; push @a, \"x\" x 1e6 for 1..200; sleep 20'";
    assert_eq!(reached(one, limits).await, reported);
    let many = "for i in 1 2 3 4; do perl -e '$a = \"x\" x 45e6; sleep 20' & done; wait";
    assert_eq!(reached(many, limits).await, reported);
    let detached = "setsid env -i perl -e '$a = \"x\" x 150e6; sleep 20' & sleep 20";
    assert_eq!(reached(detached, limits).await, reported);
}

#[tokio::test(flavor = "multi_thread")]
async fn memory_that_processes_share_counts_once() {
    let place = Place::new();
    let limits = CommandLimits {
        memory_bytes: Some(150 << 20),
        ..CommandLimits::default()
    };
    // 60 MB (perl keeps the text twice), seen by five processes.
    let script = "perl -e '$a = \"x\" x 3e7; for (1..4) { fork or last } sleep 1; wait for 1..4; print \"whole\\n\"'";
    let result = place.run(limited(&place, script, limits)).await;
    assert_eq!((result.limit, result.exit_code), (None, Some(0)));
    assert!(text(&result).contains("whole"));
}

#[tokio::test(flavor = "multi_thread")]
async fn processor_time_is_that_of_all_processes_those_that_have_ended_included() {
    let limits = CommandLimits {
        cpu_seconds: Some(1),
        ..CommandLimits::default()
    };
    let reported = Some(LimitReached {
        limit: CommandLimit::CpuSeconds,
        value: 1,
    });
    assert_eq!(reached("while :; do :; done", limits).await, reported);
    let parts = "for i in $(seq 40); do perl -e '1 while (times)[0] < 0.2'; done";
    assert_eq!(reached(parts, limits).await, reported);
    let orphans =
        "for i in $(seq 40); do (setsid perl -e '1 while (times)[0] < 0.2' &); sleep 0.2; done";
    assert_eq!(reached(orphans, limits).await, reported);
}

#[tokio::test(flavor = "multi_thread")]
async fn too_many_processes_end_the_command() {
    let limits = CommandLimits {
        processes: Some(20),
        ..CommandLimits::default()
    };
    let reported = Some(LimitReached {
        limit: CommandLimit::Processes,
        value: 20,
    });
    // At most 120 of them, should nobody stop it.
    let many = "for i in $(seq 120); do SLEEPER 30 & done; wait";
    assert_eq!(reached(many, limits).await, reported);
    let gone = "trap '' TERM; for i in $(seq 120); do env -i setsid SLEEPER 30 & done; sleep 30";
    assert_eq!(reached(gone, limits).await, reported);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_grows_to_the_limit_and_no_further() {
    let place = Place::new();
    let limits = CommandLimits {
        file_bytes: Some(100_000),
        ..CommandLimits::default()
    };
    let script = "head -c 1000000 /dev/zero > large";
    let result = place.run(limited(&place, script, limits)).await;
    assert_eq!(
        (result.exit_code, result.limit),
        (
            Some(153),
            Some(LimitReached {
                limit: CommandLimit::FileBytes,
                value: 100_000
            })
        )
    );
    let length = std::fs::metadata(place.path().join("large")).unwrap().len();
    assert_eq!(length, 100_000);
    let within = limited(
        &place,
        "head -c 100000 /dev/zero > small; seq 100000",
        limits,
    );
    let result = place.run(within).await;
    assert_eq!((result.exit_code, result.limit), (Some(0), None));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_stays_within_its_limits_is_left_alone() {
    let place = Place::new();
    let limits = CommandLimits {
        memory_bytes: Some(1 << 30),
        cpu_seconds: Some(30),
        processes: Some(50),
        file_bytes: Some(1 << 30),
    };
    let script = "SLEEPER 0.2 & SLEEPER 0.2; wait; echo done; exit 3";
    let result = place.run(limited(&place, script, limits)).await;
    assert_eq!(
        (result.exit_code, result.limit, result.ended.clone()),
        (Some(3), None, EndedProcesses::default())
    );
    assert_eq!(text(&result), "done\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn limits_that_nobody_could_keep_refuse_the_command() {
    let place = Place::new();
    let bare = Processes::new(tenon_process::ProcessOptions::default());
    let limits = CommandLimits {
        processes: Some(5),
        ..CommandLimits::default()
    };
    let spec = limited(&place, "touch ran", limits);
    let refused = bare.run(spec, &CancellationToken::new(), |_| {}).await;
    assert_eq!(
        refused.unwrap_err().to_string(),
        "The command was not started: limits per command (`limits.command`) are kept by the helper program, which this system does not have. `npx tenon doctor` says why; the host can leave the limits out."
    );
    assert!(!place.path().join("ran").exists());
}
