//! When the index answers, when it leaves a search to the plain one, and what it costs.

use std::any::Any;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use tempfile::TempDir;
use tenon_contract::RulesIdentity;
use tenon_search::{
    Control, FindRequest, GrepMode, GrepRequest, Index, IndexOptions, PathFilter, Pattern, Scope,
};

use crate::compare::{compare, index, warm};
use crate::numbers::Numbers;

/// Ten thousand words in directories, `files` files.
fn tree(files: usize) -> (TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().canonicalize().unwrap();
    let mut numbers = Numbers::new(5);
    for file in 0..files {
        let path = root.join(format!("d{}/e{}/f{file}.txt", file % 7, file % 31));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let words: Vec<String> = (0..300)
            .map(|_| format!("word{:04}", numbers.below(10_000)))
            .collect();
        fs::write(path, words.join(" ")).unwrap();
    }
    (directory, root)
}

fn grep(index: &Index, base: &Path, root: &Path, pattern: &str) -> tenon_search::GrepOutput {
    let request = GrepRequest::new(Scope::new(base, root), Pattern::new(pattern));
    index.grep(&request, &Control::default()).unwrap()
}

#[test]
fn a_small_tree_is_not_kept_and_a_large_one_is_after_its_first_search() {
    let (_directory, root) = tree(40);
    let index = Index::new(IndexOptions::default());
    grep(&index, &root, &root, "word");
    assert_eq!(index.settle(&root, Duration::ZERO), None);
    let index = Index::new(IndexOptions {
        least_files: 40,
        ..IndexOptions::default()
    });
    grep(&index, &root, &root, "word0001");
    let status = index.settle(&root, Duration::from_secs(60)).unwrap();
    assert_eq!((status.files, status.signed, index.served()), (40, 40, 0));
    grep(&index, &root, &root, "word0001");
    assert_eq!(index.served(), 1);
}

#[test]
fn directories_in_which_nothing_may_match_are_counted_as_they_are_after_every_change() {
    let (_directory, root) = tree(60);
    let index = index();
    warm(&index, &root);
    let changes: [(&str, &dyn Fn()); 7] = [
        ("nothing", &|| {}),
        ("a file is longer", &|| {
            fs::write(root.join("d3/e3/f3.txt"), "x".repeat(9_000)).unwrap();
        }),
        ("a file is binary", &|| {
            fs::write(root.join("d3/e3/f3.txt"), "a\0b").unwrap();
        }),
        ("there is a directory of links", &|| {
            fs::create_dir_all(root.join("d3/new/er")).unwrap();
            std::os::unix::fs::symlink("f", root.join("d3/new/er/link")).unwrap();
        }),
        ("a file is hidden", &|| {
            fs::write(root.join("d4/.gitignore"), "f4.txt\n").unwrap();
        }),
        ("a directory is hidden", &|| {
            fs::write(root.join(".ignore"), "/d5/e5/\n").unwrap();
        }),
        ("a directory is gone", &|| {
            fs::remove_dir_all(root.join("d3")).unwrap();
        }),
    ];
    let rules: Arc<dyn Any + Send + Sync> = Arc::new("two rules");
    let behind = |covered: &'static str, below: &str| {
        let mut scope = Scope::new(&root, root.join(below));
        let path_filter = PathFilter::new(move |path| path.starts_with(covered));
        scope.path_filter = Some(path_filter.of_rules(RulesIdentity::new(&rules, covered)));
        scope
    };
    for (title, change) in changes {
        change();
        let scopes = [
            Scope::new(&root, &root),
            Scope::new(&root, root.join("d4")),
            behind("d3/e3", ""),
            behind("d4/e11", "d4"),
            behind("d2", ""),
            behind("d4/e4/f4.txt", "d4"),
        ];
        for scope in scopes {
            let request = GrepRequest::new(scope, Pattern::new("zxqvjkzz"));
            let plain = tenon_search::grep(&request, &Control::default()).unwrap();
            for time in ["first", "again"] {
                let answer = index.grep(&request, &Control::default()).unwrap();
                assert_eq!(answer, plain, "{title}, {time}");
            }
        }
    }
    assert_eq!(index.served(), 84);
}

#[test]
fn the_first_matches_are_those_of_a_plain_search_wherever_they_lie() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().canonicalize().unwrap();
    for number in 0..3_000 {
        let path = root.join(format!("d{}/f{number:04}.txt", number / 100));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        // Grams of `late` and `even` without the words: candidates that do not match.
        let mut text = format!("early latter seven evening file{number}\n");
        text.push_str(if number >= 2_900 { "very late\n" } else { "" });
        text.push_str(if number % 2 == 0 { "even\neven\n" } else { "" });
        fs::write(path, text).unwrap();
    }
    let index = index();
    warm(&index, &root);
    let mut asked = 0;
    for pattern in [
        "early",
        "\\bevent?\\b",
        "very late",
        "file29\\d\\d",
        "\\blatte\\b",
        ".",
    ] {
        for (offset, limit) in [(0, 0), (0, 1), (0, 100), (70, 30), (0, 2_500), (2_950, 40)] {
            for mode in [GrepMode::Lines, GrepMode::Files, GrepMode::FilesWithout] {
                let request = GrepRequest {
                    offset,
                    limit: Some(limit),
                    mode,
                    ..GrepRequest::new(Scope::new(&root, &root), Pattern::new(pattern))
                };
                let [kept, plain] = [
                    index.grep(&request, &Control::default()).unwrap(),
                    tenon_search::grep(&request, &Control::default()).unwrap(),
                ]
                .map(|output| (output.files, output.totals, output.stopped));
                assert_eq!(kept, plain, "{pattern}, {mode:?}, {limit} from {offset}");
                asked += 1;
            }
        }
    }
    assert_eq!(index.served(), asked);
}

#[test]
fn an_inner_directory_is_answered_from_the_tree_around_it() {
    let (_directory, root) = tree(60);
    let index = index();
    warm(&index, &root);
    let inner = root.join("d3");
    let output = grep(&index, &root, &inner, "word\\d+");
    assert_eq!(index.served(), 1);
    let plain = tenon_search::grep(
        &GrepRequest::new(Scope::new(&root, &inner), Pattern::new("word\\d+")),
        &Control::default(),
    )
    .unwrap();
    assert_eq!(output, plain);
    assert!(output.files[0].path.starts_with("d3/"));
}

#[test]
fn what_a_path_filter_excludes_leaves_no_trace() {
    let (_directory, root) = tree(60);
    let index = index();
    warm(&index, &root);
    let filtered = || {
        let mut scope = Scope::new(&root, &root);
        scope.path_filter = Some(PathFilter::new(|path| path.starts_with("d1")));
        scope
    };
    let request = GrepRequest::new(filtered(), Pattern::new("word12"));
    let output = index.grep(&request, &Control::default()).unwrap();
    assert_eq!(
        output,
        tenon_search::grep(&request, &Control::default()).unwrap()
    );
    let request = FindRequest {
        fuzzy: true,
        ..FindRequest::new(filtered(), "d1f")
    };
    let output = index.find(&request, &Control::default()).unwrap();
    assert!(
        output
            .entries
            .iter()
            .all(|found| !found.path.starts_with("d1"))
    );
    assert_eq!(index.served(), 2);
}

#[test]
fn what_ignore_files_do_not_decide_is_left_to_the_plain_search() {
    let (_directory, root) = tree(60);
    fs::write(root.join(".gitignore"), "d2\n").unwrap();
    let index = index();
    warm(&index, &root);
    let mut scope = Scope::new(&root, &root);
    scope.globs = vec!["d2/**".into(), "d2".into()];
    let request = GrepRequest::new(scope, Pattern::new("word"));
    let output = index.grep(&request, &Control::default()).unwrap();
    assert!(!output.files.is_empty());
    let mut scope = Scope::new(&root, &root);
    scope.ignore_files = false;
    let request = FindRequest::new(scope, "*.txt");
    assert_eq!(
        index
            .find(&request, &Control::default())
            .unwrap()
            .entries
            .len(),
        60
    );
    assert_eq!(index.served(), 0);
}

#[test]
fn memory_is_held_to_the_budget_and_files_beyond_it_are_searched_every_time() {
    let (_directory, root) = tree(60);
    let index = Index::new(IndexOptions {
        least_files: 0,
        max_bytes: 20 * 1024,
        ..IndexOptions::default()
    });
    let status = warm(&index, &root);
    assert!(status.signed < status.files, "{status:?}");
    assert!(status.bytes <= 20 * 1024 + 8 * 1024, "{status:?}");
    compare(&index, &root, 20, &mut Numbers::new(3), "small budget");
}

/// The list of so many files takes more than the least that any tree may have, and the first files
/// that are signed cover little.
#[test]
fn a_tree_of_very_many_small_files_has_room_for_signatures() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().canonicalize().unwrap();
    for file in 0..20_000 {
        let inner = root.join(format!("a_directory_{}", file % 100));
        if file < 100 {
            fs::create_dir(&inner).unwrap();
        }
        let name = format!("a_file_with_quite_a_long_name_{file}.txt");
        fs::write(inner.join(name), format!("some text of file {file}\n")).unwrap();
    }
    let index = index();
    let status = warm(&index, &root);
    assert!(status.bytes > 2 * 1024 * 1024, "{status:?}");
    assert_eq!(
        (status.files, status.signed),
        (20_000, 20_000),
        "{status:?}"
    );
    compare(&index, &root, 6, &mut Numbers::new(1), "many small files");
}

#[test]
fn an_answer_cut_off_by_time_can_be_taken_up_from_the_index_too() {
    let (_directory, root) = tree(200);
    let index = index();
    warm(&index, &root);
    let mut request = GrepRequest::new(Scope::new(&root, &root), Pattern::new("word0"));
    let whole = tenon_search::grep(&request, &Control::default())
        .unwrap()
        .files;
    let mut answered = Vec::new();
    let mut time = Duration::from_micros(50);
    loop {
        let control = Control {
            deadline: Some(Instant::now() + time),
            ..Control::default()
        };
        let output = index.grep(&request, &control).unwrap();
        answered.extend(output.files);
        if output.stopped.is_none() {
            break;
        }
        if output.resume.is_some() {
            request.scope.from = output.resume;
        }
        time *= 2;
    }
    assert_eq!(answered, whole);
}

#[test]
fn a_closed_index_lets_go_and_answers_plainly() {
    let (_directory, root) = tree(60);
    let index = index();
    warm(&index, &root);
    index.close();
    assert_eq!(index.settle(&root, Duration::ZERO), None);
    assert!(!grep(&index, &root, &root, "word0").files.is_empty());
    assert_eq!(index.served(), 0);
}

/// The answers of the trees that the environment names, as `tests/ripgrep` does with `rg`.
#[test]
fn everything_is_as_in_a_plain_search_in_the_real_trees_that_the_environment_names() {
    let trees = std::env::var_os("TENON_TEST_TREES").unwrap_or_default();
    for root in std::env::split_paths(&trees).filter(|tree| tree.is_dir()) {
        let root = root.canonicalize().unwrap();
        let index = index();
        println!("{} {:?}", root.display(), warm(&index, &root));
        compare(&index, &root, 40, &mut Numbers::new(9), "real");
    }
}
