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
    /// The bytes of the text that is kept. Compared with that, so that nothing is hashed that nobody asks about.
    OfText,
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
        let text = text.filter(|text| text.len() <= limits::LEDGER_TEXT_MAX_BYTES);
        let is_hashed = wide(bytes.len()) <= limits::LEDGER_HASH_MAX_BYTES;
        let version = match text {
            Some(text) if text.as_bytes() == bytes => Some(Version::OfText),
            _ => is_hashed.then(|| Version::Hash(ContentHash::of(bytes))),
        };
        let text = text.map(Arc::from);
        Self { version, text }
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
        let is_same = match (version, &text) {
            (Some(Version::OfText), Some(text)) => text.as_bytes() == file.bytes(),
            (version, _) => version == Some(Version::of(file.bytes(), file.metadata())),
        };
        if is_same {
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
        let text = text.filter(|text: &Arc<str>| text.len() <= limits::LEDGER_TEXT_MAX_BYTES);
        let version = match &text {
            Some(text) if text.as_bytes() == file.bytes() => Version::OfText,
            _ => Version::of(file.bytes(), file.metadata()),
        };
        self.put(file.located(), Some(version), text);
    }

    /// The same of a text whose bytes are those of the file. One that is known is not copied again.
    fn saw_text(&self, place: &Located, text: &str) {
        let is_known = |known: &KnownFile| {
            known.version == Some(Version::OfText) && known.text.as_deref() == Some(text)
        };
        let is_known = self.lock().touch(place.target()).is_some_and(is_known);
        if !is_known {
            self.put(place, Some(Version::OfText), Some(Arc::from(text)));
        }
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
        if let Some(text) = file.held_text().filter(|text| is_whole(text, file)) {
            self.saw_text(file.located(), text);
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
        let is_kept = text.len() <= limits::LEDGER_TEXT_MAX_BYTES;
        self.put(place, None, is_kept.then(|| Arc::from(text)));
    }

    /// The file is no longer there.
    pub fn forget(&self, place: &Located) {
        self.lock().remove(place.target());
    }

    fn put(&self, place: &Located, version: Option<Version>, text: Option<Arc<str>>) {
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

/// Whether this is all of the file, as it was opened.
fn is_whole(text: &str, file: &OpenFile) -> bool {
    let is_kept = text.len() <= limits::LEDGER_TEXT_MAX_BYTES;
    is_kept && wide(text.len()) == file.metadata().size
}

impl KnownFile {
    /// Forgets the text, and answers how many bytes it had. What it says of the version stays.
    fn forget_text(&mut self) -> usize {
        let Some(text) = self.text.take() else {
            return 0;
        };
        if self.version == Some(Version::OfText) {
            self.version = Some(Version::Hash(ContentHash::of(text.as_bytes())));
        }
        text.len()
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
                bytes -= known.forget_text();
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
