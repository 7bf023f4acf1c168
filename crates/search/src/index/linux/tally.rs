//! What a search sees in a directory, and in all directories below, when it has to look at none of the files. So that it need not
//! go through their entries to count them.

use super::files::Files;
use tenon_contract::RulesIdentity;

use super::indexed_tree::{IndexedTree, NONE, Node, join_key};
use super::serve::plain_verdict;
use crate::directory::to_path;
use crate::entries::Kind;
use crate::filter::Verdict;
use crate::{Facts, PathFilter};

/// The tallies of the directories of a tree, by their numbers. A directory that has one has one for every directory below.
#[derive(Debug, Default)]
pub(crate) struct Tallies {
    directories: Vec<Option<Box<Facts>>>,
    /// The rules that keep files back from the search for which they were made: what these cover does not count.
    rules: Option<RulesIdentity>,
}

impl Tallies {
    pub(crate) fn get(&self, directory: u32) -> Option<Facts> {
        self.directories
            .get(directory as usize)?
            .as_deref()
            .copied()
    }

    /// Takes the tally of a directory away. Whether there was one.
    fn take(&mut self, directory: u32) -> bool {
        let slot = self.directories.get_mut(directory as usize);
        slot.and_then(Option::take).is_some()
    }

    fn set(&mut self, directory: u32, facts: Facts) {
        let index = directory as usize;
        if index >= self.directories.len() {
            self.directories.resize(index + 1, None);
        }
        if let Some(slot) = self.directories.get_mut(index) {
            *slot = Some(Box::new(facts));
        }
    }

    /// Takes all away that were made for other rules.
    fn hold_for(&mut self, rules: Option<&RulesIdentity>) {
        if self.rules.as_ref() != rules {
            self.directories.clear();
            self.rules = rules.cloned();
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        self.directories.len() * (size_of::<Option<Box<Facts>>>() + size_of::<Facts>())
    }
}

/// Directories to be tallied again, once each.
#[derive(Debug, Default)]
pub(crate) struct Touched {
    directories: Vec<u32>,
    /// By number.
    is_noted: Vec<bool>,
}

impl Touched {
    pub(crate) fn note(&mut self, directory: u32) {
        let index = directory as usize;
        if directory != NONE && index >= self.is_noted.len() {
            self.is_noted.resize(index + 1, false);
        }
        if let Some(is_noted) = self.is_noted.get_mut(index)
            && !std::mem::replace(is_noted, true)
        {
            self.directories.push(directory);
        }
    }

    fn take(&mut self) -> Vec<u32> {
        for directory in &self.directories {
            if let Some(is_noted) = self.is_noted.get_mut(*directory as usize) {
                *is_noted = false;
            }
        }
        std::mem::take(&mut self.directories)
    }
}

impl IndexedTree {
    /// To be called when anything of a directory changes.
    pub(crate) fn forget_tally(&mut self, directory: u32) {
        let mut directory = directory;
        while self.tallies.take(directory) {
            directory = self.node(directory).map_or(NONE, |node| node.parent);
        }
    }

    /// Makes the tallies of a directory and of all below that have none, for searches behind a path_filter of lasting rules.
    pub(crate) fn tally(&mut self, directory: u32, path_filter: Option<&PathFilter>) {
        for touched in self.files.touched.take() {
            self.forget_tally(touched);
        }
        self.tallies
            .hold_for(path_filter.and_then(PathFilter::rules));
        let prefix = self.answer_prefix();
        let mut missing = Vec::new();
        let mut next = vec![directory];
        while let Some(id) = next.pop() {
            if self.tallies.get(id).is_some() {
                continue;
            }
            missing.push(id);
            next.extend(self.node(id).into_iter().flat_map(Node::directories));
        }
        // Directories come after those that they are in.
        for id in missing.into_iter().rev() {
            let Some(node) = self.node(id) else { continue };
            let excludes = |name: &[u8]| {
                path_filter.and_then(|path_filter| {
                    let path = join_key(&node.key, name);
                    path_filter.covered_by(&format!("{prefix}{}", to_path(&path).to_string_lossy()))
                })
            };
            let (mut facts, entered) = node.tally(&self.files, excludes);
            for child in entered {
                facts += self.tallies.get(child).unwrap_or_default();
            }
            self.tallies.set(id, facts);
        }
    }

    /// The directories of these numbers and all that they are in, marked by number.
    pub(crate) fn mark(&self, directories: impl Iterator<Item = u32>) -> Vec<bool> {
        let mut marked = vec![false; self.node_count()];
        for directory in directories {
            let mut directory = directory;
            while let Some(mark) = marked.get_mut(directory as usize)
                && !std::mem::replace(mark, true)
            {
                directory = self.node(directory).map_or(NONE, |node| node.parent);
            }
        }
        marked
    }
}

impl Node {
    /// What is seen in the directory itself, and which directories in it are entered. What is covered counts as kept back alone.
    fn tally(&self, files: &Files, excludes: impl Fn(&[u8]) -> Option<u8>) -> (Facts, Vec<u32>) {
        let mut entered = Vec::new();
        if !self.is_open {
            let facts = Facts {
                unreadable: 1,
                ..Facts::default()
            };
            return (facts, entered);
        }
        let mut facts = Facts {
            directories: 1,
            unreadable: self.lost,
            ..Facts::default()
        };
        let entries = self.entries.iter().zip(&self.rulings).zip(&self.ids);
        for (((name, kind), ruling), id) in entries {
            match kind {
                Kind::Link => facts.links += 1,
                Kind::Special => facts.special += 1,
                Kind::File | Kind::Directory => {
                    let verdict = plain_verdict(name, *ruling);
                    if let Some(rule) = excludes(name) {
                        if verdict == Verdict::Seen {
                            facts.keep_back(rule);
                        }
                        continue;
                    }
                    verdict.count(kind == Kind::Directory, &mut facts);
                    match kind {
                        Kind::Directory if *id != NONE => entered.push(*id),
                        Kind::File if verdict == Verdict::Seen => {
                            files.count_left_out(*id, &mut facts);
                        }
                        _ => {}
                    }
                }
            }
        }
        (facts, entered)
    }

    /// The directories in it that are kept.
    fn directories(&self) -> impl Iterator<Item = u32> + '_ {
        let entries = self.entries.iter().zip(&self.ids);
        entries
            .filter(|((_, kind), id)| *kind == Kind::Directory && **id != NONE)
            .map(|(_, id)| *id)
    }
}
