//! A directory of which many entries are asked about.

use std::ffi::OsStr;
use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;

use tenon_contract::PathClaim;

use crate::platform::{Directory, Strategy};
use crate::{FileKind, Metadata, Workspace};

/// A directory held open, or one that is not there: each of its entries costs one question to the system at most, where
/// [`Workspace::locate`] asks about every part of the way. What it reports is as of the directory that was there when it was
/// opened.
#[derive(Debug)]
pub struct OpenDir {
    claim: PathClaim,
    strategy: Strategy,
    /// Nothing where nothing was there.
    directory: Option<Arc<Directory>>,
}

impl Workspace {
    /// Opens the directory to which a path text leads. `None` where it leads to something else or outside, and on systems
    /// on which a file has more names than the one that is written (Windows).
    #[must_use]
    pub fn view(&self, path: &str) -> Option<OpenDir> {
        if !cfg!(unix) {
            return None;
        }
        if let Some(root) = self.view_of_root(path) {
            return Some(root);
        }
        let located = self.locate(path).ok()?;
        let directory = match located.open_as_directory() {
            Ok(directory) => Some(Arc::new(directory)),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(_) => return None,
        };
        Some(OpenDir {
            claim: located.claim().clone(),
            strategy: self.strategy(),
            directory,
        })
    }

    /// A root by its own path. It is held open, and is known not to be a link: one question whether it is still there takes
    /// the place of one about each part of the way.
    fn view_of_root(&self, path: &str) -> Option<OpenDir> {
        let root = self.root_in_place(path)?;
        let directory = root.directory().ok()?;
        Some(OpenDir {
            claim: PathClaim {
                name: match root.path == self.root() {
                    true => ".".to_owned(),
                    false => self.name_of(&root.path)?,
                },
                target: root.path.clone(),
            },
            strategy: self.strategy(),
            directory: Some(directory),
        })
    }
}

impl OpenDir {
    /// Whether a directory is there, which stays open until this is dropped.
    #[must_use]
    pub const fn is_open(&self) -> bool {
        self.directory.is_some()
    }

    /// Where an entry leads, as [`Workspace::locate`] reports it, and what stands there, if anything does. `None` for what
    /// has to be followed: a link, what is no name of one entry, what the system refuses to report.
    #[must_use]
    pub fn entry(&self, name: &str) -> Option<(PathClaim, Option<Metadata>)> {
        if matches!(name, "" | "." | "..") || name.contains(['/', '\0']) {
            return None;
        }
        let found = self.directory.as_ref();
        let metadata = match found
            .map(|directory| directory.metadata(OsStr::new(name)))
            .transpose()
        {
            Ok(Some(metadata)) if metadata.kind == FileKind::Link => return None,
            Ok(found) => found,
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(_) => return None,
        };
        Some((self.claim_on(name), metadata))
    }

    /// The view of a directory in this one, or of one that is not there. `None` for anything else, see
    /// [`entry`](Self::entry).
    #[must_use]
    pub fn enter(&self, name: &str) -> Option<Self> {
        let (claim, found) = self.entry(name)?;
        let directory = match (found, &self.directory) {
            (Some(found), Some(directory)) if found.kind == FileKind::Directory => {
                let directory = directory.descend(Path::new(name), self.strategy);
                Some(Arc::new(directory.ok()?))
            }
            (None, _) => None,
            _ => return None,
        };
        Some(Self {
            claim,
            strategy: self.strategy,
            directory,
        })
    }

    fn claim_on(&self, name: &str) -> PathClaim {
        let reported = match self.claim.name.as_str() {
            "." => name.to_owned(),
            above => format!("{}/{name}", above.trim_end_matches('/')),
        };
        PathClaim {
            name: reported,
            target: self.claim.target.join(name),
        }
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn entries_are_reported_as_locating_them_reports_them() {
        let directory = tempfile::tempdir().unwrap();
        let base = directory.path().canonicalize().unwrap();
        let (root, other) = (base.join("work"), base.join("other"));
        for path in [root.join("dir/deep"), other.join("sub")] {
            std::fs::create_dir_all(path).unwrap();
        }
        for path in [
            root.join("a"),
            root.join("dir/b"),
            root.join("dir/ü c"),
            other.join("d"),
        ] {
            std::fs::write(path, "x").unwrap();
        }
        symlink("dir", root.join("way")).unwrap();
        symlink("/etc/passwd", root.join("dir/out")).unwrap();
        symlink(root.join("dir"), base.join("into")).unwrap();
        let workspace = Workspace::open(&root, &[&other]).unwrap();
        let text = |path: &std::path::Path| path.to_str().unwrap().to_owned();
        let directories = [
            ".".to_owned(),
            "dir".to_owned(),
            "way".to_owned(),
            "way/deep".to_owned(),
            "dir/../way".to_owned(),
            text(&root),
            text(&other),
            text(&base.join("into")),
            text(&other.join("sub")),
            "missing".to_owned(),
            "way/missing/deep".to_owned(),
        ];
        for above in directories {
            let mut views = vec![workspace.view(&above).unwrap()];
            if let Some((above, name)) = above.rsplit_once('/') {
                views.extend(workspace.view(above).and_then(|view| view.enter(name)));
            }
            let names = ["a", "b", "ü c", "d", "deep", "sub", "missing", "dir"];
            for (view, name) in views.iter().flat_map(|view| names.map(|name| (view, name))) {
                let located = workspace.locate(&format!("{above}/{name}")).unwrap();
                let (claim, metadata) = view.entry(name).unwrap();
                assert_eq!(&claim, located.claim(), "{above}/{name}");
                assert_eq!(metadata, located.peek().ok(), "{above}/{name}");
            }
        }
    }

    #[test]
    fn a_root_that_a_link_has_replaced_is_not_viewed_as_the_directory_that_it_was() {
        let directory = tempfile::tempdir().unwrap();
        let base = directory.path().canonicalize().unwrap();
        let root = base.join("work");
        for path in [&root, &base.join("elsewhere")] {
            std::fs::create_dir(path).unwrap();
            std::fs::write(path.join("file"), "").unwrap();
        }
        let workspace = Workspace::open(&root, &[] as &[&str]).unwrap();
        let has_view = || workspace.view(root.to_str().unwrap()).is_some();
        let before = has_view();
        std::fs::rename(&root, base.join("moved")).unwrap();
        symlink("elsewhere", &root).unwrap();
        assert_eq!((before, has_view()), (true, false));
    }

    #[test]
    fn links_and_what_is_no_name_are_left_to_locating() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        std::fs::create_dir(root.join("dir")).unwrap();
        std::fs::write(root.join("file"), "").unwrap();
        symlink("dir", root.join("way")).unwrap();
        symlink("nowhere", root.join("broken")).unwrap();
        let workspace = Workspace::open(&root, &[] as &[&str]).unwrap();
        let view = workspace.view(".").unwrap();
        let long = "x".repeat(300);
        for name in ["way", "broken", "", ".", "..", "dir/x", "a\0b", &long] {
            assert_eq!(view.entry(name), None, "{name:?}");
            assert!(view.enter(name).is_none(), "{name:?}");
        }
        assert!(view.enter("file").is_none());
        for path in ["file", "file/x", "..", "/", "/etc", ""] {
            assert!(workspace.view(path).is_none(), "{path}");
        }
        let open = |path: &str| workspace.view(path).unwrap().is_open();
        assert_eq!(
            ["dir", "way", "missing", "broken"].map(open),
            [true, true, false, false]
        );
    }
}
