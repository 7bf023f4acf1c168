//! Bytes as frames.

use proptest::collection::vec;
use proptest::prelude::*;
use tenon_serve::{Decoder, Frame, FrameFault, FrameKind, encode};

fn frames() -> impl Strategy<Value = Vec<Frame>> {
    let kind = prop_oneof![Just(FrameKind::Json), Just(FrameKind::Chunk)];
    let frame =
        (kind, vec(any::<u8>(), 0..300)).prop_map(|(kind, payload)| Frame { kind, payload });
    vec(frame, 0..12)
}

proptest! {
    #[test]
    fn frames_are_the_same_however_their_bytes_are_cut(frames in frames(), cuts in vec(1_usize..40, 1..200)) {
        let bytes: Vec<u8> = frames.iter().flat_map(|frame| encode(frame.kind, &[&frame.payload])).collect();
        let mut decoder = Decoder::default();
        let (mut read, mut at, mut cuts) = (Vec::new(), 0, cuts.iter().cycle());
        while at < bytes.len() {
            let end = bytes.len().min(at + cuts.next().unwrap());
            decoder.push(&bytes[at..end]);
            at = end;
            while let Some(frame) = decoder.next_frame().unwrap() {
                read.push(frame);
            }
        }
        prop_assert_eq!(read, frames);
    }

    #[test]
    fn any_bytes_are_frames_or_a_fault_and_never_a_panic(pieces in vec(vec(any::<u8>(), 0..64), 0..40)) {
        let mut decoder = Decoder::default();
        let mut bytes = 0;
        for piece in &pieces {
            decoder.push(piece);
            bytes += piece.len();
            // Each frame takes five bytes at least: it comes to an end.
            for _ in 0..=bytes {
                match decoder.next_frame() {
                    Ok(Some(_)) => {}
                    Ok(None) | Err(_) => break,
                }
            }
        }
    }
}

#[test]
fn a_frame_that_is_empty_too_long_or_of_no_kind_is_a_fault_before_its_payload() {
    let fault = |bytes: &[u8]| {
        let mut decoder = Decoder::default();
        decoder.push(bytes);
        decoder.next_frame()
    };
    assert_eq!(fault(&[0, 0, 0, 0]), Err(FrameFault::Empty));
    assert_eq!(
        fault(&[0, 16, 0, 1]),
        Err(FrameFault::TooLong(1024 * 1024 + 1))
    );
    assert_eq!(fault(&[0, 0, 0, 9, 7]), Err(FrameFault::UnknownKind(7)));
    assert_eq!(fault(&[0, 0, 0, 9, 1, b'{']), Ok(None));
}
