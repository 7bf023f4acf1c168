//! Bytes as lines of base64, both ways: sandboxes for rent hand standard output on as text, and some take input as text only.

use std::io::{self, BufRead, Read, Write};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// What is written as one line at most: commands that carry a line into a sandbox have a limit of 128 KiB for a word.
const LINE_BYTES: usize = 48 * 1024;
/// A longer line is no input of ours.
const LINE_MAX: u64 = 1024 * 1024;

/// Carries bytes as lines, each as soon as it is there.
pub(crate) fn carry_as_lines(from: &mut impl Read, into: &mut impl Write) -> io::Result<()> {
    let mut bytes = vec![0; LINE_BYTES];
    loop {
        let count = match from.read(&mut bytes) {
            Ok(0) => return Ok(()),
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        let mut line = STANDARD.encode(bytes.get(..count).unwrap_or_default());
        line.push('\n');
        into.write_all(line.as_bytes())?;
        into.flush()?;
    }
}

/// Carries what lines stand for. An empty line is nothing; a line of a single dot ends it.
pub(crate) fn carry_lines(from: &mut impl BufRead, into: &mut impl Write) -> io::Result<()> {
    let mut line = Vec::new();
    loop {
        line.clear();
        if from.by_ref().take(LINE_MAX).read_until(b'\n', &mut line)? == 0 {
            return Ok(());
        }
        let text = line.trim_ascii();
        if text == b"." {
            return Ok(());
        }
        let bytes = STANDARD
            .decode(text)
            .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
        into.write_all(&bytes)?;
        into.flush()?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines_of(bytes: &[u8]) -> Vec<u8> {
        let mut lines = Vec::new();
        carry_as_lines(&mut &bytes[..], &mut lines).unwrap();
        lines
    }

    fn bytes_of(lines: &[u8]) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        carry_lines(&mut &lines[..], &mut bytes).map(|()| bytes)
    }

    #[test]
    fn any_bytes_come_back_from_lines_that_a_shell_can_carry() {
        let bytes: Vec<u8> = (0..200_000_u32).map(|it| (it % 251) as u8).collect();
        let lines = lines_of(&bytes);
        assert!(
            lines
                .split(|byte| *byte == b'\n')
                .all(|line| line.len() <= 65_536)
        );
        assert_eq!(bytes_of(&lines).unwrap(), bytes);
        assert_eq!(lines_of(b"\x00\xff"), b"AP8=\n");
    }

    #[test]
    fn ends_of_lines_of_other_systems_and_empty_lines_are_nothing() {
        assert_eq!(bytes_of(b"AP8=\r\n\n  \nAA==").unwrap(), b"\x00\xff\x00");
    }

    #[test]
    fn a_dot_ends_it_and_what_is_no_base64_is_refused() {
        assert_eq!(bytes_of(b"AA==\n.\nAA==\n").unwrap(), b"\x00");
        assert!(bytes_of(b"sh: not found\n").is_err());
    }
}
