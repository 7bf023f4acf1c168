//! What a command wrote and how it ended.

use tenon_process::Capture;
use tenon_tools::{ExecuteOutput, ExecuteStatus, StreamOutput};

/// Output of a command for the model: what it wrote, then how it ended when that was not well.
pub(crate) fn command_text(output: &ExecuteOutput) -> String {
    let text = tenon_process::fold_progress(&output.text()).into_owned();
    let shown = if text.is_empty() && output.status != ExecuteStatus::Running {
        "(no output)".to_owned()
    } else {
        text
    };
    let mut told = shown;
    for line in [status_line(output), leftovers(output)]
        .into_iter()
        .flatten()
    {
        told.push_str("\n\n");
        told.push_str(&line);
    }
    told
}

/// How a command ended, when it did not end well.
fn status_line(output: &ExecuteOutput) -> Option<String> {
    match output.status {
        ExecuteStatus::Failed => output
            .exit_code
            .map(|code| format!("Command exited with code {code}")),
        ExecuteStatus::Killed => Some(format!(
            "Command was ended by {}",
            output.signal.as_deref().unwrap_or("a signal")
        )),
        ExecuteStatus::Timeout => Some(format!(
            "Command timed out after {:.1} seconds and was ended with all its processes",
            output.duration.as_secs_f64()
        )),
        ExecuteStatus::Completed | ExecuteStatus::Running => None,
    }
}

fn leftovers(output: &ExecuteOutput) -> Option<String> {
    match output.ended {
        0 => None,
        1 => Some("[1 process that it left running was ended]".to_owned()),
        many => Some(format!(
            "[{many} processes that it left running were ended]"
        )),
    }
}

/// Both streams as texts, with a mark where the middle is left out.
pub(crate) struct StreamTexts {
    /// Standard output, or both where they were not kept apart.
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    /// Whether something was left out.
    pub(crate) truncated: bool,
}

/// What a command wrote, for programs.
pub(crate) fn stream_texts(output: &ExecuteOutput) -> StreamTexts {
    let text = |capture: &Capture| capture.text("\n[…]\n").into_owned();
    match &output.output {
        StreamOutput::Merged(merged) => StreamTexts {
            stdout: text(merged),
            stderr: String::new(),
            truncated: merged.truncated(),
        },
        StreamOutput::Apart { stdout, stderr } => StreamTexts {
            stdout: text(stdout),
            stderr: text(stderr),
            truncated: stdout.truncated() || stderr.truncated(),
        },
    }
}
