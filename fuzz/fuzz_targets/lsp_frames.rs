//! The base protocol of language servers: bytes in any pieces never panic, give the same messages however they are cut,
//! hold no more than was announced, and what the client frames itself is read back.
#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use tenon_lsp::{FrameDecoder, FrameFault};

const MAX_BYTES: usize = 4096;

#[derive(Arbitrary, Debug)]
struct Input<'a> {
    stream: &'a [u8],
    cuts: Vec<u8>,
    bodies: Vec<&'a [u8]>,
}

fn messages<'a>(pieces: impl Iterator<Item = &'a [u8]>) -> (Vec<Vec<u8>>, Option<FrameFault>) {
    let mut decoder = FrameDecoder::new(MAX_BYTES);
    let mut messages = Vec::new();
    for piece in pieces {
        decoder.push(piece);
        loop {
            match decoder.next() {
                Ok(Some(message)) => messages.push(message),
                Ok(None) => break,
                Err(fault) => return (messages, Some(fault)),
            }
        }
    }
    (messages, None)
}

fuzz_target!(|input: Input| {
    let whole = messages(std::iter::once(input.stream));
    assert!(whole.0.iter().all(|message| message.len() <= MAX_BYTES));
    let mut rest = input.stream;
    let mut sizes = input.cuts.iter().map(|cut| usize::from(*cut) + 1);
    let pieces = std::iter::from_fn(|| {
        let size = sizes.next().unwrap_or(rest.len()).min(rest.len());
        let (piece, after) = rest.split_at(size);
        rest = after;
        (!piece.is_empty()).then_some(piece)
    });
    let cut = messages(pieces);
    assert_eq!(whole.0, cut.0, "the same messages however they are cut");

    let bodies: Vec<&[u8]> = input.bodies.iter().copied().filter(|body| body.len() <= MAX_BYTES).collect();
    let mut framed = Vec::new();
    for body in &bodies {
        framed.extend_from_slice(format!("Content-Length: {}\r\n\r\n", body.len()).as_bytes());
        framed.extend_from_slice(body);
    }
    let (read, fault) = messages(std::iter::once(framed.as_slice()));
    assert_eq!(fault, None);
    assert_eq!(read, bodies);
});
