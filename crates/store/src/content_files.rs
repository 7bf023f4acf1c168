//! Contents of files beside a store, each under a name of its own, in a private directory for each owner.
//!
//! The time of a file says until when it is kept: it is renewed when the same content is kept again, and what has expired
//! is removed, of owners too that do not come back.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

/// The contents of one owner.
#[derive(Debug)]
pub struct ContentFiles {
    root: PathBuf,
    directory: PathBuf,
    max_age: Duration,
    /// How long a file that nothing uses stays: another process may be about to use it.
    grace: Duration,
    is_swept: AtomicBool,
    next_part: AtomicU64,
}

impl ContentFiles {
    /// Those of `owner`, a name without separators, below the directory `root`. Nothing is made before something is kept.
    #[must_use]
    pub fn new(root: PathBuf, owner: &str, max_age: Duration, grace: Duration) -> Self {
        Self {
            directory: root.join(owner),
            root,
            max_age,
            grace,
            is_swept: AtomicBool::new(false),
            next_part: AtomicU64::new(0),
        }
    }

    /// Keeps a content under a name, which stands for it: one that is there is not written again.
    ///
    /// # Errors
    /// As the system has it; then nothing is kept.
    pub fn keep(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        if !self.is_swept.swap(true, Ordering::Relaxed) {
            self.sweep();
        }
        let path = self.directory.join(name);
        let until = SystemTime::now() + self.max_age;
        if let Ok(found) = fs::File::options().append(true).open(&path) {
            return found.set_modified(until);
        }
        private_directory(&self.directory)?;
        let number = self.next_part.fetch_add(1, Ordering::Relaxed);
        let part = self
            .directory
            .join(format!(".{name}-{}-{number}", std::process::id()));
        let written = write_private(&part, bytes, until).and_then(|()| fs::rename(&part, &path));
        if written.is_err() {
            // What was written of it is of no use.
            let _ = fs::remove_file(&part);
        }
        written
    }

    /// The content of this name.
    ///
    /// # Errors
    /// `NotFound` where it is not kept, or not any more.
    pub fn read(&self, name: &str) -> io::Result<Vec<u8>> {
        fs::read(self.directory.join(name))
    }

    /// Removes contents that `is_used` does not want and that nobody has kept again for the time of grace.
    pub fn collect(&self, is_used: impl Fn(&str) -> bool) {
        let wanted_before = SystemTime::now() + self.max_age - self.grace;
        for_each_file(&self.directory, |path, until| {
            let name = path.file_name().and_then(|name| name.to_str());
            // Other names are files that are just being written.
            let name = name.filter(|name| !name.starts_with('.'));
            until < wanted_before && name.is_some_and(|name| !is_used(name))
        });
    }

    /// Removes everything of this owner.
    ///
    /// # Errors
    /// As the system has it. That there is nothing is none.
    pub fn forget(&self) -> io::Result<()> {
        match fs::remove_dir_all(&self.directory) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Removes what has expired, of all owners.
    fn sweep(&self) {
        // A file that is just being written has no time of its own yet.
        let now = SystemTime::now() - self.grace;
        for owner in fs::read_dir(&self.root).into_iter().flatten().flatten() {
            for_each_file(&owner.path(), |_, until| until < now);
            // Refused as long as something is in it.
            let _ = fs::remove_dir(owner.path());
        }
    }
}

fn private_directory(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

fn write_private(path: &Path, bytes: &[u8], until: SystemTime) -> io::Result<()> {
    let mut options = fs::File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    file.write_all(bytes)?;
    file.set_modified(until)
}

/// Removes the files of a directory of which `is_useless` says so, by their path and their time.
fn for_each_file(directory: &Path, is_useless: impl Fn(&Path, SystemTime) -> bool) {
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let until = entry.metadata().and_then(|found| found.modified());
        if until.is_ok_and(|until| is_useless(&entry.path(), until)) {
            // What stays is removed the next time.
            let _ = fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(root: &Path, owner: &str, max_age: Duration) -> ContentFiles {
        ContentFiles::new(root.to_owned(), owner, max_age, Duration::ZERO)
    }

    fn names(root: &Path) -> Vec<String> {
        let entries = fs::read_dir(root).into_iter().flatten().flatten();
        let mut names: Vec<String> = entries
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn contents_are_found_again_and_go_when_nothing_uses_them() {
        let place = tempfile::tempdir().unwrap();
        let kept = files(place.path(), "a", Duration::ZERO);
        kept.keep("one", b"1").unwrap();
        kept.keep("two", b"2").unwrap();
        std::thread::sleep(Duration::from_millis(20));
        kept.collect(|name| name == "one");
        assert_eq!(kept.read("one").unwrap(), b"1");
        assert_eq!(
            kept.read("two").unwrap_err().kind(),
            io::ErrorKind::NotFound
        );
        kept.forget().unwrap();
        kept.forget().unwrap();
        assert_eq!(names(place.path()), Vec::<String>::new());
    }

    #[test]
    fn what_has_expired_goes_with_the_first_content_of_another_owner() {
        let place = tempfile::tempdir().unwrap();
        files(place.path(), "old", Duration::ZERO)
            .keep("x", b"x")
            .unwrap();
        std::thread::sleep(Duration::from_millis(20));
        let day = Duration::from_secs(86_400);
        files(place.path(), "new", day).keep("y", b"y").unwrap();
        assert_eq!(names(place.path()), ["new"]);
    }
}
