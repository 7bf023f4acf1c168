//! What a search sees in a folder, and in all folders below, when it has to look at none of the files. So that it need not
//! go through their entries to count them.

use super::files::Files;
use tenon_contract::RulesIdentity;

use super::kept::{Kept, NONE, Node, join_key};
use super::serve::plain_verdict;
use crate::entries::Kind;
use crate::filter::Verdict;
use crate::folder::to_path;
use crate::{Facts, Veil};

/// The tallies of the folders of a tree, by their numbers. A folder that has one has one for every folder below.
#[derive(Debug, Default)]
pub(crate) struct Tallies {
    folders: Vec<Option<Box<Facts>>>,
    /// The rules that keep files back from the search for which they were made: what these cover does not count.
    rules: Option<RulesIdentity>,
}

impl Tallies {
    pub(crate) fn get(&self, folder: u32) -> Option<Facts> {
        self.folders.get(folder as usize)?.as_deref().copied()
    }

    /// Takes the tally of a folder away. Whether there was one.
    fn take(&mut self, folder: u32) -> bool {
        let slot = self.folders.get_mut(folder as usize);
        slot.and_then(Option::take).is_some()
    }

    fn set(&mut self, folder: u32, facts: Facts) {
        let index = folder as usize;
        if index >= self.folders.len() {
            self.folders.resize(index + 1, None);
        }
        if let Some(slot) = self.folders.get_mut(index) {
            *slot = Some(Box::new(facts));
        }
    }

    /// Takes all away that were made for other rules.
    fn hold_for(&mut self, rules: Option<&RulesIdentity>) {
        if self.rules.as_ref() != rules {
            self.folders.clear();
            self.rules = rules.cloned();
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        self.folders.len() * (size_of::<Option<Box<Facts>>>() + size_of::<Facts>())
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

    /// Makes the tallies of a folder and of all below that have none, for searches behind a veil of lasting rules.
    pub(crate) fn tally(&mut self, folder: u32, veil: Option<&Veil>) {
        for touched in self.files.touched.take() {
            self.forget_tally(touched);
        }
        self.tallies.hold_for(veil.and_then(Veil::rules));
        let prefix = self.answer_prefix();
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
            let covers = |name: &[u8]| {
                veil.and_then(|veil| {
                    let path = join_key(&node.key, name);
                    veil.covered_by(&format!("{prefix}{}", to_path(&path).to_string_lossy()))
                })
            };
            let (mut facts, entered) = node.tally(&self.files, covers);
            for child in entered {
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
    /// What is seen in the folder itself, and which folders in it are entered. What is covered counts as kept back alone.
    fn tally(&self, files: &Files, covers: impl Fn(&[u8]) -> Option<u8>) -> (Facts, Vec<u32>) {
        let mut entered = Vec::new();
        if !self.is_open {
            let facts = Facts {
                unreadable: 1,
                ..Facts::default()
            };
            return (facts, entered);
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
                    if let Some(rule) = covers(name) {
                        if verdict == Verdict::Seen {
                            facts.keep_back(rule);
                        }
                        continue;
                    }
                    verdict.count(kind == Kind::Folder, &mut facts);
                    match kind {
                        Kind::Folder if *id != NONE => entered.push(*id),
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

    /// The folders in it that are kept.
    fn folders(&self) -> impl Iterator<Item = u32> + '_ {
        let entries = self.entries.iter().zip(&self.ids);
        entries
            .filter(|((_, kind), id)| *kind == Kind::Folder && **id != NONE)
            .map(|(_, id)| *id)
    }
}
