//! Which version of which file a session knows, because it read it or wrote it.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use tenon_contract::limits;

use crate::truncate::wide;
use crate::{ContentHash, Error, FileSnapshot, Located, Metadata, OpenFile};

/// What one session knows of files. Clones share it. Its memory is bounded: of files that were not
/// used for long first the text is forgotten, then that they were seen.
///
/// ```
/// use tenon_workspace::{Freshness, Ledger, Workspace, read_bytes};
///
/// let directory = tempfile::tempdir()?;
/// std::fs::write(directory.path().join("a.txt"), "one")?;
/// let workspace = Workspace::open(directory.path(), &[] as &[&str])?;
/// let ledger = Ledger::default();
/// let look = || read_bytes(&workspace.locate("a.txt")?, 1024);
///
/// assert!(matches!(ledger.freshness(&look()?), Freshness::NeverSeen));
/// ledger.saw(&look()?);
/// assert!(matches!(ledger.freshness(&look()?), Freshness::Fresh));
/// std::fs::write(directory.path().join("a.txt"), "two")?;
/// assert!(matches!(ledger.freshness(&look()?), Freshness::Changed(Some(text)) if &*text == "one"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Ledger {
    state: Arc<Mutex<LedgerState>>,
}

/// How a file compares with what a session knows of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Freshness {
    /// The session never read it.
    NeverSeen,
    /// It is as the session knows it.
    Fresh,
    /// Something else changed it since. The text that the session knows, if it is kept.
    Changed(Option<Arc<str>>),
}

#[derive(Debug, Default)]
struct LedgerState {
    files: HashMap<PathBuf, KnownFile>,
    /// Bytes of all texts.
    bytes: usize,
    /// Counts every use, to determine what was used last.
    clock: u64,
}

#[derive(Debug)]
struct KnownFile {
    /// The version on the disk that is known as a whole, if there is one.
    version: Option<Version>,
    text: Option<Arc<str>>,
    used: u64,
}

/// Distinguishes one content from another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Version {
    Hash(ContentHash),
    /// Of a file that is too large to be read for this alone.
    Stamp {
        size: u64,
        modified: Option<SystemTime>,
        inode: u64,
    },
}

/// A content that the session is about to write.
#[derive(Debug)]
pub struct Written {
    /// Missing where only the file itself will show.
    version: Option<Version>,
    text: Option<Arc<str>>,
}

impl Written {
    /// Of these bytes, and the text in them if they hold one.
    #[must_use]
    pub fn new(bytes: &[u8], text: Option<&str>) -> Self {
        let is_hashed = wide(bytes.len()) <= limits::LEDGER_HASH_MAX_BYTES;
        let text = text.filter(|text| text.len() <= limits::LEDGER_TEXT_MAX_BYTES);
        Self {
            version: is_hashed.then(|| Version::Hash(ContentHash::of(bytes))),
            text: text.map(Arc::from),
        }
    }
}

impl Version {
    fn of(bytes: &[u8], metadata: &Metadata) -> Self {
        if wide(bytes.len()) <= limits::LEDGER_HASH_MAX_BYTES {
            Self::Hash(ContentHash::of(bytes))
        } else {
            Self::stamp(metadata)
        }
    }

    const fn stamp(metadata: &Metadata) -> Self {
        Self::Stamp {
            size: metadata.size,
            modified: metadata.modified,
            inode: metadata.inode,
        }
    }
}

impl Ledger {
    /// How a file, as it was just read, compares with what is known.
    #[must_use]
    pub fn freshness(&self, file: &FileSnapshot) -> Freshness {
        let mut state = self.lock();
        let Some(known) = state.touch(file.located().target()) else {
            return Freshness::NeverSeen;
        };
        let (version, text) = (known.version, known.text.clone());
        drop(state);
        if version == Some(Version::of(file.bytes(), file.metadata())) {
            return Freshness::Fresh;
        }
        // What was touched, or written back, is no change.
        match (&text, file.decode()) {
            (Some(text), Ok(now)) if now.text() == &**text => Freshness::Fresh,
            _ => Freshness::Changed(text),
        }
    }

    /// The session saw the file as it is in this snapshot.
    pub fn saw(&self, file: &FileSnapshot) {
        let text = file.decode().ok().map(|text| Arc::from(text.text()));
        let version = Version::of(file.bytes(), file.metadata());
        self.put(file.located(), Some(version), text);
    }

    /// The session saw a part of this file. Reads the rest, if it is not too large for that.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn saw_part(&self, file: &OpenFile) -> Result<(), Error> {
        if file.metadata().size > limits::LEDGER_HASH_MAX_BYTES {
            self.put(file.located(), Some(Version::stamp(file.metadata())), None);
            return Ok(());
        }
        match file.read_bytes(limits::LEDGER_HASH_MAX_BYTES) {
            // Changed between the two reads: what was shown is not known.
            Ok(snapshot) if wide(snapshot.bytes().len()) != file.metadata().size => Ok(()),
            Ok(snapshot) => {
                self.saw(&snapshot);
                Ok(())
            }
            Err(Error::TooLarge { .. }) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// The session wrote this whole content, and it is in its place now.
    pub fn wrote(&self, place: &Located, written: Written) {
        let version = written
            .version
            .or_else(|| place.metadata().ok().map(|found| Version::stamp(&found)));
        self.put(place, version, written.text);
    }

    /// What the session knows of a file is this text; the file itself holds other changes as well.
    pub fn knows(&self, place: &Located, text: String) {
        self.put(place, None, Some(Arc::from(text)));
    }

    /// The file is no longer there.
    pub fn forget(&self, place: &Located) {
        self.lock().remove(place.target());
    }

    fn put(&self, place: &Located, version: Option<Version>, text: Option<Arc<str>>) {
        let text = text.filter(|text| text.len() <= limits::LEDGER_TEXT_MAX_BYTES);
        let mut state = self.lock();
        state.remove(place.target());
        state.bytes += text.as_ref().map_or(0, |text| text.len());
        state.clock += 1;
        let used = state.clock;
        let known = KnownFile {
            version,
            text,
            used,
        };
        state.files.insert(place.target().to_owned(), known);
        state.make_room();
    }

    /// No thread panics while it holds this, so a poisoned one is sound.
    fn lock(&self) -> MutexGuard<'_, LedgerState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl LedgerState {
    fn touch(&mut self, target: &Path) -> Option<&KnownFile> {
        self.clock += 1;
        let known = self.files.get_mut(target)?;
        known.used = self.clock;
        Some(known)
    }

    fn remove(&mut self, target: &Path) {
        if let Some(known) = self.files.remove(target) {
            self.bytes -= known.text.map_or(0, |text| text.len());
        }
    }

    /// A part of the room is free afterwards, so that this is seldom done.
    fn make_room(&mut self) {
        let is_over = self.bytes > limits::LEDGER_TEXTS_MAX_BYTES
            || self.files.len() > limits::LEDGER_MAX_FILES;
        if !is_over {
            return;
        }
        let mut oldest: Vec<_> = self.files.drain().collect();
        oldest.sort_unstable_by_key(|(_, known)| known.used);
        let mut bytes = self.bytes;
        let mut files = oldest.len();
        for (path, mut known) in oldest {
            if bytes > limits::LEDGER_TEXTS_MAX_BYTES / 2 {
                bytes -= known.text.take().map_or(0, |text| text.len());
            }
            // Without a version and a text nothing is known.
            let is_known = known.version.is_some() || known.text.is_some();
            if is_known && files <= limits::LEDGER_MAX_FILES * 3 / 4 {
                self.files.insert(path, known);
            } else {
                files -= 1;
                bytes -= known.text.map_or(0, |text| text.len());
            }
        }
        self.bytes = bytes;
    }
}

#[cfg(test)]
#[path = "ledger_tests.rs"]
mod tests;
