//! bash as the `coder` dialect tells it.

use schemars::JsonSchema;
use serde::Serialize;
use tenon_contract::Content;
use tenon_tools::{ExecuteOutput, ExecuteStatus};

use crate::render::{command_text, stream_texts};
use crate::told::Told;

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
}

impl Told for CoderBashDetails {
    type Output = ExecuteOutput;

    fn tell(output: ExecuteOutput) -> (Vec<Content>, Self) {
        let text = command_text(&output);
        let streams = stream_texts(&output);
        let details = Self {
            ok: output.status == ExecuteStatus::Completed,
            exit_code: match output.status {
                ExecuteStatus::Timeout => Some(TIMED_OUT),
                _ => output.exit_code,
            },
            command: output.command,
            stdout: streams.stdout,
            stderr: streams.stderr,
            truncated: streams.truncated,
            duration_ms: u64::try_from(output.duration.as_millis()).unwrap_or(u64::MAX),
        };
        (vec![Content::Text(text)], details)
    }
}
