//! What a run of tests came to, failures first.

use tenon_contract::{limits, with_parameters};
use tenon_tools::{Coverage, FailedTest, RunTestsOutput};

use super::with_notices;
use crate::words::Words;

/// The numbers in one line, then every failure with its place and what went wrong.
pub(crate) fn tests_text(output: &RunTestsOutput, words: &Words<'_>) -> String {
    let mut text = headline(output);
    if let Some(running) = &output.running {
        return format!("{text}\n\n{running}");
    }
    let mut notices: Vec<String> = output
        .notes
        .iter()
        .map(|note| with_parameters(note, words))
        .collect();
    let mut named = 0_u64;
    for failure in &output.failures {
        let reported = reported(failure);
        if text.len() + reported.len() > limits::TEXT_MAX_BYTES {
            break;
        }
        text.push_str(&reported);
        named += 1;
    }
    if named < output.failed {
        notices.push(format!(
            "{} more failed. Run a single file with scope=file to see its failures",
            output.failed - named
        ));
    }
    notices.extend(output.coverage.as_ref().map(covered));
    with_notices(text, &notices)
}

fn headline(output: &RunTestsOutput) -> String {
    let seconds = output.duration.as_secs_f64();
    let counts = format!(
        "{} passed, {} failed, {} skipped",
        output.passed, output.failed, output.skipped
    );
    let framework = output.framework;
    match (
        &output.running,
        output.passed + output.failed + output.skipped,
    ) {
        (Some(_), 0) => format!("{framework}: running for {seconds:.1} s"),
        (Some(_), _) => format!("{framework}: {counts}, running for {seconds:.1} s"),
        (None, 0) => format!("{framework}: no tests found ({seconds:.1} s)"),
        (None, _) => format!("{framework}: {counts} ({seconds:.1} s)"),
    }
}

fn reported(failure: &FailedTest) -> String {
    let place = match (&failure.file, failure.line) {
        (Some(file), Some(line)) => format!(" ({file}:{line})"),
        (Some(file), None) => format!(" ({file})"),
        (None, _) => String::new(),
    };
    let lines = failure.error.lines().map(|line| format!("\n  {line}"));
    format!(
        "\n\nFAILED {}{place}{}",
        failure.name,
        lines.collect::<String>()
    )
}

fn covered(coverage: &Coverage) -> String {
    let shares = [
        ("lines", coverage.lines),
        ("statements", coverage.statements),
        ("branches", coverage.branches),
        ("functions", coverage.functions),
    ];
    let reported: Vec<String> = shares
        .into_iter()
        .filter_map(|(name, share)| share.map(|share| format!("{share}% of {name}")))
        .collect();
    format!("Coverage: {}", reported.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::no_words;
    use std::time::Duration;

    fn output() -> RunTestsOutput {
        RunTestsOutput {
            framework: "vitest",
            command: "vitest run".into(),
            directory: ".".into(),
            passed: 2,
            failed: 1,
            skipped: 0,
            duration: Duration::from_millis(1_240),
            failures: vec![FailedTest {
                name: "math adds".into(),
                error: "expected 1 to be 2\n  at a.test.ts:5".into(),
                file: Some("a.test.ts".into()),
                line: Some(5),
            }],
            coverage: Some(Coverage {
                lines: Some(85.5),
                ..Coverage::default()
            }),
            notes: Vec::new(),
            running: None,
            changed: Vec::new(),
        }
    }

    #[test]
    fn failures_stand_below_the_numbers() {
        assert_eq!(
            tests_text(&output(), &no_words()),
            "vitest: 2 passed, 1 failed, 0 skipped (1.2 s)\n\nFAILED math adds (a.test.ts:5)\n  expected 1 to be 2\n    at a.test.ts:5\n\n[Coverage: 85.5% of lines]"
        );
    }

    #[test]
    fn a_text_holds_so_many_failures_and_says_how_many_more_there_are() {
        let failure = FailedTest {
            error: "x".repeat(4_000),
            ..output().failures.remove(0)
        };
        let many = RunTestsOutput {
            failed: 150,
            failures: vec![failure; 100],
            coverage: None,
            ..output()
        };
        let text = tests_text(&many, &no_words());
        assert!(text.len() < limits::TEXT_MAX_BYTES + 200);
        assert!(
            text.ends_with(
                "[138 more failed. Run a single file with scope=file to see its failures]"
            ),
            "{}",
            &text[text.len() - 100..]
        );
    }

    #[test]
    fn no_tests_are_no_success() {
        let none = RunTestsOutput {
            passed: 0,
            failed: 0,
            failures: Vec::new(),
            coverage: None,
            ..output()
        };
        assert_eq!(
            tests_text(&none, &no_words()),
            "vitest: no tests found (1.2 s)"
        );
    }
}
