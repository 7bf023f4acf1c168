//! Directories by path, with the standard library alone.

use std::fs::{self, File, FileType};
use std::io;
use std::path::Path;
use std::time::SystemTime;

use super::{join, to_path};
use crate::entries::{Entries, Kind};

/// Nothing is needed here; Linux reads into it.
#[derive(Debug)]
pub(crate) struct ReadBuffer;

impl ReadBuffer {
    pub(crate) fn new() -> Self {
        Self
    }
}

/// A directory whose path was seen to be one.
#[derive(Debug)]
pub(crate) struct Handle;

impl Handle {
    /// Opens the directory at `path`. Its last component must not be a link.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        if fs::symlink_metadata(path)?.is_dir() {
            Ok(Self)
        } else {
            Err(io::ErrorKind::NotADirectory.into())
        }
    }

    /// Opens the directory `_name` of this one, which lies at `path`.
    pub(crate) fn child(&self, _name: &[u8], path: &[u8]) -> io::Result<Self> {
        Self::open(&to_path(path))
    }

    /// Adds every entry. Returns how many could not be determined.
    pub(crate) fn read(
        &self,
        path: &[u8],
        _buffer: &mut ReadBuffer,
        entries: &mut Entries,
    ) -> io::Result<u64> {
        let mut lost = 0;
        for entry in fs::read_dir(to_path(path))? {
            let entry = entry?;
            let name = entry.file_name();
            let known = entry
                .file_type()
                .ok()
                .zip(name_bytes(&name))
                .is_some_and(|(file_type, name)| entries.push(name, kind(file_type)));
            if !known {
                lost += 1;
            }
        }
        Ok(lost)
    }

    /// Opens the regular file `name` of the directory at `path`.
    pub(crate) fn open_file(&self, name: &[u8], path: &[u8]) -> io::Result<File> {
        open_file(&to_path(&join(path, name)))
    }

    /// Whether a short read has come to the end of a file; not known here.
    pub(crate) const fn ends_at(&self, _end: usize) -> bool {
        false
    }

    /// When the entry `name` of the directory at `path` was last changed.
    pub(crate) fn modified(&self, name: &[u8], path: &[u8]) -> io::Result<SystemTime> {
        fs::symlink_metadata(to_path(&join(path, name)))?.modified()
    }

    /// The file system of the directory at `path`.
    #[cfg(unix)]
    pub(crate) fn device(&self, path: &[u8]) -> io::Result<u64> {
        use std::os::unix::fs::MetadataExt;
        Ok(fs::symlink_metadata(to_path(path))?.dev())
    }

    /// The standard library cannot say here; everything counts as one file system.
    #[cfg(not(unix))]
    pub(crate) fn device(&self, _path: &[u8]) -> io::Result<u64> {
        Ok(0)
    }
}

/// Reads from a file.
pub(crate) fn read(file: &mut File, buffer: &mut [u8]) -> io::Result<usize> {
    std::io::Read::read(file, buffer)
}

/// Opens the regular file at `path`. Its last component must not be a link.
pub(crate) fn open_file(path: &Path) -> io::Result<File> {
    if fs::symlink_metadata(path)?.is_file() {
        File::open(path)
    } else {
        Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "it is neither a directory nor a regular file",
        ))
    }
}

#[cfg(unix)]
fn name_bytes(name: &std::ffi::OsStr) -> Option<&[u8]> {
    Some(name.as_encoded_bytes())
}

#[cfg(not(unix))]
fn name_bytes(name: &std::ffi::OsStr) -> Option<&[u8]> {
    name.to_str().map(str::as_bytes)
}

fn kind(file_type: FileType) -> Kind {
    if file_type.is_symlink() {
        Kind::Link
    } else if file_type.is_dir() {
        Kind::Directory
    } else if file_type.is_file() {
        Kind::File
    } else {
        Kind::Special
    }
}
