//! The whole output on disk.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use tenon_process::{Keep, Streams};

use crate::support::{Place, text};

fn mode(path: &std::path::Path) -> u32 {
    path.metadata().unwrap().permissions().mode() & 0o777
}

#[tokio::test(flavor = "multi_thread")]
async fn an_output_that_is_too_long_lies_whole_in_a_private_file() {
    let place = Place::new();
    let mut spec = place.spec("seq 1 300000");
    spec.keep = Keep::ends(1000);
    let capture = place.run(spec).await.output.merged.unwrap();
    let spill = capture.spill.unwrap();
    let whole: String = (1..=300_000).map(|number| format!("{number}\n")).collect();
    assert_eq!(fs::read_to_string(&spill.path).unwrap(), whole);
    assert_eq!(
        (spill.bytes, spill.complete, spill.failure),
        (whole.len() as u64, true, None)
    );
    assert_eq!(
        (mode(&spill.path), mode(spill.path.parent().unwrap())),
        (0o600, 0o700)
    );
    assert_eq!(
        spill.path.parent(),
        place.processes.spill_directory().as_deref()
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn streams_apart_have_a_file_each_and_only_if_they_need_it() {
    let place = Place::new();
    let mut spec = place.spec("seq 1 1000; echo few >&2");
    spec.keep = Keep::tail(100);
    spec.streams = Streams::Apart;
    let output = place.run(spec).await.output;
    let spill = output.stdout.unwrap().spill.unwrap();
    assert!(
        spill
            .path
            .file_name()
            .unwrap()
            .to_str()
            .unwrap()
            .starts_with("stdout-")
    );
    assert_eq!(output.stderr.unwrap().spill, None);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_kept_whole_needs_no_file() {
    let place = Place::new();
    let mut spec = place.spec("printf 0123456789");
    spec.keep = Keep::ends(10);
    assert_eq!(text(&place.run(spec).await), "0123456789");
    assert_eq!(place.processes.spill_directory(), None);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_quota_ends_the_file_and_not_the_command() {
    let place = Place::with(|options| options.spill.file_bytes = 1000);
    let mut spec = place.spec("seq 1 10000; exit 3");
    spec.keep = Keep::ends(100);
    let result = place.run(spec).await;
    let spill = result.output.merged.unwrap().spill.unwrap();
    assert_eq!(result.exit_code, Some(3));
    assert_eq!((spill.bytes, spill.complete), (1000, false));
    assert_eq!(
        spill.failure.as_deref(),
        Some("The quota for output on disk is used up.")
    );
    assert_eq!(fs::metadata(spill.path).unwrap().len(), 1000);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_directory_that_cannot_be_made_is_reported_and_the_command_runs_all_the_same() {
    let place = Place::with(|options| options.spill.parent = Some("/proc/none".into()));
    let mut spec = place.spec("seq 1 1000");
    spec.keep = Keep::ends(100);
    let result = place.run(spec).await;
    let capture = result.output.merged.unwrap();
    assert_eq!((result.exit_code, capture.total_bytes), (Some(0), 3893));
    let spill = capture.spill.unwrap();
    assert!(
        !spill.complete
            && spill
                .failure
                .unwrap()
                .starts_with("The file could not be made: ")
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn closing_or_dropping_the_table_removes_the_files() {
    for closes in [true, false] {
        let place = Place::new();
        let spilled = place.spilled();
        let mut spec = place.spec("seq 1 1000");
        spec.keep = Keep::ends(100);
        place.run(spec).await;
        assert_eq!(fs::read_dir(&spilled).unwrap().count(), 1);
        let table = place.processes.clone();
        if closes {
            table.close().await.unwrap();
            assert_eq!(fs::read_dir(&spilled).unwrap().count(), 0);
        }
        drop(table);
        let kept = place.without_processes();
        assert_eq!(
            fs::read_dir(kept.path().join("spilled")).unwrap().count(),
            0
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_output_without_a_file_says_why_the_rest_was_not_kept() {
    let place = Place::with(|options| options.spill.parent = Some("/dev/null".into()));
    let mut spec = place.spec("seq 1 10000");
    spec.keep = Keep::ends(100);
    let spill = place.run(spec).await.output.merged.unwrap().spill.unwrap();
    let (sentence, failure) = (spill.sentence().unwrap(), place.processes.output_failure());
    assert!(
        sentence.starts_with(
            "The rest was not kept. The file could not be made: Not a directory (os error 20) at path \"/dev/null/tenon-"
        ),
        "{sentence}"
    );
    assert!(failure.unwrap().starts_with("Not a directory"));
}

#[tokio::test(flavor = "multi_thread")]
async fn another_directory_is_made_when_somebody_cleared_that_of_the_temporary_files() {
    let place = Place::new();
    let spilled = async || {
        let mut spec = place.spec("seq 1 10000");
        spec.keep = Keep::ends(100);
        place.run(spec).await.output.merged.unwrap().spill.unwrap()
    };
    let first = spilled().await;
    fs::remove_dir_all(first.path.parent().unwrap()).unwrap();
    let second = spilled().await;
    assert_eq!((second.complete, second.failure), (true, None));
    assert!(second.path.is_file() && second.path.parent() != first.path.parent());
}
