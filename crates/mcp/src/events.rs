//! The bytes of a stream of events: as characters, and within the bound of one event.

use std::str::from_utf8;

use futures_util::{Stream, StreamExt};
use tokio_util::bytes::Bytes;

/// Why a stream of events ends early.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Fault<E: std::error::Error> {
    #[error("its answer is longer than {} MB. Request less at once", .0 / 1024 / 1024)]
    TooLong(usize),
    #[error(transparent)]
    Source(E),
}

/// The bytes of a stream, of which every piece is whole characters, to the first event that is longer than `max` bytes.
pub(crate) fn in_characters<E: std::error::Error>(
    bytes: impl Stream<Item = Result<Bytes, E>>,
    max: usize,
) -> impl Stream<Item = Result<Bytes, Fault<E>>> {
    let mut event = Event::default();
    bytes.map(move |piece| {
        let text = event.characters(&piece.map_err(Fault::Source)?);
        match event.fits(&text, max) {
            true => Ok(Bytes::from(text)),
            false => Err(Fault::TooLong(max)),
        }
    })
}

/// What is known of the present event.
#[derive(Default)]
struct Event {
    /// The beginning of a character whose end has not come yet.
    rest: Vec<u8>,
    size: usize,
    is_in_line: bool,
    was_return: bool,
}

impl Event {
    /// Whole characters, with U+FFFD for what is none.
    fn characters(&mut self, bytes: &[u8]) -> String {
        let mut given = std::mem::take(&mut self.rest);
        given.extend_from_slice(bytes);
        let mut text = String::with_capacity(given.len());
        let mut left = given.as_slice();
        while let Err(error) = from_utf8(left) {
            let (valid, other) = left.split_at(error.valid_up_to());
            text.push_str(&String::from_utf8_lossy(valid));
            let Some(length) = error.error_len() else {
                self.rest = other.to_vec();
                return text;
            };
            text.push(char::REPLACEMENT_CHARACTER);
            left = other.get(length..).unwrap_or_default();
        }
        text.push_str(&String::from_utf8_lossy(left));
        text
    }

    /// Counts the bytes of the event; an empty line ends it.
    fn fits(&mut self, text: &str, max: usize) -> bool {
        for byte in text.bytes() {
            let is_second = byte == b'\n' && self.was_return;
            self.was_return = byte == b'\r';
            match byte {
                b'\n' if is_second => {}
                b'\n' | b'\r' if self.is_in_line => self.is_in_line = false,
                b'\n' | b'\r' => self.size = 0,
                _ => {
                    self.is_in_line = true;
                    self.size += 1;
                }
            }
            if self.size > max {
                return false;
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use futures_util::stream;

    use super::*;

    async fn read(pieces: &[&[u8]], max: usize) -> Vec<Result<String, String>> {
        let pieces: Vec<_> = pieces
            .iter()
            .map(|piece| Ok::<_, std::io::Error>(Bytes::copy_from_slice(piece)))
            .collect();
        let read = in_characters(stream::iter(pieces), max).map(|piece| match piece {
            Ok(piece) => Ok(String::from_utf8(piece.to_vec()).unwrap()),
            Err(fault) => Err(fault.to_string()),
        });
        read.collect().await
    }

    #[tokio::test]
    async fn characters_in_two_pieces_are_whole_and_bytes_that_are_none_are_replaced() {
        let text = |text: &str| Ok(text.to_owned());
        assert_eq!(
            read(&[b"a\xe2\x82", b"\xacb", b"\xffc\xe2", b"d"], 100).await,
            [
                text("a"),
                text("\u{20ac}b"),
                text("\u{fffd}c"),
                text("\u{fffd}d")
            ]
        );
    }

    #[tokio::test]
    async fn only_one_event_that_is_too_long_ends_the_stream() {
        let fine: &[u8] = b"data: 1\r\n\r\ndata: 2\n\ndata: 3\r\rdata: 4\n\n";
        assert_eq!(read(&[fine], 7).await.len(), 1);
        assert!(read(&[fine], 7).await.iter().all(Result::is_ok));
        let long: &[u8] = b"data: 1\r\ndata: 2\r\n\r\n";
        assert_eq!(
            read(&[long], 13).await,
            [Err(
                "its answer is longer than 0 MB. Request less at once".to_owned()
            )]
        );
    }
}
