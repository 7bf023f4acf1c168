//! pytest: its JUnit XML, or its summary where that cannot be written.

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::coverage;
use super::report::{Failure, Report, leading_number};

/// What the run came to; nothing without a report.
pub(super) fn parse(text: &str) -> Option<Report> {
    let mut report = of_xml(text).or_else(|| of_summary(text))?;
    report.coverage = coverage::of_pytest(text);
    Some(report)
}

/// How one test stands while its element is read.
#[derive(Default)]
struct Case {
    class: String,
    name: String,
    file: Option<String>,
    line: Option<u64>,
    skipped: bool,
    /// Of its failure or error: the message, then the whole report.
    fault: Option<(String, String)>,
}

/// The report in `<testsuites>`. Tests write to the same stream, so the last one counts.
fn of_xml(text: &str) -> Option<Report> {
    let xml = text.get(text.rfind("<testsuites")?..)?;
    let mut reader = Reader::from_str(xml);
    let mut report = Report::default();
    let mut case: Option<Case> = None;
    let mut in_fault = false;
    loop {
        match reader.read_event().ok()? {
            Event::Start(tag) => match tag.local_name().as_ref() {
                "testcase" => case = Some(begun(&tag)),
                _ => in_fault = mark(&tag, &mut case),
            },
            Event::Empty(tag) => {
                if tag.local_name().as_ref() == "testcase" {
                    count(begun(&tag), &mut report);
                } else {
                    mark(&tag, &mut case);
                }
            }
            Event::End(tag) => match tag.local_name().as_ref() {
                "testcase" => count(case.take()?, &mut report),
                "testsuites" => return Some(report),
                _ => in_fault = false,
            },
            Event::Text(text) if in_fault => {
                say(&mut case, &text);
            }
            Event::GeneralRef(name) if in_fault => {
                let whole = format!("&{};", &*name);
                say(
                    &mut case,
                    &quick_xml::escape::unescape(&whole).unwrap_or_default(),
                );
            }
            Event::Eof => return None,
            _ => {}
        }
    }
}

/// Adds to the report of the failure that is being read.
fn say(case: &mut Option<Case>, words: &str) {
    if let Some((_, whole)) = case.as_mut().and_then(|case| case.fault.as_mut()) {
        whole.push_str(words);
    }
}

fn begun(tag: &BytesStart<'_>) -> Case {
    Case {
        class: attribute(tag, "classname").unwrap_or_default(),
        name: attribute(tag, "name").unwrap_or_default(),
        file: attribute(tag, "file"),
        // pytest counts them from 0 here.
        line: attribute(tag, "line").and_then(|line| Some(leading_number(&line)? + 1)),
        ..Case::default()
    }
}

/// Notes what an element in a test says of it. Whether its text is the report of a failure.
fn mark(tag: &BytesStart<'_>, case: &mut Option<Case>) -> bool {
    let Some(case) = case else { return false };
    match tag.local_name().as_ref() {
        "skipped" => case.skipped = true,
        "failure" | "error" => {
            let message = attribute(tag, "message").unwrap_or_default();
            match &mut case.fault {
                // The test failed, and then its teardown.
                Some((_, whole)) => whole.push_str("\n\n"),
                None => case.fault = Some((message, String::new())),
            }
            return true;
        }
        _ => {}
    }
    false
}

fn attribute(tag: &BytesStart<'_>, name: &str) -> Option<String> {
    let attribute = tag.try_get_attribute(name).ok()??;
    let raw = attribute.value.as_ref();
    let text = quick_xml::escape::unescape(raw);
    Some(text.map_or_else(|_| raw.to_owned(), std::borrow::Cow::into_owned))
}

fn count(case: Case, report: &mut Report) {
    match &case.fault {
        Some((message, whole)) => {
            let error = if whole.trim().is_empty() {
                message
            } else {
                whole
            };
            let mut failure = Failure::new(node_id(&case), error, case.file.clone());
            // The crash is reported last; what comes before is the way to it.
            let last = case
                .file
                .as_deref()
                .and_then(|file| last_line_in(whole, file));
            failure.line = last.or(case.line).or(failure.line);
            report.failures.push(failure);
        }
        None if case.skipped => report.skipped += 1,
        None => report.passed += 1,
    }
}

/// The name that pytest takes: `tests/test_a.py::TestB::test_c[1]`.
fn node_id(case: &Case) -> String {
    let Some(file) = &case.file else {
        let module = [case.class.as_str(), case.name.as_str()];
        return module
            .into_iter()
            .filter(|part| !part.is_empty())
            .collect::<Vec<_>>()
            .join("::");
    };
    let module = file.trim_end_matches(".py").replace(['/', '\\'], ".");
    let classes = case.class.strip_prefix(&module).unwrap_or_default();
    let classes = classes.split('.').filter(|part| !part.is_empty());
    std::iter::once(file.as_str())
        .chain(classes)
        .chain(Some(case.name.as_str()).filter(|name| !name.is_empty()))
        .collect::<Vec<_>>()
        .join("::")
}

fn last_line_in(text: &str, file: &str) -> Option<u64> {
    let lines = text.lines().rev();
    lines
        .filter_map(|line| line.strip_prefix(file)?.strip_prefix(':'))
        .find_map(leading_number)
}

/// The counts of the last line, and the failures that the short summary names.
fn of_summary(text: &str) -> Option<Report> {
    let last = text.lines().rev().find(|line| {
        let bare = line.trim_matches(['=', ' ']);
        bare.contains(" in ") && bare.ends_with('s') && counts(bare).is_some()
    })?;
    let mut report = counts(last.trim_matches(['=', ' ']))?;
    for line in text.lines() {
        let named = line.strip_prefix("FAILED ").or(line.strip_prefix("ERROR "));
        if let Some(rest) = named {
            let (name, error) = rest.split_once(" - ").unwrap_or((rest, ""));
            let file = name.split("::").next().map(str::to_owned);
            report
                .failures
                .push(Failure::new(name.to_owned(), error, file));
        }
    }
    Some(report)
}

/// `1 failed, 2 passed, 3 skipped in 0.12s`.
fn counts(line: &str) -> Option<Report> {
    let (counted, _) = line.rsplit_once(" in ")?;
    let mut report = Report::default();
    for part in counted.split(", ") {
        let (number, word) = part.split_once(' ')?;
        match (number.parse::<u64>(), word) {
            (Ok(number), "passed") => report.passed += number,
            (Ok(number), "skipped" | "xfailed" | "deselected") => report.skipped += number,
            (Ok(_), _) => {}
            (Err(_), _) if counted == "no tests ran" => {}
            (Err(_), _) => return None,
        }
    }
    Some(report)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_report_is_found_among_the_output() {
        let text = r#"====== test session starts ======
tests/test_a.py .F
<?xml version="1.0" encoding="utf-8"?><testsuites name="pytest tests"><testsuite name="pytest" errors="1" failures="1" skipped="1" tests="4">
<testcase classname="tests.test_a" name="test_ok" file="tests/test_a.py" line="0" time="0.001" />
<testcase classname="tests.test_a.TestÄ" name="test_größe[1]" file="tests/test_a.py" line="4" time="0.1"><failure message="AssertionError: assert 1 &lt; 0">def test():
&gt;       assert 1 &lt; 0
E       assert 1 &lt; 0

tests/test_a.py:6: AssertionError</failure></testcase>
<testcase classname="tests.test_a" name="test_off" file="tests/test_a.py" line="9" time="0.0"><skipped type="pytest.skip" message="no">x</skipped></testcase>
<testcase classname="" name="tests.test_b" time="0.0"><error message="collection failure">E   ImportError: no</error></testcase></testsuite></testsuites>------ generated xml file: /dev/stdout ------
=== 1 failed ==="#;
        assert_eq!(
            parse(text).unwrap(),
            Report {
                passed: 1,
                skipped: 1,
                failures: vec![
                    Failure {
                        name: "tests/test_a.py::TestÄ::test_größe[1]".into(),
                        error: "def test():\n>       assert 1 < 0\nE       assert 1 < 0\n\ntests/test_a.py:6: AssertionError".into(),
                        file: Some("tests/test_a.py".into()),
                        line: Some(6),
                    },
                    Failure {
                        name: "tests.test_b".into(),
                        error: "E   ImportError: no".into(),
                        file: None,
                        line: None,
                    },
                ],
                coverage: None,
            }
        );
    }

    #[test]
    fn without_it_the_summary_serves() {
        let text = "FAILED tests/test_a.py::test_b - assert 1 == 2\n=== 1 failed, 2 passed, 1 skipped, 3 warnings in 0.12s ===\n";
        assert_eq!(
            parse(text).unwrap(),
            Report {
                passed: 2,
                skipped: 1,
                failures: vec![Failure {
                    name: "tests/test_a.py::test_b".into(),
                    error: "assert 1 == 2".into(),
                    file: Some("tests/test_a.py".into()),
                    line: None,
                }],
                coverage: None,
            }
        );
        assert_eq!(parse("no tests ran in 0.01s"), Some(Report::default()));
        assert_eq!(parse("No module named pytest"), None);
    }

    proptest! {
        #[test]
        fn any_text_is_read_without_harm(text in r#"(<testsuites>|<testcase (name|file|line)="[a-z&;]{0,4}"|/?>|<failure>|</failure>|</testcase>|</testsuites>|&lt;|[0-9] passed|, | in |1s|\PC{0,5}){0,25}"#) {
            let _ = parse(&text);
        }
    }
}
