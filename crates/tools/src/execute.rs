//! Runs a command in the foreground.

use std::collections::BTreeMap;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tenon_contract::{
    Access, CommandClaim, ErrorCode, Operation, Output, TimeLimit, Tool, ToolContext, ToolError,
    limits,
};
use tenon_process::{
    Capture, CommandResult, CommandSpec, Keep, LiveOutput, Processes, Shell, Streams,
};
use tenon_workspace::{FileKind, Located, Workspace};

/// What to run.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExecuteParams {
    /// The command, as a shell reads it. No state is kept between calls.
    #[schemars(length(min = 1))]
    pub command: String,
    /// Folder to run it in, absolute or relative to the workspace. Default: the workspace.
    pub folder: Option<String>,
    /// Environment variables for this command.
    pub environment: Option<BTreeMap<String, String>>,
    /// Longest time it may take, in milliseconds. Default: 120000.
    #[schemars(range(min = 1, max = 2_147_483_000))]
    pub timeout: Option<u64>,
    /// Keep standard output and standard error apart. Default: false.
    pub apart: Option<bool>,
    /// Answer a time-out as a result, with the output so far, instead of failing. Default: false.
    pub report_timeout: Option<bool>,
}

/// What the command did.
#[derive(Debug)]
pub struct ExecuteOutput {
    /// The command.
    pub command: String,
    /// The folder, as answers name it.
    pub folder: String,
    /// How it stands.
    pub status: ExecuteStatus,
    /// Its exit code; nothing when a signal ended it or it still runs.
    pub exit_code: Option<i32>,
    /// The signal that ended it, such as `SIGTERM`.
    pub signal: Option<String>,
    /// From start to completion.
    pub duration: Duration,
    /// What it wrote.
    pub output: StreamOutput,
    /// Processes that it had left running and that were ended.
    pub ended: usize,
}

/// How a command stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ExecuteStatus {
    /// It ended with code 0.
    Completed,
    /// It ended with another code.
    Failed,
    /// It has not ended yet.
    Running,
    /// It was ended because its time was up.
    Timeout,
    /// A signal ended it.
    Killed,
}

/// What a command wrote.
#[derive(Debug)]
pub enum StreamOutput {
    /// Both streams in the order in which they were written.
    Merged(Capture),
    /// Each by itself.
    Apart {
        /// Standard output.
        stdout: Capture,
        /// Standard error.
        stderr: Capture,
    },
}

impl Output for ExecuteOutput {}

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
}

impl Default for ExecuteDefaults {
    fn default() -> Self {
        Self {
            shell: Shell::default_shell(),
            timeout: limits::CALL_TIMEOUT,
            output_bytes: limits::EXECUTE_OUTPUT_MAX_BYTES,
        }
    }
}

/// The execute operation.
#[derive(Debug)]
pub struct Execute {
    workspace: Workspace,
    processes: Processes,
    defaults: ExecuteDefaults,
}

impl Execute {
    /// Runs in folders of `workspace`.
    #[must_use]
    pub fn new(workspace: Workspace, processes: Processes, defaults: ExecuteDefaults) -> Self {
        Self {
            workspace,
            processes,
            defaults,
        }
    }
}

/// A located folder and the command to run in it.
#[derive(Debug)]
pub struct ExecutePlan {
    folder: Located,
    params: ExecuteParams,
}

impl Tool for Execute {
    const OPERATION: Operation = Operation::Execute;
    const TIME_LIMIT: TimeLimit = TimeLimit::Operation;
    type Params = ExecuteParams;
    type Plan = ExecutePlan;
    type Output = ExecuteOutput;

    fn plan(&self, params: ExecuteParams) -> Result<(Access, ExecutePlan), ToolError> {
        let folder = self
            .workspace
            .locate(params.folder.as_deref().unwrap_or("."))?;
        let environment = params
            .environment
            .iter()
            .flat_map(BTreeMap::keys)
            .cloned()
            .collect();
        let command = CommandClaim {
            text: params.command.clone(),
            folder: folder.claim().clone(),
            environment,
        };
        Ok((
            Access {
                commands: vec![command],
                ..Access::default()
            },
            ExecutePlan { folder, params },
        ))
    }

    async fn run(
        &self,
        plan: ExecutePlan,
        context: ToolContext,
    ) -> Result<ExecuteOutput, ToolError> {
        let ExecutePlan { folder, params } = plan;
        if folder.metadata()?.kind != FileKind::Folder {
            let message = format!(
                "`{}` is no folder, so no command can run in it. Name a folder.",
                folder.name()
            );
            return Err(ToolError::new(ErrorCode::NotAFolder, message).with("path", folder.name()));
        }
        let timeout = params
            .timeout
            .map_or(self.defaults.timeout, Duration::from_millis);
        let mut spec = CommandSpec::new(params.command.clone(), folder.target());
        spec.shell = self.defaults.shell.clone();
        spec.keep = Keep::ends(self.defaults.output_bytes);
        spec.environment = params.environment.unwrap_or_default();
        spec.streams = if params.apart.unwrap_or(false) {
            Streams::Apart
        } else {
            Streams::Merged
        };
        spec.timeout = Some(timeout);
        let report_timeout = params.report_timeout.unwrap_or(false);
        let (command, name) = (params.command, folder.name().to_owned());
        let listener = |live: &LiveOutput<'_>| {
            context.publish(|| partial(&command, &name, live));
        };
        let result = self
            .processes
            .run(spec, context.cancellation(), listener)
            .await?;
        match finish(command, name, result)? {
            output if output.status == ExecuteStatus::Timeout && !report_timeout => {
                Err(output.timed_out(timeout))
            }
            output => Ok(output),
        }
    }
}

fn partial(command: &str, folder: &str, live: &LiveOutput<'_>) -> ExecuteOutput {
    ExecuteOutput {
        command: command.to_owned(),
        folder: folder.to_owned(),
        status: ExecuteStatus::Running,
        exit_code: None,
        signal: None,
        duration: live.elapsed(),
        output: streams(live.snapshot()),
        ended: 0,
    }
}

fn streams(output: tenon_process::Output) -> StreamOutput {
    match (output.merged, output.stdout, output.stderr) {
        (Some(merged), _, _) => StreamOutput::Merged(merged),
        (None, stdout, stderr) => StreamOutput::Apart {
            stdout: stdout.unwrap_or_default(),
            stderr: stderr.unwrap_or_default(),
        },
    }
}

/// A non-zero exit is a result; an abort is an error.
fn finish(
    command: String,
    folder: String,
    result: CommandResult,
) -> Result<ExecuteOutput, ToolError> {
    let status = match (result.timed_out, result.exit_code) {
        (true, _) => ExecuteStatus::Timeout,
        (false, Some(0)) => ExecuteStatus::Completed,
        (false, Some(_)) => ExecuteStatus::Failed,
        (false, None) => ExecuteStatus::Killed,
    };
    let ended = result.ended.found;
    let output = ExecuteOutput {
        command,
        folder,
        status,
        exit_code: result.exit_code,
        signal: result.signal,
        duration: result.duration,
        output: streams(result.output),
        ended,
    };
    if result.cancelled && !result.timed_out {
        Err(ToolError::cancelled())
    } else {
        Ok(output)
    }
}

impl ExecuteOutput {
    fn timed_out(&self, timeout: Duration) -> ToolError {
        let shown = self.text();
        let lead = if shown.is_empty() {
            String::new()
        } else {
            format!("{shown}\n\n")
        };
        let seconds = timeout.as_secs_f64();
        let message = format!(
            "{lead}Command timed out after {seconds} seconds and was ended with all its processes. Give it a longer timeout or less to do."
        );
        ToolError::new(ErrorCode::Timeout, message)
            .with("output", shown)
            .with("command", self.command.as_str())
            .with(
                "timeout_ms",
                u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX),
            )
            .with(
                "duration_ms",
                u64::try_from(self.duration.as_millis()).unwrap_or(u64::MAX),
            )
    }

    /// Everything that was kept of the output, standard error after standard output, with a mark where the middle is left out.
    #[must_use]
    pub fn text(&self) -> String {
        match &self.output {
            StreamOutput::Merged(merged) => told(merged),
            StreamOutput::Apart { stdout, stderr } => {
                let (stdout, stderr) = (told(stdout), told(stderr));
                let gap = if stdout.is_empty() || stderr.is_empty() || stdout.ends_with('\n') {
                    ""
                } else {
                    "\n"
                };
                format!("{stdout}{gap}{stderr}")
            }
        }
    }
}

/// One stream with its mark.
fn told(capture: &Capture) -> String {
    let Some(omitted) = &capture.omitted else {
        return capture.head.clone();
    };
    let bytes = omitted.end.saturating_sub(omitted.start);
    let place = capture
        .spill
        .as_ref()
        .map(|spill| format!(" Full output: {}", spill.path.display()))
        .unwrap_or_default();
    capture
        .text(&format!(
            "\n\n[{bytes} bytes of {} left out here.{place}]\n\n",
            capture.total_bytes
        ))
        .into_owned()
}
