//! Claude Code: the same three lists in the same order, with `*` for any text in commands and four anchors in paths.

use serde_json::Value;

use super::{ImportError, Imported};
use crate::rule::RuleText;
use crate::verdict::{DefaultMode, Verdict};

pub(super) fn import(settings: &Value) -> Result<Imported, ImportError> {
    let wrong = |problem: &str| ImportError {
        format: "Claude Code",
        problem: problem.to_owned(),
    };
    let permissions = settings.get("permissions").unwrap_or(settings);
    let Value::Object(permissions) = permissions else {
        return Err(wrong("`permissions` is not an object"));
    };
    let mut imported = Imported::default();
    for (name, list) in [
        ("deny", Verdict::Deny),
        ("ask", Verdict::Ask),
        ("allow", Verdict::Allow),
    ] {
        let rules = match permissions.get(name) {
            None => continue,
            Some(Value::Array(rules)) => rules,
            Some(_) => return Err(wrong(&format!("`permissions.{name}` is not a list"))),
        };
        for rule in rules {
            match rule.as_str() {
                Some(rule) => take(&mut imported, list, rule),
                None => {
                    return Err(wrong(&format!(
                        "`permissions.{name}` contains something that is not a string"
                    )));
                }
            }
        }
    }
    match permissions.get("defaultMode").and_then(Value::as_str) {
        None | Some("default") => imported.permissions.default_mode = Some(DefaultMode::Ask),
        Some("dontAsk") => imported.permissions.default_mode = Some(DefaultMode::Deny),
        Some("bypassPermissions") => imported.leave(
            "defaultMode: bypassPermissions",
            Verdict::Allow,
            "it allows everything. Write `defaultMode: allow` if you want that",
        ),
        Some("acceptEdits") => {
            imported.permissions.default_mode = Some(DefaultMode::Ask);
            imported.take(Verdict::Allow, RuleText::from("Edit(**)"));
        }
        Some(mode) => imported.leave(
            &format!("defaultMode: {mode}"),
            Verdict::Ask,
            "this mode is not supported",
        ),
    }
    Ok(imported)
}

fn take(imported: &mut Imported, list: Verdict, rule: &str) {
    let (tool, specifier) = match rule.split_once('(') {
        Some((tool, rest)) => (tool, rest.strip_suffix(')')),
        None => (rule, None),
    };
    match (tool, specifier) {
        ("Bash", Some(pattern)) if pattern != "*" => imported.take_starred(list, rule, pattern),
        (
            "Read" | "Edit" | "Write" | "MultiEdit" | "NotebookEdit" | "Glob" | "Grep" | "LS",
            Some(pattern),
        ) => {
            take_path(imported, list, rule, tool, pattern);
        }
        ("WebFetch", Some(pattern)) if !pattern.starts_with("domain:") => {
            imported.leave(rule, list, "only `domain:` is supported in web rules")
        }
        ("Agent" | "Task", Some(name)) if is_name(name) => {
            imported.take(list, RuleText::from(format!("Task({name})").as_str()));
        }
        // What follows the name there are the arguments of the skill; here it has none.
        ("Skill", Some(name)) if is_name(name.trim_end_matches(" *")) => {
            let name = name.trim_end_matches(" *");
            imported.take(list, RuleText::from(format!("Skill({name})").as_str()));
        }
        ("Agent" | "Task" | "Skill" | "SlashCommand", Some(_)) => imported.leave(
            rule,
            list,
            "patterns for agents and skills are a name, or the start of one with a `*`; commands are not supported",
        ),
        ("Agent", None) => imported.take(list, RuleText::from("Task")),
        (_, Some("*")) => imported.take(list, RuleText::from(tool)),
        _ => imported.take(list, RuleText::from(rule)),
    }
}

/// Whether a pattern is a name alone.
fn is_name(pattern: &str) -> bool {
    !pattern.is_empty() && !pattern.contains(['*', ':', ' '])
}

/// `//abs`, `~/home`, `/` below the project, else below the current directory.
fn take_path(imported: &mut Imported, list: Verdict, rule: &str, tool: &str, pattern: &str) {
    let tool = if tool == "MultiEdit" { "Edit" } else { tool };
    if pattern.starts_with('~') {
        return imported.leave(rule, list, "`~` is not expanded. Write the absolute path");
    }
    let path = match pattern.strip_prefix("//") {
        Some(absolute) => format!("/{absolute}"),
        None => pattern
            .trim_start_matches("./")
            .trim_start_matches('/')
            .to_owned(),
    };
    // A bare name holds at any depth there, for every list.
    let path = if list == Verdict::Allow && !pattern.contains('/') && path != "**" && path != "*" {
        format!("**/{path}")
    } else {
        path
    };
    if path.split('/').any(|part| part == "..") || path.starts_with('!') {
        return imported.leave(
            rule,
            list,
            "`..` and `!` are not supported. Write the path without them",
        );
    }
    imported.take(
        list,
        RuleText {
            rule: format!("{tool}({path})"),
            ..RuleText::default()
        },
    );
}
