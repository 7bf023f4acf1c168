//! Follows a path text by hand, part by part, as the system would: `link/..` is the parent of the
//! link's target. Where the path does not exist yet there can be no link, and `..` takes the name off.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Component, Path, PathBuf};

use super::{ResolveFault, Resolved, unix::read_link};
use crate::roots::Root;

/// As many as Linux follows (`MAXSYMLINKS`, path_resolution(7)).
const MAX_LINKS: usize = 40;

/// Where `text` leads, absolute or beneath the first root. Whether that is inside is for the caller.
pub(crate) fn resolve(roots: &[Root], start: &Path, text: &Path) -> Result<Resolved, ResolveFault> {
    let start = if text.is_absolute() {
        Path::new("/")
    } else {
        start
    };
    let mut walk = ResolveWalk {
        roots,
        target: start.to_owned(),
        name: start.to_owned(),
        name_links: Vec::new(),
        missing_below: None,
        links: 0,
    };
    for part in text.components() {
        match part {
            Component::Normal(name) => walk.enter(name)?,
            Component::ParentDir => walk.leave(),
            Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
        }
    }
    Ok(Resolved {
        name: walk.name,
        target: walk.target,
        is_missing: walk.missing_below.is_some(),
    })
}

struct ResolveWalk<'a> {
    roots: &'a [Root],
    /// Absolute, no part of it a link.
    target: PathBuf,
    /// Absolute, as it was named.
    name: PathBuf,
    /// Depths of `name` at which a link stands.
    name_links: Vec<usize>,
    /// Depth of the last directory of `target` that exists, once something was missing.
    missing_below: Option<usize>,
    links: usize,
}

impl ResolveWalk<'_> {
    /// One named part of the text.
    fn enter(&mut self, part: &OsStr) -> Result<(), ResolveFault> {
        self.name.push(part);
        if self.step(part)? {
            self.name_links.push(depth(&self.name));
        }
        // A name that only lies inside by way of a link from outside is identified by where it leads.
        if !self.is_inside(&self.name) && self.is_inside(&self.target) {
            self.rename_to_target();
        }
        Ok(())
    }

    /// `..` in the text.
    fn leave(&mut self) {
        self.climb();
        if self.name_links.last() == Some(&depth(&self.name)) {
            self.rename_to_target();
        } else {
            self.name.pop();
        }
    }

    fn rename_to_target(&mut self) {
        self.name.clone_from(&self.target);
        self.name_links.clear();
    }

    fn climb(&mut self) {
        self.target.pop();
        if self
            .missing_below
            .is_some_and(|existing| depth(&self.target) <= existing)
        {
            self.missing_below = None;
        }
    }

    /// Goes to `part` and, if it is a link, to where that leads. Answers whether it was a link.
    fn step(&mut self, part: &OsStr) -> Result<bool, ResolveFault> {
        let mut pending = vec![PathPart::Into(part.to_owned())];
        let mut was_link = false;
        while let Some(step) = pending.pop() {
            let part = match step {
                PathPart::Into(part) => part,
                PathPart::Up => {
                    self.climb();
                    continue;
                }
            };
            if let Some(target) = self.link_at(&part)? {
                was_link = true;
                self.links += 1;
                if self.links > MAX_LINKS {
                    return Err(ResolveFault::TooManyLinks);
                }
                if target.is_absolute() {
                    self.target = PathBuf::from("/");
                    self.missing_below = None;
                }
                pending.extend(target.components().rev().filter_map(|part| match part {
                    Component::Normal(name) => Some(PathPart::Into(name.to_owned())),
                    Component::ParentDir => Some(PathPart::Up),
                    _ => None,
                }));
            } else {
                self.target.push(part);
            }
        }
        Ok(was_link)
    }

    /// Target of the link `part` in the present directory; `None` when it is no link or is missing.
    fn link_at(&mut self, part: &OsStr) -> Result<Option<PathBuf>, ResolveFault> {
        if self.missing_below.is_some() {
            return Ok(None);
        }
        let path = self.target.join(part);
        match self.read_link(&path) {
            Ok(target) => Ok(target),
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
                ) =>
            {
                self.missing_below = Some(depth(&self.target));
                Ok(None)
            }
            Err(error) => Err(ResolveFault::System(path, error)),
        }
    }

    /// Beneath a root through its handle, so that a root that was renamed meanwhile stays the one
    /// that was opened.
    fn read_link(&self, path: &Path) -> io::Result<Option<PathBuf>> {
        match Root::holding(self.roots, path) {
            Some((root, beneath)) if !beneath.as_os_str().is_empty() => {
                root.directory()?.read_link(beneath)
            }
            _ => read_link(path),
        }
    }

    fn is_inside(&self, path: &Path) -> bool {
        Root::holding(self.roots, path).is_some()
    }
}

enum PathPart {
    Into(OsString),
    Up,
}

fn depth(path: &Path) -> usize {
    path.components().count()
}
