//! Files that are asked for in another form of the same letters. The file system of macOS takes composed and decomposed
//! ones for the same.
#![cfg(not(target_os = "macos"))]

use std::fs;
use std::path::PathBuf;

use crate::real_place::real_path;
use crate::{Error, Workspace, read_bytes};

/// A directory with these files, each of which holds its own name.
fn workspace_of(files: &[&str]) -> (tempfile::TempDir, Workspace) {
    let directory = tempfile::tempdir().unwrap();
    for file in files {
        let path = directory.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, file).unwrap();
    }
    let workspace = Workspace::open(directory.path(), &[] as &[&str]).unwrap();
    (directory, workspace)
}

/// The name of the place, and what is read from there.
fn found(workspace: &Workspace, path: &str) -> Result<(String, String), Error> {
    let located = workspace.locate_existing(path)?;
    let bytes = read_bytes(&located, 1024)?.bytes().to_vec();
    Ok((located.name().to_owned(), String::from_utf8(bytes).unwrap()))
}

#[test]
fn a_name_in_another_form_of_the_same_letters_is_the_one_that_is_there() {
    let rows = [
        // Decomposed on the disk, composed in the call, and the other way round.
        ("cafe\u{301}.txt", "caf\u{e9}.txt"),
        ("caf\u{e9}.txt", "cafe\u{301}.txt"),
        // macOS separates AM and PM of a screenshot by U+202F.
        (
            "Screenshot 2024-01-01 at 10.00.00\u{202f}AM.png",
            "Screenshot 2024-01-01 at 10.00.00 AM.png",
        ),
        ("a b.txt", "a\u{a0}b.txt"),
        (
            "Capture d\u{2019}e\u{301}cran.png",
            "Capture d'\u{e9}cran.png",
        ),
        ("\u{201c}draft\u{201d}.md", "\"draft\".md"),
        // In directories on the way, too.
        (
            "e\u{301}te\u{301}/d\u{2019}ete\u{301}/a.txt",
            "\u{e9}t\u{e9}/d'et\u{e9}/a.txt",
        ),
    ];
    for (there, asked) in rows {
        let (_directory, workspace) = workspace_of(&[there]);
        let expected = (there.to_owned(), there.to_owned());
        assert_eq!(found(&workspace, asked).unwrap(), expected);
        let absolute = workspace.root().join(asked);
        assert_eq!(
            found(&workspace, absolute.to_str().unwrap()).unwrap(),
            expected
        );
    }
}

#[test]
fn a_name_that_is_there_as_it_is_written_is_taken_as_it_is() {
    let (_directory, workspace) = workspace_of(&["caf\u{e9}", "cafe\u{301}"]);
    for name in ["caf\u{e9}", "cafe\u{301}"] {
        assert_eq!(
            found(&workspace, name).unwrap(),
            (name.to_owned(), name.to_owned())
        );
    }
}

#[test]
fn of_several_names_that_look_the_same_none_is_taken_and_the_error_names_them() {
    let there = ["a\u{a0}b.txt", "a\u{202f}b.txt"];
    let (_directory, workspace) = workspace_of(&there);
    let error = found(&workspace, "a b.txt").unwrap_err();
    let Error::NotFound { path, near, .. } = &error else {
        panic!("{error:?}");
    };
    assert_eq!((path.as_str(), near.len()), ("a b.txt", 2));
    assert!(
        there
            .iter()
            .all(|name| near.iter().any(|reported| reported == name))
    );
    assert!(
        error
            .to_string()
            .ends_with("encoded: copy the name from a listing."),
        "{error}"
    );
}

#[test]
fn a_new_file_is_made_as_it_is_named() {
    let (_directory, workspace) = workspace_of(&["cafe\u{301}.txt"]);
    assert_eq!(
        workspace.locate("caf\u{e9}.txt").unwrap().name(),
        "caf\u{e9}.txt"
    );
}

#[test]
fn another_case_or_another_letter_is_no_other_form() {
    let (_directory, workspace) = workspace_of(&["Cafe\u{301}.txt", "cafe.txt"]);
    // Windows takes the case for no part of a name.
    let other_case = ["CAFE.txt"].into_iter().filter(|_| !cfg!(windows));
    for name in other_case.chain(["caf\u{e9}.txt", "caf\u{e8}.txt"]) {
        let error = found(&workspace, name).unwrap_err();
        assert!(matches!(error, Error::NotFound { .. }), "{name}: {error:?}");
    }
}

#[test]
fn a_root_in_another_form_is_the_root_unless_there_is_such_a_directory() {
    let outer = tempfile::tempdir().unwrap();
    let root = real_path(outer.path()).unwrap().join("proje\u{301}t");
    fs::create_dir(&root).unwrap();
    fs::write(root.join("a.txt"), "a").unwrap();
    let workspace = Workspace::open(&root, &[] as &[&str]).unwrap();
    let composed: PathBuf = root.parent().unwrap().join("proj\u{e9}t");
    let asked = composed.join("a.txt");
    let asked = asked.to_str().unwrap();
    assert_eq!(
        found(&workspace, asked).unwrap(),
        ("a.txt".to_owned(), "a".to_owned())
    );
    let climbing = composed.join("../other.txt");
    let refused =
        |path: &str| matches!(found(&workspace, path), Err(Error::OutsideWorkspace { .. }));
    assert!(refused(climbing.to_str().unwrap()));
    fs::create_dir(&composed).unwrap();
    fs::write(composed.join("a.txt"), "not yours").unwrap();
    assert!(refused(asked));
}

#[cfg(unix)]
#[test]
fn a_lookalike_that_is_a_link_is_followed_as_any_link_is() {
    let (directory, workspace) = workspace_of(&["in/a.txt"]);
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("a.txt"), "secret").unwrap();
    let link = |name: &str, target: &std::path::Path| {
        std::os::unix::fs::symlink(target, directory.path().join(name)).unwrap();
    };
    link("cafe\u{301}", std::path::Path::new("in"));
    link("the\u{301}", outside.path());
    link("nowhere", std::path::Path::new("in/caf\u{e9}"));
    assert_eq!(
        found(&workspace, "caf\u{e9}/a.txt").unwrap(),
        ("cafe\u{301}/a.txt".to_owned(), "in/a.txt".to_owned())
    );
    assert!(found(&workspace, "th\u{e9}/a.txt").is_err());
    // What a link that leads nowhere is called does not look like what it leads to.
    assert!(matches!(
        found(&workspace, "nowhere"),
        Err(Error::NotFound { .. })
    ));
}

#[cfg(unix)]
#[test]
fn a_name_in_the_quotes_of_lists_is_the_one_that_is_there() {
    let name = "d/a\nb\u{1b}[31m\u{e9}.txt";
    let (_directory, workspace) = workspace_of(&[name, "d/plain", "\"d/plain\""]);
    let shown = tenon_edit::shown_name(name);
    let there = (name.to_owned(), name.to_owned());
    assert_eq!(found(&workspace, &shown).unwrap(), there);
    let absolute = workspace.root().join(name);
    let absolute = tenon_edit::shown_name(absolute.to_str().unwrap()).into_owned();
    assert_eq!(found(&workspace, &absolute).unwrap(), there);
    // To be written over, too; what nothing stands at keeps its quotes.
    assert_eq!(workspace.locate(&shown).unwrap().name(), name);
    assert_eq!(workspace.locate("\"d/new\"").unwrap().name(), "\"d/new\"");
    // What has such a name itself comes first.
    let plain = "\"d/plain\"";
    assert_eq!(found(&workspace, plain).unwrap().0, plain);
    // Quotes lead nowhere that the name does not.
    let outside = workspace.locate("\"/etc/passwd\"").unwrap();
    assert_eq!(outside.name(), "\"/etc/passwd\"");
}
