//! A directory that nobody else can look into, for outputs and scripts; gone with its owner.
//!
//! An owner that is killed cannot remove it. So it holds a lock in it, which ends with its process, and the one who makes
//! such a directory next removes those of which nobody holds the lock.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use tempfile::TempDir;
use tenon_contract::limits;

use crate::output::temporary::in_temporary_directory;
use crate::{Openers, OutputGuard};

/// How much output may lie on disk, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpillLimits {
    /// Most bytes of one output. Default: 1 GiB.
    pub file_bytes: u64,
    /// Most bytes of all outputs of one table of processes together. Default: 4 GiB.
    pub directory_bytes: u64,
    /// Where the private directory is made. Default: the directory for temporary files.
    pub parent: Option<PathBuf>,
}

impl Default for SpillLimits {
    fn default() -> Self {
        Self {
            file_bytes: limits::EXECUTE_SPILL_MAX_BYTES,
            directory_bytes: 4 * limits::EXECUTE_SPILL_MAX_BYTES,
            parent: None,
        }
    }
}

/// What the names of the directories begin with.
const PREFIX: &str = "tenon-";

/// What follows.
const RANDOM_LETTERS: usize = 12;

/// The file in the directory that its owner holds locked.
const LOCK: &str = ".owner";

/// How old a lock is that nobody holds.
const SETTLED: Duration = Duration::from_secs(60);

/// Removes the directories of this user that were left behind in `parent`.
fn remove_abandoned(parent: &Path) {
    for entry in std::fs::read_dir(parent).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let is_named_so = name
            .to_str()
            .and_then(|name| name.strip_prefix(PREFIX))
            .is_some_and(|rest| rest.len() == RANDOM_LETTERS);
        if is_named_so && is_own_directory(&entry.path()) {
            let lock = File::options().write(true).open(entry.path().join(LOCK));
            // A directory without a lock is just being made, or somebody else's.
            if lock.is_ok_and(|lock| is_settled(&lock) && lock.try_lock().is_ok()) {
                let _ = std::fs::remove_dir_all(entry.path());
            }
        }
    }
}

/// Whether its owner has had the time to lock it.
fn is_settled(lock: &File) -> bool {
    let made = lock.metadata().and_then(|found| found.modified());
    made.is_ok_and(|made| made.elapsed().is_ok_and(|age| age >= SETTLED))
}

#[cfg(unix)]
fn is_own_directory(path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;

    std::fs::symlink_metadata(path).is_ok_and(|found| {
        found.is_dir()
            && found.uid() == rustix::process::geteuid().as_raw()
            && found.mode() & 0o077 == 0
    })
}

#[cfg(not(unix))]
fn is_own_directory(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_ok_and(|found| found.is_dir())
}

/// The directory, made on first use with mode 0700 under a random name, and removed when dropped.
#[derive(Debug)]
pub(crate) struct PrivateDirectory {
    limits: SpillLimits,
    pub(crate) openers: Openers,
    state: Mutex<DirectoryState>,
    used_bytes: AtomicU64,
    next_name: AtomicU64,
    outputs: Mutex<Outputs>,
    /// What outputs pass, once somebody has named it.
    guard: OnceLock<Arc<dyn OutputGuard>>,
}

/// The files with whole outputs, by the number in their address.
#[derive(Debug, Default)]
struct Outputs {
    last: u64,
    files: BTreeMap<u64, PathBuf>,
    /// Why the last one that has no file has none.
    failure: Option<String>,
}

#[derive(Debug)]
enum DirectoryState {
    Unused,
    /// With the lock that says that it is in use.
    Made(TempDir, File),
    Removed,
}

impl PrivateDirectory {
    pub(crate) fn new(limits: SpillLimits, openers: Openers) -> Self {
        Self {
            limits,
            openers,
            state: Mutex::new(DirectoryState::Unused),
            used_bytes: AtomicU64::new(0),
            next_name: AtomicU64::new(1),
            outputs: Mutex::default(),
            guard: OnceLock::new(),
        }
    }

    /// Has outputs pass this from now on. The first one stays.
    pub(crate) fn guard_by(&self, guard: Arc<dyn OutputGuard>) {
        let _ = self.guard.set(guard);
    }

    pub(crate) fn guard(&self) -> Option<&Arc<dyn OutputGuard>> {
        self.guard.get()
    }

    /// A new empty file for a whole output, and the number by which it is found again. Of very many outputs the oldest
    /// are found no longer.
    pub(crate) fn create_output(&self, kind: &str) -> io::Result<(u64, PathBuf, File)> {
        let (path, file) = self.create(kind, "log").inspect_err(|error| {
            self.outputs().failure = Some(error.to_string());
        })?;
        let mut outputs = self.outputs();
        outputs.last += 1;
        let number = outputs.last;
        outputs.files.insert(number, path.clone());
        while outputs.files.len() > limits::OUTPUTS_MAX {
            outputs.files.pop_first();
        }
        Ok((number, path, file))
    }

    /// The file with the whole output of this number.
    pub(crate) fn output(&self, number: u64) -> Option<PathBuf> {
        self.outputs().files.get(&number).cloned()
    }

    /// The numbers of the outputs that can be found, oldest first.
    pub(crate) fn output_numbers(&self) -> Vec<u64> {
        self.outputs().files.keys().copied().collect()
    }

    /// Why the last output for which no file could be made has none.
    pub(crate) fn output_failure(&self) -> Option<String> {
        self.outputs().failure.clone()
    }

    fn outputs(&self) -> MutexGuard<'_, Outputs> {
        self.outputs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A new empty file, readable by this user only, that cannot have existed before.
    pub(crate) fn create(&self, kind: &str, extension: &str) -> io::Result<(PathBuf, File)> {
        let number = self.next_name.fetch_add(1, Ordering::Relaxed);
        let path = self.made()?.join(format!("{kind}-{number}.{extension}"));
        let mut options = File::options();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(&path)?;
        Ok((path, file))
    }

    /// A directory in it for the temporary files of commands in a sandbox.
    pub(crate) fn temporary(&self) -> io::Result<PathBuf> {
        let path = self.made()?.join("tmp");
        let mut builder = std::fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        match builder.create(&path) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
            _ => Ok(path),
        }
    }

    /// Takes up to `wanted` bytes out of the directory's quota for a file that holds `held` already.
    pub(crate) fn reserve(&self, held: u64, wanted: u64) -> u64 {
        let for_file = wanted.min(self.limits.file_bytes.saturating_sub(held));
        let mut granted = 0;
        // The closure never refuses, so the update always happens.
        let _ = self
            .used_bytes
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |used| {
                granted = for_file.min(self.limits.directory_bytes.saturating_sub(used));
                Some(used + granted)
            });
        granted
    }

    /// Where it is, if it was needed yet.
    pub(crate) fn path(&self) -> Option<PathBuf> {
        match &*self.lock() {
            DirectoryState::Made(directory, _) => Some(directory.path().to_owned()),
            DirectoryState::Unused | DirectoryState::Removed => None,
        }
    }

    /// Removes the directory with all that is in it. No file can be made afterwards.
    pub(crate) fn remove(&self) -> io::Result<()> {
        let state = std::mem::replace(&mut *self.lock(), DirectoryState::Removed);
        self.outputs().files.clear();
        match state {
            // Somebody who cleared the directory for temporary files has done the work.
            DirectoryState::Made(directory, lock) => {
                // Some systems remove no file that is open.
                drop(lock);
                match directory.close() {
                    Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
                    removed => removed,
                }
            }
            DirectoryState::Unused | DirectoryState::Removed => Ok(()),
        }
    }

    fn made(&self) -> io::Result<PathBuf> {
        let mut state = self.lock();
        match &*state {
            DirectoryState::Made(directory, _) if directory.path().is_dir() => {
                return Ok(directory.path().to_owned());
            }
            // Somebody cleared the directory for temporary files: another one is made.
            DirectoryState::Made(..) => {}
            DirectoryState::Removed => return Err(io::Error::other("the directory was removed")),
            DirectoryState::Unused => {}
        }
        let mut builder = tempfile::Builder::new();
        builder.prefix(PREFIX).rand_bytes(RANDOM_LETTERS);
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
        let make = |parent: &Path| {
            let made = builder.tempdir_in(parent)?;
            let lock = File::create_new(made.path().join(LOCK))?;
            Ok((made, lock))
        };
        let (made, lock) = match &self.limits.parent {
            Some(parent) => make(parent)?,
            None => in_temporary_directory(make)?,
        };
        let path = made.path().to_owned();
        // Where files cannot be locked, nobody takes the directory for an abandoned one.
        let _ = lock.try_lock();
        *state = DirectoryState::Made(made, lock);
        if let Some(parent) = path.parent().map(Path::to_owned) {
            // Outputs can be large: nobody waits for their removal.
            let _ = std::thread::Builder::new()
                .name("tenon-sweep".to_owned())
                .spawn(move || remove_abandoned(&parent));
        }
        Ok(path)
    }

    fn lock(&self) -> MutexGuard<'_, DirectoryState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn directory(parent: &TempDir, file_bytes: u64, directory_bytes: u64) -> PrivateDirectory {
        let limits = SpillLimits {
            file_bytes,
            directory_bytes,
            parent: Some(parent.path().into()),
        };
        PrivateDirectory::new(limits, Openers::default())
    }

    #[test]
    fn directory_and_files_belong_to_this_user_alone_and_go_with_the_owner() {
        let parent = tempfile::tempdir().unwrap();
        let private = directory(&parent, 1, 1);
        assert_eq!(private.path(), None);
        let (path, _file) = private.create("output", "log").unwrap();
        let mode = |path: &std::path::Path| path.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(
            (mode(&private.path().unwrap()), mode(&path)),
            (0o700, 0o600)
        );
        drop(private);
        assert_eq!(std::fs::read_dir(parent.path()).unwrap().count(), 0);
    }

    #[test]
    fn of_very_many_outputs_the_oldest_are_found_no_longer() {
        let parent = tempfile::tempdir().unwrap();
        let private = directory(&parent, 1, 1);
        for _ in 0..=limits::OUTPUTS_MAX {
            private.create_output("output").unwrap();
        }
        let numbers = private.output_numbers();
        assert_eq!(
            (numbers.first(), numbers.len(), private.output(1)),
            (Some(&2), limits::OUTPUTS_MAX, None)
        );
        assert!(private.output(2).is_some_and(|path| path.exists()));
        private.remove().unwrap();
        assert_eq!(private.output_numbers(), Vec::<u64>::new());
    }

    #[test]
    fn the_quota_binds_each_file_and_all_of_them() {
        let parent = tempfile::tempdir().unwrap();
        let private = directory(&parent, 10, 15);
        let granted = [
            private.reserve(0, 8),
            private.reserve(8, 8),
            private.reserve(0, 8),
            private.reserve(0, 1),
        ];
        assert_eq!(granted, [8, 2, 5, 0]);
    }

    #[test]
    fn what_a_killed_owner_left_behind_is_removed_by_the_next_and_nothing_else() {
        let parent = tempfile::tempdir().unwrap();
        let own = |name: &str, lock: bool| {
            let path = parent.path().join(name);
            std::fs::create_dir(&path).unwrap();
            std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o700))
                .unwrap();
            std::fs::write(path.join("output-1.log"), "x").unwrap();
            if lock {
                let lock = File::create(path.join(LOCK)).unwrap();
                let long_ago = std::time::SystemTime::now() - 2 * SETTLED;
                lock.set_modified(long_ago).unwrap();
            }
            path
        };
        let left = own("tenon-abcdefghijkl", true);
        let just_made = own("tenon-just0made0it", false);
        File::create(just_made.join(LOCK)).unwrap();
        let kept = [
            own("tenon-being0made0", false),
            own("tenon-other", true),
            own("another-one-abcdef", true),
        ];
        let outside = own("outside", true);
        std::os::unix::fs::symlink(&outside, parent.path().join("tenon-link0to0it00")).unwrap();
        let in_use = directory(&parent, 1, 1);
        in_use.create("output", "log").unwrap();
        remove_abandoned(parent.path());
        assert!(!left.exists() && just_made.exists());
        assert!(kept.iter().all(|path| path.join("output-1.log").exists()));
        assert!(outside.join("output-1.log").exists());
        assert!(in_use.path().unwrap().join("output-1.log").exists());
    }
}
