//! `run_tests` with the real runners. Those that are not installed are skipped, and it is said.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tenon_contract::{CancellationToken, Outcome};
use tenon_runtime::{CallRequest, Updates};

use crate::support::{Bench, path_with, text};

fn manager() -> Bench {
    Bench::new(json!({ "dialect": "manager" }))
}

/// What is the same in every run of the test; the time is some.
fn numbers(details: &Value) -> Value {
    assert!(details["totalTime"].as_u64().is_some(), "{details}");
    let mut numbers = details.clone();
    numbers.as_object_mut().unwrap().remove("totalTime");
    numbers
}

/// Name, file and line of every failure.
fn places(details: &Value) -> Vec<(&str, &str, Option<u64>)> {
    let failed = details["failedTests"].as_array().unwrap().iter();
    failed
        .map(|test| {
            (
                test["name"].as_str().unwrap(),
                test["file"].as_str().unwrap(),
                test["line"].as_u64(),
            )
        })
        .collect()
}

/// Lays the packages of this project into the workspace. Nothing, and it is said, where there are none.
fn with_packages(bench: &Bench, needed: &str) -> Option<()> {
    let packages = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../node_modules");
    let Ok(packages) = packages.canonicalize() else {
        println!("skipped: there is no node_modules; run npm ci");
        return None;
    };
    if !packages.join(needed).exists() {
        println!("skipped: `{needed}` is not installed; run npm ci");
        return None;
    }
    std::os::unix::fs::symlink(packages, bench.path("node_modules")).unwrap();
    Some(())
}

/// A program of the `PATH`. Nothing, and it is said, where it is missing.
fn has(program: &str) -> Option<PathBuf> {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&paths)
        .map(|directory| directory.join(program))
        .find(|path| path.exists());
    if found.is_none() {
        println!("skipped: `{program}` is not installed");
    }
    found
}

const SUITE: &str = "describe('größe', () => {
  test('passes', () => { expect(1).toBe(1) })
  test('fails ä', () => {
    expect(1).toBe(2)
  })
  test.skip('is off', () => {})
})
";

#[tokio::test]
async fn vitest_is_run_with_the_options_of_the_script() {
    let bench = manager();
    let Some(()) = with_packages(&bench, "vitest") else {
        return;
    };
    bench
        .write(
            "package.json",
            r#"{ "type": "module", "scripts": { "test": "tsc && vitest --globals" } }"#,
        )
        .write("src/a.test.js", SUITE)
        .write("src/b.test.js", "import './missing.js'\n");
    let (reported, details) = bench.ok("run_tests", json!({})).await;
    let command = "npx --no-install vitest run --globals --reporter=json --reporter=default";
    assert_eq!(
        places(&details),
        [
            ("größe fails ä", "src/a.test.js", Some(4)),
            ("src/b.test.js", "src/b.test.js", None),
        ],
        "{reported}"
    );
    let counts = [&details["passed"], &details["failed"], &details["skipped"]];
    assert_eq!(counts, [&json!(1), &json!(2), &json!(1)]);
    assert_eq!(details["framework"], "vitest");
    assert_eq!(details["command"], command);
    assert!(
        reported.starts_with("vitest: 1 passed, 2 failed, 1 skipped ("),
        "{reported}"
    );
    assert!(
        reported.contains(
            "FAILED größe fails ä (src/a.test.js:4)\n  AssertionError: expected 1 to be 2"
        ),
        "{reported}"
    );

    bench.write(
        "src/c.test.js",
        "test('only', () => { console.log('{\"numTotalTests\": 9}') })\n",
    );
    let (_, details) = bench
        .ok(
            "run_tests",
            json!({ "scope": "file", "file": "src/c.test.js" }),
        )
        .await;
    assert_eq!(
        numbers(&details),
        json!({
            "framework": "vitest", "passed": 1, "failed": 0, "skipped": 0, "failedTests": [], "directory": ".",
            "command": format!("{command} src/c.test.js"),
        })
    );
    let error = bench
        .call("run_tests", json!({ "coverage": true }))
        .await
        .unwrap_err();
    assert_eq!(error.code.as_str(), "process_failed");
    assert!(
        error.message.contains("@vitest/coverage"),
        "{}",
        error.message
    );
}

#[tokio::test]
async fn jest_is_run_and_measures() {
    let bench = manager();
    let Some(()) = with_packages(&bench, "jest") else {
        return;
    };
    bench
        .write("package.json", r#"{ "devDependencies": { "jest": "*" } }"#)
        .write(
            "sum.js",
            "exports.sum = (a, b) => {\n  if (a === 7) return 7\n  return a + b\n}\n",
        )
        .write("a.test.js", SUITE)
        .write(
            "b.test.js",
            "const { sum } = require('./sum')\ntest('adds', () => { expect(sum(1, 2)).toBe(3) })\n",
        );
    let (reported, details) = bench.ok("run_tests", json!({ "coverage": true })).await;
    assert_eq!(
        places(&details),
        [("größe fails ä", "a.test.js", Some(4))],
        "{reported}"
    );
    let counts = [&details["passed"], &details["failed"], &details["skipped"]];
    assert_eq!(counts, [&json!(2), &json!(1), &json!(1)]);
    assert_eq!(
        details["coverage"],
        json!({ "lines": 100.0, "statements": 75.0, "branches": 50.0, "functions": 100.0 })
    );
    let error = details["failedTests"][0]["error"].as_str().unwrap();
    assert!(error.contains("Expected: 2\nReceived: 1"), "{error}");
    assert!(!error.contains('\u{1b}'), "{error}");

    let (_, details) = bench.ok("run_tests", json!({ "file": "b.test.js" })).await;
    assert_eq!(
        numbers(&details),
        json!({
            "framework": "jest", "passed": 1, "failed": 0, "skipped": 0, "failedTests": [], "directory": ".",
            "command": "npx --no-install jest --json --passWithNoTests --watchAll=false --runTestsByPath b.test.js",
        })
    );
}

#[tokio::test]
async fn affected_tests_are_those_that_a_change_concerns() {
    let bench = manager();
    let Some(()) = with_packages(&bench, "jest") else {
        return;
    };
    bench
        .write("package.json", r#"{ "devDependencies": { "jest": "*" } }"#)
        .write(".gitignore", "node_modules\n")
        .write("sum.js", "exports.sum = (a, b) => a + b\n")
        .write("a.test.js", "test('other', () => {})\n")
        .write(
            "b.test.js",
            "const { sum } = require('./sum')\ntest('adds', () => { expect(sum(1, 2)).toBe(3) })\n",
        );
    let (_, details) = bench.ok("run_tests", json!({ "scope": "affected" })).await;
    assert_eq!(details["passed"], 2);
    let note =
        "The workspace is no git repository, so nobody knows what changed: all tests were run";
    assert_eq!(details["notes"], json!([note]));
    let git = |arguments: &[&str]| {
        let done = Command::new("git")
            .current_dir(bench.directory.path())
            .args(["-c", "user.name=a", "-c", "user.email=a@b"])
            .args(arguments)
            .output()
            .unwrap();
        assert!(done.status.success());
    };
    git(&["init", "-q"]);
    git(&["add", "-A"]);
    git(&["commit", "-qm", "one"]);
    bench.write("sum.js", "exports.sum = (a, b) => a - b\n");
    let (_, details) = bench.ok("run_tests", json!({ "scope": "affected" })).await;
    assert_eq!(places(&details), [("adds", "b.test.js", Some(2))]);
    assert_eq!(details["passed"], 0);
}

#[tokio::test]
async fn mocha_is_run_and_measured_by_c8() {
    let Some(path) = path_with("mocha/node_modules/.bin", "mocha") else {
        return;
    };
    let bench = manager();
    let packages = Path::new(path.split(':').next().unwrap()).join("..");
    std::os::unix::fs::symlink(packages.canonicalize().unwrap(), bench.path("node_modules"))
        .unwrap();
    bench
        .write(
            "package.json",
            r#"{ "scripts": { "test": "c8 mocha --ui bdd 'spec/**/*.js' --watch" } }"#,
        )
        .write("sum.js", "exports.sum = (a, b) => a + b\n")
        .write(
            "spec/a.js",
            "const assert = require('assert')
const { sum } = require('../sum')
describe('größe', () => {
  it('passes', () => { console.log('{ \"stats\": 1 }'); assert.equal(sum(1, 2), 3) })
  it('fails ä', () => {
    assert.equal(sum(1, 2), 4)
  })
  it.skip('is off', () => {})
})
",
        )
        .write("spec/b.js", "it('other', () => {})\n");
    let (reported, details) = bench.ok("run_tests", json!({})).await;
    assert_eq!(
        places(&details),
        [("größe fails ä", "spec/a.js", Some(6))],
        "{reported}"
    );
    let counts = [&details["passed"], &details["failed"], &details["skipped"]];
    assert_eq!(counts, [&json!(2), &json!(1), &json!(1)]);
    let (_, details) = bench.ok("run_tests", json!({ "file": "spec/b.js" })).await;
    assert_eq!(
        numbers(&details),
        json!({
            "framework": "mocha", "passed": 1, "failed": 0, "skipped": 0, "failedTests": [], "directory": ".",
            "command": "npx --no-install mocha --ui bdd --reporter json spec/b.js",
        })
    );
}

const NODE_SUITE: &str = "import { describe, test } from 'node:test'
import assert from 'node:assert'
import { sum } from '../sum.mjs'
describe('größe', () => {
  test('passes', () => { assert.equal(sum(1, 2), 3) })
  test('fails ä', () => {
    assert.equal(sum(1, 2), 4)
  })
  test('is off', { skip: true }, () => {})
})
";

#[tokio::test]
async fn the_runner_of_node_is_run_and_measures() {
    let bench = manager();
    bench
        .write(
            "package.json",
            r#"{ "scripts": { "test": "node --no-warnings --test --test-reporter spec" } }"#,
        )
        .write("sum.mjs", "export const sum = (a, b) => a + b\n")
        .write("test/a.test.mjs", NODE_SUITE)
        .write("test/b.test.mjs", "import './missing.mjs'\n");
    let (reported, details) = bench.ok("run_tests", json!({ "coverage": true })).await;
    let reported_places = places(&details);
    assert_eq!(
        reported_places[0],
        ("größe > fails ä", "test/a.test.mjs", Some(7)),
        "{reported}"
    );
    assert_eq!(reported_places.len(), 2);
    assert!(reported.contains("Cannot find module"), "{reported}");
    let counts = [&details["passed"], &details["failed"], &details["skipped"]];
    assert_eq!(counts, [&json!(1), &json!(2), &json!(1)]);
    assert!(
        details["coverage"]["lines"]
            .as_f64()
            .is_some_and(|share| share > 50.0),
        "{details}"
    );

    bench.write(
        "test/it's ok.test.mjs",
        "import test from 'node:test'\ntest('only', () => {})\n",
    );
    let (_, details) = bench
        .ok("run_tests", json!({ "file": "test/it's ok.test.mjs" }))
        .await;
    assert_eq!(
        numbers(&details),
        json!({
            "framework": "node:test", "passed": 1, "failed": 0, "skipped": 0, "failedTests": [], "directory": ".",
            "command": r"node --no-warnings --test --test-reporter=tap 'test/it'\''s ok.test.mjs'",
        })
    );
}

#[tokio::test]
async fn pytest_is_run_and_measures() {
    let Some(path) = path_with("python/bin", "pytest") else {
        return;
    };
    let bench = Bench::new(json!({ "dialect": "manager", "env": { "add": { "PATH": path } } }));
    bench
        .write(
            "pyproject.toml",
            "[tool.pytest.ini_options]\ntestpaths = ['tests']\npythonpath = ['.']\n",
        )
        .write(
            "summe.py",
            "def add(a, b):\n    if a == 7:\n        return 7\n    return a + b\n",
        )
        .write(
            "tests/test_a.py",
            "import pytest
from summe import add

class TestGröße:
    @pytest.mark.parametrize('b', [2])
    def test_fails(self, b):
        assert add(1, b) == 4, 'ä < b'

def test_passes():
    print('<testsuites>')
    assert add(1, 2) == 3

@pytest.mark.skip
def test_off():
    pass
",
        )
        .write("tests/test_b.py", "import missing_module\n");
    let (reported, details) = bench.ok("run_tests", json!({ "coverage": true })).await;
    let found = places(&details);
    assert_eq!(found.len(), 1, "{reported}");
    assert!(reported.contains("missing_module"), "{reported}");
    std::fs::remove_file(bench.path("tests/test_b.py")).unwrap();
    let (reported, details) = bench.ok("run_tests", json!({ "coverage": true })).await;
    assert_eq!(
        places(&details),
        [(
            "tests/test_a.py::TestGröße::test_fails[2]",
            "tests/test_a.py",
            Some(7)
        )],
        "{reported}"
    );
    let counts = [&details["passed"], &details["failed"], &details["skipped"]];
    assert_eq!(counts, [&json!(1), &json!(1), &json!(1)]);
    assert!(
        details["coverage"]["statements"].as_f64().is_some(),
        "{details}"
    );
    assert!(reported.contains("AssertionError: ä < b"), "{reported}");
    bench.write("tests/test_none.py", "");
    let (reported, details) = bench
        .ok("run_tests", json!({ "file": "tests/test_none.py" }))
        .await;
    assert_eq!(details["failed"], 0, "{reported}");
    assert!(reported.starts_with("pytest: no tests found"), "{reported}");
}

fn crate_of_two(bench: &Bench) {
    bench
        .write("Cargo.toml", "[package]\nname = \"zwei\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[workspace]\n")
        .write("src/lib.rs", "pub mod sum;\n")
        .write(
            "src/sum.rs",
            "/// Adds.\n///\n/// ```\n/// assert_eq!(zwei::sum::add(1, 2), 3);\n/// ```\npub fn add(a: i32, b: i32) -> i32 {\n    a + b\n}\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn größe() {\n        assert_eq!(super::add(1, 2), 4, \"ä\");\n    }\n    #[test]\n    #[ignore]\n    fn off() {}\n}\n",
        )
        .write("tests/whole.rs", "#[test]\nfn passes() {\n    assert_eq!(zwei::sum::add(1, 2), 3);\n}\n");
}

#[tokio::test]
async fn cargo_test_runs_units_programs_and_documentation() {
    let bench = manager();
    crate_of_two(&bench);
    let (reported, details) = bench.ok("run_tests", json!({})).await;
    assert_eq!(
        places(&details),
        [("sum::tests::größe", "src/sum.rs", Some(14))],
        "{reported}"
    );
    let counts = [&details["passed"], &details["failed"], &details["skipped"]];
    assert_eq!(counts, [&json!(2), &json!(1), &json!(1)]);
    assert_eq!(details["framework"], "cargo");
    for (file, arguments, counts) in [
        ("tests/whole.rs", "--test whole", [1, 0, 0]),
        ("src/sum.rs", "--lib sum::", [0, 1, 1]),
    ] {
        let (_, details) = bench.ok("run_tests", json!({ "file": file })).await;
        assert_eq!(
            details["command"],
            format!("cargo test --no-fail-fast --color=never {arguments}")
        );
        let found = ["passed", "failed", "skipped"].map(|name| details[name].as_u64().unwrap());
        assert_eq!(found, counts, "{file}");
    }
    bench.write("src/lib.rs", "pub mod sum;\npub fn broken() { x }\n");
    let error = bench.call("run_tests", json!({})).await.unwrap_err();
    assert_eq!(error.code.as_str(), "process_failed");
    assert!(
        error.message.contains("cannot find value `x`"),
        "{}",
        error.message
    );
}

#[tokio::test]
async fn nextest_is_taken_where_the_project_is_set_up_for_it() {
    if has("cargo-nextest").is_none() {
        return;
    }
    let bench = manager();
    crate_of_two(&bench);
    bench.write(".config/nextest.toml", "");
    let (reported, details) = bench.ok("run_tests", json!({})).await;
    assert_eq!(
        places(&details),
        [("sum::tests::größe", "src/sum.rs", Some(14))],
        "{reported}"
    );
    let counts = [&details["passed"], &details["failed"], &details["skipped"]];
    assert_eq!(counts, [&json!(1), &json!(1), &json!(1)]);
    assert_eq!(details["framework"], "cargo nextest");
}

#[tokio::test]
async fn go_test_is_run_and_measures() {
    if has("go").is_none() {
        return;
    }
    let bench = manager();
    bench
        .write("go.mod", "module example.com/m\n\ngo 1.19\n")
        .write("sum/sum.go", "package sum\n\nfunc Add(a, b int) int {\n\treturn a + b\n}\n")
        .write(
            "sum/sum_test.go",
            "package sum\n\nimport \"testing\"\n\nfunc TestAdd(t *testing.T) {}\n\nfunc TestTable(t *testing.T) {\n\tt.Run(\"größe\", func(t *testing.T) {\n\t\tif Add(1, 2) != 4 {\n\t\t\tt.Errorf(\"ä\")\n\t\t}\n\t})\n}\n\nfunc TestOff(t *testing.T) { t.Skip() }\n",
        )
        .write("sum/more_test.go", "package sum\n\nimport \"testing\"\n\nfunc TestMore(t *testing.T) {}\n");
    let (reported, details) = bench.ok("run_tests", json!({ "coverage": true })).await;
    assert_eq!(
        places(&details),
        [("TestTable/größe", "sum/sum_test.go", Some(10))],
        "{reported}"
    );
    let counts = [&details["passed"], &details["failed"], &details["skipped"]];
    assert_eq!(counts, [&json!(2), &json!(1), &json!(1)]);
    assert_eq!(details["coverage"], json!({ "statements": 100.0 }));
    let (_, details) = bench
        .ok("run_tests", json!({ "file": "sum/more_test.go" }))
        .await;
    assert_eq!(
        details["command"],
        "go test -json -run '^(TestMore)$' ./sum"
    );
    assert_eq!(details["passed"], 1);
    bench
        .write(
            "broken/x.go",
            "package broken\n\nfunc F() int { return y }\n",
        )
        .write("broken/x_test.go", "package broken\n");
    let (reported, details) = bench.ok("run_tests", json!({})).await;
    let of_broken = places(&details)
        .into_iter()
        .find(|(name, ..)| name.ends_with("broken"));
    assert_eq!(
        of_broken,
        Some(("example.com/m/broken", "broken/x.go", Some(3))),
        "{reported}"
    );
}

const PASSING: &str = "import test from 'node:test'\ntest('one', () => {})\n";

#[tokio::test]
async fn the_project_of_a_file_is_the_nearest_and_several_without_a_file_are_named() {
    let bench = manager();
    bench
        .write(
            "web/package.json",
            r#"{ "scripts": { "test": "node --test" } }"#,
        )
        .write("web/a.test.mjs", PASSING)
        .write(
            "api/Cargo.toml",
            "[package]\nname = \"a\"\nversion = \"0.1.0\"\n",
        )
        .write("api/tool.test.mjs", PASSING);
    let (code, message) = bench.refusal("run_tests", json!({})).await;
    assert_eq!(code, "not_found");
    assert!(
        message.contains("`api` (cargo), `web` (node:test)"),
        "{message}"
    );
    let (_, details) = bench
        .ok(
            "run_tests",
            json!({ "scope": "all", "file": "web/a.test.mjs" }),
        )
        .await;
    assert_eq!(
        (&details["directory"], &details["passed"]),
        (&json!("web"), &json!(1))
    );
    // A file of another language than the project's.
    let (_, details) = bench
        .ok("run_tests", json!({ "file": "api/tool.test.mjs" }))
        .await;
    assert_eq!(
        (&details["framework"], &details["passed"]),
        (&json!("node:test"), &json!(1))
    );
}

#[tokio::test]
async fn what_cannot_be_run_is_reported_with_the_next_step() {
    let bench = manager();
    bench.write("notes.txt", "").write("a.test.mjs", PASSING);
    for (params, code, words) in [
        (
            json!({ "scope": "file" }),
            "invalid_params",
            "Name it in `file`",
        ),
        (
            json!({ "file": "missing.test.mjs" }),
            "not_found",
            "`missing.test.mjs`",
        ),
        (
            json!({ "file": "notes.txt" }),
            "not_found",
            "No test runner was found for `notes.txt`",
        ),
        (
            json!({ "file": "../x.test.js" }),
            "outside_workspace",
            "../x.test.js",
        ),
        (
            json!({ "scope": "some" }),
            "invalid_params",
            "`all`, `affected`, `file`",
        ),
    ] {
        let refused = bench.refusal("run_tests", params.clone()).await;
        assert_eq!(refused.0, code, "{params}");
        assert!(refused.1.contains(words), "{}", refused.1);
    }
    let empty = manager();
    let (code, message) = empty.refusal("run_tests", json!({})).await;
    assert_eq!(code, "not_found");
    assert!(message.contains("pytest"), "{message}");
}

#[tokio::test]
async fn policy_judges_the_command_that_runs_the_tests() {
    let rules = |rules: Value| {
        let bench = Bench::new(json!({ "dialect": "manager", "permissions": rules }));
        bench.write("a.test.mjs", PASSING);
        bench
    };
    let denied = rules(json!({ "deny": ["Bash(node:*)"] }));
    let error = denied.call("run_tests", json!({})).await.unwrap_err();
    assert_eq!(error.code.as_str(), "policy_denied");
    assert_eq!(error.details["matched_rule"], "Bash(node:*)");
    let whole = rules(json!({ "deny": ["run_tests"] }));
    assert_eq!(
        whole.refusal("run_tests", json!({})).await.0,
        "policy_denied"
    );
    let allowed = rules(json!({ "allow": ["Bash(node:*)", "run_tests"] }));
    assert_eq!(allowed.ok("run_tests", json!({})).await.1["passed"], 1);
    let other = rules(json!({ "allow": ["Read"] }));
    assert_eq!(
        other.refusal("run_tests", json!({})).await.0,
        "policy_denied"
    );
}

/// A test that says which process it is and goes on for ever.
fn endless(bench: &Bench) {
    bench.write(
        "a.test.mjs",
        "import test from 'node:test'\nimport { writeFileSync } from 'node:fs'\ntest('first', () => {})\ntest('endless', async () => {\n  writeFileSync('pid', String(process.pid))\n  await new Promise(() => setInterval(() => {}, 1000))\n})\n",
    );
}

async fn gone(bench: &Bench) {
    let pid = bench.read("pid");
    for _ in 0..200 {
        if !Path::new(&format!("/proc/{pid}")).exists() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("the test still runs");
}

#[tokio::test]
async fn a_time_out_reports_how_far_it_came_and_leaves_nothing_running() {
    let bench = Bench::new(json!({ "dialect": "manager", "limits": { "timeoutMs": 4_000 } }));
    endless(&bench);
    let error = bench.call("run_tests", json!({})).await.unwrap_err();
    assert_eq!(error.code.as_str(), "timeout");
    assert_eq!(error.details["framework"], "node:test");
    assert!(
        error.message.contains("TAP version 13"),
        "{}",
        error.message
    );
    gone(&bench).await;
}

#[tokio::test]
async fn an_abort_ends_the_tests() {
    let bench = manager();
    endless(&bench);
    let cancellation = CancellationToken::new();
    let call = CallRequest {
        cancellation: cancellation.clone(),
        ..CallRequest::new("run_tests", json!({}))
    };
    let abort = async {
        for _ in 0..200 {
            if bench.path("pid").exists() && !bench.read("pid").is_empty() {
                break;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        cancellation.cancel();
    };
    let (answer, ()) = tokio::join!(bench.toolkit.call(call), abort);
    assert_eq!(answer.unwrap_err().code.as_str(), "cancelled");
    gone(&bench).await;
}

#[derive(Default)]
struct Received(Mutex<Vec<Outcome>>);

impl Updates for Received {
    fn is_due(&self) -> bool {
        true
    }
    fn publish(&self, partial: Outcome) {
        self.0.lock().unwrap().push(partial);
    }
}

#[tokio::test]
async fn watched_tests_run_again_after_a_change_and_the_last_result_is_the_answer() {
    let bench = Bench::new(json!({ "dialect": "manager", "limits": { "timeoutMs": 8_000 } }));
    bench
        .write("value.mjs", "export default 1\n")
        .write("a.test.mjs", "import test from 'node:test'\nimport assert from 'node:assert'\nimport value from './value.mjs'\ntest('one', () => { assert.equal(value, 2) })\n");
    let received = Arc::new(Received::default());
    let call = CallRequest {
        updates: Some(received.clone()),
        ..CallRequest::new("run_tests", json!({ "watch": true }))
    };
    let change = async {
        for _ in 0..100 {
            tokio::time::sleep(Duration::from_millis(50)).await;
            let received = received.0.lock().unwrap();
            if received.iter().any(|partial| {
                partial.details["failed"] == 1 && partial.details["running"].is_null()
            }) {
                break;
            }
        }
        bench.write("value.mjs", "export default 2\n");
    };
    let (answer, ()) = tokio::join!(bench.toolkit.call(call), change);
    let answer = answer.unwrap();
    assert_eq!(
        (&answer.details["passed"], &answer.details["failed"]),
        (&json!(1), &json!(0)),
        "{}",
        text(&answer)
    );
    let received = received.0.lock().unwrap();
    assert!(
        received
            .iter()
            .any(|partial| partial.details["running"] == true)
    );
}
