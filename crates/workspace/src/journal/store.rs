//! Old content by its hash: short ones in memory, as far as there is room, the others in a directory that nobody else can look into.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::segments::{Part, Segments};
use crate::ContentHash;
use crate::truncate::wide;

/// Longest content that is kept in memory, or together with others in one file. A small edit makes no second file for it.
const MAX_HELD_BYTES: usize = 64 * 1024;
/// Bytes that are kept in memory at most.
const MAX_MEMORY_BYTES: usize = 1024 * 1024;

/// The directory is made on first use under a random name, and removed when this is dropped. With a keeper there is none:
/// then only the uses are counted here.
#[derive(Debug)]
pub(super) struct Store {
    is_counting_only: bool,
    parent: Option<PathBuf>,
    directory: Option<TempDir>,
    segments: Segments,
    contents: HashMap<ContentHash, KeptContent>,
    bytes: u64,
    memory_bytes: usize,
}

#[derive(Debug)]
struct KeptContent {
    bytes: u64,
    uses: usize,
    place: Place,
}

#[derive(Debug)]
enum Place {
    Memory(Box<[u8]>),
    /// With others in one file.
    Part(Part),
    /// A file of its own, by its hash.
    File,
    /// The keeper has it.
    Elsewhere,
}

impl Store {
    pub(super) fn new(parent: Option<PathBuf>, is_counting_only: bool) -> Self {
        Self {
            is_counting_only,
            parent,
            directory: None,
            segments: Segments::default(),
            contents: HashMap::new(),
            bytes: 0,
            memory_bytes: 0,
        }
    }

    /// Where the directory is made, if not among the temporary files.
    pub(super) const fn parent(&self) -> Option<&PathBuf> {
        self.parent.as_ref()
    }

    /// Bytes that are kept.
    pub(super) const fn bytes(&self) -> u64 {
        self.bytes
    }

    pub(super) fn holds(&self, hash: ContentHash) -> bool {
        self.contents.contains_key(&hash)
    }

    /// Keeps this content until it is released as often as it was kept.
    pub(super) fn keep(&mut self, hash: ContentHash, bytes: &[u8]) -> io::Result<()> {
        if let Some(kept) = self.contents.get_mut(&hash) {
            kept.uses += 1;
            return Ok(());
        }
        let is_short = bytes.len() <= MAX_HELD_BYTES;
        let place = if self.is_counting_only {
            Place::Elsewhere
        } else if is_short && bytes.len() <= MAX_MEMORY_BYTES - self.memory_bytes {
            self.memory_bytes += bytes.len();
            Place::Memory(bytes.into())
        } else if is_short {
            let directory = self.made()?.to_owned();
            Place::Part(self.segments.write(&directory, bytes)?)
        } else {
            self.write(hash, bytes)?;
            Place::File
        };
        self.enter(hash, wide(bytes.len()), place);
        Ok(())
    }

    /// Counts one more use of content that is kept elsewhere.
    pub(super) fn count(&mut self, hash: ContentHash, bytes: u64) {
        match self.contents.get_mut(&hash) {
            Some(kept) => kept.uses += 1,
            None => self.enter(hash, bytes, Place::Elsewhere),
        }
    }

    fn enter(&mut self, hash: ContentHash, bytes: u64, place: Place) {
        self.bytes += bytes;
        let uses = 1;
        self.contents
            .insert(hash, KeptContent { bytes, uses, place });
    }

    /// Bytes of a content that is kept.
    pub(super) fn bytes_of(&self, hash: ContentHash) -> u64 {
        self.contents.get(&hash).map_or(0, |kept| kept.bytes)
    }

    /// Forgets all uses.
    pub(super) fn clear(&mut self) {
        self.contents.clear();
        self.segments.clear();
        (self.bytes, self.memory_bytes) = (0, 0);
    }

    /// The contents in use.
    pub(super) fn used(&self) -> impl Iterator<Item = ContentHash> {
        self.contents.keys().copied()
    }

    fn write(&mut self, hash: ContentHash, bytes: &[u8]) -> io::Result<()> {
        let path = self.made()?.join(hash.to_string());
        let mut options = File::options();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(&path)?;
        if let Err(error) = file.write_all(bytes) {
            // What was written of it must not stand in the way of the next attempt.
            let _ = fs::remove_file(&path);
            return Err(error);
        }
        Ok(())
    }

    pub(super) fn release(&mut self, hash: ContentHash) {
        let Some(kept) = self.contents.get_mut(&hash) else {
            return;
        };
        kept.uses -= 1;
        if kept.uses > 0 {
            return;
        }
        self.bytes -= kept.bytes;
        let kept = self.contents.remove(&hash);
        let directory = self.directory.as_ref().map(TempDir::path);
        match (kept.map(|kept| kept.place), directory) {
            (Some(Place::Memory(held)), _) => self.memory_bytes -= held.len(),
            (Some(Place::Part(part)), Some(directory)) => self.segments.release(directory, part),
            (Some(Place::File), Some(directory)) => {
                // At worst it goes with the directory.
                let _ = fs::remove_file(directory.join(hash.to_string()));
            }
            _ => {}
        }
    }

    /// The content of this hash, proven by it.
    pub(super) fn read(&self, hash: ContentHash) -> io::Result<Vec<u8>> {
        let place = self.contents.get(&hash).map(|kept| &kept.place);
        if let Some(Place::Memory(held)) = place {
            return Ok(held.to_vec());
        }
        let directory = self.directory.as_ref().ok_or(io::ErrorKind::NotFound)?;
        let bytes = match place {
            Some(Place::Part(part)) => Segments::read(directory.path(), *part)?,
            _ => fs::read(directory.path().join(hash.to_string()))?,
        };
        proven(bytes, hash)
    }

    /// Removes the directory with all that is in it.
    pub(super) fn close(&mut self) -> io::Result<()> {
        self.clear();
        self.directory.take().map_or(Ok(()), TempDir::close)
    }

    fn made(&mut self) -> io::Result<&Path> {
        let made = match self.directory.take() {
            Some(made) => made,
            None => {
                let mut builder = tempfile::Builder::new();
                builder.prefix("tenon-journal-").rand_bytes(12);
                #[cfg(unix)]
                builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
                match &self.parent {
                    Some(parent) => builder.tempdir_in(parent)?,
                    None => builder.tempdir()?,
                }
            }
        };
        Ok(self.directory.insert(made).path())
    }
}

/// Content that has this hash.
pub(super) fn proven(bytes: Vec<u8>, hash: ContentHash) -> io::Result<Vec<u8>> {
    if ContentHash::of(&bytes) == hash {
        Ok(bytes)
    } else {
        Err(io::Error::new(
            io::ErrorKind::InvalidData,
            "the kept content was damaged",
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_contents_stay_in_memory_up_to_a_limit_and_then_share_a_file() {
        let parent = tempfile::tempdir().unwrap();
        let mut store = Store::new(Some(parent.path().to_owned()), false);
        let files = || -> usize {
            let made = fs::read_dir(parent.path()).unwrap();
            made.map(|entry| fs::read_dir(entry.unwrap().path()).unwrap().count())
                .sum()
        };
        let short = vec![b'a'; MAX_HELD_BYTES];
        let long = vec![b'b'; MAX_HELD_BYTES + 1];
        let (first, second) = (ContentHash::of(&short), ContentHash::of(&long));
        store.keep(first, &short).unwrap();
        assert_eq!(files(), 0);
        store.keep(second, &long).unwrap();
        assert_eq!(files(), 1);
        assert_eq!(store.read(first).unwrap(), short);
        assert_eq!(store.read(second).unwrap(), long);
        // The limit is that of all together.
        let others: Vec<Vec<u8>> = (0..20_u8).map(|byte| vec![byte; MAX_HELD_BYTES]).collect();
        for other in &others {
            store.keep(ContentHash::of(other), other).unwrap();
        }
        assert!(others.len() > MAX_MEMORY_BYTES / MAX_HELD_BYTES);
        assert_eq!(files(), 2);
        for other in &others {
            assert_eq!(store.read(ContentHash::of(other)).unwrap(), *other);
            store.release(ContentHash::of(other));
        }
        store.release(second);
        assert_eq!((files(), store.memory_bytes), (0, MAX_HELD_BYTES));
        assert!(store.read(second).is_err());
        store.release(first);
        assert_eq!((store.bytes(), store.memory_bytes), (0, 0));
    }
}
