//! TAP, as the test runner of Node.js writes it.

use std::path::Path;

use super::coverage;
use super::report::{Failure, Report, leading_number};

/// Spaces before each level of subtests.
const INDENT: usize = 4;
/// Deepest level that is distinguished.
const DEPTH_MAX: usize = 64;

/// One `ok` or `not ok` with what belongs to it.
struct Point<'a> {
    depth: usize,
    passed: bool,
    name: String,
    /// Whether it is marked `# SKIP` or `# TODO`.
    excused: bool,
    facts: Vec<(&'a str, String)>,
}

impl Point<'_> {
    fn fact(&self, key: &str) -> Option<&str> {
        let of = self.facts.iter().find(|(name, _)| *name == key);
        of.map(|(_, value)| value.as_str())
    }
}

/// What the run came to; nothing where there is no TAP.
pub(super) fn parse(text: &str) -> Option<Report> {
    let mut report = Report::default();
    let mut lines = text.lines().peekable();
    // Names of the subtests that are open, by depth, and whether a result stood below each.
    let mut open: Vec<(String, bool)> = Vec::new();
    let mut said: Vec<&str> = Vec::new();
    let mut is_tap = false;
    while let Some(line) = lines.next() {
        let (depth, rest) = level(line);
        if rest.starts_with("TAP version") {
            is_tap = true;
        } else if let Some(name) = rest.strip_prefix("# Subtest: ") {
            open.truncate(depth);
            open.push((unescaped(name), false));
        } else if let Some(comment) = rest.strip_prefix("# ") {
            said.push(comment);
        } else if let Some((passed, name, excused)) = result(rest) {
            let facts = facts(&mut lines, line.len() - rest.len());
            let is_parent = open.get(depth).is_some_and(|(_, parent)| *parent);
            let parents = open.iter_mut().take(depth);
            let mut path: Vec<String> = parents
                .map(|(name, is_parent)| {
                    *is_parent = true;
                    name.clone()
                })
                .collect();
            path.push(name);
            open.truncate(depth);
            let point = Point {
                depth,
                passed,
                name: path.join(" > "),
                excused,
                facts,
            };
            count(&point, is_parent, &said, &mut report);
            said.clear();
        }
    }
    report.coverage = coverage::of_node(text);
    is_tap.then_some(report)
}

fn count(point: &Point<'_>, is_parent: bool, said: &[&str], report: &mut Report) {
    let by_others = point.fact("failureType") == Some("subtestsFailed");
    match (point.passed, point.excused) {
        (_, true) => report.skipped += 1,
        (true, false) if is_parent || point.fact("type") == Some("suite") => {}
        (true, false) => report.passed += 1,
        // Its subtests are reported on their own.
        (false, false) if by_others => {}
        (false, false) => report.failures.push(failure(point, said)),
    }
}

fn failure(point: &Point<'_>, said: &[&str]) -> Failure {
    let mut parts: Vec<String> = Vec::new();
    parts.extend(point.fact("error").map(str::to_owned));
    // Frames of Node.js itself lead nowhere.
    let frames = point.fact("stack").unwrap_or_default().lines();
    parts.extend(
        frames
            .filter(|frame| !frame.contains("node:"))
            .map(str::to_owned),
    );
    if point.depth == 0 && point.fact("exitCode").is_some() {
        // A file that ended badly: what it wrote says why.
        let said = said.iter().filter(|said| !is_of_other(said, &point.name));
        parts.push(said.copied().collect::<Vec<_>>().join("\n"));
    }
    let place = point.fact("location").and_then(place);
    let (file, line) = match place {
        Some((file, line)) => (Some(file.to_owned()), Some(line)),
        None => (None, None),
    };
    let mut failure = Failure::new(point.name.clone(), &parts.join("\n"), file);
    failure.line = failure.line.or(line);
    failure
}

/// `Error: Test "late" at a.test.js:5:1 generated asynchronous activity after the test ended. …`: what the runner says behind the
/// results of one file stands before that of the next one.
fn is_of_other(said: &str, file: &str) -> bool {
    let about = said.strip_prefix("Error: Test \"").and_then(|rest| {
        let (test, _) = rest.split_once(" generated asynchronous activity after the test ended")?;
        place(test.rsplit_once("\" at ")?.1)
    });
    about.is_some_and(|(other, _)| !Path::new(file).ends_with(other))
}

/// `/path/file.js:3:1`.
fn place(location: &str) -> Option<(&str, u64)> {
    let (rest, column) = location.rsplit_once(':')?;
    let (file, line) = rest.rsplit_once(':')?;
    leading_number(column)?;
    Some((file.trim_start_matches("file://"), leading_number(line)?))
}

/// The depth of a line, and the line without its indentation.
fn level(line: &str) -> (usize, &str) {
    let rest = line.trim_start_matches(' ');
    (((line.len() - rest.len()) / INDENT).min(DEPTH_MAX), rest)
}

/// Whether a test passed, its name, and whether it is excused.
fn result(line: &str) -> Option<(bool, String, bool)> {
    let (passed, rest) = match line.strip_prefix("not ok ") {
        Some(rest) => (false, rest),
        None => (true, line.strip_prefix("ok ")?),
    };
    let number = rest.bytes().take_while(u8::is_ascii_digit).count();
    let rest = rest.get(number..)?.trim_start();
    let rest = rest.strip_prefix("- ").unwrap_or(rest);
    let (name, excused) = match directive(rest) {
        Some(at) => (rest.get(..at)?, true),
        None => (rest, false),
    };
    Some((passed, unescaped(name.trim_end()), excused))
}

/// Where `# SKIP` or `# TODO` begins. A `#` of the name is escaped.
fn directive(text: &str) -> Option<usize> {
    let at = text.find(" # ")?;
    let word = text.get(at + 3..)?.to_ascii_uppercase();
    (word.starts_with("SKIP") || word.starts_with("TODO")).then_some(at)
}

fn unescaped(text: &str) -> String {
    text.replace("\\#", "#").replace("\\\\", "\\")
}

/// The diagnosis below a result: `key: value` a line, and `key: |-` with deeper lines.
fn facts<'a>(
    lines: &mut std::iter::Peekable<std::str::Lines<'a>>,
    indent: usize,
) -> Vec<(&'a str, String)> {
    let mut facts: Vec<(&'a str, String)> = Vec::new();
    let begins = |line: &&str| line.trim() == "---" && line.len() > indent + 3;
    if lines.next_if(begins).is_none() {
        return facts;
    }
    let mut block: Option<usize> = None;
    for line in lines.by_ref() {
        let text = line.trim_start();
        let depth = line.len() - text.len();
        if let (Some(at), Some((_, value))) = (block, facts.last_mut())
            && (depth > at || text.is_empty())
        {
            if !value.is_empty() {
                value.push('\n');
            }
            value.push_str(line.get(at + 2..).unwrap_or(text));
            continue;
        }
        block = None;
        if text == "..." {
            break;
        }
        if let Some((key, value)) = text.split_once(':') {
            let value = value.trim();
            if matches!(value, "|-" | "|") {
                block = Some(depth);
                facts.push((key, String::new()));
            } else {
                facts.push((key, unquoted(value)));
            }
        }
    }
    facts
}

fn unquoted(value: &str) -> String {
    for quote in ['\'', '"', '`'] {
        let inner = value
            .strip_prefix(quote)
            .and_then(|rest| rest.strip_suffix(quote));
        if let Some(inner) = inner {
            return inner.replace("\\n", "\n").replace("\\'", "'");
        }
    }
    value.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const RUN: &str = r#"TAP version 13
# Subtest: math
    # Subtest: adds
    ok 1 - adds
      ---
      duration_ms: 0.7
      ...
    # Subtest: größe \# 2
    not ok 2 - größe \# 2
      ---
      duration_ms: 1.1
      location: '/p/a.test.js:5:3'
      failureType: 'testCodeFailure'
      error: |-
        Expected values to be strictly equal:
        
        1 !== 2
        
      code: 'ERR_ASSERTION'
      stack: |-
        TestContext.<anonymous> (/p/a.test.js:6:10)
        Test.run (node:internal/test_runner/test:797:9)
      ...
    ok 3 - off # SKIP not now
    1..3
not ok 1 - math
  ---
  type: 'suite'
  location: '/p/a.test.js:3:1'
  failureType: 'subtestsFailed'
  error: '1 subtest failed'
  ...
# SyntaxError: Unexpected token
# Subtest: /p/b.test.js
not ok 2 - /p/b.test.js
  ---
  failureType: 'testCodeFailure'
  exitCode: 1
  error: 'test failed'
  ...
ok 3 - plain
1..3
# tests 5
"#;

    #[test]
    fn leaves_are_counted_and_parents_are_not() {
        assert_eq!(
            parse(RUN).unwrap(),
            Report {
                passed: 2,
                skipped: 1,
                failures: vec![
                    Failure {
                        name: "math > größe # 2".into(),
                        error: "Expected values to be strictly equal:\n\n1 !== 2\n\nTestContext.<anonymous> (/p/a.test.js:6:10)".into(),
                        file: Some("/p/a.test.js".into()),
                        line: Some(6),
                    },
                    Failure {
                        name: "/p/b.test.js".into(),
                        error: "test failed\nSyntaxError: Unexpected token".into(),
                        file: None,
                        line: None,
                    },
                ],
                coverage: None,
            }
        );
        assert_eq!(parse("ok 1 - but no TAP"), None);
    }

    /// It was a part of the error of the file that could not be read.
    #[test]
    fn what_is_said_of_another_file_is_no_part_of_the_error_of_a_file() {
        let run = r#"TAP version 13
# Subtest: late
ok 1 - late
# Error: Test "late" at a.test.js:2:1 generated asynchronous activity after the test ended. This activity created the error "Error: late".
# Error: Test "own" at b.test.js:9:1 generated asynchronous activity after the test ended. This activity created the error "Error: own".
# SyntaxError: Unexpected identifier
# Subtest: /p/b.test.js
not ok 2 - /p/b.test.js
  ---
  exitCode: 1
  error: 'test failed'
  ...
"#;
        assert_eq!(
            parse(run).unwrap().failures,
            [Failure {
                name: "/p/b.test.js".into(),
                error: "test failed\nError: Test \"own\" at b.test.js:9:1 generated asynchronous activity after the test ended. This activity created the error \"Error: own\".\nSyntaxError: Unexpected identifier".into(),
                file: None,
                line: None,
            }]
        );
    }

    proptest! {
        #[test]
        fn any_text_is_read_without_harm(lines in proptest::collection::vec(r"( {0,9})(TAP version 13|# Subtest: |ok 1 - |not ok |---|\.\.\.|error: \|-|location: '|# SKIP|'|:|\PC{0,6}){0,4}", 0..30)) {
            let text = format!("TAP version 13\n{}", lines.join("\n"));
            prop_assert!(parse(&text).is_some());
        }
    }
}
