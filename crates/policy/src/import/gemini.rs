//! gemini-cli: `[[rule]]` tables with priorities, of which the highest that matches wins.

use toml::{Table, Value};

use super::{ImportError, Imported};
use crate::rule::RuleText;
use crate::verdict::Verdict;

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
    let rules = match file.get("rule") {
        None => return Ok(imported),
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
    Ok(imported)
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
    let unknown = [
        "argsPattern",
        "commandRegex",
        "mode",
        "modes",
        "interactive",
        "subagent",
        "annotations",
        "toolAnnotations",
    ];
    if let Some(member) = unknown.iter().find(|member| rule.contains_key(**member)) {
        return imported.leave(&shown, list, &format!("`{member}` is not supported"));
    }
    if list == Verdict::Allow && lowest_strict.is_some_and(|lowest| priority(rule) > lowest) {
        // It is taken all the same: the stricter rule holds here, which can only ask or deny more.
        imported.leave(&shown, list, "its priority put it before stricter rules; it was imported, but here the stricter rule always wins");
    }
    let because = rule.get("denyMessage").and_then(Value::as_str);
    let commands = texts(rule.get("commandPrefix"));
    for tool in texts(rule.get("toolName")) {
        let before = imported.permissions.clone();
        match (tool, rule.get("mcpName").and_then(Value::as_str)) {
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
    if rule.get("toolName").is_none() {
        imported.leave(&shown, list, "it does not name a tool");
    }
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
