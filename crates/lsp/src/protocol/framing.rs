//! Messages in a stream of bytes: the base protocol of LSP 3.17 (`Content-Length` frames).

use std::fmt;

/// Most bytes of header fields before one message.
const HEADER_MAX_BYTES: usize = 16 * 1024;
/// Most bytes that are not frames and are passed over in a row, such as a greeting that a server
/// prints on its standard output.
const NOISE_MAX_BYTES: usize = 64 * 1024;

/// Why a stream cannot be read on. After any of these nothing is known about where the next message
/// begins.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FrameFault {
    /// A length that is no number, or two different ones.
    #[error("a header says `{0}` where the length of a message is expected")]
    Length(String),
    /// Longer than is taken.
    #[error("a message of {bytes} bytes was announced where at most {max} are taken")]
    TooLong {
        /// As announced.
        bytes: u64,
        /// Most that is taken.
        max: usize,
    },
    /// No end of the header fields.
    #[error("the header fields of a message have no end")]
    Header,
    /// Too much that is no frame.
    #[error("what it writes are no messages of the protocol: `{0}`")]
    Noise(String),
}

/// Takes bytes as they come and gives messages as they are complete.
///
/// Header fields may come in any order and case and be ended by `\n` alone; unknown ones are passed
/// over, and so are lines that are no fields, up to 64 KiB of them. Memory is bounded by the longest message that
/// is taken.
///
/// ```
/// use tenon_lsp::FrameDecoder;
///
/// let mut decoder = FrameDecoder::new(1024);
/// decoder.push(b"content-length: 2\r\n\r\n{}Content-Len");
/// assert_eq!(decoder.next(), Ok(Some(b"{}".to_vec())));
/// assert_eq!(decoder.next(), Ok(None));
/// ```
pub struct FrameDecoder {
    max_bytes: usize,
    buffer: Vec<u8>,
    /// What of the buffer was given out or passed over.
    taken: usize,
    /// Where the search for the next line end goes on.
    searched: usize,
    /// Length of the message whose header is being read.
    length: Option<usize>,
    /// Whether the header is complete, and the message itself is awaited.
    in_body: bool,
    /// Bytes of the header so far.
    header: usize,
    noise: usize,
}

impl FrameDecoder {
    /// Takes messages of at most `max_bytes`.
    #[must_use]
    pub fn new(max_bytes: usize) -> Self {
        Self {
            max_bytes,
            buffer: Vec::new(),
            taken: 0,
            searched: 0,
            length: None,
            in_body: false,
            header: 0,
            noise: 0,
        }
    }

    /// Adds what came.
    pub fn push(&mut self, bytes: &[u8]) {
        if self.taken > 0 {
            self.buffer.drain(..self.taken);
            self.searched -= self.taken;
            self.taken = 0;
        }
        self.buffer.extend_from_slice(bytes);
    }

    /// The next message that is complete.
    ///
    /// # Errors
    /// [`FrameFault`]; the stream cannot be read on then.
    #[expect(
        clippy::should_implement_trait,
        reason = "an iterator would have ended; this one may have more later"
    )]
    pub fn next(&mut self) -> Result<Option<Vec<u8>>, FrameFault> {
        loop {
            if self.in_body {
                return Ok(self.body());
            }
            let Some(line) = self.line() else {
                return match self.header + (self.buffer.len() - self.taken) {
                    bytes if bytes > HEADER_MAX_BYTES => Err(self.endless()),
                    _ => Ok(None),
                };
            };
            self.field(&line)?;
        }
    }

    /// A header field, the empty line behind them, or noise.
    fn field(&mut self, line: &[u8]) -> Result<(), FrameFault> {
        if line.is_empty() {
            // Without a length it was the end of something that is no frame.
            self.in_body = self.length.is_some();
            self.header = 0;
            return Ok(());
        }
        let text = String::from_utf8_lossy(line);
        if let Some(value) = length_field(&text) {
            self.noise = 0;
            let length = self.announced(value)?;
            if self.length.is_some_and(|other| other != length) {
                return Err(FrameFault::Length(shown(&text)));
            }
            self.length = Some(length);
        } else if self.length.is_none() {
            self.noise += line.len() + 1;
            if self.noise > NOISE_MAX_BYTES {
                return Err(FrameFault::Noise(shown(&text)));
            }
            return Ok(());
        }
        self.header += line.len() + 1;
        if self.header > HEADER_MAX_BYTES {
            return Err(FrameFault::Header);
        }
        Ok(())
    }

    fn announced(&self, value: &str) -> Result<usize, FrameFault> {
        let is_number = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
        let bytes = value
            .parse::<u64>()
            .ok()
            .filter(|_| is_number)
            .ok_or_else(|| FrameFault::Length(shown(value)))?;
        usize::try_from(bytes)
            .ok()
            .filter(|length| *length <= self.max_bytes)
            .ok_or(FrameFault::TooLong {
                bytes,
                max: self.max_bytes,
            })
    }

    /// The next line without its end, taken off the buffer.
    fn line(&mut self) -> Option<Vec<u8>> {
        let rest = self.buffer.get(self.searched..)?;
        let Some(end) = rest.iter().position(|byte| *byte == b'\n') else {
            self.searched = self.buffer.len();
            return None;
        };
        let end = self.searched + end;
        let line = self.buffer.get(self.taken..end)?;
        let line = line.strip_suffix(b"\r").unwrap_or(line).to_vec();
        self.taken = end + 1;
        self.searched = self.taken;
        Some(line)
    }

    fn body(&mut self) -> Option<Vec<u8>> {
        let length = self.length?;
        let body = self
            .buffer
            .get(self.taken..self.taken.checked_add(length)?)?
            .to_vec();
        self.taken += length;
        self.searched = self.taken;
        self.length = None;
        self.in_body = false;
        Some(body)
    }

    fn endless(&self) -> FrameFault {
        if self.length.is_some() {
            return FrameFault::Header;
        }
        let rest = self.buffer.get(self.taken..).unwrap_or_default();
        FrameFault::Noise(shown(&String::from_utf8_lossy(rest)))
    }
}

impl fmt::Debug for FrameDecoder {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("FrameDecoder")
            .field("buffered", &(self.buffer.len() - self.taken))
            .field("length", &self.length)
            .finish_non_exhaustive()
    }
}

/// The value of a length field. Something without a line end may have been printed before it.
fn length_field(line: &str) -> Option<&str> {
    let name = "content-length";
    let at = line.to_ascii_lowercase().rfind(name)?;
    let value = line.get(at + name.len()..)?.trim_start();
    value.strip_prefix(':').map(str::trim)
}

/// The beginning of a text, for a sentence.
fn shown(text: &str) -> String {
    text.trim().chars().take(80).collect()
}

/// A message as it is sent.
pub(crate) fn frame(body: &[u8]) -> Vec<u8> {
    let mut framed = format!("Content-Length: {}\r\n\r\n", body.len()).into_bytes();
    framed.extend_from_slice(body);
    framed
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn all(decoder: &mut FrameDecoder) -> Result<Vec<String>, FrameFault> {
        let mut messages = Vec::new();
        while let Some(message) = decoder.next()? {
            messages.push(String::from_utf8_lossy(&message).into_owned());
        }
        Ok(messages)
    }

    fn decoded(bytes: &[u8]) -> Result<Vec<String>, FrameFault> {
        let mut decoder = FrameDecoder::new(100);
        decoder.push(bytes);
        all(&mut decoder)
    }

    #[test]
    fn fields_come_in_any_order_and_case_and_others_are_passed_over() {
        let stream = b"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nCONTENT-LENGTH:2\r\nX: y\r\n\r\n{}Content-Length: 3\n\n[1]Content-Length: 0\r\n\r\n";
        assert_eq!(
            decoded(stream),
            Ok(vec!["{}".into(), "[1]".into(), String::new()])
        );
    }

    #[test]
    fn what_a_server_prints_between_messages_is_passed_over() {
        let stream = b"Listening\n\nwarning: old config\r\nContent-Length: 2\r\n\r\n{}bye Content-Length: 1\n\n1bye\n";
        assert_eq!(decoded(stream), Ok(vec!["{}".into(), "1".into()]));
    }

    #[test]
    fn what_cannot_be_read_is_reported() {
        let fault = |stream: &[u8]| decoded(stream).unwrap_err().to_string();
        assert_eq!(
            fault(b"Content-Length: -1\r\n\r\n"),
            "a header says `-1` where the length of a message is expected"
        );
        assert_eq!(
            fault(b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n"),
            "a header says `Content-Length: 3` where the length of a message is expected"
        );
        assert_eq!(
            fault(b"Content-Length: 99999999999999999999\r\n\r\n"),
            "a header says `99999999999999999999` where the length of a message is expected"
        );
        assert_eq!(
            fault(b"Content-Length: 101\r\n\r\n"),
            "a message of 101 bytes was announced where at most 100 are taken"
        );
        let endless = [
            b"Content-Length: 1\r\n".as_slice(),
            &b"a: b\r\n".repeat(4000),
        ]
        .concat();
        assert_eq!(
            fault(&endless),
            "the header fields of a message have no end"
        );
        assert_eq!(
            fault(&b"hello\n".repeat(20_000)),
            "what it writes are no messages of the protocol: `hello`"
        );
        assert!(fault(&vec![0; 20_000]).starts_with("what it writes are no messages"));
    }

    proptest! {
        #[test]
        fn messages_survive_any_cutting_of_the_stream(
            bodies in proptest::collection::vec("\\PC{0,20}", 0..6),
            cuts in proptest::collection::vec(0_usize..400, 0..12),
        ) {
            let stream: Vec<u8> = bodies.iter().flat_map(|body| frame(body.as_bytes())).collect();
            let mut decoder = FrameDecoder::new(100);
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(stream.len())).collect();
            cuts.extend([0, stream.len()]);
            cuts.sort_unstable();
            let mut found = Vec::new();
            for pair in cuts.windows(2) {
                decoder.push(&stream[pair[0]..pair[1]]);
                found.extend(all(&mut decoder).unwrap());
            }
            prop_assert_eq!(found, bodies);
        }

        #[test]
        fn any_bytes_are_read_or_refused_alike_however_they_are_cut(
            bytes in proptest::collection::vec(prop_oneof![
                Just(b"Content-Length: ".to_vec()), Just(b"\r\n\r\n".to_vec()), Just(b"5".to_vec()),
                Just(b"{}".to_vec()), proptest::collection::vec(any::<u8>(), 0..9),
            ], 0..20).prop_map(|parts| parts.concat()),
            cut in 0_usize..200,
        ) {
            let whole = decoded(&bytes);
            let cut = cut.min(bytes.len());
            let mut decoder = FrameDecoder::new(100);
            let mut found = Vec::new();
            let mut fault = None;
            for part in [&bytes[..cut], &bytes[cut..]] {
                decoder.push(part);
                while fault.is_none() {
                    match decoder.next() {
                        Ok(Some(message)) => found.push(String::from_utf8_lossy(&message).into_owned()),
                        Ok(None) => break,
                        Err(reported) => fault = Some(reported),
                    }
                }
            }
            match (whole, fault) {
                (Ok(messages), None) => prop_assert_eq!(messages, found),
                (Err(reported), Some(fault)) => prop_assert_eq!(reported, fault),
                (whole, fault) => prop_assert!(false, "{:?} {:?}", whole, fault),
            }
        }
    }
}
