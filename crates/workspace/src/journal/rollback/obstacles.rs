//! Files and directories that stand in the way of a roll-back.

use std::collections::HashSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::{Return, remove_if_empty};
use crate::changes::change::Change;
use crate::changes::temporary;
use crate::{ChangeSet, CommittedChange, Error, FileSnapshot, Located, ModeChange};

/// What stands in the way of files that come back: a file where they need a directory, or a directory in their place.
pub(super) struct Obstacles {
    /// Files that go before the others come.
    first: HashSet<PathBuf>,
    /// Files that can come only then.
    later: HashSet<PathBuf>,
    /// Directories that these changes made, the outer before the inner.
    directories: Vec<Located>,
    /// Links that these changes left in the places of files and directories.
    links: Vec<Located>,
}

impl Obstacles {
    pub(super) fn of(files: &[Return], directories: &[Located]) -> Self {
        let open = || files.iter().filter(|file| !file.is_back);
        let comes = |file: &&Return| file.wanted.hash().is_some() && file.present.is_none();
        let goes = |file: &&Return| file.wanted.hash().is_none() && file.present.is_some();
        let gone: HashSet<&Path> = open()
            .filter(goes)
            .map(|file| file.place.target())
            .collect();
        let blocked: HashSet<&Path> = { open().filter(|file| file.is_directory || file.is_link) }
            .map(|file| file.place.target())
            .collect();
        let links = open().filter(|file| file.is_link);
        let above = |path: &'_ Path, among: &HashSet<&Path>| {
            { path.ancestors().skip(1) }
                .find(|above| among.contains(above))
                .map(Path::to_owned)
        };
        let mut obstacles = Self {
            first: HashSet::new(),
            later: blocked.iter().map(|path| (*path).to_owned()).collect(),
            directories: directories.to_vec(),
            links: links.map(|file| file.place.clone()).collect(),
        };
        for place in open().filter(comes).map(|file| file.place.target()) {
            if let Some(file) = above(place, &gone) {
                obstacles.first.insert(file);
                obstacles.later.insert(place.to_owned());
            } else if above(place, &blocked).is_some() {
                obstacles.later.insert(place.to_owned());
            }
        }
        let below = gone.iter().filter(|path| above(path, &blocked).is_some());
        obstacles.first.extend(below.map(|path| (*path).to_owned()));
        obstacles
    }

    /// Whether a file that comes back has to wait for others to go, or goes for one that waits.
    pub(super) fn concerns(&self, path: &Path) -> bool {
        self.later.contains(path) || self.first.contains(path)
    }

    /// Commits in two steps where something is in the way. If the second fails, the first is taken back; if the process
    /// ends between the two, the same way back can be gone again.
    pub(super) fn commit(
        &self,
        changes: ChangeSet,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Vec<CommittedChange>, Error> {
        if self.later.is_empty() {
            return changes.commit(cancelled);
        }
        let durability = changes.durability();
        let is_first = |change: &Change| matches!(change, Change::Delete { old } if self.first.contains(old.located().target()));
        let (first, rest): (Vec<_>, Vec<_>) =
            changes.into_changes().into_iter().partition(is_first);
        let gone: Vec<FileSnapshot> = first.iter().filter_map(Change::old).cloned().collect();
        let mut done = ChangeSet::of(first, durability).commit(cancelled)?;
        self.directories.iter().rev().for_each(remove_if_empty);
        let come = |aside: LinksAside<'_>| {
            let result = ChangeSet::of(rest, durability).commit(cancelled);
            match &result {
                Ok(_) => aside.remove(),
                Err(_) => aside.put_back(),
            }
            result
        };
        match LinksAside::of(&self.links).and_then(come) {
            Ok(more) => {
                done.extend(more);
                Ok(done)
            }
            Err(cause) => Err(put_back(&gone, cause)),
        }
    }
}

/// Links under other names, until what comes in their places is there.
struct LinksAside<'l>(Vec<(&'l Located, OsString)>);

impl<'l> LinksAside<'l> {
    fn of(links: &'l [Located]) -> Result<Self, Error> {
        let mut aside = Self(Vec::new());
        for link in links {
            let moved = link.open_parent().and_then(|(directory, name)| {
                let other = temporary::name();
                let moved = directory.rename_new(name, &other);
                moved.map_err(|error| link.fault("move aside", error))?;
                Ok(other)
            });
            match moved {
                Ok(other) => aside.0.push((link, other)),
                Err(error) => {
                    aside.put_back();
                    return Err(error);
                }
            }
        }
        Ok(aside)
    }

    /// Each file is back, so nothing has to be done about a link that cannot be removed but to leave it.
    fn remove(self) {
        for (link, other) in self.0 {
            if let Ok((directory, _)) = link.open_parent() {
                let _ = directory.remove(&other);
            }
        }
    }

    /// Where something else has come in its place meanwhile, a link stays aside.
    fn put_back(self) {
        for (link, other) in self.0 {
            if let Ok((directory, name)) = link.open_parent() {
                let _ = directory.rename_new(&other, name);
            }
        }
    }
}

/// Puts files that went back in their places. Answers why they are needed there again.
fn put_back(gone: &[FileSnapshot], cause: Error) -> Error {
    let mut changes = ChangeSet::new();
    for file in gone {
        let mode = ModeChange::Exactly(file.metadata().mode);
        changes.create_later(file.located(), file.bytes().to_vec(), Some(mode));
    }
    if changes.commit(&|| false).is_ok() {
        return cause;
    }
    let left = gone.iter().map(|file| file.located().name().to_owned());
    Error::RollbackFailed {
        cause: Box::new(cause),
        left: left.collect(),
    }
}
