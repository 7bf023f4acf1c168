//! run_tests: the tests of the project, by whatever runner it has.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use tenon_contract::{Content, Operation};
use tenon_tools::{Coverage, FailedTest, RunTestsOutput, RunTestsParams};

use crate::binding::{Category, ParamsCodec, ToolBinding};
use crate::render::{millis, tests_text};
use crate::result_view::ResultView;
use crate::schema_source::SchemaSource;
use crate::spellings::FILE;
use crate::words::Words;
use crate::{Convert, Field, Renderer};

/// The row of `run_tests`.
pub(super) const BINDING: ToolBinding = ToolBinding {
    operation: Operation::RunTests,
    name: "run_tests",
    label: "Run tests",
    description: include_str!("descriptions/run_tests.md"),
    category: Category::Testing,
    level: 0,
    params: ParamsCodec::Fields(&[
        Field::same("scope")
            .convert(Convert::Stated(|| json!("all")))
            .describe("Which tests to run; with `file` given the default is `file`."),
        Field::same("file").aliases(FILE),
        Field::same("watch")
            .convert(Convert::Default(|| json!(false)))
            .describe("Run the tests again when a file changes, until the time limit; the last result is returned."),
        Field::same("coverage")
            .convert(Convert::Default(|| json!(false)))
            .describe("Measure code coverage."),
    ]),
    operation_params: SchemaSource::params::<RunTestsParams>(),
    renderer: Renderer::of::<ManagerTestsDetails>(),
};

/// Details of `run_tests`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ManagerTestsDetails {
    /// The runner: `vitest`, `jest`, `mocha`, `node:test`, `pytest`, `cargo`, `cargo nextest` or `go test`.
    framework: String,
    /// Tests that passed.
    passed: u64,
    /// Tests that failed, and files that could not be tested.
    failed: u64,
    /// Tests that were not run, or whose failing was expected.
    skipped: u64,
    /// From start to end of the run, in milliseconds.
    total_time: u64,
    /// The first 100 that failed, as the runner orders them.
    failed_tests: Vec<ManagerFailedTest>,
    /// How much of the code was run, if that was asked for and the runner reported it.
    #[serde(skip_serializing_if = "Option::is_none")]
    coverage: Option<ManagerCoverage>,
    /// The command that ran the tests.
    command: String,
    /// The directory that it ran in, relative to the workspace.
    directory: String,
    /// Present and true in updates: the tests still run.
    #[serde(skip_serializing_if = "Option::is_none")]
    running: Option<bool>,
    /// What else is to be known, such as what a runner cannot do.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
}

/// One test that failed.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ManagerFailedTest {
    /// Its name, as the runner takes it.
    name: String,
    /// What went wrong.
    error: String,
    /// Its file, relative to the workspace; empty where the runner does not say.
    file: String,
    /// The line that failed, from 1, where the runner says.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u64>,
}

/// How much of the code was run, in percent; what the runner does not measure is missing.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ManagerCoverage {
    /// Of the lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    lines: Option<f64>,
    /// Of the statements.
    #[serde(skip_serializing_if = "Option::is_none")]
    statements: Option<f64>,
    /// Of the branches.
    #[serde(skip_serializing_if = "Option::is_none")]
    branches: Option<f64>,
    /// Of the functions.
    #[serde(skip_serializing_if = "Option::is_none")]
    functions: Option<f64>,
}

impl From<FailedTest> for ManagerFailedTest {
    fn from(test: FailedTest) -> Self {
        Self {
            name: test.name,
            error: test.error,
            file: test.file.unwrap_or_default(),
            line: test.line,
        }
    }
}

impl From<Coverage> for ManagerCoverage {
    fn from(coverage: Coverage) -> Self {
        Self {
            lines: coverage.lines,
            statements: coverage.statements,
            branches: coverage.branches,
            functions: coverage.functions,
        }
    }
}

impl ResultView for ManagerTestsDetails {
    type Output = RunTestsOutput;

    fn render(output: RunTestsOutput, words: &Words<'_>) -> (Vec<Content>, Self) {
        let text = tests_text(&output, words);
        let details = Self {
            framework: output.framework.to_owned(),
            passed: output.passed,
            failed: output.failed,
            skipped: output.skipped,
            total_time: millis(output.duration),
            failed_tests: output.failures.into_iter().map(Into::into).collect(),
            coverage: output.coverage.map(Into::into),
            command: output.command,
            directory: output.directory,
            running: output.running.is_some().then_some(true),
            notes: output.notes,
        };
        (vec![Content::Text(text)], details)
    }
}
