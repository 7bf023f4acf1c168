//! Taking what has happened to a kept tree.

use std::sync::Arc;

use rustix::fs::Stat;

use super::{IndexedTree, NONE, ROOT, join_key};
use crate::entries::Kind;
use crate::index::linux::files::FileId;
use crate::index::linux::place::Stamp;
use crate::index::linux::watch::{Event, WatchedChange};
use crate::index::options::Doubt;

impl IndexedTree {
    /// Takes what has happened. An error when the tree cannot be kept any more.
    pub(crate) fn drain(&mut self) -> Result<(), Doubt> {
        // The watcher is lent out while it reports.
        let watcher = Arc::clone(&self.watcher);
        let mut taken = Ok(());
        watcher.drain(|event| {
            if let Some(id) = self.by_watch.get(&event.watch).copied()
                && taken.is_ok()
            {
                taken = self.take(id, &event);
            }
        })?;
        taken?;

        let status = rustix::fs::lstat(&self.root).map_err(|_| Doubt)?;
        if (status.st_dev, status.st_ino) != self.identity || self.mounts.have_changed() {
            return Err(Doubt);
        }
        if !self.sources.are_unchanged() {
            self.has_stale_sources = true;
            self.make_stale(ROOT, true);
        }
        Ok(())
    }

    fn take(&mut self, id: u32, event: &Event<'_>) -> Result<(), Doubt> {
        let Event {
            what,
            name,
            is_directory,
            ..
        } = *event;
        if what == WatchedChange::Directory {
            // The directory above is notified of the same by name; nobody is above the root.
            let parent = self.node(id).map_or(NONE, |node| node.parent);
            if parent == NONE {
                return Err(Doubt);
            }
            self.make_stale(parent, false);
            return Ok(());
        }
        let is_rule = matches!(name, b".gitignore" | b".ignore" | b".rgignore" | b".git");
        let entry = self.node(id).and_then(|node| {
            let index = node.entries.position(name)?;
            Some((node.entries.kind(index)?, *node.ids.get(index)?, index))
        });
        let is_another = what.concerns_entries() || is_directory;
        if is_another || is_rule {
            self.make_stale(id, is_rule);
        }
        if !is_directory {
            self.names.take(id, event);
        }
        let Some((kind, entry, index)) = entry.filter(|(_, entry, _)| *entry != NONE) else {
            return Ok(());
        };
        self.forget_tally(id);
        if is_another && let Some(slot) = self.node_mut(id).and_then(|node| node.ids.get_mut(index))
        {
            *slot = NONE;
        }
        match kind {
            Kind::File if is_another => self.files.remove(FileId(entry)),
            Kind::File => self.files.forget_sign(FileId(entry)),
            _ if is_another => self.drop_node(entry),
            _ => {}
        }
        Ok(())
    }

    pub(in crate::index::linux) fn make_stale(&mut self, id: u32, with_rules: bool) {
        let Some(node) = self.node_mut(id) else {
            return;
        };
        node.has_stale_rules |= with_rules;
        if !std::mem::replace(&mut node.is_stale, true) {
            self.stale.push(id);
        }
    }

    /// Takes away what is known of files of which another name came to light: what was written
    /// through that was notified of that name alone.
    pub(super) fn follow_links(&mut self) {
        let linked = std::mem::take(&mut self.linked);
        self.files.forget_signs_of(&linked);
        let mut rules_changed = self
            .rule_files
            .values()
            .any(|(inode, _)| linked.contains(inode));
        if self.names.lost_one() {
            self.sweep();
            rules_changed |= self.rule_files.iter().any(|(path, state)| {
                let status = self.handle.status(path);
                status.map(|status| Stamp::of_status(&status).state()).ok() != Some(*state)
            });
        }
        if rules_changed && !std::mem::replace(&mut self.has_reread_rules, true) {
            self.make_stale(ROOT, true);
        } else {
            self.has_reread_rules = false;
        }
    }

    /// Looks at some files, and goes on behind them the next time: nobody reports that a file got another name elsewhere, nor what
    /// is written through that. Whether one is another than it was signed.
    pub(in crate::index::linux) fn look_on(&mut self) -> bool {
        const FILES: usize = 512;
        let mut left = FILES;
        let mut changed = Vec::new();
        for _ in 0..=self.nodes.len() {
            let (number, from) = self.next_look;
            let Some(node) = self.nodes.get(number) else {
                self.next_look = (0, 0);
                continue;
            };
            let count = node.as_ref().map_or(0, |node| node.ids.len());
            let looked_at = count.saturating_sub(from).min(left);
            if let Some(node) = node {
                let entries = node.entries.iter_from(from).zip(node.ids.iter().skip(from));
                let files = entries.take(looked_at).filter(|((_, kind), id)| {
                    *kind == Kind::File && **id != NONE && self.files.is_signed(**id)
                });
                let others = files.filter(|((name, _), id)| {
                    let status = self.handle.status(&join_key(&node.key, name));
                    status.map_or(true, |status| self.is_another(**id, &status))
                });
                changed.extend(others.map(|(_, id)| FileId(*id)));
            }
            left -= looked_at;
            self.next_look = if from + looked_at < count {
                (number, from + looked_at)
            } else {
                (number + 1, 0)
            };
            if left == 0 {
                break;
            }
        }
        let is_changed = !changed.is_empty();
        if is_changed {
            self.files.doubt_what_is_read();
        }
        changed
            .into_iter()
            .for_each(|file| self.files.forget_sign(file));
        is_changed
    }

    /// Whether a file is another than the one that was signed, or has another name that was not known then.
    fn is_another(&self, file: u32, status: &Stat) -> bool {
        // Of one that was signed right after a change no time is known.
        let known = self.files.state(file).filter(|known| known.1 != (0, 0));
        let is_changed = known.is_some_and(|known| known != Stamp::of_status(status).state());
        is_changed || (status.st_nlink > 1 && self.files.linked_stamp(file).is_none())
    }

    /// Compares the state of every file with that in which it was signed. Done when a name came and
    /// went unseen: it may have been another name of a file, by which that was changed.
    fn sweep(&mut self) {
        self.files.doubt_what_is_read();
        let mut changed = Vec::new();
        for node in self.nodes.iter().flatten() {
            for ((name, kind), id) in node.entries.iter().zip(&node.ids) {
                if kind != Kind::File || *id == NONE || !self.files.is_signed(*id) {
                    continue;
                }
                let status = self.handle.status(&join_key(&node.key, name));
                let state = status.map(|status| Stamp::of_status(&status).state());
                if state.ok() != self.files.state(*id) {
                    changed.push(FileId(*id));
                }
            }
        }
        changed
            .into_iter()
            .for_each(|file| self.files.forget_sign(file));
    }
}
