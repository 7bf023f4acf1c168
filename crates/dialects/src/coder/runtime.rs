//! bash as the `coder` dialect renders it.

use schemars::JsonSchema;
use serde::Serialize;
use tenon_contract::Content;
use tenon_tools::{ExecuteOutput, ExecuteStatus};

use crate::render::{COMMANDS, ChangedDetails, SandboxDetails, command_text, stream_texts};
use crate::result_view::ResultView;
use crate::words::Words;

/// What `timeout` of coreutils answers for a command that it ended.
const TIMED_OUT: i32 = 124;

/// Details of `bash`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CoderBashDetails {
    /// Whether the command ended with code 0.
    ok: bool,
    /// The command.
    command: String,
    /// The exit code: 124 when the time was up; null when a signal ended the command or it still runs.
    exit_code: Option<i32>,
    /// Standard output; the middle is left out when it is long.
    stdout: String,
    /// Standard error; the middle is left out when it is long.
    stderr: String,
    /// Whether something was left out of `stdout` or `stderr`.
    truncated: bool,
    /// From start to completion, in milliseconds.
    duration_ms: u64,
    /// The files that were changed while it ran, if the host asked for that.
    #[serde(skip_serializing_if = "Option::is_none")]
    changes: Option<ChangedDetails>,
    /// The sandbox that it ran in, if there was to be one.
    #[serde(skip_serializing_if = "Option::is_none")]
    sandbox: Option<SandboxDetails>,
    /// The address of the full output for tools that read and search, when it was cut: `output://1`.
    #[serde(skip_serializing_if = "Option::is_none")]
    full_output: Option<String>,
    /// The file with the full output. Removed when the toolkit closes.
    #[serde(skip_serializing_if = "Option::is_none")]
    full_output_path: Option<String>,
}

impl ResultView for CoderBashDetails {
    type Output = ExecuteOutput;

    fn render(output: ExecuteOutput, words: &Words<'_>) -> (Vec<Content>, Self) {
        let text = command_text(&output, COMMANDS, words);
        let streams = stream_texts(&output);
        let (full_output, full_output_path) = output.output.whole().unzip();
        let details = Self {
            full_output,
            full_output_path,
            ok: output.status == ExecuteStatus::Completed,
            exit_code: match output.status {
                ExecuteStatus::Timeout => Some(TIMED_OUT),
                _ => output.exit_code,
            },
            changes: output.changed.as_ref().map(ChangedDetails::of),
            sandbox: output.sandbox.as_ref().map(SandboxDetails::of),
            command: output.command,
            stdout: streams.stdout,
            stderr: streams.stderr,
            truncated: streams.truncated,
            duration_ms: u64::try_from(output.duration.as_millis()).unwrap_or(u64::MAX),
        };
        (vec![Content::Text(text)], details)
    }
}
