//! The directories and files of a tree, as they are written.

use super::{ByteReader, ByteWriter};
use crate::entries::{Entries, Kind};
use crate::index::budget::{MAX_DIRECTORIES, MAX_FILES};
use crate::index::signature::Slot;
use crate::rules::IgnoreMatch;

/// Marks an entry without a file or directory of its own.
const NONE: u32 = u32::MAX;

/// Variables of the environment, and files outside that rules depend on, which every search looks at.
const MAX_VARIABLES: usize = 8;
const MAX_SOURCES: usize = 1 << 16;

/// Ignore files of a directory.
const RULE_FILES: usize = 3;

/// Bytes of the paths of all directories: in a chain of directories these grow with the square of the file.
const MAX_PATH_BYTES: usize = 64 * 1024 * 1024;

/// An inode and the time of its last change.
type State = (u64, (i64, i64));

/// What a path led to: device, inode, bytes, times of the last change of the content and of anything.
pub(crate) type StoredStamp = (u64, u64, u64, (i64, i64), (i64, i64));

/// A tree.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct StoredTree {
    pub(crate) base: Vec<u8>,
    pub(crate) root: Vec<u8>,
    /// Device and inode of the root, and the file system that it lies on.
    pub(crate) identity: (u64, u64),
    pub(crate) file_system: (u64, u64),
    /// When it was written, in seconds since 1970.
    pub(crate) written: u64,
    /// The run of the system in which it was written.
    pub(crate) boot: Vec<u8>,
    /// What the places of the user's settings depend on.
    pub(crate) environment: Vec<Option<Vec<u8>>>,
    /// Files outside on which the rules depend.
    pub(crate) sources: Vec<(Vec<u8>, Option<StoredStamp>)>,
    /// Ignore files inside.
    pub(crate) rule_files: Vec<(Vec<u8>, State)>,
    /// Each after the one that it is in; the first is the root.
    pub(crate) directories: Vec<StoredDirectory>,
    pub(crate) files: Vec<StoredFile>,
}

/// A directory.
#[derive(Debug, Default)]
pub(crate) struct StoredDirectory {
    /// Its state when it was listed; nothing where that must be done again.
    pub(crate) state: Option<State>,
    pub(crate) entries: Entries,
    pub(crate) rulings: Vec<IgnoreMatch>,
    /// Which file or directory each entry is.
    pub(crate) ids: Vec<u32>,
    pub(crate) lost: u64,
}

impl PartialEq for StoredDirectory {
    fn eq(&self, other: &Self) -> bool {
        let own = (self.state, &self.rulings, &self.ids, self.lost);
        own == (other.state, &other.rulings, &other.ids, other.lost)
            && self.entries.iter().eq(other.entries.iter())
    }
}

impl Eq for StoredDirectory {}

/// A file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct StoredFile {
    pub(crate) state: State,
    pub(crate) bytes: u64,
    pub(crate) grams: u32,
    pub(crate) has_folding: bool,
    pub(crate) sign: StoredSign,
}

/// What is known of the content of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StoredSign {
    Nothing,
    Binary,
    Slot(Slot),
}

impl StoredFile {
    /// One of whose content nothing is known.
    pub(crate) const UNKNOWN: Self = Self {
        state: (0, (0, 0)),
        bytes: 0,
        grams: 0,
        has_folding: false,
        sign: StoredSign::Nothing,
    };

    pub(crate) const fn is_signed(&self) -> bool {
        !matches!(self.sign, StoredSign::Nothing)
    }

    pub(crate) const fn slot(&self) -> Option<Slot> {
        match self.sign {
            StoredSign::Slot(slot) => Some(slot),
            StoredSign::Nothing | StoredSign::Binary => None,
        }
    }
}

impl StoredTree {
    pub(crate) fn write(&self, to: &mut ByteWriter) {
        to.text(&self.base);
        to.text(&self.root);
        for value in [self.identity, self.file_system] {
            to.long(value.0);
            to.long(value.1);
        }
        to.long(self.written);
        to.text(&self.boot);
        to.count(self.environment.len());
        for value in &self.environment {
            to.byte(u8::from(value.is_some()));
            to.text(value.as_deref().unwrap_or_default());
        }
        to.count(self.sources.len());
        for (path, stamp) in &self.sources {
            to.text(path);
            to.byte(u8::from(stamp.is_some()));
            let (device, inode, bytes, modified, changed) = stamp.unwrap_or_default();
            for value in [device, inode, bytes] {
                to.long(value);
            }
            to.time(modified);
            to.time(changed);
        }
        to.count(self.rule_files.len());
        for (path, state) in &self.rule_files {
            to.text(path);
            write_state(to, *state);
        }
        to.count(self.directories.len());
        self.directories
            .iter()
            .for_each(|directory| directory.write(to));
        to.count(self.files.len());
        self.files.iter().for_each(|file| file.write(to));
    }

    /// Nothing where the bytes are not those of a tree.
    pub(crate) fn read(from: &mut ByteReader<'_>) -> Option<Self> {
        let mut tree = Self {
            base: from.text()?.to_vec(),
            root: from.text()?.to_vec(),
            identity: (from.long()?, from.long()?),
            file_system: (from.long()?, from.long()?),
            written: from.long()?,
            boot: from.text()?.to_vec(),
            ..Self::default()
        };
        for _ in 0..from.count(9).filter(|count| *count <= MAX_VARIABLES)? {
            let (is_there, value) = (from.flag()?, from.text()?.to_vec());
            if !is_there && !value.is_empty() {
                return None;
            }
            tree.environment.push(is_there.then_some(value));
        }
        for _ in 0..from.count(65).filter(|count| *count <= MAX_SOURCES)? {
            let (path, is_there) = (from.text()?.to_vec(), from.flag()?);
            let numbers = (from.long()?, from.long()?, from.long()?);
            let stamp = (numbers.0, numbers.1, numbers.2, from.time()?, from.time()?);
            if !is_there && stamp != StoredStamp::default() {
                return None;
            }
            tree.sources.push((path, is_there.then_some(stamp)));
        }
        let most = MAX_DIRECTORIES * RULE_FILES;
        for _ in 0..from.count(32).filter(|count| *count <= most)? {
            let path = from.text()?.to_vec();
            tree.rule_files.push((path, read_state(from)?));
        }
        for _ in 0..from.count(17).filter(|count| *count <= MAX_DIRECTORIES)? {
            tree.directories.push(StoredDirectory::read(from)?);
        }
        for _ in 0..from.count(FILE_BYTES).filter(|count| *count <= MAX_FILES)? {
            tree.files.push(StoredFile::read(from)?);
        }
        (from.is_at_end() && tree.is_one() && tree.has_short_paths()).then_some(tree)
    }

    /// Whether the paths of all directories take as many bytes as they may. To be asked of a tree that is one.
    fn has_short_paths(&self) -> bool {
        let mut lengths = vec![0_usize; self.directories.len()];
        let mut all = 0_usize;
        for (number, directory) in self.directories.iter().enumerate() {
            let above = lengths.get(number).copied().unwrap_or_default();
            for ((name, kind), id) in directory.entries.iter().zip(&directory.ids) {
                let slot = lengths.get_mut(*id as usize);
                let Some(length) = slot.filter(|_| kind == Kind::Directory) else {
                    continue;
                };
                *length = above + name.len() + 1;
                all += *length;
                if all > MAX_PATH_BYTES {
                    return false;
                }
            }
        }
        true
    }

    /// Whether every directory and every file is an entry of one directory that comes before it.
    fn is_one(&self) -> bool {
        let mut entered = vec![false; self.directories.len()];
        let mut listed = vec![false; self.files.len()];
        let Some(root) = entered.first_mut() else {
            return false;
        };
        *root = true;
        for (number, directory) in self.directories.iter().enumerate() {
            for ((_, kind), id) in directory.entries.iter().zip(&directory.ids) {
                let index = *id as usize;
                let slot = match kind {
                    _ if *id == NONE => continue,
                    Kind::File => listed.get_mut(index),
                    Kind::Directory if index > number => entered.get_mut(index),
                    _ => None,
                };
                let is_new = slot.is_some_and(|slot| !std::mem::replace(slot, true));
                if !is_new {
                    return false;
                }
            }
        }
        entered.iter().chain(&listed).all(|is_there| *is_there)
    }
}

impl StoredDirectory {
    fn write(&self, to: &mut ByteWriter) {
        to.byte(u8::from(self.state.is_some()));
        if let Some(state) = self.state {
            write_state(to, state);
        }
        to.long(self.lost);
        to.count(self.ids.len());
        let entries = self.entries.iter().zip(&self.rulings).zip(&self.ids);
        for (((name, kind), ruling), id) in entries {
            let kind = match kind {
                Kind::File => 0,
                Kind::Directory => 1,
                Kind::Link => 2,
                Kind::Special => 3,
            };
            let ruling = match ruling {
                IgnoreMatch::Silent => 0,
                IgnoreMatch::Ignored => 4,
                IgnoreMatch::Kept => 8,
            };
            to.byte(kind | ruling);
            to.word(*id);
            to.0.extend_from_slice(&u16::try_from(name.len()).unwrap_or_default().to_le_bytes());
            to.0.extend_from_slice(name);
        }
    }

    fn read(from: &mut ByteReader<'_>) -> Option<Self> {
        let state = match from.flag()? {
            true => Some(read_state(from)?),
            false => None,
        };
        let mut directory = Self {
            state,
            lost: from.long()?,
            ..Self::default()
        };
        let count = from.count(8)?;
        let mut before: &[u8] = &[];
        for _ in 0..count {
            let what = from.byte()?;
            let kind = match what & 3 {
                0 => Kind::File,
                1 => Kind::Directory,
                2 => Kind::Link,
                _ => Kind::Special,
            };
            directory.rulings.push(match what & !3 {
                0 => IgnoreMatch::Silent,
                4 => IgnoreMatch::Ignored,
                8 => IgnoreMatch::Kept,
                _ => return None,
            });
            directory.ids.push(from.word()?);
            let length = from.take(2)?.iter().rev();
            let length = length.fold(0, |length, byte| length << 8 | usize::from(*byte));
            let name = from.take(length)?;
            // In the order in which they are searched for, each once.
            if name <= before || !is_name(name) || !directory.entries.push(name, kind) {
                return None;
            }
            before = name;
        }
        Some(directory)
    }
}

/// Whether it is the name of an entry: nothing that leads elsewhere.
fn is_name(name: &[u8]) -> bool {
    !matches!(name, b"" | b"." | b"..") && !name.iter().any(|byte| matches!(byte, 0 | b'/'))
}

/// Bytes of a file.
const FILE_BYTES: usize = 24 + 8 + 4 + 1 + 1 + 6;

impl StoredFile {
    fn write(&self, to: &mut ByteWriter) {
        write_state(to, self.state);
        to.long(self.bytes);
        to.word(self.grams);
        to.byte(u8::from(self.has_folding));
        let (kind, size, column, block) = match self.sign {
            StoredSign::Nothing => (0, 0, 0, 0),
            StoredSign::Binary => (1, 0, 0, 0),
            StoredSign::Slot(slot) => {
                let (size, column, block) = slot.parts();
                (2, size, column, block)
            }
        };
        for value in [kind, size, column] {
            to.byte(value);
        }
        to.word(block);
    }

    fn read(from: &mut ByteReader<'_>) -> Option<Self> {
        let state = read_state(from)?;
        let (bytes, grams, has_folding) = (from.long()?, from.word()?, from.flag()?);
        let (kind, size, column) = (from.byte()?, from.byte()?, from.byte()?);
        let block = from.word()?;
        let has_no_slot = (size, column, block) == (0, 0, 0);
        let sign = match kind {
            0 if has_no_slot => StoredSign::Nothing,
            1 if has_no_slot => StoredSign::Binary,
            2 => StoredSign::Slot(Slot::of_parts(size, column, block)?),
            _ => return None,
        };
        Some(Self {
            state,
            bytes,
            grams,
            has_folding,
            sign,
        })
    }
}

fn write_state(to: &mut ByteWriter, (inode, changed): State) {
    to.long(inode);
    to.time(changed);
}

fn read_state(from: &mut ByteReader<'_>) -> Option<State> {
    Some((from.long()?, from.time()?))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn tree(names: &[Vec<u8>], kinds: &[u8], numbers: (u64, i64)) -> StoredTree {
        let mut tree = StoredTree {
            base: b"/base".to_vec(),
            root: b"/base/root".to_vec(),
            identity: (1, numbers.0),
            file_system: (0xEF53, 7),
            written: 9,
            boot: b"this one".to_vec(),
            environment: vec![None, Some(b"/home".to_vec())],
            sources: vec![
                (b"/x".to_vec(), None),
                (b"/y".to_vec(), Some((1, 2, 3, (4, 5), numbers_of(numbers)))),
            ],
            rule_files: vec![(b".gitignore".to_vec(), (numbers.0, (numbers.1, 2)))],
            directories: vec![StoredDirectory::default()],
            files: Vec::new(),
        };
        let mut sorted: Vec<&Vec<u8>> = names.iter().filter(|name| is_name(name)).collect();
        sorted.sort();
        sorted.dedup();
        let mut root = StoredDirectory {
            state: numbers
                .0
                .is_multiple_of(2)
                .then_some((numbers.0, (numbers.1, 3))),
            ..StoredDirectory::default()
        };
        for (name, kind) in sorted.into_iter().zip(kinds) {
            let (kind, id) = match kind % 4 {
                0 => {
                    let sign = match tree.files.len() % 3 {
                        0 => StoredSign::Nothing,
                        1 => StoredSign::Binary,
                        _ => StoredSign::Slot(Slot::of_parts(3, 9, 1).unwrap()),
                    };
                    tree.files.push(StoredFile {
                        state: (numbers.0, (numbers.1, 1)),
                        bytes: 5,
                        grams: 2,
                        has_folding: kind % 3 == 0,
                        sign,
                    });
                    (Kind::File, tree.files.len() - 1)
                }
                1 => {
                    tree.directories.push(StoredDirectory::default());
                    (Kind::Directory, tree.directories.len() - 1)
                }
                2 => (Kind::Link, NONE as usize),
                _ => (Kind::Special, NONE as usize),
            };
            root.entries.push(name, kind);
            root.rulings.push(IgnoreMatch::Kept);
            root.ids.push(u32::try_from(id).unwrap());
        }
        tree.directories[0] = root;
        tree
    }

    const fn numbers_of((one, other): (u64, i64)) -> (i64, i64) {
        (other, one as i64 & 0xFFFF)
    }

    fn written(tree: &StoredTree) -> Vec<u8> {
        let mut writer = ByteWriter::default();
        tree.write(&mut writer);
        writer.0
    }

    proptest! {
        #[test]
        fn what_was_written_is_read_and_whatever_is_changed_in_it_is_read_without_a_panic(
            names in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..6), 0..12),
            kinds in prop::collection::vec(any::<u8>(), 12),
            numbers: (u64, i64),
            at: prop::sample::Index,
            value: u8,
        ) {
            let tree = tree(&names, &kinds, numbers);
            let mut bytes = written(&tree);
            let read = |bytes: &[u8]| StoredTree::read(&mut ByteReader::new(bytes));
            prop_assert_eq!(read(&bytes), Some(tree));
            let at = at.index(bytes.len());
            prop_assert_eq!(read(&bytes[..at]), None);
            bytes[at] = value;
            if let Some(other) = read(&bytes) {
                // Whatever it is, it is a tree: written again it is the same.
                prop_assert_eq!(written(&other), bytes);
            }
        }
    }

    #[test]
    fn a_chain_of_directories_whose_paths_would_fill_the_memory_is_refused() {
        let chain = |length: u32| {
            let mut tree = tree(&[], &[], (2, 3));
            tree.directories.clear();
            for number in 0..length {
                let mut directory = StoredDirectory::default();
                if number + 1 < length {
                    directory.entries.push(b"d", Kind::Directory);
                    directory.rulings.push(IgnoreMatch::Silent);
                    directory.ids.push(number + 1);
                }
                tree.directories.push(directory);
            }
            let bytes = written(&tree);
            assert!(bytes.len() < 4 * 1024 * 1024);
            StoredTree::read(&mut ByteReader::new(&bytes)).is_some()
        };
        assert!(chain(2_000));
        assert!(!chain(30_000));
    }

    #[test]
    fn more_variables_and_sources_than_any_tree_has_are_refused() {
        let with = |variables: usize, sources: usize| {
            let mut tree = tree(&[], &[], (2, 3));
            tree.environment = vec![None; variables];
            tree.sources = vec![(b"/x".to_vec(), None); sources];
            StoredTree::read(&mut ByteReader::new(&written(&tree))).is_some()
        };
        assert!(with(MAX_VARIABLES, MAX_SOURCES));
        assert!(!with(MAX_VARIABLES + 1, 0));
        assert!(!with(0, MAX_SOURCES + 1));
    }

    #[test]
    fn more_directories_than_any_tree_has_are_refused() {
        let with = |count: usize| {
            let mut tree = tree(&[], &[], (2, 3));
            let mut root = StoredDirectory::default();
            for number in 1..count {
                root.entries
                    .push(format!("{number:06}").as_bytes(), Kind::Directory);
                root.rulings.push(IgnoreMatch::Silent);
                root.ids.push(u32::try_from(number).unwrap());
            }
            tree.directories = vec![root];
            tree.directories
                .resize_with(count, StoredDirectory::default);
            StoredTree::read(&mut ByteReader::new(&written(&tree))).is_some()
        };
        assert!(with(MAX_DIRECTORIES));
        assert!(!with(MAX_DIRECTORIES + 1));
    }

    #[test]
    fn trees_that_are_none_are_refused() {
        let good = || tree(&[b"a".to_vec(), b"b".to_vec()], &[0, 1], (2, 3));
        let read = |tree: &StoredTree| StoredTree::read(&mut ByteReader::new(&written(tree)));
        assert!(read(&good()).is_some());
        for (reported, change) in [
            (
                "no directory",
                (|tree| tree.directories.clear()) as fn(&mut StoredTree),
            ),
            ("a file twice", |tree| tree.directories[0].ids[1] = 0),
            ("a directory in itself", |tree| {
                tree.directories[0].ids[1] = 0
            }),
            ("a file that is not there", |tree| {
                tree.directories[0].ids[0] = 7
            }),
            ("a file nowhere", |tree| tree.files.push(tree.files[0])),
            ("a directory nowhere", |tree| {
                tree.directories.push(StoredDirectory::default());
            }),
            ("a name that leads elsewhere", |tree| {
                tree.directories[0].entries = Entries::default();
                for name in [b"..", b"b/"] {
                    tree.directories[0].entries.push(name, Kind::Link);
                }
            }),
            ("names out of order", |tree| {
                let directory = &mut tree.directories[0];
                directory.entries = Entries::default();
                directory.entries.push(b"b", Kind::File);
                directory.entries.push(b"a", Kind::Directory);
            }),
        ] {
            let mut tree = good();
            change(&mut tree);
            assert_eq!(read(&tree), None, "{reported}");
        }
    }
}
