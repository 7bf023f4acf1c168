//! What a command wrote and how it ended.

use tenon_process::{Capture, CommandLimit};
use tenon_tools::{BackgroundReason, ExecuteOutput, ExecuteStatus, InBackground, StreamOutput};

use crate::render::{changed_line, limit_line, ready_line, sandbox_line};

/// How a vocabulary speaks of commands in the background.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BackgroundStyle {
    /// That a command runs on, from the id of its session and the number of its process, with what
    /// stands between that and the next sentence.
    pub(crate) running: fn(&str, u32) -> String,
    /// What can be done with it, in a sentence.
    pub(crate) follow_up: &'static str,
}

/// Output of a command for the model: what it wrote, then how it ended when that was not well.
pub(crate) fn command_text(output: &ExecuteOutput) -> String {
    told(output, None)
}

/// The same, and what goes on in the background.
pub(crate) fn command_text_in(output: &ExecuteOutput, style: &BackgroundStyle) -> String {
    let background = output
        .background
        .as_ref()
        .map(|background| background_line(output, background, style));
    told(output, background)
}

fn told(output: &ExecuteOutput, background: Option<String>) -> String {
    let text = tenon_process::fold_progress(&output.text()).into_owned();
    let shown = if text.is_empty() && output.status != ExecuteStatus::Running {
        "(no output)".to_owned()
    } else {
        text
    };
    [
        Some(shown),
        status_line(output),
        output.sandbox.as_ref().and_then(sandbox_line),
        output.changed.as_ref().and_then(changed_line),
        leftovers(output),
        background,
    ]
    .into_iter()
    .flatten()
    .filter(|line| !line.is_empty())
    .collect::<Vec<_>>()
    .join("\n\n")
}

/// Why something runs on, and what can be done with it.
fn background_line(
    output: &ExecuteOutput,
    background: &InBackground,
    style: &BackgroundStyle,
) -> String {
    let running = (style.running)(&background.session, background.process_id);
    let follow_up = style.follow_up;
    match &background.reason {
        BackgroundReason::Asked | BackgroundReason::Yielded(_) => format!("{running}{follow_up}"),
        BackgroundReason::TimedOut(after) => format!(
            "Command did not finish within {} seconds and was moved to the background. {running}{follow_up}",
            after.as_secs_f64()
        ),
        BackgroundReason::Awaited(_) if output.status != ExecuteStatus::Running => {
            "Command ended before it was ready.".to_owned()
        }
        BackgroundReason::Awaited(waited) => {
            format!("{} {running}{follow_up}", ready_line(waited))
        }
        BackgroundReason::Leftovers(count) => {
            let what = if *count == 1 {
                "1 process that it left running goes".to_owned()
            } else {
                format!("{count} processes that it left running go")
            };
            format!(
                "[{what} on in the background as `{}`. {follow_up}]",
                background.session
            )
        }
    }
}

/// How a command ended, when it did not end well.
fn status_line(output: &ExecuteOutput) -> Option<String> {
    match output.limit.map(|reached| (reached, limit_line(reached))) {
        Some((reached, line)) if reached.limit != CommandLimit::FileBytes => return Some(line),
        Some((_, line)) => {
            return Some(
                [exit_line(output), Some(line)]
                    .into_iter()
                    .flatten()
                    .collect::<Vec<_>>()
                    .join("\n\n"),
            );
        }
        None => {}
    }
    exit_line(output)
}

fn exit_line(output: &ExecuteOutput) -> Option<String> {
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

/// What became of processes that outlived a command. Of one that was ended itself its status says so: it left none.
fn leftovers(output: &ExecuteOutput) -> Option<String> {
    let was_killed = output
        .limit
        .is_some_and(|reached| reached.limit != CommandLimit::FileBytes);
    match output.ended {
        _ if was_killed || output.status == ExecuteStatus::Timeout => None,
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
