//! Asking the index and the plain search the same.

use std::any::Any;
use std::path::Path;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use tenon_contract::RulesIdentity;
use tenon_search::{
    Case, Control, FindRequest, FindSort, GrepMode, GrepRequest, Index, IndexOptions, PathFilter,
    Pattern, Scope, find, grep,
};

use crate::numbers::Numbers;

pub(crate) const WORDS: &[&str] = &[
    "alpha",
    "Beta",
    "gamma_delta",
    "kelvin",
    "mask",
    "\u{212a}elvin",
    "ma\u{17f}k",
    "needle",
    "naïve",
    "foo(bar)",
    "1234567",
    "TODO",
    "x",
    "日本語",
];

/// An index of every tree, however small.
pub(crate) fn index() -> Index {
    Index::new(IndexOptions {
        least_files: 0,
        ..IndexOptions::default()
    })
}

/// Searches once, so that the index begins, and waits until it is complete.
pub(crate) fn warm(index: &Index, root: &Path) -> tenon_search::IndexStatus {
    let request = FindRequest::new(Scope::new(root, root), "**");
    index.find(&request, &Control::default()).unwrap();
    index
        .settle(root, Duration::from_secs(60))
        .expect("the file system of the temporary directory reports its changes")
}

/// A made-up search in contents.
pub(crate) fn made_up(root: &Path, numbers: &mut Numbers) -> GrepRequest {
    let word = regex_escaped(numbers.pick::<&str>(WORDS));
    let other = regex_escaped(numbers.pick::<&str>(WORDS));
    let text = match numbers.below(9) {
        0 => format!("{word}|{other}"),
        1 => format!("{word}.*{other}"),
        2 => format!("^{word}"),
        3 => format!(r"\w+{word}"),
        4 => format!("({word})?{other}"),
        5 => format!("[{}]{}", &other.chars().next().unwrap(), &word),
        _ => word,
    };
    let mut request = GrepRequest::new(Scope::new(root, root), Pattern::new(text));
    request.pattern.case = *numbers.pick(&[
        Case::Sensitive,
        Case::Sensitive,
        Case::Insensitive,
        Case::Smart,
    ]);
    request.pattern.multiline = numbers.one_in(8);
    request.mode = *numbers.pick(&[
        GrepMode::Lines,
        GrepMode::Lines,
        GrepMode::Files,
        GrepMode::FilesWithout,
        GrepMode::Counts,
    ]);
    request.invert = !request.pattern.multiline && numbers.one_in(10);
    request.before = numbers.below(4) / 3;
    if numbers.one_in(4) {
        let globs = [
            "*.txt", "!*.md", "src/**", "**/a*", "*.!(rs)", "build", "*.log",
        ];
        request.scope.globs = vec![(*numbers.pick(&globs)).to_owned()];
    }
    if numbers.one_in(8) {
        request.scope.types = vec!["rust".to_owned()];
    }
    if numbers.one_in(8) {
        request.scope.ignore = vec!["/src/".to_owned(), "b*".to_owned()];
    }
    request.scope.hidden = !numbers.one_in(8);
    request.text = numbers.one_in(10);
    request.notes_case = numbers.one_in(2);
    request.scope.only_ignored = numbers.one_in(8);
    if numbers.one_in(10) {
        request.scope.max_file_bytes = Some(numbers.below(300) as u64);
    }
    if numbers.one_in(8) {
        request.scope.max_depth = Some(1 + numbers.below(3));
    }
    if numbers.one_in(3) {
        request.limit = Some(*numbers.pick(&[0, 1, 2, 5, 20, 100]));
        request.offset = numbers.below(3);
    }
    if numbers.one_in(4) {
        let covered = *numbers.pick(&["src", ".txt", "a", "b/"]);
        request.scope.path_filter =
            Some(path_filter(covered).of_rules(RulesIdentity::new(&RULES, covered)));
    } else if numbers.one_in(8) {
        request.scope.path_filter = Some(path_filter("a"));
    }
    request
}

/// What an index may remember of [`path_filter`].
static RULES: LazyLock<Arc<dyn Any + Send + Sync>> = LazyLock::new(|| Arc::new("rules"));

fn path_filter(covered: &'static str) -> PathFilter {
    PathFilter::new(move |path| path.contains(covered))
}

fn regex_escaped(word: &str) -> String {
    word.replace('(', r"\(").replace(')', r"\)")
}

fn made_up_names(root: &Path, numbers: &mut Numbers) -> FindRequest {
    let patterns = [
        "**",
        "*.txt",
        "src/**/*.rs",
        "a*",
        "*/b/*",
        "!(*.txt)",
        "b",
        "**/src/*",
    ];
    let mut request = FindRequest::new(Scope::new(root, root), *numbers.pick(&patterns));
    request.case_insensitive = numbers.one_in(4);
    if numbers.one_in(5) {
        request.fuzzy = true;
        request.pattern = (*numbers.pick(&["at", "src b", "bx.rs", "zzz"])).to_owned();
    }
    if numbers.one_in(5) {
        request.sort = FindSort::Modified;
    }
    if numbers.one_in(4) {
        request.limit = Some(numbers.below(9));
    }
    request.kinds.links = numbers.one_in(4);
    request.scope.only_ignored = numbers.one_in(6);
    request
}

/// Compares `count` answers of each kind.
pub(crate) fn compare(
    index: &Index,
    root: &Path,
    count: usize,
    numbers: &mut Numbers,
    reported: &str,
) {
    let control = Control::default();
    for _ in 0..count {
        let request = made_up(root, numbers);
        let (warm, cold) = (
            index.grep(&request, &control).unwrap(),
            grep(&request, &control).unwrap(),
        );
        assert_eq!(warm.files, cold.files, "{reported}\n{request:?}");
        assert_eq!((warm.totals, warm.stopped), (cold.totals, cold.stopped));
        if cold.stopped.is_none() {
            assert_eq!(warm.facts, cold.facts, "{reported}\n{request:?}");
        }
    }
    for _ in 0..count.div_ceil(3) {
        let request = made_up_names(root, numbers);
        let (warm, cold) = (
            index.find(&request, &control).unwrap(),
            find(&request, &control).unwrap(),
        );
        assert_eq!(warm.entries, cold.entries, "{reported}\n{request:?}");
        assert_eq!((warm.totals, warm.stopped), (cold.totals, cold.stopped));
        if cold.stopped.is_none() {
            assert_eq!(warm.facts, cold.facts, "{reported}\n{request:?}");
        }
    }
}
