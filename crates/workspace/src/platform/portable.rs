//! Directories held by canonical path, for systems without handles to open beneath (Windows for now).
//! Before each use the path is resolved again and compared, which narrows the gap between check
//! and use but does not close it. In the tests of the other systems this is the reference.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Component, Path, PathBuf};

use super::{Need, ResolveFault, Resolved};
use crate::closed::Right;
use crate::real_place::real_path;
use crate::roots::Root;
use crate::{FileKind, Metadata};

/// Here there is only one way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Strategy {
    /// Canonicalise, compare, open.
    #[cfg_attr(unix, allow(dead_code))]
    Canonicalise,
}

impl Strategy {
    /// Where nothing is reached.
    #[cfg_attr(unix, allow(dead_code))]
    pub(crate) const UNPROBED: Self = Self::Canonicalise;

    /// What this system offers.
    #[cfg_attr(unix, allow(dead_code))]
    pub(crate) fn probe(_: &Directory) -> Self {
        Self::Canonicalise
    }
}

/// Users have no numbers here.
#[cfg_attr(unix, allow(dead_code))]
pub(crate) fn user() -> u32 {
    0
}

/// Not asked here.
#[cfg_attr(unix, allow(dead_code))]
pub(crate) fn is_read_only_mount(_: &Path) -> bool {
    false
}

/// There are no such attributes here.
#[cfg_attr(unix, allow(dead_code))]
pub(crate) fn keeping_attribute(_: &Path) -> Option<char> {
    None
}

/// Directories keep nothing here.
#[cfg_attr(unix, allow(dead_code))]
pub(crate) fn keeps_files_of_others(_: &Metadata, _: &Metadata) -> bool {
    false
}

/// Not known here: rights are lists of the system.
#[cfg_attr(unix, allow(dead_code))]
pub(crate) fn missing_right(_: &Path, _: &Path, _: Need) -> Option<(PathBuf, Right, Metadata)> {
    None
}

/// A directory by its canonical path.
#[derive(Debug)]
pub(crate) struct Directory(PathBuf);

/// Which directory it is. A directory is only held by its path here, so any directory is.
#[cfg_attr(unix, allow(dead_code))]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Identity {
    is_directory: bool,
}

impl Identity {
    /// Of the file that was looked at.
    #[cfg_attr(unix, allow(dead_code))]
    pub(crate) fn of(there: &fs::Metadata) -> Self {
        Self {
            is_directory: there.is_dir(),
        }
    }
}

/// Whether a part of the path turned out to be a link.
#[cfg_attr(unix, allow(dead_code))]
pub(crate) fn is_link_error(error: &io::Error) -> bool {
    error
        .get_ref()
        .is_some_and(|inner| inner.is::<BecameLink>())
}

#[derive(Debug, thiserror::Error)]
#[error("a part of the path became a link")]
struct BecameLink;

fn became_link() -> io::Error {
    io::Error::other(BecameLink)
}

#[cfg_attr(unix, allow(dead_code))]
impl Directory {
    /// Takes the directory at a canonical path.
    pub(crate) fn open_root(path: &Path) -> io::Result<Self> {
        fs::read_dir(path)?;
        Ok(Self(path.to_owned()))
    }

    /// Takes a directory beneath this one.
    pub(crate) fn descend(&self, beneath: &Path, _: Strategy) -> io::Result<Self> {
        let path = self.0.join(beneath);
        if real_path(&path)? != path {
            return Err(became_link());
        }
        if !fs::metadata(&path)?.is_dir() {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        Ok(Self(path))
    }

    /// Of this directory itself.
    pub(crate) fn own_metadata(&self) -> io::Result<Metadata> {
        fs::metadata(&self.0).map(|metadata| metadata_of(&metadata))
    }

    /// Which directory this is.
    #[cfg_attr(unix, allow(dead_code))]
    pub(crate) fn identity(&self) -> io::Result<Identity> {
        fs::symlink_metadata(&self.0).map(|there| Identity::of(&there))
    }

    /// Of a name in this directory; a link is not followed.
    pub(crate) fn metadata(&self, name: &OsStr) -> io::Result<Metadata> {
        fs::symlink_metadata(self.0.join(name)).map(|metadata| metadata_of(&metadata))
    }

    /// Opens for reading.
    pub(crate) fn open_read(&self, name: &OsStr) -> io::Result<File> {
        self.open(name, OpenOptions::new().read(true))
    }

    /// No system but Linux says what it has in memory.
    pub(crate) const fn keeps_cached(&self) -> bool {
        false
    }

    /// No system but Linux is asked.
    pub(crate) const fn may_hang(&self) -> bool {
        false
    }

    /// Nothing, as [`keeps_cached`](Self::keeps_cached) says.
    #[cfg_attr(unix, allow(dead_code))]
    pub(crate) const fn read_if_cached(
        &self,
        _: &Path,
        _: u64,
    ) -> Option<(File, Metadata, Vec<u8>)> {
        None
    }

    /// Opens an existing file for reading and writing, as it is.
    pub(crate) fn open_update(&self, name: &OsStr) -> io::Result<File> {
        self.open(name, OpenOptions::new().read(true).write(true))
    }

    /// Makes a file that did not exist, open for writing.
    pub(crate) fn create_new(&self, name: &OsStr, _: u32) -> io::Result<File> {
        OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(self.0.join(name))
    }

    fn open(&self, name: &OsStr, options: &OpenOptions) -> io::Result<File> {
        let path = self.0.join(name);
        if real_path(&path)? != path {
            return Err(became_link());
        }
        options.open(path)
    }

    /// Whether this process may write to the file.
    pub(crate) fn is_writable(&self, name: &OsStr) -> bool {
        fs::symlink_metadata(self.0.join(name))
            .is_ok_and(|metadata| !metadata.permissions().readonly())
    }

    /// Makes a directory.
    pub(crate) fn create_directory(&self, name: &OsStr) -> io::Result<()> {
        fs::create_dir(self.0.join(name))
    }

    /// Directories have no permission bits here.
    #[cfg_attr(unix, allow(dead_code))]
    pub(crate) fn set_own_mode(&self, _: u32) -> io::Result<()> {
        let _ = self;
        Ok(())
    }

    /// Renames within this directory, over what stands at `to`.
    pub(crate) fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        fs::rename(self.0.join(from), self.0.join(to))
    }

    /// Target of a link; `None` when something else stands there.
    #[cfg_attr(unix, allow(dead_code))]
    pub(crate) fn read_link(&self, beneath: &Path) -> io::Result<Option<PathBuf>> {
        let path = self.0.join(beneath);
        if fs::symlink_metadata(&path)?.is_symlink() {
            fs::read_link(&path).map(Some)
        } else {
            Ok(None)
        }
    }

    /// Renames within this directory; fails when something stands at `to`.
    pub(crate) fn rename_new(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        self.link(from, to)?;
        self.remove(from)
    }

    /// Gives a file a second name in this directory.
    pub(crate) fn link(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        fs::hard_link(self.0.join(from), self.0.join(to))
    }

    /// Links are made by nobody here: which kind of link it has to be is not known before its target is.
    #[cfg_attr(unix, allow(dead_code))]
    pub(crate) fn make_link(&self, _: &Path, _: &OsStr) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Removes a name that is no directory.
    pub(crate) fn remove(&self, name: &OsStr) -> io::Result<()> {
        fs::remove_file(self.0.join(name))
    }

    /// Removes an empty directory.
    pub(crate) fn remove_directory(&self, name: &OsStr) -> io::Result<()> {
        fs::remove_dir(self.0.join(name))
    }

    /// Names are brought to the disk by the system.
    pub(crate) fn sync(&self) -> io::Result<()> {
        let _ = self;
        Ok(())
    }

    /// Names in this directory in the order of the system, until `take` answers `false`.
    pub(crate) fn names(&self, take: &mut dyn FnMut(OsString) -> bool) -> io::Result<()> {
        for entry in fs::read_dir(&self.0)? {
            if !take(entry?.file_name()) {
                break;
            }
        }
        Ok(())
    }
}

/// Metadata of an open file.
#[cfg_attr(unix, allow(dead_code))]
pub(crate) fn file_metadata(file: &File) -> io::Result<Metadata> {
    file.metadata().map(|metadata| metadata_of(&metadata))
}

/// Permissions of the old file for the new one.
#[cfg_attr(unix, allow(dead_code))]
pub(crate) fn copy_attributes(old: &File, new: &File, _: &Metadata) -> io::Result<()> {
    new.set_permissions(old.metadata()?.permissions())
}

/// Of all permissions there is only the one to write here.
#[cfg_attr(unix, allow(dead_code))]
pub(crate) fn set_mode(file: &File, mode: u32) -> io::Result<()> {
    let mut permissions = file.metadata()?.permissions();
    permissions.set_readonly(mode & 0o222 == 0);
    file.set_permissions(permissions)
}

fn metadata_of(metadata: &fs::Metadata) -> Metadata {
    let kind = if metadata.is_symlink() {
        FileKind::Link
    } else if metadata.is_dir() {
        FileKind::Directory
    } else if metadata.is_file() {
        FileKind::File
    } else {
        FileKind::Other
    };
    Metadata {
        kind,
        size: metadata.len(),
        modified: metadata.modified().ok(),
        touched: None,
        mode: if metadata.permissions().readonly() {
            0o444
        } else {
            0o666
        },
        links: 1,
        device: 0,
        inode: 0,
        owner: 0,
        group: 0,
    }
}

/// Where `text` leads: the deepest ancestor that exists is canonicalised, the rest is joined to it.
pub(crate) fn resolve(roots: &[Root], start: &Path, text: &Path) -> Result<Resolved, ResolveFault> {
    let mut target = PathBuf::new();
    let mut name = PathBuf::new();
    // On Windows `\x` is neither absolute nor relative: `join` settles it.
    for part in start.join(text).components() {
        match part {
            Component::ParentDir => {
                name = target.clone();
                target.pop();
                name.pop();
            }
            Component::CurDir => {}
            // The drive alone means the current directory on it.
            part @ Component::Prefix(_) => {
                name.push(part);
                target.push(part);
            }
            part => {
                if cfg!(windows) && is_another_name(part.as_os_str()) {
                    return Err(ResolveFault::AnotherName);
                }
                name.push(part);
                target.push(part);
                follow(&mut target)?;
                let holds = |path: &Path| Root::holding(roots, path).is_some();
                if !holds(&name) && holds(&target) {
                    name.clone_from(&target);
                }
            }
        }
    }
    let is_missing = fs::symlink_metadata(&target).is_err();
    Ok(Resolved {
        name,
        target,
        is_missing,
    })
}

/// Whether Windows opens a file of another name by this one: that of a stream, or one with dots or spaces at its end. Rules on
/// the file would not be about it.
#[cfg_attr(unix, allow(dead_code))]
fn is_another_name(part: &OsStr) -> bool {
    let bytes = part.as_encoded_bytes();
    bytes.contains(&b':') || matches!(bytes.last(), Some(b'.' | b' '))
}

/// Whether the system says that nothing is there. On Windows it does so of names that no file can have, too, such as one with
/// straight quotes.
fn is_nothing(error: &io::Error) -> bool {
    let kind = error.kind();
    matches!(kind, io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
        || (cfg!(windows) && kind == io::ErrorKind::InvalidFilename)
}

/// Replaces the path by its canonical form if something stands there.
fn follow(path: &mut PathBuf) -> Result<(), ResolveFault> {
    match real_path(path) {
        Ok(canonical) => *path = canonical,
        Err(error) if is_nothing(&error) => {
            // A link that leads nowhere: what it would create is where it points to.
            if let Ok(target) = fs::read_link(&*path) {
                path.pop();
                path.push(target);
                return Err(ResolveFault::System(path.clone(), error));
            }
        }
        Err(error) => return Err(ResolveFault::System(path.clone(), error)),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_by_which_windows_opens_a_file_of_another_name_is_recognised() {
        for part in [".env::$DATA", ".env:stream", ".env.", ".env "] {
            assert!(is_another_name(OsStr::new(part)), "{part}");
        }
        for part in [".env", "a.b", " a", "..a"] {
            assert!(!is_another_name(OsStr::new(part)), "{part}");
        }
    }

    #[cfg(windows)]
    #[test]
    fn what_windows_takes_for_another_name_leads_nowhere() {
        let directory = tempfile::tempdir().unwrap();
        let root = real_path(directory.path()).unwrap();
        fs::write(root.join(".env"), "x").unwrap();
        for path in [".env::$DATA", ".env.", ".env ", "new.", "deep:er/x"] {
            let resolved = resolve(&[], &root, Path::new(path));
            let is_refused = matches!(resolved, Err(ResolveFault::AnotherName));
            assert!(is_refused, "{path}: {resolved:?}");
        }
        assert!(resolve(&[], &root, Path::new("../.env")).is_ok());
    }
}
