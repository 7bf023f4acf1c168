//! gemini-cli: `[[rule]]` tables with priorities, of which the highest that matches wins.

use toml::{Table, Value};

use super::{ImportError, Imported};
use crate::rule::RuleText;
use crate::verdict::{DefaultMode, Verdict};

pub(super) fn import(text: &str) -> Result<Imported, ImportError> {
    let wrong = |problem: String| ImportError {
        format: "gemini-cli",
        problem,
    };
    let file: Table = text.parse().map_err(|error: toml::de::Error| {
        let line = error.span().map_or(1, |span| {
            text.get(..span.start)
                .unwrap_or_default()
                .matches('\n')
                .count()
                + 1
        });
        wrong(format!("line {line}: {}", error.message()))
    })?;
    let mut imported = Imported::default();
    let none = Vec::new();
    let rules = match file.get("rule") {
        None => &none,
        Some(Value::Array(rules)) => rules,
        Some(_) => return Err(wrong("`rule` is not a list of tables".to_owned())),
    };
    let lowest_strict = rules
        .iter()
        .filter_map(Value::as_table)
        .filter(|rule| list_of(rule) != Some(Verdict::Allow))
        .map(priority)
        .min();
    for rule in rules {
        let Value::Table(rule) = rule else {
            return Err(wrong(
                "`rule` contains something that is not a table".to_owned(),
            ));
        };
        take(&mut imported, rule, lowest_strict);
    }
    for (name, value) in file.iter().filter(|(name, _)| *name != "rule") {
        let why = match name.as_str() {
            "safety_checker" => {
                "checkers of calls are not rules. Check the calls in a hook before tools"
            }
            _ => "this table is not known, and may restrict something. Rules are `[[rule]]`",
        };
        imported.leave(&shown(name, value), Verdict::Deny, why);
    }
    // What no rule is about requires approval there.
    imported.default_at_least(DefaultMode::Ask);
    imported.reading_is_free();
    Ok(imported)
}

/// A table of the file in one line.
fn shown(name: &str, value: &Value) -> String {
    let text = value.to_string();
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    format!("{name} = {line}")
}

fn priority(rule: &Table) -> i64 {
    rule.get("priority")
        .and_then(Value::as_integer)
        .unwrap_or_default()
}

fn list_of(rule: &Table) -> Option<Verdict> {
    match rule.get("decision").and_then(Value::as_str) {
        Some("allow") => Some(Verdict::Allow),
        Some("ask_user") => Some(Verdict::Ask),
        Some("deny") => Some(Verdict::Deny),
        _ => None,
    }
}

fn texts(value: Option<&Value>) -> Vec<&str> {
    match value {
        Some(Value::String(text)) => vec![text],
        Some(Value::Array(list)) => list.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

fn take(imported: &mut Imported, rule: &Table, lowest_strict: Option<i64>) {
    let shown = rule.to_string().trim().replace('\n', ", ");
    let Some(list) = list_of(rule) else {
        return imported.leave(
            &shown,
            Verdict::Ask,
            "its `decision` is not `allow`, `ask_user` or `deny`",
        );
    };
    if let Some((list, why)) = not_carried(rule, list) {
        return imported.leave(&shown, list, &why);
    }
    if list == Verdict::Allow && lowest_strict.is_some_and(|lowest| priority(rule) > lowest) {
        // It is taken all the same: the stricter rule holds here, which can only ask or deny more.
        imported.leave(&shown, list, "its priority put it before stricter rules; it was imported, but here the stricter rule always wins");
    }
    if rule.contains_key("allowRedirection") || rule.contains_key("allow_redirection") {
        imported.leave(&shown, Verdict::Allow, "writing by redirections is allowed by rules for files here; it was imported without them. Write such as `Edit(**)`");
    }
    let because = ["denyMessage", "deny_message"]
        .iter()
        .find_map(|name| rule.get(*name)?.as_str());
    let commands = texts(rule.get("commandPrefix"));
    let server = rule.get("mcpName").and_then(Value::as_str);
    // A server without a tool is all of its tools.
    let tools = match texts(rule.get("toolName")) {
        tools if tools.is_empty() && server.is_some() => vec!["*"],
        tools => tools,
    };
    for tool in &tools {
        let before = imported.permissions.clone();
        match (*tool, server) {
            (tool, Some(server)) => imported.take(
                list,
                RuleText {
                    rule: format!("mcp__{server}__{tool}"),
                    ..RuleText::default()
                },
            ),
            ("run_shell_command", None) if !commands.is_empty() => {
                for command in &commands {
                    imported.take_starred(list, &shown, &format!("{command}:*"));
                }
            }
            (tool, None) => match name(tool) {
                Some(name) => imported.take(list, RuleText::from(name)),
                None => {
                    imported.leave(&shown, list, &format!("the tool `{tool}` is not supported"))
                }
            },
        }
        explain(imported, &before, because);
    }
    if tools.is_empty() {
        imported.leave(&shown, list, "it does not name a tool");
    }
}

/// What a rule may have and is carried over.
const CARRIED: &[&str] = &[
    "allowRedirection",
    "allow_redirection",
    "commandPrefix",
    "decision",
    "denyMessage",
    "deny_message",
    "mcpName",
    "priority",
    "toolName",
];
/// What a rule may have that narrows it, and has no counterpart.
const NOT_CARRIED: &[&str] = &[
    "annotations",
    "argsPattern",
    "commandRegex",
    "interactive",
    "mode",
    "modes",
    "subagent",
    "toolAnnotations",
];

/// Why a rule is left out for what it has, and as what; without a part that narrows it, it would be wider.
fn not_carried(rule: &Table, list: Verdict) -> Option<(Verdict, String)> {
    if let Some(member) = NOT_CARRIED.iter().find(|name| rule.contains_key(**name)) {
        return Some((list, format!("`{member}` is not supported")));
    }
    if let Some(member) = rule.keys().find(|name| !CARRIED.contains(&name.as_str())) {
        let why = format!("`{member}` is not known, and may narrow the rule. Correct its name");
        return Some((Verdict::Deny, why));
    }
    let is_text = |value: &Value| value.as_str().is_some_and(|text| !text.trim().is_empty());
    for name in ["toolName", "mcpName", "commandPrefix"] {
        let good = match rule.get(name) {
            None => true,
            Some(Value::Array(list)) if name != "mcpName" => {
                !list.is_empty() && list.iter().all(is_text)
            }
            Some(value) => is_text(value),
        };
        if !good {
            return Some((list, format!("its `{name}` is not a text")));
        }
    }
    let tools = texts(rule.get("toolName"));
    let only_commands = tools.iter().all(|tool| *tool == "run_shell_command");
    if rule.contains_key("commandPrefix") && (!only_commands || rule.contains_key("mcpName")) {
        let why = "its `commandPrefix` is only for the tool `run_shell_command`".to_owned();
        return Some((list, why));
    }
    None
}

/// Puts the message of the rule behind what was just taken.
fn explain(imported: &mut Imported, before: &crate::rules::Permissions, because: Option<&str>) {
    let Some(because) = because else { return };
    let own = &mut imported.permissions;
    for (rules, old) in [
        (&mut own.deny, before.deny.len()),
        (&mut own.ask, before.ask.len()),
        (&mut own.allow, before.allow.len()),
    ] {
        for rule in rules.iter_mut().skip(old) {
            rule.because = Some(because.to_owned());
        }
    }
}

fn name(tool: &str) -> Option<&'static str> {
    Some(match tool {
        "*" => "*",
        "run_shell_command" => "Bash",
        "read_file" | "read_many_files" => "Read",
        "write_file" => "Write",
        "replace" | "edit" => "Edit",
        "list_directory" => "LS",
        "glob" => "Glob",
        "search_file_content" | "grep_search" => "Grep",
        "web_fetch" => "WebFetch",
        "google_web_search" => "WebSearch",
        "write_todos" => "TodoWrite",
        _ => return None,
    })
}
