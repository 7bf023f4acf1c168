//! `cargo test`, which reports its results in words only, and `cargo nextest` in lines of JSON.

use std::collections::HashSet;

use serde::Deserialize;

use super::report::{Failure, Report, leading_number};

/// Most programs of tests that may be within each other, or have died before their report.
const DEPTH_MAX: usize = 8;

/// One program of tests, from its `running 4 tests` on.
#[derive(Default)]
struct TestProgram<'a> {
    tests: u64,
    /// What was reported before it: passed, skipped and failed.
    before: (u64, u64, usize),
    /// From its first `failures:` on.
    failures: Vec<&'a str>,
    is_over: bool,
}

/// What `cargo test` came to: `stdout` has the tests, `stderr` what cargo says of them. Nothing where no test was
/// started, such as when the code does not compile.
///
/// A test may print what looks like a report, its own or that of a runner it started. The report of a program is the one
/// that accounts for all of its tests; what is inside of it is text.
pub(super) fn parse(stdout: &str, stderr: &str) -> Option<Report> {
    let mut report = Report::default();
    let mut ran = false;
    let mut programs: Vec<TestProgram<'_>> = Vec::new();
    for line in stdout.lines() {
        let is_in_failures = programs
            .last()
            .is_some_and(|program| !program.is_over && !program.failures.is_empty());
        if let Some(tests) = started(line).filter(|_| !is_in_failures) {
            ran = true;
            programs.pop_if(|program| program.is_over);
            if programs.len() == DEPTH_MAX {
                programs.remove(0);
            }
            programs.push(TestProgram {
                tests,
                before: (report.passed, report.skipped, report.failures.len()),
                ..TestProgram::default()
            });
            continue;
        }
        if let Some(counts) = line.strip_prefix("test result: ") {
            ran = true;
            if end(&mut programs, &mut report, counts) {
                continue;
            }
        }
        if let Some(program) = programs.last_mut()
            && (line == "failures:" || !program.failures.is_empty())
        {
            program.failures.push(line);
        }
    }
    if let Some(program) = programs.last().filter(|program| !program.is_over) {
        report.failures.extend(failures(&program.failures));
    }
    report.failures.extend(crashes(stderr));
    ran.then_some(report)
}

/// The number in `running 4 tests`.
fn started(line: &str) -> Option<u64> {
    let rest = line.strip_prefix("running ")?;
    let number = rest
        .strip_suffix(" tests")
        .or_else(|| rest.strip_suffix(" test"))?;
    number.parse().ok()
}

/// Takes in the counts behind `test result: `, and says whether they are the result of a program. What was reported since
/// its beginning was printed by its tests.
fn end(programs: &mut Vec<TestProgram<'_>>, report: &mut Report, counts: &str) -> bool {
    let of = |word| counted(counts, word);
    let (passed, failed, skipped) = (of("passed"), of("failed"), of("ignored"));
    let all = [passed, failed, skipped, of("measured")]
        .into_iter()
        .fold(0, u64::saturating_add);
    if programs.is_empty() {
        // A harness that does not announce its tests.
        report.passed = report.passed.saturating_add(passed);
        report.skipped = report.skipped.saturating_add(skipped);
        return true;
    }
    // Lines go to the program that began last, also when a test began it and its result is missing.
    let lines = programs.last().map_or(&[][..], |last| &last.failures);
    let is_complete = lines.is_empty() || failed == 0 || listed(lines).1.len() as u64 == failed;
    let found = programs.iter().rposition(|program| program.tests == all);
    let Some(at) = found.filter(|_| is_complete) else {
        return false;
    };
    let failed_here = if failed > 0 {
        failures(lines)
    } else {
        Vec::new()
    };
    programs.truncate(at + 1);
    if let Some(program) = programs.last_mut() {
        program.is_over = true;
        let (passed_before, skipped_before, failed_before) = program.before;
        report.passed = passed_before.saturating_add(passed);
        report.skipped = skipped_before.saturating_add(skipped);
        report.failures.truncate(failed_before);
        report.failures.extend(failed_here);
    }
    if at > 0 {
        // It may have been started by a test of the one before it.
        programs.pop();
    }
    true
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
        .fold(0, u64::saturating_add)
}

/// The names at the end of the lines of failures, and the lines before the list.
fn listed<'a, 'l>(lines: &'l [&'a str]) -> (&'l [&'a str], Vec<&'a str>) {
    let last = lines.iter().rposition(|line| !line.trim().is_empty());
    let written = lines
        .get(..last.map_or(0, |last| last + 1))
        .unwrap_or(lines);
    let at = written.iter().rposition(|line| !line.starts_with("    "));
    let Some((before, [heading, names @ ..])) = at.and_then(|at| written.split_at_checked(at))
    else {
        return (lines, Vec::new());
    };
    if *heading != "failures:" || names.is_empty() {
        return (lines, Vec::new());
    }
    (before, names.iter().map(|name| name.trim()).collect())
}

/// The failures of one program of tests: those that it lists, each with what it wrote. Without a list, as long as the
/// program writes, those that it has written.
fn failures(lines: &[&str]) -> Vec<Failure> {
    let (sections, mut names) = listed(lines);
    let is_listed = !names.is_empty();
    let mut reported: Vec<(&str, Vec<&str>)> = Vec::new();
    for line in sections {
        let begun = section(line).filter(|name| {
            let is_first = reported.iter().all(|(other, _)| other != name);
            is_first && (!is_listed || names.contains(name))
        });
        if let Some(name) = begun {
            reported.push((name, Vec::new()));
        } else if let Some((_, said)) = reported.last_mut() {
            said.push(line);
        }
    }
    if !is_listed {
        names = reported.iter().map(|(name, _)| *name).collect();
    }
    let said = |name: &str| {
        let section = reported.iter().find(|(own, _)| *own == name);
        section.map(|(_, said)| said.join("\n")).unwrap_or_default()
    };
    names
        .iter()
        .map(|name| failure((*name).to_owned(), &said(name)))
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

    #[test]
    fn what_a_test_prints_is_no_report() {
        let printed = "running 99 tests\ntest t::fake ... FAILED\nfailures:\n    t::fake\n\ntest result: ok. 99 passed; 0 failed";
        let list = "failures:\n    t::bad\n    t::res\n\n";
        let result = "test result: FAILED. 1 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n";
        let written = format!(
            "running 3 tests\ntest t::ok ... ok\n\nfailures:\n\n---- t::bad stdout ----\n{printed}\npanicked\n\n---- t::res stdout ----\nError: e\n\n\n{list}{result}"
        );
        let failure = |name: &str, error: &str| Failure {
            name: name.into(),
            error: error.into(),
            ..Failure::default()
        };
        let report = Report {
            passed: 1,
            skipped: 0,
            failures: vec![
                failure("t::bad", &format!("{printed}\npanicked")),
                failure("t::res", "Error: e"),
            ],
            coverage: None,
        };
        assert_eq!(parse(&written, ""), Some(report.clone()));
        // The output of a program that a test started is not captured.
        let inner = "running 2 tests\ntest a ... ok\n\ntest result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n";
        let nested = written.replacen("test t::ok", &format!("{inner}test t::ok"), 1);
        assert_eq!(parse(&nested, ""), Some(report));
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
