//! A file that lines are appended to in the background.
//!
//! [`push`](RecordFile::push) never waits for the disk: lines queue up in memory, bounded, and its result says whether
//! the caller has to call [`write`](RecordFile::write) on a thread that may block. Nothing runs while nothing is queued.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Most bytes that wait to be written.
const QUEUE_MAX_BYTES: usize = 8 << 20;

/// The file. When it would grow beyond its size, it is renamed to `NAME.1`, the one before to `NAME.2`, and so on.
#[derive(Debug)]
pub struct RecordFile {
    path: PathBuf,
    max_bytes: u64,
    keep: u32,
    queue: Mutex<Queue>,
    /// Held while writing, so that lines keep their order.
    open: Mutex<Option<File>>,
    /// The file is not kept open between lines.
    is_closed: AtomicBool,
}

#[derive(Debug, Default)]
struct Queue {
    bytes: Vec<u8>,
    /// Lines that found no room.
    lost: u64,
    /// A caller was asked to write and has not begun to take the rest.
    is_written: bool,
    /// Nothing is taken any more: the file cannot be written.
    has_failed: bool,
}

impl RecordFile {
    /// Nothing is opened before the first line. `keep` is how many renamed files there are at most.
    #[must_use]
    pub fn new(path: impl Into<PathBuf>, max_bytes: u64, keep: u32) -> Self {
        Self {
            path: path.into(),
            max_bytes,
            keep,
            queue: Mutex::default(),
            open: Mutex::default(),
            is_closed: AtomicBool::default(),
        }
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Takes a line, without its end. True when [`write`](Self::write) has to be called for it.
    #[must_use = "somebody has to write"]
    pub fn push(&self, line: &str) -> bool {
        let mut queue = self.queue();
        if queue.has_failed {
            return false;
        }
        if queue.bytes.len() + line.len() >= QUEUE_MAX_BYTES {
            queue.lost += 1;
            return false;
        }
        queue.bytes.extend_from_slice(line.as_bytes());
        queue.bytes.push(b'\n');
        !std::mem::replace(&mut queue.is_written, true)
    }

    /// Writes all that is queued. Blocks.
    ///
    /// # Errors
    /// Why the file cannot be written, once: nothing is recorded from then on.
    pub fn write(&self) -> io::Result<()> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let (bytes, lost) = {
                let mut queue = self.queue();
                if queue.bytes.is_empty() && queue.lost == 0 {
                    queue.is_written = false;
                    if self.is_closed.load(Ordering::Acquire) {
                        *open = None;
                    }
                    return Ok(());
                }
                (
                    std::mem::take(&mut queue.bytes),
                    std::mem::take(&mut queue.lost),
                )
            };
            let written = self.append(&mut open, bytes, lost);
            if let Err(error) = written {
                let mut queue = self.queue();
                let is_first = !std::mem::replace(&mut queue.has_failed, true);
                *queue = Queue {
                    has_failed: true,
                    ..Queue::default()
                };
                *open = None;
                return if is_first { Err(error) } else { Ok(()) };
            }
        }
    }

    /// Writes what is queued and closes the file. A line that comes later is written all the same, and the file closed behind it.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub fn close(&self) -> io::Result<()> {
        self.is_closed.store(true, Ordering::Release);
        self.write()
    }

    fn append(&self, open: &mut Option<File>, mut bytes: Vec<u8>, lost: u64) -> io::Result<()> {
        if lost > 0 {
            let line = format!("{{\"type\":\"lost\",\"count\":{lost}}}\n");
            bytes.extend_from_slice(line.as_bytes());
        }
        let mut rest = bytes.as_slice();
        // A file holds whole lines, and at least one.
        while !rest.is_empty() {
            let file = self.current(open)?;
            let size = file.metadata()?.len();
            let room = usize::try_from(self.max_bytes.saturating_sub(size)).unwrap_or(usize::MAX);
            let fits = lines_within(rest, room);
            if fits == 0 && size > 0 {
                // Of several processes one renames the file; to the others it is another one then. Where the file system has
                // no locks, two of them may rename it at once.
                let _ = file.lock();
                if is_at(file, &self.path) {
                    self.rotate()?;
                }
                *open = None;
                continue;
            }
            let taken = if fits == 0 {
                lines_within(rest, first_line(rest))
            } else {
                fits
            };
            let (now, later) = rest.split_at(taken);
            file.write_all(now)?;
            rest = later;
        }
        Ok(())
    }

    /// The open file, unless another process has renamed it meanwhile.
    fn current<'o>(&self, open: &'o mut Option<File>) -> io::Result<&'o mut File> {
        if let Some(file) = open.as_ref()
            && !is_at(file, &self.path)
        {
            *open = None;
        }
        match open {
            Some(file) => Ok(file),
            none => Ok(none.insert(opened(&self.path)?)),
        }
    }

    fn rotate(&self) -> io::Result<()> {
        let numbered = |number: u32| {
            let mut name = self.path.clone().into_os_string();
            name.push(format!(".{number}"));
            PathBuf::from(name)
        };
        if self.keep == 0 {
            return unless_missing(std::fs::remove_file(&self.path));
        }
        for number in (1..self.keep).rev() {
            unless_missing(std::fs::rename(numbered(number), numbered(number + 1)))?;
        }
        unless_missing(std::fs::rename(&self.path, numbered(1)))
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What is not there needs no way: another process has moved it.
fn unless_missing(moved: io::Result<()>) -> io::Result<()> {
    match moved {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        moved => moved,
    }
}

/// How many bytes of whole lines fit.
fn lines_within(bytes: &[u8], room: usize) -> usize {
    let shown = bytes.get(..room.min(bytes.len())).unwrap_or_default();
    shown
        .iter()
        .rposition(|byte| *byte == b'\n')
        .map_or(0, |at| at + 1)
}

fn first_line(bytes: &[u8]) -> usize {
    bytes
        .iter()
        .position(|byte| *byte == b'\n')
        .map_or(bytes.len(), |at| at + 1)
}

/// The file for its user alone. A link in its place is refused: it could lead anywhere.
fn opened(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options
            .mode(0o600)
            .custom_flags(rustix::fs::OFlags::NOFOLLOW.bits().cast_signed());
    }
    let file = options.open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        file.set_permissions(std::fs::Permissions::from_mode(0o600))?;
    }
    Ok(file)
}

#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let same = |one: &std::fs::Metadata, other: &std::fs::Metadata| {
        (one.dev(), one.ino()) == (other.dev(), other.ino())
    };
    match (file.metadata(), std::fs::symlink_metadata(path)) {
        (Ok(open), Ok(there)) => same(&open, &there),
        _ => false,
    }
}

#[cfg(not(unix))]
fn is_at(_: &File, path: &Path) -> bool {
    path.exists()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(record: &RecordFile, lines: &[&str]) {
        for line in lines {
            if record.push(line) {
                record.write().unwrap();
            }
        }
    }

    #[test]
    fn lines_are_appended_in_order_for_the_user_alone() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("session.jsonl");
        std::fs::write(&path, "{\"old\":1}\n").unwrap();
        let record = RecordFile::new(&path, 1 << 20, 3);
        written(&record, &["{\"a\":1}", "{\"a\":2}"]);
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text, "{\"old\":1}\n{\"a\":1}\n{\"a\":2}\n");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = std::fs::metadata(&path).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
    }

    #[test]
    fn a_full_file_is_renamed_at_the_end_of_a_line_and_the_oldest_goes() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("r");
        let record = RecordFile::new(&path, 8, 2);
        written(&record, &["aaa", "bbb", "ccc", "ddd", "eeeeeeeeeeee", "f"]);
        let read = |name: &str| std::fs::read_to_string(directory.path().join(name)).ok();
        assert_eq!(read("r").as_deref(), Some("f\n"));
        assert_eq!(read("r.1").as_deref(), Some("eeeeeeeeeeee\n"));
        assert_eq!(read("r.2").as_deref(), Some("ccc\nddd\n"));
        assert_eq!(read("r.3"), None);
    }

    #[test]
    fn a_file_that_another_process_has_renamed_is_opened_again() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("r");
        let record = RecordFile::new(&path, 1 << 20, 2);
        written(&record, &["a"]);
        std::fs::rename(&path, directory.path().join("other")).unwrap();
        written(&record, &["b"]);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "b\n");
    }

    #[test]
    fn several_writers_of_one_file_rename_it_once_each_time_and_none_gives_up() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("r");
        let line = "x".repeat(99);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    // As in another process: one of its own.
                    let record = RecordFile::new(&path, 1_000, 250);
                    (0..500).for_each(|_| written(&record, &[&line]));
                });
            }
        });
        let files = std::fs::read_dir(directory.path()).unwrap();
        let sizes: Vec<u64> = files
            .map(|file| file.unwrap().metadata().unwrap().len())
            .collect();
        assert_eq!(sizes.iter().sum::<u64>(), 4 * 500 * 100);
        let short = sizes.iter().filter(|size| **size < 1_000).count();
        assert!(short <= 1, "{sizes:?}");
    }

    #[test]
    fn a_file_that_cannot_be_written_fails_once_and_takes_nothing_more() {
        let directory = tempfile::tempdir().unwrap();
        let record = RecordFile::new(directory.path(), 1 << 20, 2);
        assert!(record.push("a"));
        record.write().unwrap_err();
        assert!(!record.push("b"));
        record.write().unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn a_link_in_the_place_of_the_file_is_not_followed() {
        let directory = tempfile::tempdir().unwrap();
        let target = directory.path().join("target");
        std::fs::write(&target, "").unwrap();
        let path = directory.path().join("r");
        std::os::unix::fs::symlink(&target, &path).unwrap();
        let record = RecordFile::new(&path, 1 << 20, 2);
        assert!(record.push("a"));
        record.write().unwrap_err();
        assert_eq!(std::fs::read_to_string(&target).unwrap(), "");
    }

    #[test]
    fn lines_beyond_the_room_are_counted() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("r");
        let record = RecordFile::new(&path, 1 << 30, 2);
        let long = "x".repeat(QUEUE_MAX_BYTES / 2);
        assert!(record.push(&long));
        assert!(!record.push(&long));
        assert!(!record.push("y"));
        record.write().unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text.lines().last(), Some("{\"type\":\"lost\",\"count\":1}"));
        assert!(record.push("z"));
    }
}
