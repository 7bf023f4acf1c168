//! What a set of changes will do, before anything is done.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use tenon_contract::{ChangeKind, PathClaim};

use super::change::Change;
use super::committed::CommittedChange;
use super::durability::Durability;
use super::fail_point::FailPoint;
use super::mode::ModeChange;
use super::transaction::Transaction;
use crate::error::shorten;
use crate::path_text::{behind_mention, foreign_form};
use crate::{ContentHash, Error, FileKind, FileSnapshot, Located};

/// One file that will be changed.
#[derive(Debug, Clone, Copy)]
pub struct PlannedChange<'a> {
    /// The file as it was named and as it resolves; of a move, the new path.
    pub claim: &'a PathClaim,
    /// What will happen to it.
    pub kind: ChangeKind,
    /// The old path of a move.
    pub from: Option<&'a PathClaim>,
    /// Content before, if there is any.
    pub old: Option<&'a [u8]>,
    /// Content afterwards, if there is any.
    pub new: Option<&'a [u8]>,
    /// What happens to its permission bits, if something does.
    pub mode: Option<ModeChange>,
}

/// Changes of several files that happen together or not at all.
///
/// ```
/// use tenon_workspace::{ChangeSet, Workspace, read_text};
///
/// let directory = tempfile::tempdir()?;
/// std::fs::write(directory.path().join("greeting.txt"), "hello world\r\n")?;
/// let workspace = Workspace::open(directory.path(), &[] as &[&str])?;
///
/// let file = read_text(&workspace.locate("greeting.txt")?, 1024)?;
/// let bytes = file.splice(&[(0..5, "goodbye")])?;
/// let mut changes = ChangeSet::new();
/// changes.update(file.snapshot(), bytes)?;
/// changes.create(&workspace.locate("new/directory/empty.txt")?, Vec::new())?;
/// changes.commit(&|| false)?;
///
/// assert_eq!(std::fs::read(directory.path().join("greeting.txt"))?, b"goodbye world\r\n");
/// assert!(directory.path().join("new/directory/empty.txt").exists());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct ChangeSet {
    changes: Vec<Change>,
    /// The files that change, of a move both: each may change once.
    taken: HashSet<PathBuf>,
    durability: Durability,
}

impl ChangeSet {
    /// A set that changes nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The same with another durability than [`Durability::Synced`].
    #[must_use]
    pub const fn with_durability(mut self, durability: Durability) -> Self {
        self.durability = durability;
        self
    }

    /// Plans a new file. Its directories are made when the set is committed; its mode is `0o666` less
    /// the umask.
    ///
    /// # Errors
    /// [`Error::AlreadyExists`]; [`Error::NotAFile`] and [`Error::InvalidPath`] for a path that can only mean a directory;
    /// [`Error::FileAsDirectory`]; [`Error::InvalidPath`] for one that is written as a home directory, an address or a drive,
    /// where no such directory is.
    pub fn create(&mut self, to: &Located, bytes: Vec<u8>) -> Result<(), Error> {
        self.create_with_mode(to, bytes, None)
    }

    /// The same with other permission bits.
    ///
    /// # Errors
    /// As [`create`](Self::create).
    pub fn create_with_mode(
        &mut self,
        to: &Located,
        bytes: Vec<u8>,
        mode: Option<ModeChange>,
    ) -> Result<(), Error> {
        require_plain(to)?;
        self.create_again(to, bytes, mode)
    }

    /// Plans a file that was there before: its name is meant, whatever it looks like.
    pub(crate) fn create_again(
        &mut self,
        to: &Located,
        bytes: Vec<u8>,
        mode: Option<ModeChange>,
    ) -> Result<(), Error> {
        self.require_free(to)?;
        self.create_later(to, bytes, mode);
        Ok(())
    }

    /// Plans a new file at a place that something else is to leave before this is committed.
    pub(crate) fn create_later(&mut self, to: &Located, bytes: Vec<u8>, mode: Option<ModeChange>) {
        self.push(Change::Create {
            to: to.clone(),
            bytes,
            mode,
        });
    }

    /// Plans new content for a file that was read. Mode, owner and extended attributes stay where
    /// the system permits. Other names of the file (hard links) keep the old content: one of them may
    /// lie outside the workspace.
    ///
    /// # Errors
    /// [`Error::DoubleChange`].
    pub fn update(&mut self, old: &FileSnapshot, bytes: Vec<u8>) -> Result<(), Error> {
        self.update_with_mode(old, bytes, None)
    }

    /// The same with other permission bits; with the bytes that the file has, nothing but those.
    ///
    /// # Errors
    /// [`Error::DoubleChange`].
    pub fn update_with_mode(
        &mut self,
        old: &FileSnapshot,
        bytes: Vec<u8>,
        mode: Option<ModeChange>,
    ) -> Result<(), Error> {
        self.require_single(old.located())?;
        self.push(Change::Update {
            old: old.clone(),
            bytes,
            mode,
        });
        Ok(())
    }

    /// Plans the removal of a file that was read. Of a link, the file that it leads to goes.
    ///
    /// # Errors
    /// [`Error::DoubleChange`].
    pub fn delete(&mut self, old: &FileSnapshot) -> Result<(), Error> {
        self.require_single(old.located())?;
        self.push(Change::Delete { old: old.clone() });
        Ok(())
    }

    /// Plans another path for a file that was read, with new content or its own. Mode, owner and
    /// extended attributes go with it.
    ///
    /// # Errors
    /// [`Error::AlreadyExists`] when something stands at the new path; [`Error::DoubleChange`].
    pub fn rename(
        &mut self,
        old: &FileSnapshot,
        to: &Located,
        bytes: Option<Vec<u8>>,
    ) -> Result<(), Error> {
        self.rename_with_mode(old, to, bytes, None)
    }

    /// The same with other permission bits.
    ///
    /// # Errors
    /// As [`rename`](Self::rename).
    pub fn rename_with_mode(
        &mut self,
        old: &FileSnapshot,
        to: &Located,
        bytes: Option<Vec<u8>>,
        mode: Option<ModeChange>,
    ) -> Result<(), Error> {
        self.require_single(old.located())?;
        self.require_free(to)?;
        self.push(Change::Move {
            old: old.clone(),
            to: to.clone(),
            bytes,
            mode,
        });
        Ok(())
    }

    /// Whether nothing is planned.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    pub(crate) fn changes(&self) -> &[Change] {
        &self.changes
    }

    pub(crate) fn into_changes(self) -> Vec<Change> {
        self.changes
    }

    pub(crate) const fn durability(&self) -> Durability {
        self.durability
    }

    pub(crate) fn of(changes: Vec<Change>, durability: Durability) -> Self {
        Self {
            changes,
            taken: HashSet::new(),
            durability,
        }
    }

    /// What is planned, in the order in which it was added.
    pub fn preview(&self) -> impl Iterator<Item = PlannedChange<'_>> {
        self.changes.iter().map(Change::planned)
    }

    /// A hash over all that is planned: the kinds, the files, their content before and afterwards,
    /// their permission bits where they change.
    /// An approval can be bound to it.
    #[must_use]
    pub fn plan_hash(&self) -> ContentHash {
        let mut facts = Vec::new();
        for change in self.preview() {
            facts.push(change.kind as u8);
            for part in [
                Some(change.claim.target.as_os_str().as_encoded_bytes()),
                change
                    .from
                    .map(|it| it.target.as_os_str().as_encoded_bytes()),
                change.old,
                change.new,
            ] {
                facts.push(u8::from(part.is_some()));
                facts.extend_from_slice(ContentHash::of(part.unwrap_or_default()).as_bytes());
            }
            let mode = change.mode.map_or([0, 0], |mode| match mode {
                ModeChange::Exactly(bits) => [1, bits],
                ModeChange::Executable(wanted) => [2, u32::from(wanted)],
            });
            facts.extend(mode.iter().flat_map(|fact| fact.to_le_bytes()));
        }
        ContentHash::of(&facts)
    }

    /// Does what is planned, all or nothing. Every file is compared with the content it was planned
    /// for; new content is written to temporary files beside the files, brought to the disk (fsync)
    /// and renamed over them. If the process ends half way, [`recover`](crate::recover) finishes or
    /// undoes the rest. Takes no locks: hold a [`PathGuard`](crate::PathGuard) from the reading on.
    ///
    /// # Errors
    /// [`Error::Stale`], [`Error::ReadOnly`], [`Error::AlreadyExists`], [`Error::Cancelled`], what
    /// the system refuses. Whatever was done before the failure is taken back; where that fails
    /// too, [`Error::RollbackFailed`] names the files.
    pub fn commit(self, cancelled: &dyn Fn() -> bool) -> Result<Vec<CommittedChange>, Error> {
        self.commit_watched(cancelled, &mut |_| Ok(()))
    }

    /// The same with a look at each step, for tests of failures.
    pub(crate) fn commit_watched(
        self,
        cancelled: &dyn Fn() -> bool,
        fail_point: FailPoint<'_>,
    ) -> Result<Vec<CommittedChange>, Error> {
        let mut transaction = Transaction::begin(&self.changes, self.durability)?;
        match transaction.run(&self.changes, cancelled, fail_point) {
            Ok(manners) => {
                transaction.finish(fail_point);
                let done = self.changes.iter().zip(manners);
                Ok(done.map(|(change, manner)| change.done(manner)).collect())
            }
            Err(cause) => {
                let left = transaction.roll_back(fail_point);
                if left.is_empty() {
                    return Err(cause);
                }
                Err(Error::RollbackFailed {
                    cause: Box::new(cause),
                    left,
                })
            }
        }
    }

    fn require_free(&self, to: &Located) -> Result<(), Error> {
        if to.is_directory_only() && !to.is_root() && !to.exists()? {
            return Err(Error::InvalidPath {
                path: format!("{}/", shorten(to.name())),
                reason: "it ends as only the path of a directory does. Write to the path of a file",
            });
        }
        to.require_file_name()?;
        self.require_single(to)?;
        self.require_no_file_as_directory(to)?;
        match to.metadata() {
            Err(Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(error),
            Ok(found) if found.kind == FileKind::Directory => Err(Error::NotAFile {
                path: to.name().into(),
                kind: found.kind,
            }),
            Ok(_) => Err(Error::AlreadyExists {
                path: to.name().into(),
            }),
        }
    }

    /// New files are made together, so that none is there yet when the next one is planned.
    fn require_no_file_as_directory(&self, to: &Located) -> Result<(), Error> {
        let new = self.changes.iter().filter_map(Change::new_place);
        for other in new {
            let (path, file) = if is_below(to.target(), other.target()) {
                (to, other)
            } else if is_below(other.target(), to.target()) {
                (other, to)
            } else {
                continue;
            };
            return Err(Error::FileAsDirectory {
                path: path.name().into(),
                file: file.name().into(),
            });
        }
        Ok(())
    }

    fn push(&mut self, change: Change) {
        let places = [
            Some(change.place()),
            change.old().map(FileSnapshot::located),
        ];
        let places = places.into_iter().flatten();
        self.taken
            .extend(places.map(|place| place.target().to_owned()));
        self.changes.push(change);
    }

    fn require_single(&self, place: &Located) -> Result<(), Error> {
        if self.taken.contains(place.target()) {
            return Err(Error::DoubleChange {
                path: place.name().into(),
            });
        }
        Ok(())
    }
}

/// Whether a path leads into another one; identified by the bytes first, as there may be very many pairs.
fn is_below(path: &Path, above: &Path) -> bool {
    let above_bytes = above.as_os_str().as_encoded_bytes();
    path.as_os_str().as_encoded_bytes().starts_with(above_bytes) && path.starts_with(above)
}

/// Refuses a new file that nobody means: `~/a` would begin a directory `~`.
fn require_plain(to: &Located) -> Result<(), Error> {
    let name = to.name();
    let first = name.split('/').next().unwrap_or_default();
    let reason = foreign_form(name).or_else(|| mistaken_directory(to, first));
    let Some(reason) = reason else {
        return Ok(());
    };
    if to.workspace().locate(first)?.exists()? {
        return Ok(());
    }
    Err(Error::InvalidPath {
        path: shorten(name),
        reason,
    })
}

/// What is wrong with a name that would be fine, were it not beside a directory that is meant: `@src/a` and `src\a` beside `src`.
fn mistaken_directory(to: &Located, first: &str) -> Option<&'static str> {
    let workspace = to.workspace();
    let is_there = |name: &str| {
        let found = workspace.locate(name).and_then(|place| place.exists());
        !name.is_empty() && found.unwrap_or(false)
    };
    let is_mention = first != to.name() && behind_mention(first).is_some_and(is_there);
    let is_divided = cfg!(unix)
        && first
            .split_once('\\')
            .is_some_and(|(name, _)| is_there(name));
    if is_mention {
        Some("`@` is part of a name. Use the path without it.")
    } else if is_divided {
        Some("`\\` is part of a name. Use `/` between directories.")
    } else {
        None
    }
}

#[cfg(test)]
#[path = "changes_tests.rs"]
mod tests;
