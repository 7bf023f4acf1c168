//! What may be named, and what is refused, path by path.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "helpers of tests"
)]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use tenon_contract::{ErrorCode, PathClaim, ToolError};
use tenon_workspace::{Error, FileKind, Workspace, read_bytes};

struct Scene {
    _directory: tempfile::TempDir,
    outer: PathBuf,
    workspace: Workspace,
}

/// `outer/dir` is the workspace, `outer/more` an additional directory, the rest lies outside.
fn scene() -> Scene {
    let directory = tempfile::tempdir().unwrap();
    let outer = directory.path().canonicalize().unwrap();
    for path in ["dir/src/deep", "dir-evil", "more", "out"] {
        fs::create_dir_all(outer.join(path)).unwrap();
    }
    for path in [
        "dir/a.txt",
        "dir/src/b.txt",
        "dir/src/deep/c.txt",
        "more/d.txt",
    ] {
        fs::write(outer.join(path), path).unwrap();
    }
    for path in ["dir-evil/secret", "out/secret", "secret"] {
        fs::write(outer.join(path), "secret").unwrap();
    }
    let workspace = Workspace::open(outer.join("dir"), &[outer.join("more")]).unwrap();
    Scene {
        _directory: directory,
        outer,
        workspace,
    }
}

impl Scene {
    fn link(&self, at: &str, target: impl AsRef<Path>) {
        symlink(target, self.outer.join("dir").join(at)).unwrap();
    }

    fn absolute(&self, path: &str) -> String {
        self.outer.join(path).to_str().unwrap().to_owned()
    }

    fn claim(&self, path: &str) -> (String, String) {
        let PathClaim { name, target } = self.workspace.locate(path).unwrap().claim().clone();
        let target = target.strip_prefix(&self.outer).unwrap();
        (name, target.to_str().unwrap().to_owned())
    }

    fn code(&self, path: &str) -> ErrorCode {
        let error = self
            .workspace
            .locate(path)
            .and_then(|located| read_bytes(&located, 1000))
            .expect_err(path);
        ToolError::from(error).code
    }
}

#[test]
fn paths_inside_are_named_relative_to_the_root_and_resolved() {
    let scene = scene();
    scene.link("inner", "src/deep");
    scene.link("absolute", scene.outer.join("dir/src"));
    scene.link("dangling", "src/new.txt");
    scene.link("aside", scene.outer.join("more"));
    let more = scene.absolute("more/d.txt");
    let cases = [
        ("a.txt", "a.txt", "dir/a.txt"),
        ("./src//b.txt", "src/b.txt", "dir/src/b.txt"),
        ("src/../a.txt", "a.txt", "dir/a.txt"),
        ("missing/../a.txt", "a.txt", "dir/a.txt"),
        ("src/new/file.rs", "src/new/file.rs", "dir/src/new/file.rs"),
        ("../dir/a.txt", "a.txt", "dir/a.txt"),
        (".", ".", "dir"),
        ("", ".", "dir"),
        ("inner/c.txt", "inner/c.txt", "dir/src/deep/c.txt"),
        // As for the system: the parent of the link's target.
        ("inner/../b.txt", "src/b.txt", "dir/src/b.txt"),
        ("absolute/b.txt", "absolute/b.txt", "dir/src/b.txt"),
        ("dangling", "dangling", "dir/src/new.txt"),
        ("aside/d.txt", "aside/d.txt", "more/d.txt"),
        // Ordinary characters of a name.
        ("~", "~", "dir/~"),
        ("%2e%2e/x", "%2e%2e/x", "dir/%2e%2e/x"),
        ("$HOME/x", "$HOME/x", "dir/$HOME/x"),
        (" a.txt ", " a.txt ", "dir/ a.txt "),
        ("a\\..\\b", "a\\..\\b", "dir/a\\..\\b"),
        ("..\u{2215}x", "..\u{2215}x", "dir/..\u{2215}x"),
    ];
    for (path, name, target) in cases {
        if path.is_empty() {
            continue;
        }
        assert_eq!(scene.claim(path), (name.into(), target.into()), "{path}");
    }
    assert_eq!(scene.claim(&scene.absolute("dir/a.txt")).0, "a.txt");
    assert_eq!(scene.claim(&more), (more.clone(), "more/d.txt".into()));
}

#[test]
fn a_path_through_a_link_from_outside_is_named_by_where_it_leads() {
    let scene = scene();
    symlink(scene.outer.join("dir/src"), scene.outer.join("door")).unwrap();
    let path = scene.absolute("door/b.txt");
    assert_eq!(
        scene.claim(&path),
        ("src/b.txt".into(), "dir/src/b.txt".into())
    );
}

#[test]
fn the_whole_disk_may_be_the_workspace() {
    let scene = scene();
    let disk = Workspace::open("/", &[] as &[&str]).unwrap();
    let path = scene.absolute("dir/a.txt");
    let located = disk.locate(&path).unwrap();
    assert_eq!(located.name(), path.trim_start_matches('/'));
    assert_eq!(read_bytes(&located, 100).unwrap().bytes(), b"dir/a.txt");
    assert_eq!(disk.locate("../..").unwrap().name(), ".");
}

#[test]
fn the_root_may_be_named_by_a_link() {
    let scene = scene();
    let alias = scene.outer.join("alias");
    symlink(scene.outer.join("dir"), &alias).unwrap();
    let workspace = Workspace::open(&alias, &[] as &[&str]).unwrap();
    assert_eq!(workspace.root(), scene.outer.join("dir"));
    let path = alias.join("a.txt");
    assert_eq!(
        workspace.locate(path.to_str().unwrap()).unwrap().name(),
        "a.txt"
    );
}

#[test]
fn ways_out_are_refused() {
    let scene = scene();
    scene.link("relative", "../out/secret");
    scene.link("absolute", scene.outer.join("out/secret"));
    scene.link("directory", scene.outer.join("out"));
    scene.link("chain", "directory");
    scene.link("creates", scene.outer.join("out/created"));
    scene.link("climbs", "src/../../secret");
    let outside = [
        "../secret".into(),
        "..".into(),
        "../".into(),
        "/".into(),
        "/etc/passwd".into(),
        "src/../../secret".into(),
        "missing/../../secret".into(),
        "../dir-evil/secret".into(),
        scene.absolute("dir-evil/secret"),
        scene.absolute("dir/../secret"),
        "relative".into(),
        "absolute".into(),
        "directory/secret".into(),
        "directory/new.txt".into(),
        "chain/secret".into(),
        "creates".into(),
        "climbs".into(),
        "directory/../secret".into(),
        "/proc/self/root/etc/passwd".into(),
        format!("/proc/self/cwd/../../{}", "secret"),
        "/dev/stdin".into(),
    ];
    for path in &outside {
        assert_eq!(scene.code(path), ErrorCode::OutsideWorkspace, "{path}");
    }
    assert!(!scene.outer.join("out/created").exists());
}

#[test]
fn the_refusal_says_what_may_be_named() {
    let scene = scene();
    let error = scene.workspace.locate("../secret").unwrap_err();
    assert_eq!(
        error
            .to_string()
            .replace(scene.outer.to_str().unwrap(), "/tmp"),
        "`../secret` is outside the workspace `/tmp/dir`. Use a path inside it."
    );
}

#[test]
fn texts_that_name_nothing_are_invalid() {
    let scene = scene();
    scene.link("loop", "loop");
    scene.link("ping", "pong");
    scene.link("pong", "ping");
    let paths = [
        String::new(),
        "a\0.txt".into(),
        "x".repeat(5000),
        "x".repeat(300),
        format!("src/{}", "x".repeat(256)),
        "loop".into(),
        "ping/x".into(),
    ];
    for path in &paths {
        assert_eq!(scene.code(path), ErrorCode::InvalidParams, "{path}");
    }
}

#[test]
fn a_path_that_means_a_directory_is_no_file() {
    let scene = scene();
    for (path, code) in [
        ("src", ErrorCode::NotAFile),
        ("src/", ErrorCode::NotAFile),
        (".", ErrorCode::NotAFile),
        ("a.txt/", ErrorCode::NotADirectory),
        ("a.txt/.", ErrorCode::NotADirectory),
        ("a.txt/b", ErrorCode::NotADirectory),
        ("nothing", ErrorCode::NotFound),
    ] {
        assert_eq!(scene.code(path), code, "{path}");
    }
}

#[test]
fn fifos_sockets_and_devices_are_refused_at_once_by_kind() {
    let scene = scene();
    let fifo = scene.outer.join("dir/fifo");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        &fifo,
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::from_bits_truncate(0o644),
        0,
    )
    .unwrap();
    let _listener = std::os::unix::net::UnixListener::bind(scene.outer.join("dir/socket")).unwrap();
    let devices = Workspace::open("/dev", &[] as &[&str]).unwrap();
    let start = Instant::now();
    for (workspace, path, expected) in [
        (&scene.workspace, "fifo", FileKind::Fifo),
        (&scene.workspace, "socket", FileKind::Socket),
        (&devices, "null", FileKind::CharacterDevice),
        (&devices, "zero", FileKind::CharacterDevice),
    ] {
        let located = workspace.locate(path).unwrap();
        assert_eq!(located.metadata().unwrap().kind, expected);
        match located.open_file() {
            Err(Error::NotAFile { kind, .. }) => assert_eq!(kind, expected),
            other => panic!("{path}: {other:?}"),
        }
    }
    assert!(start.elapsed() < Duration::from_secs(2));
}

#[test]
fn a_missing_file_is_answered_with_names_that_resemble_it() {
    let scene = scene();
    for path in ["Reader.ts", "reader.rs", "unrelated.md", "src/config.yaml"] {
        fs::write(scene.outer.join("dir").join(path), "").unwrap();
    }
    let near = |path: &str| match scene.workspace.locate(path).unwrap().metadata() {
        Err(Error::NotFound { near, .. }) => near,
        other => panic!("{other:?}"),
    };
    assert_eq!(near("raeder.rs"), ["reader.rs", "Reader.ts"]);
    assert_eq!(near("src/config.yml"), ["src/config.yaml"]);
    assert_eq!(near("scr/deep/c.txt"), ["src/deep/c.txt"]);
    assert_eq!(near("zzz"), [""; 0]);
    let error = scene
        .workspace
        .locate("raeder.rs")
        .unwrap()
        .open_file()
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "`raeder.rs` does not exist. Did you mean `reader.rs` or `Reader.ts`?"
    );
}

/// Two of them looked the same, and neither could be opened by what was shown.
#[cfg(target_os = "linux")]
#[test]
fn a_name_that_is_not_unicode_is_listed_by_its_bytes_and_taken_back() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    let scene = scene();
    let directory = scene.outer.join("dir/src");
    for (name, content) in [(b"b\xff.txt", "one"), (b"b\xfe.txt", "two")] {
        fs::write(directory.join(OsStr::from_bytes(name)), content).unwrap();
    }
    let place = scene.workspace.locate("src").unwrap();
    let listing = place.list(10, &|| false).unwrap();
    let names: Vec<&str> = listing
        .entries
        .iter()
        .map(|entry| entry.name.as_str())
        .collect();
    for (name, content) in [("\"b\\377.txt\"", "one"), ("\"b\\376.txt\"", "two")] {
        assert!(names.contains(&name), "{names:?}");
        let whole = format!("\"src/{}", &name[1..]);
        for path in [format!("src/{name}"), whole.clone()] {
            let located = scene.workspace.locate_existing(&path).unwrap();
            assert_eq!(located.name(), whole);
            assert!(!located.is_named_by_link().unwrap());
            let read = tenon_workspace::read_bytes(&located, 10).unwrap();
            assert_eq!(read.bytes(), content.as_bytes());
        }
    }
    let none = scene.workspace.locate("\"src/b\\375.txt\"").unwrap();
    assert!(matches!(none.metadata(), Err(Error::NotFound { .. })));
}

#[test]
fn a_link_that_leads_nowhere_is_named_as_what_it_is() {
    let scene = scene();
    scene.link("dang", "nowhere");
    scene.link("chain", "dang");
    scene.link("good", "src");
    for (path, expected) in [
        (
            "dang",
            "`dang` is a link to `nowhere`, which does not exist.",
        ),
        (
            "chain",
            "`chain` is a link to `nowhere`, which does not exist.",
        ),
        (
            "dang/x",
            "`dang/x` does not exist: `dang` is a link to `nowhere`, which does not exist.",
        ),
        ("good/zzz", "`good/zzz` does not exist."),
    ] {
        let located = scene.workspace.locate(path).unwrap();
        assert_eq!(located.metadata().unwrap_err().to_string(), expected);
        assert_eq!(located.open_file().unwrap_err().to_string(), expected);
    }
}

#[test]
fn a_directory_lists_its_entries_sorted_with_the_kind_of_what_links_lead_to() {
    let scene = scene();
    scene.link("Alink", "src");
    scene.link("outlink", scene.outer.join("out"));
    let root = scene.workspace.locate(".").unwrap();
    let listing = root.list(10, &|| false).unwrap();
    let reported: Vec<_> = listing
        .entries
        .iter()
        .map(|entry| (entry.name.as_str(), entry.kind, entry.is_link, entry.size))
        .collect();
    let directory_size = fs::metadata(scene.outer.join("dir/src")).unwrap().len();
    let link_size = listing
        .entries
        .iter()
        .find(|entry| entry.name == "outlink")
        .unwrap()
        .size;
    assert_eq!(
        reported,
        [
            ("a.txt", FileKind::File, false, 9),
            ("Alink", FileKind::Directory, true, directory_size),
            ("outlink", FileKind::Link, true, link_size),
            ("src", FileKind::Directory, false, directory_size),
        ]
    );
    let short = root.list(1, &|| false).unwrap();
    assert_eq!(
        (short.entries.len(), short.total, short.truncated),
        (1, 4, true)
    );
    assert!(matches!(root.list(10, &|| true), Err(Error::Cancelled)));
    assert_eq!(
        root.child("src").unwrap().child("b.txt").unwrap().name(),
        "src/b.txt"
    );
    assert!(matches!(root.child("../x"), Err(Error::InvalidPath { .. })));
}

#[test]
fn a_root_that_does_not_exist_or_is_a_file_is_refused() {
    let scene = scene();
    let open = |path: &str| Workspace::open(scene.outer.join(path), &[] as &[&str]).map(|_| ());
    assert!(matches!(open("nothing"), Err(Error::NotFound { .. })));
    assert!(matches!(
        open("dir/a.txt"),
        Err(Error::NotADirectory { .. })
    ));
}

#[cfg(target_os = "linux")]
#[test]
fn of_many_workspaces_only_those_in_use_are_held_open() {
    let directory = tempfile::tempdir().unwrap();
    let outer = directory.path().canonicalize().unwrap();
    let workspaces: Vec<Workspace> = (0..50)
        .map(|number| {
            let root = outer.join(number.to_string());
            fs::create_dir(&root).unwrap();
            fs::write(root.join("a"), number.to_string()).unwrap();
            Workspace::open(root, &[] as &[&str]).unwrap()
        })
        .collect();
    let held = || {
        let descriptors = fs::read_dir("/proc/self/fd").unwrap().flatten();
        descriptors
            .filter_map(|descriptor| fs::read_link(descriptor.path()).ok())
            .filter(|target| target.starts_with(&outer))
            .count()
    };
    let content = |workspace: &Workspace| {
        let located = workspace.locate("a").unwrap();
        String::from_utf8(read_bytes(&located, 100).unwrap().bytes().to_vec()).unwrap()
    };
    assert!(held() <= 8, "{}", held());
    for (number, workspace) in workspaces.iter().enumerate() {
        assert_eq!(content(workspace), number.to_string());
    }
    assert!(held() <= 8, "{}", held());
    // One that was replaced while nobody held it is not taken for the one that was opened.
    fs::rename(outer.join("0"), outer.join("moved")).unwrap();
    fs::create_dir(outer.join("0")).unwrap();
    fs::write(outer.join("0/a"), "another").unwrap();
    let first = workspaces.first().unwrap().locate("a");
    let read = first.and_then(|located| read_bytes(&located, 100));
    let said = read.unwrap_err().to_string();
    assert!(said.contains("replaced"), "{said}");
}
