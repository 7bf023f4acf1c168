//! A file system that is laid over a directory changes the tree, and no watch reports.

use std::fs;
use std::path::Path;
use std::process::Command;

use tenon_search::{Control, GrepRequest, Index, Pattern, Scope};

use crate::compare::{index, warm};

/// Set where this program runs in a namespace of its own, in which it may mount.
const INSIDE: &str = "TENON_TEST_MOUNTS";

#[test]
fn what_is_mounted_over_a_directory_is_seen_by_the_very_next_answer() {
    if std::env::var_os(INSIDE).is_some() {
        return mount_and_search();
    }
    let unshare = |program: &Path| {
        let mut command = Command::new("unshare");
        command
            .args(["--user", "--map-root-user", "--mount"])
            .arg(program);
        command
    };
    if !unshare(Path::new("true"))
        .status()
        .is_ok_and(|status| status.success())
    {
        println!("namespaces of mounts are not to be had here: not tested");
        return;
    }
    let name = "mounts::what_is_mounted_over_a_directory_is_seen_by_the_very_next_answer";
    let status = unshare(&std::env::current_exe().unwrap())
        .args(["--exact", name])
        .env(INSIDE, "1")
        .status();
    assert!(status.unwrap().success());
}

fn mount_and_search() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().canonicalize().unwrap();
    let over = root.join("over");
    fs::create_dir(&over).unwrap();
    fs::write(over.join("a.txt"), "needle beneath\n").unwrap();
    fs::write(root.join("b.txt"), "needle\n").unwrap();
    let index = index();
    warm(&index, &root);
    assert_eq!(matching(&index, &root), ["b.txt", "over/a.txt"]);

    let run = |program: &str, arguments: &[&str]| {
        let status = Command::new(program).args(arguments).arg(&over).status();
        assert!(status.unwrap().success(), "{program}");
    };
    run("mount", &["-t", "tmpfs", "tmpfs"]);
    fs::write(over.join("c.txt"), "needle above\n").unwrap();
    assert_eq!(matching(&index, &root), ["b.txt", "over/c.txt"]);
    run("umount", &[]);
    assert_eq!(matching(&index, &root), ["b.txt", "over/a.txt"]);
}

fn matching(index: &Index, root: &Path) -> Vec<String> {
    let request = GrepRequest::new(Scope::new(root, root), Pattern::new("needle"));
    let output = index.grep(&request, &Control::default()).unwrap();
    output.files.into_iter().map(|file| file.path).collect()
}
