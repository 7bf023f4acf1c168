//! exec as the `agent` dialect renders it.

use schemars::JsonSchema;
use serde::Serialize;
use tenon_contract::Content;
use tenon_process::Capture;
use tenon_tools::{BackgroundReason, ExecuteOutput, ExecuteStatus};

use crate::render::{
    COMMANDS, ChangedDetails, CommandStyle, LimitName, SandboxDetails, ScreenDetails, command_text,
    is_ready, matched_line,
};
use crate::result_view::ResultView;
use crate::words::Words;

/// Details of `exec`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AgentExecDetails {
    /// How the command stands.
    status: ExecuteStatus,
    /// Its exit code; null when a signal ended it or it still runs.
    exit_code: Option<i32>,
    /// The signal that ended it, such as `SIGTERM`.
    #[serde(skip_serializing_if = "Option::is_none")]
    signal: Option<String>,
    /// From start to completion, in milliseconds.
    duration_ms: u64,
    /// The directory, relative to the workspace.
    cwd: String,
    /// What it wrote, both streams in order; the middle is left out when it is long.
    output: String,
    /// Whether something was left out of `output`.
    truncated: bool,
    /// The limit that it reached. But for `fileBytes`, all its processes were killed then.
    #[serde(skip_serializing_if = "Option::is_none")]
    limit: Option<LimitName>,
    /// The sandbox that it ran in, if there was to be one.
    #[serde(skip_serializing_if = "Option::is_none")]
    sandbox: Option<SandboxDetails>,
    /// The files that were changed while it ran, if the host asked for that.
    #[serde(skip_serializing_if = "Option::is_none")]
    changes: Option<ChangedDetails>,
    /// The address of all of it for tools that read and search, when something was left out: `output://1`.
    #[serde(skip_serializing_if = "Option::is_none")]
    full_output: Option<String>,
    /// The file with all of it. Removed when the toolkit closes.
    #[serde(skip_serializing_if = "Option::is_none")]
    full_output_path: Option<String>,
    /// The id under which the command, or what it left running, goes on in the background.
    #[serde(skip_serializing_if = "Option::is_none")]
    session_id: Option<String>,
    /// The number of its shell's process, when it goes on in the background.
    #[serde(skip_serializing_if = "Option::is_none")]
    pid: Option<u32>,
    /// Whether it was ready, when the call waited for that.
    #[serde(skip_serializing_if = "Option::is_none")]
    ready: Option<bool>,
    /// The line of output that showed it to be ready.
    #[serde(rename = "match", skip_serializing_if = "Option::is_none")]
    matched: Option<String>,
    /// What its terminal shows, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    screen: Option<ScreenDetails>,
}

/// Output keeps its last line end, as users of pi know it.
const AS_PI: CommandStyle = CommandStyle {
    keeps_end: true,
    ..COMMANDS
};

impl ResultView for AgentExecDetails {
    type Output = ExecuteOutput;

    fn render(output: ExecuteOutput, words: &Words<'_>) -> (Vec<Content>, Self) {
        let text = command_text(&output, AS_PI, words);
        let (full_output, full_output_path) = output.output.whole().unzip();
        let waited = match output.background.as_ref().map(|found| &found.reason) {
            Some(BackgroundReason::Awaited(waited)) => Some(waited),
            _ => None,
        };
        let details = Self {
            status: output.status,
            exit_code: output.exit_code,
            signal: output.signal.clone(),
            duration_ms: u64::try_from(output.duration.as_millis()).unwrap_or(u64::MAX),
            cwd: output.directory.clone(),
            output: output.text(),
            truncated: output.output.captures().any(Capture::truncated),
            limit: output.limit.map(LimitName::of),
            sandbox: output.sandbox.as_ref().map(SandboxDetails::of),
            changes: output.changed.as_ref().map(ChangedDetails::of),
            full_output,
            full_output_path,
            session_id: output
                .background
                .as_ref()
                .map(|background| background.session.clone()),
            pid: output
                .background
                .as_ref()
                .map(|background| background.process_id),
            ready: waited.map(is_ready),
            matched: waited.and_then(matched_line),
            screen: output.screen.as_ref().map(ScreenDetails::of),
        };
        (vec![Content::Text(text)], details)
    }
}
