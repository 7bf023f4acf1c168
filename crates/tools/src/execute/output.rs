//! What a command did, and how that is put into words.

use std::time::Duration;

use super::{ChangedFiles, InSandbox, ShownOutput};
use schemars::JsonSchema;
use serde::Serialize;
use tenon_contract::{
    Condensation, ErrorCode, FileChange, NextStep, Output, ToolError, counted, grouped, parameter,
};
use tenon_process::{
    Capture, CommandResult, LimitReached, Processes, Screen, Spill, Waited, fold_progress,
    terminal_text,
};
use tenon_secrets::Redactor;

/// What the command did.
#[derive(Debug)]
pub struct ExecuteOutput {
    /// The command.
    pub command: String,
    /// The directory, as answers name it.
    pub directory: String,
    /// How it stands.
    pub status: ExecuteStatus,
    /// Its exit code; nothing when a signal ended it or it still runs.
    pub exit_code: Option<i32>,
    /// The signal that ended it, such as `SIGTERM`.
    pub signal: Option<String>,
    /// From start to completion.
    pub duration: Duration,
    /// What it wrote.
    pub output: StreamOutput,
    /// What its terminal shows, if it has one.
    pub screen: Option<Screen>,
    /// Processes that it had left running and that were ended.
    pub ended: usize,
    /// The limit that it reached. But for that of files, all its processes were killed then.
    pub limit: Option<LimitReached>,
    /// The sandbox that it ran in, if there was to be one.
    pub sandbox: Option<InSandbox>,
    /// The files that were changed while it ran, if that was to be reported.
    pub changed: Option<ChangedFiles>,
    /// What of it runs on in the background.
    pub background: Option<InBackground>,
    /// What is shown of the output, where that is not all that was kept.
    pub shown: Option<ShownOutput>,
}

/// A command, or what it left running, that became a background session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InBackground {
    /// The name of the session.
    pub session: String,
    /// The number of its shell's process.
    pub process_id: u32,
    /// Why it is there.
    pub reason: BackgroundReason,
}

/// Why a command runs in the background.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BackgroundReason {
    /// The call asked for it.
    Asked,
    /// The call asked to wait no longer than this.
    Yielded(Duration),
    /// Its time in the foreground was up.
    TimedOut(Duration),
    /// The call asked to wait until it is ready.
    Awaited(Waited),
    /// The command is over; so many processes that it left running are not.
    Leftovers(usize),
}

/// How a command stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ExecuteStatus {
    /// It ended with code 0.
    #[default]
    Completed,
    /// It ended with another code.
    Failed,
    /// It has not ended yet.
    Running,
    /// It was ended because its time was up.
    Timeout,
    /// A signal ended it.
    Killed,
}

/// What a command wrote.
#[derive(Debug)]
pub enum StreamOutput {
    /// Both streams in the order in which they were written.
    Merged(Capture),
    /// Each by itself.
    Apart {
        /// Standard output.
        stdout: Capture,
        /// Standard error.
        stderr: Capture,
    },
}

impl Output for ExecuteOutput {
    fn changes(&self) -> Vec<FileChange> {
        self.changed
            .as_ref()
            .map(|changed| changed.changes.clone())
            .unwrap_or_default()
    }

    fn background(&self) -> Option<&str> {
        let background = self.background.as_ref()?;
        Some(&background.session)
    }

    fn condensed(&self) -> Option<Condensation> {
        self.shown.as_ref().map(|shown| shown.condensation.clone())
    }
}

impl StreamOutput {
    /// The captures of a command, as its streams were collected.
    pub(crate) fn of(
        merged: Option<Capture>,
        stdout: Option<Capture>,
        stderr: Option<Capture>,
    ) -> Self {
        match (merged, stdout, stderr) {
            (Some(merged), _, _) => Self::Merged(merged),
            (None, stdout, stderr) => Self::Apart {
                stdout: stdout.unwrap_or_default(),
                stderr: stderr.unwrap_or_default(),
            },
        }
    }

    /// Takes the secrets out of everything that is kept. `is_over` is whether nothing can come any more.
    pub(crate) fn redact(&mut self, redactor: &Redactor, is_over: bool) {
        let captures = match self {
            Self::Merged(merged) => vec![merged],
            Self::Apart { stdout, stderr } => vec![stdout, stderr],
        };
        for capture in captures {
            let clean = |text: &str| {
                if is_over {
                    redactor.redact(text).into_owned()
                } else {
                    redactor.redact_start(text)
                }
            };
            if capture.truncated() {
                // What is omitted may begin and end within a secret.
                let torn_end = redactor.unfinished(&capture.head) as u64;
                capture.head = redactor.redact_start(&capture.head);
                let torn = capture
                    .tail
                    .find(char::is_whitespace)
                    .unwrap_or(capture.tail.len());
                if let Some(omitted) = &mut capture.omitted {
                    let (start, end) = (omitted.start, omitted.end + torn as u64);
                    *omitted = start.saturating_sub(torn_end)..end.min(capture.total_bytes);
                }
                capture.tail = clean(capture.tail.get(torn..).unwrap_or_default());
            } else {
                capture.head = clean(&capture.head);
            }
        }
    }

    /// Takes an end of which nothing was left by [`Self::redact`] from the file, where its secrets are marks: an output
    /// without whitespace is one word.
    pub(crate) async fn fill_ends(
        &mut self,
        processes: &Processes,
        redactor: &Redactor,
        bytes: usize,
    ) {
        let captures = match self {
            Self::Merged(merged) => vec![merged],
            Self::Apart { stdout, stderr } => vec![stdout, stderr],
        };
        for capture in captures {
            let is_lost = capture.head.is_empty() || capture.tail.is_empty();
            let spill = capture.spill.as_ref().filter(|spill| spill.complete);
            let (true, true, Some(spill)) = (is_lost, capture.truncated(), spill) else {
                continue;
            };
            let Some((head, tail)) = processes.read_output_ends(spill, bytes).await else {
                continue;
            };
            let decoded = |bytes: &[u8]| redactor.redact(&whole_characters(bytes)).into_owned();
            (capture.head, capture.tail) = (decoded(&head), decoded(&tail));
            let end = capture
                .total_bytes
                .saturating_sub(capture.tail.len() as u64);
            let start = (capture.head.len() as u64).min(end);
            capture.omitted = Some(start..end);
        }
    }

    /// All captures.
    pub fn captures(&self) -> impl Iterator<Item = &Capture> {
        let (first, second) = match self {
            Self::Merged(merged) => (merged, None),
            Self::Apart { stdout, stderr } => (stdout, Some(stderr)),
        };
        std::iter::once(first).chain(second)
    }

    /// The address and the path of the whole of the first output of which something is left out.
    #[must_use]
    pub fn whole(&self) -> Option<(String, String)> {
        let mut cut = self.captures().filter(|capture| capture.truncated());
        let spill = cut.find_map(|capture| capture.spill.as_ref())?;
        Some((spill.address()?, spill.path.to_string_lossy().into_owned()))
    }

    /// Everything that was kept, standard error after standard output, with a mark where bytes are
    /// left out.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Self::Merged(merged) => reported(merged),
            Self::Apart { stdout, stderr } => {
                let (stdout, stderr) = (reported(stdout), reported(stderr));
                let gap = if stdout.is_empty() || stderr.is_empty() || stdout.ends_with('\n') {
                    ""
                } else {
                    "\n"
                };
                format!("{stdout}{gap}{stderr}")
            }
        }
    }
}

impl ExecuteOutput {
    /// What came of a command that is over.
    pub(crate) fn over(
        command: String,
        directory: String,
        result: CommandResult,
        screen: Option<Screen>,
    ) -> Self {
        let status = match (result.timed_out, result.exit_code) {
            (true, _) => ExecuteStatus::Timeout,
            (false, Some(0)) => ExecuteStatus::Completed,
            (false, Some(_)) => ExecuteStatus::Failed,
            (false, None) => ExecuteStatus::Killed,
        };
        let output = result.output;
        Self {
            command,
            directory,
            status,
            exit_code: result.exit_code,
            signal: result.signal,
            duration: result.duration,
            output: StreamOutput::of(output.merged, output.stdout, output.stderr),
            screen,
            ended: result.ended.found,
            limit: result.limit,
            sandbox: None,
            changed: None,
            background: None,
            shown: None,
        }
    }

    /// The failure that a time-out is, with the output so far.
    pub(crate) fn timed_out(&self, timeout: Duration) -> ToolError {
        let lead = self.lead();
        let message = format!(
            "{lead}Timed out after {} s; the command and all its child processes were killed.",
            timeout.as_secs_f64()
        );
        let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let error = ToolError::new(ErrorCode::Timeout, message).then(longer());
        let changes = self.changes();
        let error = if changes.is_empty() {
            error
        } else {
            error.with("changes", serde_json::to_value(changes).unwrap_or_default())
        };
        with_output(error, self.text(), &self.output)
            .with("command", self.command.as_str())
            .with("exit_code", self.exit_code)
            .with("timeout_ms", millis(timeout))
            .with("duration_ms", millis(self.duration))
    }

    /// The failure that an abort is, with the output so far.
    pub(crate) fn aborted(&self) -> ToolError {
        let error = ToolError::cancelled();
        let message = format!("{}{}", self.lead(), error.message);
        let error = ToolError { message, ..error };
        let millis = u64::try_from(self.duration.as_millis()).unwrap_or(u64::MAX);
        with_output(error, self.text(), &self.output)
            .with("command", self.command.as_str())
            .with("duration_ms", millis)
    }

    /// The output so far in front of a sentence.
    fn lead(&self) -> String {
        let shown = self.shown_text();
        if shown.is_empty() {
            return shown;
        }
        let shown = shown.trim_end_matches('\n');
        // The middle of a long message is omitted, and with it what stands there of the whole.
        let mut cut = self.output.captures().filter(|capture| capture.truncated());
        let place = cut.find_map(|capture| capture.spill.as_ref()?.sentence());
        match place.filter(|_| self.shown.is_none()) {
            Some(place) => format!("{shown}\n\n[{place}]\n\n"),
            None => format!("{shown}\n\n"),
        }
    }

    /// What a model is shown of the output.
    #[must_use]
    pub fn shown_text(&self) -> String {
        match &self.shown {
            Some(shown) => shown.text.clone(),
            None => fold_progress(&self.text()).into_owned(),
        }
    }

    /// Everything that was kept of the output, standard error after standard output, with a mark
    /// where the middle is left out. Of a terminal: as a user would read it.
    #[must_use]
    pub fn text(&self) -> String {
        let text = self.output.text();
        match &self.screen {
            Some(screen) => terminal_text(&text, screen),
            None => text,
        }
    }
}

/// The text without the parts of characters at its ends.
fn whole_characters(bytes: &[u8]) -> String {
    let is_rest = |byte: &&u8| matches!(**byte, 0x80..=0xBF);
    let torn = bytes.iter().take(3).take_while(is_rest).count();
    let rest = bytes.get(torn..).unwrap_or_default();
    let end = match std::str::from_utf8(rest) {
        // Only the last character can be known to be incomplete.
        Err(error) if error.error_len().is_none() => error.valid_up_to(),
        _ => rest.len(),
    };
    String::from_utf8_lossy(rest.get(..end).unwrap_or(rest)).into_owned()
}

/// One stream with its mark.
fn reported(capture: &Capture) -> String {
    let Some(omitted) = &capture.omitted else {
        return capture.head.clone();
    };
    let left_out = grouped(omitted.end.saturating_sub(omitted.start));
    let place = capture
        .spill
        .as_ref()
        .and_then(Spill::sentence)
        .map(|sentence| format!(". {sentence}"))
        .unwrap_or_default();
    let total = counted(capture.total_bytes, "byte", "bytes");
    capture
        .text(&format!("\n\n[… {left_out} of {total} omitted{place}]\n\n"))
        .into_owned()
}

/// Adds what a program needs to know of the output of a command that was broken off.
fn with_output(error: ToolError, shown: String, output: &StreamOutput) -> ToolError {
    let truncated = output.captures().any(Capture::truncated);
    let mut error = error.with("output", shown).with("truncated", truncated);
    if let Some((address, path)) = output.whole() {
        error = error
            .with("fullOutput", address)
            .with("fullOutputPath", path);
    }
    error
}

/// What helps a command that takes longer than it may.
fn longer() -> NextStep {
    let timeout = parameter("timeout");
    NextStep::FirstOf(vec![
        NextStep::with_fields(
            &["timeout", "background"],
            format!(
                "Use a longer {timeout}, or run it in the background if it does not end by itself."
            ),
        ),
        NextStep::with_fields(&["timeout"], format!("Use a longer {timeout}.")),
        NextStep::with_fields(
            &["background"],
            "Run it in the background if it does not end by itself.",
        ),
        NextStep::say("Run a smaller part of it, or end it sooner, such as with `timeout 60`."),
    ])
}
