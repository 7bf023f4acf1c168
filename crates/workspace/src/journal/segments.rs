//! Short contents one behind the other in a few files: making a file takes longer than writing what is in it.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::truncate::wide;

/// From so many bytes on the next content begins another file. Contents are released in about the order in which they came, so that
/// what a file keeps of released ones is no more than this.
const SEGMENT_BYTES: u64 = 4 * 1024 * 1024;

/// Where a content is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Part {
    segment: u32,
    at: u64,
    bytes: u64,
}

#[derive(Debug, Default)]
pub(super) struct Segments {
    /// How many contents are in use of each file.
    used: HashMap<u32, usize>,
    /// The number of the file that is written to, and the bytes in it.
    last: u32,
    end: u64,
}

impl Segments {
    pub(super) fn write(&mut self, directory: &Path, content: &[u8]) -> io::Result<Part> {
        if self.end >= SEGMENT_BYTES {
            self.begin_next();
        }
        let mut options = File::options();
        options.append(true).create_new(self.end == 0);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(path_of(directory, self.last))?;
        if let Err(error) = file.write_all(content) {
            // What was written of it stays between the others.
            drop(file);
            self.give_up(directory);
            return Err(error);
        }
        let (segment, at, bytes) = (self.last, self.end, wide(content.len()));
        self.end += bytes;
        *self.used.entry(segment).or_default() += 1;
        Ok(Part { segment, at, bytes })
    }

    pub(super) fn read(directory: &Path, part: Part) -> io::Result<Vec<u8>> {
        let mut file = File::open(path_of(directory, part.segment))?;
        file.seek(SeekFrom::Start(part.at))?;
        let mut content = Vec::new();
        file.take(part.bytes).read_to_end(&mut content)?;
        Ok(content)
    }

    /// Frees the file with the last content of it.
    pub(super) fn release(&mut self, directory: &Path, part: Part) {
        let Some(used) = self.used.get_mut(&part.segment) else {
            return;
        };
        *used -= 1;
        if *used > 0 {
            return;
        }
        self.used.remove(&part.segment);
        // At worst it goes with the directory.
        let _ = fs::remove_file(path_of(directory, part.segment));
        if part.segment == self.last {
            self.begin_next();
        }
    }

    /// Forgets all of them.
    pub(super) fn clear(&mut self) {
        self.used.clear();
        self.begin_next();
    }

    fn give_up(&mut self, directory: &Path) {
        if !self.used.contains_key(&self.last) {
            let _ = fs::remove_file(path_of(directory, self.last));
        }
        self.begin_next();
    }

    const fn begin_next(&mut self) {
        self.last = self.last.wrapping_add(1);
        self.end = 0;
    }
}

fn path_of(directory: &Path, segment: u32) -> PathBuf {
    directory.join(format!("contents-{segment}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_freed_with_its_last_content_and_a_full_one_is_followed_by_another() {
        let directory = tempfile::tempdir().unwrap();
        let directory = directory.path();
        let files = || fs::read_dir(directory).unwrap().count();
        let mut segments = Segments::default();
        let contents: Vec<Vec<u8>> = (0..9).map(|byte| vec![byte; 1024 * 1024]).collect();
        let write = |content: &Vec<u8>| segments.write(directory, content).unwrap();
        let parts: Vec<Part> = contents.iter().map(write).collect();
        assert_eq!(files(), 3);
        for (part, content) in parts.iter().zip(&contents) {
            assert_eq!(Segments::read(directory, *part).unwrap(), *content);
        }
        // Whichever goes first.
        for part in parts.iter().take(3) {
            segments.release(directory, *part);
        }
        assert_eq!(files(), 3);
        segments.release(directory, parts[3]);
        segments.release(directory, parts[8]);
        assert_eq!(files(), 1);
        let again = segments.write(directory, b"again").unwrap();
        assert_eq!(Segments::read(directory, again).unwrap(), b"again");
        assert_eq!(Segments::read(directory, parts[5]).unwrap(), contents[5]);
        assert_eq!(files(), 2);
    }

    #[test]
    fn what_cannot_be_written_leaves_the_others_as_they_are() {
        let directory = tempfile::tempdir().unwrap();
        let mut segments = Segments::default();
        let first = segments.write(directory.path(), b"first").unwrap();
        let gone = directory.path().join("gone");
        assert!(segments.write(&gone, b"second").is_err());
        let third = segments.write(directory.path(), b"third").unwrap();
        let read = |part| Segments::read(directory.path(), part).unwrap();
        assert_eq!(read(first), b"first");
        assert_eq!(read(third), b"third");
        segments.clear();
        let fourth = segments.write(directory.path(), b"fourth").unwrap();
        assert_eq!(read(fourth), b"fourth");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn behind_what_was_written_in_part_nothing_is_added() {
        let directory = tempfile::tempdir().unwrap();
        let directory = directory.path();
        let mut segments = Segments::default();
        let first = segments.write(directory, b"first").unwrap();
        let (file, aside) = (path_of(directory, 0), directory.join("aside"));
        fs::rename(&file, &aside).unwrap();
        std::os::unix::fs::symlink("/dev/full", &file).unwrap();
        assert!(segments.write(directory, b"second").is_err());
        fs::rename(&aside, &file).unwrap();
        let third = segments.write(directory, b"third").unwrap();
        assert_ne!(first.segment, third.segment);
        for (part, content) in [(first, &b"first"[..]), (third, b"third")] {
            assert_eq!(Segments::read(directory, part).unwrap(), content);
        }
    }
}
