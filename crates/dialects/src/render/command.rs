//! What a command wrote and how it ended.

use tenon_tools::{ExecuteOutput, ExecuteStatus};

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
        ExecuteStatus::Completed | ExecuteStatus::Running | ExecuteStatus::Timeout => None,
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
