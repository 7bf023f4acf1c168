//! The JSON of Jest, which Vitest writes too.

use serde::Deserialize;

use super::json::last_object;
use super::report::{Failure, Report};

/// The error of a file for which there is none in the report.
pub(super) const UNTESTED: &str = "The file could not be tested.";

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Run {
    test_results: Vec<Suite>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Suite {
    /// The file.
    name: String,
    #[serde(default)]
    status: String,
    /// Why the file could not be tested; of Jest also its failures once more.
    message: Option<String>,
    #[serde(default)]
    assertion_results: Vec<Assertion>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Assertion {
    #[serde(default)]
    full_name: String,
    #[serde(default)]
    title: String,
    status: String,
    failure_messages: Option<Vec<String>>,
    location: Option<Location>,
}

#[derive(Deserialize)]
struct Location {
    line: u64,
}

/// What the run came to; nothing without a report.
pub(super) fn parse(text: &str) -> Option<Report> {
    let run: Run = last_object(text, "num")?;
    let mut report = Report::default();
    for suite in run.test_results {
        let before = report.failures.len();
        for test in suite.assertion_results {
            match test.status.as_str() {
                "passed" => report.passed += 1,
                "failed" => report.failures.push(failure(&suite.name, test)),
                _ => report.skipped += 1,
            }
        }
        if suite.status == "failed" && report.failures.len() == before {
            let message = suite.message.unwrap_or_default();
            let error = if message.trim().is_empty() {
                UNTESTED
            } else {
                &message
            };
            let file = suite.name.clone();
            report
                .failures
                .push(Failure::new(suite.name, error, Some(file)));
        }
    }
    Some(report)
}

fn failure(file: &str, test: Assertion) -> Failure {
    let name = if test.full_name.trim().is_empty() {
        test.title
    } else {
        test.full_name.trim().to_owned()
    };
    let messages = test.failure_messages.unwrap_or_default().join("\n\n");
    let mut failure = Failure::new(name, &messages, Some(file.to_owned()));
    failure.line = failure.line.or(test.location.map(|place| place.line));
    failure
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn tests_and_files_that_failed_are_reported_apart_from_those_that_passed() {
        let text = r#"noise
{"numTotalTestSuites":3,"numPassedTests":1,"success":false,"testResults":[
 {"assertionResults":[
   {"ancestorTitles":["math"],"fullName":"math adds","status":"passed","title":"adds","failureMessages":[]},
   {"ancestorTitles":["math"],"fullName":"math größe","status":"failed","title":"größe","failureMessages":["Error: 1\n    at /p/a.test.js:7:3"]},
   {"ancestorTitles":[],"fullName":" later","status":"todo","title":"later","failureMessages":[]},
   {"ancestorTitles":[],"fullName":"off","status":"pending","title":"off","failureMessages":null}],
  "status":"failed","message":"","name":"/p/a.test.js"},
 {"assertionResults":[],"status":"failed","message":"SyntaxError: x","name":"/p/b.test.js"},
 {"assertionResults":[],"status":"passed","message":"","name":"/p/c.test.js"}]}"#;
        let failure = |name: &str, error: &str, file: &str, line| Failure {
            name: name.into(),
            error: error.into(),
            file: Some(file.into()),
            line,
        };
        assert_eq!(
            parse(text).unwrap(),
            Report {
                passed: 1,
                skipped: 2,
                failures: vec![
                    failure(
                        "math größe",
                        "Error: 1\n    at /p/a.test.js:7:3",
                        "/p/a.test.js",
                        Some(7)
                    ),
                    failure("/p/b.test.js", "SyntaxError: x", "/p/b.test.js", None),
                ],
                coverage: None,
            }
        );
        assert_eq!(parse("No tests found"), None);
    }

    proptest! {
        #[test]
        fn any_text_is_read_without_harm(text in r#"(\{"num[a-z"]{0,9}|"testResults":\[|\{|\}|\]|:|,|"name":"[a-zä]{0,3}"|\PC{0,5}){0,30}"#) {
            let _ = parse(&text);
        }
    }
}
