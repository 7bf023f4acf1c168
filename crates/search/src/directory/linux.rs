//! Directories by handle.

use std::fs::File;
use std::io;
use std::path::Path;
use std::time::{Duration, SystemTime};

use rustix::fd::OwnedFd;
use rustix::fs::{
    AtFlags, CWD, FileType, Mode, OFlags, RawDir, ResolveFlags, Stat, fstat, openat, openat2,
    statat,
};

use crate::entries::{Entries, Kind};

const DIRECTORY_FLAGS: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);

/// `NONBLOCK` and `NOCTTY` matter only if a regular file was exchanged for a FIFO or a terminal
/// between listing and opening: then the open returns instead of waiting for a writer.
const FILE_FLAGS: OFlags = OFlags::RDONLY
    .union(OFlags::NOFOLLOW)
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOCTTY)
    .union(OFlags::CLOEXEC);

/// Bytes of entries that one `getdents64` may return.
const READ_BUFFER_BYTES: usize = 32 * 1024;

/// Space for one `getdents64`, to be reused.
#[derive(Debug)]
pub(crate) struct ReadBuffer(Vec<u8>);

impl ReadBuffer {
    pub(crate) fn new() -> Self {
        Self(Vec::with_capacity(READ_BUFFER_BYTES))
    }
}

/// An open directory.
#[derive(Debug)]
pub(crate) struct Handle(OwnedFd);

impl Handle {
    /// Opens the directory at `path`. Its last component must not be a link.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        Ok(Self(openat(CWD, path, DIRECTORY_FLAGS, Mode::empty())?))
    }

    /// Opens the directory `name` of this one, or the one at that path below, in which no link is followed either;
    /// `_path` is where it lies.
    pub(crate) fn child(&self, name: &[u8], _path: &[u8]) -> io::Result<Self> {
        if name.contains(&b'/') {
            return self.directory_beneath(name);
        }
        Ok(Self(openat(&self.0, name, DIRECTORY_FLAGS, Mode::empty())?))
    }

    /// Adds every entry but `.` and `..`. Returns how many could not be determined.
    pub(crate) fn read(
        &self,
        _path: &[u8],
        buffer: &mut ReadBuffer,
        entries: &mut Entries,
    ) -> io::Result<u64> {
        let mut lost = 0;
        let mut directory = RawDir::new(&self.0, buffer.0.spare_capacity_mut());
        while let Some(entry) = directory.next() {
            let entry = entry?;
            let name = entry.file_name().to_bytes();
            if name == b"." || name == b".." {
                continue;
            }
            let kind = match entry.file_type() {
                // Some file systems do not say; then the entry must be asked.
                FileType::Unknown => statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW)
                    .map(|status| kind(FileType::from_raw_mode(status.st_mode)))
                    .ok(),
                known => Some(kind(known)),
            };
            if !kind.is_some_and(|kind| entries.push(name, kind)) {
                lost += 1;
            }
        }
        Ok(lost)
    }

    /// Opens the regular file `name`, or the one at that path below the directory, in which no link is
    /// followed either; `_path` is the directory's.
    pub(crate) fn open_file(&self, name: &[u8], _path: &[u8]) -> io::Result<File> {
        if name.contains(&b'/') {
            return self.beneath(name, FILE_FLAGS).map(File::from);
        }
        Ok(File::from(openat(
            &self.0,
            name,
            FILE_FLAGS,
            Mode::empty(),
        )?))
    }

    /// When the entry `name` was last changed.
    pub(crate) fn modified(&self, name: &[u8], _path: &[u8]) -> io::Result<SystemTime> {
        let status = statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW)?;
        let nanoseconds = Duration::from_nanos(status.st_mtime_nsec);
        let time = match u64::try_from(status.st_mtime) {
            Ok(seconds) => {
                SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(seconds) + nanoseconds)
            }
            Err(_) => SystemTime::UNIX_EPOCH
                .checked_sub(Duration::from_secs(status.st_mtime.unsigned_abs()))
                .and_then(|time| time.checked_add(nanoseconds)),
        };
        time.ok_or_else(|| io::ErrorKind::InvalidData.into())
    }

    /// Opens the directory at a path below this one; no link is followed. The empty path is the directory itself.
    pub(crate) fn directory_beneath(&self, path: &[u8]) -> io::Result<Self> {
        let path: &[u8] = if path.is_empty() { b"." } else { path };
        self.beneath(path, DIRECTORY_FLAGS).map(Self)
    }

    fn beneath(&self, path: &[u8], flags: OFlags) -> io::Result<OwnedFd> {
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
        Ok(openat2(&self.0, path, flags, Mode::empty(), resolve)?)
    }

    /// What the system says of the entry at a path below; of a link itself.
    pub(crate) fn status(&self, path: &[u8]) -> io::Result<Stat> {
        Ok(statat(&self.0, path, AtFlags::SYMLINK_NOFOLLOW)?)
    }

    pub(crate) const fn descriptor(&self) -> &OwnedFd {
        &self.0
    }

    /// The file system it lies on.
    pub(crate) fn device(&self, _path: &[u8]) -> io::Result<u64> {
        Ok(fstat(&self.0)?.st_dev)
    }
}

/// Reads from a file, without what the C library does around a read for the sake of threads that are cancelled.
pub(crate) fn read(file: &mut File, buffer: &mut [u8]) -> io::Result<usize> {
    Ok(rustix::io::read(&*file, buffer)?)
}

/// Opens the regular file at `path`. Its last component must not be a link.
pub(crate) fn open_file(path: &Path) -> io::Result<File> {
    let file = File::from(openat(CWD, path, FILE_FLAGS, Mode::empty())?);
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "it is neither a directory nor a regular file",
        ))
    }
}

fn kind(kind: FileType) -> Kind {
    match kind {
        FileType::RegularFile => Kind::File,
        FileType::Directory => Kind::Directory,
        FileType::Symlink => Kind::Link,
        _ => Kind::Special,
    }
}
