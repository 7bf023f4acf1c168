//! Takes secrets out of bytes that come in pieces.

use std::borrow::Cow;
use std::sync::Arc;

use memchr::{memchr, memmem, memrchr};

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
    pub fn push<'b>(&mut self, bytes: &'b [u8]) -> Cow<'b, [u8]> {
        if self.held.is_empty() {
            let (passed, rest) = bytes.split_at(ready(bytes));
            self.held.extend_from_slice(rest);
            return self.redacted(passed);
        }
        self.held.extend_from_slice(bytes);
        let rest = self.held.split_off(ready(&self.held));
        let passed = std::mem::replace(&mut self.held, rest);
        self.redacted(&passed).into_owned().into()
    }

    /// What was held back, at the end of the stream.
    pub fn finish(&mut self) -> Vec<u8> {
        let rest = std::mem::take(&mut self.held);
        self.redacted(&rest).into_owned()
    }

    fn redacted<'b>(&self, bytes: &'b [u8]) -> Cow<'b, [u8]> {
        if let Ok(text) = std::str::from_utf8(bytes) {
            return match self.redactor.redact(text) {
                Cow::Borrowed(_) => bytes.into(),
                Cow::Owned(redacted) => redacted.into_bytes().into(),
            };
        }
        // Between bytes that are no text there may be text.
        let mut redacted = Vec::with_capacity(bytes.len());
        for chunk in bytes.utf8_chunks() {
            let text = self.redactor.redact(chunk.valid());
            redacted.extend_from_slice(text.as_bytes());
            redacted.extend_from_slice(chunk.invalid());
        }
        redacted.into()
    }
}

/// How many of these bytes can be passed on: whole lines, unless the last one is too long to wait for its end.
fn ready(bytes: &[u8]) -> usize {
    let lines = whole_lines(bytes);
    if bytes.len() - lines > HELD_MAX_BYTES {
        whole_words(bytes)
    } else {
        lines
    }
}

/// Where the last line ends that is complete, before a private key that is not.
fn whole_lines(bytes: &[u8]) -> usize {
    let end = memrchr(b'\n', bytes).map_or(0, |at| at + 1);
    let lines = bytes.get(..end).unwrap_or_default();
    match memmem::find_iter(lines, b"-----BEGIN ").last() {
        Some(start) if !is_over(lines.get(start..).unwrap_or_default()) => start,
        _ => end,
    }
}

/// Where the last word ends. A word without end passes as it is.
fn whole_words(bytes: &[u8]) -> usize {
    let border = bytes.iter().rposition(u8::is_ascii_whitespace);
    border.map_or(bytes.len(), |at| at + 1)
}

/// Whether what begins here is no private key, or one whose end has come.
fn is_over(text: &[u8]) -> bool {
    let end = memchr(b'\n', text).unwrap_or(text.len());
    let line = text.get(..end).unwrap_or_default();
    memmem::find(line, b"PRIVATE KEY").is_none() || memmem::find(text, b"-----END ").is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passed(chunks: &[&str]) -> String {
        let mut stream = Stream::new(Arc::default());
        let mut all = Vec::new();
        for chunk in chunks {
            all.extend_from_slice(&stream.push(chunk.as_bytes()));
        }
        all.extend(stream.finish());
        String::from_utf8(all).unwrap()
    }

    #[test]
    fn a_secret_across_two_large_pieces_does_not_pass() {
        let filler = "a line of a log\n".repeat(HELD_MAX_BYTES / 4);
        let body = "MIIEpAIBAAKCAQEA7bq3dXb1".repeat(8);
        let key = format!(
            "-----BEGIN RSA PRIVATE KEY-----\n{body}\n{body}\n-----END RSA PRIVATE KEY-----\n"
        );
        let value = "api_key = 'Zq3vT9xLw2RkYb7NcHs5JdFg8MaQe1Uo'\n";
        for (secret, cut, hidden) in [
            (key.as_str(), 150, body.as_str()),
            (value, 10, "Zq3vT9xLw2RkYb7N"),
        ] {
            let (one, other) = secret.split_at(cut);
            let one = format!("{filler}{one}");
            let other = format!("{other}{filler}");
            let all = passed(&[&one, &other]);
            assert!(
                !all.contains(hidden) && all.contains("[redacted: "),
                "{}",
                all.len()
            );
            assert_eq!(all.matches("a line of a log\n").count(), HELD_MAX_BYTES / 2);
        }
    }

    #[test]
    fn a_line_that_is_too_long_to_wait_for_passes_by_words() {
        let mut stream = Stream::new(Arc::default());
        let line = "word ".repeat(HELD_MAX_BYTES / 4);
        assert_eq!(stream.push(line.as_bytes()), line.as_bytes());
        let word = "w".repeat(HELD_MAX_BYTES + 1);
        assert_eq!(stream.push(word.as_bytes()), word.as_bytes());
        assert_eq!(stream.push(b"the rest"), b"".as_slice());
        assert_eq!(stream.finish(), b"the rest");
    }
}
