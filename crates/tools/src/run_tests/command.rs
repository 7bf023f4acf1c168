//! The command that makes a runner run what was asked for, and report it in a form that can be read.

use std::path::Path;

use super::frameworks::Framework;
use super::project::{Project, Runner};
use crate::shell_word::{file_word, shell_word};

/// What to run.
#[derive(Debug, Clone, Copy)]
pub(super) struct TestRequest<'a> {
    /// The file to test, seen from the project, with `/`.
    pub(super) file: Option<&'a str>,
    /// Its text, as far as it was read.
    pub(super) text: Option<&'a str>,
    /// Only what the changes since the last commit concern.
    pub(super) affected: bool,
    pub(super) coverage: bool,
}

/// Options that make a runner go on watching, and what is asked for in another way here.
const fn dropped(framework: Framework) -> &'static [&'static str] {
    match framework {
        Framework::Vitest => &[
            "run",
            "watch",
            "dev",
            "--run",
            "--watch",
            "-w",
            "--watch=true",
            "--ui",
            "--coverage",
        ],
        Framework::Jest => &[
            "--watch",
            "--watchAll",
            "--watchAll=true",
            "--watch=true",
            "--coverage",
        ],
        _ => &["--watch", "-w"],
    }
}
/// Options of which the next word is the value, in the scripts of projects.
const VALUED: &[&str] = &[
    "-c",
    "--config",
    "-r",
    "--require",
    "--import",
    "--loader",
    "--project",
    "--projects",
    "--root",
    "--rootDir",
    "--dir",
    "--env",
    "--environment",
    "--testEnvironment",
    "--pool",
    "--maxWorkers",
    "-t",
    "--timeout",
    "--testTimeout",
    "--extension",
    "--ui",
    "-u",
    "--package",
    "--opts",
    "--exclude",
    "--ignore",
    "--conditions",
    "-C",
    "--env-file",
    "--test-concurrency",
    "--mode",
];

/// The command, and what is to be said about it.
pub(super) fn command(
    runner: &Runner,
    wanted: TestRequest<'_>,
    project: Project<'_>,
) -> (String, Vec<String>) {
    let mut notes = Vec::new();
    let name = runner.framework.name();
    if wanted.affected && !runner.framework.knows_affected() {
        notes.push(format!(
            "{name} cannot select the tests for a change: all were run"
        ));
    }
    let words = match runner.framework {
        Framework::Vitest => vitest(runner, wanted),
        Framework::Jest => jest(runner, wanted),
        Framework::Mocha => mocha(runner, wanted, project, &mut notes),
        Framework::Node => node(runner, wanted),
        Framework::Pytest => pytest(runner, wanted),
        Framework::Cargo | Framework::Nextest => cargo(runner, wanted, project, &mut notes),
        Framework::Go => go(runner, wanted),
    };
    (words.join(" "), notes)
}

/// Words of an own hand.
fn own(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// What the script of the project gives its runner; of a single file only the options.
fn kept(runner: &Runner, wanted: TestRequest<'_>) -> Vec<String> {
    let mut kept = Vec::new();
    let mut takes_value = false;
    for word in &runner.arguments {
        let is_option = word.starts_with('-');
        let is_wanted = takes_value || is_option || wanted.file.is_none();
        if is_wanted && (takes_value || !dropped(runner.framework).contains(&word.as_str())) {
            kept.push(word.clone());
        }
        takes_value = is_option && VALUED.contains(&word.as_str());
    }
    kept
}

fn vitest(runner: &Runner, wanted: TestRequest<'_>) -> Vec<String> {
    let mut words = runner.program.clone();
    words.push("run".to_owned());
    words.extend(kept(runner, wanted));
    // The second one has the errors that are of no test.
    words.extend(own(&["--reporter=json", "--reporter=default"]));
    if wanted.coverage {
        words.extend(own(&[
            "--coverage.enabled=true",
            "--coverage.reporter=text-summary",
        ]));
    }
    if wanted.affected {
        // A change may concern no test. Everywhere else the option would turn a file without tests into one that passed.
        words.extend(own(&["--changed", "--passWithNoTests"]));
    }
    words.extend(wanted.file.map(file_word));
    words
}

fn jest(runner: &Runner, wanted: TestRequest<'_>) -> Vec<String> {
    let mut words = runner.program.clone();
    words.extend(kept(runner, wanted));
    words.extend(own(&["--json", "--passWithNoTests", "--watchAll=false"]));
    if wanted.coverage {
        words.extend(own(&["--coverage", "--coverageReporters=text-summary"]));
    }
    if wanted.affected {
        words.push("--onlyChanged".to_owned());
    }
    if let Some(file) = wanted.file {
        words.extend(["--runTestsByPath".to_owned(), file_word(file)]);
    }
    words
}

fn mocha(
    runner: &Runner,
    wanted: TestRequest<'_>,
    project: Project<'_>,
    notes: &mut Vec<String>,
) -> Vec<String> {
    let mut words = Vec::new();
    if wanted.coverage {
        let measurer = ["c8", "nyc"].into_iter().map(|name| project.binary(name));
        let installed = measurer.into_iter().find(|words| {
            words
                .first()
                .is_some_and(|word| word.contains("node_modules"))
        });
        match installed {
            Some(measurer) => {
                words.extend(measurer);
                words.push("--reporter=text-summary".to_owned());
            }
            None => notes.push("Mocha measures no coverage by itself: install c8".to_owned()),
        }
    }
    words.extend(runner.program.iter().cloned());
    words.extend(kept(runner, wanted));
    words.extend(own(&["--reporter", "json"]));
    words.extend(wanted.file.map(file_word));
    words
}

fn node(runner: &Runner, wanted: TestRequest<'_>) -> Vec<String> {
    let mut words = runner.program.clone();
    let mut is_value = false;
    let arguments = runner.arguments.iter().filter(|word| {
        let is_reporter = word.starts_with("--test-reporter");
        let is_dropped = is_value || is_reporter || word.starts_with("--watch");
        is_value = is_reporter && !word.contains('=');
        !is_dropped
    });
    let arguments: Vec<String> = arguments.cloned().collect();
    let at = arguments.iter().position(|word| word == "--test");
    let (before, after) = match at.and_then(|at| arguments.split_at_checked(at)) {
        Some((before, after)) => (before.to_vec(), after.get(1..).unwrap_or_default().to_vec()),
        None => (Vec::new(), Vec::new()),
    };
    words.extend(before);
    words.extend(own(&["--test", "--test-reporter=tap"]));
    if wanted.coverage {
        words.push("--experimental-test-coverage".to_owned());
    }
    let script = Runner {
        arguments: after,
        ..runner.clone()
    };
    words.extend(kept(&script, wanted));
    words.extend(wanted.file.map(file_word));
    words
}

fn pytest(runner: &Runner, wanted: TestRequest<'_>) -> Vec<String> {
    let mut words = runner.program.clone();
    words.extend(own(&[
        "--color=no",
        "-o",
        "junit_family=xunit1",
        "-o",
        "junit_logging=no",
    ]));
    if !cfg!(windows) {
        words.push("--junitxml=/dev/stdout".to_owned());
    }
    if wanted.coverage {
        words.extend(own(&["--cov", "--cov-report=term"]));
    }
    words.extend(wanted.file.map(file_word));
    words
}

fn cargo(
    runner: &Runner,
    wanted: TestRequest<'_>,
    project: Project<'_>,
    notes: &mut Vec<String>,
) -> Vec<String> {
    let mut words = runner.program.clone();
    words.extend(match runner.framework {
        Framework::Nextest => own(&["nextest", "run", "--message-format", "libtest-json"]),
        _ => own(&["test"]),
    });
    words.extend(own(&["--no-fail-fast", "--color=never"]));
    if wanted.coverage {
        notes.push("cargo measures no coverage by itself: run `cargo llvm-cov`".to_owned());
    }
    match wanted.file {
        Some(file) => words.extend(cargo_target(file, project)),
        None => words.extend(runner.arguments.iter().cloned()),
    }
    words
}

/// What of a package a file belongs to: a program of tests, or a module of its library.
fn cargo_target(file: &str, project: Project<'_>) -> Vec<String> {
    let parts: Vec<&str> = file.trim_end_matches(".rs").split('/').collect();
    let target = |option: &str, name: &str| vec![option.to_owned(), shell_word(name)];
    match parts.as_slice() {
        ["tests", name] | ["tests", name, "main"] => target("--test", name),
        ["tests", ..] => vec!["--tests".to_owned()],
        ["examples", name, ..] => target("--example", name),
        ["benches", name, ..] => target("--bench", name),
        ["src", "bin", name, ..] => target("--bin", name),
        ["src", "lib"] => vec!["--lib".to_owned()],
        ["src", "main"] => vec!["--bins".to_owned()],
        ["src", modules @ ..] => {
            let kind = if project.has("src/lib.rs") {
                "--lib"
            } else {
                "--bins"
            };
            let modules = match modules {
                [directories @ .., "mod"] => directories,
                all => all,
            };
            vec![
                kind.to_owned(),
                shell_word(&format!("{}::", modules.join("::"))),
            ]
        }
        _ => Vec::new(),
    }
}

fn go(runner: &Runner, wanted: TestRequest<'_>) -> Vec<String> {
    let mut words = runner.program.clone();
    words.extend(own(&["test", "-json"]));
    if wanted.coverage {
        words.push("-cover".to_owned());
    }
    let Some(file) = wanted.file else {
        words.push("./...".to_owned());
        return words;
    };
    let names = go_tests(wanted.text.unwrap_or_default());
    if !names.is_empty() {
        let names = format!("^({})$", names.join("|"));
        words.extend(["-run".to_owned(), shell_word(&names)]);
    }
    let directory = Path::new(file).parent().map(Path::to_string_lossy);
    words.push(shell_word(&format!("./{}", directory.unwrap_or_default())));
    words
}

/// The tests that a file of Go declares.
fn go_tests(text: &str) -> Vec<&str> {
    let declared = text.lines().filter_map(|line| line.strip_prefix("func "));
    let names = declared.filter_map(|rest| rest.split('(').next());
    names
        .map(str::trim)
        .filter(|name| {
            let starts = ["Test", "Example", "Fuzz"]
                .iter()
                .any(|start| name.starts_with(start));
            starts
                && name
                    .chars()
                    .all(|letter| letter.is_alphanumeric() || letter == '_')
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tests_of_a_file_of_go_are_those_at_its_top() {
        let text = "package a\n\nfunc TestÄ(t *testing.T) {\n}\nfunc helper() {}\n\tfunc TestInner(\nfunc (s *S) TestMethod(t *testing.T) {}\nfunc ExampleA() {}\n";
        assert_eq!(go_tests(text), ["TestÄ", "ExampleA"]);
    }
}
