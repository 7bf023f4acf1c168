//! What a run of tests came to, no matter who ran them.

use std::borrow::Cow;

use tenon_contract::limits;
use tenon_process::strip_escapes;

/// What a runner reported.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Report {
    /// Tests that passed.
    pub(super) passed: u64,
    /// Tests that were not run, or whose failing was expected.
    pub(super) skipped: u64,
    /// Tests that failed, and files or packages that could not be tested. How many there are counts as failed.
    pub(super) failures: Vec<Failure>,
    /// How much of the code was run.
    pub(super) coverage: Option<Coverage>,
}

/// One test that failed, as its runner reports it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Failure {
    /// Its name, as the runner takes it.
    pub(super) name: String,
    /// What went wrong.
    pub(super) error: String,
    /// Where it is, as the runner writes it: absolute, or seen from the project or a directory above it.
    pub(super) file: Option<String>,
    /// The line that failed, else that of the test.
    pub(super) line: Option<u64>,
}

/// How much of the code the tests ran, in percent.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Coverage {
    /// Of the lines.
    pub lines: Option<f64>,
    /// Of the statements.
    pub statements: Option<f64>,
    /// Of the branches.
    pub branches: Option<f64>,
    /// Of the functions.
    pub functions: Option<f64>,
}

impl Failure {
    /// The failure with its words made fit for answers, and the line of its file that the first frame names.
    pub(super) fn new(name: String, error: &str, file: Option<String>) -> Self {
        let line = file.as_deref().and_then(|file| line_in(error, file));
        Self {
            name,
            error: reported(error),
            file,
            line,
        }
    }
}

/// The words of a failure: without colours, without frames of libraries, cut to what an answer holds.
pub(super) fn reported(error: &str) -> String {
    let plain = strip_escapes(error);
    let is_kept = |line: &&str| {
        let line = line.trim_start();
        !line.starts_with("at ") || !(line.contains("node_modules") || line.contains("node:"))
    };
    let kept: Vec<&str> = plain.trim().lines().filter(is_kept).collect();
    shortened(&kept.join("\n")).into_owned()
}

/// At most [`limits::TESTS_ERROR_MAX_BYTES`] of a text, from its beginning.
fn shortened(text: &str) -> Cow<'_, str> {
    if text.len() <= limits::TESTS_ERROR_MAX_BYTES {
        return Cow::Borrowed(text);
    }
    let end = text.floor_char_boundary(limits::TESTS_ERROR_MAX_BYTES);
    let (kept, left) = text.split_at(end);
    Cow::Owned(format!("{kept}\n[{} more bytes]", left.len()))
}

/// The end of a text, whole lines of it where it has some.
pub(super) fn tail(text: &str, most: usize) -> &str {
    let text = text.trim_end();
    if text.len() <= most {
        return text;
    }
    let (_, end) = text.split_at(text.ceil_char_boundary(text.len() - most));
    end.split_once('\n').map_or(end, |(_, whole)| whole)
}

/// The line that the first mention `FILE:LINE` of this file names; some runners shorten the path of the file.
fn line_in(text: &str, file: &str) -> Option<u64> {
    let name = file.rsplit(['/', '\\']).next()?;
    if name.is_empty() {
        return None;
    }
    let line_after = |(at, mention): (usize, &str)| {
        let rest = text.get(at + mention.len()..)?;
        leading_number(rest.strip_prefix(':')?)
    };
    let is_whole = |(at, _): &(usize, &str)| {
        let before = text.get(..*at).and_then(|before| before.chars().last());
        before.is_none_or(|letter| matches!(letter, '/' | '\\' | '(') || letter.is_whitespace())
    };
    let mut by_path = text.match_indices(file);
    let mut by_name = text.match_indices(name).filter(is_whole);
    by_path
        .find_map(line_after)
        .or_else(|| by_name.find_map(line_after))
}

/// The number that a text begins with.
pub(super) fn leading_number(text: &str) -> Option<u64> {
    let end = text
        .find(|letter: char| !letter.is_ascii_digit())
        .unwrap_or(text.len());
    text.get(..end)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_names_the_line_of_its_own_file() {
        let stack = "\u{1b}[31mAssertionError\u{1b}[39m: expected 1 to be 2\n    at equal (/p/node_modules/chai/index.js:9:1)\n    at /p/a.test.ts:5:13\n    at node:internal/x:1:1\n    at /p/a.test.ts:9:1";
        let failure = Failure::new("adds".into(), stack, Some("/p/a.test.ts".into()));
        assert_eq!(failure.line, Some(5));
        assert_eq!(
            failure.error,
            "AssertionError: expected 1 to be 2\n    at /p/a.test.ts:5:13\n    at /p/a.test.ts:9:1"
        );
        let elsewhere = Failure::new("adds".into(), stack, Some("/p/b.test.ts".into()));
        assert_eq!(elsewhere.line, None);
        let shortened =
            "Error\n    at extra.test.ts:3:1\n    at Context.<anonymous> (test/a.test.ts:4:5)";
        let failure = Failure::new("adds".into(), shortened, Some("/p/test/a.test.ts".into()));
        assert_eq!(failure.line, Some(4));
    }

    #[test]
    fn a_long_failure_is_cut_at_a_character() {
        let failure = Failure::new("long".into(), &"ä".repeat(5_000), None);
        assert!(failure.error.ends_with("more bytes]"), "{}", failure.error);
        assert!(failure.error.len() < limits::TESTS_ERROR_MAX_BYTES + 40);
    }

    #[test]
    fn the_end_of_a_text_is_whole_lines() {
        assert_eq!(tail("one\ntwo\nthree\n", 9), "three");
        assert_eq!(tail("one\n", 9), "one");
        assert_eq!(tail("ääääääää", 5), "ää");
    }
}
