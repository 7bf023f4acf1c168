//! Where the names of one question to policy lead in a real workspace.

use std::cell::RefCell;
use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};

use tenon_policy::{FileIdentity, Listed, ListedKind, PathResolver, Resolved, There};
use tenon_workspace::{
    FileKind, FolderView, Metadata, WorkTree, entry_kinds, ignore_files_make_exceptions,
};

use crate::judge::Judge;

/// How many folders are held open for one question.
const MOST_VIEWS: usize = 64;

/// Texts that are longer are left to locating, which knows the bounds of paths.
const LONGEST_IN_VIEW: usize = 1024;

/// Follows names for one question: a command text has hundreds of names in few folders, and the way to each of these is
/// followed once.
pub(crate) struct Ways<'j> {
    judge: &'j Judge,
    /// The folders by their paths as they are written; nothing for one that could not be opened.
    views: RefCell<HashMap<String, Option<FolderView>>>,
}

impl<'j> Ways<'j> {
    pub(crate) fn new(judge: &'j Judge) -> Self {
        Self {
            judge,
            views: RefCell::default(),
        }
    }

    /// Where an absolute path leads, if its folder can be looked into.
    fn in_view(&self, text: &str) -> Option<Resolved> {
        let (above, name) = text.rsplit_once('/')?;
        if above.is_empty() || text.len() > LONGEST_IN_VIEW {
            return None;
        }
        let mut views = self.views.borrow_mut();
        if !views.contains_key(above) {
            if views.len() == MOST_VIEWS {
                return None;
            }
            views.insert(above.to_owned(), self.judge.workspace().view(above));
        }
        let (claim, found) = views.get(above)?.as_ref()?.entry(name)?;
        let found = found.ok_or_else(|| io::ErrorKind::NotFound.into());
        Some(Resolved::Inside {
            claim,
            there: there(found),
        })
    }
}

impl PathResolver for Ways<'_> {
    fn resolve(&self, folder: &Path, path: &str) -> Resolved {
        // `join` keeps `..` and links as they are; the workspace follows them as the system would.
        let joined = folder.join(path);
        let Some(text) = joined.to_str().filter(|_| !path.is_empty()) else {
            return Resolved::Outside;
        };
        if let Some(resolved) = self.in_view(text) {
            return resolved;
        }
        match self.judge.workspace().locate(text) {
            Ok(located) => Resolved::Inside {
                claim: located.claim().clone(),
                there: there(located.glance()),
            },
            Err(_) => Resolved::Outside,
        }
    }

    fn work_tree(&self, folder: &Path) -> Option<PathBuf> {
        WorkTree::of(folder).map(|tree| tree.top().to_owned())
    }

    fn tracked(&self, folder: &Path, test: &dyn Fn(&Path) -> bool) -> Option<Arc<[PathBuf]>> {
        let Some(tree) = WorkTree::of(folder) else {
            // There is nothing that git would work with.
            return Some(Arc::default());
        };
        let stamp = tree.stamp().ok()?;
        let mut known = self
            .judge
            .tracked
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some((version, paths)) = known.get(tree.top())
            && *version == stamp
        {
            return paths.clone();
        }
        let paths: Option<Arc<[PathBuf]>> = tree.tracked(test).map(Into::into);
        known.insert(tree.top().to_owned(), (stamp, paths.clone()));
        paths
    }

    fn tracked_as_files(&self, folder: &Path, test: &dyn Fn(&Path) -> bool, most: usize) -> bool {
        let tree = WorkTree::of(folder);
        tree.is_some_and(|tree| tree.has_files_as_tracked(folder, test, most))
    }

    fn shared_files(&self, path: &Path, most: usize) -> Vec<FileIdentity> {
        let files = tenon_workspace::shared_files(path, most).into_iter();
        files
            .map(|(device, inode)| FileIdentity { device, inode })
            .collect()
    }

    fn list(&self, folder: &Path, most: usize) -> Option<Vec<Listed>> {
        let names = entry_kinds(folder, most).ok().flatten()?;
        let listed = names.into_iter().map(|(name, kind)| Listed {
            name,
            kind: match kind {
                FileKind::Folder => ListedKind::Folder,
                FileKind::Link => ListedKind::Link,
                _ => ListedKind::Other,
            },
        });
        Some(listed.collect())
    }

    fn makes_exceptions(&self, folder: &Path) -> bool {
        ignore_files_make_exceptions(folder)
    }
}

fn there(found: io::Result<Metadata>) -> There {
    match found {
        Ok(metadata) if metadata.kind == FileKind::Folder => There::Folder,
        Ok(metadata) if metadata.kind == FileKind::File && metadata.links > 1 => {
            There::File(Some(FileIdentity {
                device: metadata.device,
                inode: metadata.inode,
            }))
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => There::Nothing,
        Ok(_) | Err(_) => There::File(None),
    }
}
