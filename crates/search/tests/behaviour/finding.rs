//! Search for names.

use std::fs::File;
use std::time::{Duration, SystemTime};

use tenon_search::{EntryKind, FindRequest, FindSort, Kinds, Scope};

use crate::tree::{Tree, found, paths, run, seen, tree};

fn some() -> Tree {
    tree(&[
        ("a.ts", ""),
        ("lib/b.ts", ""),
        ("lib/deep/c.TS", ""),
        ("lib/deep/d.tsx", ""),
        ("src/[id].ts", ""),
        ("src/x,y.ts", ""),
        ("test/a.ts", ""),
    ])
}

fn ask(tree: &Tree, pattern: &str) -> Vec<String> {
    paths(&FindRequest::new(tree.scope(), pattern))
}

#[test]
fn a_pattern_without_a_slash_matches_names_at_any_depth_or_only_at_the_root() {
    let tree = some();
    assert_eq!(
        ask(&tree, "*.ts"),
        ["a.ts", "lib/b.ts", "src/[id].ts", "src/x,y.ts", "test/a.ts"]
    );
    let mut request = FindRequest::new(tree.scope(), "*.ts");
    request.any_depth = false;
    assert_eq!(paths(&request), ["a.ts"]);
}

/// Models list globs so, and nothing was found.
#[test]
fn globs_behind_commas_are_several_and_names_with_commas_are_names() {
    let tree = some();
    for (glob, expected) in [
        ("*.tsx,*.TS", vec!["lib/deep/c.TS", "lib/deep/d.tsx"]),
        ("*.tsx, lib/*.ts", vec!["lib/b.ts", "lib/deep/d.tsx"]),
        (
            "lib/**/*.{tsx,js},test/*.ts",
            vec!["lib/deep/d.tsx", "test/a.ts"],
        ),
        ("*,*.ts", vec!["src/x,y.ts"]),
        ("x,y.ts", vec!["src/x,y.ts"]),
        ("x,*.ts", vec!["src/x,y.ts"]),
        ("lib/*.ts  test/*.ts", vec!["lib/b.ts", "test/a.ts"]),
        ("*,y.*", vec!["src/x,y.ts"]),
    ] {
        assert_eq!(ask(&tree, glob), expected, "{glob}");
        let mut scope = tree.scope();
        scope.globs = vec![glob.to_owned()];
        assert_eq!(seen(scope), expected, "{glob} as a filter");
    }
    let root = tree.scope().root.display().to_string();
    let absolute = format!("{root}/lib/*.ts,{root}/test/*.ts");
    assert_eq!(ask(&tree, &absolute), ["lib/b.ts", "test/a.ts"]);
}

/// As a filter of a search they left out what the empty one offers: `a.ts` here.
#[test]
fn braces_may_offer_nothing() {
    let tree = tree(&[
        ("a.test.ts", ""),
        ("a.ts", ""),
        ("lib/b/c.ts", ""),
        ("lib/c.ts", ""),
    ]);
    for (glob, expected) in [
        ("a{,.test}.ts", vec!["a.test.ts", "a.ts"]),
        ("a{.test,}.ts", vec!["a.test.ts", "a.ts"]),
        ("lib/{b/,}c.ts", vec!["lib/b/c.ts", "lib/c.ts"]),
        ("lib/{,,b/}*.ts", vec!["lib/b/c.ts", "lib/c.ts"]),
    ] {
        assert_eq!(ask(&tree, glob), expected, "{glob}");
        let mut scope = tree.scope();
        scope.globs = vec![glob.to_owned()];
        assert_eq!(seen(scope), expected, "{glob} as a filter");
    }
    let mut scope = tree.scope();
    scope.globs = vec!["!a{,.test}.ts".to_owned()];
    assert_eq!(seen(scope), ["lib/b/c.ts", "lib/c.ts"]);
}

/// They were compared by bytes, of which such a letter has several.
#[test]
fn a_letter_beyond_ascii_is_one_character_of_a_glob() {
    let tree = tree(&[("é", "x"), ("a", "x"), ("日本.md", "x")]);
    for (glob, expected) in [
        ("?", vec!["a", "é"]),
        ("[é]", vec!["é"]),
        ("?[é]", vec![]),
        ("[!a]", vec!["é"]),
        ("??.md", vec!["日本.md"]),
        ("日*", vec!["日本.md"]),
    ] {
        assert_eq!(ask(&tree, glob), expected, "{glob}");
        let mut request = tree.request("x");
        request.scope.globs = vec![glob.to_owned()];
        let found: Vec<String> = { run(&request).files.into_iter() }
            .map(|file| file.path)
            .collect();
        assert_eq!(found, expected, "{glob}");
    }
}

#[test]
fn a_glob_of_a_search_that_begins_with_a_dot_or_the_root_counts_from_the_root() {
    let tree = tree(&[("a.txt", "x"), ("d/a.txt", "x"), ("d/b.txt", "x")]);
    let absolute = format!("{}/d/*", tree.root.display());
    // Windows has another separator, beside this one.
    let slashes = absolute.replace(std::path::MAIN_SEPARATOR, "/");
    for (globs, expected) in [
        (vec!["./a.txt"], vec!["a.txt"]),
        (vec!["./d//a.txt"], vec!["d/a.txt"]),
        (vec!["!./a.txt"], vec!["d/a.txt", "d/b.txt"]),
        (vec![absolute.as_str()], vec!["d/a.txt", "d/b.txt"]),
        (vec![slashes.as_str()], vec!["d/a.txt", "d/b.txt"]),
    ] {
        let mut request = tree.request("x");
        request.scope.globs = globs.iter().map(|glob| (*glob).to_owned()).collect();
        let found: Vec<String> = { run(&request).files.into_iter() }
            .map(|file| file.path)
            .collect();
        assert_eq!(found, expected, "{globs:?}");
    }
}

#[test]
fn globs_know_stars_braces_classes_and_escapes() {
    let tree = some();
    let all = [
        ("**/a.ts", vec!["a.ts", "test/a.ts"]),
        ("*/a.ts", vec!["test/a.ts"]),
        // The slash says that it is the one in the searched directory.
        ("./a.ts", vec!["a.ts"]),
        ("./?.ts", vec!["a.ts"]),
        ("lib//b.ts", vec!["lib/b.ts"]),
        ("lib/./b.ts", vec!["lib/b.ts"]),
        ("src/../lib/b.ts", vec!["lib/b.ts"]),
        ("lib[!q]b.ts", vec![]),
        ("lib/[[:alpha:]].ts", vec!["lib/b.ts"]),
        (
            "lib/**",
            vec!["lib/b.ts", "lib/deep/c.TS", "lib/deep/d.tsx"],
        ),
        ("lib/**/*.tsx", vec!["lib/deep/d.tsx"]),
        ("{lib,test}/*.ts", vec!["lib/b.ts", "test/a.ts"]),
        (
            "{lib/deep,test}/*",
            vec!["lib/deep/c.TS", "lib/deep/d.tsx", "test/a.ts"],
        ),
        (
            "*.{ts,tsx}",
            vec![
                "a.ts",
                "lib/b.ts",
                "lib/deep/d.tsx",
                "src/[id].ts",
                "src/x,y.ts",
                "test/a.ts",
            ],
        ),
        (
            "*.ts{,x}",
            vec![
                "a.ts",
                "lib/b.ts",
                "lib/deep/d.tsx",
                "src/[id].ts",
                "src/x,y.ts",
                "test/a.ts",
            ],
        ),
        ("[ab].ts", vec!["a.ts", "lib/b.ts", "test/a.ts"]),
        ("?.ts", vec!["a.ts", "lib/b.ts", "test/a.ts"]),
        (r"\[id\].ts", vec!["src/[id].ts"]),
        ("src/[[]id].ts", vec!["src/[id].ts"]),
        ("src/x,y.ts", vec!["src/x,y.ts"]),
        ("./lib/b.ts", vec!["lib/b.ts"]),
        ("lib/deep", vec![]),
        ("lib/nothing/**", vec![]),
    ];
    for (pattern, expected) in all {
        assert_eq!(ask(&tree, pattern), expected, "{pattern}");
    }
}

#[test]
fn an_absolute_pattern_in_the_root_counts_from_the_root() {
    let tree = some();
    let pattern = format!("{}/lib/*.ts", tree.root.display());
    assert_eq!(ask(&tree, &pattern), ["lib/b.ts"]);
    // Windows has another separator, beside this one.
    let slashes = pattern.replace(std::path::MAIN_SEPARATOR, "/");
    assert_eq!(ask(&tree, &slashes), ["lib/b.ts"]);
}

#[test]
fn case_can_be_disregarded() {
    let tree = some();
    let mut request = FindRequest::new(tree.scope(), "LIB/**/*.ts");
    assert_eq!(paths(&request), [""; 0]);
    request.case_insensitive = true;
    assert_eq!(paths(&request), ["lib/b.ts", "lib/deep/c.TS"]);
}

#[test]
fn directories_and_links_are_found_if_asked_for() {
    let tree = some();
    #[cfg(unix)]
    crate::tree::link("a.ts", tree.path("lib/link"));
    let ask = |pattern: &str, kinds: Kinds| {
        let mut request = FindRequest::new(tree.scope(), pattern);
        request.kinds = kinds;
        found(&request)
            .entries
            .into_iter()
            .map(|entry| (entry.path, entry.kind))
            .collect::<Vec<_>>()
    };
    let entry = |path: &str, kind: EntryKind| (path.to_owned(), kind);
    let directories = Kinds {
        files: false,
        directories: true,
        links: false,
    };
    assert_eq!(
        ask("**", directories),
        [
            entry("lib", EntryKind::Directory),
            entry("lib/deep", EntryKind::Directory),
            entry("src", EntryKind::Directory),
            entry("test", EntryKind::Directory),
        ]
    );
    assert_eq!(
        ask("deep/", Kinds::ALL),
        [entry("lib/deep", EntryKind::Directory)]
    );
    #[cfg(unix)]
    assert_eq!(
        ask("lib/*", Kinds::ALL),
        [
            entry("lib/b.ts", EntryKind::File),
            entry("lib/deep", EntryKind::Directory),
            entry("lib/link", EntryKind::Link),
        ]
    );
}

#[test]
fn only_what_the_pattern_can_lead_to_is_listed() {
    let tree = some();
    let listed = |pattern: &str| {
        found(&FindRequest::new(tree.scope(), pattern))
            .facts
            .directories
    };
    assert_eq!(listed("**"), 5);
    assert_eq!(listed("lib/deep/**"), 3);
    assert_eq!(listed("lib/*.ts"), 2);
    assert_eq!(listed("*/a.ts"), 4);
}

#[test]
fn the_newest_come_first_and_equal_times_come_by_path() {
    let tree = tree(&[("a", ""), ("b", ""), ("c/d", ""), ("e", "")]);
    let start = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000);
    for (path, seconds) in [("a", 5), ("b", 9), ("c/d", 9), ("e", 1)] {
        let file = File::options().append(true).open(tree.path(path)).unwrap();
        file.set_modified(start + Duration::from_secs(seconds))
            .unwrap();
    }
    let mut request = FindRequest::new(tree.scope(), "**");
    request.sort = FindSort::Modified;
    assert_eq!(paths(&request), ["b", "c/d", "a", "e"]);
    request.limit = Some(2);
    let output = found(&request);
    let newest: Vec<_> = output
        .entries
        .iter()
        .map(|entry| (entry.path.as_str(), entry.modified.unwrap()))
        .collect();
    let time = start + Duration::from_secs(9);
    assert_eq!(newest, [("b", time), ("c/d", time)]);
    assert_eq!((output.totals.matches, output.totals.exact), (4, true));
}

#[test]
fn a_search_below_the_base_answers_from_the_base() {
    let tree = some();
    let scope = Scope::new(&tree.root, tree.path("lib"));
    assert_eq!(
        paths(&FindRequest::new(scope, "deep/*")),
        ["lib/deep/c.TS", "lib/deep/d.tsx"]
    );
}

#[test]
fn extended_patterns_mean_what_they_mean_in_bash_in_names_and_in_paths() {
    let tree = some();
    assert_eq!(ask(&tree, "!(a|b).ts"), ["src/[id].ts", "src/x,y.ts"]);
    assert_eq!(ask(&tree, "lib/**/*.@(tsx|js)"), ["lib/deep/d.tsx"]);
    assert_eq!(ask(&tree, "?(src|test)/a.ts"), ["test/a.ts"]);
    assert_eq!(ask(&tree, "+(l|i|b)/*.ts"), ["lib/b.ts"]);
    let mut request = FindRequest::new(tree.scope(), "*.!(ts)");
    request.case_insensitive = true;
    assert_eq!(paths(&request), ["lib/deep/d.tsx"]);
}

#[test]
fn what_is_remembered_of_a_path_finds_it_the_best_first_and_always_in_the_same_order() {
    let tree = tree(&[
        ("src/user/controller.ts", ""),
        ("src/user/model.ts", ""),
        ("src/cursor.ts", ""),
        ("docs/user-controller.md", ""),
        ("node_modules/user/controller.ts", ""),
        (".gitignore", "node_modules\n"),
    ]);
    let fuzzy = |pattern: &str| FindRequest {
        fuzzy: true,
        ..FindRequest::new(tree.scope(), pattern)
    };
    assert_eq!(
        paths(&fuzzy("usercontroller")),
        ["docs/user-controller.md", "src/user/controller.ts"]
    );
    assert_eq!(
        paths(&fuzzy("user controller ts")),
        ["src/user/controller.ts"]
    );
    assert_eq!(
        paths(&fuzzy("cur")).first().map(String::as_str),
        Some("src/cursor.ts")
    );
    let all = paths(&fuzzy("s"));
    for threads in [1, 2, 5] {
        let mut request = fuzzy("s");
        request.scope.threads = threads;
        request.limit = Some(2);
        let output = found(&request);
        let first: Vec<String> = output.entries.into_iter().map(|found| found.path).collect();
        assert_eq!(first, all[..2]);
        assert_eq!((output.totals.matches, output.totals.exact), (4, true));
    }
}
