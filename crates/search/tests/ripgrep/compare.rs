//! Asking both sides and comparing.

use std::path::Path;
use std::time::Duration;

use tenon_search::{
    Control, FindRequest, GrepMode, GrepRequest, Index, IndexOptions, LineKind, Scope, find, grep,
};

use crate::queries::{Query, made_up};
use crate::rg::{FoundLine, Rg, name};

fn arguments(of: &[&str]) -> Vec<String> {
    of.iter().map(|argument| (*argument).to_owned()).collect()
}

/// The files seen, with the scope's options and without.
pub(crate) fn compare_seen(rg: &Rg, root: &Path) {
    let scope = Scope::new(root, root);
    let variants: Vec<(&[&str], Scope)> = vec![
        (&["--glob", "!.git"], scope.clone()),
        (
            &["--glob", "!.git", "--no-hidden"],
            Scope {
                hidden: false,
                ..scope.clone()
            },
        ),
        (
            &["--glob", "!.git", "--no-ignore"],
            Scope {
                ignore_files: false,
                ..scope.clone()
            },
        ),
        (
            &["--max-depth", "2", "--glob", "!.git"],
            Scope {
                max_depth: Some(2),
                ..scope.clone()
            },
        ),
        (
            &[],
            Scope {
                git_directory: true,
                ..scope.clone()
            },
        ),
    ];
    for (options, scope) in variants {
        for threads in [1, 3] {
            let scope = Scope {
                threads,
                ..scope.clone()
            };
            let request = FindRequest::new(scope, "**");
            let ours: Vec<String> = find(&request, &Control::default())
                .unwrap()
                .entries
                .into_iter()
                .map(|entry| entry.path)
                .collect();
            let theirs = rg.files(root, &arguments(options));
            assert_same(&ours, &theirs, &format!("{} {options:?}", root.display()));
        }
    }
}

/// Made-up queries, answered plainly and from a warm index where there can be one.
pub(crate) fn compare_queries(rg: &Rg, root: &Path, count: usize, seed: u64) {
    let index = Index::new(IndexOptions {
        least_files: 0,
        ..IndexOptions::default()
    });
    let all = FindRequest::new(Scope::new(root, root), "**");
    index.find(&all, &Control::default()).unwrap();
    let is_kept = index.settle(root, Duration::from_secs(120)).is_some();
    for query in made_up(root, count, seed) {
        compare(rg, root, &query);
        let request = query.request(root);
        let mut kept = index.grep(&request, &Control::default()).unwrap();
        let plain = grep(&request, &Control::default()).unwrap();
        // Of files that an index does not choose it does not know whether they have the expression as a plain text.
        assert!(plain.ruled_out.plain_text || !kept.ruled_out.plain_text);
        kept.ruled_out.plain_text = plain.ruled_out.plain_text;
        assert_eq!(kept, plain, "{} {query:?}", root.display());
    }
    compare_globs(rg, root, &index);
    println!(
        "{}: {count} queries, kept: {is_kept}, {} answers from the index",
        root.display(),
        index.served()
    );
}

/// Files by globs, as `rg --files --glob` has them where no ignore file has a say.
fn compare_globs(rg: &Rg, root: &Path, index: &Index) {
    for glob in [
        "*.rs",
        "*.{md,txt}",
        "src/**",
        "**/a*",
        "[ab]*",
        "**/src/*.c",
        "Makefile",
    ] {
        let scope = Scope {
            ignore_files: false,
            ..Scope::new(root, root)
        };
        let hidden = FindRequest::new(scope, glob);
        let paths = |request: &FindRequest| -> Vec<String> {
            let found = index.find(request, &Control::default()).unwrap();
            let plain = find(request, &Control::default()).unwrap();
            assert_eq!(found, plain, "{} {glob}", root.display());
            found.entries.into_iter().map(|entry| entry.path).collect()
        };
        // In `rg` a glob with a slash counts from the root too when it begins with one.
        let theirs = if glob.contains('/') {
            format!("/{glob}")
        } else {
            glob.to_owned()
        };
        let options = arguments(&["--no-ignore", "--glob", &theirs, "--glob", "!.git"]);
        let reported = format!("{} --glob {glob}", root.display());
        assert_same(&paths(&hidden), &rg.files(root, &options), &reported);
        paths(&FindRequest::new(Scope::new(root, root), glob));
    }
}

fn compare(rg: &Rg, root: &Path, query: &Query) {
    let request = query.request(root);
    let mut options = query.arguments();
    // The globs come first, so that the last one, which wins, is ours.
    options.extend(arguments(&["--glob", "!.git"]));
    options.extend(arguments(&["-e", &query.pattern.text, "."]));
    let reported = format!("{} rg {}", root.display(), options.join(" "));
    let output = grep(&request, &Control::default()).unwrap();
    match request.mode {
        GrepMode::Lines => {
            let ours = lines(&request, &output.files);
            let theirs = rg.lines(root, &options);
            let theirs = if request.only_matching {
                None
            } else {
                Some(theirs)
            };
            match theirs {
                Some(theirs) => assert_same(&ours, &theirs, &reported),
                None => compare_matches(rg, root, &options, &ours, &reported),
            }
        }
        GrepMode::Files | GrepMode::FilesWithout => {
            let ours: Vec<String> = output.files.into_iter().map(|file| file.path).collect();
            let theirs: Vec<String> = rg.paths(root, &options).into_iter().map(plain).collect();
            assert_same(&ours, &theirs, &reported);
        }
        GrepMode::Counts => {
            let ours: Vec<(String, u64)> = output
                .files
                .into_iter()
                .map(|file| (file.path, file.matches))
                .collect();
            let mut theirs: Vec<(String, u64)> = rg
                .counts(root, &options)
                .into_iter()
                .map(|(path, count)| (plain(path), count))
                .collect();
            let mut sorted = ours;
            sorted.sort();
            theirs.sort();
            assert_same(&sorted, &theirs, &reported);
        }
    }
}

/// `--only-matching` as `rg` prints it: `path NUL line : column : match`.
fn compare_matches(rg: &Rg, root: &Path, options: &[String], ours: &[FoundLine], reported: &str) {
    let mut all = options.to_vec();
    all.extend(arguments(&[
        "-0",
        "--with-filename",
        "--line-number",
        "--no-heading",
    ]));
    let printed = rg.run(root, &all);
    let shown = |line: &[u8]| {
        let end = line.iter().position(|byte| *byte == 0).unwrap_or(0);
        let (path, rest) = line.split_at(end);
        let rest = String::from_utf8_lossy(rest);
        format!("{}{}", plain(name(path)), rest.trim_end_matches('\r'))
    };
    let theirs: Vec<String> = printed
        .split_inclusive(|byte| *byte == b'\n')
        .map(|line| shown(line.strip_suffix(b"\n").unwrap_or(line)))
        .filter(|line| !line.contains(": WARNING: stopped searching binary file"))
        .collect();
    let ours: Vec<String> = ours
        .iter()
        .map(|line| format!("{}\0{}:{}", line.path, line.number, line.text))
        .collect();
    assert_same(&ours, &theirs, reported);
}

fn plain(path: String) -> String {
    path.strip_prefix("./").map(str::to_owned).unwrap_or(path)
}

fn lines(request: &GrepRequest, files: &[tenon_search::FileMatches]) -> Vec<FoundLine> {
    let mut lines = Vec::new();
    for file in files {
        for line in file.lines() {
            if let Some(text) = line.matched_text() {
                assert!(line.text.contains(text), "{request:?}");
            }
            lines.push(FoundLine {
                path: file.path.clone(),
                number: line.number,
                is_match: line.kind == LineKind::Match,
                column: line.column.map(u64::from),
                text: line.text.to_owned(),
            });
        }
    }
    lines
}

/// Equality that shows the first difference instead of two long lists.
fn assert_same<T: PartialEq + std::fmt::Debug>(ours: &[T], theirs: &[T], reported: &str) {
    let difference = ours
        .iter()
        .zip(theirs)
        .position(|(one, other)| one != other);
    let at = difference.unwrap_or(ours.len().min(theirs.len()));
    if ours != theirs
        && let Some(keep) = std::env::var_os("TENON_TEST_KEEP")
    {
        let tree = reported.split(' ').next().unwrap_or_default();
        let _ = std::process::Command::new("cp")
            .arg("-a")
            .arg(tree)
            .arg(keep)
            .status();
    }
    assert!(
        ours == theirs,
        "{reported}\n{} of ours, {} of rg's; first difference at {at}:\n ours {:?}\n rg's {:?}",
        ours.len(),
        theirs.len(),
        ours.get(at),
        theirs.get(at)
    );
}
