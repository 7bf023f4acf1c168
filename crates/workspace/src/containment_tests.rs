//! The resolution of paths against a reference that canonicalises, and both ways of opening.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use proptest::prelude::*;

use super::Workspace;
use crate::platform::portable;
use crate::{Error, read_bytes};

/// `outer/root` is the workspace, `outer/other` an additional directory, `outer/out` lies outside.
struct Scene {
    _directory: tempfile::TempDir,
    outer: PathBuf,
    workspaces: [Workspace; 2],
}

impl Scene {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let outer = directory.path().canonicalize().unwrap();
        for path in ["root/a/b", "other/a", "out/a"] {
            fs::create_dir_all(outer.join(path)).unwrap();
        }
        for path in ["root/f", "root/a/f", "root/a/b/f", "other/f", "other/a/f"] {
            fs::write(outer.join(path), path).unwrap();
        }
        for path in ["out/f", "out/a/f"] {
            fs::write(outer.join(path), "secret").unwrap();
        }
        let others = [outer.join("other")];
        let workspaces = [
            Workspace::open(outer.join("root"), &others).unwrap(),
            Workspace::open_walking(&outer.join("root"), &others).unwrap(),
        ];
        Self {
            _directory: directory,
            outer,
            workspaces,
        }
    }

    /// `$` stands for the directory of the scene.
    fn fill(&self, text: &str) -> String {
        text.replace('$', self.outer.to_str().unwrap())
    }

    fn link(&self, at: &str, target: &str) {
        let at = self.outer.join("root").join(at);
        if fs::symlink_metadata(&at).is_err() && at.parent().is_some_and(Path::exists) {
            let _ = symlink(self.fill(target), at);
        }
    }

    fn is_inside(&self, path: &Path) -> bool {
        path.starts_with(self.outer.join("root")) || path.starts_with(self.outer.join("other"))
    }
}

const PARTS: [&str; 12] = [
    "a", "b", "f", "x", "l", "m", "n", "..", "..", ".", "root", "out",
];

fn paths() -> impl Strategy<Value = String> {
    let start = prop::sample::select(vec![
        "", "", "", "$/root/", "$/other/", "$/out/", "$/", "/", "../",
    ]);
    let parts = prop::collection::vec(prop::sample::select(&PARTS[..]), 1..7);
    (start, parts).prop_map(|(start, parts)| format!("{start}{}", parts.join("/")))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn the_outcome_is_that_of_canonical_paths(
        links in prop::collection::vec(
            (prop::sample::select(vec!["l", "m", "n", "a/l", "a/m", "a/b/n"]), paths()),
            0..5,
        ),
        texts in prop::collection::vec(paths(), 1..12),
    ) {
        let scene = Scene::new();
        for (at, target) in &links {
            scene.link(at, target);
        }
        for text in &texts {
            let text = scene.fill(text);
            let canonical = fs::canonicalize(scene.outer.join("root").join(&text));
            for workspace in &scene.workspaces {
                let located = workspace.locate(&text);
                match (&canonical, &located) {
                    (Ok(canonical), Ok(located)) => {
                        prop_assert!(scene.is_inside(canonical), "{text}: let out to {canonical:?}");
                        prop_assert_eq!(located.target(), canonical.as_path());
                    }
                    (Ok(canonical), Err(error)) => {
                        prop_assert!(!scene.is_inside(canonical), "{text}: {error}");
                        prop_assert!(matches!(error, Error::OutsideWorkspace { .. }), "{text}: {error:?}");
                    }
                    // What does not exist lies inside or is refused; no part of it is a link.
                    (Err(_), Ok(located)) => {
                        prop_assert!(scene.is_inside(located.target()));
                        let existing = located.target().ancestors().find(|path| path.exists()).unwrap();
                        prop_assert_eq!(existing.canonicalize().unwrap(), existing);
                    }
                    (Err(_), Err(_)) => {}
                }
                let Ok(located) = located else { continue };
                if text.ends_with('.') {
                    // Means a directory, even where `f/x/..` leads to a file.
                    continue;
                }
                match (read_bytes(&located, 100), fs::read(located.target())) {
                    (Ok(file), Ok(bytes)) => {
                        prop_assert_eq!(file.bytes(), bytes.as_slice());
                        prop_assert_ne!(bytes.as_slice(), b"secret");
                    }
                    (Err(_), Err(_)) => {}
                    (ours, theirs) => prop_assert!(false, "{text}: {ours:?} {theirs:?}"),
                }
            }
        }
    }

    #[test]
    fn names_of_places_without_links_are_relative_and_lead_back(
        texts in prop::collection::vec(paths(), 1..12),
    ) {
        let scene = Scene::new();
        let workspace = &scene.workspaces[0];
        for text in &texts {
            let text = scene.fill(text);
            let Ok(located) = workspace.locate(&text) else { continue };
            let reference = portable::resolve(&workspace.inner.roots, &workspace.root, Path::new(&text));
            if let Ok(reference) = reference {
                prop_assert_eq!(&reference.target, located.target());
            }
            prop_assert_eq!(workspace.name_of(located.target()), Some(located.name().to_owned()));
            let again = workspace.locate(located.name()).unwrap();
            prop_assert_eq!(again.claim(), located.claim());
        }
    }
}

#[test]
fn a_workspace_on_another_machine_is_where_its_texts_say_and_nothing_is_there() {
    let workspace = Workspace::elsewhere(Path::new("/srv/app"), &[PathBuf::from("/srv/lib")]);
    let name = |path: &str| {
        let located = workspace.locate(path).ok()?;
        Some(located.name().to_owned())
    };
    assert_eq!(name("a/../b"), Some("b".to_owned()));
    assert_eq!(name("/srv/app/./b"), Some("b".to_owned()));
    assert_eq!(name("/srv/lib/c"), Some("/srv/lib/c".to_owned()));
    assert_eq!(name("../x"), None);
    assert_eq!(name("/etc/passwd"), None);
    assert!(workspace.locate("b").unwrap().peek().is_err());
    let targets = [Path::new("/srv/app/b")];
    assert!(workspace.check_in_place(targets.into_iter()).is_ok());
}
