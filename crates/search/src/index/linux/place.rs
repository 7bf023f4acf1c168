//! Whether a place can be kept in an index, and whether what its rules depend on is unchanged.

use std::ffi::OsString;
use std::fs::{self, File};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::Timespec;

use crate::directory::{to_bytes, to_path};
use crate::index::disk::StoredStamp;
use crate::index::options::Doubt;

/// A file that changed less than this before it was looked at may change again without another time:
/// clocks of file systems are coarse.
const COARSE: Duration = Duration::from_millis(50);

/// An inode and its time of change.
pub(crate) type InodeState = (u64, (i64, i64));

/// What distinguishes one state of a file from another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stamp {
    device: u64,
    inode: u64,
    bytes: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Stamp {
    /// The state of what `path` leads to; nothing when there is nothing.
    fn of(path: &Path) -> Option<Self> {
        let status = fs::metadata(path).ok()?;
        Some(Self {
            device: status.dev(),
            inode: status.ino(),
            bytes: status.size(),
            modified: (status.mtime(), status.mtime_nsec()),
            changed: (status.ctime(), status.ctime_nsec()),
        })
    }

    pub(crate) fn of_status(status: &rustix::fs::Stat) -> Self {
        let nanoseconds = |value: u64| i64::try_from(value).unwrap_or_default();
        Self {
            device: status.st_dev,
            inode: status.st_ino,
            bytes: u64::try_from(status.st_size).unwrap_or_default(),
            modified: (status.st_mtime, nanoseconds(status.st_mtime_nsec)),
            changed: (status.st_ctime, nanoseconds(status.st_ctime_nsec)),
        }
    }

    /// What a sweep compares: the inode and its time of change.
    pub(crate) const fn state(&self) -> InodeState {
        (self.inode, self.changed)
    }

    pub(crate) const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// As it is written.
    pub(crate) const fn parts(&self) -> StoredStamp {
        (
            self.device,
            self.inode,
            self.bytes,
            self.modified,
            self.changed,
        )
    }

    /// Whether the state is old enough for a later one to have another time.
    pub(crate) fn is_settled(&self) -> bool {
        is_settled(self.changed)
    }

    /// Whether the last change is longer ago than this.
    pub(crate) fn is_older_than(&self, age: Duration) -> bool {
        is_older_than(self.changed, age)
    }
}

/// Whether a later change than the one at this time has another time.
pub(crate) fn is_settled(changed: (i64, i64)) -> bool {
    is_older_than(changed, COARSE)
}

fn is_older_than((seconds, nanoseconds): (i64, i64), age: Duration) -> bool {
    let changed = Duration::new(
        u64::try_from(seconds).unwrap_or_default(),
        u32::try_from(nanoseconds).unwrap_or_default(),
    );
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.is_ok_and(|now| now.checked_sub(age).is_some_and(|then| then > changed))
}

/// The time since 1970; none where the clock is before that, so that nothing is old.
pub(crate) fn now() -> Duration {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.unwrap_or_default()
}

/// What the rules of a tree depend on outside of what is watched.
#[derive(Debug, Default)]
pub(crate) struct Sources {
    files: Vec<(PathBuf, Option<Stamp>, bool)>,
    environment: [Option<OsString>; 2],
}

pub(crate) fn environment() -> [Option<OsString>; 2] {
    ["HOME", "XDG_CONFIG_HOME"].map(std::env::var_os)
}

impl Sources {
    /// To be called before any rule is read.
    pub(crate) fn new() -> Self {
        Self {
            files: Vec::new(),
            environment: environment(),
        }
    }

    /// Adds files; to be called before they are read.
    pub(crate) fn add(&mut self, files: Vec<PathBuf>) {
        for path in files {
            if self.files.iter().all(|(known, ..)| *known != path) {
                let stamp = Stamp::of(&path);
                let settled = stamp.is_none_or(|stamp| stamp.is_settled());
                self.files.push((path, stamp, settled));
            }
        }
    }

    /// As they are written; nothing while one of them may change without another time.
    pub(crate) fn stored(&self) -> Option<Vec<(Vec<u8>, Option<StoredStamp>)>> {
        let all_settled = self.files.iter().all(|(_, _, settled)| *settled);
        let stored = |(path, stamp, _): &(PathBuf, Option<Stamp>, bool)| {
            (to_bytes(path), stamp.map(|stamp| stamp.parts()))
        };
        all_settled.then(|| self.files.iter().map(stored).collect())
    }

    /// Adds what was stored. Whether all of it is as it was.
    pub(crate) fn add_stored(&mut self, stored: &[(Vec<u8>, Option<StoredStamp>)]) -> bool {
        let paths = stored.iter().map(|(path, _)| to_path(path).into_owned());
        self.add(paths.collect());
        self.stored().is_some_and(|now| now == stored)
    }

    /// Whether all files are what they were.
    pub(crate) fn are_unchanged(&self) -> bool {
        self.environment == environment()
            && self
                .files
                .iter()
                .all(|(path, stamp, settled)| *settled && Stamp::of(path) == *stamp)
    }
}

/// The mounted file systems: one that is laid over a directory changes the tree without a word to those who watch it.
///
/// The kernel marks the open table with a priority event when something is mounted or unmounted (`proc_pid_mounts(5)`),
/// which is asked in a microsecond; reading the table takes as long as there are mounts.
#[derive(Debug)]
pub(crate) struct Mounts {
    table: File,
    /// The event is reported once.
    have_changed: bool,
}

impl Mounts {
    /// To be called before the tree is looked at.
    pub(crate) fn new() -> Result<Self, Doubt> {
        Ok(Self {
            table: File::open("/proc/self/mountinfo").map_err(|_| Doubt)?,
            have_changed: false,
        })
    }

    /// Whether a file system was mounted or unmounted somewhere.
    pub(crate) fn have_changed(&mut self) -> bool {
        let mut asked = [PollFd::new(&self.table, PollFlags::PRI)];
        self.have_changed |= poll(&mut asked, Some(&Timespec::default())) != Ok(0);
        self.have_changed
    }
}
