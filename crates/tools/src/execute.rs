//! Runs a command: in the foreground, or on in the background.

mod changed;
mod condensed;
mod foreground;
mod output;
mod refused;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tenon_contract::{
    Access, CommandClaim, ErrorCode, GivenVariable, Operation, TimeLimit, Tool, ToolContext,
    ToolError, limits,
};
use tenon_process::{
    CommandInput, CommandLimits, CommandSessions, CommandSpec, Keep, Leftovers, Processes, Sandbox,
    Shell, Streams, TerminalSize, check_given,
};
use tenon_secrets::Redactor;
use tenon_workspace::{FileKind, Journal, Located, Workspace};
use tokio::sync::Semaphore;

use crate::blocking::processors;
use crate::session::FileSession;
use crate::wait_for::{Awaited, WaitFor};
pub use changed::ChangedFiles;
pub use condensed::{OutputStyle, ShownOutput};
pub(crate) use condensed::{condensed_news, kept_news};
pub(crate) use foreground::status_of;
pub use output::{BackgroundReason, ExecuteOutput, ExecuteStatus, InBackground, StreamOutput};
pub use refused::InSandbox;

/// What to run.
#[derive(Debug, Clone, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExecuteParams {
    /// The command line.
    #[schemars(length(min = 1))]
    pub command: String,
    /// Working directory, absolute or relative to the workspace. Default: the workspace.
    pub directory: Option<String>,
    /// Environment variables to set.
    pub environment: Option<BTreeMap<String, String>>,
    /// Time limit in milliseconds. Default: 120000; none in the background.
    #[schemars(range(min = 1, max = 2_147_483_000))]
    pub timeout: Option<u64>,
    /// Keep standard output and standard error separate. Default: false.
    pub apart: Option<bool>,
    /// Return a time-out as a result, with the output so far, instead of failing. Default: false.
    pub report_timeout: Option<bool>,
    /// Whether the time limit ends only a command that somebody waits for, and none in the
    /// background. Default: false.
    pub timeout_in_foreground: Option<bool>,
    /// Run it in the background and return at once. Default: false.
    pub background: Option<bool>,
    /// Move it to the background after this many milliseconds. Default: never.
    #[schemars(range(max = 2_147_483_000))]
    pub yield_after: Option<u64>,
    /// Run it in a terminal, for programs that need one. Default: false.
    pub terminal: Option<bool>,
    /// Terminal lines. Default: 30.
    #[schemars(range(min = 2, max = 500))]
    pub rows: Option<u16>,
    /// Terminal columns. Default: 120.
    #[schemars(range(min = 2, max = 1000))]
    pub columns: Option<u16>,
    /// Run it in the background and return as soon as it is ready.
    pub wait_for: Option<WaitFor>,
}

/// What holds for every command that does not say otherwise.
#[derive(Debug, Clone)]
pub struct ExecuteDefaults {
    /// The shell. Default: the system's usual one.
    pub shell: Shell,
    /// Longest time of a command. Default: [`limits::CALL_TIMEOUT`].
    pub timeout: Duration,
    /// Bytes of each output that an answer keeps, half from each end. Default:
    /// [`limits::EXECUTE_OUTPUT_MAX_BYTES`].
    pub output_bytes: usize,
    /// What becomes of processes that a command leaves running. Default: they are ended.
    pub leftovers: Leftovers,
    /// What becomes of a command whose time is up. Default: it is ended.
    pub on_timeout: OnTimeout,
    /// What the processes of a command together may use. Default: no limits.
    pub limits: CommandLimits,
    /// What a command may do to the system. Default: whatever its user may.
    pub sandbox: Option<Arc<Sandbox>>,
    /// Whether an answer shows which files of the workspace were changed. Default: no.
    pub report_changes: bool,
    /// How output is shown to a model. Default: condensed, at most [`limits::EXECUTE_OUTPUT_MAX_TOKENS`].
    pub output: OutputStyle,
    /// Takes secrets out of output. Default: nothing does.
    pub redactor: Option<Arc<Redactor>>,
}

/// What becomes of a command whose time in the foreground is up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnTimeout {
    /// It is ended with all its processes.
    #[default]
    End,
    /// It runs on in the background.
    Background,
}

impl Default for ExecuteDefaults {
    fn default() -> Self {
        Self {
            shell: Shell::default_shell(),
            timeout: limits::CALL_TIMEOUT,
            output_bytes: limits::EXECUTE_OUTPUT_MAX_BYTES,
            leftovers: Leftovers::End,
            on_timeout: OnTimeout::End,
            limits: CommandLimits::default(),
            sandbox: None,
            report_changes: false,
            output: OutputStyle::default(),
            redactor: None,
        }
    }
}

/// The execute operation.
#[derive(Debug)]
pub struct Execute {
    workspace: Workspace,
    /// Where it is recorded what a command changed.
    journal: Journal,
    processes: Processes,
    sessions: CommandSessions,
    defaults: ExecuteDefaults,
    /// Turns to start a command.
    starting: Semaphore,
}

impl Execute {
    /// Runs in directories of the workspace; what runs on in the background goes to `sessions`.
    #[must_use]
    pub fn new(
        files: &FileSession,
        processes: Processes,
        sessions: CommandSessions,
        defaults: ExecuteDefaults,
    ) -> Self {
        Self {
            workspace: files.workspace.clone(),
            journal: files.journal.clone(),
            processes,
            sessions,
            defaults,
            starting: Semaphore::new(processors()),
        }
    }

    /// The command with everything that the call and the host say about it.
    fn spec(&self, plan: &ExecutePlan) -> CommandSpec {
        let params = &plan.params;
        let mut spec = CommandSpec::new(params.command.clone(), plan.directory.target());
        spec.shell = self.defaults.shell.clone();
        spec.keep = Keep::ends(self.defaults.output_bytes);
        spec.environment = params.environment.clone().unwrap_or_default();
        spec.streams = if params.apart.unwrap_or(false) {
            Streams::Apart
        } else {
            Streams::Merged
        };
        spec.input = if params.terminal.unwrap_or(false) {
            CommandInput::Terminal(TerminalSize::clamped(
                params.rows.unwrap_or(limits::TERMINAL_ROWS),
                params.columns.unwrap_or(limits::TERMINAL_COLUMNS),
            ))
        } else if plan.starts_in_background() {
            // Somebody may want to write to it; in the foreground nobody could.
            CommandInput::Pipe
        } else {
            CommandInput::Closed
        };
        spec.leftovers = self.defaults.leftovers;
        spec.limits = self.defaults.limits;
        spec.sandbox.clone_from(&self.defaults.sandbox);
        spec.timeout = self.time_limit(plan);
        spec
    }

    /// When the command is ended: after the time that the call gives, else by default only as long
    /// as somebody waits for it.
    fn time_limit(&self, plan: &ExecutePlan) -> Option<Duration> {
        let given = plan.params.timeout.map(Duration::from_millis);
        let leaves = plan.starts_in_background()
            || plan
                .yield_after()
                .is_some_and(|after| after <= self.defaults.timeout);
        let binds = !plan.params.timeout_in_foreground.unwrap_or(false);
        match (given, self.defaults.on_timeout) {
            (Some(given), _) if leaves && binds => Some(given),
            (Some(_), _) if leaves => None,
            (None, _) if leaves => None,
            (_, OnTimeout::Background) => None,
            (given, OnTimeout::End) => Some(given.unwrap_or(self.defaults.timeout)),
        }
    }
}

/// A located directory and the command to run in it.
#[derive(Debug)]
pub struct ExecutePlan {
    directory: Located,
    claim: CommandClaim,
    params: ExecuteParams,
    awaited: Awaited,
}

impl ExecutePlan {
    fn starts_in_background(&self) -> bool {
        self.params.background.unwrap_or(false) || self.params.wait_for.is_some()
    }

    fn yield_after(&self) -> Option<Duration> {
        self.params.yield_after.map(Duration::from_millis)
    }
}

impl Tool for Execute {
    const OPERATION: Operation = Operation::Execute;
    const TIME_LIMIT: TimeLimit = TimeLimit::Operation;
    type Params = ExecuteParams;
    type Plan = ExecutePlan;
    type Output = ExecuteOutput;

    fn plan(&self, params: ExecuteParams) -> Result<(Access, ExecutePlan), ToolError> {
        let directory = self
            .workspace
            .locate_existing(params.directory.as_deref().unwrap_or("."))?;
        let mut environment = Vec::new();
        for (name, value) in params.environment.iter().flatten() {
            check_given(name, value)?;
            environment.push(GivenVariable::new(name, value));
        }
        let claim = CommandClaim {
            text: params.command.clone(),
            directory: directory.claim().clone(),
            environment,
        };
        let awaited = Awaited::new(params.wait_for.as_ref(), &self.workspace)?;
        let access = Access {
            commands: vec![claim.clone()],
            reads: awaited.claims(),
            ..Access::default()
        };
        let plan = ExecutePlan {
            directory,
            claim,
            params,
            awaited,
        };
        Ok((access, plan))
    }

    async fn run(
        &self,
        plan: ExecutePlan,
        context: ToolContext,
    ) -> Result<ExecuteOutput, ToolError> {
        if plan.directory.metadata()?.kind != FileKind::Directory {
            let name = plan.directory.name();
            let message = format!(
                "`{name}` is a file, not a directory. Commands need a directory to run in."
            );
            return Err(ToolError::new(ErrorCode::NotADirectory, message).with("path", name));
        }
        if plan.starts_in_background() {
            self.in_background(plan, &context).await
        } else {
            self.in_foreground(plan, &context).await
        }
    }
}
