//! Looks after commands that run in the background: reads, writes to and ends them.

mod output;
mod work;

use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tenon_contract::{
    Access, Effect, ErrorCode, InputClaim, Operation, TimeLimit, Tool, ToolContext, ToolError,
    parameter,
};
use tenon_process::{CommandSession, CommandSessions, Processes};
use tenon_workspace::Workspace;

use crate::execute::OutputStyle;
use crate::wait_for::{Awaited, WaitFor, expression};
pub use output::{LoggedSession, PolledSession, ProcessOutput, SentInput, SentKind, SessionView};

/// What to do with which background command.
#[derive(Debug, Clone, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProcessParams {
    /// What to do.
    pub action: ProcessAction,
    /// Id of the background command. Required for every action except `list`.
    #[schemars(length(min = 1))]
    pub session: Option<String>,
    /// Text for `write` and `paste`, or typed before the keys of `send_keys` or Enter of `submit`.
    pub data: Option<String>,
    /// For `send_keys`: tmux key names such as `Enter`, `C-c`, `Up`, `F1`; other text is typed.
    pub keys: Option<Vec<String>>,
    /// Close stdin after `write`. Default: false.
    pub eof: Option<bool>,
    /// Bracketed `paste`. Default: if the program requested it.
    pub bracketed: Option<bool>,
    /// For `log`: lines to skip. Default: all but the last `limit`.
    pub offset: Option<u64>,
    /// For `log`: maximum number of lines. Default: the last 200, or all after `offset`.
    pub limit: Option<u64>,
    /// For `poll` and after writing: milliseconds to wait for output. Default: 0.
    #[schemars(range(max = 3_600_000))]
    pub timeout: Option<u64>,
    /// For `poll`: wait until one of these holds, at most `timeout` milliseconds (30000 if that is
    /// left out).
    pub wait_for: Option<WaitFor>,
    /// For `poll`: show only lines that match this regular expression. The others count as read.
    pub filter: Option<String>,
    /// For `poll` and after writing: fold progress, and show of much new output the lines that say most. Default: false.
    pub condensed: Option<bool>,
    /// Keep new output that is not shown whole under an address. Default: false; its log has it.
    pub keep: Option<bool>,
}

/// What can be done with background commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProcessAction {
    /// Show all commands.
    List,
    /// Show new output and the status.
    Poll,
    /// Show lines of all output.
    Log,
    /// Write to its stdin.
    Write,
    /// Press keys in its terminal.
    SendKeys,
    /// Press Enter.
    Submit,
    /// Paste text.
    Paste,
    /// Kill it and all its child processes.
    Kill,
    /// Forget it once it is finished.
    Clear,
    /// Kill it if it runs, and forget it.
    Remove,
}

impl ProcessAction {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::List => "list",
            Self::Poll => "poll",
            Self::Log => "log",
            Self::Write => "write",
            Self::SendKeys => "send_keys",
            Self::Submit => "submit",
            Self::Paste => "paste",
            Self::Kill => "kill",
            Self::Clear => "clear",
            Self::Remove => "remove",
        }
    }

    const fn types(self) -> bool {
        matches!(
            self,
            Self::Write | Self::SendKeys | Self::Submit | Self::Paste
        )
    }
}

/// The process operation.
#[derive(Debug)]
pub struct Process {
    workspace: Workspace,
    sessions: CommandSessions,
    style: OutputStyle,
    processes: Processes,
}

impl Process {
    /// Over the commands in `sessions`, whose output is shown in this style. Files that are waited for lie in `workspace`.
    #[must_use]
    pub fn new(
        workspace: &Workspace,
        sessions: &CommandSessions,
        style: OutputStyle,
        processes: &Processes,
    ) -> Self {
        Self {
            workspace: workspace.clone(),
            sessions: sessions.clone(),
            style,
            processes: processes.clone(),
        }
    }

    /// What would be typed. Nothing for actions that type nothing.
    fn typed(session: &CommandSession, params: &ProcessParams) -> Result<Option<Typed>, ToolError> {
        let data = params.data.clone().unwrap_or_default();
        let is_terminal = session
            .writer()
            .is_some_and(tenon_process::CommandWriter::is_terminal);
        let text = match params.action {
            ProcessAction::Write if data.is_empty() && !params.eof.unwrap_or(false) => {
                return Err(missing("write", "`data`, or `eof` to close the input"));
            }
            ProcessAction::Write => data,
            ProcessAction::SendKeys => {
                let keys = params.keys.clone().unwrap_or_default();
                if keys.is_empty() && data.is_empty() {
                    return Err(missing("send_keys", "`keys`"));
                }
                data + &keys_of(session, &keys, is_terminal)?
            }
            ProcessAction::Submit => data + if is_terminal { "\r" } else { "\n" },
            ProcessAction::Paste if data.is_empty() => {
                return Err(missing("paste", "`data`"));
            }
            ProcessAction::Paste => session.pasted(&data, params.bracketed),
            _ => return Ok(None),
        };
        Ok(Some(Typed {
            text,
            closes: params.action == ProcessAction::Write && params.eof.unwrap_or(false),
        }))
    }
}

/// What is to be typed.
#[derive(Debug, Clone)]
pub(crate) struct Typed {
    pub(crate) text: String,
    /// Whether the input is closed afterwards.
    pub(crate) closes: bool,
}

fn missing(action: &str, what: &str) -> ToolError {
    ToolError::new(
        ErrorCode::InvalidParams,
        format!("The action `{action}` needs {what}."),
    )
}

/// What the keys send. Without a terminal there are only characters: no key can interrupt.
fn keys_of(
    session: &CommandSession,
    keys: &[String],
    is_terminal: bool,
) -> Result<String, ToolError> {
    let sent = session.keys(keys).map_err(|unknown| {
        ToolError::new(ErrorCode::InvalidParams, unknown.to_string()).with("key", unknown.key)
    })?;
    if is_terminal {
        return Ok(sent);
    }
    let text = sent.replace('\r', "\n");
    if let Some(control) = text
        .chars()
        .find(|letter| letter.is_control() && !matches!(letter, '\n' | '\t'))
    {
        let message = format!(
            "The command has no terminal, so the key that sends {control:?} has no effect. Kill the command, close its input with `eof`, or start it with a terminal."
        );
        return Err(ToolError::new(ErrorCode::InvalidParams, message));
    }
    Ok(text)
}

/// The session, if there is one of the name, and what is to be done with it.
#[derive(Debug)]
pub struct ProcessPlan {
    pub(crate) params: ProcessParams,
    pub(crate) session: Option<Arc<CommandSession>>,
    pub(crate) typed: Option<Typed>,
    pub(crate) awaited: Awaited,
    pub(crate) filter: Option<regex::Regex>,
    /// How new output is shown; nothing where the call says itself which lines it wants.
    pub(crate) style: Option<OutputStyle>,
    /// What keeps new output that is not shown whole, where no action shows it again.
    pub(crate) keeper: Option<Processes>,
}

impl ProcessPlan {
    /// How long output is waited for.
    pub(crate) fn patience(&self) -> Duration {
        self.params
            .timeout
            .map_or(Duration::ZERO, Duration::from_millis)
    }
}

impl Tool for Process {
    const OPERATION: Operation = Operation::Process;
    const TIME_LIMIT: TimeLimit = TimeLimit::Operation;
    type Params = ProcessParams;
    type Plan = ProcessPlan;
    type Output = ProcessOutput;

    fn effect(plan: &ProcessPlan) -> Effect {
        match plan.params.action {
            ProcessAction::List | ProcessAction::Poll | ProcessAction::Log => Effect::Observe,
            ProcessAction::Kill | ProcessAction::Clear | ProcessAction::Remove => Effect::Converse,
            ProcessAction::Write
            | ProcessAction::SendKeys
            | ProcessAction::Submit
            | ProcessAction::Paste => Effect::Execute,
        }
    }

    fn plan(&self, params: ProcessParams) -> Result<(Access, ProcessPlan), ToolError> {
        let awaited = Awaited::new(params.wait_for.as_ref(), &self.workspace)?;
        let filter = params.filter.as_deref().map(expression).transpose()?;
        // A name that nobody has is reported when the call runs: whether it may ask comes first.
        let session = params
            .session
            .as_deref()
            .and_then(|id| self.sessions.find(id));
        let typed = match &session {
            Some(session) => Self::typed(session, &params)?,
            None => None,
        };
        let mut access = Access {
            reads: awaited.claims(),
            ..Access::default()
        };
        if let Some(session) = &session {
            match &typed {
                Some(typed) => access.inputs.push(InputClaim {
                    command: session.claim().clone(),
                    text: typed.text.clone(),
                }),
                None => access.sessions.push(session.id().to_owned()),
            }
        }
        let is_condensed = params.condensed.unwrap_or(false) && filter.is_none();
        let style = is_condensed.then_some(self.style);
        let keeper = params.keep.unwrap_or(false).then(|| self.processes.clone());
        let plan = ProcessPlan {
            params,
            session,
            typed,
            awaited,
            filter,
            style,
            keeper,
        };
        Ok((access, plan))
    }

    async fn run(
        &self,
        plan: ProcessPlan,
        context: ToolContext,
    ) -> Result<ProcessOutput, ToolError> {
        if plan.params.action == ProcessAction::List {
            let sessions = self.sessions.list();
            return Ok(ProcessOutput::List(
                sessions
                    .iter()
                    .map(|session| SessionView::of(session))
                    .collect(),
            ));
        }
        let Some(session) = plan.session.clone() else {
            return Err(self.unknown(&plan.params));
        };
        match plan.params.action {
            ProcessAction::List | ProcessAction::Poll => {
                work::poll(&session, &plan, &context).await
            }
            ProcessAction::Log => work::log(&session, &plan).await,
            ProcessAction::Kill if session.state().is_over() => {
                Ok(ProcessOutput::Over(SessionView::of(&session)))
            }
            ProcessAction::Kill => work::kill(&session, &context)
                .await
                .map(ProcessOutput::Killed),
            ProcessAction::Clear => self.clear(&session),
            ProcessAction::Remove => {
                let view = work::kill(&session, &context).await?;
                self.sessions.forget(session.id());
                Ok(ProcessOutput::Removed(view))
            }
            action if action.types() => work::send(&session, &plan, &context).await,
            _ => Err(ToolError::internal("an action without work")),
        }
    }
}

impl Process {
    fn clear(&self, session: &CommandSession) -> Result<ProcessOutput, ToolError> {
        let view = SessionView::of(session);
        if !view.state.is_over() {
            let message = format!(
                "The command `{}` is still running, so it was not cleared. Kill it first, or do both with `remove`.",
                view.id
            );
            return Err(ToolError::new(ErrorCode::InvalidParams, message).with("session", view.id));
        }
        self.sessions.forget(session.id());
        Ok(ProcessOutput::Cleared(view))
    }

    fn unknown(&self, params: &ProcessParams) -> ToolError {
        let known: Vec<String> = self
            .sessions
            .list()
            .iter()
            .map(|session| session.id().to_owned())
            .collect();
        let Some(id) = &params.session else {
            let message = format!(
                "The action `{}` needs {}, the id of a background command. Use `list` to see them.",
                params.action.name(),
                parameter("session")
            );
            return ToolError::new(ErrorCode::InvalidParams, message);
        };
        let advice = if known.is_empty() {
            "None is running; finished ones are kept for 30 minutes.".to_owned()
        } else {
            let names: Vec<String> = known.iter().map(|id| format!("`{id}`")).collect();
            format!("Available: {}.", names.join(", "))
        };
        let shown: String = id.chars().take(80).collect();
        ToolError::new(
            ErrorCode::NotFound,
            format!("No background command with id `{shown}`. {advice}"),
        )
        .with("sessions", known)
    }
}
