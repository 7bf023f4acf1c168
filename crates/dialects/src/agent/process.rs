//! process: background commands as users of OpenClaw know them.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use tenon_contract::{Content, Operation, counted};
use tenon_process::{fold_progress, strip_escapes};
use tenon_tools::{
    ExecuteStatus, LoggedSession, PolledSession, ProcessOutput, ProcessParams, SentInput, SentKind,
    SessionView,
};

use crate::binding::{Category, ParamsCodec, ToolBinding};
use crate::render::{
    EndedByName, ScreenDetails, condensed_news, ended_line, is_ready, matched_line, millis,
    polled_text, ready_line, since_epoch, with_notices,
};
use crate::result_view::ResultView;
use crate::schema_source::SchemaSource;
use crate::words::Words;
use crate::{Field, Renderer};

/// The row of `process`.
pub(super) const BINDING: ToolBinding = ToolBinding {
    operation: Operation::Process,
    name: "process",
    label: "Process",
    description: include_str!("descriptions/process.md"),
    category: Category::Runtime,
    level: 0,
    params: ParamsCodec::Fields(&[
        Field::same("action").describe("What to do."),
        Field::renamed("sessionId", "session")
            .aliases(&["session", "id", "background_id"])
            .describe("Id of the background command. Required except for `list`."),
        Field::same("data")
            .aliases(&["text", "input", "literal", "chars"])
            .describe("Text for `write` and `paste`, or typed before the keys of `send_keys` or Enter of `submit`."),
        Field::same("keys"),
        Field::same("offset"),
        Field::same("limit"),
        Field::same("timeout")
            .aliases(&["timeoutMs"])
            ,
        Field::same("eof"),
        Field::fixed("condensed", || Value::Bool(true)),
        Field::same("bracketed"),
        Field::renamed("waitFor", "wait_for").describe(
            "For `poll`: wait until one of these holds, it ends, or `timeout` (then 30000 by default) has passed.",
        ),
    ]),
    operation_params: SchemaSource::params::<ProcessParams>(),
    renderer: Renderer::of::<AgentProcessDetails>(),
};

/// Details of `process`. Which are there depends on the action.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AgentProcessDetails {
    /// How the command stands; `completed` for a list.
    status: ExecuteStatus,
    /// Which command.
    #[serde(skip_serializing_if = "Option::is_none")]
    session_id: Option<String>,
    /// The program and what it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// Its exit code; null while it runs and when a signal ended it. Missing in a list.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<i32>")]
    exit_code: Option<Option<i32>>,
    /// The signal that ended it.
    #[serde(skip_serializing_if = "Option::is_none")]
    signal: Option<String>,
    /// What ended it.
    #[serde(skip_serializing_if = "Option::is_none")]
    ended_by: Option<EndedByName>,
    /// How long it has run, or ran, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    duration_ms: Option<u64>,
    /// poll, and after writing: what it wrote since the last look.
    #[serde(skip_serializing_if = "Option::is_none")]
    output: Option<String>,
    /// poll: everything that is kept of its output.
    #[serde(skip_serializing_if = "Option::is_none")]
    aggregated: Option<String>,
    /// Whether something was left out of the output.
    #[serde(skip_serializing_if = "Option::is_none")]
    truncated: Option<bool>,
    /// The file that holds all of its output, once memory does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    full_output_path: Option<String>,
    /// What its terminal shows, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    screen: Option<ScreenDetails>,
    /// Whether something can be written to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    stdin_writable: Option<bool>,
    /// Whether it seems to wait for input. A guess.
    #[serde(skip_serializing_if = "Option::is_none")]
    waiting_for_input: Option<bool>,
    /// How long it has been silent, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    idle_ms: Option<u64>,
    /// poll with waitFor: whether it is ready.
    #[serde(skip_serializing_if = "Option::is_none")]
    ready: Option<bool>,
    /// poll with waitFor: the line of output that matches.
    #[serde(rename = "match", skip_serializing_if = "Option::is_none")]
    matched: Option<String>,
    /// log: lines before the first that is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    offset: Option<u64>,
    /// log: lines that are shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    lines: Option<u64>,
    /// log: lines of the whole output.
    #[serde(skip_serializing_if = "Option::is_none")]
    total_lines: Option<u64>,
    /// log: bytes of the whole output.
    #[serde(skip_serializing_if = "Option::is_none")]
    total_bytes: Option<u64>,
    /// Writing: bytes that the command took.
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<u64>,
    /// list: all commands, in the order of their start.
    #[serde(skip_serializing_if = "Option::is_none")]
    sessions: Option<Vec<AgentSession>>,
}

/// One background command in a list.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AgentSession {
    /// Which.
    session_id: String,
    /// How it stands.
    status: ExecuteStatus,
    /// The number of its shell's process.
    pid: u32,
    /// The command.
    command: String,
    /// The program and what it is about.
    name: String,
    /// The directory, relative to the workspace.
    cwd: String,
    /// When it was started, in milliseconds since 1970.
    started_at: u64,
    /// How long it has run, or ran, in milliseconds.
    runtime_ms: u64,
    /// Its exit code; null while it runs and when a signal ended it.
    exit_code: Option<i32>,
    /// The signal that ended it.
    #[serde(skip_serializing_if = "Option::is_none")]
    signal: Option<String>,
    /// What ended it.
    #[serde(skip_serializing_if = "Option::is_none")]
    ended_by: Option<EndedByName>,
    /// Whether it has a terminal.
    pty: bool,
    /// Whether something can be written to it.
    stdin_writable: bool,
    /// Whether it seems to wait for input. A guess.
    waiting_for_input: bool,
    /// How long it has been silent, in milliseconds.
    idle_ms: u64,
    /// The end of its output.
    tail: String,
}

impl AgentSession {
    fn of(view: &SessionView) -> Self {
        Self {
            session_id: view.id.clone(),
            status: view.status(),
            pid: view.process_id,
            command: view.command.clone(),
            name: view.name.clone(),
            cwd: view.directory.clone(),
            started_at: since_epoch(view.started),
            runtime_ms: millis(view.duration),
            exit_code: view.state.exit_code,
            signal: view.state.signal.clone(),
            ended_by: view.state.ended_by.map(EndedByName::of),
            pty: view.has_terminal,
            stdin_writable: view.writable,
            waiting_for_input: view.waiting_for_input,
            idle_ms: millis(view.idle),
            tail: view.tail.clone(),
        }
    }
}

impl AgentProcessDetails {
    fn of(view: &SessionView) -> Self {
        Self {
            status: view.status(),
            session_id: Some(view.id.clone()),
            name: Some(view.name.clone()),
            exit_code: Some(view.state.exit_code),
            signal: view.state.signal.clone(),
            ended_by: view.state.ended_by.map(EndedByName::of),
            duration_ms: Some(millis(view.duration)),
            ..Self::default()
        }
    }

    fn with_news(mut self, polled: &PolledSession) -> Self {
        let spill = polled
            .output
            .captures()
            .find_map(|capture| capture.spill.as_ref())
            .filter(|spill| spill.number > 0);
        self.output = Some(polled_text(polled));
        self.truncated = Some(polled.output.captures().any(|capture| capture.truncated()));
        self.full_output_path = spill.map(|spill| spill.path.to_string_lossy().into_owned());
        self.screen = polled.screen.as_ref().map(ScreenDetails::of);
        self.stdin_writable = Some(polled.view.writable);
        self.waiting_for_input = Some(polled.view.waiting_for_input);
        self.idle_ms = Some(millis(polled.view.idle));
        self
    }
}

impl ResultView for AgentProcessDetails {
    type Output = ProcessOutput;

    fn render(output: ProcessOutput, _: &Words<'_>) -> (Vec<Content>, Self) {
        let (text, details) = match output {
            ProcessOutput::List(views) => list(&views),
            ProcessOutput::Poll(polled) => poll(&polled),
            ProcessOutput::Log(logged) => log(*logged),
            ProcessOutput::Sent(sent) => sent_text(&sent),
            ProcessOutput::Killed(view) => {
                let (id, line) = (&view.id, ended_line(&view.state));
                let text = match (view.status(), &view.state.signal) {
                    (ExecuteStatus::Killed, Some(signal)) => format!("Killed {id} ({signal})."),
                    (ExecuteStatus::Killed, None) => format!("Killed {id}."),
                    _ if view.state.is_over() => format!("Session {id} has ended. {line}"),
                    _ => format!("Termination requested for session {id}; it has not ended yet."),
                };
                (text, Self::of(&view))
            }
            ProcessOutput::Over(view) => {
                let text = format!("{} had ended before. {}", view.id, ended_line(&view.state));
                (text, Self::of(&view))
            }
            ProcessOutput::Cleared(view) => {
                (format!("Cleared session {}.", view.id), Self::of(&view))
            }
            ProcessOutput::Removed(view) => {
                (format!("Removed session {}.", view.id), Self::of(&view))
            }
        };
        (vec![Content::Text(text)], details)
    }
}

fn list(views: &[SessionView]) -> (String, AgentProcessDetails) {
    let lines: Vec<String> = views
        .iter()
        .map(|view| {
            let mark = if view.waiting_for_input {
                " [input-wait]"
            } else {
                ""
            };
            let status = format!("{:?}", view.status()).to_lowercase();
            format!(
                "{} {status:9} {}{mark} :: {}",
                view.id,
                shown_duration(view.duration),
                view.name
            )
        })
        .collect();
    let text = if lines.is_empty() {
        "No running or recent sessions.".to_owned()
    } else {
        lines.join("\n")
    };
    let details = AgentProcessDetails {
        status: ExecuteStatus::Completed,
        sessions: Some(views.iter().map(AgentSession::of).collect()),
        ..AgentProcessDetails::default()
    };
    (text, details)
}

fn shown_duration(time: std::time::Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        0 => format!("{}ms", time.as_millis()),
        1..60 => format!("{seconds}s"),
        60..3600 => format!("{}m{:02}s", seconds / 60, seconds % 60),
        _ => format!("{}h{:02}m", seconds / 3600, seconds / 60 % 60),
    }
}

fn poll(polled: &PolledSession) -> (String, AgentProcessDetails) {
    let mut details = AgentProcessDetails::of(&polled.view).with_news(polled);
    details.aggregated = Some(polled.aggregated.clone());
    details.ready = polled.waited.as_ref().map(is_ready);
    details.matched = polled.waited.as_ref().and_then(matched_line);
    (news_text(polled), details)
}

/// New output, then how the command stands.
fn news_text(polled: &PolledSession) -> String {
    let output = condensed_news(polled);
    let shown = match output.trim_end_matches('\n') {
        "" => "(no new output)",
        shown => shown,
    };
    let view = &polled.view;
    let ready = match &polled.waited {
        Some(waited) if !view.state.is_over() || is_ready(waited) => {
            format!("{} ", ready_line(waited))
        }
        _ => String::new(),
    };
    let stands = if view.waiting_for_input {
        format!(
            "No new output for {}; this session may be waiting for input. Use action write, send_keys, submit or paste to provide it.",
            shown_duration(view.idle)
        )
    } else {
        ended_line(&view.state)
    };
    format!("{shown}\n\n{ready}{stands}")
}

fn log(logged: LoggedSession) -> (String, AgentProcessDetails) {
    let LoggedSession {
        view,
        page,
        by_default,
    } = logged;
    let folded = fold_progress(&page.text);
    let text = if view.has_terminal {
        strip_escapes(&folded).into_owned()
    } else {
        folded.into_owned()
    };
    let text = match (page.lines, page.total_lines) {
        (0, 0) if view.state.is_over() => "(no output recorded)".to_owned(),
        (0, 0) => "(no output yet)".to_owned(),
        (0, total) if page.first < total => {
            "(the line that was begun is shown as soon as its last word is complete)".to_owned()
        }
        (0, total) => {
            let lines = counted(total, "line", "lines");
            format!("(no lines there: the output has {lines})")
        }
        _ => text,
    };
    let mut notices = Vec::new();
    let end = page.first + page.lines;
    if by_default && page.first > 0 {
        notices.push(format!(
            "showing last {} of {} lines; pass offset/limit to page",
            page.lines, page.total_lines
        ));
    } else if page.cut {
        notices.push(format!(
            "Showing lines {} to {end} of {}. Use offset={end} to continue",
            page.first + 1,
            page.total_lines
        ));
    }
    notices.extend(page.missing.clone());
    let details = AgentProcessDetails {
        truncated: Some(page.cut),
        full_output_path: page.file.map(|file| file.to_string_lossy().into_owned()),
        offset: Some(page.first),
        lines: Some(page.lines),
        total_lines: Some(page.total_lines),
        total_bytes: Some(page.total_bytes),
        ..AgentProcessDetails::of(&view)
    };
    (with_notices(text, &notices), details)
}

fn sent_text(sent: &SentInput) -> (String, AgentProcessDetails) {
    let id = &sent.view.id;
    let bytes = sent.bytes;
    let count = format!("{bytes} byte{}", if bytes == 1 { "" } else { "s" });
    let text = match (sent.taken, sent.kind) {
        (Some(taken), _) => format!(
            "Session {id} took {taken} of {count} and does not read any more for now. Poll it, and write the rest when it has gone on."
        ),
        (None, SentKind::Written { closed: true }) => {
            format!("Wrote {count} to session {id} (stdin closed).")
        }
        (None, SentKind::Written { closed: false }) => {
            format!("Wrote {count} to session {id}.")
        }
        (None, SentKind::Keys) => format!("Sent {count} to session {id}."),
        (None, SentKind::Submitted) => format!("Submitted session {id} (sent Enter)."),
        (None, SentKind::Pasted { characters }) => {
            format!("Pasted {characters} chars to session {id}.")
        }
    };
    let mut details = AgentProcessDetails::of(&sent.view);
    let (text, mut details) = match &sent.news {
        Some(news) => {
            details = details.with_news(news);
            (format!("{text}\n\n{}", news_text(news)), details)
        }
        None => (text, details),
    };
    details.bytes = Some(sent.taken.unwrap_or(bytes) as u64);
    (text, details)
}
