//! What somebody else did to files while the journal looked: a command, of which only the files before and afterwards
//! are known.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::PathBuf;

use tenon_contract::{ChangeKind, FileChange};

use super::copies::{Copies, CopyBudget, LeftOut, SeenFile};
use super::elsewhere;
use super::state::{By, Entry, FileState, Touched};
use super::{Journal, JournalState};
use crate::{ContentHash, Error, FileKind, Located, Workspace};

/// A change that no roll-back takes back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unrestorable {
    /// The file, relative to the workspace, with `/`.
    pub path: String,
    /// Why.
    pub reason: LeftOut,
}

/// What is known of the changes of a command once they are recorded.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Recorded {
    /// Those that no roll-back takes back.
    pub left_out: Vec<Unrestorable>,
    /// The files that are as their copies after all, by their paths.
    pub unchanged: HashSet<String>,
}

/// What became of files while a command ran.
#[derive(Debug, Clone, Copy)]
pub struct Outcome<'a> {
    /// The changes.
    pub changes: &'a [FileChange],
    /// The directories that were made, the outer before the inner.
    pub directories: &'a [String],
    /// Those that are gone, with their permission bits.
    pub gone_directories: &'a [(String, u32)],
    /// Those of the changes whose file may be older than the command, such as one that was moved there, with the file that it
    /// was before where that is known. Taking them back must not cost the only copy.
    pub older: &'a BTreeMap<String, Option<String>>,
}

/// Something that will be recorded soon. A roll-back waits until it is dropped.
#[derive(Debug)]
pub struct Pending(Journal);

impl Drop for Pending {
    fn drop(&mut self) {
        self.0.lock().pending -= 1;
        self.0.settled.notify_all();
    }
}

/// A change of a file on its way into the record.
struct OutsideChange {
    path: String,
    place: Located,
    before: FileState,
    after: FileState,
}

impl Journal {
    /// Copies these files, for what is about to happen to them. `None` where there is no checkpoint to come back to.
    /// Reads files: blocks.
    #[must_use]
    pub fn copy(
        &self,
        workspace: &Workspace,
        files: &[SeenFile],
        budget: &CopyBudget,
    ) -> Option<Copies> {
        let (first, parent) = {
            let state = self.lock();
            if !state.wants_commands(&self.by) {
                return None;
            }
            (state.next_entry, state.store.parent().cloned())
        };
        let mut pack = self.pack();
        let firsts = (first, elsewhere::mark());
        pack.copy(workspace, files, budget, parent.as_ref(), firsts)
            .ok()
    }

    /// The files of which there are copies, as they were seen last: also those that searches see no longer. None where nothing is
    /// recorded.
    #[must_use]
    pub fn copied(&self) -> Vec<String> {
        self.pack().paths()
    }

    /// Whether what commands do is recorded: there is a checkpoint to come back to, they are those of a run, or commands
    /// can be undone. Blocks.
    #[must_use]
    pub fn is_recording(&self) -> bool {
        self.begun();
        self.lock().wants_commands(&self.by)
    }

    /// Has roll-backs wait for something that will be recorded.
    #[must_use]
    pub fn pending(&self) -> Pending {
        self.lock().pending += 1;
        Pending(self.clone())
    }

    /// Records what became of files since they were copied, so that a roll-back takes it back. Answers nothing where there
    /// is no checkpoint. Reads the files: blocks.
    pub fn record(
        &self,
        workspace: &Workspace,
        outcome: Outcome<'_>,
        copies: Option<&Copies>,
        file_bytes: u64,
    ) -> Recorded {
        let Outcome {
            changes,
            directories,
            ..
        } = outcome;
        if changes.is_empty() || !self.is_recording() {
            return Recorded::default();
        }
        let links = links_for_directories(workspace, changes);
        let seen = Look {
            workspace,
            copies,
            file_bytes,
            directories,
            links: &links,
        };
        let (mut found, recorded) = seen.at_all(changes);
        let Recorded {
            mut left_out,
            unchanged,
        } = recorded;
        if let Some(copies) = copies {
            self.keep_copies(&mut found, copies, &mut left_out);
            leave_only_copies(&mut found, &outcome, (copies, &unchanged), &mut left_out);
            self.leave_useless_links(&mut found, &mut left_out);
            let directories = directories
                .iter()
                .filter_map(|path| workspace.unresolved(path));
            let gone = outcome.gone_directories.iter();
            let gone = gone.filter_map(|(path, mode)| Some((workspace.unresolved(path)?, *mode)));
            self.lock().enter(
                found,
                (directories.collect(), gone.collect()),
                copies,
                &self.by,
                &mut left_out,
            );
            // What is not kept now is the next time; the keeper says why.
            let _ = self.flush();
        }
        Recorded {
            left_out,
            unchanged,
        }
    }

    /// A link goes only where a file comes back, at its place or in the directory that it replaced: of this command, or of
    /// an earlier change.
    fn leave_useless_links(
        &self,
        found: &mut Vec<OutsideChange>,
        left_out: &mut Vec<Unrestorable>,
    ) {
        let is_new_link = |file: &OutsideChange| {
            file.before == FileState::Absent && matches!(file.after, FileState::Link { .. })
        };
        let new: HashSet<PathBuf> = { found.iter().filter(|file| is_new_link(file)) }
            .map(|file| file.place.target().to_owned())
            .collect();
        if new.is_empty() {
            return;
        }
        let mut useful = HashSet::new();
        let mut note = |place: &Located, before: FileState| {
            let ways = place.target().ancestors();
            let ways = ways.filter(|_| before.hash().is_some());
            useful.extend(ways.filter_map(|path| new.get(path)));
        };
        found.iter().for_each(|file| note(&file.place, file.before));
        let state = self.lock();
        let earlier = state.since(0).flat_map(|entry| &entry.files);
        earlier.for_each(|file| note(&file.place, file.before));
        drop(state);
        found.retain(|file| {
            let is_useful = !is_new_link(file) || useful.contains(&file.place.target().to_owned());
            if !is_useful {
                left_out.push(Unrestorable {
                    path: file.path.clone(),
                    reason: LeftOut::NotAFile,
                });
            }
            is_useful
        });
    }

    /// Hands the copies to the one who keeps them beyond this process, without any lock that others wait for.
    fn keep_copies(
        &self,
        found: &mut Vec<OutsideChange>,
        copies: &Copies,
        left_out: &mut Vec<Unrestorable>,
    ) {
        let Some(kept) = &self.kept else { return };
        found.retain(|file| {
            let FileState::File { hash, .. } = file.before else {
                return true;
            };
            let content = copies.content(&file.path);
            let done = content.and_then(|bytes| kept.keeper.keep(&hash, &bytes));
            if done.is_err() {
                left_out.push(Unrestorable {
                    path: file.path.clone(),
                    reason: LeftOut::Unreadable,
                });
            }
            done.is_ok()
        });
    }
}

/// What is known of the files before and after.
struct Look<'l> {
    workspace: &'l Workspace,
    copies: Option<&'l Copies>,
    file_bytes: u64,
    directories: &'l [String],
    links: &'l HashMap<&'l str, FileState>,
}

impl Look<'_> {
    /// Those that are different, and what is to be reported of the others.
    fn at_all(&self, changes: &[FileChange]) -> (Vec<OutsideChange>, Recorded) {
        let (mut found, mut recorded) = (Vec::new(), Recorded::default());
        for change in changes {
            match self.at(change) {
                Ok(file) if file.before == file.after => {
                    recorded.unchanged.insert(file.path);
                }
                Ok(file) => found.push(file),
                Err(reason) => recorded.left_out.push(Unrestorable {
                    path: change.path.clone(),
                    reason,
                }),
            }
        }
        (found, recorded)
    }

    fn at(&self, change: &FileChange) -> Result<OutsideChange, LeftOut> {
        let copies = self.copies.ok_or(LeftOut::NotCopied)?;
        let place = self
            .workspace
            .unresolved(&change.path)
            .ok_or(LeftOut::Unreadable)?;
        let before = match change.kind {
            ChangeKind::Create => FileState::Absent,
            ChangeKind::Update | ChangeKind::Delete | ChangeKind::Move => {
                copies.state(&change.path)?
            }
        };
        let after = match self.links.get(change.path.as_str()) {
            Some(link) => *link,
            // What is seen through a link is elsewhere.
            None if above(&change.path).any(|above| self.links.contains_key(above)) => {
                FileState::Absent
            }
            None => self.after(change, &place)?,
        };
        Ok(OutsideChange {
            path: change.path.clone(),
            place,
            before,
            after,
        })
    }

    fn after(&self, change: &FileChange, place: &Located) -> Result<FileState, LeftOut> {
        match crate::read_bytes(place, self.file_bytes) {
            Ok(file) => Ok(FileState::of(Some(&file))),
            // Where a part of the path is a file now, there is nothing below it.
            Err(Error::NotFound { .. } | Error::NotADirectory { .. }) => Ok(FileState::Absent),
            // A directory that was made in its place goes first.
            Err(Error::NotAFile {
                kind: FileKind::Directory,
                ..
            }) if self.directories.contains(&change.path) => Ok(FileState::Directory),
            Err(error) => FileState::of_link(place).ok_or_else(|| LeftOut::of(&error)),
        }
    }
}

/// The directories that a path lies in, the inner before the outer.
fn above(path: &str) -> impl Iterator<Item = &str> {
    path.rmatch_indices('/').map(|(end, _)| &path[..end])
}

/// The links that were put in the places of directories from which files are gone.
fn links_for_directories<'c>(
    workspace: &Workspace,
    changes: &'c [FileChange],
) -> HashMap<&'c str, FileState> {
    let left = changes
        .iter()
        .filter(|change| change.kind != ChangeKind::Create);
    let emptied: HashSet<&str> = left.flat_map(|change| above(&change.path)).collect();
    let new = changes.iter().filter(|change| {
        change.kind == ChangeKind::Create && emptied.contains(change.path.as_str())
    });
    let link = |change: &'c FileChange| {
        let place = workspace.unresolved(&change.path)?;
        Some((change.path.as_str(), FileState::of_link(&place)?))
    };
    new.filter_map(link).collect()
}

/// Leaves files that may be older than the command, unless what is in them is kept, or in another file as before.
fn leave_only_copies(
    found: &mut Vec<OutsideChange>,
    outcome: &Outcome<'_>,
    (copies, unchanged): (&Copies, &HashSet<String>),
    left_out: &mut Vec<Unrestorable>,
) {
    let Outcome { changes, older, .. } = outcome;
    if older.is_empty() {
        return;
    }
    let changed: HashSet<&str> = { changes.iter().map(|change| change.path.as_str()) }
        .filter(|path| !unchanged.contains(*path))
        .collect();
    let kept = found.iter().filter_map(|file| file.before.hash());
    let elsewhere = { copies.hashes() }.filter(|(path, _)| !changed.contains(path));
    let known: HashSet<ContentHash> = kept.chain(elsewhere.map(|(_, hash)| hash)).collect();
    found.retain(|file| {
        let Some(origin) = older.get(&file.path) else {
            return true;
        };
        let was = { origin.as_ref() }.and_then(|origin| copies.state(origin).ok()?.hash());
        let is_known = |hash: Option<ContentHash>| hash.is_some_and(|hash| known.contains(&hash));
        let may_go = is_known(file.after.hash()) || is_known(was);
        if !may_go {
            left_out.push(Unrestorable {
                path: file.path.clone(),
                reason: LeftOut::MayBeOlder,
            });
        }
        may_go
    });
}

impl JournalState {
    fn enter(
        &mut self,
        found: Vec<OutsideChange>,
        (directories, gone_directories): (Vec<Located>, Vec<(Located, u32)>),
        copies: &Copies,
        by: &By,
        left_out: &mut Vec<Unrestorable>,
    ) {
        let new_bytes = found.iter().map(|file| copies.bytes(&file.path)).sum();
        self.make_room(new_bytes);
        let mut entry = Entry::empty(self.key(), by);
        entry.directories = directories;
        entry.gone_directories = gone_directories;
        let mut by_others = elsewhere::left_since(copies.first_elsewhere);
        by_others.extend(self.left_since(copies.first));
        for file in found {
            let reason = match by_others.get(file.place.target()) {
                // Somebody whose change is recorded already.
                Some(state) if *state == file.after => continue,
                Some(_) => Some(LeftOut::ChangedBesides),
                None => self.keep(&file, copies).err(),
            };
            match reason {
                Some(reason) => left_out.push(Unrestorable {
                    path: file.path,
                    reason,
                }),
                None => entry.files.push(Touched {
                    place: file.place,
                    before: file.before,
                    after: file.after,
                }),
            }
        }
        if entry.files.is_empty() {
            self.let_go(&entry);
        } else {
            self.add(entry);
        }
    }

    fn keep(&mut self, file: &OutsideChange, copies: &Copies) -> Result<(), LeftOut> {
        let FileState::File { hash, .. } = file.before else {
            return Ok(());
        };
        let kept = copies
            .content(&file.path)
            .and_then(|bytes| self.store.keep(hash, &bytes));
        kept.map_err(|_| LeftOut::Unreadable)
    }

    /// How the changes that were recorded since this entry left their files.
    fn left_since(&self, first: u64) -> HashMap<PathBuf, FileState> {
        let files = self.since(first).flat_map(|entry| &entry.files);
        files
            .map(|touched| (touched.place.target().to_owned(), touched.after))
            .collect()
    }
}
