//! Copies of files as they stood before somebody else worked on them.
//!
//! What a command will write nobody knows beforehand, so the files are copied before it runs, within a budget. All copies
//! are in one file without a name that only grows; a file that is still the version of its copy is not read again.
//! Links to the files would cost nothing, but a program that writes in place writes through them.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use super::state::FileState;
use crate::truncate::wide;
use crate::{ContentHash, Error, Workspace};

/// A file of which a copy is wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeenFile {
    /// The file, as [`Workspace::unresolved`] takes it.
    pub path: String,
    /// Changes whenever the file does; `None` where that is not sure, so that it is read again.
    pub version: Option<u64>,
}

/// How much is copied before one command.
#[derive(Debug, Clone, Copy)]
pub struct CopyBudget {
    /// Most files of which there is a copy.
    pub files: usize,
    /// Most bytes of all copies.
    pub bytes: u64,
    /// Largest file that is copied, in bytes.
    pub file_bytes: u64,
    /// When the copying ends. What is missing then is copied before the next command.
    pub until: Instant,
}

/// Why a change of a file cannot be taken back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeftOut {
    /// Larger than a file may be to be copied; its size in bytes.
    TooLarge(u64),
    /// There are more files, or more bytes in them, than are copied.
    OverBudget,
    /// It is, or was, a link, a directory or a device.
    NotAFile,
    /// The system refused to read it, or to keep the copy.
    Unreadable,
    /// It was not there to be copied, or the checkpoint was made only after the command had begun.
    NotCopied,
    /// Another tool, or another command, changed it while the command ran.
    ChangedBesides,
    /// It may have been there before the command, or elsewhere, where it is not seen: no copy of it is known.
    MayBeOlder,
}

impl LeftOut {
    /// A sentence's end, after the name of the file: `it is larger than …`.
    #[must_use]
    pub fn reason(self) -> String {
        let text = match self {
            Self::TooLarge(bytes) => {
                return format!("with {bytes} bytes it is too large to be copied");
            }
            Self::OverBudget => "there are more files than are copied before a command",
            Self::NotAFile => "it is or was no regular file",
            Self::Unreadable => "it could not be read or copied",
            Self::NotCopied => "no copy was made before the command began",
            Self::ChangedBesides => "something else changed it while the command ran",
            Self::MayBeOlder => {
                "it may be older than the command, and no copy of what is in it is kept"
            }
        };
        text.to_owned()
    }

    pub(super) fn of(error: &Error) -> Self {
        match error {
            Error::TooLarge { size, .. } => Self::TooLarge(*size),
            Error::NotAFile { .. } | Error::Changed { .. } | Error::NotADirectory { .. } => {
                Self::NotAFile
            }
            Error::NotFound { .. } => Self::NotCopied,
            _ => Self::Unreadable,
        }
    }
}

/// The files as they stood when they were [copied](super::Journal::copy).
#[derive(Debug)]
pub struct Copies {
    file: Arc<Mutex<File>>,
    files: HashMap<Arc<str>, Copied>,
    left_out: HashMap<Arc<str>, LeftOut>,
    /// The number of the first entry of the journal after they were made.
    pub(super) first: u64,
    /// The number of the first change of any toolkit after that.
    pub(super) first_elsewhere: u64,
}

/// One copy.
#[derive(Debug, Clone, Copy)]
struct Copied {
    version: Option<u64>,
    hash: ContentHash,
    mode: u32,
    offset: u64,
    bytes: u64,
}

impl Copies {
    /// Whether there is a copy of what stood at this path.
    #[must_use]
    pub fn has(&self, path: &str) -> bool {
        self.files.contains_key(path)
    }

    /// What stood at this path.
    pub(super) fn state(&self, path: &str) -> Result<FileState, LeftOut> {
        match self.files.get(path) {
            Some(copied) => Ok(FileState::File {
                hash: copied.hash,
                mode: copied.mode,
            }),
            None => Err(self
                .left_out
                .get(path)
                .copied()
                .unwrap_or(LeftOut::NotCopied)),
        }
    }

    /// The bytes that stood there.
    pub(super) fn content(&self, path: &str) -> io::Result<Vec<u8>> {
        let copied = self.files.get(path).ok_or(io::ErrorKind::NotFound)?;
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(copied.offset))?;
        let mut bytes = Vec::new();
        Read::by_ref(&mut *file)
            .take(copied.bytes)
            .read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// Of what there are copies, with the path of each.
    pub(super) fn hashes(&self) -> impl Iterator<Item = (&str, ContentHash)> {
        { self.files.iter() }.map(|(path, copied)| (&**path, copied.hash))
    }

    /// Bytes of the copy at this path.
    pub(super) fn bytes(&self, path: &str) -> u64 {
        self.files.get(path).map_or(0, |copied| copied.bytes)
    }
}

/// The file with all copies, and which of them are still those of their files.
#[derive(Debug, Default)]
pub(super) struct Pack {
    file: Option<Arc<Mutex<File>>>,
    /// Where the next copy goes.
    end: u64,
    files: HashMap<Arc<str>, Copied>,
}

impl Pack {
    pub(super) fn paths(&self) -> Vec<String> {
        self.files.keys().map(|path| path.to_string()).collect()
    }

    /// Copies what is not copied yet.
    pub(super) fn copy(
        &mut self,
        workspace: &Workspace,
        seen: &[SeenFile],
        budget: &CopyBudget,
        parent: Option<&PathBuf>,
        (first, first_elsewhere): (u64, u64),
    ) -> io::Result<Copies> {
        // What became useless takes no more room than what is in use may.
        let used: u64 = self.files.values().map(|copied| copied.bytes).sum();
        if self.end - used > budget.bytes {
            *self = Self::default();
        }
        let mut old = std::mem::take(&mut self.files);
        let mut copies = Copies {
            file: self.made(parent)?,
            files: HashMap::with_capacity(seen.len().min(budget.files)),
            left_out: HashMap::new(),
            first,
            first_elsewhere,
        };
        let mut kept_bytes = 0;
        for file in seen {
            let known = old.remove_entry(file.path.as_str());
            let (name, known) = match known {
                Some((name, copied)) => (name, Some(copied)),
                None => (Arc::from(file.path.as_str()), None),
            };
            let known =
                known.filter(|copied| copied.version.is_some() && copied.version == file.version);
            let room = Room {
                files: budget.files > copies.files.len(),
                bytes: budget.bytes.saturating_sub(kept_bytes),
                file_bytes: budget.file_bytes,
            };
            let copied = match known {
                Some(known) if room.files && known.bytes <= room.bytes => Ok(known),
                _ if Instant::now() >= budget.until => Err(LeftOut::OverBudget),
                _ => self.copy_one(workspace, file, &room, &copies.file),
            };
            match copied {
                Ok(copied) => {
                    kept_bytes += copied.bytes;
                    copies.files.insert(name, copied);
                }
                Err(reason) => {
                    copies.left_out.insert(name, reason);
                }
            }
        }
        self.files.clone_from(&copies.files);
        Ok(copies)
    }

    fn copy_one(
        &mut self,
        workspace: &Workspace,
        seen: &SeenFile,
        room: &Room,
        pack: &Arc<Mutex<File>>,
    ) -> Result<Copied, LeftOut> {
        if !room.files {
            return Err(LeftOut::OverBudget);
        }
        let place = workspace
            .unresolved(&seen.path)
            .ok_or(LeftOut::Unreadable)?;
        let found =
            crate::read_bytes(&place, room.file_bytes).map_err(|error| LeftOut::of(&error))?;
        let bytes = wide(found.bytes().len());
        if bytes > room.bytes {
            return Err(LeftOut::OverBudget);
        }
        let mut file = pack.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(self.end))
            .and_then(|_| file.write_all(found.bytes()))
            .map_err(|_| LeftOut::Unreadable)?;
        let copied = Copied {
            version: seen.version,
            hash: found.hash(),
            mode: found.metadata().mode,
            offset: self.end,
            bytes,
        };
        self.end += bytes;
        Ok(copied)
    }

    fn made(&mut self, parent: Option<&PathBuf>) -> io::Result<Arc<Mutex<File>>> {
        if let Some(file) = &self.file {
            return Ok(file.clone());
        }
        let file = match parent {
            Some(parent) => tempfile::tempfile_in(parent)?,
            None => tempfile::tempfile()?,
        };
        Ok(self.file.insert(Arc::new(Mutex::new(file))).clone())
    }
}

/// What may still be copied.
struct Room {
    files: bool,
    bytes: u64,
    file_bytes: u64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Journal, JournalOptions};
    use std::time::Duration;

    struct Bench {
        directory: tempfile::TempDir,
        workspace: Workspace,
        journal: Journal,
        budget: CopyBudget,
    }

    impl Bench {
        fn new() -> Self {
            let directory = tempfile::tempdir().unwrap();
            let workspace = Workspace::open(directory.path(), &[] as &[&str]).unwrap();
            let journal = Journal::new(JournalOptions::default());
            journal.checkpoint().unwrap();
            let budget = CopyBudget {
                files: 100,
                bytes: 1000,
                file_bytes: 100,
                until: Instant::now() + Duration::from_secs(60),
            };
            Self {
                directory,
                workspace,
                journal,
                budget,
            }
        }

        fn write(&self, name: &str, bytes: usize, letter: u8) {
            std::fs::write(self.directory.path().join(name), vec![letter; bytes]).unwrap();
        }

        fn copy(&self, files: &[(&str, Option<u64>)]) -> Copies {
            let seen: Vec<SeenFile> = files
                .iter()
                .map(|(path, version)| SeenFile {
                    path: (*path).to_owned(),
                    version: *version,
                })
                .collect();
            self.journal
                .copy(&self.workspace, &seen, &self.budget)
                .unwrap()
        }
    }

    #[test]
    fn what_does_not_fit_into_the_budget_has_a_reason() {
        let mut bench = Bench::new();
        for name in ["a", "b", "c"] {
            bench.write(name, 60, b'x');
        }
        bench.write("large", 101, b'x');
        bench.budget.bytes = 130;
        let all = [
            ("a", None),
            ("b", None),
            ("c", None),
            ("large", None),
            ("gone", None),
        ];
        let reasons = |copies: &Copies| all.map(|(name, _)| copies.state(name).err());
        let (over, large) = (Some(LeftOut::OverBudget), Some(LeftOut::TooLarge(101)));
        let gone = Some(LeftOut::NotCopied);
        assert_eq!(reasons(&bench.copy(&all)), [None, None, over, large, gone]);
        bench.budget.files = 1;
        assert_eq!(reasons(&bench.copy(&all)), [None, over, over, over, over]);
        bench.budget.until = Instant::now();
        assert_eq!(reasons(&bench.copy(&all)), [over; 5]);
    }

    #[test]
    fn a_file_of_the_same_version_is_not_read_again() {
        let bench = Bench::new();
        bench.write("a", 3, b'1');
        let first = bench.copy(&[("a", Some(1))]);
        bench.write("a", 3, b'2');
        let same = bench.copy(&[("a", Some(1))]);
        assert_eq!(same.content("a").unwrap(), b"111");
        let next = bench.copy(&[("a", Some(2))]);
        assert_eq!(next.content("a").unwrap(), b"222");
        bench.write("a", 3, b'3');
        let unsure = bench.copy(&[("a", None)]);
        assert_eq!(unsure.content("a").unwrap(), b"333");
        // What was copied before stays what it was.
        assert_eq!(first.content("a").unwrap(), b"111");
    }

    #[test]
    fn useless_copies_never_take_more_room_than_the_budget() {
        let mut bench = Bench::new();
        bench.budget.bytes = 200;
        bench.write("still", 50, b's');
        let mut earlier = Vec::new();
        for round in 0..40_u64 {
            bench.write("a", 100, u8::try_from(round).unwrap());
            let copies = bench.copy(&[("a", Some(round)), ("still", Some(0))]);
            let length = copies.file.lock().unwrap().metadata().unwrap().len();
            assert!(length <= 200 + 200 + 100, "{length}");
            earlier.push(copies);
        }
        for (round, copies) in (0..).zip(&earlier) {
            assert_eq!(copies.content("a").unwrap(), vec![round; 100]);
            assert_eq!(copies.content("still").unwrap(), vec![b's'; 50]);
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_never_copied_and_never_followed() {
        let bench = Bench::new();
        bench.write("a", 3, b'1');
        std::os::unix::fs::symlink("a", bench.directory.path().join("link")).unwrap();
        std::os::unix::fs::symlink(".", bench.directory.path().join("again")).unwrap();
        let copies = bench.copy(&[("link", None), ("again/a", None), ("../a", None)]);
        for (name, reason) in [
            ("link", LeftOut::NotAFile),
            ("again/a", LeftOut::NotAFile),
            ("../a", LeftOut::Unreadable),
        ] {
            assert_eq!(copies.state(name), Err(reason), "{name}");
        }
    }
}
