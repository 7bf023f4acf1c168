//! exec as the `agent` dialect tells it.

use schemars::JsonSchema;
use serde::Serialize;
use tenon_contract::Content;
use tenon_process::Capture;
use tenon_tools::{ExecuteOutput, ExecuteStatus, StreamOutput};

use crate::render::command_text;
use crate::told::Told;

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
    /// The folder, relative to the workspace.
    cwd: String,
    /// What it wrote, both streams in order; the middle is left out when it is long.
    output: String,
    /// Whether something was left out of `output`.
    truncated: bool,
    /// The file that holds all of it, when something was left out. Removed when the toolkit closes.
    #[serde(skip_serializing_if = "Option::is_none")]
    full_output_path: Option<String>,
}

impl Told for AgentExecDetails {
    type Output = ExecuteOutput;

    fn tell(output: ExecuteOutput) -> (Vec<Content>, Self) {
        let text = command_text(&output);
        let captures: Vec<&Capture> = match &output.output {
            StreamOutput::Merged(merged) => vec![merged],
            StreamOutput::Apart { stdout, stderr } => vec![stdout, stderr],
        };
        let spill = captures.iter().find_map(|capture| capture.spill.as_ref());
        let details = Self {
            status: output.status,
            exit_code: output.exit_code,
            signal: output.signal.clone(),
            duration_ms: u64::try_from(output.duration.as_millis()).unwrap_or(u64::MAX),
            cwd: output.folder.clone(),
            output: output.text(),
            truncated: captures.iter().any(|capture| capture.truncated()),
            full_output_path: spill.map(|spill| spill.path.to_string_lossy().into_owned()),
        };
        (vec![Content::Text(text)], details)
    }
}
