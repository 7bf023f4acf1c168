//! Whether a place can be kept in an index, and whether what its rules depend on is unchanged.

use std::collections::HashSet;
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

/// The same where times are whole seconds: ext2, ext3, and ext4 with small inodes.
const SECOND: Duration = Duration::from_millis(1050);

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
        was_older_than(self.changed, age, now())
    }
}

/// Whether a later change than the one at this time has another time.
fn is_settled(changed: (i64, i64)) -> bool {
    was_settled(changed, now())
}

/// Whether a change after `at` has another time than this one.
pub(crate) fn was_settled(changed: (i64, i64), at: Duration) -> bool {
    let tick = if changed.1 == 0 { SECOND } else { COARSE };
    was_older_than(changed, tick, at)
}

/// Whether a change at this time was longer ago than `age`, at `at`.
pub(crate) fn was_older_than(
    (seconds, nanoseconds): (i64, i64),
    age: Duration,
    at: Duration,
) -> bool {
    let changed = Duration::new(
        u64::try_from(seconds).unwrap_or_default(),
        u32::try_from(nanoseconds).unwrap_or_default(),
    );
    at.checked_sub(age).is_some_and(|then| then > changed)
}

/// The time since 1970; none where the clock is before that, so that nothing is old.
pub(crate) fn now() -> Duration {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.unwrap_or_default()
}

/// How long it may take until the system has written what was stored into a mapping, from when on a later store gives the file another
/// time. Nothing where it does not say, or never writes by itself.
///
/// Programs that save power make this minutes (`vm.dirty_expire_centisecs`, `vm.dirty_writeback_centisecs`).
pub(crate) fn delay_of_mapped_writes() -> Option<Duration> {
    let setting = |name: &str| {
        let text = fs::read_to_string(format!("/proc/sys/vm/{name}")).ok()?;
        delay_of(&text)
    };
    let expire = setting("dirty_expire_centisecs")?;
    expire.checked_add(setting("dirty_writeback_centisecs")?)
}

/// A setting of the kernel in hundredths of a second; nothing for never.
fn delay_of(text: &str) -> Option<Duration> {
    let hundredths = text.trim().parse::<u32>().ok().filter(|value| *value > 0)?;
    Some(Duration::from_millis(u64::from(hundredths) * 10))
}

/// Distinguishes this run of the system from those before: what a crash or another system left on the disk may have other contents
/// at the same times.
pub(crate) fn boot() -> Option<Vec<u8>> {
    let read = fs::read("/proc/sys/kernel/random/boot_id");
    read.ok().filter(|boot| !boot.is_empty())
}

/// What the rules of a tree depend on outside of what is watched.
#[derive(Debug, Default)]
pub(crate) struct Sources {
    files: Vec<(PathBuf, Option<Stamp>, bool)>,
    /// Those that are among them.
    known: HashSet<PathBuf>,
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
            known: HashSet::new(),
            environment: environment(),
        }
    }

    /// Adds files; to be called before they are read.
    pub(crate) fn add(&mut self, files: Vec<PathBuf>) {
        for path in files {
            if self.known.insert(path.clone()) {
                let stamp = Stamp::of(&path);
                let settled = stamp.is_none_or(|stamp| stamp.is_settled());
                self.files.push((path, stamp, settled));
            }
        }
    }

    /// As they are written; nothing while one of them may change without another time, by what it is old enough for.
    pub(crate) fn stored(
        &self,
        is_old: impl Fn((i64, i64)) -> bool,
    ) -> Option<Vec<(Vec<u8>, Option<StoredStamp>)>> {
        let all_settled = self
            .files
            .iter()
            .all(|(_, stamp, settled)| *settled && stamp.is_none_or(|stamp| is_old(stamp.changed)));
        let stored = |(path, stamp, _): &(PathBuf, Option<Stamp>, bool)| {
            (to_bytes(path), stamp.map(|stamp| stamp.parts()))
        };
        all_settled.then(|| self.files.iter().map(stored).collect())
    }

    /// Adds what was stored. Whether all of it is as it was.
    pub(crate) fn add_stored(&mut self, stored: &[(Vec<u8>, Option<StoredStamp>)]) -> bool {
        let paths = stored.iter().map(|(path, _)| to_path(path).into_owned());
        self.add(paths.collect());
        self.stored(|_| true).is_some_and(|now| now == stored)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_of_whole_seconds_is_settled_only_when_the_second_is_over() {
        let at = |milliseconds| Duration::from_secs(100) + Duration::from_millis(milliseconds);
        assert!(!was_settled((100, 5), at(40)));
        assert!(was_settled((100, 5), at(60)));
        assert!(!was_settled((100, 0), at(60)));
        assert!(!was_settled((100, 0), at(1_000)));
        assert!(was_settled((100, 0), at(1_100)));
        // A clock that was put back.
        assert!(!was_settled((101, 5), at(60)));
        assert!(!was_settled((0, 1), Duration::ZERO));
    }

    #[test]
    fn many_sources_are_added_in_a_time_that_grows_with_their_number() {
        let stored: Vec<(Vec<u8>, Option<StoredStamp>)> = (0..1 << 16)
            .map(|number| (format!("/none/there/{number}").into_bytes(), None))
            .collect();
        let mut sources = Sources::new();
        let start = std::time::Instant::now();
        assert!(sources.add_stored(&stored));
        assert!(
            start.elapsed() < Duration::from_secs(20),
            "{:?}",
            start.elapsed()
        );
        // One that is there twice was written by nobody.
        let mut sources = Sources::new();
        assert!(!sources.add_stored(&[stored[0].clone(), stored[0].clone()]));
    }

    #[test]
    fn a_system_that_never_writes_by_itself_has_no_delay_to_wait_for() {
        assert_eq!(delay_of("3000\n"), Some(Duration::from_secs(30)));
        assert_eq!(delay_of("0\n"), None);
        assert_eq!(delay_of("-1\n"), None);
        assert_eq!(delay_of(""), None);
    }
}
