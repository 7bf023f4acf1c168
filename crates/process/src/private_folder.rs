//! A folder that nobody else can look into, for outputs and scripts; gone with its owner.

use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tempfile::TempDir;
use tenon_contract::limits;

/// How much output may lie on disk, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpillLimits {
    /// Most bytes of one output. Default: 1 GiB.
    pub file_bytes: u64,
    /// Most bytes of all outputs of one table of processes together. Default: 4 GiB.
    pub folder_bytes: u64,
    /// Where the private folder is made. Default: the folder for temporary files.
    pub parent: Option<PathBuf>,
}

impl Default for SpillLimits {
    fn default() -> Self {
        Self {
            file_bytes: limits::EXECUTE_SPILL_MAX_BYTES,
            folder_bytes: 4 * limits::EXECUTE_SPILL_MAX_BYTES,
            parent: None,
        }
    }
}

/// The folder, made on first use with mode 0700 under a random name, and removed when dropped.
#[derive(Debug)]
pub(crate) struct PrivateFolder {
    limits: SpillLimits,
    state: Mutex<State>,
    used_bytes: AtomicU64,
    next_name: AtomicU64,
}

#[derive(Debug)]
enum State {
    Unused,
    Made(TempDir),
    Removed,
}

impl PrivateFolder {
    pub(crate) fn new(limits: SpillLimits) -> Self {
        Self {
            limits,
            state: Mutex::new(State::Unused),
            used_bytes: AtomicU64::new(0),
            next_name: AtomicU64::new(1),
        }
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

    /// A folder in it for the temporary files of commands in a sandbox.
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

    /// Takes up to `wanted` bytes out of the folder's quota for a file that holds `held` already.
    pub(crate) fn reserve(&self, held: u64, wanted: u64) -> u64 {
        let for_file = wanted.min(self.limits.file_bytes.saturating_sub(held));
        let mut granted = 0;
        // The closure never refuses, so the update always happens.
        let _ = self
            .used_bytes
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |used| {
                granted = for_file.min(self.limits.folder_bytes.saturating_sub(used));
                Some(used + granted)
            });
        granted
    }

    /// Where it is, if it was needed yet.
    pub(crate) fn path(&self) -> Option<PathBuf> {
        match &*self.lock() {
            State::Made(folder) => Some(folder.path().to_owned()),
            State::Unused | State::Removed => None,
        }
    }

    /// Removes the folder with all that is in it. No file can be made afterwards.
    pub(crate) fn remove(&self) -> io::Result<()> {
        let state = std::mem::replace(&mut *self.lock(), State::Removed);
        match state {
            // Somebody who cleared the folder for temporary files has done the work.
            State::Made(folder) => match folder.close() {
                Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
                removed => removed,
            },
            State::Unused | State::Removed => Ok(()),
        }
    }

    fn made(&self) -> io::Result<PathBuf> {
        let mut state = self.lock();
        match &*state {
            State::Made(folder) => return Ok(folder.path().to_owned()),
            State::Removed => return Err(io::Error::other("the folder was removed")),
            State::Unused => {}
        }
        let mut builder = tempfile::Builder::new();
        builder.prefix("tenon-").rand_bytes(12);
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
        let made = match &self.limits.parent {
            Some(parent) => builder.tempdir_in(parent)?,
            None => builder.tempdir()?,
        };
        let path = made.path().to_owned();
        *state = State::Made(made);
        Ok(path)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn folder(parent: &TempDir, file_bytes: u64, folder_bytes: u64) -> PrivateFolder {
        PrivateFolder::new(SpillLimits {
            file_bytes,
            folder_bytes,
            parent: Some(parent.path().into()),
        })
    }

    #[test]
    fn folder_and_files_belong_to_this_user_alone_and_go_with_the_owner() {
        let parent = tempfile::tempdir().unwrap();
        let private = folder(&parent, 1, 1);
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
    fn the_quota_binds_each_file_and_all_of_them() {
        let parent = tempfile::tempdir().unwrap();
        let private = folder(&parent, 10, 15);
        let granted = [
            private.reserve(0, 8),
            private.reserve(8, 8),
            private.reserve(0, 8),
            private.reserve(0, 1),
        ];
        assert_eq!(granted, [8, 2, 5, 0]);
    }
}
