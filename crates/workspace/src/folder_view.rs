//! A folder of which many entries are asked about.

use std::ffi::OsStr;
use std::io::ErrorKind;

use tenon_contract::PathClaim;

use crate::platform::Folder;
use crate::{FileKind, Located, Metadata, Workspace};

/// A folder held open: each of its entries costs one question to the system, where [`Workspace::locate`] asks about
/// every part of the way. What it tells is as of the folder that was there when it was opened.
#[derive(Debug)]
pub struct FolderView {
    located: Located,
    folder: Folder,
}

impl Workspace {
    /// Opens the folder to which a path text leads. `None` where it leads to no folder inside, and on systems on which
    /// a file has more names than the one that is written (Windows).
    #[must_use]
    pub fn view(&self, path: &str) -> Option<FolderView> {
        if !cfg!(unix) {
            return None;
        }
        let located = self.locate(path).ok()?;
        let folder = located.open_as_folder().ok()?;
        Some(FolderView { located, folder })
    }
}

impl FolderView {
    /// Where an entry leads, as [`Workspace::locate`] tells it, and what stands there, if anything does. `None` for what
    /// has to be followed: a link, what is no name of one entry, what the system refuses to tell.
    #[must_use]
    pub fn entry(&self, name: &str) -> Option<(PathClaim, Option<Metadata>)> {
        if matches!(name, "" | "." | "..") || name.contains(['/', '\0']) {
            return None;
        }
        let metadata = match self.folder.metadata(OsStr::new(name)) {
            Ok(metadata) if metadata.kind == FileKind::Link => return None,
            Ok(metadata) => Some(metadata),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(_) => return None,
        };
        let above = self.located.claim();
        let target = above.target.join(name);
        let name = match above.name.as_str() {
            "." => name.to_owned(),
            above => format!("{}/{name}", above.trim_end_matches('/')),
        };
        Some((PathClaim { name, target }, metadata))
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn entries_are_told_as_locating_them_tells_them() {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path().canonicalize().unwrap();
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
        let folders = [
            ".".to_owned(),
            "dir".to_owned(),
            "way".to_owned(),
            "way/deep".to_owned(),
            "dir/../way".to_owned(),
            text(&root),
            text(&other),
            text(&base.join("into")),
            text(&other.join("sub")),
        ];
        for above in folders {
            let view = workspace.view(&above).unwrap();
            for name in ["a", "b", "ü c", "d", "deep", "sub", "missing", "dir"] {
                let located = workspace.locate(&format!("{above}/{name}")).unwrap();
                let (claim, metadata) = view.entry(name).unwrap();
                assert_eq!(&claim, located.claim(), "{above}/{name}");
                assert_eq!(metadata, located.glance().ok(), "{above}/{name}");
            }
        }
    }

    #[test]
    fn links_and_what_is_no_name_are_left_to_locating() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        std::fs::create_dir(root.join("dir")).unwrap();
        std::fs::write(root.join("file"), "").unwrap();
        symlink("dir", root.join("way")).unwrap();
        symlink("nowhere", root.join("broken")).unwrap();
        let workspace = Workspace::open(&root, &[] as &[&str]).unwrap();
        let view = workspace.view(".").unwrap();
        let long = "x".repeat(300);
        for name in ["way", "broken", "", ".", "..", "dir/x", "a\0b", &long] {
            assert_eq!(view.entry(name), None, "{name:?}");
        }
        for path in ["file", "missing", "..", "/", "/etc", "", "broken"] {
            assert!(workspace.view(path).is_none(), "{path}");
        }
    }
}
