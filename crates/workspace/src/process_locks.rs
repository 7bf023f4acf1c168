//! Locks among the processes of one user, so that two programs never change one file at once.
//!
//! They are advisory `flock`s on files in a directory that belongs to this user alone, never beside
//! the files that are changed. Its place is the same for every process whatever its environment.
//! Paths share a fixed number of lock files by their hash: two that meet in one only wait for each
//! other, and only in two processes. Within one it is the paths that are locked, so its calls hold
//! a lock file together. The system gives the locks of a process back when it dies.
//!
//! Where there is no such directory (other systems, a directory that somebody else owns) there are no
//! locks among processes; a commit still refuses files that changed since they were read.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use tenon_contract::limits;

use crate::{ContentHash, Error};

/// Between two attempts; also the longest that an aborted call goes on waiting.
const LONGEST_PAUSE: Duration = Duration::from_millis(16);
const FIRST_PAUSE: Duration = Duration::from_micros(500);

/// A lock file: device and inode of its directory, and its number there.
type Slot = ((u64, u64), u16);

/// The lock files that this process holds, and how many calls hold each.
static HELD: LazyLock<Mutex<HashMap<Slot, (usize, system::Held)>>> = LazyLock::new(Mutex::default);

/// No thread panics while it holds this, so a poisoned one is sound.
fn held() -> MutexGuard<'static, HashMap<Slot, (usize, system::Held)>> {
    HELD.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Holds the locks of some paths until it is dropped.
#[derive(Debug)]
pub(crate) struct ProcessLocks {
    slots: Vec<Slot>,
}

impl Drop for ProcessLocks {
    fn drop(&mut self) {
        let mut held = held();
        for slot in &self.slots {
            if let Some((calls, _)) = held.get_mut(slot) {
                *calls -= 1;
                if *calls == 0 {
                    // Given back by being closed.
                    held.remove(slot);
                }
            }
        }
    }
}

impl ProcessLocks {
    /// All of them at once, or none.
    pub(crate) fn try_take(paths: &[PathBuf]) -> Option<Self> {
        let directory = if paths.is_empty() {
            None
        } else {
            system::Directory::open()
        };
        match directory {
            Some(directory) => Self::try_take_in(&directory, paths),
            None => Some(Self { slots: Vec::new() }),
        }
    }

    fn try_take_in(directory: &system::Directory, paths: &[PathBuf]) -> Option<Self> {
        let mut taken = Self { slots: Vec::new() };
        for number in slots(paths) {
            let slot = (directory.identity(), number);
            let mut held = held();
            if let Some((calls, _)) = held.get_mut(&slot) {
                *calls += 1;
                taken.slots.push(slot);
                continue;
            }
            match directory.lock(number) {
                system::Answer::Held(lock) => {
                    held.insert(slot, (1, lock));
                    taken.slots.push(slot);
                }
                system::Answer::Busy => {
                    // What is taken so far goes back, which takes the table as well.
                    drop(held);
                    return None;
                }
                system::Answer::Unavailable => {}
            }
        }
        Some(taken)
    }

    /// Waits for all of them. Nothing is held while waiting, so nobody waits in a circle.
    pub(crate) fn take(paths: &[PathBuf], cancelled: &dyn Fn() -> bool) -> Result<Self, Error> {
        let deadline = Instant::now() + limits::PROCESS_LOCK_WAIT;
        let mut pause = FIRST_PAUSE;
        loop {
            if let Some(locks) = Self::try_take(paths) {
                return Ok(locks);
            }
            if cancelled() {
                return Err(Error::Cancelled);
            }
            if Instant::now() >= deadline {
                let path = paths.first().map(|path| path.display().to_string());
                return Err(Error::Busy {
                    path: path.unwrap_or_default(),
                });
            }
            thread::sleep(pause);
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }
}

/// The lock files of these paths, each once, in one order for everybody.
fn slots(paths: &[PathBuf]) -> Vec<u16> {
    /// 4096 of them.
    const MASK: u16 = 0x0FFF;
    let mut slots: Vec<u16> = paths
        .iter()
        .map(|path| {
            let hash = ContentHash::of(path.as_os_str().as_encoded_bytes());
            let [first, second, ..] = *hash.as_bytes();
            u16::from_le_bytes([first, second]) & MASK
        })
        .collect();
    slots.sort_unstable();
    slots.dedup();
    slots
}

#[cfg(unix)]
mod system {
    use std::os::fd::OwnedFd;
    use std::path::{Path, PathBuf};

    use rustix::fs::{self, CWD, FlockOperation, Mode, OFlags};
    use rustix::io::Errno;

    /// One lock that is held.
    #[derive(Debug)]
    pub(super) struct Held(OwnedFd);

    impl Drop for Held {
        /// A child that another thread has just made has the file as well, until it runs its program: closing is not enough.
        fn drop(&mut self) {
            let _ = fs::flock(&self.0, FlockOperation::Unlock);
        }
    }

    pub(super) enum Answer {
        Held(Held),
        Busy,
        Unavailable,
    }

    /// The directory of the lock files, held open and proven to belong to this user alone.
    pub(super) struct Directory {
        directory: OwnedFd,
        identity: (u64, u64),
    }

    #[allow(
        clippy::unnecessary_cast,
        clippy::cast_sign_loss,
        reason = "other systems count in other types, and only equality matters"
    )]
    const fn directory_identity(found: &fs::Stat) -> (u64, u64) {
        (found.st_dev as u64, found.st_ino as u64)
    }

    impl Directory {
        pub(super) fn open() -> Option<Self> {
            let user = rustix::process::geteuid();
            Self::open_at(&PathBuf::from(format!(
                "/tmp/tenon-locks-{}",
                user.as_raw()
            )))
        }

        /// Everybody may write into the directory above, so what stands there is believed only if it
        /// is a real directory of this user that nobody else may enter.
        pub(super) fn open_at(path: &Path) -> Option<Self> {
            match fs::mkdirat(CWD, path, Mode::RWXU) {
                Ok(()) | Err(Errno::EXIST) => {}
                Err(_) => return None,
            }
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            let directory = fs::openat(CWD, path, flags, Mode::empty()).ok()?;
            let found = fs::fstat(&directory).ok()?;
            let is_ours =
                found.st_uid == rustix::process::geteuid().as_raw() && found.st_mode & 0o077 == 0;
            is_ours.then_some(Self {
                directory,
                identity: directory_identity(&found),
            })
        }

        pub(super) const fn identity(&self) -> (u64, u64) {
            self.identity
        }

        pub(super) fn lock(&self, slot: u16) -> Answer {
            let flags = OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            let name = format!("{slot:03x}.lock");
            let Ok(file) = fs::openat(&self.directory, name, flags, Mode::RUSR | Mode::WUSR) else {
                return Answer::Unavailable;
            };
            loop {
                return match fs::flock(&file, FlockOperation::NonBlockingLockExclusive) {
                    Ok(()) => Answer::Held(Held(file)),
                    Err(Errno::INTR) => continue,
                    Err(Errno::WOULDBLOCK) => Answer::Busy,
                    Err(_) => Answer::Unavailable,
                };
            }
        }
    }
}

#[cfg(not(unix))]
mod system {
    /// One lock that is held.
    #[derive(Debug)]
    pub(super) struct Held;

    #[allow(dead_code)]
    pub(super) enum Answer {
        Held(Held),
        Busy,
        Unavailable,
    }

    pub(super) struct Directory;

    impl Directory {
        pub(super) const fn open() -> Option<Self> {
            None
        }

        pub(super) const fn identity(&self) -> (u64, u64) {
            (0, 0)
        }

        pub(super) const fn lock(&self, _: u16) -> Answer {
            Answer::Unavailable
        }
    }
}

#[cfg(test)]
#[path = "process_locks_tests.rs"]
mod tests;
