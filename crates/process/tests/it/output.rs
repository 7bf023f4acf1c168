//! What is kept of the output.

use std::time::Duration;

use tenon_process::{Capture, Keep, Streams};

use crate::support::{Place, text};

#[tokio::test(flavor = "multi_thread")]
async fn merged_streams_keep_the_order_of_writing() {
    let place = Place::new();
    let result = place
        .bash("for i in 1 2 3 4 5; do echo out$i; echo err$i >&2; done")
        .await;
    let expected: String = (1..=5).map(|i| format!("out{i}\nerr{i}\n")).collect();
    assert_eq!(text(&result), expected);
    assert_eq!((result.output.stdout, result.output.stderr), (None, None));
}

#[tokio::test(flavor = "multi_thread")]
async fn streams_apart_are_not_mixed() {
    let place = Place::new();
    let mut spec = place.spec("for i in 1 2 3; do echo out$i; echo err$i >&2; done");
    spec.streams = Streams::Apart;
    let output = place.run(spec).await.output;
    let heads = [output.stdout, output.stderr].map(|capture| capture.unwrap().head);
    assert_eq!(heads, ["out1\nout2\nout3\n", "err1\nerr2\nerr3\n"]);
    assert_eq!(output.merged, None);
}

#[tokio::test(flavor = "multi_thread")]
async fn both_ways_at_once_have_the_same_bytes() {
    let place = Place::new();
    let mut spec =
        place.spec("for i in 1 2 3; do echo out$i; sleep 0.2; echo err$i >&2; sleep 0.2; done");
    spec.streams = Streams::Both;
    let output = place.run(spec).await.output;
    assert_eq!(
        output.merged.unwrap().head,
        "out1\nerr1\nout2\nerr2\nout3\nerr3\n"
    );
    assert_eq!(output.stdout.unwrap().head, "out1\nout2\nout3\n");
    assert_eq!(output.stderr.unwrap().head, "err1\nerr2\nerr3\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn head_and_tail_are_kept_and_the_whole_is_counted() {
    let place = Place::new();
    let mut spec = place.spec("seq 1 100000; printf end");
    spec.keep = Keep::ends(20);
    spec.spill = false;
    assert_eq!(
        place.run(spec).await.output.merged.unwrap(),
        Capture {
            head: "1\n2\n3\n4\n5\n".into(),
            tail: "100000\nend".into(),
            omitted: Some(10..588_888),
            total_bytes: 588_898,
            total_lines: 100_001,
            spill: None,
        }
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn no_cut_breaks_a_character() {
    let place = Place::new();
    for keep in [
        Keep::head(10),
        Keep::tail(10),
        Keep::ends(11),
        Keep::ends(13),
        Keep::ends(3),
    ] {
        let mut spec = place.spec("for i in $(seq 1 3000); do printf 'aé😀'; done");
        spec.keep = keep;
        let capture = place.run(spec).await.output.merged.unwrap();
        assert_eq!(capture.total_bytes, 21_000);
        let kept = format!("{}{}", capture.head, capture.tail);
        assert!(
            kept.chars().all(|letter| "aé😀".contains(letter)),
            "{kept:?}"
        );
        assert!(capture.head.len() + capture.tail.len() + 6 >= keep.head_bytes + keep.tail_bytes);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn bytes_that_are_no_text_are_replaced_at_the_cut_as_well() {
    let place = Place::new();
    let mut spec = place.spec("head -c 100000 /dev/zero | tr '\\0' '\\377'; printf '\\303'");
    spec.keep = Keep::ends(8);
    let capture = place.run(spec).await.output.merged.unwrap();
    assert_eq!(
        (capture.head.as_str(), capture.tail.as_str()),
        (
            "\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}",
            "\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}"
        )
    );
    let result = place.bash("printf 'a\\377b\\0c'").await;
    assert_eq!(text(&result), "a\u{FFFD}b\0c");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_huge_single_line_and_output_without_newline_are_output_too() {
    let place = Place::new();
    let mut spec = place.spec("head -c 10000000 /dev/zero | tr '\\0' x");
    spec.keep = Keep::ends(100);
    let capture = place.run(spec).await.output.merged.unwrap();
    assert_eq!((capture.total_bytes, capture.total_lines), (10_000_000, 1));
    assert_eq!(capture.text("…"), format!("{0}…{0}", "x".repeat(50)));
    assert_eq!(text(&place.bash("printf abc").await), "abc");
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_lost_when_the_shell_ends_right_after_writing() {
    let place = Place::new();
    for _ in 0..30 {
        let mut spec = place.spec("seq 1 20000; echo last >&2");
        spec.streams = Streams::Apart;
        spec.keep = Keep::ends(1_000_000);
        let output = place.run(spec).await.output;
        assert_eq!(output.stdout.unwrap().total_bytes, 108_894);
        assert_eq!(output.stderr.unwrap().head, "last\n");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hundred_megabytes_pass_in_bounded_memory() {
    let place = Place::new();
    let mut spec = place.spec("yes | head -c 100000000");
    spec.timeout = Some(Duration::from_secs(60));
    let before = resident_bytes();
    let (mut peak, mut looks) = (0, 0);
    let token = tokio_util::sync::CancellationToken::new();
    let run = place.processes.run(spec, &token, |live| {
        assert!(live.snapshot().merged.is_some());
        peak = resident_bytes().max(peak);
        looks += 1;
    });
    let result = run.await.unwrap();
    let capture = result.output.merged.unwrap();
    assert_eq!(
        (capture.total_bytes, capture.total_lines),
        (100_000_000, 50_000_000)
    );
    assert_eq!(capture.spill.unwrap().bytes, 100_000_000);
    assert!(looks > 0);
    assert!(peak.saturating_sub(before) < 16_000_000, "{before} {peak}");
}

fn resident_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status
        .lines()
        .find(|line| line.starts_with("VmRSS"))
        .unwrap();
    line.split_whitespace()
        .nth(1)
        .unwrap()
        .parse::<u64>()
        .unwrap()
        * 1024
}
