//! What stands now where files come back.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use super::{Goal, Return};
use crate::journal::file_state::{link_target, present};
use crate::journal::state::FileState;
use crate::{Error, FileKind, FileSnapshot, Located};

/// A link that stands in a place where it has to go from.
#[derive(Debug, Clone)]
pub(super) struct StandingLink {
    pub(super) place: Located,
    /// Where it leads, as it says so itself.
    pub(super) target: PathBuf,
}

/// Links by their paths.
pub(super) type Links = BTreeMap<PathBuf, StandingLink>;

impl StandingLink {
    fn at(place: &Located) -> Option<Self> {
        Some(Self {
            place: place.clone(),
            target: link_target(place)?,
        })
    }

    /// The outermost on the way to a place, or at the place itself.
    fn on_way(place: &Located) -> Option<Self> {
        let workspace = place.workspace();
        let roots = workspace.roots();
        let root = roots
            .filter(|root| place.target().starts_with(root))
            .max()?;
        let beneath = |path: &&Path| path.starts_with(root) && *path != root;
        let way: Vec<&Path> = place.target().ancestors().take_while(beneath).collect();
        { way.into_iter().rev() }
            .filter_map(|path| {
                workspace.place(path, path.to_owned(), /*directory_only*/ false)
            })
            .find_map(|place| Self::at(&place))
    }

    pub(super) fn state(&self) -> FileState {
        FileState::of_target(&self.target)
    }
}

/// Whether these files lie in directories that are still those of their workspace.
///
/// # Errors
/// [`Error::WorkspaceGone`].
pub(in crate::journal) fn check_in_place(files: &[Return]) -> Result<(), Error> {
    let targets = files.iter().map(|file| file.place.target());
    let mut checked = HashSet::new();
    for workspace in files.iter().map(|file| file.place.workspace()) {
        if checked.insert(workspace.root()) {
            workspace.check_in_place(targets.clone())?;
        }
    }
    Ok(())
}

impl Goal {
    /// Looks at what stands there now. Answers the files that somebody else changed.
    pub(super) fn look(
        &mut self,
        force: bool,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Vec<String>, Error> {
        let mut others = Vec::new();
        let made: HashSet<&Path> = self.directories.iter().map(Located::target).collect();
        let mut links: Links = { self.files.iter() }
            .filter(|file| matches!(file.left, FileState::Link { .. }) && file.left != file.wanted)
            .filter_map(|file| StandingLink::at(&file.place).filter(|it| it.state() == file.left))
            .map(|link| (link.place.target().to_owned(), link))
            .collect();
        for file in &mut self.files {
            if cancelled() {
                return Err(Error::Cancelled);
            }
            if !file.look(force, &made, &mut links)? {
                others.push(file.place.name().to_owned());
            }
        }
        self.links = links;
        Ok(others)
    }
}

impl Return {
    /// Looks at what stands there now. Answers whether it may be replaced.
    fn look(
        &mut self,
        force: bool,
        made: &HashSet<&Path>,
        links: &mut Links,
    ) -> Result<bool, Error> {
        match present(&self.place) {
            Ok(present) => {
                self.found = FileState::of(present.as_ref());
                self.present = present;
            }
            Err(error) => match self.found_instead(error, force, made, links)? {
                Some(found) => self.found = found,
                None => return Ok(false),
            },
        }
        self.is_back = self.found == self.wanted;
        // Earlier versions have kept a directory that was made there as nothing.
        let is_left = self.found == self.left
            || (self.found, self.left) == (FileState::Directory, FileState::Absent);
        if is_left {
            // Also where these changes left it read-only.
            self.present = self.present.take().map(FileSnapshot::into_own);
        }
        Ok(force || self.is_back || (is_left && !self.was_interrupted))
    }

    /// What stands there instead of a file. `None` where it is somebody else's and stays.
    fn found_instead(
        &self,
        error: Error,
        force: bool,
        made: &HashSet<&Path>,
        links: &mut Links,
    ) -> Result<Option<FileState>, Error> {
        let target = self.place.target();
        // What is seen through a link that goes is elsewhere.
        if { target.ancestors().skip(1) }.any(|above| links.contains_key(above)) {
            return Ok(Some(FileState::Absent));
        }
        let is_directory = matches!(
            error,
            Error::NotAFile {
                kind: FileKind::Directory,
                ..
            }
        );
        let is_known =
            made.contains(target) || [self.left, self.wanted].contains(&FileState::Directory);
        if is_directory && is_known {
            return Ok(Some(FileState::Directory));
        }
        let link = FileState::of_link(&self.place);
        if link.is_some() && (link == Some(self.wanted) || links.contains_key(target)) {
            return Ok(link);
        }
        match error {
            error @ (Error::Io { .. } | Error::AccessDenied { .. }) => Err(error),
            // A directory, a link or a device by now: only a file can be replaced by a file.
            _ if !force => Ok(None),
            error => self.found_link(links).map(Some).ok_or(error),
        }
    }

    /// The link of somebody else that stands there, or on the way there: it goes, and not what it leads to.
    fn found_link(&self, links: &mut Links) -> Option<FileState> {
        let link = StandingLink::on_way(&self.place)?;
        let is_own = link.place.target() == self.place.target();
        let state = if is_own {
            link.state()
        } else {
            FileState::Absent
        };
        if state != self.wanted {
            links.insert(link.place.target().to_owned(), link);
        }
        Some(state)
    }
}
