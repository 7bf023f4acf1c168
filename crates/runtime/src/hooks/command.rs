//! Hooks that are commands, in the protocol of Claude Code: the call as JSON on standard input, the decision in the exit
//! code and on standard output.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures_util::future::join_all;

use serde_json::{Map, Value, json};
use tenon_contract::{
    Access, CancellationToken, Content, ErrorCode, Operation, Outcome, ToolError, limits,
};
use tenon_process::{
    Capture, CommandInput, CommandResult, CommandSpec, Keep, Processes, Shell, Streams,
};
use tenon_tools::off_thread;

use super::claude_code::{ClaudeCall, OwnCall, given, given_later, said_after, said_before};
use super::option::{HookCommand, HookEvent, HookOption};
use super::{After, Before, HookedCall, merged};
use crate::permission_mode::PermissionMode;

/// Runs the commands of hooks.
#[derive(Clone)]
pub(crate) struct HookRunner {
    pub(crate) processes: Processes,
    pub(crate) shell: Shell,
    pub(crate) directory: PathBuf,
    pub(crate) session: Arc<str>,
    /// The file of `record`, which hooks find as their transcript.
    pub(crate) record: Option<PathBuf>,
}

impl HookRunner {
    pub(super) fn directory(&self) -> &Path {
        &self.directory
    }

    pub(super) fn session(&self) -> &str {
        &self.session
    }

    /// What the commands of a hook want of a call. They run side by side; the strictest decision holds.
    pub(super) async fn before(
        &self,
        hook: &HookOption,
        call: &HookedCall,
        mode: PermissionMode,
    ) -> Result<Before, ToolError> {
        let calls = given(&self.own(call, &call.access));
        self.decided(hook, call, calls, mode).await
    }

    /// The same of what only became known after that.
    pub(super) async fn before_found(
        &self,
        hook: &HookOption,
        call: &HookedCall,
        mode: PermissionMode,
    ) -> Result<Before, ToolError> {
        let calls = given_later(&self.own(call, &call.access));
        self.decided(hook, call, calls, mode).await
    }

    async fn decided(
        &self,
        hook: &HookOption,
        call: &HookedCall,
        calls: Vec<ClaudeCall<'_>>,
        mode: PermissionMode,
    ) -> Result<Before, ToolError> {
        let mut wanted = Before::default();
        for given in calls {
            let commands = matching(hook, HookEvent::Before, &given.names)?;
            if commands.is_empty() {
                continue;
            }
            let input = self.input(HookEvent::Before, call, &given, mode);
            for (command, ended) in self.run_all(commands, &input, &call.cancellation).await {
                match ended.and_then(|ended| said_before(&ended, &given)) {
                    Ok(mut said) => {
                        // One that gives back what it was given changes nothing that another has changed.
                        said.params = said.params.filter(|params| *params != call.wire);
                        wanted = merged(wanted, said);
                    }
                    Err(error) if error.code == ErrorCode::Cancelled => return Err(error),
                    Err(_) if command.ignore_failures => {}
                    Err(error) => return Err(error),
                }
            }
            if wanted.deny.is_some() {
                break;
            }
        }
        Ok(wanted)
    }

    fn own<'c>(&'c self, call: &'c HookedCall, access: &'c Access) -> OwnCall<'c> {
        OwnCall {
            operation: call.operation,
            tool: &call.subject.tool,
            rule_name: &call.rule_name,
            wire: &call.wire,
            access,
            time_limit: call.time_limit,
            directory: &self.directory,
        }
    }

    /// What the commands of a hook want of a result.
    pub(super) async fn after(
        &self,
        hook: &HookOption,
        call: &HookedCall,
        outcome: &Outcome,
        mode: PermissionMode,
    ) -> Result<After, ToolError> {
        let mut wanted = After::default();
        let access = call.done(outcome, &self.directory);
        for given in given(&self.own(call, &access)) {
            let commands = matching(hook, HookEvent::After, &given.names)?;
            if commands.is_empty() {
                continue;
            }
            let mut input = self.input(HookEvent::After, call, &given, mode);
            input.insert("tool_response".into(), response(call, outcome));
            for (command, ended) in self.run_all(commands, &input, &call.cancellation).await {
                match ended.and_then(|ended| said_after(&ended)) {
                    Ok(said) => {
                        wanted.content = said.content.or(wanted.content);
                        wanted.context.extend(said.context);
                    }
                    Err(error) if error.code == ErrorCode::Cancelled => return Err(error),
                    Err(_) if command.ignore_failures => {}
                    Err(error) => return Err(error),
                }
            }
        }
        Ok(wanted)
    }

    /// What every command reads on its standard input.
    fn input(
        &self,
        event: HookEvent,
        call: &HookedCall,
        given: &ClaudeCall<'_>,
        mode: PermissionMode,
    ) -> Map<String, Value> {
        let mode = match mode {
            PermissionMode::Bypass => "bypassPermissions",
            mode => mode.name(),
        };
        let transcript = self.record.as_ref().map(|path| path.display().to_string());
        let members = json!({
            "session_id": &*self.session,
            "transcript_path": transcript.unwrap_or_default(),
            "cwd": self.directory.display().to_string(),
            "permission_mode": mode,
            "hook_event_name": event.of_claude_code(),
            "tool_name": given.names.first(),
            "tool_use_id": call.subject.tool_call_id,
            "tool_input": given.input,
        });
        match members {
            Value::Object(members) => members,
            _ => Map::new(),
        }
    }

    async fn run_all<'c>(
        &self,
        commands: Vec<&'c HookCommand>,
        input: &Map<String, Value>,
        cancellation: &CancellationToken,
    ) -> Vec<(&'c HookCommand, Result<HookEnd, ToolError>)> {
        let input: Arc<str> = Value::Object(input.clone()).to_string().into();
        let runs = commands.into_iter().map(|command| {
            let input = Arc::clone(&input);
            async move {
                if command.is_async {
                    let (runner, own) = (self.clone(), command.clone());
                    // Its toolkit ends it, if its time does not.
                    drop(tokio::spawn(async move {
                        let _ = runner.run(&own, &input, &CancellationToken::new()).await;
                    }));
                    return (command, Ok(HookEnd::default()));
                }
                (command, self.run(command, &input, cancellation).await)
            }
        });
        join_all(runs).await
    }

    /// Runs one command to its end.
    async fn run(
        &self,
        command: &HookCommand,
        input: &str,
        cancellation: &CancellationToken,
    ) -> Result<HookEnd, ToolError> {
        let mut spec = CommandSpec::new(command.command.clone(), self.directory.clone());
        spec.shell = self.shell.clone();
        spec.streams = Streams::Apart;
        spec.input = CommandInput::Pipe;
        spec.keep = Keep::head(limits::HOOK_OUTPUT_MAX_BYTES);
        spec.spill = false;
        spec.timeout = Some(command.time_limit());
        let directory = self.directory.display().to_string();
        spec.environment
            .insert("CLAUDE_PROJECT_DIR".to_owned(), directory);
        let (processes, token) = (self.processes.clone(), cancellation.clone());
        let started = off_thread(move || processes.start(spec, &token));
        let mut running = started.await??;
        let writer = running.writer().cloned();
        let patience = command.time_limit();
        let write = async {
            if let Some(writer) = writer {
                // A command that does not read its input is none the worse for it.
                let _ = writer.write(input.as_bytes(), patience).await;
                let _ = writer.close(patience).await;
            }
        };
        let (result, ()) = tokio::join!(running.finished(), write);
        ended(command, result?)
    }
}

/// How a command ended.
#[derive(Debug, Default)]
pub(super) struct HookEnd {
    pub(super) code: i32,
    pub(super) stdout: String,
    pub(super) stderr: String,
}

/// What is known of the end of a command, where that was its own.
fn ended(command: &HookCommand, result: CommandResult) -> Result<HookEnd, ToolError> {
    let shown: String = command.command.chars().take(100).collect();
    if result.timed_out {
        let limit = command.time_limit().as_millis();
        let message = format!("`{shown}` did not end within {limit} ms");
        return Err(ToolError::new(ErrorCode::Timeout, message));
    }
    if result.cancelled {
        return Err(ToolError::cancelled());
    }
    let text = |capture: &Option<Capture>| {
        capture
            .as_ref()
            .map(|capture| capture.text("\n").into_owned())
            .unwrap_or_default()
    };
    if result
        .output
        .stdout
        .as_ref()
        .is_some_and(Capture::truncated)
    {
        let message = format!(
            "`{shown}` wrote more than {} bytes",
            limits::HOOK_OUTPUT_MAX_BYTES
        );
        return Err(ToolError::new(ErrorCode::HandlerFailed, message));
    }
    let (stdout, stderr) = (text(&result.output.stdout), text(&result.output.stderr));
    match result.exit_code {
        Some(code @ (0 | 2)) => Ok(HookEnd {
            code,
            stdout,
            stderr,
        }),
        code => {
            let how = code.map_or_else(
                || {
                    format!(
                        "was killed by {}",
                        result.signal.as_deref().unwrap_or("a signal")
                    )
                },
                |code| format!("failed with exit code {code}"),
            );
            let why: String = stderr.trim().chars().take(500).collect();
            let why = if why.is_empty() {
                String::new()
            } else {
                format!(": {why}")
            };
            let message = format!("`{shown}` {how}{why}");
            Err(ToolError::new(ErrorCode::HandlerFailed, message))
        }
    }
}

/// The commands of a hook for a tool, each text once.
fn matching<'h>(
    hook: &'h HookOption,
    event: HookEvent,
    names: &[&str],
) -> Result<Vec<&'h HookCommand>, ToolError> {
    let mut known = HashSet::new();
    let mut commands = Vec::new();
    for command in hook
        .commands
        .iter()
        .filter(|command| command.event == event)
    {
        if command.matches(names)? && known.insert(&command.command) {
            commands.push(command);
        }
    }
    Ok(commands)
}

/// A result as the hooks of Claude Code know it: the details, and the text.
fn response(call: &HookedCall, outcome: &Outcome) -> Value {
    let texts = outcome.content.iter().filter_map(|part| match part {
        Content::Text(text) => Some(text.as_str()),
        Content::Image { .. } => None,
    });
    let text = texts.collect::<Vec<_>>().join("\n");
    let mut members = match outcome.details.clone().into_value() {
        Value::Object(members) => members,
        Value::Null => Map::new(),
        other => Map::from_iter([("result".to_owned(), other)]),
    };
    let mut add = |name: &str, value: Value| _ = members.entry(name).or_insert(value);
    match call.operation {
        Operation::Execute => {
            add("stdout", text.into());
            add("stderr", "".into());
            add("interrupted", false.into());
        }
        _ => {
            if let Some(file) = call.access.changed().chain(&call.access.reads).next() {
                add("filePath", file.target.display().to_string().into());
            }
            add("content", text.into());
        }
    }
    members.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(matcher: &str, names: &[&str]) -> bool {
        let command = HookCommand {
            event: HookEvent::Before,
            matcher: Some(matcher.to_owned()),
            command: String::new(),
            timeout_ms: None,
            is_async: false,
            ignore_failures: false,
        };
        command.matches(names).unwrap()
    }

    #[test]
    fn a_matcher_is_a_name_a_list_of_names_or_an_expression() {
        for (matcher, expected) in [
            ("", true),
            ("*", true),
            ("Bash", true),
            ("exec", true),
            ("bash", false),
            ("Edit|Bash", true),
            ("Edit | Bash", true),
            ("Edit|Write", false),
            ("Bas", false),
            ("Bas.*", true),
            (".*", true),
            ("^B", true),
            ("mcp__.*", false),
        ] {
            assert_eq!(matches(matcher, &["Bash", "exec"]), expected, "{matcher}");
        }
    }
}
