//! What Claude Code knows of hooks: its settings, its names of tools and parameters, and what its commands say.

mod calls;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tenon_contract::{Content, ErrorCode, ToolError};

use super::command::HookEnd;
use super::option::HookOption;
use super::option::{HookCommand, HookEvent};
use super::{After, Before};
use crate::approval::OwnQuestion;

pub(super) use calls::{ClaudeCall, OwnCall, TimeLimitName, given, given_later};

/// Whose hooks they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum HookFormat {
    /// `settings.json` of Claude Code.
    ClaudeCode,
}

/// Hooks that were carried over.
#[derive(Debug, Clone, Serialize)]
pub struct ImportedHooks {
    /// For `options.hooks`.
    pub hooks: HookOption,
    /// What was left out, a sentence each.
    pub notices: Vec<String>,
}

/// Reads the `PreToolUse` and `PostToolUse` command hooks of a settings file.
///
/// # Errors
/// A text that is no such file, and a hook before calls that cannot be run here: leaving it out would open what it guards.
pub fn import_hooks(format: HookFormat, text: &str) -> Result<ImportedHooks, ToolError> {
    let HookFormat::ClaudeCode = format;
    let settings: Value = json5::from_str(text)
        .map_err(|error| wrong(format!("The settings are not JSON: {error}.")))?;
    let settings = object(&settings, "The settings")?;
    let mut imported = ImportedHooks {
        hooks: HookOption::default(),
        notices: Vec::new(),
    };
    let hooks = match settings.get("hooks") {
        None | Some(Value::Null) => {
            imported
                .notices
                .push("The settings have no `hooks`.".to_owned());
            return Ok(imported);
        }
        Some(hooks) => object(hooks, "`hooks`")?,
    };
    if settings.get("disableAllHooks") == Some(&Value::Bool(true)) {
        imported
            .notices
            .push("`disableAllHooks` is true, so no hook was imported.".to_owned());
        return Ok(imported);
    }
    for (name, groups) in hooks {
        let event = match name.as_str() {
            "PreToolUse" => HookEvent::Before,
            "PostToolUse" => HookEvent::After,
            _ => {
                imported.notices.push(format!(
                    "The hooks of `{name}` are not run: only `PreToolUse` and `PostToolUse` are."
                ));
                continue;
            }
        };
        for (at, group) in list(groups, &format!("`hooks.{name}`"))?.iter().enumerate() {
            import_group(event, &format!("hooks.{name}[{at}]"), group, &mut imported)?;
        }
    }
    Ok(imported)
}

fn import_group(
    event: HookEvent,
    place: &str,
    group: &Value,
    imported: &mut ImportedHooks,
) -> Result<(), ToolError> {
    let group = object(group, &format!("`{place}`"))?;
    let matcher = match group.get("matcher") {
        None | Some(Value::Null) => None,
        Some(Value::String(matcher)) => Some(matcher.clone()),
        Some(_) => return Err(wrong(format!("`{place}.matcher` must be a string."))),
    };
    let none = Value::Array(Vec::new());
    let hooks = group.get("hooks").unwrap_or(&none);
    for (at, hook) in list(hooks, &format!("`{place}.hooks`"))?.iter().enumerate() {
        let place = format!("{place}.hooks[{at}]");
        let hook = object(hook, &format!("`{place}`"))?;
        let kind = hook.get("type").and_then(Value::as_str).unwrap_or_default();
        if kind != "command" {
            let message =
                format!("`{place}` has the type `{kind}`; only `command` can be run here.");
            if event == HookEvent::Before {
                return Err(wrong(format!(
                    "{message} Remove it or import another file."
                )));
            }
            imported.notices.push(format!("{message} It was skipped."));
            continue;
        }
        if hook.contains_key("if") {
            imported.notices.push(format!("`{place}.if` is not evaluated: the hook runs for every call that its matcher names."));
        }
        let command = HookCommand {
            event,
            matcher: matcher.clone(),
            command: command_of(hook, &place)?,
            timeout_ms: timeout_of(hook, &place)?,
            is_async: hook.get("async") == Some(&Value::Bool(true)),
            ignore_failures: false,
        };
        // What does not compile is said now, not at the first call.
        command
            .matches(&[])
            .map_err(|error| wrong(format!("`{place}`: {}.", error.message)))?;
        imported.hooks.commands.push(command);
    }
    Ok(())
}

/// The text for the shell. Arguments that stand apart are quoted.
fn command_of(hook: &Map<String, Value>, place: &str) -> Result<String, ToolError> {
    let command = hook.get("command").and_then(Value::as_str).map(str::trim);
    let Some(command) = command.filter(|command| !command.is_empty()) else {
        return Err(wrong(format!(
            "`{place}.command` must be the text of a command."
        )));
    };
    if let Some(shell) = hook
        .get("shell")
        .and_then(Value::as_str)
        .filter(|shell| *shell != "bash")
    {
        return Err(wrong(format!(
            "`{place}.shell` is `{shell}`; only `bash` can be used here."
        )));
    }
    let Some(args) = hook.get("args") else {
        return Ok(command.to_owned());
    };
    let quoted = |text: &str| format!("'{}'", text.replace('\'', r"'\''"));
    let mut words = vec![quoted(command)];
    for arg in list(args, &format!("`{place}.args`"))? {
        let Some(arg) = arg.as_str() else {
            return Err(wrong(format!("`{place}.args` must be a list of strings.")));
        };
        // The one variable that is replaced in arguments, too.
        let arg = quoted(arg).replace("${CLAUDE_PROJECT_DIR}", "'\"${CLAUDE_PROJECT_DIR}\"'");
        words.push(arg);
    }
    Ok(words.join(" "))
}

fn timeout_of(hook: &Map<String, Value>, place: &str) -> Result<Option<u64>, ToolError> {
    let Some(timeout) = hook.get("timeout").filter(|timeout| !timeout.is_null()) else {
        return Ok(None);
    };
    let seconds = timeout
        .as_f64()
        .filter(|seconds| *seconds > 0.0 && *seconds <= 86_400.0);
    let Some(seconds) = seconds else {
        return Err(wrong(format!(
            "`{place}.timeout` must be a number of seconds, greater than 0."
        )));
    };
    let millis = std::time::Duration::from_secs_f64(seconds).as_millis();
    Ok(Some(u64::try_from(millis).unwrap_or(u64::MAX).max(1)))
}

fn object<'v>(value: &'v Value, what: &str) -> Result<&'v Map<String, Value>, ToolError> {
    value
        .as_object()
        .ok_or_else(|| wrong(format!("{what} must be an object.")))
}

fn list<'v>(value: &'v Value, what: &str) -> Result<&'v Vec<Value>, ToolError> {
    value
        .as_array()
        .ok_or_else(|| wrong(format!("{what} must be a list.")))
}

fn wrong(message: String) -> ToolError {
    ToolError::new(ErrorCode::InvalidParams, message)
}

/// The JSON that a command has written, if that is what it wrote. As JavaScript trims it: .NET writes a byte order mark.
fn json(ended: &HookEnd) -> Result<Map<String, Value>, ToolError> {
    let is_space = |letter: char| letter.is_whitespace() || letter == '\u{feff}';
    let text = ended.stdout.trim_matches(is_space);
    if !text.starts_with('{') {
        return Ok(Map::new());
    }
    match serde_json::from_str(text) {
        Ok(Value::Object(members)) => Ok(members),
        Ok(_) => Ok(Map::new()),
        Err(error) => {
            let message = format!("its output begins like JSON and is not JSON ({error})");
            Err(ToolError::new(ErrorCode::HandlerFailed, message))
        }
    }
}

fn text(members: &Map<String, Value>, name: &str) -> Option<String> {
    let text = members.get(name).and_then(Value::as_str);
    text.filter(|text| !text.trim().is_empty())
        .map(str::to_owned)
}

/// A member that is there. One of another type may have been meant as a denial, so it is an error.
fn member<'m, T>(
    members: &'m Map<String, Value>,
    name: &str,
    of: impl Fn(&'m Value) -> Option<T>,
) -> Result<Option<T>, ToolError> {
    match members.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => of(value).map(Some).ok_or_else(|| {
            let message = format!("`{name}` in its output is of another type than Claude Code has");
            ToolError::new(ErrorCode::HandlerFailed, message)
        }),
    }
}

const NO_REASON: &str = "it gave no reason";

/// What a `PreToolUse` command says.
pub(super) fn said_before(ended: &HookEnd, given: &ClaudeCall<'_>) -> Result<Before, ToolError> {
    if ended.code == 2 {
        let why = ended.stderr.trim();
        return Ok(Before {
            deny: Some(if why.is_empty() { NO_REASON } else { why }.to_owned()),
            ..Before::default()
        });
    }
    let members = json(ended)?;
    let mut said = Before::default();
    if member(&members, "continue", Value::as_bool)? == Some(false) {
        said.deny = Some(text(&members, "stopReason").unwrap_or_else(|| NO_REASON.to_owned()));
    }
    match member(&members, "decision", Value::as_str)? {
        Some("block" | "deny") => {
            said.deny = Some(text(&members, "reason").unwrap_or_else(|| NO_REASON.to_owned()))
        }
        Some("ask") => said.ask = Some(question(text(&members, "reason"))),
        Some("approve" | "allow") | None => {}
        Some(other) => return Err(odd("decision", other)),
    }
    let Some(specific) = member(&members, "hookSpecificOutput", Value::as_object)? else {
        return Ok(said);
    };
    let why = || text(specific, "permissionDecisionReason");
    match member(specific, "permissionDecision", Value::as_str)? {
        Some("deny") => said.deny = Some(why().unwrap_or_else(|| NO_REASON.to_owned())),
        // Nobody resumes the session later: the user decides now.
        Some("ask" | "defer") => said.ask = Some(question(why())),
        // What it allows is judged all the same.
        Some("allow") | None => {}
        Some(other) => return Err(odd("permissionDecision", other)),
    }
    match specific.get("updatedInput") {
        None | Some(Value::Null) => {}
        Some(Value::Object(input)) => said.params = Some(given.taken(input.clone())?),
        Some(_) => {
            let message = "`updatedInput` in its output must be an object";
            return Err(ToolError::new(ErrorCode::HandlerFailed, message));
        }
    }
    said.context.extend(text(specific, "additionalContext"));
    Ok(said)
}

fn question(reason: Option<String>) -> OwnQuestion {
    OwnQuestion {
        reason,
        ..OwnQuestion::default()
    }
}

fn odd(name: &str, value: &str) -> ToolError {
    let value: String = value.chars().take(60).collect();
    let message = format!(
        "`{name}` in its output is `{}`, which is not a decision",
        value.escape_debug()
    );
    ToolError::new(ErrorCode::HandlerFailed, message)
}

/// What a `PostToolUse` command says: the work is done, so it can only add to what the model reads or replace it.
pub(super) fn said_after(ended: &HookEnd) -> Result<After, ToolError> {
    let mut said = After::default();
    if ended.code == 2 {
        said.context
            .extend(Some(ended.stderr.trim().to_owned()).filter(|text| !text.is_empty()));
        return Ok(said);
    }
    let members = json(ended)?;
    if members.get("decision").and_then(Value::as_str) == Some("block") {
        said.context.extend(text(&members, "reason"));
    }
    if members.get("continue") == Some(&Value::Bool(false)) {
        said.context.extend(text(&members, "stopReason"));
    }
    if let Some(specific) = members.get("hookSpecificOutput").and_then(Value::as_object) {
        said.context.extend(text(specific, "additionalContext"));
        let updated = specific
            .get("updatedToolOutput")
            .or_else(|| specific.get("updatedMCPToolOutput"));
        said.content = match updated {
            None | Some(Value::Null) => None,
            Some(Value::String(text)) => Some(vec![Content::Text(text.clone())]),
            Some(other) => Some(vec![Content::Text(other.to_string())]),
        };
    }
    Ok(said)
}

#[cfg(test)]
mod tests;
