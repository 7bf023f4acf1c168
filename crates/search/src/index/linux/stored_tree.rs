//! A tree that goes to the disk, and one that comes from there: whatever was changed in between is found by the states of its
//! directories and files before anything is answered.

use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use rustix::fs::{Stat, fstatfs};

use super::files::{FileId, Files};
use super::hidden::Filters;
use super::indexed_tree::{IndexedTree, NONE, ROOT, join_key, relative};
use super::place::{InodeState, Stamp, boot, environment, now, was_older_than, was_settled};
use crate::directory::{Handle, to_bytes};
use crate::entries::Kind;
use crate::index::disk::{
    ByteReader, ByteWriter, Sealed, StoredDirectory, StoredFile, StoredTree, seal,
};
use crate::index::options::Doubt;
use crate::index::signature::{Signatures, Slot};

/// Threads that compare a tree with what was written.
const THREADS: usize = 2;

/// Directories that one of them takes at a time.
const SHARE: usize = 64;

/// The file system of memory: nothing on it outlives the system, and writes through mappings show in no time of a file.
const TMPFS: i64 = 0x0102_1994;

/// What is found of a directory: its watch and whether it has the entries that were written; the files that changed.
struct Compared {
    number: usize,
    watch: i32,
    is_same: bool,
    /// Whether an ignore file came or went, so that the rules below are others as well.
    has_other_rules: bool,
    changed: Vec<u32>,
}

/// What makes the rules of a directory. The contents of those that stayed are compared before.
const RULES: [&[u8]; 4] = [b".gitignore", b".ignore", b".rgignore", b".git"];

impl IndexedTree {
    /// What another process needs to know of this tree, without the contents of what one of `filters` keeps back. Nothing while that
    /// is not certain: what has happened is to be taken before, `at` is the time before that, and rules are to be older than `least_age`.
    pub(crate) fn stored(
        &self,
        filters: &Filters,
        at: Duration,
        least_age: Duration,
    ) -> Option<Vec<u8>> {
        // Rules are contents as well: what is stored into a mapping shows as late.
        let is_old = |changed| was_settled(changed, at) && was_older_than(changed, least_age, at);
        let mut rule_files = self.rule_files.values();
        if self.stale_count() > 0 || !rule_files.all(|(_, changed)| is_old(*changed)) {
            return None;
        }
        // These take no time, and may be missing for long.
        let (file_system, sources) = (file_system(&self.handle)?, self.sources.stored(is_old)?);
        let boot = boot()?;
        let (directories, files) = self.stored_directories(filters)?;
        let environment = environment();
        let tree = StoredTree {
            base: to_bytes(&self.base),
            root: self.root_bytes.clone(),
            identity: self.identity,
            file_system,
            written: now().as_secs(),
            boot,
            environment: environment
                .map(|value| value.map(OsStringExt::into_vec))
                .to_vec(),
            sources,
            rule_files: self
                .rule_files
                .iter()
                .map(|(path, state)| (path.clone(), *state))
                .collect(),
            directories,
            files,
        };
        let mut written = ByteWriter::default();
        tree.write(&mut written);
        let slots: Vec<Slot> = tree.files.iter().filter_map(StoredFile::slot).collect();
        let mut signatures = ByteWriter::default();
        self.files.signatures.write(&mut signatures, &slots);
        Some(seal(&written.0, &signatures.0))
    }

    /// The directories, each after the one that it is in, and the files in the order in which these list them.
    fn stored_directories(
        &self,
        filters: &Filters,
    ) -> Option<(Vec<StoredDirectory>, Vec<StoredFile>)> {
        let prefix = self.answer_prefix();
        let (mut directories, mut files) = (Vec::new(), Vec::new());
        // With whether they are hidden, and all that is in them.
        let mut waiting = vec![(ROOT, false)];
        let mut next = 0;
        while let Some((id, all_hidden)) = waiting.get(next).copied() {
            next += 1;
            let node = self.node(id)?;
            let mut ids = Vec::with_capacity(node.ids.len());
            for ((name, kind), id) in node.entries.iter().zip(&node.ids) {
                if *id == NONE {
                    ids.push(NONE);
                    continue;
                }
                let is_hidden = all_hidden || filters.hide(&prefix, || join_key(&node.key, name));
                let number = if kind == Kind::File {
                    files.push(self.files.stored(*id, is_hidden));
                    files.len()
                } else {
                    waiting.push((*id, is_hidden));
                    waiting.len()
                };
                ids.push(u32::try_from(number - 1).ok()?);
            }
            directories.push(StoredDirectory {
                state: node.state.filter(|_| node.is_open && !node.is_stale),
                entries: node.entries.clone(),
                rulings: node.rulings.clone(),
                ids,
                lost: node.lost,
            });
        }
        Some((directories, files))
    }

    /// The tree at `root` as it is now, by what was written of it. Nothing where that was of another one, or where its rules
    /// may be others. `goes_on` is asked between directories.
    pub(crate) fn restored(
        base: &Path,
        root: &Path,
        file: &[u8],
        most: usize,
        goes_on: &(dyn Fn() -> bool + Sync),
    ) -> Result<Self, Doubt> {
        let sealed = Sealed::open(file).ok_or(Doubt)?;
        let stored = sealed.tree().ok_or(Doubt)?;
        let mut kept = Self::empty(base, root)?;
        let here = environment().map(|value| value.map(OsStringExt::into_vec));
        let is_same = stored.base == base.as_os_str().as_bytes()
            && stored.root == kept.root_bytes
            && stored.identity == kept.identity
            && Some(stored.file_system) == file_system(&kept.handle)
            && stored.environment == here
            && Some(&stored.boot) == boot().as_ref()
            && stored.written <= now().as_secs();
        // What was added for this tree now must be among what was written.
        if !is_same || !kept.sources.add_stored(&stored.sources) {
            return Err(Doubt);
        }
        kept.has_rule_files(&stored)?;
        kept.rule_files = stored.rule_files.iter().cloned().collect();
        let owners = kept.take_directories(&stored)?;
        let (signatures, compared) = thread::scope(|scope| {
            let files = &stored.files;
            let read = move || read_signatures(&sealed, files, most);
            let signatures = thread::Builder::new().spawn_scoped(scope, read);
            let compared = kept.compare(&stored, goes_on);
            let signatures = signatures.ok().and_then(|thread| thread.join().ok());
            (signatures.flatten(), compared)
        });
        kept.files = Files::restored(&stored.files, &owners, signatures.ok_or(Doubt)?);
        kept.take_compared(&stored, compared?)?;
        // Again: one that was written before its directory was watched was reported by nobody.
        kept.has_rule_files(&stored)?;
        kept.is_listed = true;
        Ok(kept)
    }

    /// Doubts unless the ignore files in the tree are as they were.
    fn has_rule_files(&self, stored: &StoredTree) -> Result<(), Doubt> {
        let mut rule_files = stored.rule_files.iter();
        let are_same = rule_files.all(|(path, state)| self.state_of(path) == Some(*state));
        are_same.then_some(()).ok_or(Doubt)
    }

    fn state_of(&self, path: &[u8]) -> Option<InodeState> {
        let status = self.handle.status(path).ok()?;
        Some(Stamp::of_status(&status).state())
    }

    /// Makes the directories; answers the one of each file.
    fn take_directories(&mut self, stored: &StoredTree) -> Result<Vec<u32>, Doubt> {
        let mut owners = vec![NONE; stored.files.len()];
        // The root is there.
        for (number, directory) in (0..).zip(&stored.directories) {
            let node = self.node_mut(number).ok_or(Doubt)?;
            node.entries = directory.entries.clone();
            node.rulings.clone_from(&directory.rulings);
            node.ids.clone_from(&directory.ids);
            node.lost = directory.lost;
            node.state = directory.state;
            let (key, depth) = (node.key.clone(), node.depth);
            for ((name, kind), id) in directory.entries.iter().zip(&directory.ids) {
                match kind {
                    _ if *id == NONE => {}
                    Kind::File => {
                        if let Some(owner) = owners.get_mut(*id as usize) {
                            *owner = number;
                        }
                    }
                    _ => {
                        let child = [&key, name, &[0]].concat();
                        // In the order in which they were numbered.
                        if self.add_node(number, child, depth + 1)? != *id {
                            return Err(Doubt);
                        }
                    }
                }
            }
        }
        Ok(owners)
    }

    /// Watches every directory, and then compares it and its files with what was written: what changes later is reported.
    fn compare(
        &self,
        stored: &StoredTree,
        goes_on: &(dyn Fn() -> bool + Sync),
    ) -> Result<Vec<Compared>, Doubt> {
        let next = AtomicUsize::new(0);
        let work = || {
            let mut found = Vec::new();
            loop {
                let start = next.fetch_add(SHARE, Ordering::Relaxed);
                let share = stored
                    .directories
                    .iter()
                    .enumerate()
                    .skip(start)
                    .take(SHARE);
                if share.len() == 0 {
                    return Ok(found);
                }
                if !goes_on() {
                    return Err(Doubt);
                }
                for (number, directory) in share {
                    found.push(self.compare_directory(number, directory, &stored.files)?);
                }
            }
        };
        thread::scope(|scope| {
            let others: Vec<_> = (1..THREADS)
                .filter_map(|_| thread::Builder::new().spawn_scoped(scope, work).ok())
                .collect();
            let mut all = work()?;
            for other in others {
                all.extend(other.join().map_err(|_| Doubt)??);
            }
            Ok(all)
        })
    }

    fn compare_directory(
        &self,
        number: usize,
        stored: &StoredDirectory,
        files: &[StoredFile],
    ) -> Result<Compared, Doubt> {
        let mut compared = Compared {
            number,
            watch: -1,
            is_same: false,
            has_other_rules: false,
            changed: Vec::new(),
        };
        let id = u32::try_from(number).map_err(|_| Doubt)?;
        let path = relative(&self.node(id).ok_or(Doubt)?.key);
        // One that is gone, or cannot be opened, is listed again with the one above.
        let Ok(directory) = self.handle.directory_beneath(&path) else {
            let listed = stored.ids.iter().zip(stored.entries.iter());
            let files = listed.filter(|(id, (_, kind))| **id != NONE && *kind == Kind::File);
            compared.changed = files.map(|(id, _)| *id).collect();
            return Ok(compared);
        };
        compared.watch = self.watcher.add(&directory)?;
        let status = directory.status_of_itself().map_err(|_| Doubt)?;
        if status.st_dev != self.identity.0 {
            return Err(Doubt);
        }
        compared.is_same = stored.state == Some(Stamp::of_status(&status).state());
        compared.has_other_rules = !compared.is_same
            && RULES.iter().any(|name| {
                let written = stored.entries.position(name);
                let written = written.and_then(|index| stored.entries.kind(index));
                directory.kind_of(name) != written
            });
        for ((name, kind), id) in stored.entries.iter().zip(&stored.ids) {
            let file = files.get(*id as usize).filter(|_| kind == Kind::File);
            let Some(file) = file.filter(|_| *id != NONE) else {
                continue;
            };
            let status = directory.status(name);
            if !status.as_ref().is_ok_and(|status| is_same(status, file)) {
                compared.changed.push(*id);
            }
            if status.is_err() {
                // Also where the directory says that it is the same: names of an encrypted one are others once there is a key.
                compared.is_same = false;
                compared.has_other_rules = true;
            }
        }
        Ok(compared)
    }

    fn take_compared(&mut self, stored: &StoredTree, all: Vec<Compared>) -> Result<(), Doubt> {
        for compared in all {
            let id = u32::try_from(compared.number).map_err(|_| Doubt)?;
            let is_watched = compared.watch != -1;
            if is_watched && self.by_watch.insert(compared.watch, id).is_some() {
                return Err(Doubt);
            }
            let node = self.node_mut(id).ok_or(Doubt)?;
            node.watch = compared.watch;
            node.is_open = is_watched;
            if !compared.is_same || !is_watched {
                // The one above lists it with its state.
                let parent = node.parent;
                self.make_stale(id, compared.has_other_rules);
                if !is_watched && parent != NONE {
                    self.make_stale(parent, false);
                }
            }
            for file in compared.changed {
                let signed = stored.files.get(file as usize);
                if signed.is_some_and(StoredFile::is_signed) {
                    self.files.forget_sign(FileId(file));
                }
            }
        }
        Ok(())
    }
}

/// Whether a file is as it was when its content was read.
fn is_same(status: &Stat, file: &StoredFile) -> bool {
    let stamp = Stamp::of_status(status);
    stamp.state() == file.state && stamp.bytes() == file.bytes && status.st_nlink == 1
}

fn read_signatures(sealed: &Sealed<'_>, files: &[StoredFile], most: usize) -> Option<Signatures> {
    let slots: Vec<Slot> = files.iter().filter_map(StoredFile::slot).collect();
    let mut reader = ByteReader::new(sealed.signatures()?);
    Signatures::read(&mut reader, &slots, most)
}

/// What distinguishes this file system from others; nothing where nothing on it can be known by its state.
fn file_system(directory: &Handle) -> Option<(u64, u64)> {
    let status = fstatfs(directory.descriptor()).ok()?;
    if status.f_type == TMPFS {
        return None;
    }
    // The number is not readable by its fields everywhere.
    let identity = rustix::fs::fstatvfs(directory.descriptor()).ok()?.f_fsid;
    Some((u64::try_from(status.f_type).ok()?, identity))
}
