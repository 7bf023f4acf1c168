//! Old content by its hash, in a folder that nobody else can look into.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::ContentHash;
use crate::truncate::wide;

/// The folder is made on first use under a random name, and removed when this is dropped.
#[derive(Debug)]
pub(super) struct Store {
    parent: Option<PathBuf>,
    folder: Option<TempDir>,
    contents: HashMap<ContentHash, Kept>,
    bytes: u64,
}

#[derive(Debug)]
struct Kept {
    bytes: u64,
    uses: usize,
}

impl Store {
    pub(super) fn new(parent: Option<PathBuf>) -> Self {
        Self {
            parent,
            folder: None,
            contents: HashMap::new(),
            bytes: 0,
        }
    }

    /// Where the folder is made, if not among the temporary files.
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
        let bytes = wide(bytes.len());
        self.bytes += bytes;
        self.contents.insert(hash, Kept { bytes, uses: 1 });
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
        if let Some(folder) = &self.folder {
            // At worst it goes with the folder.
            let _ = fs::remove_file(folder.path().join(hash.to_string()));
        }
    }

    /// The content of this hash, proven by it.
    pub(super) fn read(&self, hash: ContentHash) -> io::Result<Vec<u8>> {
        let folder = self.folder.as_ref().ok_or(io::ErrorKind::NotFound)?;
        let bytes = fs::read(folder.path().join(hash.to_string()))?;
        if ContentHash::of(&bytes) == hash {
            Ok(bytes)
        } else {
            Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "the kept content was damaged",
            ))
        }
    }

    /// Removes the folder with all that is in it.
    pub(super) fn close(&mut self) -> io::Result<()> {
        self.contents.clear();
        self.bytes = 0;
        self.folder.take().map_or(Ok(()), TempDir::close)
    }

    fn made(&mut self) -> io::Result<&Path> {
        let made = match self.folder.take() {
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
        Ok(self.folder.insert(made).path())
    }
}
