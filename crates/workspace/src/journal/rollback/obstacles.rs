//! Files and directories that stand in the way of a roll-back.

use std::collections::{BTreeSet, HashSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use tenon_contract::ChangeKind;

use super::look::StandingLink;
use super::{Contents, Goal, Return, content, remove_if_empty};
use crate::changes::change::Change;
use crate::changes::temporary;
use crate::journal::state::FileState;
use crate::truncate::wide;
use crate::{ChangeSet, CommittedChange, Error, FileSnapshot, Located, ModeChange};

/// What stands in the way of files that come back: a file where they need a directory, or a directory in their place; and
/// what comes back that is no file.
pub(super) struct Obstacles {
    /// Files that go before the others come.
    first: HashSet<PathBuf>,
    /// Files that can come only then.
    later: HashSet<PathBuf>,
    /// Directories that these changes made, the outer before the inner.
    directories: Vec<Located>,
    /// Links in the places of files and directories.
    pub(super) links: Vec<StandingLink>,
    /// Directories that will be where a file or a link is, the outer before the inner.
    pub(super) new_directories: Vec<Located>,
    /// Links and directories that come back.
    others: Vec<OtherKind>,
}

impl Obstacles {
    pub(super) fn of(goal: &Goal, contents: &Contents) -> Result<Self, Error> {
        let open = || goal.files.iter().filter(|file| !file.is_back);
        let comes = |file: &&Return| file.wanted != FileState::Absent && file.present.is_none();
        let goes = |file: &&Return| file.wanted.hash().is_none() && file.present.is_some();
        let gone: HashSet<&Path> = open()
            .filter(goes)
            .map(|file| file.place.target())
            .collect();
        let is_directory = |file: &&Return| file.found == FileState::Directory;
        let mut blocked: HashSet<&Path> = { open().filter(is_directory) }
            .map(|file| file.place.target())
            .collect();
        blocked.extend(goal.links.keys().map(PathBuf::as_path));
        let above = |path: &'_ Path, among: &HashSet<&Path>| {
            { path.ancestors().skip(1) }
                .find(|above| among.contains(above))
                .map(Path::to_owned)
        };
        let others = open().filter(|file| OtherKind::is_wanted(file));
        let mut obstacles = Self {
            first: { others.clone().filter(goes) }
                .map(|file| file.place.target().to_owned())
                .collect(),
            later: blocked.iter().map(|path| (*path).to_owned()).collect(),
            directories: Self::old_directories(goal),
            links: goal.links.values().cloned().collect(),
            new_directories: Vec::new(),
            others: others
                .map(|file| OtherKind::of(file, contents))
                .collect::<Result<_, _>>()?,
        };
        let mut replaced = Vec::new();
        for file in open().filter(comes) {
            let place = file.place.target();
            let in_way = above(place, &gone);
            obstacles.first.extend(in_way.clone());
            if let Some(in_way) = in_way.or_else(|| above(place, &blocked)) {
                obstacles.later.insert(place.to_owned());
                replaced.push((file, in_way));
            }
        }
        obstacles.new_directories = new_directories(&replaced);
        let below = gone.iter().filter(|path| above(path, &blocked).is_some());
        obstacles.first.extend(below.map(|path| (*path).to_owned()));
        Ok(obstacles)
    }

    /// Those that these changes made, unless they come back.
    fn old_directories(goal: &Goal) -> Vec<Located> {
        let in_place = { goal.files.iter() }
            .filter(|file| file.found == FileState::Directory)
            .map(|file| &file.place);
        let comes: HashSet<&Path> = { goal.files.iter() }
            .filter(|file| file.wanted == FileState::Directory)
            .map(|file| file.place.target())
            .collect();
        let mut directories: Vec<Located> = { goal.directories.iter().chain(in_place) }
            .filter(|directory| !comes.contains(directory.target()))
            .cloned()
            .collect();
        directories.sort_by(|left, right| left.target().cmp(right.target()));
        directories.dedup_by(|left, right| left.target() == right.target());
        directories
    }

    /// Removes the directories that these changes made, as far as they are empty.
    pub(super) fn remove_directories(&self) {
        self.directories.iter().rev().for_each(remove_if_empty);
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
        if self.later.is_empty() && self.others.is_empty() {
            return changes.commit(cancelled);
        }
        let durability = changes.durability();
        let is_first = |change: &Change| matches!(change, Change::Delete { old } if self.first.contains(old.located().target()));
        let (first, rest): (Vec<_>, Vec<_>) =
            changes.into_changes().into_iter().partition(is_first);
        let gone: Vec<FileSnapshot> = first.iter().filter_map(Change::old).cloned().collect();
        let mut done = ChangeSet::of(first, durability).commit(cancelled)?;
        self.remove_directories();
        match self.commit_rest(ChangeSet::of(rest, durability), cancelled) {
            Ok(more) => {
                done.extend(more);
                self.add_other_kinds(&mut done);
                Ok(done)
            }
            Err(cause) => Err(put_back(&gone, cause)),
        }
    }

    fn commit_rest(
        &self,
        rest: ChangeSet,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Vec<CommittedChange>, Error> {
        let aside = LinksAside::of(&self.links)?;
        let mut made = Vec::new();
        let all = self.others.iter().try_for_each(|other| {
            other.make()?;
            made.push(other);
            Ok(())
        });
        let result = all.and_then(|()| rest.commit(cancelled));
        match &result {
            Ok(_) => aside.remove(),
            Err(_) => {
                made.into_iter().rev().for_each(OtherKind::unmake);
                aside.put_back();
            }
        }
        result
    }

    /// Adds the links that went and came to what was done.
    fn add_other_kinds(&self, done: &mut Vec<CommittedChange>) {
        let changed = |place: &Located, kind, bytes| CommittedChange {
            path: place.name().to_owned(),
            kind,
            from: None,
            bytes,
            in_place: false,
            other_names: 0,
        };
        for StandingLink { place, .. } in &self.links {
            match done.iter_mut().find(|change| change.path == place.name()) {
                Some(change) => change.kind = ChangeKind::Update,
                None => done.push(changed(place, ChangeKind::Delete, 0)),
            }
        }
        for other in &self.others {
            let Some(target) = &other.link else { continue };
            let bytes = wide(target.as_os_str().len());
            match { done.iter_mut() }.find(|change| change.path == other.place.name()) {
                Some(change) => (change.kind, change.bytes) = (ChangeKind::Update, bytes),
                None => done.push(changed(&other.place, ChangeKind::Create, bytes)),
            }
        }
    }
}

/// The directories that files need, from those down in whose places something else is, the outer before the inner.
fn new_directories(replaced: &[(&Return, PathBuf)]) -> Vec<Located> {
    let mut known = BTreeSet::new();
    let mut directories = Vec::new();
    for (file, in_way) in replaced {
        let above = file.place.target().ancestors().skip(1);
        for path in above.take_while(|path| path.starts_with(in_way)) {
            if !known.insert(path) {
                break;
            }
            let workspace = file.place.workspace();
            directories.extend(workspace.place(
                path,
                path.to_owned(),
                /*directory_only*/ true,
            ));
        }
    }
    directories.sort_by(|left, right| left.target().cmp(right.target()));
    directories
}

/// A link or a directory that comes back.
struct OtherKind {
    place: Located,
    /// Where the link leads; nothing for a directory.
    link: Option<PathBuf>,
}

impl OtherKind {
    const fn is_wanted(file: &Return) -> bool {
        matches!(file.wanted, FileState::Link { .. } | FileState::Directory)
    }

    fn of(file: &Return, contents: &Contents) -> Result<Self, Error> {
        let hash = file.wanted.kept_hash();
        let bytes = hash.map(|hash| content(file, hash, contents)).transpose()?;
        Ok(Self {
            place: file.place.clone(),
            link: bytes.map(path_of),
        })
    }

    fn make(&self) -> Result<(), Error> {
        let (directory, name) = self.place.open_parent()?;
        let made = match &self.link {
            Some(target) => directory.make_link(target, name),
            None => directory.create_directory(name),
        };
        made.map_err(|error| self.place.fault("make again", error))
    }

    fn unmake(&self) {
        if let Ok((directory, name)) = self.place.open_parent() {
            // What something else has put into it meanwhile stays.
            let _ = match self.link {
                Some(_) => directory.remove(name),
                None => directory.remove_directory(name),
            };
        }
    }
}

/// Where a link leads, as its content is kept.
fn path_of(bytes: Vec<u8>) -> PathBuf {
    #[cfg(unix)]
    return <OsString as std::os::unix::ffi::OsStringExt>::from_vec(bytes).into();
    #[cfg(not(unix))]
    return String::from_utf8_lossy(&bytes).into_owned().into();
}

/// Links under other names, until what comes in their places is there.
struct LinksAside<'l>(Vec<(&'l Located, OsString)>);

impl<'l> LinksAside<'l> {
    fn of(links: &'l [StandingLink]) -> Result<Self, Error> {
        let mut aside = Self(Vec::new());
        for StandingLink { place: link, .. } in links {
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
