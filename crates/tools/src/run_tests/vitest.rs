//! What Vitest says only in words: hooks of suites that failed, errors that no test caught, tests that took too long.

use tenon_process::strip_escapes;

use super::jest::UNTESTED;
use super::report::{Failure, Report};

/// One error as the reporter `default` prints it, with those it concerns.
#[derive(Debug, Default)]
struct Section<'a> {
    heading: Heading,
    /// `a.test.js > suite > test`.
    names: Vec<&'a str>,
    said: Vec<&'a str>,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Heading {
    Suites,
    Tests,
    Unhandled,
    #[default]
    Other,
}

/// The report in JSON with what its standard error adds.
pub(super) fn completed(mut report: Report, stderr: &str) -> Report {
    let stderr = strip_escapes(stderr);
    for section in sections(&stderr) {
        let error = section.said.join("\n");
        match section.heading {
            Heading::Suites => {
                for name in section.names {
                    add_suite(&mut report, name, &error);
                }
            }
            Heading::Tests => {
                for name in section.names {
                    explain_test(&mut report, name, &error);
                }
            }
            Heading::Unhandled => {
                let name = section.names.first().copied().unwrap_or_default();
                let file = error.lines().find_map(place).map(str::to_owned);
                let failure = Failure::new(name.to_owned(), &error, file);
                report.failures.push(failure);
            }
            Heading::Other => {}
        }
    }
    report
}

fn sections(stderr: &str) -> Vec<Section<'_>> {
    let mut sections: Vec<Section<'_>> = Vec::new();
    for line in stderr.lines() {
        if line.starts_with('⎯') {
            let text = line.trim_matches(['⎯', ' ']);
            let before = sections.last().map(|section| section.heading);
            let (heading, names) = match text {
                _ if text.starts_with("Failed Suites ") => (Heading::Suites, Vec::new()),
                _ if text.starts_with("Failed Tests ") => (Heading::Tests, Vec::new()),
                // The heading above them all, with advice.
                "Unhandled Errors" => (Heading::Other, Vec::new()),
                _ if text.starts_with("Unhandled ") => (Heading::Unhandled, vec![text]),
                _ => match before {
                    Some(before @ (Heading::Suites | Heading::Tests)) => (before, Vec::new()),
                    _ => (Heading::Other, Vec::new()),
                },
            };
            sections.push(Section {
                heading,
                names,
                said: Vec::new(),
            });
        } else if let Some(section) = sections.last_mut() {
            match line.strip_prefix(" FAIL ") {
                Some(name) if section.said.is_empty() => section.names.push(name.trim()),
                _ if is_said(line) => section.said.push(line.trim_end()),
                _ => {}
            }
        }
    }
    sections
}

/// Whether a line is more than source around the place, a frame of a library or advice.
fn is_said(line: &str) -> bool {
    let start = line
        .trim_start()
        .trim_start_matches(|letter: char| letter.is_ascii_digit());
    let is_source = start.starts_with('|') && line.starts_with(' ');
    let is_foreign = start.starts_with('❯') && line.contains("node_modules");
    let is_advice = start.starts_with("The latest test that might")
        || start.starts_with("- The error was thrown")
        || start.starts_with("- If the error occurred");
    !(line.trim().is_empty() || is_source || is_foreign || is_advice)
}

/// The file in ` ❯ a.test.js:3:33` or ` ❯ name a.test.js:3:33`.
fn place(line: &str) -> Option<&str> {
    let frame = line.trim_start().strip_prefix('❯')?;
    frame.split_whitespace().last()?.split(':').next()
}

fn is_of(failure: &Failure, file: &str) -> bool {
    failure.file.as_deref().is_some_and(|path| {
        let before = path.strip_suffix(file);
        before.is_some_and(|before| before.is_empty() || before.ends_with(['/', '\\']))
    })
}

/// A suite of which a hook failed, or a whole file.
fn add_suite(report: &mut Report, name: &str, error: &str) {
    let (file, suite) = match name.split_once(" > ") {
        Some((file, suite)) => (file, Some(suite.replace(" > ", " "))),
        None => (name.split(" [ ").next().unwrap_or(name), None),
    };
    let of_file = report
        .failures
        .iter()
        .position(|failure| is_of(failure, file) && failure.file.as_ref() == Some(&failure.name));
    let untested = of_file.filter(|at| {
        let failure = report.failures.get(*at);
        failure.is_some_and(|failure| failure.error == UNTESTED)
    });
    if suite.is_none() && of_file.is_some() && untested.is_none() {
        // Its message is in the report.
        return;
    }
    let path = untested
        .map(|at| report.failures.remove(at).name)
        .unwrap_or_else(|| file.to_owned());
    let name = suite.unwrap_or_else(|| path.clone());
    let mut failure = Failure::new(name, error, Some(file.to_owned()));
    failure.file = Some(path);
    report.failures.push(failure);
}

/// A test of which the report has only where it is.
fn explain_test(report: &mut Report, name: &str, error: &str) {
    let Some((file, test)) = name.split_once(" > ") else {
        return;
    };
    let test = test.replace(" > ", " ");
    let failure = report.failures.iter_mut().find(|failure| {
        failure.name == test && is_of(failure, file) && failure.error.contains("STACK_TRACE_ERROR")
    });
    if let Some(failure) = failure {
        failure.error = super::report::reported(error);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STDERR: &str = "
\u{1b}[31m⎯⎯⎯⎯⎯⎯\u{1b}[39m Failed Suites 2 ⎯⎯⎯⎯⎯⎯⎯

 FAIL  a.test.js > hook
Error: hook broke
 ❯ a.test.js:2:99
      1| import {test} from 'vitest'
       |      ^
⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯[1/4]⎯

 FAIL  c.test.js [ c.test.js ]
Error: No test suite found in file /p/c.test.js
⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯[2/4]⎯


⎯⎯⎯⎯⎯⎯⎯ Failed Tests 1 ⎯⎯⎯⎯⎯⎯⎯

 FAIL  a.test.js > very > slow
Error: Test timed out in 100ms.
 ❯ a.test.js:4:5
⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯[4/4]⎯

⎯⎯⎯⎯⎯⎯ Unhandled Errors ⎯⎯⎯⎯⎯⎯

Vitest caught 1 unhandled error during the test run.

⎯⎯⎯⎯ Unhandled Rejection ⎯⎯⎯⎯⎯
Error: unheard
 ❯ a.test.js:3:33
 ❯ ../node_modules/@vitest/runner/dist/a.js:302:11
The latest test that might've caused the error is \"slow\".
⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯⎯
";

    fn failure(name: &str, error: &str, file: &str, line: Option<u64>) -> Failure {
        Failure {
            name: name.into(),
            error: error.into(),
            file: Some(file.into()),
            line,
        }
    }

    #[test]
    fn hooks_rejections_and_time_outs_are_reported_with_their_errors() {
        let no_suite = "No test suite found in file /p/c.test.js";
        let json = Report {
            passed: 1,
            skipped: 1,
            failures: vec![
                failure(
                    "very slow",
                    "Error: STACK_TRACE_ERROR",
                    "/p/a.test.js",
                    Some(4),
                ),
                failure("/p/c.test.js", no_suite, "/p/c.test.js", None),
            ],
            coverage: None,
        };
        let slow = "Error: Test timed out in 100ms.\n ❯ a.test.js:4:5";
        let hook = "Error: hook broke\n ❯ a.test.js:2:99";
        let unheard = "Error: unheard\n ❯ a.test.js:3:33";
        let expected = vec![
            failure("very slow", slow, "/p/a.test.js", Some(4)),
            failure("/p/c.test.js", no_suite, "/p/c.test.js", None),
            failure("hook", hook, "a.test.js", Some(2)),
            failure("Unhandled Rejection", unheard, "a.test.js", Some(3)),
        ];
        let found = completed(json.clone(), STDERR);
        assert_eq!(
            found,
            Report {
                failures: expected,
                ..json
            }
        );
    }

    #[test]
    fn a_suite_takes_the_place_of_its_file_that_could_not_be_tested() {
        let json = Report {
            failures: vec![failure("/p/a.test.js", UNTESTED, "/p/a.test.js", None)],
            ..Report::default()
        };
        let stderr =
            "⎯⎯ Failed Suites 1 ⎯⎯\n FAIL  a.test.js > hook\nError: broke\n ❯ a.test.js:2:99\n⎯⎯\n";
        let error = "Error: broke\n ❯ a.test.js:2:99";
        assert_eq!(
            completed(json, stderr).failures,
            [failure("hook", error, "/p/a.test.js", Some(2))]
        );
    }
}
