//! Programs that are kept running and spoken with.

use std::path::Path;
use std::time::Duration;

use tenon_process::{ProcessOptions, Processes, ServiceEnd, ServiceSpec};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};

use crate::support::{Place, SOON};

fn spec(place: &Place, script: &str) -> ServiceSpec {
    ServiceSpec {
        program: "/bin/sh".into(),
        // The path of the test's directory makes the process one that can be found.
        arguments: vec![
            "-c".into(),
            script
                .replace(
                    "SLEEPER",
                    &place.path().join("sleeper").display().to_string(),
                )
                .into(),
            place.path().into(),
        ],
        directory: place.path().to_owned(),
        environment: [("GREETING".to_owned(), "hello".into())].into(),
        grace: Duration::from_millis(500),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_service_is_spoken_with_over_its_streams_and_ends_by_itself() {
    let place = Place::new();
    let script = "while read -r line; do echo \"$GREETING $line\"; done; echo bye >&2; exit 3";
    let mut service = place
        .processes
        .start_service(&spec(&place, script))
        .unwrap();
    service.stdin.write_all(b"world\n").await.unwrap();
    let mut lines = BufReader::new(service.stdout).lines();
    assert_eq!(lines.next_line().await.unwrap().unwrap(), "hello world");
    drop(service.stdin);
    let mut complaints = String::new();
    service
        .stderr
        .read_to_string(&mut complaints)
        .await
        .unwrap();
    assert_eq!(complaints, "bye\n");
    let end = ServiceEnd {
        exit_code: Some(3),
        signal: None,
    };
    assert_eq!(service.process.ended().await, end);
    assert_eq!(service.process.ended().await, end, "asked twice");
    place.until_alive(0).await;
    assert_eq!(place.processes.running(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_service_goes_with_its_children_when_it_is_reported_dropped_or_the_table_is_closed() {
    let stubborn = "trap '' TERM; SLEEPER 600 & SLEEPER 600 & wait; SLEEPER 600";
    let place = Place::new();
    let mut reported = place
        .processes
        .start_service(&spec(&place, stubborn))
        .unwrap();
    place.until_alive(3).await;
    reported.process.end();
    tokio::time::timeout(SOON, reported.process.ended())
        .await
        .unwrap();
    place.until_alive(0).await;

    let dropped = place
        .processes
        .start_service(&spec(&place, stubborn))
        .unwrap();
    place.until_alive(3).await;
    drop(dropped);
    place.until_alive(0).await;

    let _kept = place
        .processes
        .start_service(&spec(&place, stubborn))
        .unwrap();
    place.until_alive(3).await;
    place.processes.close().await.unwrap();
    assert_eq!(place.survivors(), Vec::<String>::new());
    let error = place
        .processes
        .start_service(&spec(&place, "true"))
        .unwrap_err();
    assert_eq!(error.code(), tenon_contract::ErrorCode::Cancelled);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_that_cannot_be_started_is_named() {
    let place = Place::new();
    let mut missing = spec(&place, "");
    missing.program = "/no/such/server".into();
    let error = place.processes.start_service(&missing).unwrap_err();
    assert_eq!(
        error.to_string(),
        "`/no/such/server` could not be started: No such file or directory (os error 2)."
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_service_of_another_user_has_no_groups_and_gains_no_privileges() {
    if !rustix::process::getuid().is_root() {
        println!("skipped: only root can become another user");
        return;
    }
    let place = Place::new();
    let script =
        "grep -E '^(Uid|Gid|Groups|CapEff|NoNewPrivs)' /proc/self/status | tr -s '\\t ' ' '";
    let mut spec = spec(&place, script);
    spec.directory = "/".into();
    let mut service = place
        .processes
        .start_service_as(&spec, Some(65534))
        .unwrap();
    let mut reported = String::new();
    service.stdout.read_to_string(&mut reported).await.unwrap();
    let lines: Vec<&str> = reported.lines().map(str::trim_end).collect();
    assert_eq!(
        lines,
        [
            "Uid: 65534 65534 65534 65534",
            "Gid: 65534 65534 65534 65534",
            "Groups:",
            "CapEff: 0000000000000000",
            "NoNewPrivs: 1"
        ]
    );
    service.process.ended().await;
    let mut running = spec.clone();
    running.arguments[1] = "sleep 100 & sleep 100".into();
    let mut service = place
        .processes
        .start_service_as(&running, Some(65534))
        .unwrap();
    service.process.end();
    service.process.ended().await;
    assert_eq!(place.survivors(), [""; 0]);
}

#[test]
fn programs_are_found_in_the_path_that_commands_get() {
    let mut options = ProcessOptions::default();
    options
        .environment
        .add
        .insert("PATH".to_owned(), "/nowhere:relative:/bin".into());
    let processes = Processes::new(options);
    assert_eq!(
        processes.find_program("sh", |_| false).as_deref(),
        Some(Path::new("/bin/sh"))
    );
    assert_eq!(processes.find_program("sh", |_| true), None);
    assert_eq!(processes.find_program("no-such-program", |_| false), None);
}
