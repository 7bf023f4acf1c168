//! A place in the workspace: what policy judges, and the only way to open it.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use tenon_contract::PathClaim;

use crate::error::DanglingLink;
use crate::near_names::near_names;
use crate::platform::{Directory, file_metadata};
use crate::{Error, FileKind, Metadata, OpenFile, Workspace};

/// Where a path text led when it was located. Cheap enough to clone.
///
/// Opening goes to exactly this target: a part of it that has become a link since is refused
/// ([`Error::Changed`]), so nothing else is opened than what policy saw in the claim.
#[derive(Debug, Clone)]
pub struct Located {
    workspace: Workspace,
    root: usize,
    /// From the root to the target, without links; empty for the root itself.
    beneath: PathBuf,
    claim: PathClaim,
    directory_only: bool,
}

impl Located {
    pub(crate) const fn new(
        workspace: Workspace,
        root: usize,
        beneath: PathBuf,
        claim: PathClaim,
        directory_only: bool,
    ) -> Self {
        Self {
            workspace,
            root,
            beneath,
            claim,
            directory_only,
        }
    }

    /// The same under another name in answers, for what has an address of its own.
    #[must_use]
    pub fn named(mut self, name: &str) -> Self {
        name.clone_into(&mut self.claim.name);
        self
    }

    /// The path as it was named and as it resolves.
    #[must_use]
    pub const fn claim(&self) -> &PathClaim {
        &self.claim
    }

    /// The name that answers show: relative to the workspace root, `.` for the root itself,
    /// absolute in an additional directory.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.claim.name
    }

    /// Absolute path, every link followed as far as the path exists.
    #[must_use]
    pub fn target(&self) -> &Path {
        &self.claim.target
    }

    /// The workspace that this place lies in.
    #[must_use]
    pub const fn workspace(&self) -> &Workspace {
        &self.workspace
    }

    /// Whether this is one of the roots itself.
    #[must_use]
    pub fn is_root(&self) -> bool {
        self.beneath.as_os_str().is_empty()
    }

    /// Whether the text that led here can only mean a directory.
    pub(crate) const fn is_directory_only(&self) -> bool {
        self.directory_only
    }

    /// Kind, size, mode and times. The content is not opened.
    ///
    /// # Errors
    /// [`Error::NotFound`] with names that resemble it, or what the system refuses.
    pub fn metadata(&self) -> Result<Metadata, Error> {
        let metadata = self.found().map_err(|error| self.fault("look at", error))?;
        match metadata.kind {
            FileKind::Link => Err(Error::Changed {
                path: self.name().into(),
            }),
            kind if self.directory_only && kind != FileKind::Directory => {
                Err(Error::NotADirectory {
                    path: self.name().into(),
                })
            }
            _ => Ok(metadata),
        }
    }

    /// Whether something stands here.
    ///
    /// # Errors
    /// What the system refuses.
    pub fn exists(&self) -> Result<bool, Error> {
        match self.found() {
            Ok(_) => Ok(true),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(self.fault("look at", error)),
        }
    }

    /// What stands here, with no advice where nothing does.
    ///
    /// # Errors
    /// What the system says.
    pub fn peek(&self) -> std::io::Result<Metadata> {
        self.found()
    }

    /// What stands here, whatever it is.
    fn found(&self) -> std::io::Result<Metadata> {
        match self.leaf() {
            None => self.open_as_directory()?.own_metadata(),
            Some(leaf) => self
                .workspace
                .descend(self.root, self.parent())?
                .metadata(leaf),
        }
    }

    /// Whether the last part of the path as it was named is a link, so that what stands here is
    /// reached by another name.
    ///
    /// # Errors
    /// What the system refuses.
    pub fn is_named_by_link(&self) -> Result<bool, Error> {
        match self.entry_as_named()? {
            None => Ok(false),
            Some(Ok(found)) => Ok(found.kind == FileKind::Link),
            Some(Err(error)) => Err(self.fault("look at", error)),
        }
    }

    /// What stands at the last part of the path as it was named, links not followed; nothing for a root.
    fn entry_as_named(&self) -> Result<Option<std::io::Result<Metadata>>, Error> {
        // No part of the target is a link.
        if self.workspace.name_of(self.target()).as_deref() == Some(self.name()) {
            return Ok(Some(self.found()));
        }
        let name = Path::new(self.name());
        let (Some(leaf), Some(above)) = (name.file_name(), name.parent()) else {
            return Ok(None);
        };
        let above = match above.to_string_lossy() {
            above if above.is_empty() => self.workspace.locate(".")?,
            above => self.workspace.locate(&above)?,
        };
        let directory = above.open_as_directory();
        Ok(Some(
            directory.and_then(|directory| directory.metadata(leaf)),
        ))
    }

    /// Opens a regular file for reading.
    ///
    /// # Errors
    /// [`Error::NotAFile`] at once for directories, FIFOs, sockets and devices, which are not opened;
    /// [`Error::NotFound`] with names that resemble it; what the system refuses.
    pub fn open_file(&self) -> Result<OpenFile, Error> {
        let (directory, leaf) = self.open_parent()?;
        // Opening a device can do things. So its kind is asked first, and asked again of what was
        // opened.
        let found = directory
            .metadata(leaf)
            .map_err(|error| self.fault("look at", error))?;
        self.require_file(&found)?;
        let file = directory
            .open_read(leaf)
            .map_err(|error| self.fault("open", error))?;
        let metadata = file_metadata(&file).map_err(|error| self.fault("look at", error))?;
        self.require_file(&metadata)?;
        Ok(OpenFile::new(self.clone(), file, metadata))
    }

    /// Opens and reads a regular file of at most `max_bytes` if the system has all of it in memory, without ever waiting
    /// for a disk. Nothing says nothing about the file: [`open_file`](Self::open_file) does.
    #[must_use]
    pub fn open_if_cached(&self, max_bytes: u64) -> Option<OpenFile> {
        let beneath = self
            .leaf()
            .filter(|_| !self.directory_only)
            .map(|_| &self.beneath)?;
        let (file, metadata, bytes) = self.workspace.if_cached(self.root, beneath, max_bytes)?;
        Some(OpenFile::held(self.clone(), file, metadata, bytes))
    }

    /// Removes this directory if nothing is in it; else it stays.
    ///
    /// # Errors
    /// What the system refuses for another reason.
    pub fn remove_empty(&self) -> Result<(), Error> {
        let (above, name) = self.open_parent()?;
        match above.remove_directory(name) {
            Ok(()) => Ok(()),
            Err(error)
                if matches!(
                    error.kind(),
                    std::io::ErrorKind::DirectoryNotEmpty | std::io::ErrorKind::NotFound
                ) =>
            {
                Ok(())
            }
            Err(error) => Err(self.fault("remove", error)),
        }
    }

    /// A file or directory in this directory. Links are followed as by [`Workspace::locate`].
    ///
    /// # Errors
    /// [`Error::InvalidPath`] when `name` is not one part of a path, and as `locate`.
    pub fn child(&self, name: &str) -> Result<Self, Error> {
        let mut parts = Path::new(name).components();
        let (Some(std::path::Component::Normal(_)), None) = (parts.next(), parts.next()) else {
            return Err(Error::InvalidPath {
                path: crate::error::shorten(name),
                reason: "it is not the name of one directory entry",
            });
        };
        let path = self.target().join(name);
        let mut located = self.workspace.locate(&path.to_string_lossy())?;
        if located.target() == path && self.name() != "." {
            // Keep the way by which the directory was named.
            located.claim.name = format!("{}/{name}", self.name());
        }
        Ok(located)
    }

    pub(crate) fn require_file(&self, metadata: &Metadata) -> Result<(), Error> {
        match metadata.kind {
            FileKind::File if self.directory_only => Err(Error::NotADirectory {
                path: self.name().into(),
            }),
            FileKind::File => Ok(()),
            FileKind::Link => Err(Error::Changed {
                path: self.name().into(),
            }),
            kind => Err(Error::NotAFile {
                path: self.name().into(),
                kind,
            }),
        }
    }

    /// Refuses places that cannot become a file: a root, or a text that can only mean a directory.
    pub(crate) fn require_file_name(&self) -> Result<&OsStr, Error> {
        match self.leaf() {
            Some(leaf) if !self.directory_only => Ok(leaf),
            _ => Err(Error::NotAFile {
                path: self.name().into(),
                kind: FileKind::Directory,
            }),
        }
    }

    /// The directory above, held open, and the name in it.
    pub(crate) fn open_parent(&self) -> Result<(Directory, &OsStr), Error> {
        let Some(leaf) = self.leaf() else {
            return Err(Error::NotAFile {
                path: self.name().into(),
                kind: FileKind::Directory,
            });
        };
        let directory = self
            .workspace
            .descend(self.root, self.parent())
            .map_err(|error| self.fault("open", error))?;
        Ok((directory, leaf))
    }

    /// This place itself, which must be a directory, held open.
    pub(crate) fn open_as_directory(&self) -> std::io::Result<Directory> {
        self.workspace.descend(self.root, &self.beneath)
    }

    /// The deepest directory above that exists, held open, and the names of those that are missing
    /// between it and this place.
    pub(crate) fn open_existing_parent(&self) -> Result<(Directory, Vec<OsString>), Error> {
        let mut missing = Vec::new();
        let mut place = self.parent();
        loop {
            match self.workspace.descend(self.root, place) {
                Ok(directory) => {
                    missing.reverse();
                    return Ok((directory, missing));
                }
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                    let (Some(name), Some(above)) = (place.file_name(), place.parent()) else {
                        return Err(self.fault("open", error));
                    };
                    missing.push(name.to_owned());
                    place = above;
                }
                Err(error) => return Err(self.fault("open", error)),
            }
        }
    }

    fn parent(&self) -> &Path {
        self.beneath.parent().unwrap_or(Path::new(""))
    }

    fn leaf(&self) -> Option<&OsStr> {
        self.beneath.file_name()
    }

    /// What the system answered, reported of this place; a missing one gets names that resemble it.
    pub(crate) fn fault(&self, action: &'static str, error: std::io::Error) -> Error {
        match Error::system(self.name(), action, error) {
            Error::NotFound { path, .. } => match self.dangling_link() {
                None => Error::NotFound {
                    path,
                    near: near_names(self),
                    link: None,
                },
                link => Error::NotFound {
                    path,
                    near: Vec::new(),
                    link,
                },
            },
            error => self.workspace.explained(error, self.target()),
        }
    }

    /// The first link on the way as it was named, if it leads to where nothing is.
    fn dangling_link(&self) -> Option<DanglingLink> {
        if self.workspace.name_of(self.target()).as_deref() == Some(self.name()) {
            return None;
        }
        let mut way = PathBuf::new();
        for part in Path::new(self.name()).components() {
            way.push(part);
            let (place, is_missing) = self.workspace.resolved(way.to_str()?).ok()?;
            if is_missing {
                let entry = place.entry_as_named().ok()??.ok()?;
                let target = self.workspace.name_of(place.target())?;
                return (entry.kind == FileKind::Link).then(|| DanglingLink {
                    link: place.name().to_owned(),
                    target,
                });
            }
        }
        None
    }
}
