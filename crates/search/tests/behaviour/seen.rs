//! Which files are seen.

use tenon_search::{FindRequest, Scope, hiding_rule};

use crate::tree::{found, printed, run, seen, tree};

#[test]
fn ignore_files_of_all_kinds_count_without_a_repository() {
    let tree = tree(&[
        (".gitignore", "*.log\n/build/\n"),
        (".ignore", "!keep.log\n*.tmp\n"),
        (".rgignore", "!keep.tmp\n"),
        ("a.log", ""),
        ("keep.log", ""),
        ("a.tmp", ""),
        ("keep.tmp", ""),
        ("build/out.txt", ""),
        ("src/build/in.txt", ""),
    ]);
    assert_eq!(
        seen(tree.scope()),
        [
            ".gitignore",
            ".ignore",
            ".rgignore",
            "keep.log",
            "keep.tmp",
            "src/build/in.txt"
        ]
    );
}

#[test]
fn ignore_files_above_the_root_and_excludes_of_the_repository_count() {
    let tree = tree(&[
        (".gitignore", "*.log\n"),
        (".git/info/exclude", "secret*\n"),
        ("inner/a.log", ""),
        ("inner/secret.txt", ""),
        ("inner/b.txt", ""),
    ]);
    let scope = Scope::new(&tree.root, tree.path("inner"));
    assert_eq!(seen(scope), ["inner/b.txt"]);
}

/// What `git` answers in a directory, or nothing where it is not installed.
fn git(directory: &std::path::Path, arguments: &[&str]) -> Option<String> {
    let mut git = std::process::Command::new("git");
    git.args(arguments).current_dir(directory);
    for name in ["GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"] {
        git.env(name, "/dev/null");
    }
    let answer = git.output().ok()?;
    assert!(answer.status.success(), "{answer:?}");
    Some(String::from_utf8(answer.stdout).unwrap())
}

// Windows has no names with a tab.
#[cfg(unix)]
#[test]
fn classes_of_characters_hide_what_git_hides() {
    const CLASSES: [&str; 13] = [
        "alnum", "alpha", "blank", "cntrl", "digit", "graph", "lower", "print", "punct", "space",
        "upper", "xdigit", "none",
    ];
    let names = [
        "a", "B", "1", "_", "-", "a b", "B1", "aB", "x.y", "!a", "]", "^", "a]", "\t", "~", "ab/c",
        "ab/D", "2/1", "é",
    ];
    let tree = tree(&names.map(|name| (name, "")));
    if git(&tree.root, &["init", "-q"]).is_none() {
        return;
    }
    // The same numbers in every run.
    let mut state = 7_u64;
    let mut below = |count: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap() % count
    };
    for _ in 0..150 {
        let mut lines = String::new();
        for _ in 0..=below(3) {
            lines.push_str(["", "", "", "!", "/", "ab/"][below(6)]);
            for _ in 0..=below(3) {
                let class = CLASSES[below(CLASSES.len())];
                match below(8) {
                    0 => lines.push('*'),
                    1 => lines.push_str(["a", "B", "1", "_"][below(4)]),
                    2 => lines.push_str(&format!("[[:{class}:]")),
                    3 => lines.push_str(&format!("[^[:{class}:]-]")),
                    4 => lines.push_str(&format!("[]a[:{class}:]!]")),
                    5 => lines.push_str(&format!("[b-x[:{class}:]_-]")),
                    _ => lines.push_str(&format!("[[:{class}:]]")),
                }
            }
            lines.push_str(["\n", "\n", "/\n"][below(3)]);
        }
        std::fs::write(tree.path(".git/info/exclude"), &lines).unwrap();
        let listed = git(&tree.root, &["ls-files", "-co", "-z", "--exclude-standard"]).unwrap();
        let mut listed: Vec<&str> = listed.split_terminator('\0').collect();
        listed.sort_unstable();
        let mut found = seen(tree.scope());
        found.sort_unstable();
        assert_eq!(found, listed, "{lines}");
    }
}

#[test]
fn rules_of_a_repository_end_where_another_one_begins() {
    let tree = tree(&[
        (".gitignore", "*.tmp\n"),
        (".git/info/exclude", "*.exc\n"),
        (".ignore", "*.plain\n"),
        ("a.tmp", ""),
        ("clone/.git/HEAD", ""),
        ("clone/.gitignore", "*.own\n"),
        ("clone/deep/a.tmp", ""),
        ("clone/deep/b.exc", ""),
        ("clone/deep/c.own", ""),
        ("clone/deep/d.plain", ""),
        ("module/.git", "gitdir: ../.git/modules/module\n"),
        ("module/a.tmp", ""),
        ("module/b.exc", ""),
        ("plain/a.tmp", ""),
        ("plain/b.exc", ""),
    ]);
    let expected = [
        ".gitignore",
        ".ignore",
        "clone/.gitignore",
        "clone/deep/a.tmp",
        "clone/deep/b.exc",
        "module/a.tmp",
        "module/b.exc",
    ];
    assert_eq!(seen(tree.scope()), expected);
    // From within as well, and one by one.
    let inner = Scope::new(&tree.root, tree.path("clone/deep"));
    assert_eq!(seen(inner), expected[3..5]);
    let module = Scope::new(tree.path("module"), tree.path("module"));
    assert_eq!(seen(module), ["a.tmp", "b.exc"]);
    let hidden_by = |path: &str| hiding_rule(&tree.scope(), path).map(|rule| rule.glob);
    assert_eq!(hidden_by("module/a.tmp"), None);
    assert_eq!(hidden_by("plain/a.tmp").as_deref(), Some("*.tmp"));
    assert_eq!(hidden_by("clone/deep/d.plain").as_deref(), Some("*.plain"));
}

#[test]
fn excludes_that_one_repository_names_are_not_those_of_another_within() {
    let tree = tree(&[
        ("excludes", "*.own\n"),
        (".git/config", "[core]\nexcludesFile = excludes\n"),
        ("a.own", ""),
        ("clone/.git/HEAD", ""),
        ("clone/a.own", ""),
    ]);
    assert_eq!(seen(tree.scope()), ["clone/a.own", "excludes"]);
}

/// Work trees within each other: a clone, one within it, a submodule, a linked work tree. Nothing where git is not installed.
fn work_trees(tree: &super::tree::Tree) -> Option<[std::path::PathBuf; 5]> {
    let made = ["main", "main/clone", "main/clone/in/deep"].map(|name| tree.path(name));
    let source = tree.path("source");
    let identity = ["-c", "user.name=a", "-c", "user.email=a@b"];
    for directory in made.iter().chain([&source]) {
        std::fs::create_dir_all(directory).unwrap();
        git(directory, &["init", "-q"])?;
        let commit = ["commit", "-q", "--allow-empty", "-m", "first"];
        git(directory, &[&identity[..], &commit[..]].concat())?;
    }
    let [main, clone, deep] = made;
    let allowed = ["-c", "protocol.file.allow=always"];
    let module = ["submodule", "--quiet", "add", source.to_str()?, "b/module"];
    git(&main, &[&allowed[..], &module[..]].concat())?;
    git(&main, &["worktree", "add", "-q", "--detach", "b/linked"])?;
    let (module, linked) = (main.join("b/module"), main.join("b/linked"));
    Some([main, clone, deep, module, linked])
}

#[test]
fn each_of_several_repositories_within_each_other_shows_what_git_shows() {
    let tree = tree(&[]);
    let Some(work_trees) = work_trees(&tree) else {
        return;
    };
    // The same numbers in every run.
    let mut state = 11_u64;
    let mut below = |count: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap() % count
    };
    let names = [
        "a.tmp", "b.log", "keep.log", "in/a.tmp", "x/b.log", "x/in/c",
    ];
    for directory in &work_trees {
        for name in names {
            std::fs::create_dir_all(directory.join(name).parent().unwrap()).unwrap();
            std::fs::write(directory.join(name), "").unwrap();
        }
    }
    let rules = [
        "*.tmp",
        "*.log",
        "!keep.log",
        "/x/",
        "in/",
        "c",
        "!c",
        "/b.log",
        "x/in",
    ];
    for round in 0..40 {
        for directory in &work_trees {
            let mut lines = || -> String {
                let count = below(3);
                (0..count)
                    .map(|_| format!("{}\n", rules[below(rules.len())]))
                    .collect()
            };
            std::fs::write(directory.join(".gitignore"), lines()).unwrap();
            std::fs::write(directory.join("x/.gitignore"), lines()).unwrap();
            if directory.ends_with("module") {
                // The excludes of a submodule are read neither here nor by ripgrep.
                continue;
            }
            let exclude = git(directory, &["rev-parse", "--git-path", "info/exclude"]).unwrap();
            std::fs::write(directory.join(exclude.trim_end()), lines()).unwrap();
        }
        let all = seen(Scope::new(&tree.root, &work_trees[0]));
        for directory in &work_trees {
            // What is in a repository within is of that one.
            let is_own = |path: &String| {
                let mut above = tree.path(path);
                while above.pop() && !above.join(".git").exists() {}
                above == *directory
            };
            let listed = git(directory, &["ls-files", "-co", "-z", "--exclude-standard"]).unwrap();
            let prefix = directory
                .strip_prefix(&tree.root)
                .unwrap()
                .to_str()
                .unwrap();
            let paths = listed
                .split_terminator('\0')
                .map(|path| format!("{prefix}/{path}"));
            let mut listed: Vec<String> = paths.filter(|path| tree.path(path).is_file()).collect();
            listed.sort_unstable();
            let mut found = seen(Scope::new(&tree.root, directory));
            found.retain(is_own);
            found.sort_unstable();
            assert_eq!(found, listed, "{round} {prefix}");
            // From above either the directory is ignored, or all of it is as it is from within.
            let mut from_above: Vec<String> =
                all.iter().filter(|path| is_own(path)).cloned().collect();
            from_above.sort_unstable();
            assert!(
                from_above.is_empty() || from_above == listed,
                "{round} {prefix}"
            );
        }
    }
}

#[test]
fn excludes_that_the_repository_names_take_the_place_of_those_of_the_user() {
    let tree = tree(&[
        ("excludes", "/top\n*.own\n"),
        ("included", "[core]\nexcludesFile = \"../excludes\"\n"),
        ("repository/a.own", ""),
        ("repository/top", ""),
        ("repository/inner/top", ""),
        ("repository/inner/b.txt", ""),
        ("a.own", ""),
    ]);
    let repository = tree.path("repository");
    if git(&repository, &["init", "-q"]).is_none() {
        return;
    }
    let excludes = tree.path("excludes");
    let set = ["config", "core.excludesFile", excludes.to_str().unwrap()];
    let include = ["config", "include.path", "../../included"];
    let unset = ["config", "--unset", "core.excludesFile"];
    for settings in [&[&set[..]][..], &[&unset[..], &include[..]][..]] {
        for arguments in settings {
            git(&repository, arguments).unwrap();
        }
        let expected = [
            "a.own",
            "excludes",
            "included",
            "repository/inner/b.txt",
            "repository/inner/top",
        ];
        assert_eq!(seen(tree.scope()), expected, "{settings:?}");
        let inner = Scope::new(&tree.root, tree.path("repository/inner"));
        assert_eq!(seen(inner), expected[3..], "{settings:?}");
    }
}

#[test]
fn excludes_that_are_named_under_a_condition_hide_what_git_hides() {
    let tree = tree(&[
        ("excludes", "/top\n*.own\n"),
        ("repository/a.own", ""),
        ("repository/top", ""),
        ("repository/inner/top", ""),
    ]);
    let repository = tree.path("repository");
    if git(&repository, &["init", "-q", "-b", "main"]).is_none() {
        return;
    }
    let excludes = tree.path("excludes");
    let included = format!("[core]\nexcludesFile = {}\n", excludes.display());
    std::fs::write(tree.path("included"), included).unwrap();
    let include = tree.path("included").display().to_string();
    let set = |name: &str, value: &str| git(&repository, &["config", name, value]).unwrap();
    let mut hidden = Vec::new();
    for condition in ["gitdir:repository/", "gitdir:other/", "onbranch:side*"] {
        set(&format!("includeIf.{condition}.path"), &include);
        for branch in ["refs/heads/main", "refs/heads/side"] {
            git(&repository, &["symbolic-ref", "HEAD", branch]).unwrap();
            let listed = git(&repository, &["ls-files", "-o", "--exclude-standard"]).unwrap();
            let listed: Vec<String> = listed
                .lines()
                .map(|name| format!("repository/{name}"))
                .collect();
            let found = seen(Scope::new(&tree.root, repository.clone()));
            assert_eq!(found, listed, "{condition} on {branch}");
            hidden.push(3 - found.len());
        }
        let section = format!("includeIf.{condition}");
        git(&repository, &["config", "--remove-section", &section]).unwrap();
    }
    assert_eq!(hidden, [2, 2, 0, 0, 0, 2]);
}

#[test]
fn hidden_files_are_seen_and_git_is_not_even_if_a_glob_names_it() {
    let tree = tree(&[(".env", "x\n"), (".git/config", "x\n"), ("a/.git", "x\n")]);
    let mut request = tree.request("x");
    assert_eq!(printed(&request), [".env:1:x"]);
    request.scope.globs = vec!["**".to_owned()];
    assert_eq!(printed(&request), [".env:1:x"]);
    request.scope.git_directory = true;
    assert_eq!(
        printed(&request),
        [".env:1:x", ".git/config:1:x", "a/.git:1:x"]
    );
}

#[test]
fn the_rest_can_be_opened_and_closed() {
    let tree = tree(&[(".gitignore", "b\n"), ("a", ""), ("b", ""), ("d/e", "")]);
    let with = |change: fn(&mut Scope)| {
        let mut scope = tree.scope();
        change(&mut scope);
        seen(scope)
    };
    assert_eq!(with(|_| {}), [".gitignore", "a", "d/e"]);
    assert_eq!(
        with(|scope| scope.ignore_files = false),
        [".gitignore", "a", "b", "d/e"]
    );
    assert_eq!(with(|scope| scope.hidden = false), ["a", "d/e"]);
    assert_eq!(with(|scope| scope.max_depth = Some(1)), [".gitignore", "a"]);
    assert_eq!(
        with(|scope| scope.ignore = vec!["d/".to_owned(), "/a".to_owned()]),
        [".gitignore"]
    );
    assert_eq!(
        with(|scope| scope.same_file_system = true),
        [".gitignore", "a", "d/e"]
    );
}

#[test]
fn what_ignore_files_hide_can_be_seen_alone() {
    let tree = tree(&[
        (".gitignore", "b\n/hidden/\n*.log\n!keep.log\n"),
        ("a", ""),
        ("b", ""),
        ("d/b", ""),
        ("d/e.log", ""),
        ("d/keep.log", ""),
        ("d/own/.ignore", "x\n"),
        ("d/own/x", ""),
        ("d/own/y", ""),
        ("hidden/.gitignore", "*\n"),
        ("hidden/deep/keep.log", ""),
        (".git/config", ""),
    ]);
    let mut scope = tree.scope();
    scope.only_ignored = true;
    let hidden = [
        "b",
        "d/b",
        "d/e.log",
        "d/own/x",
        "hidden/.gitignore",
        "hidden/deep/keep.log",
    ];
    assert_eq!(seen(scope.clone()), hidden);
    scope.globs = vec!["*.log".to_owned()];
    assert_eq!(
        seen(scope.clone()),
        ["hidden/deep/keep.log"],
        "a glob shows the others"
    );
    scope.globs = vec!["!deep".to_owned()];
    assert_eq!(seen(scope), hidden[..5]);
}

#[test]
fn globs_and_types_narrow_and_what_they_leave_out_is_counted() {
    let tree = tree(&[
        ("a.rs", "x\n"),
        ("b.py", "x\n"),
        ("sub/c.rs", "x\n"),
        ("sub/d.md", "x\n"),
    ]);
    let mut request = tree.request("x");
    request.scope.globs = vec!["sub/**".to_owned(), "!*.md".to_owned()];
    let output = run(&request);
    assert_eq!(crate::tree::print(&output), ["sub/c.rs:1:x"]);
    assert_eq!(output.facts.files_filtered, 3);
    let mut request = tree.request("x");
    request.scope.types = vec!["rust".to_owned()];
    assert_eq!(printed(&request), ["a.rs:1:x", "sub/c.rs:1:x"]);
    request.scope.types_not = vec!["rust".to_owned()];
    request.scope.types.clear();
    assert_eq!(printed(&request), ["b.py:1:x", "sub/d.md:1:x"]);
}

#[test]
fn globs_count_from_the_root_and_paths_from_the_base() {
    let tree = tree(&[("p/src/a.rs", "x\n"), ("p/q/src/b.rs", "x\n")]);
    let mut request = tree.request("x");
    request.scope = Scope {
        globs: vec!["/src/**".to_owned()],
        ..Scope::new(&tree.root, tree.path("p"))
    };
    assert_eq!(printed(&request), ["p/src/a.rs:1:x"]);
    request.scope.base = tree.path("elsewhere");
    let root = tree.root.display().to_string();
    let path = root.replace(std::path::MAIN_SEPARATOR, "/") + "/p/src/a.rs";
    assert_eq!(printed(&request), [format!("{path}:1:x")]);
}

#[test]
fn an_empty_answer_says_what_was_left_out() {
    let tree = tree(&[
        (".gitignore", "*.log\nout/\n"),
        ("a.log", "x\n"),
        ("out/a.txt", "x\n"),
        ("b.txt", "y\n"),
    ]);
    let output = run(&tree.request("x"));
    let facts = output.facts;
    assert_eq!(
        (
            output.totals.matches,
            output.totals.exact,
            facts.files_searched,
            facts.files_ignored,
            facts.directories_ignored,
            facts.directories,
        ),
        (0, true, 2, 1, 1, 1)
    );
    let find = found(&FindRequest::new(tree.scope(), "*.log"));
    assert_eq!((find.entries.len(), find.facts.files_ignored), (0, 1));
}

#[cfg(unix)]
#[test]
fn links_are_not_followed_and_fifos_are_not_opened() {
    use crate::tree::link;

    let outside = tree(&[("secret.txt", "x\n")]);
    let tree = tree(&[("a/b.txt", "x\n")]);
    link(&outside.root, tree.path("away"));
    link(outside.path("secret.txt"), tree.path("file"));
    link("..", tree.path("a/up"));
    let made = std::process::Command::new("mkfifo")
        .arg(tree.path("fifo"))
        .arg(tree.path(".gitignore"))
        .status()
        .unwrap();
    assert!(made.success());
    let output = run(&tree.request("x"));
    assert_eq!(crate::tree::print(&output), ["a/b.txt:1:x"]);
    assert_eq!((output.facts.links, output.facts.special), (3, 2));
}

#[cfg(target_os = "linux")]
#[test]
fn a_name_that_is_not_utf_8_is_searched_and_reported_by_its_bytes() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    let tree = tree(&[]);
    let name = tree.root.join(OsStr::from_bytes(b"a\xff.txt"));
    std::fs::write(name, "x\n").unwrap();
    assert_eq!(printed(&tree.request("x")), ["\"a\\377.txt\":1:x"]);
}

#[test]
fn a_chain_of_directories_longer_than_handles_may_be_kept_is_walked_to_its_end() {
    let tree = tree(&[]);
    let mut path = String::new();
    for depth in 0..300 {
        path.push_str("d/");
        tree.write(&format!("{path}z.txt"), format!("x{depth}\n").as_bytes());
        tree.write(&format!("{path}a.txt"), b"y\n");
    }
    let output = run(&tree.request("x"));
    assert_eq!((output.totals.files, output.facts.unreadable), (300, 0));
    assert_eq!(output.files[0].path, format!("{path}z.txt"));
}
