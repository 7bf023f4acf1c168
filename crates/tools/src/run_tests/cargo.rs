//! `cargo test`, which reports its results in words only, and `cargo nextest` in lines of JSON.

use std::collections::HashSet;

use serde::Deserialize;

use super::report::{Failure, Report, leading_number};

/// What `cargo test` came to: `stdout` has the tests, `stderr` what cargo says of them. Nothing where no test was
/// started, such as when the code does not compile.
pub(super) fn parse(stdout: &str, stderr: &str) -> Option<Report> {
    let mut report = Report::default();
    let mut ran = false;
    let mut reported: Vec<(&str, Vec<&str>)> = Vec::new();
    let mut listed: Vec<&str> = Vec::new();
    let mut in_list = false;
    let mut in_section = false;
    for line in stdout.lines() {
        if let Some(counts) = line.strip_prefix("test result: ") {
            ran = true;
            (in_list, in_section) = (false, false);
            report.passed += counted(counts, "passed");
            report.skipped += counted(counts, "ignored");
            report.failures.extend(failures(&mut reported, &mut listed));
        } else if line.starts_with("running ")
            && (line.ends_with(" tests") || line.ends_with(" test"))
        {
            ran = true;
            (in_list, in_section) = (false, false);
            report.failures.extend(failures(&mut reported, &mut listed));
        } else if let Some(name) = section(line) {
            (in_list, in_section) = (false, true);
            reported.push((name, Vec::new()));
        } else if line == "failures:" {
            (in_list, in_section) = (true, false);
            listed.clear();
        } else if in_list && line.starts_with("    ") {
            listed.push(line.trim());
        } else if let (true, Some((_, lines))) = (in_section, reported.last_mut()) {
            lines.push(line);
        }
    }
    report.failures.extend(failures(&mut reported, &mut listed));
    report.failures.extend(crashes(stderr));
    ran.then_some(report)
}

/// `---- module::test stdout ----`.
fn section(line: &str) -> Option<&str> {
    line.strip_prefix("---- ")?.strip_suffix(" stdout ----")
}

/// The number before this word in `ok. 3 passed; 1 failed; …`.
fn counted(counts: &str, word: &str) -> u64 {
    let parts = counts.split([';', '.']);
    let number = parts.filter_map(|part| part.trim().strip_suffix(word));
    number
        .filter_map(|part| part.trim().parse::<u64>().ok())
        .sum()
}

/// The failures of one program of tests: those that it lists, each with what it wrote.
fn failures(reported: &mut Vec<(&str, Vec<&str>)>, listed: &mut Vec<&str>) -> Vec<Failure> {
    let reported = std::mem::take(reported);
    let mut names: Vec<&str> = std::mem::take(listed);
    for (name, _) in &reported {
        if !names.contains(name) && names.is_empty() {
            names.push(name);
        }
    }
    let of = |name: &str| {
        let section = reported.iter().find(|(own, _)| *own == name);
        section
            .map(|(_, lines)| lines.join("\n"))
            .unwrap_or_default()
    };
    names
        .iter()
        .map(|name| failure((*name).to_owned(), &of(name)))
        .collect()
}

fn failure(name: String, said: &str) -> Failure {
    let note = "note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace";
    let said = said.replace(note, "");
    let (file, line) = panicked_at(&said).or_else(|| doc_test_at(&name)).unzip();
    let mut failure = Failure::new(name, &said, file);
    failure.line = line;
    failure
}

/// The place of `thread 'x' panicked at src/lib.rs:7:9:`, or of older compilers' `panicked at 'x', src/lib.rs:7:9`.
fn panicked_at(said: &str) -> Option<(String, u64)> {
    let line = said.lines().find(|line| line.contains("panicked at "))?;
    let (_, place) = line.split_once("panicked at ")?;
    let place = place.rsplit_once("', ").map_or(place, |(_, place)| place);
    let place = place.trim_end_matches(':');
    let (rest, column) = place.rsplit_once(':')?;
    leading_number(column)?;
    let (file, line) = rest.rsplit_once(':')?;
    Some((file.to_owned(), leading_number(line)?))
}

/// The place in the name of a test of documentation: `src/lib.rs - add (line 3)`.
fn doc_test_at(name: &str) -> Option<(String, u64)> {
    let (file, rest) = name.split_once(" - ")?;
    let (_, line) = rest.rsplit_once("(line ")?;
    Some((file.to_owned(), leading_number(line)?))
}

/// Programs of tests that did not come to their end: a signal, an exit in the middle.
fn crashes(stderr: &str) -> Vec<Failure> {
    let lines = stderr.lines().map(str::trim);
    lines
        .filter(|line| line.starts_with("process didn't exit successfully: "))
        .map(|line| Failure::new("(the tests were broken off)".to_owned(), line, None))
        .collect()
}

/// One line of `cargo nextest --message-format libtest-json`.
#[derive(Deserialize)]
struct Line {
    #[serde(rename = "type")]
    kind: String,
    event: String,
    #[serde(default)]
    name: String,
    stdout: Option<String>,
    message: Option<String>,
}

/// What `cargo nextest` came to; nothing where no test was started.
pub(super) fn parse_nextest(stdout: &str) -> Option<Report> {
    let mut report = Report::default();
    let mut ran = false;
    let mut begun: HashSet<String> = HashSet::new();
    for line in stdout.lines().filter(|line| line.starts_with('{')) {
        let Ok(line) = serde_json::from_str::<Line>(line) else {
            continue;
        };
        ran = true;
        if line.kind != "test" {
            continue;
        }
        // Of a test that is left out only the beginning is reported.
        if line.event == "started" {
            begun.insert(line.name);
            continue;
        }
        begun.remove(&line.name);
        // `crate::program$module::test`, and `#2` behind it where it was tried again.
        let name = line
            .name
            .split_once('$')
            .map_or(line.name.as_str(), |(_, name)| name);
        match line.event.as_str() {
            "ok" => report.passed += 1,
            "failed" | "timeout" => {
                let said = line.stdout.or(line.message).unwrap_or_default();
                report.failures.push(failure(name.to_owned(), &said));
            }
            _ => {}
        }
    }
    report.skipped = begun.len() as u64;
    ran.then_some(report)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const RUN: &str = "
running 4 tests
test tests::adds ... ok
test tests::größe ... printed without end FAILED
test tests::off ... ignored
test tests::result ... FAILED

failures:

---- tests::größe stdout ----

thread 'tests::größe' (4711) panicked at src/lib.rs:12:9:
assertion `left == right` failed
  left: 1
 right: 2
note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace

---- tests::result stdout ----
Error: \"no\"


failures:
    tests::größe
    tests::result

test result: FAILED. 1 passed; 2 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s


running 1 test
test src/lib.rs - add (line 3) ... FAILED

failures:

---- src/lib.rs - add (line 3) stdout ----
Test executable failed (exit status: 101).

failures:
    src/lib.rs - add (line 3)

test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.20s
";

    fn failed(name: &str, error: &str, file: Option<&str>, line: Option<u64>) -> Failure {
        Failure {
            name: name.into(),
            error: error.into(),
            file: file.map(Into::into),
            line,
        }
    }

    #[test]
    fn results_of_all_programs_are_summed_up() {
        assert_eq!(
            parse(RUN, "").unwrap(),
            Report {
                passed: 1,
                skipped: 1,
                failures: vec![
                    failed(
                        "tests::größe",
                        "thread 'tests::größe' (4711) panicked at src/lib.rs:12:9:\nassertion `left == right` failed\n  left: 1\n right: 2",
                        Some("src/lib.rs"),
                        Some(12)
                    ),
                    failed("tests::result", "Error: \"no\"", None, None),
                    failed(
                        "src/lib.rs - add (line 3)",
                        "Test executable failed (exit status: 101).",
                        Some("src/lib.rs"),
                        Some(3)
                    ),
                ],
                coverage: None,
            }
        );
    }

    #[test]
    fn code_that_does_not_compile_is_no_run_and_a_crash_is_a_failure() {
        assert_eq!(parse("", "error[E0425]: cannot find value `x`"), None);
        let crash = "Caused by:\n  process didn't exit successfully: `target/debug/deps/x-1` (signal: 6, SIGABRT: process abort signal)\n";
        let report = parse("running 1 test\n", crash).unwrap();
        assert_eq!(report.failures.len(), 1);
        assert!(report.failures[0].error.contains("SIGABRT"));
    }

    #[test]
    fn nextest_reports_by_lines() {
        let text = r#"{"type":"suite","event":"started","test_count":2}
{"type":"test","event":"started","name":"x::x$tests::off"}
{"type":"suite","event":"ok","passed":0,"failed":0,"ignored":1}
{"type":"test","event":"started","name":"x::x$tests::adds"}
{"type":"test","event":"ok","name":"x::x$tests::adds","exec_time":0.003}
{"type":"test","event":"started","name":"x::x$tests::größe"}
{"type":"test","event":"failed","name":"x::x$tests::größe","exec_time":0.003,"stdout":"thread 'tests::größe' panicked at src/lib.rs:12:9:\nno\n"}
{"type":"suite","event":"failed","passed":1,"failed":1,"ignored":1}
"#;
        assert_eq!(
            parse_nextest(text).unwrap(),
            Report {
                passed: 1,
                skipped: 1,
                failures: vec![failed(
                    "tests::größe",
                    "thread 'tests::größe' panicked at src/lib.rs:12:9:\nno",
                    Some("src/lib.rs"),
                    Some(12)
                )],
                coverage: None,
            }
        );
        assert_eq!(parse_nextest("error: could not compile"), None);
    }

    proptest! {
        #[test]
        fn any_text_is_read_without_harm(lines in proptest::collection::vec(r"(running [0-9]{0,30} tests|test result: |ok\. |[0-9]{0,30} passed;|---- | stdout ----|failures:|    |panicked at |', |:[0-9]{0,30}|\(line |\PC{0,6}){0,5}", 0..30)) {
            let text = lines.join("\n");
            let _ = parse(&text, &text);
            let _ = parse_nextest(&text);
        }
    }
}
