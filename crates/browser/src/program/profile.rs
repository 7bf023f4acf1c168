//! Directories of browsers: private or named, locked, removed when they are not needed any more.

use std::fs::{DirBuilder, File};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tempfile::TempDir;
use tenon_process::in_temporary_directory;

use crate::{BrowserError, Profile};

/// The user that a browser runs as where this process is root: nobody.
pub(crate) const NOBODY: u32 = 65534;
/// What the names of private directories begin with.
const PREFIX: &str = "tenon-browser-";
/// What follows.
const RANDOM_LETTERS: usize = 12;
/// The file that its owner holds locked.
const LOCK: &str = "lock";
/// How old a lock is that nobody holds.
const SETTLED: Duration = Duration::from_secs(60);
/// Where the named ones of root are, whose own directories another user cannot enter.
const OF_ROOT: &str = "/var/lib/tenon/browser";
/// Directories in it.
const INNER: [&str; 4] = ["data", "home", "tmp", "transfer"];

/// What makes it in use.
#[derive(Debug)]
struct Held {
    lock: Option<File>,
    private: Option<TempDir>,
}

/// A directory that is in use. A private one is removed when this is dropped.
#[derive(Debug)]
pub(crate) struct Directory {
    path: PathBuf,
    held: Mutex<Held>,
    user: Option<u32>,
}

impl Directory {
    /// Makes it, for a browser that runs as `user`.
    pub(crate) fn prepare(profile: &Profile, user: Option<u32>) -> Result<Self, BrowserError> {
        match profile {
            Profile::Private { parent } => Self::private(parent.as_deref(), user),
            Profile::Named { parent, name } => Self::named(parent, name, user),
        }
    }

    fn private(parent: Option<&Path>, user: Option<u32>) -> Result<Self, BrowserError> {
        let failed = || BrowserError::file("The directory of the browser could not be made");
        let mut builder = tempfile::Builder::new();
        builder.prefix(PREFIX).rand_bytes(RANDOM_LETTERS);
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
        let make = |parent: &Path| {
            // The other user has to get there.
            let parent = if user.is_some() && !is_open_to_all(parent) {
                Path::new("/tmp")
            } else {
                parent
            };
            let made = builder.tempdir_in(parent)?;
            let lock = File::create_new(made.path().join(LOCK))?;
            Ok((made, lock, parent.to_owned()))
        };
        let (made, lock, parent) = match parent {
            Some(parent) => make(parent),
            None => in_temporary_directory(make),
        }
        .map_err(failed())?;
        let path = made.path().to_owned();
        // Where files cannot be locked, nobody takes the directory for an abandoned one.
        let _ = lock.try_lock();
        fill(&path, user).map_err(failed())?;
        sweep(parent);
        Ok(Self {
            path,
            held: Mutex::new(Held {
                lock: Some(lock),
                private: Some(made),
            }),
            user,
        })
    }

    fn named(parent: &Path, name: &str, user: Option<u32>) -> Result<Self, BrowserError> {
        let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
        if name.is_empty()
            || name.len() > 64
            || name.starts_with('.')
            || !name.chars().all(is_plain)
        {
            return Err(BrowserError::Invalid(format!(
                "`{}` is not the name of a browser profile. Use at most 64 letters, digits, `-`, `_` and `.`, not beginning with `.`.",
                name.escape_debug()
            )));
        }
        let path = reachable(parent, user)?.join(name);
        let failed = || {
            BrowserError::file(format!(
                "The browser profile `{}` could not be prepared",
                path.display()
            ))
        };
        make_private(&path).map_err(failed())?;
        let mut lock = File::options()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path.join(LOCK))
            .map_err(failed())?;
        if lock.try_lock().is_err() {
            let mut holder = String::new();
            // The holder wrote its name there. Without a name, it is still held.
            let _ = lock.take(200).read_to_string(&mut holder);
            let holder = match holder.trim() {
                "" => "another program".to_owned(),
                holder => holder.to_owned(),
            };
            return Err(BrowserError::ProfileInUse {
                profile: name.to_owned(),
                holder,
            });
        }
        let holder = format!("process {}", std::process::id());
        lock.set_len(0)
            .and_then(|()| lock.rewind())
            .and_then(|()| lock.write_all(holder.as_bytes()))
            .and_then(|()| fill(&path, user))
            .map_err(failed())?;
        Ok(Self {
            path,
            held: Mutex::new(Held {
                lock: Some(lock),
                private: None,
            }),
            user,
        })
    }

    /// One of the directories in it.
    pub(crate) fn inner(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// A new private directory in it that the browser can use.
    pub(crate) fn transfer(&self) -> io::Result<TempDir> {
        let made = tempfile::Builder::new()
            .prefix("t")
            .tempdir_in(self.inner("transfer"))?;
        give(made.path(), self.user)?;
        Ok(made)
    }

    /// Makes a directory in it the browser's.
    pub(crate) fn give_away(&self, path: &Path) -> io::Result<()> {
        give(path, self.user)
    }

    /// A copy of what a file holds, which the browser can read.
    pub(crate) fn hand_over(
        &self,
        directory: &Path,
        name: &str,
        bytes: &[u8],
    ) -> io::Result<PathBuf> {
        let path = directory.join(name);
        let mut file = File::create_new(&path)?;
        file.write_all(bytes)?;
        give(&path, self.user)?;
        Ok(path)
    }
}

impl Directory {
    /// Gives it up: a private one is removed. Again it does nothing.
    pub(crate) fn release(&self) {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        // Some systems remove no file that is open.
        drop(held.lock.take());
        if let Some(private) = held.private.take() {
            // Somebody who cleared the directory for temporary files has done the work.
            let _ = private.close();
        }
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        self.release();
    }
}

/// A directory for this user alone, whether it was there or not.
fn make_private(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)?;
    #[cfg(unix)]
    std::fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o700))?;
    Ok(())
}

/// Where named profiles are: a browser that runs as another user has to get there, and nobody else may make it first.
fn reachable(parent: &Path, user: Option<u32>) -> Result<&Path, BrowserError> {
    if user.is_none() || is_open_to_all(parent) {
        return Ok(parent);
    }
    let parent = Path::new(OF_ROOT);
    let failed = BrowserError::file(format!("`{OF_ROOT}` could not be made"));
    make_passable(parent).map_err(failed)?;
    Ok(parent)
}

/// A directory that others can only go through.
fn make_passable(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o711);
    builder.create(path)
}

fn fill(path: &Path, user: Option<u32>) -> io::Result<()> {
    for name in INNER {
        make_private(&path.join(name))?;
        give(&path.join(name), user)?;
    }
    give(path, user)
}

#[cfg(unix)]
fn give(path: &Path, user: Option<u32>) -> io::Result<()> {
    user.map_or(Ok(()), |user| {
        std::os::unix::fs::lchown(path, Some(user), Some(user))
    })
}

#[cfg(not(unix))]
fn give(_: &Path, _: Option<u32>) -> io::Result<()> {
    Ok(())
}

#[cfg(unix)]
fn is_open_to_all(path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    path.ancestors()
        .all(|directory| std::fs::metadata(directory).is_ok_and(|found| found.mode() & 0o001 != 0))
}

#[cfg(not(unix))]
fn is_open_to_all(_: &Path) -> bool {
    true
}

/// Removes what killed hosts have left behind. Nobody waits for it.
fn sweep(parent: PathBuf) {
    let _ = std::thread::Builder::new()
        .name("tenon-sweep".to_owned())
        .spawn(move || remove_abandoned(&parent, SETTLED));
}

fn remove_abandoned(parent: &Path, settled: Duration) {
    for entry in std::fs::read_dir(parent).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let is_named_so = name
            .to_str()
            .and_then(|name| name.strip_prefix(PREFIX))
            .is_some_and(|rest| rest.len() == RANDOM_LETTERS);
        if !is_named_so || !is_ours(&entry.path()) {
            continue;
        }
        let lock = File::options().write(true).open(entry.path().join(LOCK));
        // A directory without a lock is just being made, or somebody else's.
        if lock.is_ok_and(|lock| is_settled(&lock, settled) && lock.try_lock().is_ok()) {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

/// Whether its owner has had the time to lock it.
fn is_settled(lock: &File, settled: Duration) -> bool {
    let made = lock.metadata().and_then(|found| found.modified());
    made.is_ok_and(|made| made.elapsed().is_ok_and(|age| age >= settled))
}

#[cfg(unix)]
fn is_ours(path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let own = rustix::process::geteuid();
    std::fs::symlink_metadata(path).is_ok_and(|found| {
        let is_owner = found.uid() == own.as_raw() || (own.is_root() && found.uid() == NOBODY);
        found.is_dir() && is_owner && found.mode() & 0o077 == 0
    })
}

#[cfg(not(unix))]
fn is_ours(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_ok_and(|found| found.is_dir())
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use std::os::unix::fs::MetadataExt;

    fn private(parent: &TempDir) -> Directory {
        let profile = Profile::Private {
            parent: Some(parent.path().to_owned()),
        };
        Directory::prepare(&profile, None).unwrap()
    }

    #[test]
    fn a_private_directory_is_for_this_user_alone_and_goes_with_its_owner() {
        let parent = tempfile::tempdir().unwrap();
        let directory = private(&parent);
        let modes: Vec<u32> = INNER
            .iter()
            .map(|name| directory.inner(name).metadata().unwrap().mode() & 0o777)
            .collect();
        assert_eq!(modes, [0o700; 4]);
        drop(directory);
        assert_eq!(std::fs::read_dir(parent.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_named_profile_is_for_one_browser_and_the_error_names_the_holder() {
        let parent = tempfile::tempdir().unwrap();
        let profile = Profile::Named {
            parent: parent.path().join("profiles"),
            name: "work".to_owned(),
        };
        let held = Directory::prepare(&profile, None).unwrap();
        let path = held.inner("data");
        std::fs::write(path.join("kept"), "x").unwrap();
        assert_eq!(
            Directory::prepare(&profile, None).unwrap_err().to_string(),
            format!(
                "The browser profile `work` is in use by process {}. Close that browser, or use another profile.",
                std::process::id()
            )
        );
        drop(held);
        let again = Directory::prepare(&profile, None).unwrap();
        assert!(again.inner("data").join("kept").exists());
    }

    #[test]
    fn a_name_that_leads_elsewhere_is_refused() {
        let parent = tempfile::tempdir().unwrap();
        for name in ["", "..", ".hidden", "a/b", "a\0b", "ä"] {
            let profile = Profile::Named {
                parent: parent.path().to_owned(),
                name: name.to_owned(),
            };
            let error = Directory::prepare(&profile, None).unwrap_err();
            assert_eq!(error.kind(), "invalid", "{name:?}");
        }
        assert_eq!(std::fs::read_dir(parent.path()).unwrap().count(), 0);
    }

    #[test]
    fn what_a_killed_host_left_behind_is_removed_and_nothing_else() {
        let parent = tempfile::tempdir().unwrap();
        let in_use = private(&parent);
        let left = parent.path().join("tenon-browser-abcdefghijkl");
        make_private(&left).unwrap();
        std::fs::write(left.join(LOCK), "").unwrap();
        let other = parent.path().join("tenon-browser-other");
        make_private(&other).unwrap();
        std::fs::write(other.join(LOCK), "").unwrap();
        remove_abandoned(parent.path(), SETTLED);
        assert!(left.exists());
        remove_abandoned(parent.path(), Duration::ZERO);
        assert!(!left.exists() && other.exists() && in_use.inner("data").exists());
    }
}
