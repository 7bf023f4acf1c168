//! Directories held by descriptor. A name is only ever opened in a directory that is held, and never
//! through a link, so what was checked is what is used.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, SystemTime};

use rustix::fs::{self, Access, AtFlags, CWD, Dir, FileType, Mode, OFlags, Stat};
use rustix::io::Errno;

pub(crate) use super::unix_attributes::{copy_attributes, set_mode};
pub(crate) use super::unix_resolve::resolve;
use crate::{FileKind, Metadata};

/// A directory that is only passed through needs no right to be listed.
#[cfg(any(target_os = "linux", target_os = "android"))]
const DIRECTORY: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
#[cfg(not(any(target_os = "linux", target_os = "android")))]
const DIRECTORY: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::CLOEXEC);

/// For files: a FIFO must not block the open, a terminal must not become ours.
pub(super) const FILE: OFlags = OFlags::NOFOLLOW
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOCTTY)
    .union(OFlags::CLOEXEC);

/// How directories beneath a root are reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Strategy {
    /// One `openat2` call with `RESOLVE_BENEATH`; a walk where the kernel lacks or forbids it.
    #[cfg_attr(not(any(target_os = "linux", target_os = "android")), allow(dead_code))]
    ResolveBeneath,
    /// One `openat` with `O_NOFOLLOW` for each part.
    Walk,
}

impl Strategy {
    /// Where nothing is reached.
    pub(crate) const UNPROBED: Self = Self::Walk;

    /// What this system offers.
    pub(crate) fn probe(directory: &Directory) -> Self {
        #[cfg(any(target_os = "linux", target_os = "android"))]
        if !is_missing(directory.resolve_beneath(Path::new("."))) {
            return Self::ResolveBeneath;
        }
        let _ = directory;
        Self::Walk
    }
}

/// Kernels before 5.6 answer ENOSYS, seccomp filters of older container runtimes EPERM.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn is_missing(answer: Result<OwnedFd, Errno>) -> bool {
    matches!(answer, Err(Errno::NOSYS | Errno::PERM))
}

/// A directory held open.
#[derive(Debug)]
pub(crate) struct Directory(OwnedFd);

/// Which directory it is, whatever its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Identity {
    device: u64,
    inode: u64,
}

impl Identity {
    /// Of the file that was looked at.
    pub(crate) fn of(there: &std::fs::Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        Self {
            device: there.dev(),
            inode: there.ino(),
        }
    }
}

/// Whether the system refused because a part of the path is a link or leads out.
pub(crate) fn is_link_error(error: &io::Error) -> bool {
    [Errno::LOOP, Errno::XDEV]
        .iter()
        .any(|errno| error.raw_os_error() == Some(errno.raw_os_error()))
}

impl Directory {
    /// Holds the directory at an absolute path without links.
    pub(crate) fn open_root(path: &Path) -> io::Result<Self> {
        Ok(Self(fs::openat(CWD, path, DIRECTORY, Mode::empty())?))
    }

    /// Holds a directory beneath this one. `beneath` is relative, without `..`; a link on the way
    /// is refused ([`is_link_error`]).
    pub(crate) fn descend(&self, beneath: &Path, strategy: Strategy) -> io::Result<Self> {
        let beneath = if beneath.as_os_str().is_empty() {
            Path::new(".")
        } else {
            beneath
        };
        match strategy {
            #[cfg(any(target_os = "linux", target_os = "android"))]
            Strategy::ResolveBeneath => match self.resolve_beneath(beneath) {
                Err(Errno::NOSYS | Errno::PERM) => self.walk(beneath),
                answer => Ok(Self(answer?)),
            },
            _ => self.walk(beneath),
        }
    }

    #[cfg(any(target_os = "linux", target_os = "android"))]
    fn resolve_beneath(&self, beneath: &Path) -> Result<OwnedFd, Errno> {
        use rustix::fs::ResolveFlags;
        const ATTEMPTS: usize = 16;
        let rules = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS | ResolveFlags::NO_SYMLINKS;
        let mut answer = Err(Errno::AGAIN);
        for _ in 0..ATTEMPTS {
            answer = fs::openat2(&self.0, beneath, DIRECTORY, Mode::empty(), rules);
            // EAGAIN: something was renamed meanwhile and the kernel cannot vouch for the path.
            if !matches!(answer, Err(Errno::AGAIN | Errno::INTR)) {
                break;
            }
        }
        answer
    }

    fn walk(&self, beneath: &Path) -> io::Result<Self> {
        let flags = DIRECTORY | OFlags::NOFOLLOW;
        let mut directory = fs::openat(&self.0, ".", flags, Mode::empty())?;
        for part in beneath.components() {
            match part {
                Component::CurDir => {}
                Component::Normal(name) => {
                    directory = match fs::openat(&directory, name, flags, Mode::empty()) {
                        // O_DIRECTORY is tested before O_NOFOLLOW: ask what it is that is no directory.
                        Err(Errno::NOTDIR) if is_link(&directory, name) => {
                            return Err(Errno::LOOP.into());
                        }
                        answer => answer?,
                    };
                }
                _ => return Err(Errno::XDEV.into()),
            }
        }
        Ok(Self(directory))
    }

    /// Target of the link at `beneath`; `None` when something else stands there.
    pub(crate) fn read_link(&self, beneath: &Path) -> io::Result<Option<PathBuf>> {
        link_target(fs::readlinkat(&self.0, beneath, Vec::new()))
    }

    /// Which directory this is.
    pub(crate) fn identity(&self) -> io::Result<Identity> {
        let own = self.own_metadata()?;
        Ok(Identity {
            device: own.device,
            inode: own.inode,
        })
    }

    /// Of this directory itself.
    pub(crate) fn own_metadata(&self) -> io::Result<Metadata> {
        Ok(metadata_of(&fs::fstat(&self.0)?))
    }

    /// Of a name in this directory; a link is not followed.
    pub(crate) fn metadata(&self, name: &OsStr) -> io::Result<Metadata> {
        Ok(metadata_of(&fs::statat(
            &self.0,
            name,
            AtFlags::SYMLINK_NOFOLLOW,
        )?))
    }

    /// Opens for reading.
    pub(crate) fn open_read(&self, name: &OsStr) -> io::Result<File> {
        self.open(name, OFlags::RDONLY | FILE, Mode::empty())
    }

    /// Whether this is a file system of this machine that says what it has in memory.
    pub(crate) fn keeps_cached(&self) -> bool {
        #[cfg(any(target_os = "linux", target_os = "android"))]
        {
            super::linux_cached::is_kept(&self.0)
        }
        #[cfg(not(any(target_os = "linux", target_os = "android")))]
        {
            false
        }
    }

    /// Whether this is a file system that asks another machine or a program, as far as the system says so.
    pub(crate) fn may_hang(&self) -> bool {
        #[cfg(any(target_os = "linux", target_os = "android"))]
        {
            super::linux_cached::may_hang(&self.0)
        }
        #[cfg(not(any(target_os = "linux", target_os = "android")))]
        {
            false
        }
    }

    /// All of a regular file of at most `max_bytes` beneath this directory, if no disk has to be waited for.
    pub(crate) fn read_if_cached(
        &self,
        beneath: &Path,
        max_bytes: u64,
    ) -> Option<(File, Metadata, Vec<u8>)> {
        #[cfg(any(target_os = "linux", target_os = "android"))]
        {
            super::linux_cached::read(&self.0, beneath, max_bytes)
        }
        #[cfg(not(any(target_os = "linux", target_os = "android")))]
        {
            let _ = (beneath, max_bytes);
            None
        }
    }

    /// Opens an existing file for reading and writing, as it is.
    pub(crate) fn open_update(&self, name: &OsStr) -> io::Result<File> {
        self.open(name, OFlags::RDWR | FILE, Mode::empty())
    }

    /// Makes a file that did not exist, open for writing. The system takes the umask off `mode`.
    pub(crate) fn create_new(&self, name: &OsStr, mode: u32) -> io::Result<File> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | FILE;
        self.open(name, flags, Mode::from_bits_truncate(mode as _))
    }

    fn open(&self, name: &OsStr, flags: OFlags, mode: Mode) -> io::Result<File> {
        let file = rustix::io::retry_on_intr(|| fs::openat(&self.0, name, flags, mode))?;
        Ok(File::from(file))
    }

    /// Whether this process may write to the file.
    pub(crate) fn is_writable(&self, name: &OsStr) -> bool {
        fs::accessat(&self.0, name, Access::WRITE_OK, AtFlags::EACCESS).is_ok()
    }

    /// Makes a directory.
    pub(crate) fn create_directory(&self, name: &OsStr) -> io::Result<()> {
        Ok(fs::mkdirat(&self.0, name, Mode::from_bits_truncate(0o777))?)
    }

    /// Gives this directory itself these permission bits.
    pub(crate) fn set_own_mode(&self, mode: u32) -> io::Result<()> {
        // The handle may be one to pass through only.
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let directory = fs::openat(&self.0, ".", flags, Mode::empty())?;
        Ok(fs::fchmod(directory, Mode::from_bits_truncate(mode as _))?)
    }

    /// Renames within this directory, over what stands at `to`.
    pub(crate) fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        Ok(fs::renameat(&self.0, from, &self.0, to)?)
    }

    /// Renames within this directory; fails when something stands at `to`.
    pub(crate) fn rename_new(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        #[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
        match fs::renameat_with(&self.0, from, &self.0, to, fs::RenameFlags::NOREPLACE) {
            // Not every file system knows the flag.
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {}
            answer => return Ok(answer?),
        }
        match self.link(from, to) {
            Ok(()) => self.remove(from),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(error),
            // Without hard links and the flag there is no atomic way: look, then rename.
            Err(_) => match self.metadata(to) {
                Ok(_) => Err(Errno::EXIST.into()),
                Err(error) if error.kind() == io::ErrorKind::NotFound => self.rename(from, to),
                Err(error) => Err(error),
            },
        }
    }

    /// Gives a file a second name in this directory.
    pub(crate) fn link(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        Ok(fs::linkat(&self.0, from, &self.0, to, AtFlags::empty())?)
    }

    /// Makes a symbolic link that leads where `target` says; fails when something stands at `name`.
    pub(crate) fn make_link(&self, target: &Path, name: &OsStr) -> io::Result<()> {
        Ok(fs::symlinkat(target, &self.0, name)?)
    }

    /// Removes a name that is no directory.
    pub(crate) fn remove(&self, name: &OsStr) -> io::Result<()> {
        Ok(fs::unlinkat(&self.0, name, AtFlags::empty())?)
    }

    /// Removes an empty directory.
    pub(crate) fn remove_directory(&self, name: &OsStr) -> io::Result<()> {
        Ok(fs::unlinkat(&self.0, name, AtFlags::REMOVEDIR)?)
    }

    /// Brings the names in this directory to the disk. Where it may not be listed, that is left to the
    /// system.
    pub(crate) fn sync(&self) -> io::Result<()> {
        // The handle may be one to pass through only.
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        match fs::openat(&self.0, ".", flags, Mode::empty()) {
            Ok(directory) => match fs::fsync(directory) {
                // Not every file system brings directories to the disk by themselves.
                Err(Errno::INVAL | Errno::NOTSUP | Errno::NOSYS) => Ok(()),
                answer => Ok(answer?),
            },
            Err(Errno::ACCESS | Errno::PERM) => Ok(()),
            Err(errno) => Err(errno.into()),
        }
    }

    /// Names in this directory in the order of the system, until `take` answers `false`.
    pub(crate) fn names(&self, take: &mut dyn FnMut(OsString) -> bool) -> io::Result<()> {
        // The handle may be one to pass through only.
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        for entry in Dir::new(fs::openat(&self.0, ".", flags, Mode::empty())?)? {
            let entry = entry?;
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            if name != "." && name != ".." && !take(name.to_owned()) {
                break;
            }
        }
        Ok(())
    }
}

/// Metadata of an open file.
pub(crate) fn file_metadata(file: &File) -> io::Result<Metadata> {
    Ok(metadata_of(&fs::fstat(file)?))
}

/// Target of the link at an absolute path; `None` when something else stands there.
pub(super) fn read_link(path: &Path) -> io::Result<Option<PathBuf>> {
    link_target(fs::readlinkat(CWD, path, Vec::new()))
}

fn link_target(answer: Result<std::ffi::CString, Errno>) -> io::Result<Option<PathBuf>> {
    match answer {
        Ok(target) => Ok(Some(OsString::from_vec(target.into_bytes()).into())),
        Err(Errno::INVAL) => Ok(None),
        Err(errno) => Err(errno.into()),
    }
}

fn is_link(directory: &OwnedFd, name: &OsStr) -> bool {
    fs::statat(directory, name, AtFlags::SYMLINK_NOFOLLOW)
        .is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Symlink)
}

#[allow(
    clippy::unnecessary_cast,
    clippy::useless_conversion,
    reason = "the fields have other types on other systems"
)]
pub(super) fn metadata_of(stat: &Stat) -> Metadata {
    let kind = match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => FileKind::File,
        FileType::Directory => FileKind::Directory,
        FileType::Symlink => FileKind::Link,
        FileType::Fifo => FileKind::Fifo,
        FileType::Socket => FileKind::Socket,
        FileType::CharacterDevice => FileKind::CharacterDevice,
        FileType::BlockDevice => FileKind::BlockDevice,
        _ => FileKind::Other,
    };
    let time = |seconds: i64, nanoseconds: i64| {
        let seconds = u64::try_from(seconds).ok()?;
        let nanoseconds = u32::try_from(nanoseconds).ok()?;
        SystemTime::UNIX_EPOCH.checked_add(Duration::new(seconds, nanoseconds))
    };
    Metadata {
        kind,
        size: u64::try_from(stat.st_size).unwrap_or_default(),
        modified: time(stat.st_mtime as i64, stat.st_mtime_nsec as i64),
        touched: time(stat.st_ctime as i64, stat.st_ctime_nsec as i64),
        mode: stat.st_mode as u32 & 0o7777,
        links: stat.st_nlink as u64,
        device: stat.st_dev as u64,
        inode: stat.st_ino as u64,
        owner: stat.st_uid as u32,
        group: stat.st_gid as u32,
    }
}
