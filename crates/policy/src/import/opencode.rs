//! opencode: a map of tools to an action, or to patterns with actions of which the last one that matches wins.

use serde_json::Value;

use super::{ImportError, Imported};
use crate::rule::RuleText;
use crate::verdict::Verdict;

pub(super) fn import(settings: &Value) -> Result<Imported, ImportError> {
    let permission = settings.get("permission").unwrap_or(settings);
    let Value::Object(tools) = permission else {
        return Err(ImportError {
            format: "opencode",
            problem: "`permission` is not an object".to_owned(),
        });
    };
    let mut imported = Imported::default();
    for (tool, value) in tools {
        match value {
            Value::String(action) => match (name(tool), verdict(action)) {
                (Some(name), Some(list)) => imported.take(list, RuleText::from(name)),
                (_, list) => imported.leave(
                    &format!("{tool}: {action}"),
                    list.unwrap_or(Verdict::Ask),
                    "this tool or action is not supported",
                ),
            },
            Value::Object(patterns) => take(&mut imported, tool, patterns),
            _ => imported.leave(
                tool,
                Verdict::Ask,
                "its value is not an action or a map of patterns",
            ),
        }
    }
    Ok(imported)
}

/// The later pattern wins there; here the stricter one. So a later one that opens an earlier one cannot be said.
fn take(imported: &mut Imported, tool: &str, patterns: &serde_json::Map<String, Value>) {
    let mut earlier: Vec<(&str, Verdict)> = Vec::new();
    for (pattern, action) in patterns {
        let rule = format!("{tool} {pattern}: {}", action.as_str().unwrap_or_default());
        let (Some(list), Some(name)) = (action.as_str().and_then(verdict), name(tool)) else {
            imported.leave(&rule, Verdict::Ask, "this tool or action is not supported");
            continue;
        };
        let everything = |pattern: &str| pattern == "*" || pattern == "**";
        let reopens = earlier.iter().any(|(other, verdict)| {
            *verdict > list && !everything(other) && may_overlap(other, pattern)
        });
        earlier.push((pattern, list));
        if reopens {
            imported.leave(
                &rule,
                list,
                "it allows what an earlier pattern restricts; here the stricter rule always wins",
            );
            continue;
        }
        match (name, everything(pattern)) {
            // What holds for everything else is the default mode's affair unless it is stricter than what follows.
            (name, true) if list == Verdict::Deny && patterns.len() > 1 => {
                imported.leave(&rule, list, &format!("denying all of `{name}` would also deny what other patterns allow. Set `defaultMode` to `deny`"));
            }
            (_, true) if list == Verdict::Ask && patterns.len() > 1 => {
                imported.permissions.default_mode = Some(crate::verdict::DefaultMode::Ask);
            }
            (name, true) if list == Verdict::Allow => imported.take(list, RuleText::from(name)),
            (name, true) => imported.take(list, RuleText::from(name)),
            ("Bash", false) => imported.take_starred(list, &rule, pattern),
            ("Read" | "Edit" | "Glob" | "Grep" | "LS", false) if !pattern.starts_with('~') => {
                take_path(imported, list, &rule, name, pattern);
            }
            ("Task" | "Skill", false)
                if !pattern
                    .strip_suffix('*')
                    .unwrap_or(pattern)
                    .contains(['*', '?']) =>
            {
                let rule = format!("{name}({pattern})");
                imported.take(list, RuleText::from(rule.as_str()));
            }
            _ => imported.leave(&rule, list, "patterns for this tool are not supported"),
        }
    }
}

/// There `*` stands for any text, slashes included.
fn take_path(imported: &mut Imported, list: Verdict, rule: &str, name: &str, pattern: &str) {
    let strict = list != Verdict::Allow;
    let mut parts: Vec<&str> = pattern.trim_start_matches("./").split('/').collect();
    let last = parts.len().saturating_sub(1);
    let mut narrower = false;
    for (index, part) in parts.iter_mut().enumerate() {
        // Wide enough for a rule that closes. One that opens takes a whole tail only.
        if *part == "*" && (strict || index == last) {
            *part = "**";
        } else if strict && index < last && part.contains('*') && *part != "**" {
            narrower = true;
        }
    }
    if narrower {
        imported.leave(rule, list, "`*` inside a directory name also matched directories below it; it was imported for the one name only");
    }
    imported.take(
        list,
        RuleText {
            rule: format!("{name}({})", parts.join("/")),
            ..RuleText::default()
        },
    );
}

/// Whether two patterns could match the same; cautious.
fn may_overlap(one: &str, other: &str) -> bool {
    let head = |pattern: &str| pattern.split('*').next().unwrap_or_default().to_owned();
    let (one, other) = (head(one), head(other));
    one.starts_with(&other) || other.starts_with(&one)
}

fn name(tool: &str) -> Option<&'static str> {
    Some(match tool {
        "*" => "*",
        "bash" => "Bash",
        "edit" | "write" | "patch" => "Edit",
        "read" => "Read",
        "list" => "LS",
        "glob" => "Glob",
        "grep" => "Grep",
        "webfetch" => "WebFetch",
        "websearch" => "WebSearch",
        "task" => "Task",
        "skill" => "Skill",
        "lsp" => "LSP",
        "todoread" => "TodoRead",
        "todowrite" => "TodoWrite",
        _ => return None,
    })
}

fn verdict(action: &str) -> Option<Verdict> {
    match action {
        "allow" => Some(Verdict::Allow),
        "ask" => Some(Verdict::Ask),
        "deny" => Some(Verdict::Deny),
        _ => None,
    }
}
