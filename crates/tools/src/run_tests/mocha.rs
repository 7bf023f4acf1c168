//! The JSON of Mocha.

use serde::Deserialize;

use super::json::last_object;
use super::report::{Failure, Report};

#[derive(Deserialize)]
struct Run {
    stats: Stats,
    #[serde(default)]
    failures: Vec<Failed>,
}

#[derive(Deserialize)]
struct Stats {
    passes: u64,
    pending: u64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Failed {
    full_title: String,
    file: Option<String>,
    #[serde(default)]
    err: Fault,
}

#[derive(Deserialize, Default)]
struct Fault {
    message: Option<String>,
    /// Begins with the message.
    stack: Option<String>,
}

/// What the run came to; nothing without a report.
pub(super) fn parse(text: &str) -> Option<Report> {
    let run: Run = last_object(text, "stats")?;
    let failures = run.failures.into_iter().map(|failed| {
        let error = failed.err.stack.or(failed.err.message);
        Failure::new(failed.full_title, &error.unwrap_or_default(), failed.file)
    });
    Some(Report {
        passed: run.stats.passes,
        skipped: run.stats.pending,
        failures: failures.collect(),
        coverage: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn failures_carry_their_place() {
        let text = r#"hello from a test
{
  "stats": { "suites": 1, "tests": 3, "passes": 1, "pending": 1, "failures": 1, "duration": 4 },
  "tests": [],
  "pending": [],
  "failures": [
    { "title": "größe", "fullTitle": "math größe", "file": "/p/test/a.js", "duration": 0,
      "err": { "message": "1 == 2", "stack": "AssertionError: 1 == 2\n    at Context.<anonymous> (test/a.js:4:5)\n    at process.x (node:internal/process:8:12)" } }
  ],
  "passes": []
}"#;
        assert_eq!(
            parse(text).unwrap(),
            Report {
                passed: 1,
                skipped: 1,
                failures: vec![Failure {
                    name: "math größe".into(),
                    error: "AssertionError: 1 == 2\n    at Context.<anonymous> (test/a.js:4:5)"
                        .into(),
                    file: Some("/p/test/a.js".into()),
                    line: Some(4),
                }],
                coverage: None,
            }
        );
        assert_eq!(parse("Error: Cannot find module"), None);
    }

    proptest! {
        #[test]
        fn any_text_is_read_without_harm(text in r#"(\{\s?"stats":|\{|\}|\]|:|,|"passes":1|"pending":0|\PC{0,5}){0,30}"#) {
            let _ = parse(&text);
        }
    }
}
