//! Listing the directories of a kept tree.

use super::{IndexedTree, NO_WATCH, NONE, join_key, relative};
use crate::directory::{join, to_path};
use crate::entries::{Entries, Kind};
use crate::ignore_files;
use crate::index::budget::MAX_FILES;
use crate::index::linux::files::FileId;
use crate::index::linux::place::Stamp;
use crate::index::options::Doubt;
use crate::rules::{IgnoreMatch, Rules};

/// The ignore files of a directory.
const IGNORE_FILES: [&str; 3] = [".gitignore", ".ignore", ".rgignore"];

impl IndexedTree {
    /// Lists these directories and whatever new comes to light in them; with `deep` all directories below.
    pub(super) fn list_all(
        &mut self,
        mut ids: Vec<u32>,
        deep: bool,
        goes_on: &dyn Fn() -> bool,
    ) -> Result<(), Doubt> {
        while let Some(id) = ids.pop() {
            if !goes_on() {
                return Err(Doubt);
            }
            self.list(id, deep, &mut ids)?;
        }
        Ok(())
    }

    fn list(&mut self, id: u32, deep: bool, next: &mut Vec<u32>) -> Result<(), Doubt> {
        let Some(node) = self.node(id) else {
            return Ok(());
        };
        let (key, parent, watch) = (node.key.clone(), node.parent, node.watch);
        self.forget_tally(id);
        let path = relative(&key);
        let opened = self.handle.directory_beneath(&path);
        let Some(node) = self.node_mut(id) else {
            return Ok(());
        };
        node.is_stale = false;
        node.has_stale_rules = false;
        node.is_open = opened.is_ok();
        let Ok(directory) = opened else {
            // The directory above is notified when that changes.
            return self.replace(id, Entries::default(), Vec::new(), next, deep);
        };
        let status = directory.status_of_itself().map_err(|_| Doubt)?;
        if status.st_dev != self.identity.0 {
            return Err(Doubt);
        }
        let stamp = Stamp::of_status(&status);
        let state = stamp.is_settled().then(|| stamp.state());
        let added = self.watcher.add(&directory)?;
        if watch != added {
            if watch != NO_WATCH || self.by_watch.insert(added, id).is_some() {
                return Err(Doubt);
            }
            if let Some(node) = self.node_mut(id) {
                node.watch = added;
            }
        }
        let absolute = if path.is_empty() {
            self.root_bytes.clone()
        } else {
            join(&self.root_bytes, &path)
        };
        let mut entries = Entries::default();
        let read = directory.read(&absolute, &mut self.buffer, &mut entries);
        let lost = read.map_err(|_| Doubt)?;
        self.note_rules(&key, &absolute, &entries);
        let above = self.rules_of(parent);
        let rules = ignore_files::enter(&above, &absolute, &entries);
        entries.sort();
        let rulings = entries
            .iter()
            .map(|(name, kind)| rules.judge(&join(&absolute, name), kind == Kind::Directory))
            .collect();
        if let Some(node) = self.node_mut(id) {
            node.rules = Some(rules);
            node.state = state;
            node.lost = lost;
        }
        self.files.changes += 1;
        self.replace(id, entries, rulings, next, deep)
    }

    /// The rules that hold in a directory; above the root for none.
    fn rules_of(&mut self, id: u32) -> Rules {
        let mut unread = Vec::new();
        let mut at = id;
        let mut rules = loop {
            let Some(node) = self.node(at) else {
                break ignore_files::above(&self.base, &self.root);
            };
            if let Some(rules) = &node.rules {
                break rules.clone();
            }
            unread.push(at);
            at = node.parent;
        };
        while let Some(node) = unread
            .pop()
            .and_then(|id| self.nodes.get_mut(id as usize)?.as_mut())
        {
            let path = match relative(&node.key) {
                path if path.is_empty() => self.root_bytes.clone(),
                path => join(&self.root_bytes, &path),
            };
            rules = ignore_files::enter(&rules, &path, &node.entries);
            node.rules = Some(rules.clone());
        }
        rules
    }

    /// Notes the files that the rules of a directory come from; to be called before they are read.
    fn note_rules(&mut self, key: &[u8], absolute: &[u8], entries: &Entries) {
        self.sources
            .add(ignore_files::outside_sources(absolute, entries));
        for name in IGNORE_FILES {
            let path = join_key(key, name.as_bytes());
            self.rule_files.remove(&path);
            if entries
                .iter()
                .any(|(entry, kind)| entry == name.as_bytes() && kind == Kind::File)
                && let Ok(status) = self.handle.status(&path)
            {
                let state = Stamp::of_status(&status).state();
                self.rule_files.insert(path, state);
                if status.st_nlink > 1 {
                    let path = to_path(absolute).join(name);
                    self.sources.add(vec![path]);
                }
            }
        }
    }

    /// Gives a directory its entries; what it had before under the same name stays the same.
    fn replace(
        &mut self,
        id: u32,
        entries: Entries,
        rulings: Vec<IgnoreMatch>,
        next: &mut Vec<u32>,
        deep: bool,
    ) -> Result<(), Doubt> {
        let Some(node) = self.node_mut(id) else {
            return Ok(());
        };
        let old_entries = std::mem::take(&mut node.entries);
        let mut old_ids = std::mem::take(&mut node.ids);
        let (key, depth) = (node.key.clone(), node.depth);
        let mut ids = Vec::with_capacity(entries.len());
        self.names.listed(id, &entries);
        for ((name, kind), ruling) in entries.iter().zip(&rulings) {
            let wanted = *ruling != IgnoreMatch::Ignored && name != b".git";
            if !wanted || !matches!(kind, Kind::File | Kind::Directory) {
                if kind == Kind::File {
                    self.note_link(&key, name);
                }
                ids.push(NONE);
                continue;
            }
            let known = old_entries
                .position(name)
                .filter(|index| old_entries.kind(*index) == Some(kind))
                .and_then(|index| old_ids.get_mut(index))
                .map_or(NONE, |slot| std::mem::replace(slot, NONE));
            if kind == Kind::File {
                ids.push(self.keep_file(id, known, &key, name)?);
                continue;
            }
            let is_new = known == NONE;
            let child = if is_new {
                let mut child_key = key.clone();
                child_key.extend_from_slice(name);
                child_key.push(0);
                self.add_node(id, child_key, depth + 1)?
            } else {
                known
            };
            if is_new || deep {
                next.push(child);
            }
            ids.push(child);
        }
        self.let_go(&old_entries, old_ids);
        if let Some(node) = self.node_mut(id) {
            node.entries = entries;
            node.rulings = rulings;
            node.ids = ids;
        }
        Ok(())
    }

    /// Forgets what is left of a directory's former entries.
    fn let_go(&mut self, old_entries: &Entries, old_ids: Vec<u32>) {
        for ((_, kind), left) in old_entries.iter().zip(old_ids) {
            match kind {
                _ if left == NONE => {}
                Kind::File => self.files.remove(FileId(left)),
                _ => self.drop_node(left),
            }
        }
    }

    /// The file of an entry: the known one, or a new one. A new name of a file that has another one
    /// makes writes under the one name change what the other holds.
    fn keep_file(
        &mut self,
        directory: u32,
        known: u32,
        key: &[u8],
        name: &[u8],
    ) -> Result<u32, Doubt> {
        if known != NONE {
            return Ok(known);
        }
        if self.files.len() >= MAX_FILES {
            return Err(Doubt);
        }
        self.note_link(key, name);
        Ok(self.files.add(directory).0)
    }

    /// Notes a file that has other names.
    fn note_link(&mut self, key: &[u8], name: &[u8]) {
        if self.is_listed
            && let Ok(status) = self.handle.status(&join_key(key, name))
            && status.st_nlink > 1
        {
            self.linked.insert(status.st_ino);
        }
    }
}
