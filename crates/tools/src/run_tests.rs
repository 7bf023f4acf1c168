//! Runs the tests of a project with the runner that it has, and reports what failed.
//!
//! The runner is started by the [execute operation](crate::Execute), as a command that says all of it: policy judges
//! that command, and its limits, its sandbox and the end of all its processes are those of commands.

mod cargo;
mod command;
mod coverage;
mod find;
mod frameworks;
mod go;
mod jest;
mod json;
mod mocha;
mod outcome;
mod project;
mod pytest;
mod report;
mod script;
mod tap;
mod vitest;
mod watch;

use std::collections::BTreeMap;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tenon_contract::{
    Access, ErrorCode, Operation, TimeLimit, Tool, ToolContext, ToolError, limits,
};
use tenon_process::{CommandSessions, Leftovers, Processes};
use tenon_workspace::{Located, Workspace};
use tokio::time::Instant;

use self::command::TestRequest;
use self::frameworks::Framework;
pub use self::outcome::{FailedTest, RunTestsOutput};
use self::project::{Project, Runner};
pub use self::report::Coverage;
use crate::{
    Execute, ExecuteDefaults, ExecuteOutput, ExecuteParams, FileSession, OnTimeout, OutputStyle,
};

/// Which tests to run.
#[derive(Debug, Clone, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RunTestsParams {
    /// Which tests to run. Default: `file` if `file` is given, else `all`.
    pub scope: Option<TestScope>,
    /// Test file, absolute or relative to the workspace. With other scopes it only selects the project.
    #[schemars(length(min = 1))]
    pub file: Option<String>,
    /// Run the tests again when a file changes, until the time limit; the last result is returned. Default: false.
    pub watch: Option<bool>,
    /// Measure code coverage. Default: false.
    pub coverage: Option<bool>,
}

/// Which tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TestScope {
    /// All tests of the project.
    All,
    /// Tests affected by changes since the last commit.
    Affected,
    /// Tests of one file.
    File,
}

/// The run-tests operation.
#[derive(Debug)]
pub struct RunTests {
    workspace: Workspace,
    processes: Processes,
    execute: Execute,
    timeout: Duration,
}

impl RunTests {
    /// Runs tests of projects in the workspace. What holds for commands holds for these too, but none of them is left
    /// running, and more of their output is kept to be read.
    #[must_use]
    pub fn new(files: &FileSession, processes: Processes, defaults: ExecuteDefaults) -> Self {
        let timeout = defaults.timeout;
        let defaults = ExecuteDefaults {
            output_bytes: limits::TESTS_OUTPUT_MAX_BYTES,
            leftovers: Leftovers::End,
            on_timeout: OnTimeout::End,
            // Reports are read by a program.
            output: OutputStyle { max_tokens: None },
            redactor: None,
            ..defaults
        };
        let execute = Execute::new(
            files,
            processes.clone(),
            CommandSessions::default(),
            defaults,
        );
        Self {
            workspace: files.workspace.clone(),
            processes,
            execute,
            timeout,
        }
    }

    /// The runner and what it is to run.
    fn found(&self, params: &RunTestsParams) -> Result<(Runner, Option<Located>), ToolError> {
        let file = params.file.as_deref();
        let file = file
            .map(|file| self.workspace.locate_existing(file))
            .transpose()?;
        let wants_file = match params.scope {
            Some(scope) => scope == TestScope::File,
            None => file.is_some(),
        };
        if wants_file {
            let Some(file) = file else {
                let message = "`scope` is `file`, but no file is named. Name it in `file`.";
                return Err(ToolError::new(ErrorCode::InvalidParams, message));
            };
            // A missing file is reported as such, with its neighbours.
            file.open_file()?;
            let runner = find::runner(&self.workspace, Some(&file), true, &self.processes)?;
            return Ok((runner, Some(file)));
        }
        let runner = find::runner(&self.workspace, file.as_ref(), false, &self.processes)?;
        Ok((runner, None))
    }
}

/// A command that runs tests, and how its report is read.
#[derive(Debug)]
pub struct RunTestsPlan {
    runner: Runner,
    params: ExecuteParams,
    first: crate::ExecutePlan,
    notes: Vec<String>,
    watch: bool,
    coverage: bool,
}

impl Tool for RunTests {
    const OPERATION: Operation = Operation::RunTests;
    const TIME_LIMIT: TimeLimit = TimeLimit::Operation;
    type Params = RunTestsParams;
    type Plan = RunTestsPlan;
    type Output = RunTestsOutput;

    fn plan(&self, params: RunTestsParams) -> Result<(Access, RunTestsPlan), ToolError> {
        let (runner, file) = self.found(&params)?;
        let project = Project {
            directory: &runner.directory,
            processes: &self.processes,
        };
        let inside = file
            .as_ref()
            .map(|file| find::inside(file, &runner.directory));
        let is_repository = || {
            let git = self.workspace.locate(".git");
            git.is_ok_and(|git| git.exists().unwrap_or(false))
        };
        let affected = params.scope == Some(TestScope::Affected);
        let coverage = params.coverage.unwrap_or(false);
        let text = (runner.framework == Framework::Go)
            .then(|| project.text(inside.as_deref()?))
            .flatten();
        let wanted = TestRequest {
            file: inside.as_deref(),
            text: text.as_deref(),
            affected: affected && is_repository(),
            coverage,
        };
        let (command, mut notes) = command::command(&runner, wanted, project);
        if affected && !wanted.affected {
            notes.push("The workspace is no git repository, so nobody knows what changed: all tests were run".to_owned());
        }
        let params_of_command = ExecuteParams {
            command,
            directory: Some(runner.directory.name().to_owned()),
            environment: environment(runner.framework),
            apart: Some(true),
            report_timeout: Some(true),
            ..ExecuteParams::default()
        };
        let (mut access, first) = self.execute.plan(params_of_command.clone())?;
        access.reads.extend(file.map(|file| file.claim().clone()));
        let plan = RunTestsPlan {
            runner,
            params: params_of_command,
            first,
            notes,
            watch: params.watch.unwrap_or(false),
            coverage,
        };
        Ok((access, plan))
    }

    async fn run(
        &self,
        plan: RunTestsPlan,
        context: ToolContext,
    ) -> Result<RunTestsOutput, ToolError> {
        let RunTestsPlan {
            runner,
            params,
            first,
            notes,
            watch,
            coverage,
        } = plan;
        let request = outcome::Request {
            runner,
            command: params.command.clone(),
            notes,
            coverage,
        };
        if watch {
            let until = Instant::now() + self.timeout;
            return self
                .watched(&request, &params, first, until, &context)
                .await;
        }
        let ran = self
            .execute
            .run(first, translated(&context, &request))
            .await?;
        request.outcome(&ran)
    }
}

/// The context of the command: what it writes is reported as a state of the tests.
fn translated(context: &ToolContext, request: &outcome::Request) -> ToolContext {
    let request = request.clone();
    context.translated(move |running: ExecuteOutput| request.so_far(&running))
}

/// nextest hides the form of its report behind a variable.
fn environment(framework: Framework) -> Option<BTreeMap<String, String>> {
    let name = "NEXTEST_EXPERIMENTAL_LIBTEST_JSON";
    (framework == Framework::Nextest).then(|| BTreeMap::from([(name.to_owned(), "1".to_owned())]))
}
