//! A tree as it was listed last, with the rules of its ignore files, kept fresh by events.

mod events;
mod list;

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::files::{FileId, Files};
use super::names::NewNames;
use super::place::{InodeState, Mounts, Sources};
use super::tally::Tallies;
use super::watch::Watcher;
use crate::Scope;
use crate::directory::{Handle, ReadBuffer, to_bytes};
use crate::entries::{Entries, Kind};
use crate::ignore_files;
use crate::index::budget::MAX_DIRECTORIES;
use crate::index::options::Doubt;
use crate::rules::{IgnoreMatch, Rules};

/// Marks an entry that has no file or directory of its own.
pub(crate) const NONE: u32 = u32::MAX;

/// One directory.
#[derive(Debug)]
pub(crate) struct Node {
    /// As [`Directory::key`](crate::directory::Directory).
    pub(crate) key: Vec<u8>,
    pub(crate) depth: usize,
    pub(crate) parent: u32,
    pub(super) watch: i32,
    /// Nothing until they are needed, in a tree that comes from the disk.
    rules: Option<Rules>,
    /// Its inode and the time of its last change when it was listed; nothing if a later change may have the same.
    pub(super) state: Option<InodeState>,
    pub(crate) entries: Entries,
    pub(crate) rulings: Vec<IgnoreMatch>,
    /// The file or directory of each entry.
    pub(crate) ids: Vec<u32>,
    /// Entries that could not be determined.
    pub(crate) lost: u64,
    /// Whether it could be opened.
    pub(crate) is_open: bool,
    pub(super) is_stale: bool,
    has_stale_rules: bool,
}

/// A tree.
#[derive(Debug)]
pub(crate) struct IndexedTree {
    pub(crate) root: PathBuf,
    pub(super) base: PathBuf,
    pub(super) root_bytes: Vec<u8>,
    pub(crate) handle: Handle,
    pub(super) identity: (u64, u64),
    pub(super) watcher: Arc<Watcher>,
    nodes: Vec<Option<Node>>,
    free: Vec<u32>,
    pub(super) by_watch: HashMap<i32, u32>,
    stale: Vec<u32>,
    pub(crate) files: Files,
    pub(crate) tallies: Tallies,
    pub(super) sources: Sources,
    mounts: Mounts,
    has_stale_sources: bool,
    names: NewNames,
    /// Where the next look at files that nobody reported begins: a directory and an entry of it.
    next_look: (usize, usize),
    /// Ignore files with their inode and time of change, by path.
    pub(super) rule_files: HashMap<Vec<u8>, InodeState>,
    /// Whether all of them were just read again.
    has_reread_rules: bool,
    /// Whether it was listed once: names that come from then on are new.
    pub(super) is_listed: bool,
    /// Files of which another name came to light.
    linked: HashSet<u64>,
    buffer: ReadBuffer,
}

/// The number of the root.
pub(crate) const ROOT: u32 = 0;

impl IndexedTree {
    /// Lists the tree at `root`. `goes_on` is asked between directories.
    pub(crate) fn new(base: &Path, root: &Path, goes_on: &dyn Fn() -> bool) -> Result<Self, Doubt> {
        let mut kept = Self::empty(base, root)?;
        kept.list_all(vec![ROOT], false, goes_on)?;
        kept.is_listed = true;
        kept.files.spread();
        Ok(kept)
    }

    /// The tree at `root` before it is listed.
    pub(super) fn empty(base: &Path, root: &Path) -> Result<Self, Doubt> {
        let mounts = Mounts::new()?;
        let mut sources = Sources::new();
        sources.add(ignore_files::sources_above(root));
        let handle = Handle::open(root).map_err(|_| Doubt)?;
        let status = handle.status(b".").map_err(|_| Doubt)?;
        // Also shows whether the call that opens files beneath a directory exists here.
        handle.directory_beneath(b"").map_err(|_| Doubt)?;
        if !handle.is_local() {
            return Err(Doubt);
        }
        let mut kept = Self {
            root: root.to_owned(),
            base: base.to_owned(),
            root_bytes: to_bytes(root),
            handle,
            identity: (status.st_dev, status.st_ino),
            watcher: Arc::new(Watcher::new()?),
            nodes: Vec::new(),
            free: Vec::new(),
            by_watch: HashMap::new(),
            stale: Vec::new(),
            files: Files::default(),
            tallies: Tallies::default(),
            sources,
            mounts,
            has_stale_sources: false,
            names: NewNames::default(),
            next_look: (0, 0),
            rule_files: HashMap::new(),
            has_reread_rules: false,
            is_listed: false,
            linked: HashSet::new(),
            buffer: ReadBuffer::new(),
        };
        kept.add_node(NONE, Vec::new(), 0)?;
        Ok(kept)
    }

    pub(crate) fn node(&self, id: u32) -> Option<&Node> {
        self.nodes.get(id as usize)?.as_ref()
    }

    pub(super) fn node_mut(&mut self, id: u32) -> Option<&mut Node> {
        self.nodes.get_mut(id as usize)?.as_mut()
    }

    pub(crate) fn directories(&self) -> usize {
        self.by_watch.len()
    }

    /// What stands before the path of an entry to make it an answered one.
    pub(crate) fn answer_prefix(&self) -> String {
        Scope::new(&self.base, &self.root).answer_prefix()
    }

    /// No directory has a number as high as this.
    pub(crate) fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// Bytes that the tree takes, without the signatures.
    pub(crate) fn bytes(&self) -> usize {
        const NODE_BYTES: usize = size_of::<Option<Node>>() + size_of::<(i32, u32)>() * 2;
        let entries: usize = self.nodes.iter().flatten().map(Node::bytes).sum();
        entries + self.nodes.len() * NODE_BYTES + self.files.bytes() + self.tallies.bytes()
    }

    /// The directory at this path below the root, if it is kept.
    pub(crate) fn find(&self, path: &Path) -> Option<u32> {
        let mut id = ROOT;
        for name in path.iter() {
            let node = self.node(id)?;
            let index = node.entries.position(name.as_encoded_bytes())?;
            id = *node.ids.get(index)?;
            self.node(id)?;
            if node.entries.kind(index) != Some(Kind::Directory) {
                return None;
            }
        }
        self.node(id)?.is_open.then_some(id)
    }

    /// How many directories must be listed again at least.
    pub(crate) fn stale_count(&self) -> usize {
        let all = |id: &u32| self.node(*id).is_some_and(|node| node.has_stale_rules);
        match self.stale.iter().any(all) {
            true => self.directories(),
            false => self.stale.len(),
        }
    }

    /// Lists again what is stale.
    pub(crate) fn refresh(&mut self, goes_on: &dyn Fn() -> bool) -> Result<(), Doubt> {
        while !self.stale.is_empty() {
            if std::mem::take(&mut self.has_stale_sources) {
                self.sources = Sources::new();
                self.sources.add(ignore_files::sources_above(&self.root));
            }
            let mut stale = std::mem::take(&mut self.stale);
            stale.sort_by_key(|id| self.node(*id).map_or(0, |node| node.depth));
            for id in stale {
                let Some(node) = self.node_mut(id).filter(|node| node.is_stale) else {
                    continue;
                };
                let deep = node.has_stale_rules;
                self.list_all(vec![id], deep, goes_on)?;
            }
            self.follow_links();
        }
        Ok(())
    }

    /// The path of a file below the root; nothing when it is gone.
    pub(crate) fn path_of(&self, file: FileId) -> Option<Vec<u8>> {
        let node = self.node(self.files.directory(file)?)?;
        let mut entries = node.ids.iter().zip(node.entries.iter());
        entries.find_map(|(id, (name, kind))| {
            (*id == file.0 && kind == Kind::File).then(|| join_key(&node.key, name))
        })
    }

    pub(super) fn add_node(
        &mut self,
        parent: u32,
        key: Vec<u8>,
        depth: usize,
    ) -> Result<u32, Doubt> {
        if self.nodes.len() - self.free.len() >= MAX_DIRECTORIES {
            return Err(Doubt);
        }
        let node = Some(Node {
            key,
            depth,
            parent,
            watch: NO_WATCH,
            rules: None,
            state: None,
            entries: Entries::default(),
            rulings: Vec::new(),
            ids: Vec::new(),
            lost: 0,
            is_open: false,
            is_stale: false,
            has_stale_rules: false,
        });
        if let Some(id) = self.free.pop()
            && let Some(slot) = self.nodes.get_mut(id as usize)
        {
            *slot = node;
            return Ok(id);
        }
        self.nodes.push(node);
        u32::try_from(self.nodes.len() - 1).map_err(|_| Doubt)
    }

    /// Forgets a directory and everything in it.
    fn drop_node(&mut self, id: u32) {
        let mut dropped = vec![id];
        while let Some(id) = dropped.pop() {
            let Some(node) = self.nodes.get_mut(id as usize).and_then(Option::take) else {
                continue;
            };
            if node.watch != NO_WATCH {
                self.by_watch.remove(&node.watch);
                self.watcher.remove(node.watch);
            }
            for ((_, kind), id) in node.entries.iter().zip(node.ids) {
                match kind {
                    _ if id == NONE => {}
                    Kind::File => self.files.remove(FileId(id)),
                    _ => dropped.push(id),
                }
            }
            self.free.push(id);
        }
    }
}

/// The watch of a directory that has none.
const NO_WATCH: i32 = -1;

impl Node {
    fn bytes(&self) -> usize {
        self.key.len() + self.entries.bytes() + self.ids.len() * 4 + self.rulings.len()
    }
}

/// The path that a directory's key stands for, without a separator at its end.
pub(crate) fn relative(key: &[u8]) -> Vec<u8> {
    let key = key.strip_suffix(&[0]).unwrap_or(key);
    key.iter()
        .map(|byte| if *byte == 0 { b'/' } else { *byte })
        .collect()
}

/// The path of an entry of the directory with this key.
pub(crate) fn join_key(key: &[u8], name: &[u8]) -> Vec<u8> {
    let mut path = Vec::with_capacity(key.len() + name.len());
    path.extend(key.iter().map(|byte| if *byte == 0 { b'/' } else { *byte }));
    path.extend_from_slice(name);
    path
}
