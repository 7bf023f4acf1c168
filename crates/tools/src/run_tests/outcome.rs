//! From what a runner wrote to what is answered.

use std::path::Path;
use std::time::Duration;

use tenon_contract::{ErrorCode, FileChange, Output, ToolError, limits};
use tenon_process::strip_escapes;

use super::frameworks::RunnerOutput;
use super::project::Runner;
use super::report::{Coverage, Failure, Report, reported, tail};
use crate::{ExecuteOutput, ExecuteStatus, StreamOutput};

/// What the tests came to.
#[derive(Debug, Clone, PartialEq)]
pub struct RunTestsOutput {
    /// The runner, such as `vitest`.
    pub framework: &'static str,
    /// The command that ran them.
    pub command: String,
    /// The directory of the project, as answers name it.
    pub directory: String,
    /// Tests that passed.
    pub passed: u64,
    /// Tests that failed, and files that could not be tested; those that are not named included.
    pub failed: u64,
    /// Tests that were not run, or whose failing was expected.
    pub skipped: u64,
    /// From start to end of the run.
    pub duration: Duration,
    /// The first that failed, as the runner orders them.
    pub failures: Vec<FailedTest>,
    /// How much of the code was run, if that was asked for and reported.
    pub coverage: Option<Coverage>,
    /// What else is to be known, in sentences without their full stop.
    pub notes: Vec<String>,
    /// The end of what was written, while the tests run.
    pub running: Option<String>,
    /// Files that were changed meanwhile, if that is to be reported.
    pub changed: Vec<FileChange>,
}

/// One test that failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedTest {
    /// Its name, as the runner takes it.
    pub name: String,
    /// What went wrong, cut to [`limits::TESTS_ERROR_MAX_BYTES`].
    pub error: String,
    /// Its file, as answers name files.
    pub file: Option<String>,
    /// The line that failed, else that of the test.
    pub line: Option<u64>,
}

impl Output for RunTestsOutput {
    fn changes(&self) -> Vec<FileChange> {
        self.changed.clone()
    }
}

/// What was asked of a runner.
#[derive(Debug, Clone)]
pub(super) struct Request {
    pub(super) runner: Runner,
    pub(super) command: String,
    pub(super) notes: Vec<String>,
    pub(super) coverage: bool,
}

impl Request {
    /// The answer; a failure where no tests could be run or their time was up.
    pub(super) fn outcome(&self, ran: &ExecuteOutput) -> Result<RunTestsOutput, ToolError> {
        let report = self.report(ran);
        if ran.status == ExecuteStatus::Timeout {
            return Err(self.timed_out(ran, report));
        }
        let Some(mut report) = report else {
            return Err(self.not_run(ran));
        };
        let is_fine = self.runner.framework.is_fine(ran.exit_code);
        if !is_fine && report.failures.is_empty() {
            report.failures.push(self.broken_off(ran));
        }
        Ok(self.reported(report, ran))
    }

    /// How it stands while the tests run.
    pub(super) fn so_far(&self, running: &ExecuteOutput) -> RunTestsOutput {
        let is_small = running
            .output
            .captures()
            .all(|capture| capture.total_bytes < SMALL);
        let reads = self.runner.framework.reports_as_it_runs() && is_small;
        let report = reads.then(|| self.report(running)).flatten();
        let shown =
            strip_escapes(tail(&running.output.text(), limits::TESTS_SHOWN_MAX_BYTES)).into_owned();
        RunTestsOutput {
            running: Some(shown),
            ..self.reported(report.unwrap_or_default(), running)
        }
    }

    fn report(&self, ran: &ExecuteOutput) -> Option<Report> {
        let (stdout, stderr) = match &ran.output {
            StreamOutput::Apart { stdout, stderr } => (stdout.text("\n"), stderr.text("\n")),
            StreamOutput::Merged(merged) => (merged.text("\n"), "".into()),
        };
        let stdout = strip_escapes(&stdout);
        self.runner.framework.read(RunnerOutput {
            stdout: &stdout,
            stderr: &stderr,
            module: &self.runner.module,
        })
    }

    fn reported(&self, report: Report, ran: &ExecuteOutput) -> RunTestsOutput {
        let failed = report.failures.len() as u64;
        let mut notes = self.notes.clone();
        if self.coverage
            && report.coverage.is_none()
            && notes.is_empty()
            && ran.status != ExecuteStatus::Running
        {
            notes.push(format!(
                "{} reported no coverage",
                self.runner.framework.name()
            ));
        }
        if ran.output.captures().any(tenon_process::Capture::truncated)
            && ran.status != ExecuteStatus::Running
        {
            notes.push(
                "The tests wrote more than can be read: numbers and failures may be missing"
                    .to_owned(),
            );
        }
        let named = report
            .failures
            .into_iter()
            .take(limits::TESTS_FAILED_NAMED_MAX);
        RunTestsOutput {
            framework: self.runner.framework.name(),
            command: self.command.clone(),
            directory: self.runner.directory.name().to_owned(),
            passed: report.passed,
            failed,
            skipped: report.skipped,
            duration: ran.duration,
            failures: named.map(|failure| self.failed(failure)).collect(),
            coverage: report.coverage.filter(|_| self.coverage),
            notes,
            running: None,
            changed: ran
                .changed
                .iter()
                .flat_map(|changed| changed.changes.clone())
                .collect(),
        }
    }

    fn failed(&self, failure: Failure) -> FailedTest {
        FailedTest {
            name: self.shortened(failure.name),
            error: failure.error,
            file: failure.file.map(|file| self.named(&file)),
            line: failure.line,
        }
    }

    /// Runners that name a test after its file do it with the whole path.
    fn shortened(&self, name: String) -> String {
        if Path::new(&name).is_absolute() {
            self.named(&name)
        } else {
            name
        }
    }

    /// The file as answers name it. Runners write it absolute, seen from the project, or from a directory above it.
    fn named(&self, file: &str) -> String {
        let workspace = self.runner.directory.workspace();
        let found = self
            .runner
            .directory
            .target()
            .ancestors()
            .find_map(|directory| {
                let located = workspace
                    .locate(&directory.join(file).to_string_lossy())
                    .ok()?;
                let exists = located.exists().unwrap_or(false);
                exists.then(|| workspace.name_of(located.target()))?
            });
        found.unwrap_or_else(|| file.to_owned())
    }

    /// A run in which nothing failed and that failed nevertheless: a threshold, an error outside of the tests.
    fn broken_off(&self, ran: &ExecuteOutput) -> Failure {
        let how = ended(ran);
        let shown = shown(ran);
        let error = format!(
            "{} {how}, though no test is reported as failed.\n{shown}",
            self.runner.framework.name()
        );
        Failure {
            name: "(the run)".to_owned(),
            error: reported(&error),
            file: None,
            line: None,
        }
    }

    fn not_run(&self, ran: &ExecuteOutput) -> ToolError {
        let shown = shown(ran);
        let message = format!(
            "`{}` ran no tests: it {}.\n\n{shown}\n\nFix that and run the tests again.",
            self.command,
            ended(ran)
        );
        ToolError::new(ErrorCode::ProcessFailed, message)
            .with("framework", self.runner.framework.name())
            .with("command", self.command.as_str())
            .with("exit_code", ran.exit_code)
            .with("output", shown)
    }

    fn timed_out(&self, ran: &ExecuteOutput, report: Option<Report>) -> ToolError {
        let shown = shown(ran);
        let seconds = ran.duration.as_secs();
        let message = format!(
            "The tests did not finish within {seconds} s and were killed with all their processes. Run fewer of them, such as those of one file.\n\n{shown}"
        );
        let error = ToolError::new(ErrorCode::Timeout, message)
            .with("framework", self.runner.framework.name())
            .with("command", self.command.as_str())
            .with("output", shown);
        match report {
            Some(report) => error
                .with("passed", report.passed)
                .with("failed", report.failures.len())
                .with("skipped", report.skipped),
            None => error,
        }
    }
}

/// Output below so many bytes is read again for every update.
const SMALL: u64 = 256 * 1024;

fn ended(ran: &ExecuteOutput) -> String {
    match (ran.exit_code, &ran.signal) {
        (Some(code), _) => format!("exited with code {code}"),
        (None, Some(signal)) => format!("was killed by {signal}"),
        (None, None) => "did not finish".to_owned(),
    }
}

/// The end of what was written, both streams.
fn shown(ran: &ExecuteOutput) -> String {
    let text = ran.output.text();
    strip_escapes(tail(&text, limits::TESTS_SHOWN_MAX_BYTES)).into_owned()
}
