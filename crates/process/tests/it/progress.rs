//! The listener.

use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

use crate::support::Place;

#[tokio::test(flavor = "multi_thread")]
async fn it_hears_the_whole_output_so_far_at_once_and_then_at_most_as_often_as_asked() {
    let place = Place::new();
    let mut spec =
        place.spec("echo first; for i in $(seq 1 200); do echo line$i; sleep 0.005; done");
    spec.progress_every = Duration::from_millis(200);
    let start = Instant::now();
    let mut received: Vec<(Duration, String)> = Vec::new();
    let result = place
        .processes
        .run(spec, &CancellationToken::new(), |live| {
            received.push((start.elapsed(), live.snapshot().merged.unwrap().head));
        })
        .await
        .unwrap();
    let whole = result.output.merged.unwrap().head;
    assert!(received[0].1.lines().count() < 100, "{received:?}");
    assert!(received.len() >= 3, "{}", received.len());
    for pair in received.windows(2) {
        assert!(pair[1].0 - pair[0].0 >= Duration::from_millis(199));
        assert!(pair[1].1.starts_with(&pair[0].1) && pair[1].1.len() > pair[0].1.len());
    }
    assert!(whole.starts_with(&received.last().unwrap().1));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_silent_command_is_not_reported() {
    let place = Place::new();
    let mut calls = 0;
    let spec = place.spec("sleep 0.2");
    place
        .processes
        .run(spec, &CancellationToken::new(), |_| calls += 1)
        .await
        .unwrap();
    assert_eq!(calls, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_last_piece_before_a_long_silence_is_received() {
    let place = Place::new();
    let mut spec = place.spec("echo a; sleep 0.01; echo b; sleep 4");
    spec.progress_every = Duration::from_millis(100);
    let mut last = (0, Duration::ZERO);
    place
        .processes
        .run(spec, &CancellationToken::new(), |live| {
            last = (live.total_bytes(), live.elapsed());
        })
        .await
        .unwrap();
    assert_eq!(last.0, 4);
    assert!(last.1 < Duration::from_secs(3), "{last:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_character_that_arrives_in_two_pieces_is_never_shown_broken() {
    let place = Place::new();
    let mut spec = place.spec("printf 'a\\360\\237'; sleep 0.3; printf '\\230\\200b'; sleep 0.3");
    spec.progress_every = Duration::from_millis(10);
    let mut received = Vec::new();
    place
        .processes
        .run(spec, &CancellationToken::new(), |live| {
            received.push(live.snapshot().merged.unwrap().head);
        })
        .await
        .unwrap();
    received.dedup();
    let whole = ["a", "a😀b"];
    assert!(
        !received.is_empty() && received.iter().all(|text| whole.contains(&text.as_str())),
        "{received:?}"
    );
}
