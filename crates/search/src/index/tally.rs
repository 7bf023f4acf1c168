//! What a search sees in a folder, and in all folders below, when it has to look at none of the files. So that it need not
//! go through their entries to count them.

use super::files::Files;
use super::kept::{Kept, NONE, Node};
use super::serve::plain_verdict;
use crate::Facts;
use crate::entries::Kind;
use crate::filter::Verdict;

/// The tallies of the folders of a tree, by their numbers. A folder that has one has one for every folder below.
#[derive(Debug, Default)]
pub(crate) struct Tallies(Vec<Option<Box<Facts>>>);

impl Tallies {
    pub(crate) fn get(&self, folder: u32) -> Option<Facts> {
        self.0.get(folder as usize)?.as_deref().copied()
    }

    /// Takes the tally of a folder away. Whether there was one.
    fn take(&mut self, folder: u32) -> bool {
        let slot = self.0.get_mut(folder as usize);
        slot.and_then(Option::take).is_some()
    }

    fn set(&mut self, folder: u32, facts: Facts) {
        let index = folder as usize;
        if index >= self.0.len() {
            self.0.resize(index + 1, None);
        }
        if let Some(slot) = self.0.get_mut(index) {
            *slot = Some(Box::new(facts));
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        self.0.len() * (size_of::<Option<Box<Facts>>>() + size_of::<Facts>())
    }
}

/// Folders to be tallied again, once each.
#[derive(Debug, Default)]
pub(crate) struct Touched {
    folders: Vec<u32>,
    /// By number.
    is_noted: Vec<bool>,
}

impl Touched {
    pub(crate) fn note(&mut self, folder: u32) {
        let index = folder as usize;
        if folder != NONE && index >= self.is_noted.len() {
            self.is_noted.resize(index + 1, false);
        }
        if let Some(is_noted) = self.is_noted.get_mut(index)
            && !std::mem::replace(is_noted, true)
        {
            self.folders.push(folder);
        }
    }

    fn take(&mut self) -> Vec<u32> {
        for folder in &self.folders {
            if let Some(is_noted) = self.is_noted.get_mut(*folder as usize) {
                *is_noted = false;
            }
        }
        std::mem::take(&mut self.folders)
    }
}

impl Kept {
    /// To be called when anything of a folder changes.
    pub(crate) fn forget_tally(&mut self, folder: u32) {
        let mut folder = folder;
        while self.tallies.take(folder) {
            folder = self.node(folder).map_or(NONE, |node| node.parent);
        }
    }

    /// Makes the tallies of a folder and of all below that have none.
    pub(crate) fn tally(&mut self, folder: u32) {
        for touched in self.files.touched.take() {
            self.forget_tally(touched);
        }
        let mut missing = Vec::new();
        let mut next = vec![folder];
        while let Some(id) = next.pop() {
            if self.tallies.get(id).is_some() {
                continue;
            }
            missing.push(id);
            next.extend(self.node(id).into_iter().flat_map(Node::folders));
        }
        // Folders come after those that they are in.
        for id in missing.into_iter().rev() {
            let Some(node) = self.node(id) else { continue };
            let mut facts = node.tally(&self.files);
            for child in node.folders() {
                facts += self.tallies.get(child).unwrap_or_default();
            }
            self.tallies.set(id, facts);
        }
    }

    /// The folders of these numbers and all that they are in, marked by number.
    pub(crate) fn mark(&self, folders: impl Iterator<Item = u32>) -> Vec<bool> {
        let mut marked = vec![false; self.node_count()];
        for folder in folders {
            let mut folder = folder;
            while let Some(mark) = marked.get_mut(folder as usize)
                && !std::mem::replace(mark, true)
            {
                folder = self.node(folder).map_or(NONE, |node| node.parent);
            }
        }
        marked
    }
}

impl Node {
    /// What is seen in the folder itself.
    fn tally(&self, files: &Files) -> Facts {
        if !self.is_open {
            return Facts {
                unreadable: 1,
                ..Facts::default()
            };
        }
        let mut facts = Facts {
            folders: 1,
            unreadable: self.lost,
            ..Facts::default()
        };
        let entries = self.entries.iter().zip(&self.rulings).zip(&self.ids);
        for (((name, kind), ruling), id) in entries {
            match kind {
                Kind::Link => facts.links += 1,
                Kind::Special => facts.special += 1,
                Kind::File | Kind::Folder => {
                    let verdict = plain_verdict(name, *ruling);
                    verdict.count(kind == Kind::Folder, &mut facts);
                    if kind == Kind::File && verdict == Verdict::Seen {
                        files.count_left_out(*id, &mut facts);
                    }
                }
            }
        }
        facts
    }

    /// The folders in it that are kept.
    fn folders(&self) -> impl Iterator<Item = u32> + '_ {
        let entries = self.entries.iter().zip(&self.ids);
        entries
            .filter(|((_, kind), id)| *kind == Kind::Folder && **id != NONE)
            .map(|(_, id)| *id)
    }
}
