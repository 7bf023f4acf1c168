//! `go test -json`.

use std::collections::BTreeMap;

use serde::Deserialize;
use tenon_contract::limits;

use super::report::{Coverage, Failure, Report, leading_number};

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Event {
    action: String,
    /// Of builds it stands in `ImportPath`.
    package: Option<String>,
    import_path: Option<String>,
    test: Option<String>,
    output: Option<String>,
}

#[derive(Default)]
struct GoState {
    result: Option<String>,
    said: String,
}

type States = BTreeMap<(String, String), GoState>;

/// What the run came to; nothing where no package was tested. `module` is the path of the module, to determine where packages
/// lie.
pub(super) fn parse(stdout: &str, stderr: &str, module: &str) -> Option<Report> {
    // By package and test; a package itself has no name of a test.
    let mut states = States::new();
    for line in stdout.lines() {
        if let Ok(event) = serde_json::from_str::<Event>(line) {
            note(event, &mut states);
        } else if let Some(package) = unbuilt(line) {
            let key = (package.to_owned(), String::new());
            let state = states.entry(key).or_default();
            state.result = Some("fail".to_owned());
            state.said.push_str(complaint(stderr, package));
        }
    }
    (!states.is_empty()).then(|| counted(&states, module))
}

fn note(event: Event, states: &mut States) {
    let package = event.package.or_else(|| {
        // `path [path.test]`.
        let built = event.import_path?;
        built.split(' ').next().map(str::to_owned)
    });
    let Some(package) = package else { return };
    let key = (package, event.test.unwrap_or_default());
    let state = states.entry(key).or_default();
    match event.action.as_str() {
        "output" | "build-output" if state.said.len() < limits::TESTS_ERROR_MAX_BYTES => {
            state.said.push_str(&event.output.unwrap_or_default());
        }
        "pass" | "fail" | "skip" => state.result = Some(event.action),
        _ => {}
    }
}

/// The package of `FAIL\tpackage [build failed]`, which older versions write between the events.
fn unbuilt(line: &str) -> Option<&str> {
    let (package, why) = line.strip_prefix("FAIL\t")?.split_once(" [")?;
    why.ends_with("failed]").then_some(package)
}

/// What the compiler says of a package, below `# package`.
fn complaint<'a>(stderr: &'a str, package: &str) -> &'a str {
    let of = stderr.split("# ").find_map(|part| {
        let (head, said) = part.split_once('\n')?;
        (head.split(' ').next() == Some(package)).then_some(said)
    });
    of.unwrap_or_default()
}

fn counted(states: &States, module: &str) -> Report {
    let mut report = Report::default();
    for ((package, test), state) in states {
        let prefix = if test.is_empty() {
            String::new()
        } else {
            format!("{test}/")
        };
        let below = states
            .range((package.clone(), prefix.clone())..)
            .take_while(|((other, name), _)| other == package && name.starts_with(&prefix))
            .filter(|((_, name), _)| name != test);
        let is_leaf = !test.is_empty() && below.clone().next().is_none();
        let reported_below = || {
            let mut results = below.clone().map(|(_, state)| state.result.as_deref());
            results.any(|result| !matches!(result, Some("pass" | "skip")))
        };
        match state.result.as_deref() {
            Some("pass") if is_leaf => report.passed += 1,
            Some("skip") if is_leaf => report.skipped += 1,
            Some("pass" | "skip") => {}
            // What failed below is reported on its own.
            Some(_) if is_leaf || !reported_below() => {
                report
                    .failures
                    .push(failure(package, test, &state.said, module));
            }
            // A test that was begun and never ended broke its package off.
            None if is_leaf => {
                report
                    .failures
                    .push(failure(package, test, &state.said, module));
            }
            _ => {}
        }
    }
    report.coverage = coverage(states);
    report
}

fn failure(package: &str, test: &str, said: &str, module: &str) -> Failure {
    let directory = package.strip_prefix(module).unwrap_or(package);
    let directory = directory.trim_start_matches('/');
    let is_kept = |line: &&str| {
        let line = line.trim_start();
        !(line.starts_with("=== ") || line.starts_with("--- ") || line == "FAIL")
    };
    let kept: Vec<&str> = said.lines().filter(is_kept).collect();
    let name = if test.is_empty() { package } else { test };
    let mut failure = Failure::new(name.to_owned(), &kept.join("\n"), None);
    match first_place(&kept) {
        Some((file, line)) => {
            let is_path = directory.is_empty() || file.contains('/');
            failure.file = Some(if is_path {
                file.to_owned()
            } else {
                format!("{directory}/{file}")
            });
            failure.line = Some(line);
        }
        None if directory.is_empty() => {}
        None => failure.file = Some(directory.to_owned()),
    }
    failure
}

/// The first place that lines name; of a panic the first frame below it that is not one of Go's own.
fn first_place<'a>(lines: &[&'a str]) -> Option<(&'a str, u64)> {
    let panicked = lines.iter().rposition(|line| line.starts_with("panic("));
    let Some(frames) = panicked.and_then(|at| lines.get(at..)) else {
        return lines.iter().find_map(|line| place(line));
    };
    frames.windows(2).find_map(|frame| {
        let [function, at] = frame else { return None };
        let is_of_go = ["panic(", "runtime.", "testing."]
            .iter()
            .any(|start| function.starts_with(start));
        place(at).filter(|_| !is_of_go)
    })
}

/// The place in `    sum_test.go:12: message`, or of the compiler in `./sum.go:3:5: message`.
fn place(line: &str) -> Option<(&str, u64)> {
    let text = line.trim_start();
    let at = text.find(".go:")?;
    let file = text.get(..at + ".go".len())?;
    let line = leading_number(text.get(at + ".go:".len()..)?)?;
    let file = file.trim_start_matches("./");
    (!file.contains(char::is_whitespace)).then_some((file, line))
}

/// Of the only package that was measured; those of several cannot be put together from what is reported.
fn coverage(states: &States) -> Option<Coverage> {
    let of = |((_, test), state): (&(String, String), &GoState)| {
        let line = state
            .said
            .lines()
            .find(|line| line.starts_with("coverage: "));
        let (number, _) = line
            .filter(|_| test.is_empty())?
            .strip_prefix("coverage: ")?
            .split_once('%')?;
        number.parse::<f64>().ok()
    };
    let mut measured = states.iter().filter_map(of);
    let statements = measured.next()?;
    measured.next().is_none().then(|| Coverage {
        statements: Some(statements),
        ..Coverage::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn leaves_are_counted_and_places_are_those_of_the_module() {
        let text = r#"{"Action":"run","Package":"example.com/m/sum","Test":"TestAdd"}
{"Action":"pass","Package":"example.com/m/sum","Test":"TestAdd","Elapsed":0}
{"Action":"run","Package":"example.com/m/sum","Test":"TestTable"}
{"Action":"run","Package":"example.com/m/sum","Test":"TestTable/größe"}
{"Action":"output","Package":"example.com/m/sum","Test":"TestTable/größe","Output":"=== RUN   TestTable/größe\n"}
{"Action":"output","Package":"example.com/m/sum","Test":"TestTable/größe","Output":"    sum_test.go:12: got 1\n"}
{"Action":"fail","Package":"example.com/m/sum","Test":"TestTable/größe","Elapsed":0}
{"Action":"pass","Package":"example.com/m/sum","Test":"TestTable/b","Elapsed":0}
{"Action":"fail","Package":"example.com/m/sum","Test":"TestTable","Elapsed":0}
{"Action":"skip","Package":"example.com/m/sum","Test":"TestOff","Elapsed":0}
{"Action":"output","Package":"example.com/m/sum","Output":"coverage: 75.0% of statements\n"}
{"Action":"fail","Package":"example.com/m/sum","Elapsed":0}
FAIL	example.com/m/broken [build failed]
"#;
        let stderr =
            "# example.com/m/broken [example.com/m/broken.test]\nbroken/x.go:3:5: undefined: y\n";
        let failed = |name: &str, error: &str, file: &str, line| Failure {
            name: name.into(),
            error: error.into(),
            file: Some(file.into()),
            line: Some(line),
        };
        assert_eq!(
            parse(text, stderr, "example.com/m").unwrap(),
            Report {
                passed: 2,
                skipped: 1,
                failures: vec![
                    failed(
                        "example.com/m/broken",
                        "broken/x.go:3:5: undefined: y",
                        "broken/x.go",
                        3
                    ),
                    failed(
                        "TestTable/größe",
                        "sum_test.go:12: got 1",
                        "sum/sum_test.go",
                        12
                    ),
                ],
                coverage: Some(Coverage {
                    statements: Some(75.0),
                    ..Coverage::default()
                }),
            }
        );
        assert_eq!(parse("go: cannot find main module", "", "m"), None);
    }

    #[test]
    fn a_panic_is_where_the_code_of_the_project_panicked() {
        let stack = [
            "panic: boom [recovered]",
            "goroutine 6 [running]:",
            "testing.tRunner.func1()",
            "\t/usr/lib/go/src/testing/testing.go:1396 +0x24e",
            "panic({0x4f5e80, 0x5462b8})",
            "\t/usr/lib/go/src/runtime/panic.go:884 +0x212",
            "runtime.sigpanic()",
            "\t/usr/lib/go/src/runtime/signal_unix.go:835 +0x2f6",
            "example.com/m/b.TestP(0x0)",
            "\t/w/b/b_test.go:3 +0x27",
            "testing.tRunner(0x0, 0x0)",
            "\t/usr/lib/go/src/testing/testing.go:1446 +0x10b",
        ];
        assert_eq!(first_place(&stack), Some(("/w/b/b_test.go", 3)));
        assert_eq!(first_place(&stack[..8]), None);
        assert_eq!(
            first_place(&["    sum_test.go:12: got 1"]),
            Some(("sum_test.go", 12))
        );
    }

    proptest! {
        #[test]
        fn any_text_is_read_without_harm(lines in proptest::collection::vec(r#"(\{"Action":"(pass|fail|output|run)","Package":"[ab]"(,"Test":"[ab](/[ab])?")?(,"Output":"[ab.go:0-9 ]{0,9}")?\}|FAIL\t[ab] \[build failed\]|\PC{0,9})"#, 0..30)) {
            let text = lines.join("\n");
            let _ = parse(&text, &text, "a");
        }
    }
}
