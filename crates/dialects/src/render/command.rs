//! What a command wrote and how it ended.

use tenon_contract::Operation;
use tenon_process::{Capture, CommandLimit};
use tenon_tools::{BackgroundReason, ExecuteOutput, ExecuteStatus, InBackground, StreamOutput};

use crate::render::{changed_line, is_ready, limit_line, ready_line, sandbox_line};
use crate::words::Words;

/// How a vocabulary speaks of commands.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CommandStyle {
    /// That a command runs on, from the id of its session and the number of its process, with what stands between that
    /// and the next sentence.
    pub(crate) running: fn(&str, u32) -> String,
    /// Whether output keeps its last line end, as pi has it.
    pub(crate) keeps_end: bool,
}

/// As most vocabularies say it.
pub(crate) const COMMANDS: CommandStyle = CommandStyle {
    running: |id, process| format!("Command still running (session {id}, pid {process}). "),
    keeps_end: false,
};

/// Output of a command for the model: what it wrote, how it ended when that was not well, and what runs on.
pub(crate) fn command_text(
    output: &ExecuteOutput,
    style: CommandStyle,
    words: &Words<'_>,
) -> String {
    let background = output
        .background
        .as_ref()
        .map(|background| background_line(output, background, style, words));
    reported(output, style, background)
}

/// What can be done with a background command.
fn follow_up(words: &Words<'_>) -> String {
    match (
        words.named("BashOutput"),
        words.named("KillBash"),
        words.tool(Operation::Process),
    ) {
        (Some(read), Some(kill), _) => {
            format!("Use {read} to read its output and {kill} to kill it.")
        }
        (_, _, Some(process)) => format!("Use {process} with action poll, log or kill."),
        (_, _, None) => String::new(),
    }
}

fn reported(output: &ExecuteOutput, style: CommandStyle, background: Option<String>) -> String {
    let text = output.shown_text();
    let shown = if text.is_empty() && output.status != ExecuteStatus::Running {
        "(no output)".to_owned()
    } else {
        text
    };
    let below: Vec<String> = [
        status_line(output),
        output.sandbox.as_ref().and_then(sandbox_line),
        output.changed.as_ref().and_then(changed_line),
        leftovers(output),
        background,
    ]
    .into_iter()
    .flatten()
    .collect();
    let shown = if style.keeps_end && below.is_empty() {
        shown
    } else {
        shown.trim_end_matches('\n').to_owned()
    };
    std::iter::once(shown)
        .chain(below)
        .filter(|line| !line.is_empty())
        .collect::<Vec<_>>()
        .join("\n\n")
}

/// Why something runs on, and what can be done with it.
fn background_line(
    output: &ExecuteOutput,
    background: &InBackground,
    style: CommandStyle,
    words: &Words<'_>,
) -> String {
    let running = (style.running)(&background.session, background.process_id);
    let follow_up = follow_up(words);
    match &background.reason {
        BackgroundReason::Asked | BackgroundReason::Yielded(_) => format!("{running}{follow_up}"),
        BackgroundReason::TimedOut(after) => format!(
            "Command did not finish within {} s and was moved to the background. {running}{follow_up}",
            after.as_secs_f64()
        ),
        BackgroundReason::Awaited(waited) if output.status != ExecuteStatus::Running => {
            match is_ready(waited) {
                true => format!("{} Command has ended.", ready_line(waited)),
                false => "Command ended before it was ready.".to_owned(),
            }
        }
        BackgroundReason::Awaited(waited) => {
            format!("{} {running}{follow_up}", ready_line(waited))
        }
        BackgroundReason::Leftovers(count) => {
            let what = if *count == 1 {
                "1 process is".to_owned()
            } else {
                format!("{count} processes are")
            };
            let line = format!(
                "{what} still running in the background as `{}`. {follow_up}",
                background.session
            );
            format!("[{}]", line.trim_end())
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
            "Command was killed by {}",
            output.signal.as_deref().unwrap_or("a signal")
        )),
        ExecuteStatus::Timeout => Some(format!(
            "Command timed out after {:.1} s; it and all its child processes were killed",
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
        1 => Some("[1 process that it left running was killed]".to_owned()),
        many => Some(format!(
            "[{many} processes that it left running were killed]"
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
