//! What a line is, as far as that can be seen from its words.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};

use crate::frames::is_frame;
use crate::progress::{is_curl, is_progress};

/// What a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Class {
    Blank,
    /// That work goes on.
    Progress,
    /// A test that passed.
    Passed,
    /// A test that was not run.
    Skipped,
    Plain,
    /// A line that a diff removes or adds, or a place in it.
    Changed,
    /// A frame of a stack trace.
    Frame,
    Warning,
    /// How it went, in figures.
    Summary,
    Error,
}

/// Words that a line of an error contains. Before a word and behind it there must be no letter, but for names like
/// `TypeError`.
const ERRORS: &[&str] = &[
    "error",
    "errors",
    "fatal",
    "failed",
    "failure",
    "failures",
    "fail",
    "fails",
    "panicked",
    "panic",
    "exception",
    "traceback",
    "abort",
    "aborted",
    "assertion",
    "segmentation fault",
    "core dumped",
    "undefined reference",
    "cannot find",
    "cannot open",
    "could not",
    "couldn't",
    "no such file",
    "not found",
    "permission denied",
    "access denied",
    "unresolved",
    "refused",
    "timed out",
    "unable to",
    "out of memory",
    "not ok",
    "err!",
    "critical",
];
/// Words of warnings, and such as are often said of an error.
const WARNINGS: &[&str] = &[
    "warning",
    "warnings",
    "warn",
    "deprecated",
    "caution",
    "vulnerability",
    "vulnerabilities",
    "timeout",
    "invalid",
    "unexpected",
    "killed",
    "mismatch",
    "expected",
    "actual",
    "received",
    "severe",
    "unknown",
    "missing",
    "conflict",
    "rejected",
    "denied",
];
/// Signs in front of what failed.
const FAILED_SIGNS: &[char] = &['✗', '✘', '✖', '✕', '×', '❌', '⨯', '●'];
/// Signs in front of what passed.
const PASSED_SIGNS: &[char] = &['✓', '✔', '√'];
/// How lines of results begin.
const RESULTS: &[&str] = &[
    "test result:",
    "Tests:",
    "Test Suites:",
    "Test Files",
    "Tests ",
    "Ran ",
    "Finished ",
    "BUILD ",
    "Successfully ",
    "added ",
    "changed ",
    "removed ",
    "up to date",
    "found ",
    "Done in",
    "Total",
    "Summary",
    "# tests",
    "# pass",
    "# fail",
    "real\t",
    "running ",
    "Results:",
];
/// That nothing failed, in words that speak of failures.
const NOTHING: &[&str] = &[
    "0 errors",
    "0 error",
    "no errors",
    "0 failed",
    "0 failures",
    "no failures",
    "0 warnings",
    "no warnings",
    "failures: 0",
    "failed: 0",
    "errors: 0",
    "fail 0",
    "without errors",
    "0 vulnerabilities",
];

static WORDS: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .match_kind(MatchKind::LeftmostLongest)
        .build(ERRORS.iter().chain(WARNINGS))
        .ok()
});

/// The class of every line of a text.
pub(crate) fn classes(lines: &[&str]) -> Vec<Class> {
    lines.iter().map(|line| class(line)).collect()
}

fn class(line: &str) -> Class {
    let plain = without_colors(line);
    let line = plain.trim_end();
    let bare = line.trim_start();
    if bare.is_empty() {
        return Class::Blank;
    }
    if is_curl(bare) {
        return Class::Progress;
    }
    if is_skipped(bare) {
        return Class::Skipped;
    }
    if is_passed(bare, bare.len() < line.len()) {
        return Class::Passed;
    }
    if is_frame(line) {
        return Class::Frame;
    }
    // What failed or may have is no progress, however it is counted.
    let said = said(bare);
    if said.is_none() && is_progress(bare) && !is_marked(bare) {
        return Class::Progress;
    }
    if said == Some(Class::Error) || is_marked(bare) {
        return Class::Error;
    }
    if RESULTS.iter().any(|start| bare.starts_with(start)) || is_total(bare) {
        return Class::Summary;
    }
    said.unwrap_or_else(|| {
        if is_change(line) {
            Class::Changed
        } else {
            Class::Plain
        }
    })
}

/// What the words of a line say.
fn said(line: &str) -> Option<Class> {
    let words = WORDS.as_ref()?;
    let bytes = line.as_bytes();
    let mut found = None;
    for hit in words.find_iter(line) {
        let before = hit
            .start()
            .checked_sub(1)
            .and_then(|at| bytes.get(at))
            .copied();
        let (first, behind) = (
            bytes.get(hit.start()).copied(),
            bytes.get(hit.end()).copied(),
        );
        let is_name = |byte: Option<u8>| {
            byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
        };
        // `TypeError`, `NullPointerException`.
        let is_camel = first.is_some_and(|first| first.is_ascii_uppercase())
            && before.is_some_and(|before| before.is_ascii_lowercase());
        // `src/error.rs` is a file.
        let is_file = matches!(before, Some(b'/'))
            || behind == Some(b'.') && is_name(bytes.get(hit.end() + 1).copied());
        if is_name(before) && !is_camel || is_name(behind) || is_file {
            continue;
        }
        if hit.pattern().as_usize() < ERRORS.len() {
            if !speaks_of_nothing(line) {
                return Some(Class::Error);
            }
            found = Some(Class::Summary);
        } else {
            found = found.or(Some(Class::Warning));
        }
    }
    found
}

fn speaks_of_nothing(line: &str) -> bool {
    let line = line.to_ascii_lowercase();
    let is_alone =
        |at: usize| at == 0 || !line.as_bytes().get(at - 1).is_some_and(u8::is_ascii_digit);
    let is_said = NOTHING
        .iter()
        .any(|nothing| line.match_indices(nothing).any(|(at, _)| is_alone(at)));
    is_said
        && !(1..=9).any(|digit| {
            ["failed", "errors", "error", "failures"]
                .iter()
                .any(|what| line.contains(&format!("{digit} {what}")))
        })
}

/// pytest's `E   assert 1 == 2`, Jest's `● name`, TAP's `not ok`.
fn is_marked(line: &str) -> bool {
    line.starts_with(FAILED_SIGNS)
        || line.starts_with("E   ")
        || line.starts_with("FAIL ")
        || line.starts_with("--- FAIL")
}

fn is_passed(line: &str, is_indented: bool) -> bool {
    (line.starts_with("test ") && line.ends_with("... ok"))
        || line.starts_with(PASSED_SIGNS)
            && (is_indented || is_timed(line))
            && !counts(line, "failed")
            && !is_done_task(line)
        || line.starts_with("--- PASS")
        || line.starts_with("PASS ") && !counts(line, "failed")
        || tap_directive(line) == Some("")
        || line.ends_with(" PASSED")
        || line.contains(" PASSED ") && line.ends_with("%]")
        || line.starts_with("=== RUN ")
}

/// `✔ adds (0.7ms)`, `✓ adds [0.12ms]`, `✓ a.test.ts (5 tests) 3ms`, `✓ a.test.ts (5 tests)`: what runners put behind a test
/// that does not stand below the name of its suite. `✔ call Bob` is a line of a list.
fn is_timed(line: &str) -> bool {
    let end = line.trim_end_matches([')', ']']);
    let amount = end.strip_suffix("ms").or_else(|| end.strip_suffix('s'));
    let amount = amount.unwrap_or_default().trim_end();
    amount.ends_with(|last: char| last.is_ascii_digit())
        || ["test", "tests"].iter().any(|what| counts(line, what))
}

/// `✔ Container db-1  Started  0.3s`, `✓  lint  12s  https://…`: what other programs put the same sign in front of. Which
/// of them came to what is what is wanted.
fn is_done_task(line: &str) -> bool {
    let mut words = line.split_whitespace().skip(1);
    let is_of_compose = words
        .next()
        .is_some_and(|word| ["Container", "Network", "Volume", "Image", "Service"].contains(&word));
    is_of_compose || line.contains("://")
}

/// A test that was not run, or a file with such tests in it.
fn is_skipped(line: &str) -> bool {
    let is_tap = tap_directive(line).is_some_and(|directive| {
        let word = directive.get(.."skip".len());
        word.is_some_and(|word| word.eq_ignore_ascii_case("skip"))
    });
    let is_counted = line.starts_with(PASSED_SIGNS)
        && ["skipped", "todo"].iter().any(|what| counts(line, what))
        && !counts(line, "failed");
    is_tap
        || is_counted
        || line.starts_with("test ")
            && (line.ends_with("... ignored") || line.contains(" ... ignored, "))
        || line.starts_with('↓')
        || line.starts_with("--- SKIP")
        || line.split_once(" ... skipped").is_some_and(|(_, why)| {
            why.is_empty() || why.starts_with(" '") || why.starts_with(" \"")
        })
        || line.contains("::") && (line.ends_with(" SKIPPED") || line.contains(" SKIPPED "))
}

/// `ok 3 - name # SKIP no network`: what a line of TAP says behind the name of a test that is not wrong; nothing where it is no such line.
fn tap_directive(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("ok ")?;
    rest.starts_with(|first: char| first.is_ascii_digit())
        .then(|| {
            rest.rsplit_once(" # ")
                .map_or("", |(_, directive)| directive.trim_start())
        })
}

/// `✓ a.test.ts (5 tests | 2 skipped) 3ms`: whether a file counts such tests among its own.
fn counts(line: &str, what: &str) -> bool {
    let counted = line
        .rsplit_once('(')
        .and_then(|(_, rest)| rest.split_once(')'));
    counted.is_some_and(|(counts, _)| {
        let mut parts = counts.split('|');
        parts.any(|part| {
            part.trim().strip_suffix(what).is_some_and(|count| {
                let count = count.trim();
                !count.is_empty() && count != "0" && count.bytes().all(|byte| byte.is_ascii_digit())
            })
        })
    })
}

/// `5 passed, 1 skipped in 0.3s`, `3 problems (1 error, 2 warnings)`.
fn is_total(line: &str) -> bool {
    let has_digit = line.bytes().any(|byte| byte.is_ascii_digit());
    has_digit
        && [
            " passed",
            " passing",
            " pending",
            " problems",
            " tests",
            " skipped",
            " packages",
        ]
        .iter()
        .any(|word| line.contains(word))
}

fn is_change(line: &str) -> bool {
    let next = line.as_bytes().get(1).copied();
    match line.as_bytes().first() {
        Some(b'+' | b'-') => {
            next.is_some_and(|next| !matches!(next, b'-' | b'+' | b' ') || line.len() > 2)
        }
        _ => line.starts_with("@@ ") || line.starts_with("diff --git "),
    }
}

/// A line without sequences that set colors.
pub(crate) fn without_colors(line: &str) -> std::borrow::Cow<'_, str> {
    if !line.contains('\u{1b}') {
        return line.into();
    }
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some((before, behind)) = rest.split_once("\u{1b}[") {
        out.push_str(before);
        let end = behind.find(|letter: char| ('@'..='~').contains(&letter));
        rest = end.and_then(|end| behind.get(end + 1..)).unwrap_or("");
    }
    out.push_str(rest);
    out.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_what_its_words_say() {
        for (line, expected) in [
            ("", Class::Blank),
            ("   Compiling thiserror v2.0.1", Class::Progress),
            ("error[E0308]: mismatched types", Class::Error),
            ("src/a.ts(3,5): error TS2322: Type 'x'.", Class::Error),
            ("TypeError: x is not a function", Class::Error),
            ("java.lang.NullPointerException: null", Class::Error),
            ("thread 'main' panicked at src/main.rs:3:5:", Class::Error),
            ("\u{1b}[31merror\u{1b}[0m: it broke", Class::Error),
            ("E   assert 1 == 2", Class::Error),
            ("test errors::a_failure_is_reported ... ok", Class::Passed),
            ("test a::b ... FAILED", Class::Error),
            ("--- FAIL: TestA (0.00s)", Class::Error),
            ("tests/test_a.py ...... [ 12%]", Class::Progress),
            ("tests/test_a.py ...F.. [ 12%]", Class::Plain),
            ("tests/test_a.py ..s... [ 12%]", Class::Plain),
            ("a.py::test_b SKIPPED (no net) [ 12%]", Class::Skipped),
            ("a.py::test_fails PASSED [ 12%]", Class::Passed),
            ("[77/200] FAILED: f77.o", Class::Error),
            ("[ 50%] error: build failed", Class::Error),
            ("[ 50%] warning: x is unused", Class::Warning),
            (
                "  Building wheel for x (setup.py): finished with status 'error'",
                Class::Error,
            ),
            (
                "npm http fetch GET 500 https://a.example/b 5ms",
                Class::Plain,
            ),
            (
                "  % Total    % Received % Xferd  Average Speed",
                Class::Progress,
            ),
            ("test a::fails ... ignored", Class::Skipped),
            ("test a::b ... ignored, needs a network", Class::Skipped),
            ("ok 9 - not found # SKIP no net", Class::Skipped),
            ("ok 9 - not found", Class::Passed),
            ("ok 9 - later # TODO", Class::Plain),
            (" ✓ src/a.test.ts (5 tests | 2 skipped) 3ms", Class::Skipped),
            (" ✓ src/a.test.ts (5 tests | 1 failed) 3ms", Class::Error),
            (" ✓ src/a.test.ts (5 tests) 3ms", Class::Passed),
            ("  ✔ says what failed", Class::Passed),
            ("✔ adds (0.7ms)", Class::Passed),
            ("✓ adds [0.12ms]", Class::Passed),
            ("✓ src/a.test.ts (1 test)", Class::Passed),
            ("✔ call Bob about invoice 4711", Class::Plain),
            ("✓ 3 boxes", Class::Plain),
            (" ✔ Container worker-1  Exited  1.2s", Class::Plain),
            ("✓  lint  12s  https://ci.example/1", Class::Plain),
            ("test_a (a.A) ... skipped 'no net'", Class::Skipped),
            ("copying a ... skipped (newer: 3 conflicts)", Class::Summary),
            ("--- SKIP: TestA (0.00s)", Class::Skipped),
            (
                "test result: ok. 12 passed; 0 failed; 0 ignored",
                Class::Summary,
            ),
            (
                "test result: FAILED. 12 passed; 10 failed; 0 ignored",
                Class::Error,
            ),
            ("5 passed, 1 skipped in 0.31s", Class::Summary),
            ("found 0 vulnerabilities", Class::Summary),
            ("warning: unused variable: `x`", Class::Warning),
            ("npm WARN deprecated a@1.0.0: use b", Class::Warning),
            ("src/error.rs", Class::Plain),
            ("  // what errors_of returns", Class::Plain),
            ("+    let x = 1;", Class::Changed),
            ("@@ -1,3 +1,4 @@", Class::Changed),
            ("    at foo (src/a.js:3:5)", Class::Frame),
            ("hello", Class::Plain),
        ] {
            assert_eq!(class(line), expected, "{line}");
        }
    }
}
