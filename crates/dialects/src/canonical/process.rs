//! BashOutput and KillBash: the companions of Bash.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use tenon_contract::{Content, Operation};
use tenon_tools::{ExecuteStatus, ProcessOutput, ProcessParams, SessionView, StreamOutput};

use crate::binding::{Category, ParamsCodec, ToolBinding};
use crate::render::ended_line;
use crate::result_view::ResultView;
use crate::schema_source::SchemaSource;
use crate::words::Words;
use crate::{Field, Renderer};

/// The row of `BashOutput`.
pub(super) const BASH_OUTPUT: ToolBinding = ToolBinding {
    operation: Operation::Process,
    name: "BashOutput",
    label: "Bash output",
    description: include_str!("descriptions/BashOutput.md"),
    category: Category::Runtime,
    level: 0,
    params: ParamsCodec::Fields(&[
        Field::fixed("action", || Value::from("poll")),
        Field::fixed("condensed", || Value::Bool(true)),
        Field::fixed("keep", || Value::Bool(true)),
        Field::renamed("bash_id", "session")
            .required()
            .aliases(&["shell_id", "background_id", "id", "task_id"])
            .describe("Id of the background command."),
        Field::same("filter").describe(
            "Show only lines that match this regular expression. The others count as read.",
        ),
    ]),
    operation_params: SchemaSource::params::<ProcessParams>(),
    renderer: Renderer::of::<CanonicalBashOutputDetails>(),
};

/// The row of `KillBash`.
pub(super) const KILL_BASH: ToolBinding = ToolBinding {
    operation: Operation::Process,
    name: "KillBash",
    label: "Kill bash",
    description: include_str!("descriptions/KillBash.md"),
    category: Category::Runtime,
    level: 0,
    params: ParamsCodec::Fields(&[
        Field::fixed("action", || Value::from("kill")),
        Field::renamed("shell_id", "session")
            .required()
            .aliases(&["bash_id", "background_id", "id", "task_id"])
            .describe("Id of the background command."),
    ]),
    operation_params: SchemaSource::params::<ProcessParams>(),
    renderer: Renderer::of::<CanonicalKillBashDetails>(),
};

/// Details of `BashOutput`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CanonicalBashOutputDetails {
    /// The id of the command.
    bash_id: String,
    /// How it stands.
    status: ExecuteStatus,
    /// What it wrote to both outputs since the last look.
    output: String,
    /// The part of it from standard output.
    stdout: String,
    /// The part of it from standard error.
    stderr: String,
    /// Its exit code; null while it runs and when a signal ended it.
    exit_code: Option<i32>,
    /// The signal that ended it.
    #[serde(skip_serializing_if = "Option::is_none")]
    signal: Option<String>,
}

impl ResultView for CanonicalBashOutputDetails {
    type Output = ProcessOutput;

    fn render(output: ProcessOutput, _: &Words<'_>) -> (Vec<Content>, Self) {
        let view = output.view();
        let mut details = Self {
            bash_id: view.map(|view| view.id.clone()).unwrap_or_default(),
            status: view.map_or(ExecuteStatus::Completed, SessionView::status),
            output: String::new(),
            stdout: String::new(),
            stderr: String::new(),
            exit_code: view.and_then(|view| view.state.exit_code),
            signal: view.and_then(|view| view.state.signal.clone()),
        };
        if let ProcessOutput::Poll(polled) = &output {
            let folded = |text: &str| tenon_process::fold_progress(text).into_owned();
            details.output = folded(&polled.output.text());
            match &polled.output {
                StreamOutput::Merged(merged) => details.stdout = folded(&merged.text("\n[…]\n")),
                StreamOutput::Apart { stdout, stderr } => {
                    details.stdout = folded(&stdout.text("\n[…]\n"));
                    details.stderr = folded(&stderr.text("\n[…]\n"));
                }
            }
        }
        let shown = match &output {
            ProcessOutput::Poll(polled) => polled.shown.as_ref(),
            _ => None,
        };
        let text = details.text(shown.map(|shown| shown.text.as_str()));
        (vec![Content::Text(text)], details)
    }
}

impl CanonicalBashOutputDetails {
    /// Marked up, as users of this vocabulary know it; of much output what is shown of it.
    fn text(&self, shown: Option<&str>) -> String {
        let status = format!("{:?}", self.status).to_lowercase();
        let mut parts = vec![format!("<status>{status}</status>")];
        if let Some(code) = self.exit_code {
            parts.push(format!("<exit_code>{code}</exit_code>"));
        }
        if let Some(signal) = &self.signal {
            parts.push(format!("<signal>{signal}</signal>"));
        }
        let both = [
            ("stdout", self.stdout.as_str()),
            ("stderr", self.stderr.as_str()),
        ];
        let streams = match shown {
            None => both.to_vec(),
            Some(shown) => {
                let mut written = both.iter().filter(|(_, text)| !text.is_empty());
                let name = match (written.next(), written.next()) {
                    (Some((name, _)), None) => name,
                    _ => "output",
                };
                vec![(name, shown)]
            }
        };
        for (name, text) in streams {
            if !text.is_empty() {
                let text = text.trim_end_matches('\n');
                parts.push(format!("<{name}>\n{text}\n</{name}>"));
            }
        }
        if self.stdout.is_empty() && self.stderr.is_empty() {
            parts.push("(no new output)".to_owned());
        }
        parts.join("\n\n")
    }
}

/// Details of `KillBash`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CanonicalKillBashDetails {
    /// What was done.
    message: String,
    /// The id of the command.
    shell_id: String,
    /// How it stands now.
    status: ExecuteStatus,
    /// Its exit code; null when a signal ended it.
    exit_code: Option<i32>,
}

impl ResultView for CanonicalKillBashDetails {
    type Output = ProcessOutput;

    fn render(output: ProcessOutput, _: &Words<'_>) -> (Vec<Content>, Self) {
        let Some(view) = output.view() else {
            return (Vec::new(), Self::default());
        };
        let message = match (&output, view.status()) {
            (ProcessOutput::Over(_), _) => format!(
                "Shell {} had ended before, so it was not killed. {}",
                view.id,
                ended_line(&view.state)
            ),
            (_, ExecuteStatus::Killed) => {
                format!("Successfully killed shell: {} ({})", view.id, view.command)
            }
            _ => format!(
                "Shell {} was not killed. {}",
                view.id,
                ended_line(&view.state)
            ),
        };
        let details = Self {
            shell_id: view.id.clone(),
            status: view.status(),
            exit_code: view.state.exit_code,
            message: message.clone(),
        };
        (vec![Content::Text(message)], details)
    }
}

impl Default for CanonicalKillBashDetails {
    fn default() -> Self {
        Self {
            message: String::new(),
            shell_id: String::new(),
            status: ExecuteStatus::Completed,
            exit_code: None,
        }
    }
}
