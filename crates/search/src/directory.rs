//! An open directory: its entries and its files, reached without following links.
//!
//! On Linux through a handle (`getdents64`, and `openat` relative to it), so that nothing that
//! happens to the path meanwhile leads elsewhere; on other platforms through paths.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

#[cfg(all(target_os = "linux", not(feature = "portable")))]
mod linux;
#[cfg(not(all(target_os = "linux", not(feature = "portable"))))]
mod portable;

#[cfg(all(target_os = "linux", not(feature = "portable")))]
use linux as platform;
#[cfg(not(all(target_os = "linux", not(feature = "portable"))))]
use portable as platform;

pub(crate) use platform::{Handle, ReadBuffer, open_file, read};

/// Deeper directories are reopened by their path instead of being kept open while they wait for their
/// turn, so that a chain of a thousand directories does not use up the process's handles.
const KEPT_OPEN_DEPTH: usize = 64;

/// An open directory and where it lies.
#[derive(Debug)]
pub(crate) struct Directory {
    pub(crate) handle: Handle,
    /// Absolute path in the platform's own form.
    pub(crate) path: Vec<u8>,
    /// Place in path order, see [`crate::task::Task`]: the path relative to the root with NUL for
    /// `/` and after the last name.
    pub(crate) key: Vec<u8>,
    /// Zero for the root.
    pub(crate) depth: usize,
}

/// A directory that work waiting in the queue will need.
#[derive(Debug, Clone)]
pub(crate) enum DirectoryReference {
    Open(Arc<Directory>),
    Closed {
        path: Vec<u8>,
        key: Vec<u8>,
        depth: usize,
    },
}

impl DirectoryReference {
    pub(crate) fn new(directory: &Arc<Directory>) -> Self {
        if directory.depth <= KEPT_OPEN_DEPTH {
            Self::Open(Arc::clone(directory))
        } else {
            Self::Closed {
                path: directory.path.clone(),
                key: directory.key.clone(),
                depth: directory.depth,
            }
        }
    }

    pub(crate) fn get(self) -> std::io::Result<Arc<Directory>> {
        match self {
            Self::Open(directory) => Ok(directory),
            Self::Closed { path, key, depth } => {
                let handle = Handle::open(&to_path(&path))?;
                Ok(Arc::new(Directory {
                    handle,
                    path,
                    key,
                    depth,
                }))
            }
        }
    }
}

impl Directory {
    /// Opens the directory `name` of this one, which may be a path where it comes from an index.
    pub(crate) fn child(&self, name: &[u8]) -> std::io::Result<Self> {
        let path = join(&self.path, name);
        let handle = self.handle.child(name, &path)?;
        let mut key = self.key_of(name);
        key.push(0);
        let names = 1 + memchr::memchr_iter(b'/', name).count();
        Ok(Self {
            handle,
            path,
            key,
            depth: self.depth + names,
        })
    }

    /// The key of the entry `name`, which may be a path where entries come from an index.
    pub(crate) fn key_of(&self, name: &[u8]) -> Vec<u8> {
        let mut key = Vec::with_capacity(self.key.len() + name.len() + 1);
        key.extend_from_slice(&self.key);
        key.extend_from_slice(name);
        if let Some(added) = key
            .get_mut(self.key.len()..)
            .filter(|name| name.contains(&b'/'))
        {
            added
                .iter_mut()
                .filter(|byte| **byte == b'/')
                .for_each(|byte| *byte = 0);
        }
        key
    }

    /// Path of the entry `name` relative to the root with `/`, after `prefix`.
    pub(crate) fn answer(&self, prefix: &[u8], name: &[u8]) -> String {
        let mut bytes = Vec::with_capacity(prefix.len() + self.key.len() + name.len());
        bytes.extend_from_slice(prefix);
        bytes.extend(
            self.key
                .iter()
                .map(|byte| if *byte == 0 { b'/' } else { *byte }),
        );
        bytes.extend_from_slice(name);
        answered_name(bytes)
    }
}

/// The key of a path relative to the root.
pub(crate) fn relative_key(path: &[u8]) -> Vec<u8> {
    path.iter()
        .map(|byte| if *byte == b'/' { 0 } else { *byte })
        .collect()
}

/// `directory` and `name` with the platform's separator between them.
pub(crate) fn join(directory: &[u8], name: &[u8]) -> Vec<u8> {
    let mut path = Vec::with_capacity(directory.len() + name.len() + 1);
    join_into(&mut path, directory, name);
    path
}

/// The same into a buffer that is overwritten.
pub(crate) fn join_into(path: &mut Vec<u8>, directory: &[u8], name: &[u8]) {
    path.clear();
    path.extend_from_slice(directory);
    if !is_separator(directory.last()) {
        path.push(std::path::MAIN_SEPARATOR as u8);
    }
    path.extend_from_slice(name);
}

/// Whether `byte` ends a path such as `/` or `C:\`.
pub(crate) fn is_separator(byte: Option<&u8>) -> bool {
    byte.is_some_and(|byte| std::path::is_separator(char::from(*byte)))
}

/// A path of these bytes.
#[cfg(unix)]
pub(crate) fn to_path(bytes: &[u8]) -> Cow<'_, Path> {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    Cow::Borrowed(Path::new(OsStr::from_bytes(bytes)))
}

/// A path of these bytes. Names that are not Unicode never get here: listing leaves them out.
#[cfg(not(unix))]
pub(crate) fn to_path(bytes: &[u8]) -> Cow<'_, Path> {
    match String::from_utf8_lossy(bytes) {
        Cow::Borrowed(text) => Cow::Borrowed(Path::new(text)),
        Cow::Owned(text) => Cow::Owned(text.into()),
    }
}

/// A name in an answer: as it is, or quoted where it is not text.
pub(crate) fn answered_name(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| tenon_edit::name_of_bytes(error.as_bytes()))
}

/// The bytes of a path, as [`to_path`] takes them.
pub(crate) fn to_bytes(path: &Path) -> Vec<u8> {
    #[cfg(unix)]
    {
        path.as_os_str().as_encoded_bytes().to_vec()
    }
    #[cfg(not(unix))]
    {
        path.to_string_lossy().into_owned().into_bytes()
    }
}
