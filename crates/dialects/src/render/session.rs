//! Background commands: how they stand and what they wrote.

use std::time::{Duration, SystemTime};

use crate::render::limit_line;
use schemars::JsonSchema;
use serde::Serialize;
use tenon_process::{EndedBy, Screen, SessionState, SessionStatus, Waited, fold_progress};
use tenon_tools::PolledSession;

/// What a terminal shows.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ScreenDetails {
    /// Its lines, without trailing spaces and without the empty ones at the bottom.
    text: String,
    /// Height in lines.
    rows: u16,
    /// Width in characters.
    columns: u16,
    /// Line of the cursor, counted from 1.
    cursor_row: u16,
    /// Column of the cursor, counted from 1.
    cursor_column: u16,
    /// Whether a program has taken the whole screen, as editors and pagers do.
    full_screen: bool,
    /// Title of the window, if a program gave one.
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
}

impl ScreenDetails {
    pub(crate) fn of(screen: &Screen) -> Self {
        Self {
            text: screen.text.clone(),
            rows: screen.rows,
            columns: screen.columns,
            cursor_row: screen.cursor_row,
            cursor_column: screen.cursor_column,
            full_screen: screen.full_screen,
            title: screen.title.clone(),
        }
    }
}

/// What ended a background command.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum EndedByName {
    /// The command itself.
    Exit,
    /// A signal from elsewhere.
    Signal,
    /// Its time limit.
    Timeout,
    /// A limit of what it may use.
    Limit,
    /// A request to end it.
    Kill,
    /// The end of the toolkit.
    Close,
}

impl EndedByName {
    pub(crate) const fn of(ended: EndedBy) -> Self {
        match ended {
            EndedBy::Exit => Self::Exit,
            EndedBy::Signal => Self::Signal,
            EndedBy::TimeLimit => Self::Timeout,
            EndedBy::Limit => Self::Limit,
            EndedBy::Kill => Self::Kill,
            EndedBy::Close => Self::Close,
        }
    }
}

pub(crate) fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// Milliseconds since 1970, as JavaScript counts them.
pub(crate) fn since_epoch(moment: SystemTime) -> u64 {
    moment
        .duration_since(SystemTime::UNIX_EPOCH)
        .map_or(0, millis)
}

/// How a background command stands, in a sentence.
pub(crate) fn ended_line(state: &SessionState) -> String {
    let code = || match (state.exit_code, &state.signal) {
        (Some(code), _) => format!("code {code}"),
        (None, Some(signal)) => format!("signal {signal}"),
        (None, None) => "an unknown code".to_owned(),
    };
    let mut line = match (state.status, state.ended_by) {
        (SessionStatus::Running, _) if state.left_running > 0 => format!(
            "Process exited with {}. {} still running in the background.",
            code(),
            if state.left_running == 1 {
                "1 of its child processes is".to_owned()
            } else {
                format!("{} of its child processes are", state.left_running)
            }
        ),
        (SessionStatus::Running, _) => "Process still running.".to_owned(),
        (SessionStatus::TimedOut, _) => "Process timed out and was killed.".to_owned(),
        (_, Some(EndedBy::Kill)) => format!("Process was killed ({}).", code()),
        (_, Some(EndedBy::Close)) => "Process was killed when the toolkit was closed.".to_owned(),
        _ => format!("Process exited with {}.", code()),
    };
    if let Some(reached) = state.limit {
        line = limit_line(reached);
    }
    if let Some(failure) = &state.failure {
        line = format!("The exit status is unknown: {failure}");
    }
    if !state.survivors.is_empty() {
        let survivors: Vec<String> = state.survivors.iter().map(u32::to_string).collect();
        line.push_str(&format!(
            " Processes of another user could not be killed: {}.",
            survivors.join(", ")
        ));
    }
    line
}

/// What a wait ended with, in a sentence.
pub(crate) fn ready_line(waited: &Waited) -> String {
    match waited {
        Waited::Output(line) => {
            let shown: String = line.trim().chars().take(200).collect();
            format!("Ready: `{shown}`.")
        }
        Waited::Port(port) => format!("Ready: port {port} accepts connections."),
        Waited::Condition => "Ready: the file exists.".to_owned(),
        Waited::Idle => "Ready: no more output.".to_owned(),
        Waited::Over => "It ended before it was ready.".to_owned(),
        Waited::TimeUp => "Not ready yet.".to_owned(),
    }
}

/// Whether what was waited for is there.
pub(crate) const fn is_ready(waited: &Waited) -> bool {
    !matches!(waited, Waited::Over | Waited::TimeUp)
}

/// The line that was waited for.
pub(crate) fn matched_line(waited: &Waited) -> Option<String> {
    match waited {
        Waited::Output(line) => Some(line.clone()),
        _ => None,
    }
}

/// New output of a background command, byte for byte but for progress that was drawn over itself.
pub(crate) fn polled_text(polled: &PolledSession) -> String {
    fold_progress(&polled.text()).into_owned()
}

/// What a model sees of it: of much output the lines that say most.
pub(crate) fn condensed_news(polled: &PolledSession) -> String {
    match &polled.shown {
        Some(shown) => shown.text.clone(),
        None => polled_text(polled),
    }
}
