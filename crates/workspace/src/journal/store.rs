//! Old content by its hash, in a directory that nobody else can look into.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::ContentHash;
use crate::truncate::wide;

/// The directory is made on first use under a random name, and removed when this is dropped. With a keeper there is none:
/// then only the uses are counted here.
#[derive(Debug)]
pub(super) struct Store {
    is_counting_only: bool,
    parent: Option<PathBuf>,
    directory: Option<TempDir>,
    contents: HashMap<ContentHash, KeptContent>,
    bytes: u64,
}

#[derive(Debug)]
struct KeptContent {
    bytes: u64,
    uses: usize,
}

impl Store {
    pub(super) fn new(parent: Option<PathBuf>, is_counting_only: bool) -> Self {
        Self {
            is_counting_only,
            parent,
            directory: None,
            contents: HashMap::new(),
            bytes: 0,
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
        if !self.is_counting_only {
            self.write(hash, bytes)?;
        }
        self.count(hash, wide(bytes.len()));
        Ok(())
    }

    /// Counts one more use of content that is kept elsewhere.
    pub(super) fn count(&mut self, hash: ContentHash, bytes: u64) {
        if let Some(kept) = self.contents.get_mut(&hash) {
            kept.uses += 1;
            return;
        }
        self.bytes += bytes;
        self.contents.insert(hash, KeptContent { bytes, uses: 1 });
    }

    /// Bytes of a content that is kept.
    pub(super) fn bytes_of(&self, hash: ContentHash) -> u64 {
        self.contents.get(&hash).map_or(0, |kept| kept.bytes)
    }

    /// Forgets all uses.
    pub(super) fn clear(&mut self) {
        self.contents.clear();
        self.bytes = 0;
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
        self.contents.remove(&hash);
        if let Some(directory) = &self.directory {
            // At worst it goes with the directory.
            let _ = fs::remove_file(directory.path().join(hash.to_string()));
        }
    }

    /// The content of this hash, proven by it.
    pub(super) fn read(&self, hash: ContentHash) -> io::Result<Vec<u8>> {
        let directory = self.directory.as_ref().ok_or(io::ErrorKind::NotFound)?;
        proven(fs::read(directory.path().join(hash.to_string()))?, hash)
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
