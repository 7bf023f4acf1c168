//! What only the helper can: that nothing of a command lives on, whatever it does to get away, and
//! however it ends, the death of the host included.
//!
//! Who is left is identified by the command line: every process is a copy of `sleep` in the directory of its
//! test, or has the path of that directory among its arguments.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use tenon_process::Leftovers;
use tokio_util::sync::CancellationToken;

use crate::nobody::as_nobody;
use crate::support::{Place, SOON, dash};

/// Ways to get away. Each leaves at least one `SLEEPER` behind, which ends by itself after 100 s.
pub(crate) const WAYS: [(&str, &str); 32] = [
    ("in the background", "SLEEPER 100 &"),
    (
        "ignoring the hang-up",
        "nohup SLEEPER 100 >/dev/null 2>&1 &",
    ),
    ("disowned", "SLEEPER 100 & disown"),
    ("in a session of its own", "setsid SLEEPER 100 &"),
    ("in a forked session", "setsid --fork SLEEPER 100"),
    ("by a double fork", "(SLEEPER 100 &)"),
    (
        "by a triple fork in a new session",
        "( (setsid SLEEPER 100 &) & )",
    ),
    ("without an environment", "env -i SLEEPER 100 &"),
    (
        "without environment and session",
        "env -i setsid SLEEPER 100 &",
    ),
    (
        "without environment, session and parent",
        "(env -i setsid --fork SLEEPER 100 &)",
    ),
    (
        "by a shell that clears its environment",
        "(exec -c setsid SLEEPER 100 &)",
    ),
    (
        "ignoring TERM",
        "(trap '' TERM; SLEEPER 100; SLEEPER 100) &",
    ),
    (
        "ignoring all that can be ignored",
        "(trap '' HUP INT QUIT TERM USR1 USR2 ALRM; setsid SLEEPER 100; SLEEPER 100) &",
    ),
    ("stopped", "SLEEPER 100 & kill -STOP $!"),
    (
        "stopped in another session",
        "setsid sh -c 'SLEEPER 100 & kill -STOP $!; kill -STOP $$' &",
    ),
    (
        "in groups of their own",
        "set -m; SLEEPER 100 & SLEEPER 100 & set +m",
    ),
    ("in a pipeline", "SLEEPER 100 | SLEEPER 100 | SLEEPER 100 &"),
    (
        "by process substitution",
        "cat < <(SLEEPER 100) > >(SLEEPER 100) &",
    ),
    ("as a coprocess", "coproc SLEEPER 100"),
    (
        "with every descriptor closed",
        "(exec 0<&- 1>&- 2>&-; cd /; setsid SLEEPER 100 &)",
    ),
    (
        "many at once",
        "for i in 1 2 3 4 5 6 7 8 9 10; do setsid SLEEPER 100 & done",
    ),
    (
        "by workers of xargs",
        "seq 8 | xargs -P 8 -n 1 setsid SLEEPER 100 &",
    ),
    ("under a timer", "timeout 100 SLEEPER 100 &"),
    ("under a lock", "flock -n lock SLEEPER 100 &"),
    (
        "ten generations deep",
        "f() { if [ $1 = 0 ]; then SLEEPER 100; else (f $(($1 - 1)); :) & fi; }; f 10",
    ),
    (
        "as a daemon that forks twice",
        "perl -e 'use POSIX; fork and exit; setsid(); fork and exit; $SIG{TERM} = \"IGNORE\"; %ENV = (); exec @ARGV' SLEEPER 100",
    ),
    (
        "under a parent that never asks",
        "perl -e 'for (1..9) { fork or exit } exec @ARGV' SLEEPER 100 &",
    ),
    (
        "under another reaper",
        "perl -e 'syscall(157, 36, 1, 0, 0, 0); system(\"(setsid $ARGV[0] 100 &)\"); exec @ARGV' SLEEPER 100 &",
    ),
    (
        "in a namespace of processes",
        "unshare --user --map-root-user --pid --fork SLEEPER 100 2>/dev/null & SLEEPER 100 &",
    ),
    (
        "on a terminal of its own",
        "script -qc 'SLEEPER 100' /dev/null </dev/null >/dev/null 2>&1 & SLEEPER 100 &",
    ),
    (
        "by starting again when it is asked to end",
        "(trap 'setsid SLEEPER 100 & SLEEPER 100' TERM; SLEEPER 100; SLEEPER 100; :) &",
    ),
    (
        "by killing the shell",
        "(trap '' TERM; setsid SLEEPER 100 & sleep 0.2; kill -9 $$; SLEEPER 100) &",
    ),
];

/// Ways that do not rest. They run one at a time, not for long, and come to an end by themselves, so
/// that a guarantee that fails costs hundreds of processes and not the machine.
pub(crate) const STORMS: [(&str, &str); 4] = [
    (
        "by starting again for ever",
        "(trap '' TERM; for i in $(seq 300); do setsid SLEEPER 0.05; done) & SLEEPER 100 &",
    ),
    (
        "by moving on for ever",
        "echo 'SLEEPER 0.02; [ $1 = 300 ] || setsid sh mover $(($1 + 1)) PLACE &' > mover; sh mover 0 PLACE & SLEEPER 100 &",
    ),
    (
        "in a storm",
        "(for i in $(seq 150); do SLEEPER 100 & setsid SLEEPER 100 & done) & SLEEPER 100 &",
    ),
    (
        "in a storm that ignores TERM",
        "(trap '' TERM; for i in $(seq 150); do env -i setsid SLEEPER 100 & SLEEPER 100 & done) & SLEEPER 100 &",
    ),
];

/// The command of a way: it gets away, then the shell does what `then` says.
fn script(place: &Path, way: &str, then: &str) -> String {
    let way = way.replace("PLACE", &place.display().to_string());
    format!("{way}\n{then}")
}

/// Enough for most to get away; what is promised does not depend on it.
const A_WHILE: &str = "sleep 0.15";
/// The same, for the host to wait.
const A_MOMENT: Duration = Duration::from_millis(250);
/// Ways that run at the same time.
const AT_ONCE: usize = 8;

/// Runs every quiet way, each in a place of its own.
async fn all_ways<R>(run: impl Fn(Place, &'static str) -> R)
where
    R: Future<Output = ()> + Send + 'static,
{
    for ways in WAYS.chunks(AT_ONCE) {
        let runs: Vec<_> = ways
            .iter()
            .map(|(name, way)| (*name, tokio::spawn(run(Place::new(), way))))
            .collect();
        for (name, run) in runs {
            assert!(run.await.is_ok(), "{name}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_outlives_a_command_that_is_over() {
    all_ways(|place, way| async move {
        let result = place.bash(&script(place.path(), way, A_WHILE)).await;
        assert!(result.ended.found > 0, "{way}");
        assert_eq!(result.ended.survivors, [0; 0], "{way}");
        assert_eq!(place.survivors(), [""; 0], "{way}");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_outlives_a_shell_that_does_not_wait() {
    all_ways(|place, way| async move {
        let result = place.bash(&script(place.path(), way, "exit 3")).await;
        assert_eq!(result.exit_code, Some(3), "{way}");
        assert_eq!(result.ended.survivors, [0; 0], "{way}");
        assert_eq!(place.survivors(), [""; 0], "{way}");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_outlives_a_time_out() {
    all_ways(|place, way| async move {
        let mut spec = place.spec(&script(place.path(), way, "SLEEPER 100; SLEEPER 100"));
        spec.timeout = Some(A_MOMENT);
        spec.grace = Duration::from_millis(100);
        let result = place.run(spec).await;
        assert_eq!(result.ended.survivors, [0; 0], "{way}");
        assert_eq!(place.survivors(), [""; 0], "{way}");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_storm_outlives_its_command() {
    for (name, way) in STORMS {
        let place = Place::new();
        let mut spec = place.spec(&script(place.path(), way, "SLEEPER 100"));
        spec.timeout = Some(Duration::from_millis(150));
        spec.grace = Duration::from_millis(100);
        let start = Instant::now();
        let result = place.run(spec).await;
        assert!(start.elapsed() < SOON, "{name}: {:?}", start.elapsed());
        assert_eq!(result.ended.survivors, [0; 0], "{name}");
        assert_eq!(place.survivors(), [""; 0], "{name}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_outlives_an_abort() {
    all_ways(|place, way| async move {
        let token = CancellationToken::new();
        let mut spec = place.spec(&script(place.path(), way, "SLEEPER 100; SLEEPER 100"));
        spec.grace = Duration::from_millis(100);
        let run = place.processes.run(spec, &token, |_| {});
        let abort = async {
            tokio::time::sleep(A_MOMENT).await;
            token.cancel();
        };
        let (result, ()) = tokio::join!(run, abort);
        assert_eq!(result.unwrap().ended.survivors, [0; 0], "{way}");
        assert_eq!(place.survivors(), [""; 0], "{way}");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_outlives_the_closing_of_the_table() {
    all_ways(|place, way| async move {
        let mut spec = place.spec(&script(place.path(), way, A_WHILE));
        spec.leftovers = Leftovers::Adopt;
        spec.grace = Duration::from_millis(100);
        let result = place.run(spec).await;
        assert!(result.adopted > 0, "{way}");
        let ended = place.processes.close().await.unwrap();
        assert_eq!(ended.survivors, [0; 0], "{way}");
        assert_eq!(place.survivors(), [""; 0], "{way}");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_outlives_a_table_that_is_dropped() {
    all_ways(|place, way| async move {
        let spec = place.spec(&script(place.path(), way, "SLEEPER 100"));
        let token = CancellationToken::new();
        let command = place.processes.start(spec, &token).unwrap();
        tokio::time::sleep(A_MOMENT).await;
        let marker = place.path().display().to_string();
        let directory = place.without_processes();
        until_nobody_is_left(&marker, way);
        drop((command, directory));
    })
    .await;
}

/// The other half of the next test: a host that runs what it is given and is killed over it.
#[test]
#[ignore = "started by another test"]
fn a_host() {
    let place = Place::new();
    let marker = place.path().display().to_string();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let mut running = Vec::new();
        for (_, way) in WAYS.iter().chain(&STORMS[..2]) {
            let spec = place.spec(&script(place.path(), way, "SLEEPER 100; SLEEPER 100"));
            running.push(
                place
                    .processes
                    .start(spec, &CancellationToken::new())
                    .unwrap(),
            );
        }
        tokio::time::sleep(Duration::from_millis(500)).await;
        // Only now, so that everything runs when this process is killed.
        fs::write(std::env::var("TENON_TEST_REPORT").unwrap(), marker).unwrap();
        tokio::time::sleep(Duration::from_secs(60)).await;
        drop(running);
    });
}

#[test]
fn nobody_outlives_a_host_that_is_killed() {
    let directory = tempfile::tempdir().unwrap();
    let report = directory.path().join("report");
    let mut host = Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "guarding::a_host"])
        .env("TENON_TEST_REPORT", &report)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let start = Instant::now();
    let marker = loop {
        match fs::read_to_string(&report) {
            Ok(marker) if !marker.is_empty() => break marker,
            _ => assert!(start.elapsed() < 2 * SOON, "the host does not get going"),
        }
        std::thread::sleep(Duration::from_millis(10));
    };
    assert!(living(&marker).len() >= WAYS.len());
    host.kill().unwrap();
    host.wait().unwrap();
    until_nobody_is_left(&marker, "the host was killed");
    fs::remove_dir_all(marker).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_that_kills_its_helper_dies_of_it() {
    let place = Place::new();
    let result = place
        .bash(
            "sleep 0.3; setsid SLEEPER 100 & SLEEPER 100 & kill -9 $PPID; SLEEPER 100; echo never",
        )
        .await;
    assert_eq!(
        (result.exit_code, result.signal.as_deref()),
        (None, Some("SIGKILL"))
    );
    assert_eq!(result.output.merged.unwrap().head, "");
    assert_eq!(place.survivors(), [""; 0]);
    assert_eq!(place.processes.running(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_killed_helper_leaves_is_ended_and_not_handed_over() {
    for script in [
        "SLEEPER 100 & kill -9 $PPID; wait",
        "setsid -f SLEEPER 100; kill -9 $PPID; SLEEPER 100",
        "nohup SLEEPER 100 & setsid -f SLEEPER 100; kill -STOP $!; kill -9 $PPID; wait",
    ] {
        let place = Place::new();
        let mut spec = place.spec(script);
        spec.leftovers = Leftovers::Adopt;
        let result = place.run(spec).await;
        let ending = (result.signal.as_deref(), result.adopted);
        assert_eq!(ending, (Some("SIGKILL"), 0), "{script}");
        assert!(result.ended.found > 0, "{script}");
        assert_eq!(place.survivors(), [""; 0], "{script}");
        assert_eq!(place.processes.running(), 0, "{script}");
    }
}

/// The shell was faster than the helper that had to say that it runs.
#[tokio::test(flavor = "multi_thread")]
async fn a_command_that_kills_its_helper_with_its_first_step_dies_of_it() {
    let place = Place::new();
    for round in 0..40 {
        let mut spec = place.spec("kill -9 $PPID; SLEEPER 100");
        spec.shell = dash();
        let result = place.run(spec).await;
        assert_eq!(result.signal.as_deref(), Some("SIGKILL"), "{round}");
        assert_eq!(place.survivors(), [""; 0], "{round}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_helper_that_is_killed_after_its_processes_were_adopted_ends_them() {
    let place = Place::new();
    let mut spec =
        place.spec("helper=$PPID; (sleep 1; kill -9 $helper; exec SLEEPER 100) & exit 0");
    spec.leftovers = Leftovers::Adopt;
    let result = place.run(spec).await;
    assert_eq!((result.exit_code, result.adopted > 0), (Some(0), true));
    place.until_alive(0).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_helper_that_was_stopped_is_not_waited_for_in_vain() {
    let place = Place::new();
    // The shell continues, and the end of it is never reported.
    let mut spec = place.spec("sleep 0.1; kill -STOP $PPID; echo stopped; SLEEPER 100 & exit 0");
    spec.timeout = Some(Duration::from_millis(300));
    spec.grace = Duration::from_millis(100);
    let start = Instant::now();
    let result = place.run(spec).await;
    assert!(result.timed_out);
    assert!(start.elapsed() < 2 * SOON, "{:?}", start.elapsed());
    assert_eq!(place.survivors(), [""; 0]);
}

/// Everything above once more for a user without privileges.
#[test]
fn all_of_it_holds_without_privileges() {
    as_nobody(&["guarding::no"], None);
}

/// Shells ignore SIGINT for what they start with `&`, `nohup` ignores SIGHUP; both are handed on to every program.
#[test]
fn what_the_host_was_reported_to_ignore_ends_a_command_all_the_same() {
    let tests = [
        "running::a_signal_that_ends_the_shell_is_named_and_there_is_no_exit_code",
        "terminal::interrupts_typed_into_the_terminal_reach_the_foreground_program",
    ];
    let ended = Command::new("sh")
        .args(["-c", r#"trap '' HUP INT TERM QUIT; exec "$@""#, "sh"])
        .arg(std::env::current_exe().unwrap())
        .arg("--exact")
        .args(tests)
        .output()
        .unwrap();
    let reported = String::from_utf8_lossy(&ended.stdout);
    assert!(reported.contains("2 passed; 0 failed"), "{reported}");
}

/// The processes with this text in their command line.
fn living(marker: &str) -> Vec<String> {
    let lines = fs::read_dir("/proc")
        .unwrap()
        .flatten()
        .filter_map(|entry| {
            let line = fs::read(entry.path().join("cmdline")).ok()?;
            Some(String::from_utf8_lossy(&line).replace('\0', " "))
        });
    lines.filter(|line| line.contains(marker)).collect()
}

fn until_nobody_is_left(marker: &str, why: &str) {
    let start = Instant::now();
    while !living(marker).is_empty() {
        assert!(
            start.elapsed() < 2 * SOON,
            "{why}: {} live on",
            living(marker).len()
        );
        std::thread::sleep(Duration::from_millis(10));
    }
}
