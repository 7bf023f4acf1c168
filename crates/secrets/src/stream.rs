//! Takes secrets out of bytes that come in pieces.

use std::sync::Arc;

use crate::redactor::Redactor;

/// Most bytes that are held back until the end of a line or of a key comes.
const HELD_MAX_BYTES: usize = 64 * 1024;

/// A stream without its secrets: whole lines pass, and of a private key nothing before all of it.
#[derive(Debug)]
pub struct Stream {
    redactor: Arc<Redactor>,
    held: Vec<u8>,
}

impl Stream {
    /// Through this redactor.
    #[must_use]
    pub fn new(redactor: Arc<Redactor>) -> Self {
        Self {
            redactor,
            held: Vec::new(),
        }
    }

    /// What can be passed on now that these bytes have come.
    pub fn push(&mut self, bytes: &[u8]) -> Vec<u8> {
        self.held.extend_from_slice(bytes);
        let ready = if self.held.len() > HELD_MAX_BYTES {
            self.last_border()
        } else {
            self.last_line()
        };
        let rest = self.held.split_off(ready);
        let passed = std::mem::replace(&mut self.held, rest);
        self.redacted(passed)
    }

    /// What was held back, at the end of the stream.
    pub fn finish(&mut self) -> Vec<u8> {
        let rest = std::mem::take(&mut self.held);
        self.redacted(rest)
    }

    /// Where the last line ends that is complete, before a private key that is not.
    fn last_line(&self) -> usize {
        let end = self
            .held
            .iter()
            .rposition(|&byte| byte == b'\n')
            .map_or(0, |at| at + 1);
        let complete = self.held.get(..end).unwrap_or_default();
        match last(complete, b"-----BEGIN ") {
            Some(start) if !is_over(complete.get(start..).unwrap_or_default()) => start,
            _ => end,
        }
    }

    /// Where a word ends, in a line that is too long to wait for its end. A word without end passes as it is.
    fn last_border(&self) -> usize {
        let border = self
            .held
            .iter()
            .rposition(u8::is_ascii_whitespace)
            .map_or(0, |at| at + 1);
        if border == 0 { self.held.len() } else { border }
    }

    fn redacted(&self, bytes: Vec<u8>) -> Vec<u8> {
        match std::str::from_utf8(&bytes) {
            Ok(text) => self.redactor.redact(text).into_owned().into_bytes(),
            // Between bytes that are no text there may be text.
            Err(_) => {
                let mut redacted = Vec::with_capacity(bytes.len());
                for chunk in bytes.utf8_chunks() {
                    let text = self.redactor.redact(chunk.valid());
                    redacted.extend_from_slice(text.as_bytes());
                    redacted.extend_from_slice(chunk.invalid());
                }
                redacted
            }
        }
    }
}

/// Whether what begins here is no private key, or one whose end has come.
fn is_over(text: &[u8]) -> bool {
    let line = text.split(|&byte| byte == b'\n').next().unwrap_or_default();
    last(line, b"PRIVATE KEY").is_none() || last(text, b"-----END ").is_some()
}

fn last(text: &[u8], part: &[u8]) -> Option<usize> {
    text.windows(part.len()).rposition(|window| window == part)
}
