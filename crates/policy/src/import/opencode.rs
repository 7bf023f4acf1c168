//! opencode: a map of tools to an action, or to patterns with actions of which the last one that matches wins.

use serde_json::{Map, Value};

use super::{ImportError, Imported};
use crate::rule::RuleText;
use crate::verdict::{DefaultMode, Verdict};

/// Tools by their names there and here.
const TOOLS: &[(&str, &str)] = &[
    ("bash", "Bash"),
    ("edit", "Edit"),
    ("write", "Edit"),
    ("patch", "Edit"),
    ("read", "Read"),
    ("list", "LS"),
    ("glob", "Glob"),
    ("grep", "Grep"),
    ("webfetch", "WebFetch"),
    ("websearch", "WebSearch"),
    ("task", "Task"),
    ("skill", "Skill"),
    ("lsp", "LSP"),
    ("todoread", "TodoRead"),
    ("todowrite", "TodoWrite"),
];
/// Settings that say nothing about what may be done.
const OTHER_SETTINGS: &[&str] = &[
    "$schema",
    "autoshare",
    "autoupdate",
    "command",
    "compaction",
    "default_agent",
    "disabled_providers",
    "enabled_providers",
    "formatter",
    "instructions",
    "keybinds",
    "layout",
    "logLevel",
    "lsp",
    "mcp",
    "model",
    "plugin",
    "provider",
    "server",
    "share",
    "skills",
    "small_model",
    "snapshot",
    "theme",
    "tui",
    "username",
    "watcher",
];
/// Settings that restrict tools in another way.
const RESTRICTING: &str = "agent mode tools";
/// Those of them that hold settings of single agents.
const OF_AGENTS: &str = "agent mode";

/// Whether a list of names has this one.
fn lists(names: &str, name: &str) -> bool {
    names.split(' ').any(|known| known == name)
}

type Patterns = Map<String, Value>;

pub(super) fn import(settings: &Value) -> Result<Imported, ImportError> {
    let wrong = |problem: &str| ImportError {
        format: "opencode",
        problem: problem.to_owned(),
    };
    let Value::Object(settings) = settings else {
        return Err(wrong("the settings are not an object"));
    };
    let mut imported = Imported::default();
    let is_setting = |name: &String| {
        lists(RESTRICTING, name) || (OTHER_SETTINGS.contains(&name.as_str()) && name != "lsp")
    };
    let whole = settings.contains_key("permission") || settings.keys().any(is_setting);
    let tools = match settings.get("permission") {
        Some(Value::Object(tools)) => tools.clone(),
        // One action for all tools.
        Some(action @ Value::String(_)) => Map::from_iter([("*".to_owned(), action.clone())]),
        Some(_) => return Err(wrong("`permission` is not an action or an object")),
        // The object of permissions alone is taken, too.
        None if !whole => settings.clone(),
        None => Map::new(),
    };
    for (tool, value) in &behind_the_star(&mut imported, &tools) {
        match value {
            Value::String(action) if tool == "*" => take_star(&mut imported, &tools, action),
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
    if whole {
        report_settings(&mut imported, settings);
    }
    take_unmentioned(&mut imported, &tools);
    Ok(imported)
}

/// The action for every tool, if there is one.
fn star(tools: &Patterns) -> Option<Verdict> {
    tools.get("*").and_then(Value::as_str).and_then(verdict)
}

/// The tools without what a later `*` restricts: the later one wins there.
fn behind_the_star(imported: &mut Imported, tools: &Patterns) -> Patterns {
    let mut kept = tools.clone();
    let Some(star) = star(tools).filter(|star| *star != Verdict::Allow) else {
        return kept;
    };
    let weaker = |action: &Value| {
        action
            .as_str()
            .and_then(verdict)
            .is_some_and(|own| own < star)
    };
    for (tool, value) in tools.iter().take_while(|(tool, _)| *tool != "*") {
        let mut leave = |rule: String, action: &Value| {
            let list = action.as_str().and_then(verdict).unwrap_or(Verdict::Ask);
            imported.leave(&rule, list, "a later `*` restricts it");
        };
        match kept.get_mut(tool) {
            Some(Value::Object(patterns)) => patterns.retain(|pattern, action| {
                if weaker(action) {
                    leave(format!("{tool} {pattern}: {}", shown(action)), action);
                }
                !weaker(action)
            }),
            Some(action) if weaker(action) => {
                leave(format!("{tool}: {}", shown(value)), value);
                kept.shift_remove(tool);
            }
            _ => {}
        }
    }
    kept
}

/// Takes the action for every tool. What others have of their own is an exception from it.
fn take_star(imported: &mut Imported, tools: &Patterns, action: &str) {
    let rule = format!("*: {action}");
    let alone = tools.len() == 1;
    match verdict(action) {
        None => imported.leave(&rule, Verdict::Ask, "this action is not supported"),
        // What another tool forbids but for some patterns would be allowed again by a rule for all tools.
        Some(Verdict::Allow) if tools.values().any(restricts_the_rest) => {
            imported.leave(&rule, Verdict::Allow, "what a tool restricts but for some patterns would be allowed again; it was imported for the tools that have no rule of their own");
            let own = |name: &str| {
                TOOLS
                    .iter()
                    .any(|(tool, other)| *other == name && tools.contains_key(*tool))
            };
            let mut names: Vec<&str> = TOOLS.iter().map(|(_, name)| *name).collect();
            names.dedup();
            for name in names.into_iter().filter(|name| !own(name)) {
                imported.take(Verdict::Allow, RuleText::from(name));
            }
        }
        Some(Verdict::Ask) if !alone => imported.default_at_least(DefaultMode::Ask),
        Some(Verdict::Deny) if !alone => imported.default_at_least(DefaultMode::Deny),
        Some(list) => imported.take(list, RuleText::from("*")),
    }
}

/// Whether a tool is restricted but for some patterns.
fn restricts_the_rest(value: &Value) -> bool {
    let Value::Object(patterns) = value else {
        return false;
    };
    patterns.iter().any(|(pattern, action)| {
        everything(pattern) && action.as_str().and_then(verdict) != Some(Verdict::Allow)
    })
}

fn everything(pattern: &str) -> bool {
    pattern == "*" || pattern == "**"
}

fn shown(action: &Value) -> &str {
    action.as_str().unwrap_or_default()
}

/// Takes over that reading is allowed there unless a rule says otherwise, but for `.env`; the rest is reported.
fn take_unmentioned(imported: &mut Imported, tools: &Patterns) {
    let own = &imported.permissions;
    if tools.contains_key("*") || own.mode(false) == DefaultMode::Allow {
        return;
    }
    if !tools.contains_key("read") {
        for pattern in ["*.env", "*.env.*"] {
            let rule = format!("Read({pattern})");
            imported.take(Verdict::Deny, RuleText::from(rule.as_str()));
        }
        imported.reading_is_free();
    }
    imported.leave(
        "*",
        Verdict::Allow,
        "what no rule names is allowed there; here it requires approval as soon as rules allow something. Set `defaultMode` to `allow` for the same",
    );
}

/// Reports settings beside `permission`, unless they say nothing about what may be done.
fn report_settings(imported: &mut Imported, settings: &Patterns) {
    for (name, value) in settings.iter().filter(|(name, _)| *name != "permission") {
        match (name.as_str(), value) {
            (name, _) if OTHER_SETTINGS.contains(&name) => {}
            (name, Value::Object(agents)) if lists(OF_AGENTS, name) => {
                for (agent, own) in agents {
                    for member in ["permission", "tools"]
                        .into_iter()
                        .filter(|member| own.get(member).is_some())
                    {
                        imported.leave(&format!("{name}.{agent}.{member}"), Verdict::Deny, "rules of single agents are not supported. Give the toolkit of this agent rules of its own");
                    }
                }
            }
            ("tools", Value::Object(tools)) => {
                for (tool, _) in tools.iter().filter(|(_, on)| **on != Value::Bool(true)) {
                    imported.leave(&format!("tools.{tool}: false"), Verdict::Deny, "which tools there are is an option of the toolkit. Write them in `tools.deny`");
                }
            }
            (name, _) => imported.leave(
                name,
                Verdict::Deny,
                "this setting is not known, and may restrict something. Rules are in `permission`",
            ),
        }
    }
}

/// The later pattern wins there; here the stricter one. So a later one that opens an earlier one cannot be said.
fn take(imported: &mut Imported, tool: &str, patterns: &Patterns) {
    let mut earlier: Vec<(&str, Verdict)> = Vec::new();
    for (pattern, action) in patterns {
        let rule = format!("{tool} {pattern}: {}", shown(action));
        let (Some(list), Some(name)) = (action.as_str().and_then(verdict), name(tool)) else {
            let list = action.as_str().and_then(verdict).unwrap_or(Verdict::Ask);
            imported.leave(&rule, list, "this tool or action is not supported");
            continue;
        };
        let reopens = earlier.iter().any(|(other, verdict)| {
            *verdict > list && !everything(other) && may_overlap(other, pattern)
        });
        let first = earlier.iter().all(|(_, verdict)| *verdict >= list);
        earlier.push((pattern, list));
        if reopens {
            imported.leave(&rule, list, reopening(list));
            if list == Verdict::Allow {
                continue;
            }
        }
        match (name, everything(pattern)) {
            // What holds for everything else is the default mode's affair unless it is stricter than what follows.
            (name, true) if list == Verdict::Deny && patterns.len() > 1 && first => {
                imported.default_at_least(DefaultMode::Ask);
                imported.leave(&rule, list, &format!("denying all of `{name}` would also deny what other patterns allow. Set `defaultMode` to `deny`"));
            }
            (_, true) if list == Verdict::Ask && patterns.len() > 1 && first => {
                imported.default_at_least(DefaultMode::Ask);
            }
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

/// Why a pattern is not what it is there, behind one that is stricter.
const fn reopening(list: Verdict) -> &'static str {
    match list {
        Verdict::Allow => {
            "it allows what an earlier pattern restricts; here the stricter rule always wins"
        }
        Verdict::Ask | Verdict::Deny => {
            "it is less strict than an earlier pattern; it was imported, but here the stricter rule always wins"
        }
    }
}

/// There `*` stands for any text and `?` for any character, slashes included, and nothing else is special.
fn take_path(imported: &mut Imported, list: Verdict, rule: &str, name: &str, pattern: &str) {
    let strict = list != Verdict::Allow;
    let pattern = literal(pattern.trim_start_matches("./"));
    let parts: Vec<&str> = pattern.split('/').collect();
    let last = parts.len().saturating_sub(1);
    let mut patterns = vec![String::new()];
    let mut narrower = strict && pattern.contains('?');
    for (index, part) in parts.iter().enumerate() {
        let choices = match *part {
            // Wide enough for a rule that closes. One that opens takes a whole tail only.
            "*" if strict || index == last => vec!["**".to_owned()],
            part if strict && part != "**" && last > 0 => across_directories(part),
            part => vec![part.to_owned()],
        };
        if patterns.len() * choices.len() > MAX_PATTERNS {
            narrower = true;
        }
        let slash = if index == 0 { "" } else { "/" };
        patterns = joined(&patterns, slash, &choices);
    }
    if narrower {
        imported.leave(rule, list, "`?` and several `*` also matched across directories; it was imported for names within one directory");
    }
    for pattern in patterns {
        let rule = RuleText {
            rule: format!("{name}({pattern})"),
            ..RuleText::default()
        };
        imported.take(list, rule);
    }
}

/// Most rules of ours that one pattern may stand for.
const MAX_PATTERNS: usize = 16;

/// The pattern with what is special here and not there taken as it is.
fn literal(pattern: &str) -> String {
    let mut literal = String::with_capacity(pattern.len());
    for letter in pattern.chars() {
        match letter {
            '\\' => literal.push('/'),
            '[' | ']' | '{' | '}' => literal.extend(['\\', letter]),
            letter => literal.push(letter),
        }
    }
    literal
}

/// A part of a path whose stars may stand for slashes: as it is, and with directories at each star.
fn across_directories(part: &str) -> Vec<String> {
    let texts: Vec<&str> = part.split('*').collect();
    let mut choices = vec![String::new()];
    for (index, text) in texts.iter().enumerate() {
        let stars: &[&str] = if index == 0 { &[""] } else { &["*", "*/**/*"] };
        let choice = |choice: &String| {
            let choice = choice.clone();
            stars
                .iter()
                .map(move |star| format!("{choice}{star}{text}"))
        };
        choices = choices.iter().flat_map(choice).collect();
        choices.truncate(MAX_PATTERNS);
    }
    choices
}

/// Every pattern with every choice for its next part; only the first choice where that would be too many.
fn joined(patterns: &[String], slash: &str, choices: &[String]) -> Vec<String> {
    let room = MAX_PATTERNS / patterns.len().max(1);
    let with = |pattern: &String| {
        let pattern = pattern.clone();
        let choices = choices.iter().take(room.max(1));
        choices.map(move |choice| format!("{pattern}{slash}{choice}"))
    };
    patterns.iter().flat_map(with).collect()
}

/// Whether two patterns could match the same; cautious.
fn may_overlap(one: &str, other: &str) -> bool {
    let head = |pattern: &str| pattern.split('*').next().unwrap_or_default().to_owned();
    let (one, other) = (head(one), head(other));
    one.starts_with(&other) || other.starts_with(&one)
}

fn name(tool: &str) -> Option<&'static str> {
    if tool == "*" {
        return Some("*");
    }
    let mut tools = TOOLS.iter();
    tools.find_map(|(there, here)| (*there == tool).then_some(*here))
}

fn verdict(action: &str) -> Option<Verdict> {
    match action {
        "allow" => Some(Verdict::Allow),
        "ask" => Some(Verdict::Ask),
        "deny" => Some(Verdict::Deny),
        _ => None,
    }
}
