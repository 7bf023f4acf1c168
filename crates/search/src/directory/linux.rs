//! Directories by handle.

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::OnceLock;
use std::time::{Duration, SystemTime};

use rustix::fd::OwnedFd;
use rustix::fs::{
    AtFlags, CWD, FileType, Mode, OFlags, RawDir, ResolveFlags, Stat, fstat, fstatfs, openat,
    openat2, statat,
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

/// File systems in which a file is read from the memory of this kernel: ext, XFS, Btrfs, tmpfs, F2FS, bcachefs, ZFS, and
/// what is laid over them.
const FROM_MEMORY: [u32; 8] = [
    0xEF53,
    0x5846_5342,
    0x9123_683E,
    0x0102_1994,
    0xF2F5_2010,
    0xCA45_1A4E,
    0x2FC1_2FC1,
    OVERLAY,
];
const OVERLAY: u32 = 0x794C_7630;

/// A read of a file that fails half way ends where a page does.
const PAGE_BYTES: usize = 4096;

/// An open directory.
#[derive(Debug)]
pub(crate) struct Handle {
    descriptor: OwnedFd,
    /// Its file system.
    kind: OnceLock<Option<u32>>,
}

impl From<OwnedFd> for Handle {
    fn from(descriptor: OwnedFd) -> Self {
        Self {
            descriptor,
            kind: OnceLock::new(),
        }
    }
}

impl Handle {
    /// Opens the directory at `path`. Its last component must not be a link.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        Ok(openat(CWD, path, DIRECTORY_FLAGS, Mode::empty())?.into())
    }

    /// Opens the directory `name` of this one, or the one at that path below, in which no link is followed either;
    /// `_path` is where it lies.
    pub(crate) fn child(&self, name: &[u8], _path: &[u8]) -> io::Result<Self> {
        if name.contains(&b'/') {
            return self.directory_beneath(name);
        }
        Ok(openat(&self.descriptor, name, DIRECTORY_FLAGS, Mode::empty())?.into())
    }

    /// Adds every entry but `.` and `..`. Returns how many could not be determined.
    pub(crate) fn read(
        &self,
        _path: &[u8],
        buffer: &mut ReadBuffer,
        entries: &mut Entries,
    ) -> io::Result<u64> {
        let mut lost = 0;
        let mut directory = RawDir::new(&self.descriptor, buffer.0.spare_capacity_mut());
        while let Some(entry) = directory.next() {
            let entry = entry?;
            let name = entry.file_name().to_bytes();
            if name == b"." || name == b".." {
                continue;
            }
            let kind = match entry.file_type() {
                // Some file systems do not say; then the entry must be asked.
                FileType::Unknown => statat(&self.descriptor, name, AtFlags::SYMLINK_NOFOLLOW)
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
            &self.descriptor,
            name,
            FILE_FLAGS,
            Mode::empty(),
        )?))
    }

    /// When the entry `name` was last changed.
    pub(crate) fn modified(&self, name: &[u8], _path: &[u8]) -> io::Result<SystemTime> {
        let status = statat(&self.descriptor, name, AtFlags::SYMLINK_NOFOLLOW)?;
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
        self.beneath(path, DIRECTORY_FLAGS).map(Self::from)
    }

    fn beneath(&self, path: &[u8], flags: OFlags) -> io::Result<OwnedFd> {
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
        Ok(openat2(
            &self.descriptor,
            path,
            flags,
            Mode::empty(),
            resolve,
        )?)
    }

    /// What the system says of the entry at a path below; of a link itself.
    pub(crate) fn status(&self, path: &[u8]) -> io::Result<Stat> {
        Ok(statat(&self.descriptor, path, AtFlags::SYMLINK_NOFOLLOW)?)
    }

    /// What the entry `name` is, if there is one.
    pub(crate) fn kind_of(&self, name: &[u8]) -> Option<Kind> {
        let status = self.status(name).ok()?;
        Some(kind(FileType::from_raw_mode(status.st_mode)))
    }

    pub(crate) const fn descriptor(&self) -> &OwnedFd {
        &self.descriptor
    }

    /// Whether every change of its file system is made by this kernel. On any other (network, overlay, FUSE), something
    /// else may change files without a word.
    pub(crate) fn is_local(&self) -> bool {
        self.kind().is_some_and(|kind| kind != OVERLAY)
    }

    /// Its file system, if it is one of [`FROM_MEMORY`].
    fn kind(&self) -> Option<u32> {
        *self.kind.get_or_init(|| {
            let kind = fstatfs(&self.descriptor).ok()?.f_type;
            let mut known = FROM_MEMORY.into_iter();
            known.find(|known| i64::from(*known) == kind)
        })
    }

    /// Whether a read of one of its files that returned fewer bytes than there was room for, up to `end`, has come to the end
    /// of the file: the call that would say so is spared.
    pub(crate) fn ends_at(&self, end: usize) -> bool {
        !end.is_multiple_of(PAGE_BYTES) && self.kind().is_some()
    }

    /// What the system says of the directory itself.
    pub(crate) fn status_of_itself(&self) -> io::Result<Stat> {
        Ok(fstat(&self.descriptor)?)
    }

    /// The file system it lies on.
    pub(crate) fn device(&self, _path: &[u8]) -> io::Result<u64> {
        Ok(fstat(&self.descriptor)?.st_dev)
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
