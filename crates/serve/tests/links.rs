//! Messages that outlive connections: two links, and connections between them that are cut anywhere.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "helpers of tests, which are tests as well"
)]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::Value;
use tenon_serve::{Decoder, Link, LinkFault};

/// A message of about this many bytes.
fn body(number: usize, bytes: usize) -> String {
    format!(
        r#""method":"n","params":{{"number":{number},"text":"{}"}}}}"#,
        "x".repeat(bytes)
    )
}

fn number(message: &Value) -> usize {
    usize::try_from(message["params"]["number"].as_u64().unwrap()).unwrap()
}

/// Carries at most `budget` bytes from one link to the other, as a connection does before it is cut, and gives what arrived.
fn carry(
    from: &mut Link,
    into: &mut Link,
    decoder: &mut Decoder,
    budget: &mut usize,
) -> Vec<usize> {
    let mut arrived = Vec::new();
    while *budget > 0 {
        let Some(frame) = from.next_frame() else {
            break;
        };
        let sent = frame.len().min(*budget);
        *budget -= sent;
        decoder.push(&frame[..sent]);
        while let Some(frame) = decoder.next_frame().unwrap() {
            let taken = into.take(&frame).unwrap();
            arrived.extend(taken.message.as_ref().map(number));
            for acknowledged in taken.acknowledged {
                acknowledged();
            }
        }
    }
    arrived
}

/// A new connection, cut after so many bytes in both directions together; what arrived at either side.
fn connection(one: &mut Link, other: &mut Link, mut budget: usize) -> (Vec<usize>, Vec<usize>) {
    let (seen_one, seen_other) = (one.seen(), other.seen());
    for acknowledged in one.begin(seen_other).unwrap() {
        acknowledged();
    }
    for acknowledged in other.begin(seen_one).unwrap() {
        acknowledged();
    }
    let (mut there, mut back) = (Decoder::default(), Decoder::default());
    let (mut at_other, mut at_one) = (Vec::new(), Vec::new());
    loop {
        let before = budget;
        at_other.extend(carry(one, other, &mut there, &mut budget));
        at_one.extend(carry(other, one, &mut back, &mut budget));
        if budget == 0 || budget == before {
            return (at_other, at_one);
        }
    }
}

fn sizes() -> impl Strategy<Value = Vec<usize>> {
    vec(
        prop_oneof![8 => 0_usize..200, 1 => 60_000_usize..70_000, 1 => 300_000_usize..700_000],
        0..24,
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn each_message_arrives_once_in_the_order_of_its_lane_wherever_connections_are_cut(
        ours in sizes(),
        theirs in sizes(),
        lanes in 1_usize..4,
        cuts in vec(prop_oneof![1_usize..400, 1_000_usize..900_000], 0..12),
    ) {
        let (mut one, mut other) = (Link::default(), Link::default());
        for (index, bytes) in ours.iter().enumerate() {
            one.send((index % lanes) as u64, body(index, *bytes), None);
        }
        for (index, bytes) in theirs.iter().enumerate() {
            other.send((index % lanes) as u64, body(index, *bytes), None);
        }
        let (mut at_other, mut at_one) = (Vec::new(), Vec::new());
        for cut in cuts.into_iter().chain([usize::MAX]) {
            let (more_other, more_one) = connection(&mut one, &mut other, cut);
            at_other.extend(more_other);
            at_one.extend(more_one);
        }
        for (arrived, sent) in [(at_other, ours.len()), (at_one, theirs.len())] {
            let mut sorted = arrived.clone();
            sorted.sort_unstable();
            prop_assert_eq!(sorted, (0..sent).collect::<Vec<_>>());
            for lane in 0..lanes {
                let of_lane: Vec<_> = arrived.iter().filter(|number| *number % lanes == lane).collect();
                prop_assert!(of_lane.is_sorted());
            }
        }
        prop_assert_eq!((one.kept(), other.kept()), (0, 0));
    }

    #[test]
    fn any_frames_are_messages_or_a_fault_and_never_a_panic(
        payloads in vec(prop_oneof![
            vec(any::<u8>(), 0..40),
            "\\{\"method\":\"(ack|credit|whole|ping|x)\",\"seq\":[0-9]{1,20},\"params\":\\{\"seq\":[0-9]{1,20},\"transfer\":[0-9]{1,12},\"bytes\":[0-9]{1,20}\\}\\}".prop_map(String::into_bytes),
        ], 0..30),
        is_chunk in any::<bool>(),
    ) {
        let mut link = Link::default();
        for payload in payloads {
            let kind = if is_chunk { tenon_serve::FrameKind::Chunk } else { tenon_serve::FrameKind::Json };
            let _ = link.take(&tenon_serve::Frame { kind, payload });
        }
    }
}

#[test]
fn a_small_message_does_not_wait_for_a_large_one_without_credit_unless_they_are_about_the_same_call()
 {
    let (mut one, mut other) = (Link::default(), Link::default());
    one.send(7, body(0, 1_000_000), None);
    one.send(7, body(1, 1), None);
    one.send(8, body(2, 1), None);
    // The other side reads, but gives no credit: nothing of it is carried back.
    let mut decoder = Decoder::default();
    let mut budget = usize::MAX;
    let arrived = carry(&mut one, &mut other, &mut decoder, &mut budget);
    assert_eq!(arrived, [2]);
    let sent = usize::MAX - budget;
    assert!(
        (256 * 1024..300 * 1024).contains(&sent),
        "{sent} bytes were sent without credit"
    );
    // Now it does.
    let mut back = Decoder::default();
    let mut arrived = Vec::new();
    for _ in 0..20 {
        carry(&mut other, &mut one, &mut back, &mut usize::MAX.clone());
        arrived.extend(carry(&mut one, &mut other, &mut decoder, &mut budget));
    }
    assert_eq!(arrived, [0, 1]);
}

#[test]
fn an_acknowledgement_runs_what_waited_for_it_once() {
    let (mut one, mut other) = (Link::default(), Link::default());
    let count = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&count);
    let acknowledged = Box::new(move || _ = counted.fetch_add(1, Ordering::SeqCst));
    one.send(0, body(0, 1), Some(acknowledged));
    // It arrives, and the connection is cut before the acknowledgement.
    carry(
        &mut one,
        &mut other,
        &mut Decoder::default(),
        &mut usize::MAX.clone(),
    );
    assert_eq!(count.load(Ordering::SeqCst), 0);
    assert_eq!(
        connection(&mut one, &mut other, usize::MAX),
        (vec![], vec![])
    );
    assert_eq!(count.load(Ordering::SeqCst), 1);
}

#[test]
fn what_makes_no_sense_is_a_fault() {
    let refusal = |json: &str| {
        let payload = json.as_bytes().to_vec();
        let frame = tenon_serve::Frame {
            kind: tenon_serve::FrameKind::Json,
            payload,
        };
        Link::default().take(&frame).err()
    };
    let fault = |text: &str| Some(LinkFault(text.to_owned()));
    assert_eq!(
        refusal(r#"{"method":"call"}"#),
        fault("a message has no number")
    );
    assert_eq!(
        refusal(r#"{"seq":3,"method":"call"}"#),
        fault("message 3 came where 1 was expected")
    );
    assert_eq!(
        refusal(r#"{"method":"ack","params":{"seq":1}}"#),
        fault("message 1 is acknowledged, 0 was the last")
    );
    assert_eq!(
        refusal(r#"{"method":"whole","params":{"seq":1,"transfer":4,"bytes":0}}"#),
        fault("a transfer is unknown")
    );
}
