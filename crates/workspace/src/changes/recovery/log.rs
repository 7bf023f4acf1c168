//! Reading the record of a commit.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufRead, BufReader};

use crate::changes::record::{FileFact, Line, StepLine, VERSION};

/// What a record reports.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Log {
    pub(super) steps: Vec<LoggedStep>,
    /// Directories that were made, the outer before the inner.
    pub(super) directories: Vec<OsString>,
    /// Whether files may have changed.
    pub(super) is_ready: bool,
    /// Whether all of them have.
    pub(super) is_done: bool,
}

/// One step as it was planned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LoggedStep {
    pub(super) line: StepLine,
    pub(super) temporary: Option<OsString>,
    /// Whether the file was to be written over in place.
    pub(super) is_in_place: bool,
}

impl Log {
    /// Reads a record up to the first line that is not whole. `None` for one of another version.
    pub(super) fn read(file: &File) -> io::Result<Option<Self>> {
        Self::parse(BufReader::new(file))
    }

    fn parse(mut reader: impl BufRead) -> io::Result<Option<Self>> {
        let mut log = Self::default();
        let mut bytes = Vec::new();
        let mut is_first = true;
        loop {
            bytes.clear();
            reader.read_until(b'\n', &mut bytes)?;
            if bytes.pop() != Some(b'\n') {
                return Ok(Some(log));
            }
            let Ok(line) = serde_json::from_slice(&bytes) else {
                // Torn by a crash of the machine; or of a version with other lines.
                return Ok((!is_first).then_some(log));
            };
            match line {
                Line::Begin { version, .. } if is_first && version == VERSION => {}
                _ if is_first => return Ok(None),
                line => log.add(line),
            }
            is_first = false;
        }
    }

    fn add(&mut self, line: Line) {
        match line {
            Line::Begin { .. } => {}
            Line::Directory { path } => self.directories.push(path),
            Line::Step(line) => self.steps.push(LoggedStep {
                line,
                temporary: None,
                is_in_place: false,
            }),
            Line::Temporary { step, name } => {
                if let Some(step) = self.steps.get_mut(step) {
                    step.temporary = Some(name);
                }
            }
            Line::InPlace { step, old, new } => {
                if let Some(step) = self.steps.get_mut(step) {
                    step.be_in_place(old, new);
                }
            }
            Line::Ready => self.is_ready = true,
            Line::Done => self.is_done = true,
        }
    }
}

impl LoggedStep {
    fn be_in_place(&mut self, old: FileFact, new: FileFact) {
        self.line.old = Some(old);
        self.line.new = Some(new);
        self.is_in_place = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::changes::record::StepWay;

    fn lines(lines: &[Line]) -> String {
        let lines = lines
            .iter()
            .map(|line| serde_json::to_string(line).unwrap() + "\n");
        lines.collect()
    }

    fn record() -> String {
        lines(&[
            Line::Begin {
                version: VERSION,
                process: 1,
            },
            Line::Step(StepLine {
                target: "/w/a".into(),
                way: StepWay::Replace,
                backup: Some(".tenon-0000000000000000.tmp".into()),
                old: Some(FileFact::of(b"old", Some(0o644))),
                new: Some(FileFact::of(b"new", Some(0o644))),
            }),
            Line::Temporary {
                step: 0,
                name: ".tenon-0000000000000001.tmp".into(),
            },
            Line::Ready,
        ])
    }

    #[test]
    fn what_is_torn_at_the_end_has_not_happened() {
        let whole = record();
        let read = |text: &str| Log::parse(text.as_bytes()).unwrap();
        assert!(read(&whole).unwrap().is_ready);
        for end in 1..whole.len() {
            let log = read(&whole[..end]).unwrap_or_default();
            assert!(!log.is_ready, "{end}");
            assert!(log.steps.len() <= 1);
        }
    }

    #[test]
    fn a_record_of_another_version_is_not_read() {
        let other = lines(&[Line::Begin {
            version: VERSION + 1,
            process: 1,
        }]);
        assert_eq!(Log::parse(other.as_bytes()).unwrap(), None);
        assert_eq!(Log::parse(&b"{\"later\":{}}\n"[..]).unwrap(), None);
    }
}
